import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

import numpy as np
import pytest

from vrpcore.errors import MissingExtraError
from vrpcore.learn.train.trackers import open_trackers

SETTINGS = {"train": {"steps": 5}, "problem": {"num_customers": [5, 7]}}
PICTURE = np.zeros((4, 5, 3), np.uint8)


class Calls(ModuleType):
    """A module whose functions note their calls."""

    def __init__(self, name):
        super().__init__(name)
        self.__spec__ = ModuleSpec(name, None)
        self.calls = []

    def __getattr__(self, name):
        def call(*given, **named):
            self.calls.append((name, given, named))
            return self

        return call


@pytest.fixture
def service(monkeypatch):
    def install(name):
        module = Calls(name)
        monkeypatch.setitem(sys.modules, name, module)
        return module

    return install


def used(names, folder):
    """A tracker that was told something of each kind."""
    (tracker,) = open_trackers(names, folder, SETTINGS)
    tracker.log({"cost": 2.5}, 3)
    tracker.picture("routes/n5", PICTURE, 3)
    tracker.close()


def test_weights_and_biases(tmp_path, service):
    module = service("wandb")
    used(["wandb"], tmp_path / "mine")
    names = [name for name, _, _ in module.calls]
    assert names == ["init", "log", "Image", "log", "finish"]
    started = module.calls[0][2]
    assert (started["project"], started["name"], started["config"]) == ("vrp", "mine", SETTINGS)
    used(["wandb"], tmp_path / "elsewhere" / "mine")
    used(["wandb"], tmp_path / "mine")
    ids = [named["id"] for name, _, named in module.calls if name == "init"]
    assert ids[0] == ids[2] != ids[1]
    assert all(each.startswith("mine-") for each in ids)
    assert module.calls[1] == ("log", ({"cost": 2.5},), {"step": 3})
    assert list(module.calls[3][1][0]) == ["routes/n5"]


def test_mlflow(tmp_path, service):
    module = service("mlflow")
    used(["mlflow"], tmp_path / "mine")
    calls = {name: (given, named) for name, given, named in module.calls}
    assert calls["start_run"] == ((), {"run_name": "mine"})
    assert calls["log_params"][0] == ({"train.steps": 5, "problem.num_customers": [5, 7]},)
    assert calls["log_metrics"] == (({"cost": 2.5},), {"step": 3})
    assert calls["log_image"][0][1] == "routes/n5-3.png"
    assert [name for name, _, _ in module.calls][-1] == "end_run"


def test_tensorboard_by_name(tmp_path):
    used(["tensorboard"], tmp_path)
    assert list((tmp_path / "tensorboard").iterdir())


def test_what_is_named_must_be_there(tmp_path, monkeypatch):
    monkeypatch.setattr("vrpcore.errors.importlib.util.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"train\.trackers: wandb"):
        open_trackers(["wandb"], tmp_path, SETTINGS)
    assert open_trackers([], tmp_path, SETTINGS) == []
