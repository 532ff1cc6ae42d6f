import numpy as np
import onnxruntime
import pytest
import torch
from google.protobuf import text_format
from tritonclient.grpc.model_config_pb2 import DataType, ModelConfig

from tests.export.models import Told, small_policy
from vrpcore.errors import OutputError
from vrpcore.export import triton
from vrpcore.export.manifest import ModelSource
from vrpcore.export.signature import example_inputs
from vrpcore.export.triton import export_triton
from vrpcore.learn.decode.rollout import build_rollout
from vrpcore.solve.backend import FORMAT, content_digest

METADATA = {
    "format": "vrp-policy/1", "name": 'a "name"', "sha256": "0" * 64,
    "train_sizes": "[5, 9]", "version": "0",
}  # fmt: skip


@pytest.fixture(scope="module")
def source():
    return ModelSource(policy=small_policy(5), metadata=METADATA)


@pytest.fixture(scope="module")
def repository(few_sizes, source, tmp_path_factory):
    folder = tmp_path_factory.mktemp("triton")
    told = Told()
    assert export_triton(source, folder / "made", "small", told).identical >= 0.99
    first, second, proof, last = told.names
    assert (first, second) == ("converting to ONNX", "writing")
    assert (proof, last) == ("proving on 640 tours", "fixing temperature and seeds")
    return folder / "made"


def test_the_config_fits_the_published_schema_and_the_model(repository):
    config = ModelConfig()
    text_format.Parse((repository / "small" / "config.pbtxt").read_text(), config)
    assert config.name == "small"
    assert config.max_batch_size > 1
    assert config.HasField("dynamic_batching")
    assert config.parameters["sha256"].string_value == "0" * 64
    assert config.parameters["name"].string_value == 'a "name"'
    session = onnxruntime.InferenceSession(repository / "small" / "1" / "model.onnx")
    kinds = {
        "TYPE_FP32": "tensor(float)",
        "TYPE_BOOL": "tensor(bool)",
        "TYPE_INT64": "tensor(int64)",
    }
    for described, found in (
        (config.input, session.get_inputs()),
        (config.output, session.get_outputs()),
    ):
        assert [part.name for part in described] == [part.name for part in found]
        for part, real in zip(described, found, strict=True):
            shape = part.reshape.shape if part.HasField("reshape") else part.dims
            assert len(shape) + 1 == len(real.shape), part.name  # Triton adds the batch
            assert kinds[DataType.Name(part.data_type)] == real.type


def test_a_folder_of_variants_fits_its_model(exported_variants, tmp_path):
    assert export_triton(exported_variants.source, tmp_path, "many").identical >= 0.99
    config = ModelConfig()
    text_format.Parse((tmp_path / "many" / "config.pbtxt").read_text(), config)
    session = onnxruntime.InferenceSession(tmp_path / "many" / "1" / "model.onnx")
    names = [part.name for part in session.get_inputs()]
    assert [part.name for part in config.input] == names
    readme = (tmp_path / "many" / "README.md").read_text()
    assert all(f"| `{name}` |" in readme for name in names)


def test_the_model_states_its_own_digest(repository):
    path = repository / "small" / "1" / "model.onnx"
    said = onnxruntime.InferenceSession(path).get_modelmeta().custom_metadata_map
    assert {key: said[key] for key in METADATA} == METADATA
    assert content_digest(path.read_bytes(), said["digest"]) == said["digest"]


def test_the_model_is_the_greedy_policy(repository):
    session = onnxruntime.InferenceSession(repository / "small" / "1" / "model.onnx")
    inputs = example_inputs(FORMAT, 3, 11)
    names = ("coords", "demand", "capacity", "valid", "starts")
    feeds = {name: inputs[name].numpy() for name in names}
    (tours,) = session.run(None, feeds)
    with torch.no_grad():
        expected = build_rollout(small_policy(5))(*inputs.values())
    assert np.array_equal(tours, expected.numpy())


def test_the_readme_shows_how_to_start_it(repository):
    text = (repository / "small" / "README.md").read_text()
    assert "tritonserver --model-repository=/models" in text
    assert "/v2/models/small/infer" in text


def test_a_readme_that_was_edited_stays(source, tmp_path, monkeypatch):
    monkeypatch.setattr(triton, "_write_greedy", lambda *_: None)
    export_triton(source, tmp_path, "small")
    readme = tmp_path / "small" / "README.md"
    readme.write_text("ours")
    (tmp_path / "README.md").write_text("of the repository")
    (tmp_path / "small" / "config.pbtxt").write_text("old")
    export_triton(source, tmp_path, "small")
    export_triton(source, tmp_path, "other")
    assert readme.read_text() == "ours"
    assert (tmp_path / "README.md").read_text() == "of the repository"
    assert (tmp_path / "small" / "config.pbtxt").read_text() != "old"
    assert "# other for Triton" in (tmp_path / "other" / "README.md").read_text()


def test_a_folder_that_cannot_be_written_is_reported(source, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written"):
        export_triton(source, tmp_path / "file" / "made", "small")


def test_a_server_sees_no_model_that_is_not_finished(source, tmp_path, monkeypatch):
    (tmp_path / "small" / "1").mkdir(parents=True)
    model = tmp_path / "small" / "1" / "model.onnx"
    model.write_text("the one before")

    def full(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr(triton, "write_model", full)
    with pytest.raises(OutputError, match="cannot be written: No space left"):
        export_triton(source, tmp_path, "small")
    assert [path.name for path in model.parent.iterdir()] == ["model.onnx"]
    assert model.read_text() == "the one before"
