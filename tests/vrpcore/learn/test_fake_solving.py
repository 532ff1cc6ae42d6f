"""Solving on a CUDA device that is not there: what crosses the bus, who waits, which streams."""

from pathlib import Path

import numpy as np
import pytest
import torch

from tests.vrpcore.learn.decode.cases import SMALL
from tests.vrpcore.learn.fake_device import RaceError, fake_cuda
from tests.vrpcore.variants import SMALL as SMALL_VARIANTS
from tests.vrpcore.variants import drawn
from vrpcore.arrays.batch import Batch, make_batch
from vrpcore.config.reader import config_tree
from vrpcore.config.sections import Config, ProblemConfig
from vrpcore.learn import torch_backend
from vrpcore.learn.decode import accelerated
from vrpcore.learn.decode.accelerated import AcceleratedRollout, in_bucket
from vrpcore.learn.device import uses_tf32
from vrpcore.learn.env.inputs import to_device
from vrpcore.learn.env.transfer import HostCopy, TourCopy
from vrpcore.learn.policy.policy import Policy

ROWS, NODES, STARTS = 3, 8, 5


@pytest.fixture
def device(monkeypatch):
    with fake_cuda(monkeypatch) as device:
        yield device


def batch(seed=0):
    """Small instances, first customers and random streams, in NumPy."""
    rng = np.random.default_rng(seed)
    demand = rng.integers(1, 9, (ROWS, NODES)).astype(np.float32)
    demand[:, 0] = 0
    instances = Batch(
        coords_unit=rng.random((ROWS, NODES, 2), np.float32),
        demand=demand,
        capacity=np.full(ROWS, 15, np.float32),
        valid=np.ones((ROWS, NODES), np.bool_),
    )
    return instances, 1 + rng.integers(0, NODES - 1, (ROWS, STARTS)), np.arange(ROWS)


@pytest.fixture
def backend(device, monkeypatch):
    """Opens a backend for a small policy on the device."""

    def opened(sizes):
        variants = ProblemConfig(variants="all" if sizes.variants else None)
        config = Config(policy=sizes, problem=variants)
        content = {"config": config_tree(config), "policy": Policy(sizes).state_dict()}
        content |= {"name": "mine", "train_sizes": [5, 50]}
        # Files are not read into fake tensors.
        monkeypatch.setattr(torch_backend, "load_checkpoint", lambda _: content)
        found = torch_backend.TorchBackend(Path("m.pt"), "cuda", scripted=False)
        device.copies.clear()
        return found

    return opened


def test_a_batch_goes_once_and_its_tours_come_once(device, backend):
    instances, starts, seed = batch()
    found = backend(SMALL)
    assert isinstance(found.rollout, AcceleratedRollout)
    device.answer = lambda shape, dtype: torch.full(shape, 3 if len(shape) else 0, dtype=dtype)
    tours = found.construct(instances, starts, 0.0, seed)
    assert (tours.shape[:2], tours.dtype) == ((ROWS, STARTS), np.int16)
    padded, more_starts, more_seed = in_bucket(instances, starts, seed)
    sent = sum(part.nbytes for part in (*padded, more_starts, more_seed))
    assert sum(copy.num_bytes for copy in device.to_device()) == sent
    assert len(device.to_device()) == 6
    flag, come = device.to_host()
    assert (flag.num_bytes, come.dtype) == (1, torch.int16)
    assert come.shape[:2] == more_starts.shape
    assert [copy for copy in device.copies if copy.waits] == []
    assert device.host_waits == 2  # one flag, read late, and the tours
    assert tours.shape[2] == min(come.shape[2], 2 * NODES)
    assert (tours == 3).all()


def test_what_the_device_worked_decides_when_it_compiles(device, backend, monkeypatch):
    """Not what giving it the work takes: by the clock of the host, next to nothing."""
    found = backend(SMALL)
    before = device.launches
    found.construct(*batch()[:2], 0.0, batch()[2])
    worked_s = (device.launches - before) / 1000  # one millisecond an operation
    monkeypatch.setattr(found.rollout, "_compile", lambda: True)
    for patience_s, expected in ((1.1 * worked_s, False), (0.9 * worked_s, True)):
        monkeypatch.setattr(accelerated, "_PATIENCE_S", patience_s)
        assert found.rollout.compile_when_it_pays() == expected


def test_a_flag_is_read_four_steps_after_it_was_asked_for(device, backend):
    """Two negative answers: two more rounds of four steps, and one flag for each."""
    answers = iter([1, 1, 0])
    device.answer = lambda shape, dtype: torch.full(
        shape, 0 if len(shape) else next(answers), dtype=dtype
    )
    instances, starts, seed = batch()
    backend(SMALL).construct(instances, starts, 0.0, seed)
    *flags, tours = device.to_host()
    assert [flag.num_bytes for flag in flags] == [1, 1, 1]
    assert device.host_waits == 3  # the last flag is never read: twice as many choices as nodes
    assert tours.shape[2] == 2 * NODES


@pytest.mark.parametrize("temperature", [0.0, pytest.param(1.0, marks=pytest.mark.slow)])
def test_a_shape_met_again_is_recorded_and_replayed(device, backend, temperature, monkeypatch):
    found = backend(SMALL)
    launches = []
    for seed in range(4):
        instances, starts, streams = batch(seed)
        before = device.launches
        found.construct(instances, starts, temperature, streams)
        launches.append(device.launches - before)
    # Step by step; tried twice, recorded and replayed; replayed.
    assert device.replays == 3 * 3
    assert launches[2] == launches[3] < launches[0] / 2 < launches[1]
    assert [copy for copy in device.copies if copy.waits] == []

    def full(*_):
        monkeypatch.setattr(accelerated, "to_device", to_device)
        raise torch.OutOfMemoryError

    monkeypatch.setattr(accelerated, "to_device", full)
    before = device.launches
    found.construct(*batch()[:2], temperature, streams)
    assert device.replays == 4 * 3
    assert device.launches - before > 2 * launches[3]  # graphs were given back: recorded again


def test_a_solve_leaves_its_callers_precision_alone(device, backend, monkeypatch):
    """TF32 is for the products of a solve, not for those of the program around it."""
    before = torch.get_float32_matmul_precision(), torch.backends.cudnn.benchmark
    assert before == ("highest", False)
    found = backend(SMALL)
    seen = []
    layer = found.rollout.policy.encoder.customer
    layer.register_forward_hook(lambda *_: seen.append(uses_tf32()))
    for compiled in (False, True):
        monkeypatch.setattr(accelerated, "_PATIENCE_S", 0.0 if compiled else 1e9)
        monkeypatch.setattr(torch, "compile", lambda work, **_: work)
        found.construct(*batch()[:2], 0.0, batch()[2])
        assert bool(found.tune()) == compiled
        assert (torch.get_float32_matmul_precision(), torch.backends.cudnn.benchmark) == before
    assert seen == [True] * 3


def test_products_of_a_solve_are_in_bfloat16_and_scores_in_float32(device, backend):
    seen = {}
    found = backend(SMALL)
    policy = found.rollout.policy
    policy.decoder.register_forward_hook(lambda *of: seen.update(logits=of[2].dtype))
    policy.encoder.customer.register_forward_hook(lambda *of: seen.update(embed=of[2].dtype))
    layer = policy.encoder.layers[0]
    layer.attention.inward.register_forward_hook(lambda *of: seen.update(inward=of[2].dtype))
    found.construct(*batch()[:2], 0.0, batch()[2])
    assert seen == {"logits": torch.float32, "embed": torch.float32, "inward": torch.bfloat16}


def test_variants_go_once_and_come_once(device, backend):
    instances = make_batch(drawn("mdovrptw", ROWS, 6), 9)
    starts = instances.num_depots[:, None] + np.arange(STARTS)
    tours = backend(SMALL_VARIANTS).construct(instances, starts, 1.0, np.arange(ROWS))
    assert [copy for copy in device.copies if copy.waits] == []
    flag, come = device.to_host()
    assert (flag.dtype, come.dtype) == (torch.bool, torch.int16)
    padded, more_starts, seeds = in_bucket(instances, starts, np.arange(ROWS))
    assert come.shape[:2] == more_starts.shape
    assert (tours.shape[:2], tours.dtype) == ((ROWS, STARTS), np.int16)
    assert tours.shape[2] <= 2 * instances.valid.shape[1] + 1
    sent = sum(part.nbytes for part in (*padded, more_starts, seeds))
    assert sum(copy.num_bytes for copy in device.to_device()) == sent
    assert device.host_waits == 2


def test_tours_are_16_bits_on_the_way(device):
    tours = torch.zeros(2, 3, 4, dtype=torch.int64, device="cuda")
    device.answer = lambda shape, dtype: torch.full(shape, 9, dtype=dtype)
    copy = TourCopy(tours)
    assert copy.num_bytes == 2 * 3 * 4 * 2
    assert copy.wait().dtype == np.int16
    assert (copy.wait() == 9).all()
    assert device.host_waits == 1  # only the first time


def test_inputs_are_what_the_policy_expects(device):
    instances, *_ = batch()
    there = to_device(instances, torch.device("cuda"))
    assert {part.device.type for part in there.columns} == {"cuda"}
    assert [part.dtype for part in there.columns] == [torch.float32] * 3 + [torch.bool]
    shapes = [part.shape for part in instances.columns]
    assert [tuple(part.shape) for part in there.columns] == shapes


# The same tests find what is planted in the product.


def test_a_copy_that_does_not_wait_for_what_computes_it(device, monkeypatch):
    there = torch.ones(3, device="cuda")
    stream = type(torch.cuda.current_stream())
    monkeypatch.setattr(stream, "wait_stream", lambda *_: None)
    with pytest.raises(RaceError, match="may still be writing"):
        HostCopy(there)


def test_inputs_that_are_used_before_they_are_there(device, backend, monkeypatch):
    found = backend(SMALL)
    stream = type(torch.cuda.current_stream())
    monkeypatch.setattr(stream, "wait_event", lambda *_: None)
    with pytest.raises(RaceError, match="may still be writing"):
        found.construct(*batch()[:2], 0.0, batch()[2])


def test_a_recording_that_does_not_wait_for_its_inputs(device, backend):
    found = backend(SMALL)
    found.construct(*batch()[:2], 0.0, batch()[2])

    def asks(*of):
        bool(of[2].any())

    found.rollout.policy.decoder.register_forward_hook(asks)
    device.questions = 1000
    with pytest.raises(RaceError, match="while a graph is recorded"):
        found.construct(*batch()[:2], 0.0, batch()[2])
    device.join_all()
