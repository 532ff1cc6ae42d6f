import numpy as np
import pytest
import torch

from tests.vrpcore.learn.decode.cases import SMALL, solve
from tests.vrpcore.solve.doubles import problems
from vrpcore.arrays.batch import make_batch
from vrpcore.config.reader import config_tree
from vrpcore.config.sections import Config
from vrpcore.errors import DeviceError, ModelError
from vrpcore.learn.decode.rollout import build_rollout
from vrpcore.learn.policy.checkpoint import save_checkpoint, weights_sha256
from vrpcore.learn.policy.policy import build_policy
from vrpcore.learn.torch_backend import TorchBackend

POLICY = build_policy(SMALL, 4).eval()
BATCH = make_batch(problems([9, 6, 9]), 12)
STARTS, SEED = np.array([[1, 0], [5, 2], [0, 9]]), np.array([3, 5, 8])


@pytest.fixture
def backend(tmp_path):
    content = {"config": config_tree(Config(policy=SMALL)), "policy": POLICY.state_dict()}
    save_checkpoint(tmp_path / "m.pt", {**content, "name": "mine", "train_sizes": [10, 50]})
    return TorchBackend(tmp_path / "m.pt", "cpu", scripted=False)


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_tours_are_those_of_the_policy(backend, temperature):
    found = backend.construct(BATCH, STARTS, temperature, SEED)
    inputs = [torch.from_numpy(part) for part in (*BATCH.columns, STARTS)]
    expected = solve(build_rollout(POLICY), inputs, temperature, torch.from_numpy(SEED))
    assert np.array_equal(found, expected.numpy())
    assert found.dtype == np.int64


def test_it_says_who_it_is(backend):
    info = backend.info
    assert (info.name, info.train_sizes, info.device) == ("mine", (10, 50), "cpu")
    assert info.sha256 == weights_sha256(POLICY.state_dict())
    assert backend.tune() == ""  # a CPU gains nothing by compiling


def test_a_device_that_is_lost(backend, monkeypatch):
    def lost(*_):
        raise torch.AcceleratorError("CUDA error: the launch timed out\nCompile with ...")

    monkeypatch.setattr(backend.rollout, "construct", lost)
    words = r"^cpu no longer responds: CUDA error: the launch timed out$"
    with pytest.raises(DeviceError, match=words):
        backend.construct(BATCH, STARTS, 0.0, SEED)


def test_what_is_no_torchscript(tmp_path):
    (tmp_path / "m.ts").write_bytes(b"nothing of the kind")
    with pytest.raises(ModelError, match=r"m\.ts: not a readable TorchScript file: \S"):
        TorchBackend(tmp_path / "m.ts", "cpu", scripted=True)


def test_an_operation_has_one_thread_and_the_host_keeps_its_own(backend):
    seen, construct = [], backend.rollout.construct

    def counting(*given):
        seen.append(torch.get_num_threads())
        return construct(*given)

    backend.rollout.construct = counting
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        backend.construct(BATCH, STARTS, 0.0, SEED)
        assert (seen, torch.get_num_threads()) == ([1], 3)
    finally:
        torch.set_num_threads(before)
