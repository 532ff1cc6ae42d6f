import hashlib
from pathlib import Path

import numba
import numpy as np
import pytest
import torch

from tests.vrpcore.decode.test_rollout import SMALL
from tests.vrpcore.train.test_loop import STREAMS, ragged_batch, random_batch
from vrpcore.decode.rollout import Rollout
from vrpcore.decode.select import start_streams, uniform
from vrpcore.policy.policy import build_policy
from vrpcore.train import arrays, kernel, lanes, steps
from vrpcore.train.arrays import Arrays, Cases, Memory, make_record, make_scratch, padded
from vrpcore.train.tables import decoder_tables


def constructed(policy, batch, steep=1.0):
    """The memory behind the constructions."""
    inputs = batch.to_device(torch.device("cpu"))
    with torch.no_grad():
        cache = policy.encode(*inputs)
        cache = cache._replace(key=cache.key * steep)
        tables = decoder_tables(cache, policy.decoder.room)
    count, num_starts = batch.starts.shape
    num_nodes = batch.valid.shape[1]
    shape = (num_nodes, tables.near.shape[3], tables.value.shape[2])
    need = torch.where(inputs.valid, inputs.demand, np.inf).double()
    streams = start_streams(STREAMS, num_starts)
    cases = Cases(
        *(each.numpy() for each in (need, inputs.capacity.double(), batch.starts, streams))
    )
    flat = Arrays(*(table.view(-1).numpy() for table in tables))
    choice = np.zeros((count, num_starts, 2 * num_nodes), np.int64)
    gradient = Arrays(*(np.zeros_like(table) for table in flat))
    record, scratch = make_record(choice, shape), make_scratch(shape)
    memory = Memory(flat, gradient, cases, record, scratch, shape)
    kernel.construct(memory, (0, count))
    return memory


@pytest.mark.parametrize("batch", [random_batch(), random_batch(capacity=900), ragged_batch()])
def test_tours_are_the_rollouts(batch):
    policy = build_policy(SMALL, 3).eval()
    with torch.no_grad():
        inputs = batch.to_device(torch.device("cpu"))
        expected = Rollout(policy)(*inputs, batch.starts, torch.ones([]), STREAMS)
    assert np.array_equal(constructed(policy, batch).record.choice, expected.numpy())


def test_attention_far_below_the_best_stays_finite_and_meets_no_denormal_number():
    memory = constructed(build_policy(SMALL, 3).eval(), random_batch(), 500.0)
    factors = np.ones(memory.record.choice.shape[:2])
    loss = kernel.gradient(memory, (0, len(factors)), factors)
    assert np.isfinite(loss)
    assert all(np.isfinite(part).all() for part in memory.gradient)
    weight = memory.scratch.weight[memory.scratch.weight > 0]
    assert weight.min() > np.finfo(np.float32).tiny


@numba.njit
def each_function(one, other, found):
    a, b = lanes.load(one, 0), lanes.load(other, 0)
    lanes.store(found[0], 0, lanes.times(a, b))
    lanes.store(found[1], 0, lanes.minus(a, b))
    lanes.store(found[2], 0, lanes.over(a, b))
    lanes.store(found[3], 0, lanes.largest(a, b))
    lanes.store(found[4], 0, lanes.plus_product(a, b, lanes.spread(np.float32(3.0))))
    lanes.store(found[5], 0, lanes.exponential(a))
    return lanes.total(a)


def test_lanes_compute_as_numpy():
    rng = np.random.default_rng(1)
    one, other = rng.normal(size=(2, arrays.LANES)).astype(np.float32)
    found = np.zeros((6, arrays.LANES), np.float32)
    summed = each_function(one, other, found)
    expected = (one * other, one - other, one / other, np.maximum(one, other), one + 3 * other)
    assert np.allclose(found, [*expected, np.exp(one)], rtol=1e-6, atol=1e-7)
    assert summed == pytest.approx(one.sum(), rel=1e-5)


def test_exponentials_are_exact_to_a_few_bits_and_bounded():
    value = np.linspace(-59.9, 59.9, 4096).astype(np.float32)
    found = exponentials(value)
    assert np.abs(found / np.exp(value.astype(np.float64)) - 1).max() < 2e-7
    far = np.array([-1e9, -61, 61, 1e9] * 2, np.float32)
    assert exponentials(far) == pytest.approx(np.exp(np.clip(far, -60, 60)), rel=1e-5)


@numba.njit
def _exponentials(value, found):
    for index in range(0, len(value), 8):
        lanes.store(found, index, lanes.exponential(lanes.load(value, index)))


def exponentials(value):
    found = np.empty_like(value)
    _exponentials(value, found)
    return found


@numba.njit
def _drawn(stream, step):
    return kernel.uniform(stream, step)


def test_draws_are_those_of_solving():
    streams = start_streams(torch.arange(5), 3)
    for step in range(4):
        expected = uniform(streams, torch.tensor(step))
        for row in np.ndindex(5, 3):
            assert _drawn(int(streams[row]), step) == float(expected[row])


def test_what_numba_compiled_is_dropped_when_its_parts_change():
    digest = hashlib.sha256()
    for module in (arrays, lanes, steps):
        digest.update(Path(module.__file__).read_bytes())
    assert digest.hexdigest()[:8] == kernel.PARTS, "set PARTS in kernel.py"


def test_counts_are_rounded_up_to_whole_groups():
    assert [padded(count) for count in (1, 8, 9)] == [8, 8, 16]
