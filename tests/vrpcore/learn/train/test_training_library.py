import numpy as np
import pytest
import torch

from tests.vrpcore.learn.decode.cases import SMALL
from tests.vrpcore.learn.train.cases import (
    STREAMS,
    learned,
    overloaded_batch,
    prepared,
    ragged_batch,
    random_batch,
)
from vrpcore.errors import MissingLibraryError
from vrpcore.learn.decode.rollout import build_rollout
from vrpcore.learn.policy.policy import build_policy
from vrpcore.learn.train import training_library
from vrpcore.learn.train.training_library import Step
from vrpcore.native.levels import PLAIN, WIDER


@pytest.mark.parametrize("batch", [random_batch(), random_batch(capacity=900), ragged_batch()])
def test_tours_are_the_rollouts(batch):
    policy = build_policy(SMALL, 3).eval()
    with torch.no_grad():
        inputs = batch.inputs
        expected = build_rollout(policy)(*inputs.columns, batch.starts, torch.ones([]), STREAMS)
    memory = prepared(policy, batch)
    Step().construct(memory, slice(0, len(batch.starts)))
    assert np.array_equal(memory.record.choice, expected.numpy())


def test_attention_far_below_the_best_stays_finite_and_meets_no_denormal_number():
    memory = prepared(build_policy(SMALL, 3).eval(), random_batch(), 500.0)
    assert torch.isfinite(learned(Step(), memory)).all()
    assert all(torch.isfinite(part).all() for part in memory.gradient)
    weight = memory.scratch[4]  # attention weights
    weight = weight[weight > 0]
    assert weight.min() > np.finfo(np.float32).tiny


@pytest.mark.parametrize(
    ("processor", "level", "library"),
    [
        *((name, "plain", PLAIN) for name in ("DEFAULT", "NO AVX", "SVE256")),
        *((name, name, library) for name, library in WIDER.items()),
    ],
)
def test_the_library_is_the_processors(monkeypatch, processor, level, library):
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: processor)
    assert training_library.level() == level
    assert training_library.library_file() == library.file


def test_a_tour_ends_where_no_customer_fits_and_cannot_be():
    batch = overloaded_batch()
    memory = prepared(build_policy(SMALL, 3).eval(), batch)
    assert torch.isneginf(learned(Step(), memory)).all()
    assert all(torch.isfinite(part).all() for part in memory.gradient)
    choice, fits = memory.record.choice, batch.inputs.demand <= 4
    for row in range(len(choice)):
        drawn = choice[row, :, 1:].unique().tolist()  # the first customer is given
        assert all(fits[row, node] for node in drawn)


def test_equal_memory_gives_equal_bits():
    policy, found = build_policy(SMALL, 3).eval(), []
    for _ in range(2):
        memory = prepared(policy, ragged_batch())
        found.append((learned(Step(), memory), *memory.gradient))
    for one, other in zip(*found, strict=True):
        assert np.array_equal(one, other)


def test_without_the_library_it_says_what_to_install(tmp_path):
    with pytest.raises(MissingLibraryError, match="the compiled training step is missing"):
        Step(tmp_path / "none.so")
