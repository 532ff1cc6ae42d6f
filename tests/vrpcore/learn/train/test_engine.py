"""What a run can be asked for beyond the plain steps."""

import numpy as np
import pytest
import torch

from tests.vrpcore.learn.train.runs import CPU, metrics, run, small_config
from vrpcore.errors import DeviceError
from vrpcore.learn.policy.checkpoint import load_checkpoint
from vrpcore.learn.train.trainer import Trainer


def weights(folder):
    return load_checkpoint(folder / "last.pt")["policy"]


def same(first, second, tolerance=0.0):
    return all(torch.allclose(first[name], second[name], rtol=0, atol=tolerance) for name in first)


@pytest.mark.parametrize("baseline", ["multistart", "rollout", "ema"])
def test_each_baseline_learns_and_resumes(tmp_path, baseline):
    config = small_config(
        baseline=baseline, steps=24, batch_size=32, learning_rate=5e-3, validate_every=12
    )
    run(config, tmp_path / "whole")
    costs = [line["cost"] for line in metrics(tmp_path / "whole") if "cost" in line]
    assert np.mean(costs[-6:]) < np.mean(costs[:6]) * 0.98
    run(config, tmp_path / "parts", stop_after=14)
    run(config, tmp_path / "parts", resume=True)
    assert same(weights(tmp_path / "whole"), weights(tmp_path / "parts"))


def test_one_start_learns_with_another_baseline(tmp_path):
    _, outcome = run(small_config(starts=1, baseline="ema", steps=2), tmp_path)
    assert (outcome.finished, outcome.steps) == (True, 2)


def test_accumulated_batches_are_all_seen(tmp_path):
    trainer, _ = run(small_config(accumulate=3, steps=4), tmp_path)
    assert trainer.instances == 3 * 4 * 8
    parts = [trainer.batches[index].coords for index in range(3)]
    assert not torch.equal(parts[0][:, 0], parts[1][:, 0])


def alone(trainer, batches):
    """The gradients of each batch by itself."""
    for number, batch in enumerate(batches):
        trainer.policy.zero_grad()
        trainer._gather(batch, number)
        yield [parameter.grad.clone() for parameter in trainer.policy.parameters()]


def test_accumulated_gradient_is_the_mean(tmp_path):
    config = small_config(accumulate=2, steps=1)
    trainer = Trainer(config, tmp_path, CPU)
    batches = [trainer.batches[0], trainer.batches[1]]
    trainer._learn(iter(batches))
    mean = [parameter.grad.clone() for parameter in trainer.policy.parameters()]
    for both, first, second in zip(mean, *alone(trainer, batches), strict=True):
        assert torch.allclose(both, (first + second) / 2, atol=1e-6)


def test_patience_ends_a_run_that_does_not_get_better(tmp_path):
    config = small_config(learning_rate=1e-12, steps=100, validate_every=2, patience=3)
    _, outcome = run(config, tmp_path)
    assert outcome.finished
    assert outcome.steps == 8  # the first validation is the best, three wait behind it


def test_recomputed_layers_give_the_same_weights(tmp_path):
    run(small_config(), tmp_path / "kept")
    run(small_config(recompute=True), tmp_path / "recomputed")
    assert same(weights(tmp_path / "kept"), weights(tmp_path / "recomputed"), 1e-6)


def test_without_memory_a_batch_is_learned_from_in_pieces(tmp_path, monkeypatch):
    trainer = Trainer(small_config(rollout="two_phase", steps=3), tmp_path, CPU)
    learn, sizes = trainer.learner.rollout.construct, []

    def limited(cache, inputs, starts, seed, temperature):
        if len(starts) > 3:
            raise torch.OutOfMemoryError("no memory")
        sizes.append(len(starts))
        return learn(cache, inputs, starts, seed, temperature)

    monkeypatch.setattr(trainer.learner.rollout, "construct", limited)
    notes = []
    trainer.run(lambda progress: notes.append(progress.note), lambda: False)
    assert notes == ["out of memory: batches are now processed in 4 pieces", "", ""]
    assert sizes == [2] * 12
    assert metrics(tmp_path)[0]["note"] == notes[0]
    assert trainer.instances == 24


def test_pieces_have_about_the_gradient_of_the_whole(tmp_path):
    config = small_config(rollout="two_phase", precision="fp32", batch_size=64)
    trainer = Trainer(config, tmp_path, CPU)
    batch, found = trainer.batches[0], []
    for _ in range(2):
        trainer.policy.zero_grad()
        trainer._gather(batch, 0)
        found.append(torch.cat([part.grad.flatten() for part in trainer.policy.parameters()]))
        trainer.learner.shrink()
    # The advantage's deviation is each piece's own.
    cosine = torch.dot(*found) / (found[0].norm() * found[1].norm())
    assert float(cosine) > 0.98
    assert float(found[1].norm() / found[0].norm()) == pytest.approx(1.0, abs=0.2)


def test_pieces_leave_what_was_gathered_before(tmp_path):
    trainer = Trainer(small_config(rollout="two_phase", precision="fp32"), tmp_path, CPU)
    trainer.learner.shrink()
    batches = [trainer.batches[0], trainer.batches[1]]
    each = list(alone(trainer, batches))
    trainer.policy.zero_grad()
    for number, batch in enumerate(batches):
        trainer._gather(batch, number)
    for parameter, first, second in zip(trainer.policy.parameters(), *each, strict=True):
        assert torch.allclose(parameter.grad, first + second, atol=1e-6)


def test_no_memory_for_one_instance_is_a_clear_end(tmp_path, monkeypatch):
    trainer = Trainer(small_config(rollout="two_phase"), tmp_path, CPU)

    def never(*_):
        raise torch.OutOfMemoryError("no memory")

    monkeypatch.setattr(trainer.learner.rollout, "construct", never)
    with pytest.raises(DeviceError, match=r"out of memory; use a smaller train\.batch_size"):
        trainer.run(lambda _: None, lambda: False)


def test_a_run_can_be_resumed_from_its_first_second(tmp_path):
    config = small_config(save_every=1000, validate_every=0)
    trainer = Trainer(config, tmp_path, CPU)
    with pytest.raises(RuntimeError, match="killed"):
        trainer.run(lambda _: (_ for _ in ()).throw(RuntimeError("killed")), lambda: False)
    run(config, tmp_path, resume=True)
    assert [line["step"] for line in metrics(tmp_path)] == [1, 2, 3, 4, 5, 6]


def test_pictures_of_routes_reach_tensorboard(tmp_path):
    run(small_config(), tmp_path)
    events = b"".join(file.read_bytes() for file in (tmp_path / "tensorboard").iterdir())
    assert b"routes/n5" in events
    assert b"\x89PNG" in events
