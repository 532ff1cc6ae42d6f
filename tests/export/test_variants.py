"""Exports of a policy of the variants: the same tours in every form, and in Triton's folder."""

import json

import numpy as np
import onnxruntime
import pytest
import torch
from google.protobuf import text_format
from tritonclient.grpc.model_config_pb2 import ModelConfig

from tests.vrpcore.variants import SMALL, random_policy
from vrpcore.config.reader import config_tree
from vrpcore.config.sections import Config, ProblemConfig
from vrpcore.decode.rollout import build_rollout
from vrpcore.errors import ModelError
from vrpcore.export import parity
from vrpcore.export.manifest import read_source
from vrpcore.export.onnx import example_inputs, export_onnx
from vrpcore.export.torchscript import export_torchscript
from vrpcore.export.triton import export_triton
from vrpcore.policy.checkpoint import save_checkpoint
from vrpcore.solve.backend import INPUT_NAMES, VARIANTS_FORMAT
from vrpcore.solve.models import open_backend


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("variants")
    config = Config(problem=ProblemConfig(variants="all"), policy=SMALL)
    content = {
        "name": "many", "version": "0", "config": config_tree(config), "train_sizes": [10, 50],
        "policy": random_policy(4).state_dict(),
    }  # fmt: skip
    save_checkpoint(folder / "many.pt", content)
    source = read_source(folder / "many.pt")
    export_onnx(source, folder / "many.onnx")
    export_torchscript(source, folder / "many.ts")
    return folder, source


@pytest.mark.parametrize("ending", ["onnx", "ts", "pt"])
def test_each_form_builds_the_policys_tours(exported, ending, monkeypatch):
    folder, source = exported
    monkeypatch.setattr(parity, "_SIZES", (10, 20))
    backend = open_backend(str(folder / f"many.{ending}"), "cpu")
    assert backend.info.format == VARIANTS_FORMAT
    assert backend.variants is backend
    result = parity.compare(source.policy, backend)
    result.require(ending)
    assert result.tours == 2 * 2 * 48 * 10


def test_the_file_describes_its_inputs_and_loads_without_a_warning(exported, capfd):
    session = onnxruntime.InferenceSession(exported[0] / "many.onnx")
    assert not capfd.readouterr().err
    said = session.get_modelmeta().custom_metadata_map
    assert said["format"] == VARIANTS_FORMAT
    names = [item.name for item in session.get_inputs()]
    assert list(json.loads(said["inputs"])) == names == list(INPUT_NAMES[VARIANTS_FORMAT])


@pytest.mark.parametrize(("batch_size", "num_nodes", "num_starts"), [(1, 3, 1), (5, 30, 3)])
def test_every_axis_is_free(exported, batch_size, num_nodes, num_starts):
    inputs = example_inputs(VARIANTS_FORMAT, batch_size, num_nodes, num_starts)
    session = onnxruntime.InferenceSession(exported[0] / "many.onnx")
    (tour,) = session.run(None, {name: part.numpy() for name, part in inputs.items()})
    assert tour.shape == (batch_size, num_starts, 2 * num_nodes + 1)
    with torch.no_grad():
        assert np.array_equal(tour, build_rollout(exported[1].policy)(*inputs.values()).numpy())


def test_tritons_folder_fits_the_model(exported, tmp_path):
    assert export_triton(exported[1], tmp_path, "many").identical >= 0.99
    config = ModelConfig()
    text_format.Parse((tmp_path / "many" / "config.pbtxt").read_text(), config)
    session = onnxruntime.InferenceSession(tmp_path / "many" / "1" / "model.onnx")
    names = [part.name for part in session.get_inputs()]
    assert [part.name for part in config.input] == names
    readme = (tmp_path / "README.md").read_text()
    assert all(f"| `{name}` |" in readme for name in names)


def test_other_inputs_under_this_format_are_refused(exported, tmp_path):
    import onnx

    model = onnx.load(exported[0] / "many.onnx")
    model.graph.input[4].name = "other"
    onnx.save(model, tmp_path / "other.onnx")
    with pytest.raises(ModelError):
        open_backend(str(tmp_path / "other.onnx"), "cpu")
