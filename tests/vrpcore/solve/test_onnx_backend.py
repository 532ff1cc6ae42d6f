import numpy as np
import onnx
import pytest

from tests.vrpcore.solve.doubles import problems
from vrpcore.arrays.batch import make_batch
from vrpcore.errors import DeviceError, ModelError, OutputError
from vrpcore.policy.checkpoint import load_checkpoint
from vrpcore.solve.accelerator import cuda_device_count
from vrpcore.solve.models import shipped_models
from vrpcore.solve.onnx_backend import OnnxBackend

MODEL = shipped_models()["small"]


@pytest.fixture(scope="module")
def backend():
    return OnnxBackend(MODEL.onnx, "cpu")


def construct(backend, sizes, starts, temperature=0.0):
    batch = make_batch(problems(sizes), 13)
    return backend.construct(batch, starts, temperature, np.arange(len(sizes)) * 77)


def test_one_customer_by_hand(backend):
    tours = construct(backend, [1, 1], np.array([[1, 0], [1, 0]]))
    assert tours.shape == (2, 2, 26)
    assert tours[0, :, :3].tolist() == tours[1, :, :3].tolist() == [[1, 0, 0], [0, 1, 0]]
    assert not tours[:, :, 3:].any()


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_neighbours_in_a_batch_change_nothing(backend, temperature):
    starts = np.array([[1, 5], [1, 2], [6, 7]])
    tours = construct(backend, [9, 4, 12], starts, temperature)
    batch = make_batch(problems([9, 4, 12]), 13)
    for row in range(3):
        alone = type(batch)(*(part[row : row + 1] for part in batch))
        found = backend.construct(alone, starts[row : row + 1], temperature, np.array([row * 77]))
        assert np.array_equal(found[0], tours[row])
    assert tours[:, :, 0].tolist() == starts.tolist()


def test_it_says_who_it_is(backend):
    assert (backend.info.name, backend.info.sha256) == ("small", MODEL.sha256)
    assert (backend.info.backend, backend.info.device) == ("onnx", "cpu")
    assert backend.tune() == ""


def test_files_that_cannot_be_used(tmp_path):
    with pytest.raises(OutputError, match=r"nowhere\.onnx: cannot be read"):
        OnnxBackend(tmp_path / "nowhere.onnx", "cpu")
    (tmp_path / "a.onnx").write_bytes(b"\x08nothing of the kind")
    with pytest.raises(ModelError, match=r"a\.onnx: ONNX Runtime cannot load it: \S"):
        OnnxBackend(tmp_path / "a.onnx", "cpu")
    content = MODEL.onnx.read_bytes()
    weights = load_checkpoint(MODEL.checkpoint)["policy"].values()
    place = max(content.find(weight.numpy().tobytes()) for weight in weights)
    changed = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
    (tmp_path / "b.onnx").write_bytes(changed)
    with pytest.raises(ModelError, match=r"b\.onnx: has been changed since its export"):
        OnnxBackend(tmp_path / "b.onnx", "cpu")


def test_a_foreign_onnx_file_is_refused(tmp_path):
    node = onnx.helper.make_node("Identity", ["x"], ["y"])
    kind = onnx.TensorProto.FLOAT
    graph = onnx.helper.make_graph(
        [node],
        "g",
        [onnx.helper.make_tensor_value_info("x", kind, [1])],
        [onnx.helper.make_tensor_value_info("y", kind, [1])],
    )
    opset = onnx.helper.make_opsetid("", 20)
    onnx.save(
        onnx.helper.make_model(graph, opset_imports=[opset], ir_version=10), tmp_path / "x.onnx"
    )
    with pytest.raises(ModelError, match=r"x\.onnx: not a model of this project \(format None"):
        OnnxBackend(tmp_path / "x.onnx", "cpu")


def test_a_device_that_is_not_there_is_not_replaced_by_another():
    if cuda_device_count():
        pytest.skip("there is one")
    with pytest.raises(DeviceError, match="ONNX Runtime cannot use cuda here; use --device cpu"):
        OnnxBackend(MODEL.onnx, "cuda")


def test_a_batch_that_the_model_cannot_take(backend):
    with pytest.raises(ModelError, match=r"small: ONNX Runtime: .*expected: .*int64"):
        construct(backend, [9], np.ones((1, 2), np.float32))
