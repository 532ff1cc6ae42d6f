import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import vrpcore.learn.decode.accelerated as module
from tests.vrpcore.learn.decode.cases import SMALL, make_inputs, solve
from vrpcore.arrays.batch import Batch
from vrpcore.learn.decode.accelerated import AcceleratedRollout, _small_bucket, in_bucket
from vrpcore.learn.decode.rollout import build_rollout
from vrpcore.learn.policy.policy import build_policy


def host_batch(inputs):
    """The batch, first customers and random streams of test inputs, in NumPy."""
    coords, demand, capacity, valid, starts = (part.numpy() for part in inputs)
    batch = Batch(coords_unit=coords, demand=demand, capacity=capacity, valid=valid)
    return batch, starts, np.arange(len(starts))


def solved(rollout):
    """The tours of an instance of four customers."""
    batch, starts, seed = host_batch(make_inputs(1, [4], 5))
    return rollout.construct(batch, starts, 0.0, seed)


@pytest.fixture(scope="module")
def policy():
    return build_policy(SMALL, 4).eval()


@pytest.fixture
def rollout(policy):
    return AcceleratedRollout(policy, "fp32")


@pytest.fixture
def pays(monkeypatch):
    """Compiling does so at once."""
    monkeypatch.setattr(module, "_PATIENCE_S", 0.0)


@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("sizes", [[1], [9, 5, 7], [17] * 5])
def test_padding_to_a_bucket_changes_no_tour(policy, sizes, temperature):
    inputs = make_inputs(3, sizes, max(sizes) + 1, starts=5)
    batch, starts, seed = host_batch(inputs)
    tours = AcceleratedRollout(policy, "fp32").construct(batch, starts, temperature, seed)
    expected = solve(build_rollout(policy), inputs, temperature).numpy()
    used = tours.shape[2]
    assert np.array_equal(tours, expected[:, :, :used])
    assert not expected[:, :, used:].any()


def test_no_two_sizes_of_the_batch_to_compile_on_are_alike():
    batch, starts, _ = _small_bucket(variants=False)
    width, heads = 128, 8
    assert len({*batch.valid.shape, starts.shape[1], width, heads, width // heads}) == 6


@given(st.integers(1, 300), st.integers(2, 600), st.integers(1, 120))
def test_buckets_are_few_and_hardly_larger(rows, num_nodes, num_starts):
    batch = Batch(
        coords_unit=np.ones((rows, num_nodes, 2), np.float32),
        demand=np.ones((rows, num_nodes), np.float32),
        capacity=np.ones(rows, np.float32),
        valid=np.ones((rows, num_nodes), np.bool_),
    )
    starts, seed = np.ones((rows, num_starts), np.int64), np.arange(rows)
    padded, more_starts, more_seed = in_bucket(batch, starts, seed)
    more_rows, more_nodes = padded.valid.shape
    assert rows <= more_rows < max(3, 2 * rows)
    assert (more_rows & (more_rows - 1)) == 0
    assert num_nodes <= more_nodes < max(num_nodes + 8, 1.13 * num_nodes)
    assert num_starts <= more_starts.shape[1] < num_starts + 8
    assert more_starts.shape[1] % 8 == 0
    assert padded.coords_unit.shape == (more_rows, more_nodes, 2)
    assert padded.demand.shape == (more_rows, more_nodes)
    assert padded.capacity.shape == more_seed.shape == (more_rows,)
    assert padded.valid.sum() == more_rows * num_nodes


def test_threads_get_their_own_answers(rollout):
    batches = [host_batch(make_inputs(seed, [8, 6], 9)) for seed in range(12)]

    def work(number):
        batch, starts, seed = batches[number]
        return rollout.construct(batch, starts, 0.0, seed)

    alone = [work(number) for number in range(12)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(work, range(12)))
    assert all(np.array_equal(one, other) for one, other in zip(alone, together, strict=True))


def test_without_memory_recorded_shapes_are_given_up(rollout, monkeypatch):
    forgotten = []

    steps = rollout._eager.rollout
    construct = steps.construct

    def scarce(*arguments):
        if len(forgotten) < needed:
            raise torch.OutOfMemoryError("no memory")
        return construct(*arguments)

    monkeypatch.setattr(steps, "construct", scarce)
    monkeypatch.setattr(steps, "forget", lambda: forgotten.append(True))
    needed = 9
    with pytest.raises(torch.OutOfMemoryError):
        solved(rollout)
    assert forgotten == [True]
    needed = 2
    assert solved(rollout).any()
    assert forgotten == [True, True]


def test_compiling_waits_until_it_pays(rollout, monkeypatch):
    compiled = []
    monkeypatch.setattr(torch, "compile", lambda work, **_: compiled.append(work) or work)
    before = solved(rollout)
    assert not rollout.compile_when_it_pays()
    assert not compiled
    monkeypatch.setattr(module, "_PATIENCE_S", 0.0)
    assert rollout.compile_when_it_pays()
    assert not rollout.compile_when_it_pays()  # once
    assert len(compiled) == 2
    assert np.array_equal(solved(rollout), before)


def broken(error):
    def fail(*_, **__):
        raise error

    return fail


COMPILER = torch._dynamo.exc.TorchDynamoException
OTHERS = {
    "an illegal access": torch.AcceleratorError("an illegal access"),
    "sizes differ": RuntimeError("sizes differ"),
    "no such node": IndexError("no such node"),
}


@pytest.mark.parametrize("error", [COMPILER("no compiler"), MemoryError("no room")])
@pytest.mark.usefixtures("pays")
def test_where_nothing_compiles_it_goes_on_as_before(rollout, monkeypatch, error):
    monkeypatch.setattr(torch, "compile", lambda *_, **__: broken(error))
    with pytest.warns(UserWarning, match=f"compiled code failed, .*: {error}"):
        assert not rollout.compile_when_it_pays()
    assert not rollout.compile_when_it_pays()  # asked once
    assert solved(rollout).any()


class CompileOnce:
    """Stands in for `torch.compile` of an encoder, and fails behind the batch to try."""

    def __init__(self, policy, error):
        self.policy, self.error, self.calls = policy, error, 0

    def __call__(self, work, **_):
        def run(*args):
            self.calls += 1
            if self.calls > 1:
                raise self.error
            return work(*args)

        return run if work == self.policy.encode else work


@pytest.mark.usefixtures("pays")
def test_a_shape_that_does_not_compile_later_ends_no_solve(policy, rollout, monkeypatch):
    compiler = CompileOnce(policy, COMPILER("no code for this shape"))
    monkeypatch.setattr(torch, "compile", compiler)
    before = solved(rollout)
    assert rollout.compile_when_it_pays()
    with pytest.warns(UserWarning, match="continuing without it: no code for this shape"):
        assert np.array_equal(solved(rollout), before)
    assert np.array_equal(solved(rollout), before)
    assert compiler.calls == 2  # the compiled one was asked once more, and never again


@pytest.mark.parametrize("words", OTHERS)
@pytest.mark.usefixtures("pays")
def test_what_compiled_code_raises_is_not_its_compilers(policy, rollout, monkeypatch, words):
    """Neither data that are wrong nor a device that is gone is better without a compiler."""
    monkeypatch.setattr(torch, "compile", CompileOnce(policy, OTHERS[words]))
    assert rollout.compile_when_it_pays()
    with pytest.raises(type(OTHERS[words]), match=words):
        solved(rollout)
    monkeypatch.setattr(torch, "compile", lambda *_, **__: broken(OTHERS[words]))
    with pytest.raises(type(OTHERS[words]), match=words):
        AcceleratedRollout(policy, "fp32").compile_when_it_pays()


def test_an_error_of_the_device_is_raised(rollout, monkeypatch):
    monkeypatch.setattr(rollout._eager, "encode", broken(RuntimeError("an illegal access")))
    with pytest.raises(RuntimeError, match="an illegal access"):
        solved(rollout)


@pytest.mark.usefixtures("pays")
def test_nobody_waits_for_a_compiler(policy, rollout, monkeypatch):
    """Neither while it is tried nor while it makes code for a batch of a new kind."""
    begun, go_on = threading.Event(), threading.Event()

    def compiled(work, **_):
        def run(*args):
            begun.set()
            assert go_on.wait(30)
            return work(*args)

        return run if work == policy.encode else work

    monkeypatch.setattr(torch, "compile", compiled)
    expected = solved(rollout)
    tries = (
        (rollout.compile_when_it_pays, lambda found: found is True),
        (partial(solved, rollout), partial(np.array_equal, expected)),
    )
    with ThreadPoolExecutor(2) as pool:
        for compiles, right in tries:
            begun.clear(), go_on.clear()
            waits = pool.submit(compiles)
            try:
                assert begun.wait(30)
                met = pool.submit(solved, rollout)
                assert np.array_equal(met.result(10), expected)
                assert not waits.done()
                assert not rollout._eager.rollout.records  # a device in use by a compiler
            finally:
                go_on.set()
            assert right(waits.result(10))
    begun.clear()
    assert np.array_equal(solved(rollout), expected)
    assert begun.is_set()  # by compiled code again


@pytest.mark.gpu
def test_on_the_device_costs_are_those_of_the_host():
    policy = build_policy(SMALL, 4).eval()
    rollout = AcceleratedRollout(build_policy(SMALL, 4).eval().cuda(), "fp32")
    inputs = make_inputs(5, [30] * 40, 31, starts=10)
    batch, starts, seed = host_batch(inputs)
    tours = rollout.construct(batch, starts, 0.0, seed)
    expected = solve(build_rollout(policy), inputs).numpy()
    length = min(tours.shape[2], expected.shape[2])
    assert not tours[:, :, length:].any()
    same = (tours[:, :, :length] == expected[:, :, :length]).all(2).mean()
    assert same > 0.8  # TF32 decides some near-ties otherwise
