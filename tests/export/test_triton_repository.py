"""docs/serving/triton_repository.py, which makes a model repository for Triton."""

import numpy as np
import onnxruntime
import pytest
import torch
from google.protobuf import text_format
from tritonclient.grpc.model_config_pb2 import DataType, ModelConfig

from docs.serving.triton_repository import write_repository
from vrpcore.export.signature import example_inputs
from vrpcore.learn.decode.rollout import build_rollout
from vrpcore.solve.backend import content_digest


@pytest.fixture
def repository(either, tmp_path):
    return write_repository(either["onnx"], tmp_path)


def opened(repository):
    return onnxruntime.InferenceSession(repository / "1" / "model.onnx")


def test_the_config_fits_the_published_schema_and_the_model(either, repository):
    config = ModelConfig()
    text_format.Parse((repository / "config.pbtxt").read_text(), config)
    assert config.name == repository.name
    assert config.max_batch_size > 1
    assert config.HasField("dynamic_batching")
    for key, value in either.source.metadata.items():
        assert config.parameters[key].string_value == value
    session = opened(repository)
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


def test_the_model_states_its_own_digest(either, repository):
    said = opened(repository).get_modelmeta().custom_metadata_map
    assert either.source.metadata.items() <= said.items()
    content = (repository / "1" / "model.onnx").read_bytes()
    assert content_digest(content, said["digest"]) == said["digest"]


def test_the_model_is_the_greedy_policy(either, repository):
    inputs = example_inputs(either.source.metadata["format"], 3, 11)
    session = opened(repository)
    feeds = {part.name: inputs[part.name].numpy() for part in session.get_inputs()}
    (tours,) = session.run(None, feeds)
    with torch.no_grad():
        expected = build_rollout(either.source.policy)(*inputs.values())
    assert np.array_equal(tours, expected.numpy())
