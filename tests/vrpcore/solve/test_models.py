import dataclasses

import pytest

from tests.vrpcore.solve.doubles import problems
from vrpcore.errors import DeviceError, ModelError
from vrpcore.solve import models
from vrpcore.solve.construct import construct
from vrpcore.solve.models import checkpoint_path, open_backend, shipped_models
from vrpcore.solve.solve_options import SolveOptions


def test_the_shipped_models_are_those_of_their_cards():
    found = shipped_models()
    assert "base" in found
    for name, model in found.items():
        info = open_backend(name, "cpu").info
        assert (info.name, info.sha256, info.backend) == (name, model.sha256, "onnx")
        assert checkpoint_path(name) == model.checkpoint


def test_another_file_in_the_place_of_a_shipped_one_is_refused(monkeypatch):
    card = dataclasses.replace(shipped_models()["base"], sha256="f" * 64)
    monkeypatch.setattr(models, "shipped_models", lambda: {"base": card})
    backend = open_backend(None, "cpu")
    with pytest.raises(ModelError, match=r"base\.onnx: does not match its model card; reinstall"):
        construct(problems([5]), backend, SolveOptions())


def test_a_shipped_model_tells_of_itself_before_it_is_opened():
    backend = open_backend(None, "cpu")
    opened = open_backend(str(shipped_models()["base"].onnx), "cpu")
    assert backend.info == opened.info


def test_names_that_are_neither_shipped_nor_a_path():
    with pytest.raises(ModelError, match=r"model 'tiny' is not shipped \(base.*its path"):
        open_backend("tiny", "cpu")


@pytest.mark.parametrize("device", ["tpu", "cpu:1", "cuda:x", ""])
def test_devices(device):
    with pytest.raises(DeviceError, match="is not auto, cpu, cuda or cuda:N"):
        open_backend("base", device)
