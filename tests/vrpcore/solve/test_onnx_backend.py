import numpy as np
import onnx
import pytest

from tests.vrpcore.solve.doubles import SOON, no_search, problems
from vrpcore.arrays.batch import make_batch
from vrpcore.errors import DeviceError, ModelError, OutputError
from vrpcore.export.onnx import write_model
from vrpcore.learn.policy.checkpoint import load_checkpoint
from vrpcore.solve.accelerator import cuda_device_count
from vrpcore.solve.backend import content_digest
from vrpcore.solve.memory_limit import SessionLimits
from vrpcore.solve.models import shipped_models
from vrpcore.solve.onnx_backend import OnnxBackend
from vrpcore.solve.order import Order
from vrpcore.solve.session import Session
from vrpcore.solve.solve_options import SolveOptions

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
    with pytest.raises(ModelError, match=r"a\.onnx: not a readable ONNX file: "):
        OnnxBackend(tmp_path / "a.onnx", "cpu")
    content = MODEL.onnx.read_bytes()
    weights = load_checkpoint(MODEL.checkpoint)["policy"].values()
    place = max(content.find(weight.numpy().tobytes()) for weight in weights)
    changed = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
    (tmp_path / "b.onnx").write_bytes(changed)
    with pytest.raises(ModelError, match=r"b\.onnx: has been changed since its export"):
        OnnxBackend(tmp_path / "b.onnx", "cpu")


def saved(path, nodes, initializers=(), *, own=True):
    """An ONNX file with these nodes: with inputs, metadata and digest of a policy if `own`."""
    model = onnx.load(MODEL.onnx)
    del model.graph.node[:], model.graph.initializer[:]
    model.graph.node.extend(nodes)
    model.graph.initializer.extend(initializers)
    if own:
        write_model(model, path)
    else:
        onnx.helper.set_model_props(model, {})
        onnx.save(model, path)
    return path


def endless(path):
    kind, helper = onnx.TensorProto, onnx.helper
    scalar = {name: helper.make_tensor_value_info(name, kind.INT64, []) for name in "ivw"}
    flags = [helper.make_tensor_value_info(name, kind.BOOL, []) for name in ("c", "d")]
    body = helper.make_graph(
        [helper.make_node("Identity", ["c"], ["d"]), helper.make_node("Add", ["v", "one"], ["w"])],
        "body",
        [scalar["i"], flags[0], scalar["v"]],
        [flags[1], scalar["w"]],
    )
    tensors = [
        helper.make_tensor("one", kind.INT64, [], [1]),
        helper.make_tensor("true", kind.BOOL, [], [True]),
    ]
    nodes = [
        helper.make_node("Loop", ["", "true", "one"], ["count"], body=body),
        helper.make_node("Unsqueeze", ["starts", "count"], ["tour"]),
    ]
    return saved(path, nodes, tensors)


def test_a_foreign_onnx_file_is_refused(tmp_path):
    node = onnx.helper.make_node("Identity", ["starts"], ["tour"])
    with pytest.raises(ModelError, match=r"x\.onnx: not a model of this project \(format None"):
        OnnxBackend(saved(tmp_path / "x.onnx", [node], own=False), "cpu")


def test_what_onnx_runtime_cannot_load(tmp_path):
    content = saved(tmp_path / "x.onnx", [onnx.helper.make_node("Squeeze", ["starts"], ["tour"])])
    changed = content.read_bytes().replace(b"Squeeze", b"Squeezy")
    stated = onnx.load(content).metadata_props[-1].value
    digest = content_digest(changed, stated)
    (tmp_path / "x.onnx").write_bytes(changed.replace(stated.encode(), digest.encode()))
    with pytest.raises(ModelError, match=r"x\.onnx: ONNX Runtime cannot load it: \S"):
        OnnxBackend(tmp_path / "x.onnx", "cpu")


def test_a_loop_without_end_is_ended(tmp_path):
    backend = OnnxBackend(endless(tmp_path / "x.onnx"), "cpu")
    with pytest.raises(TimeoutError, match="small: ended"):
        construct(backend.until(lambda: True), [9], np.ones((1, 2), np.int64))


def test_a_time_limit_holds_with_a_loop_without_end(tmp_path):
    backend, notes = OnnxBackend(endless(tmp_path / "x.onnx"), "cpu"), []
    capacity = SessionLimits(workers=2, threads=2)
    options = SolveOptions(time_limit=0.2, decode="greedy", improve="none")
    with Session(backend, capacity, no_search) as session:
        entries = list(session.admit(problems([9, 40])))
        order = Order(entries, options, end=session.clock() + 0.2, tell=notes.append)
        session.take(order)
        answers = order.future.result(timeout=SOON)
        left = session.submit(problems([9]), SolveOptions(decode="greedy", improve="none"))
        left.future.cancel()  # its caller has left
    assert [(each.status, each.constructor) for each in answers] == [("solved", "savings")] * 2
    assert "40 customers were not constructed in time" in str([each.note for each in notes])


def test_a_device_that_is_not_there_is_not_replaced_by_another():
    if cuda_device_count():
        pytest.skip("there is one")
    with pytest.raises(DeviceError, match="ONNX Runtime cannot use cuda here; use --device cpu"):
        OnnxBackend(MODEL.onnx, "cuda")


def test_a_batch_that_the_model_cannot_take(backend):
    with pytest.raises(ModelError, match=r"small: ONNX Runtime: .*expected: .*int64"):
        construct(backend, [9], np.ones((1, 2), np.float32))
