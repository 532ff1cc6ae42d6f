import dataclasses
import json
from itertools import pairwise

import numpy as np
import pytest
import torch

from tests.vrpcore.learn.train.runs import CPU, check_same_policy, metrics, run, small_config
from tests.vrpcore.variants import labelled, variant_config
from vrpcore.config.sections import DataConfig, ProblemConfig
from vrpcore.errors import ConfigError, MissingLibraryError, VrpError
from vrpcore.learn.policy.checkpoint import load_checkpoint, policy_from_checkpoint
from vrpcore.learn.policy.policy import Policy
from vrpcore.learn.train import trainer as trainer_module
from vrpcore.learn.train import training_library
from vrpcore.learn.train.distributed import World
from vrpcore.learn.train.label_files import write_labels
from vrpcore.learn.train.trainer import Trainer
from vrpcore.learn.train.two_phase import TwoPhaseLearner
from vrpcore.learn.train.weights import resumed_config


def labels_file(path, count=40, size=6):
    rng = np.random.default_rng(0)
    tour = np.zeros((count, 9), np.uint8)
    tour[:, :3], tour[:, 4:7] = [1, 2, 3], [4, 5, 6]
    demand = np.full((count, size + 1), 3)
    demand[:, 0] = 0
    np.savez(path, coords=rng.random((count, size + 1, 2)).astype(np.float32), demand=demand,
             capacity=9, tour=tour, cost=np.full(count, 3.0))  # fmt: skip
    return str(path)


def test_a_run_folder(tmp_path, drawn):
    _, outcome = run(small_config(), tmp_path)
    assert outcome.finished
    assert outcome.steps == 6
    lines = metrics(tmp_path)
    logged = [line for line in lines if "loss" in line]
    assert [line["step"] for line in logged] == [1, 2, 3, 4, 5, 6]
    assert logged[-1]["instances"] == 48
    for name in ("seconds", "instances_per_second", "cost", "learning_rate", "peak_memory_mb"):
        assert logged[-1][name] > 0
    assert [line["step"] for line in lines if "validation_cost" in line] == [3, 6]  # none twice
    assert json.loads((tmp_path / "environment.json").read_text())["compile_reason"]
    assert drawn == [tmp_path]
    for name in ("config.yaml", "last.pt", "best.pt"):
        assert (tmp_path / name).exists()
    content = load_checkpoint(tmp_path / "best.pt")
    assert content["train_sizes"] == [5, 7]


@pytest.mark.parametrize(("ema_decay", "log_every"), [(0.0, 1), (0.5, 3)])
def test_resumed_equals_uninterrupted(tmp_path, ema_decay, log_every):
    config = small_config(ema_decay=ema_decay, log_every=log_every)
    run(config, tmp_path / "whole")
    run(config, tmp_path / "parts", stop_after=4)
    resumed, _ = resumed_config(tmp_path / "parts", {})
    assert resumed == config
    run(resumed, tmp_path / "parts", resume=True)
    check_same_policy(tmp_path / "whole", tmp_path / "parts")
    timeless = ("seconds", "instances_per_second", "peak_memory_mb")
    lines = [
        [{key: line[key] for key in line if key not in timeless} for line in metrics(folder)]
        for folder in (tmp_path / "whole", tmp_path / "parts")
    ]
    assert lines[0] == lines[1]


def test_resume_cuts_metrics_after_the_checkpoint(tmp_path):
    run(small_config(), tmp_path, stop_after=4)
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"step": 5, "loss": 9}\n{"step": 6, "lo')
    run(small_config(), tmp_path, resume=True)
    assert [line["step"] for line in metrics(tmp_path) if "loss" in line] == [1, 2, 3, 4, 5, 6]


def test_imitation_learns(tmp_path):
    data = DataConfig(file=labels_file(tmp_path / "labels.npz"), holdout=8)
    config = small_config(
        data, objective="imitate", steps=60, learning_rate=3e-3, validate_every=60
    )
    run(config, tmp_path / "run")
    losses = [line["loss"] for line in metrics(tmp_path / "run") if "loss" in line]
    assert np.mean(losses[-10:]) < np.mean(losses[:10]) * 0.97
    assert "validation_gap/labels" in metrics(tmp_path / "run")[-1]


def test_without_the_library_a_cpu_trains_in_two_phases_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(training_library, "library_file", lambda: tmp_path / "none.so")
    trainer, _ = run(small_config(steps=2), tmp_path)
    assert isinstance(trainer.learner, TwoPhaseLearner)
    notes = [line.get("note", "") for line in metrics(tmp_path) if "loss" in line]
    assert "install a C++ compiler" in notes[0]
    assert not notes[1]
    with pytest.raises(MissingLibraryError, match="training step is missing"):
        Trainer(small_config(rollout="loop"), tmp_path / "other", CPU)


def test_init_takes_weights_only(tmp_path):
    run(small_config(), tmp_path / "first")
    trainer = Trainer(small_config(), tmp_path / "second", CPU)
    content = load_checkpoint(tmp_path / "first" / "last.pt")
    trainer.initialise(content, "first")
    assert trainer.step == 0
    for name, tensor in trainer.policy.state_dict().items():
        assert torch.equal(tensor, content["policy"][name])
    assert content["training"]["optimizer"]["muon"]["state"]
    assert not any(part["state"] for part in trainer.optimizer.state_dict().values())


def test_imitation_without_data_says_what_to_do(tmp_path):
    with pytest.raises(ConfigError, match="give --data FILE"):
        Trainer(small_config(objective="imitate"), tmp_path, CPU)


def test_time_limit_ends_the_run(tmp_path):
    _, outcome = run(small_config(steps=100_000, time_limit_s=1.0), tmp_path)
    assert outcome.finished
    assert outcome.steps < 100_000


def test_a_loss_that_is_not_finite_leaves_the_last_checkpoint(tmp_path):
    run(small_config(), tmp_path)
    before = (tmp_path / "last.pt").read_bytes()
    trainer = Trainer(small_config(steps=20, validate_every=0), tmp_path, CPU)
    trainer.resume()
    with torch.no_grad():
        trainer.policy.decoder.room.fill_(float("nan"))
    with pytest.raises(VrpError, match="after 9 skipped steps; the last good checkpoint is kept"):
        trainer.run(lambda _: None, lambda: False)
    assert (tmp_path / "last.pt").read_bytes() == before


def after_steps(trainer, monkeypatch, steps, change):
    """Has a function change what is found in each of some steps, or the gradients."""
    learn = trainer.learner.reinforce

    def learned(batch, seed, comparison):
        found = learn(batch, seed, comparison)
        return change(found) if trainer.step in steps else found

    monkeypatch.setattr(trainer.learner, "reinforce", learned)


def without_numbers(found):
    return found._replace(loss=float("nan"))


def steep(trainer):
    """Makes a gradient infinite."""

    def change(found):
        trainer.policy.decoder.room.grad.fill_(float("inf"))
        return found

    return change


def test_a_gradient_that_is_not_finite_costs_one_step(tmp_path, monkeypatch):
    trainer = Trainer(small_config(), tmp_path, CPU)
    notes, before = [], {}

    def noted(progress):
        notes.append(progress.note)
        before[progress.step] = trainer.policy.decoder.room.detach().clone()

    after_steps(trainer, monkeypatch, [2], steep(trainer))
    assert trainer.run(noted, lambda: False).finished
    assert notes[2].startswith("step 2 skipped: the loss is ")
    assert notes[2].endswith("the norm of its gradient inf")
    assert [bool(note) for note in notes] == [False, False, True, False, False, False]
    assert torch.equal(before[2], before[3])
    assert not torch.equal(before[3], before[4])
    lines = [line for line in metrics(tmp_path) if "skipped_steps" in line]
    assert [line["skipped_steps"] for line in lines] == [0, 0, 1, 1, 1, 1]
    assert "loss" not in lines[2]
    assert all(line["gradient_norm"] > 0 for line in lines if line["step"] != 3)


def test_an_accelerator_is_asked_for_norms_when_a_line_is_written(tmp_path, monkeypatch):
    data = DataConfig(num_workers=0, pin_memory=False)
    trainer = Trainer(small_config(data, log_every=3, validate_every=0), tmp_path, CPU)
    trainer.device = torch.device("cuda")  # it learns on the CPU all the same
    monkeypatch.setattr(trainer_module.machine, "peak_memory_mb", lambda _: 0.0)
    monkeypatch.setattr(trainer_module.machine, "describe_environment", lambda *_: {})
    waiting, rooms, notes = [], [], []

    def stop():
        waiting.append(len(trainer.unsettled))
        rooms.append(trainer.policy.decoder.room.detach().clone())
        return False

    after_steps(trainer, monkeypatch, [1], steep(trainer))
    trainer.run(lambda progress: notes.append(progress.note), stop)
    assert waiting == [0, 1, 2, 0, 1, 2]
    assert [torch.equal(*pair) for pair in pairwise(rooms)] == [False, True, False, False, False]
    assert notes[0].startswith("step 1 skipped: the loss is ")
    assert notes[0].endswith("the norm of its gradient inf")
    assert notes[1] == ""
    lines = [line for line in metrics(tmp_path) if "skipped_steps" in line]
    assert [line["skipped_steps"] for line in lines] == [1, 1]
    assert all(0 < line["gradient_norm"] < 1e6 for line in lines)


def test_norms_and_notes_of_some_steps_are_of_the_good_ones(tmp_path, monkeypatch):
    trainer = Trainer(small_config(log_every=6), tmp_path, CPU)
    notes = []
    after_steps(trainer, monkeypatch, [2, 5], without_numbers)
    trainer.run(lambda progress: notes.append(progress.note), lambda: False)
    assert [note.count("skipped: the loss is nan") for note in notes] == [2]
    (line,) = [line for line in metrics(tmp_path) if "gradient_norm" in line]
    assert 0 < line["gradient_norm"] < 1e6
    assert line["skipped_steps"] == 2


@pytest.mark.parametrize("changes", [
    {"baseline": "rollout"}, {"baseline": "ema"}, {"weight_decay": 0.5}, {"ema_decay": 0.9},
])  # fmt: skip
def test_a_run_goes_on_with_other_settings(tmp_path, changes):
    run(small_config(steps=3, ema_decay=0.0), tmp_path)
    trainer = Trainer(small_config(steps=5, **changes), tmp_path, CPU)
    trainer.resume()
    trainer.run(lambda _: None, lambda: False)
    assert trainer.step == 5
    assert trainer.best <= metrics(tmp_path)[2]["cost"] * 2
    if "weight_decay" in changes:
        states = trainer.optimizer.state_dict()
        groups = [group for part in states.values() for group in part["param_groups"]]
        assert {group["weight_decay"] for group in groups} == {0.5}
    if "ema_decay" in changes:
        averaged, raw = trainer.candidates().values()
        first = load_checkpoint(tmp_path / "last.pt")["training"]
        assert "average" in first
        assert float((averaged.decoder.room - raw.decoder.room).norm().detach()) < 1.0


@pytest.mark.parametrize(("size", "starts"), [(12, "auto"), ([5, 7], 3)])
def test_a_run_that_goes_on_with_other_instances_forgets_its_best(tmp_path, size, starts):
    run(small_config(steps=3), tmp_path)
    config = small_config(steps=6, starts=starts)
    problem = dataclasses.replace(config.problem, num_customers=size)
    trainer = Trainer(dataclasses.replace(config, problem=problem), tmp_path, CPU)
    trainer.resume()
    known = (trainer.step, trainer.best, trainer.waited, trainer.validated_step)
    assert known == (3, float("inf"), 0, -1)
    told = []
    trainer.run(lambda progress: told.append(progress.note), lambda: False)
    said = "validates on other instances than before, so the best so far is forgotten"
    assert [note for note in told if note] == [said]
    assert load_checkpoint(tmp_path / "best.pt")["training"]["step"] == 6


def test_a_run_of_bad_gradients_ends_with_the_last_good_checkpoint(tmp_path, monkeypatch):
    trainer = Trainer(small_config(steps=60, save_every=1), tmp_path, CPU)
    after_steps(trainer, monkeypatch, range(5, 60), without_numbers)
    with pytest.raises(VrpError, match=r"step 14: the loss is nan, .*, after 9 skipped steps; the"):
        trainer.run(lambda _: None, lambda: False)
    kept = load_checkpoint(tmp_path / "last.pt")["training"]
    assert (kept["step"], kept["skipped"]) == (14, 9)


def test_weights_that_give_no_numbers_are_not_saved(tmp_path):
    """They are finite themselves: one step with an absurd learning rate."""
    trainer = Trainer(small_config(learning_rate=1e30, save_every=1, warmup_steps=0), tmp_path, CPU)
    with pytest.raises(
        VrpError, match="step 1: the policy's numbers are not finite; the last good"
    ):
        trainer.run(lambda _: None, lambda: False)
    assert all(bool(torch.isfinite(part).all()) for part in trainer.policy.parameters())
    assert load_checkpoint(tmp_path / "last.pt")["training"]["step"] == 0


def test_a_resumed_run_counts_the_steps_that_were_skipped_in_a_row(tmp_path, monkeypatch):
    def stumbling():
        trainer = Trainer(small_config(steps=60, log_every=60), tmp_path, CPU)
        after_steps(trainer, monkeypatch, range(2, 60), without_numbers)
        return trainer

    trainer = stumbling()
    trainer.run(lambda _: None, lambda: trainer.step == 4)
    resumed = stumbling()
    resumed.resume()
    assert (resumed.skipped_in_a_row, len(resumed.window)) == (3, 2)
    with pytest.raises(VrpError, match=r"step 11: the loss is nan, .*, after 9 skipped steps"):
        resumed.run(lambda _: None, lambda: False)


def test_the_champion_is_challenged_on_what_training_reads(tmp_path):
    names = {}
    for mix in (0.0, 0.5, 1.0):
        data = DataConfig(file=labels_file(tmp_path / "own.npz"), holdout=8, mix=mix)
        trainer = Trainer(small_config(data, baseline="rollout"), tmp_path / "run", CPU)
        names[mix] = list(trainer.challenges)
    assert names == {0.0: ["n5", "n7"], 0.5: ["own", "n5", "n7"], 1.0: ["own"]}
    held, challenged = trainer.validation["own"].coords, trainer.challenges["own"].coords
    depots = [{tuple(row) for row in each[:, 0].tolist()} for each in (held, challenged)]
    assert not depots[0] & depots[1]
    assert Trainer(small_config(data), tmp_path / "run", CPU).challenges == {}


class Halves(World):
    """Processes that together find half of every cost."""

    def gathered(self, count, work):
        return super().gathered(count, work) / 2


class OneMore(World):
    """A process next to one that brings 1 to each sum."""

    def total(self, values):
        return [value + 1 for value in values]


def test_all_processes_decide_by_what_they_find_together(tmp_path):
    found = []
    for world in (World(), Halves()):
        trainer = Trainer(small_config(steps=3), tmp_path / type(world).__name__, CPU, world=world)
        found.append(trainer.run(lambda _: None, lambda: False).best)
    assert found[1] == pytest.approx(found[0] / 2)


def test_all_processes_end_where_one_cannot_save(tmp_path):
    trainer = Trainer(small_config(), tmp_path, CPU, world=OneMore())
    with pytest.raises(VrpError, match="step 0: the policy's numbers are not finite"):
        trainer.save("last.pt")
    assert not (tmp_path / "last.pt").exists()


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        ({"max_demand": 100}, "capacity: by_size, 30 for 20 customers, but uniform has demands of"),
        ({"capacity": 8}, "capacity: 8, but uniform has demands of up to 9; give a number of at"),
        ({"distribution": ["uniform", "xstyle"], "capacity": 50}, "50, but xstyle has demands of"),
    ],
)
def test_problems_that_no_vehicle_can_serve_are_refused_before_the_first_step(
    tmp_path, problem, message
):
    config = dataclasses.replace(small_config(), problem=ProblemConfig(**problem))
    with pytest.raises(ConfigError, match=message):
        Trainer(config, tmp_path, CPU)


def test_some_checkpoints_stay(tmp_path):
    run(small_config(keep_every=2), tmp_path)
    kept = sorted(file.name for file in tmp_path.glob("step-*.pt"))
    assert kept == ["step-0000002.pt", "step-0000004.pt", "step-0000006.pt"]
    assert load_checkpoint(tmp_path / kept[1])["training"]["step"] == 4


def test_the_better_of_raw_and_averaged_weights_is_kept(tmp_path):
    trainer = Trainer(small_config(ema_decay=0.9, steps=3), tmp_path, CPU)
    trainer.run(lambda _: None, lambda: False)
    (line,) = [line for line in metrics(tmp_path) if "kept" in line]
    figures = {kind: line[f"validation/{kind}"] for kind in ("averaged", "raw")}
    assert line["kept"] == min(figures, key=figures.get) == trainer.kept
    assert line["validation_cost"] == min(figures.values())
    expected = trainer.candidates()[line["kept"]].state_dict()
    found = load_checkpoint(tmp_path / "best.pt")["policy"]
    assert all(torch.equal(found[name], expected[name]) for name in found)


def test_short_runs_do_not_ship_the_random_weights_of_their_beginning(tmp_path):
    config = small_config(ema_decay=0.999, steps=40, batch_size=32, learning_rate=3e-3)
    trainer = Trainer(config, tmp_path, CPU)
    first = trainer.policy.decoder.room.detach().clone()
    trainer.run(lambda _: None, lambda: False)
    averaged, raw = (
        float((policy.decoder.room.detach() - first).norm())
        for policy in trainer.candidates().values()
    )
    assert averaged > 0.5 * raw > 0


def test_a_run_on_variants_and_its_checkpoint(tmp_path):
    outcome = Trainer(variant_config(), tmp_path, CPU).run(lambda _: None, lambda: False)
    assert outcome.finished
    policy = policy_from_checkpoint(load_checkpoint(tmp_path / "best.pt"), "best.pt")
    assert isinstance(policy, Policy)


def test_a_run_from_labels_of_variants_tells_gaps(tmp_path):
    write_labels(tmp_path / "v.npz", labelled())
    chosen = dataclasses.replace(
        variant_config(objective="imitate"),
        data=DataConfig(file=str(tmp_path / "v.npz"), holdout=6),
    )
    trainer = Trainer(chosen, tmp_path / "run", CPU)
    trainer.run(lambda _: None, lambda: False)
    assert 0 <= trainer.best < 1
    assert trainer.sizes == (8, 8)
