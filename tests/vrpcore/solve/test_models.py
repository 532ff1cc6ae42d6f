import shutil
from pathlib import Path

import pytest

from tests.vrpcore.solve.doubles import problems
from vrpcore.errors import DeviceError, ModelError
from vrpcore.learn import torch_backend as torch_backend_module
from vrpcore.learn.torch_backend import TorchBackend
from vrpcore.solve import models
from vrpcore.solve import onnx_backend as onnx_backend_module
from vrpcore.solve.construct import construct
from vrpcore.solve.models import checkpoint_path, open_backend, shipped_models
from vrpcore.solve.solve_options import SolveOptions


def with_cuda(monkeypatch, reason=None):
    """As if the driver had a device, which PyTorch can use unless there is a reason."""
    monkeypatch.setattr(models, "cuda_device_count", lambda: 1)
    monkeypatch.setattr(models, "why_not_torch", lambda: reason)


def test_the_shipped_models_are_those_of_their_cards():
    found = shipped_models()
    assert "base" in found
    for name, model in found.items():
        info = open_backend(name, "cpu").info
        assert (info.name, info.sha256, info.backend) == (name, model.sha256, "onnx")
        assert checkpoint_path(name) == model.checkpoint


def test_of_a_runs_folder_the_best_checkpoint_is_taken(tmp_path):
    with pytest.raises(ModelError, match=r"a folder without best\.pt; give a checkpoint or an exp"):
        open_backend(tmp_path, "cpu")
    shutil.copy(shipped_models()["small"].checkpoint, tmp_path / "best.pt")
    assert checkpoint_path(tmp_path) == tmp_path / "best.pt"
    assert open_backend(str(tmp_path), "cpu").info.sha256 == shipped_models()["small"].sha256


def test_another_file_in_the_place_of_a_shipped_one_is_refused(monkeypatch):
    card = shipped_models()["base"]._replace(sha256="f" * 64)
    monkeypatch.setattr(models, "shipped_models", lambda: {"base": card})
    backend = open_backend(None, "cpu")
    with pytest.raises(ModelError, match=r"base\.onnx: does not match its model card; reinstall"):
        construct(problems([5]), backend, SolveOptions())


def test_a_shipped_model_tells_of_itself_before_it_is_opened():
    backend = open_backend(None, "cpu")
    opened = open_backend(str(shipped_models()["base"].onnx), "cpu")
    assert backend.info == opened.info


@pytest.mark.parametrize("name", [None, "variants"])
def test_on_a_device_a_shipped_model_is_opened_when_it_is_asked(monkeypatch, name):
    """By a stand-in: PyTorch, on the CPU."""
    opened = []

    def torch_backend(path, device, *, scripted, own):
        assert own == ()
        opened.append((path.name, device, scripted))
        return TorchBackend(path, "cpu", scripted=scripted)

    with_cuda(monkeypatch)
    monkeypatch.setattr(torch_backend_module, "TorchBackend", torch_backend)
    backend = open_backend(name)
    assert (backend.info.backend, backend.info.device) == ("torch", "cuda")
    assert backend.tune() == "" and not opened
    asked = backend if name is None else backend.variants
    found = construct(problems([5]), asked, SolveOptions(improve="none"))
    assert len(found) == 1 and asked.tune() == ""
    assert opened == [(f"{name or 'base'}.pt", "cuda", False)]
    real = TorchBackend(checkpoint_path(name), "cpu", scripted=False).info
    assert asked.info._replace(device="cpu") == real


def test_the_default_models_wait_for_the_same_device(monkeypatch):
    with_cuda(monkeypatch)
    assert open_backend(None).variants.info.device == "cuda"
    assert open_backend(None, "cpu").variants.info.device == "cpu"


def test_a_path_is_no_name():
    path = shipped_models()["small"].onnx
    assert open_backend(path, "cpu").info == open_backend(str(path), "cpu").info
    assert checkpoint_path(Path("base")) == Path("base")
    with pytest.raises(ModelError, match=r"^model: 3, expected a shipped name or a path$"):
        open_backend(3, "cpu")


def test_names_that_are_neither_shipped_nor_a_path():
    with pytest.raises(ModelError, match=r"model 'tiny' is not shipped \(base.*its path"):
        open_backend("tiny", "cpu")


def test_by_default_a_device_that_pytorch_cannot_use_is_left_alone(monkeypatch):
    with_cuda(monkeypatch, "PyTorch was built without CUDA")
    backend = open_backend(None)
    assert (backend.info.backend, backend.info.device) == ("onnx", "cpu")
    assert backend.variants.info.device == "cpu"
    assert open_backend(None, "cuda").info.device == "cuda"


def test_by_default_a_file_runs_where_it_can(monkeypatch):
    """A driver without what ONNX Runtime or PyTorch need to use it."""
    with_cuda(monkeypatch)

    def refuse(_, device, **__):
        raise DeviceError(f"no {device}")

    for path in (shipped_models()["small"].onnx, shipped_models()["small"].checkpoint):
        assert open_backend(str(path), "cpu").info.device == "cpu"
    for name, module in (("onnx", onnx_backend_module), ("pt", torch_backend_module)):
        kind = "OnnxBackend" if name == "onnx" else "TorchBackend"
        real = getattr(module, kind)
        monkeypatch.setattr(
            module,
            kind,
            lambda path, device, real=real, **how: (
                real(path, device, **how) if device == "cpu" else refuse(path, device)
            ),
        )
        path = str(shipped_models()["small"].onnx.with_suffix(f".{name}"))
        assert open_backend(path).info.device == "cpu"
        with pytest.raises(DeviceError, match="no cuda"):
            open_backend(path, "cuda")


@pytest.mark.parametrize("device", ["tpu", "cpu:1", "cuda:x", "cuda:", "cuda:\u00b2", ""])
def test_devices(device):
    with pytest.raises(DeviceError, match="is not auto, cpu, cuda or cuda:N"):
        open_backend("base", device)
