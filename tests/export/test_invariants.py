import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from vrpcore.export.invariants import hoist_invariants

INT = TensorProto.INT64


def value(name, shape=(1,), kind=INT):
    return helper.make_tensor_value_info(name, kind, shape)


def constant(name, content):
    tensor = numpy_helper.from_array(np.array(content), name)
    return helper.make_node("Constant", [], [name], value=tensor)


def branch(*nodes, output):
    return helper.make_graph(nodes, output, [], [value(output)])


def looping_model():
    """x + (x + x) three times, the sum joined of pieces inside the loop."""
    inner = branch(
        helper.make_node("Concat", ["x", "x"], ["both"], axis=0),
        helper.make_node("ReduceSum", ["both"], ["grown"]),
        output="grown",
    )
    other = branch(helper.make_node("Identity", ["state"], ["same"]), output="same")
    body = helper.make_graph(
        [
            constant("axis", [0]),
            helper.make_node("Shape", ["x"], ["length"]),
            helper.make_node("Mul", ["state", "length"], ["scaled"]),
            helper.make_node("If", ["always"], ["more"], then_branch=inner, else_branch=other),
            helper.make_node("Add", ["scaled", "more"], ["next"]),
            helper.make_node("Identity", ["going"], ["still"]),
        ],
        "body",
        [value("step", ()), value("going", (), TensorProto.BOOL), value("state")],
        [value("still", (), TensorProto.BOOL), value("next")],
    )
    graph = helper.make_graph(
        [
            constant("times", 3),
            constant("always", True),
            helper.make_node("Loop", ["times", "always", "x"], ["y"], body=body),
        ],
        "g",
        [value("x")],
        [value("y")],
    )
    opset = helper.make_opsetid("", 20)
    return helper.make_model(graph, opset_imports=[opset], ir_version=10)


def run(model):
    onnx.checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(None, {"x": np.array([5])})[0].tolist()


def ops(nodes):
    return [node.op_type for node in nodes]


def test_what_does_not_change_stands_in_front_and_the_result_stays():
    model = looping_model()
    assert run(model) == [35]
    hoist_invariants(model)
    assert run(model) == [35]
    nodes = model.graph.node
    assert ops(nodes) == ["Constant", "Constant", "Constant", "Shape", "Concat", "Loop"]
    (body,) = (each.g for each in nodes[-1].attribute if each.name == "body")
    assert ops(body.node) == ["Mul", "If", "Add", "Identity"]
    (then,) = (each.g for each in body.node[1].attribute if each.name == "then_branch")
    assert ops(then.node) == ["ReduceSum"]
