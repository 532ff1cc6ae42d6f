import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto
from onnx.helper import make_graph, make_model, make_node, make_sparse_tensor, make_tensor

from vrpcore.errors import ModelError
from vrpcore.solve.models import shipped_models
from vrpcore.solve.onnx_file import read_metadata


@pytest.mark.parametrize("name", shipped_models())
def test_metadata_are_those_of_onnx_runtime(name):
    content = shipped_models()[name].onnx.read_bytes()
    session = onnxruntime.InferenceSession(content)
    assert read_metadata(content, name) == session.get_modelmeta().custom_metadata_map


def _elsewhere(key="location"):
    tensor = make_tensor("w", TensorProto.FLOAT, [4], np.zeros(4, np.float32).tobytes(), raw=True)
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    entry = tensor.external_data.add()
    entry.key, entry.value = key, "w.bin"
    return tensor


def _constant(**attributes):
    return make_node("Constant", [], ["w"], **attributes)


def _graph(nodes=(), tensors=(), sparse=()):
    return make_graph(list(nodes), "g", [], [], list(tensors), sparse_initializer=list(sparse))


def _sparse():
    values = make_tensor("v", TensorProto.FLOAT, [1], [1.0])
    sparse = make_sparse_tensor(values, make_tensor("i", TensorProto.INT64, [1], [0]), [4])
    sparse.values.CopyFrom(_elsewhere())
    return sparse


GRAPHS = {
    "weights": _graph(tensors=[_elsewhere()]),
    "an address in memory": _graph(tensors=[_elsewhere("offset")]),
    "sparse weights": _graph(sparse=[_sparse()]),
    "a constant": _graph([_constant(value=_elsewhere())]),
    "a list of tensors": _graph([make_node("Odd", [], ["w"], domain="odd", all=[_elsewhere()])]),
    "the body of a loop": _graph(
        [make_node("Loop", ["", ""], [], body=_graph([_constant(value=_elsewhere())]))]
    ),
}


@pytest.mark.parametrize("where", GRAPHS)
def test_weights_in_another_file_are_refused_wherever_they_are(where):
    content = make_model(GRAPHS[where]).SerializeToString()
    with pytest.raises(ModelError, match=r"^m\.onnx: takes weights from another file, which is"):
        read_metadata(content, "m.onnx")


def test_weights_of_a_function_or_of_training_too():
    function = onnx.helper.make_function(
        "odd", "F", [], ["w"], [_constant(value=_elsewhere())], [onnx.helper.make_opsetid("", 20)]
    )
    training = make_model(_graph())
    training.training_info.add().algorithm.CopyFrom(GRAPHS["weights"])
    for model in (make_model(_graph(), functions=[function]), training):
        with pytest.raises(ModelError, match="takes weights from another file"):
            read_metadata(model.SerializeToString(), "m.onnx")


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"\x08nothing of the kind", "a field of type 7 before byte 3"),
        (b"\x08" + b"\xff" * 12, "a number without an end at byte 1"),
        (b"\x3a\x05\x0a", "a field that ends outside its message, at byte 2"),
        (b"\x02\x00", "a field that ends outside its message, at byte 2"),
    ],
)
def test_what_is_no_onnx_file(content, found):
    with pytest.raises(ModelError, match=f"m: not a readable ONNX file: {found}"):
        read_metadata(content, "m")


def test_fields_of_other_types_are_passed_over():
    assert read_metadata(b"\x38\x7f" + b"\x0d1234" + b"\x098 bytes!" + b"\x70\x05", "m") == {}
