import json
import sys

import numpy as np
import onnx
import onnxruntime
import pytest
import torch

from vrpcore.errors import ExportError, MissingExtraError, ModelError
from vrpcore.export.onnx import export_onnx
from vrpcore.export.signature import example_inputs
from vrpcore.learn.decode.rollout import build_rollout
from vrpcore.solve.backend import FORMAT, INPUT_NAMES, VARIANTS_FORMAT, content_digest
from vrpcore.solve.models import open_backend


def test_onnx_is_one_standard_file_that_says_what_it_is(exported):
    model = onnx.load(exported["onnx"])
    assert [(opset.domain, opset.version) for opset in model.opset_import] == [("", 20)]
    said = {prop.key: prop.value for prop in model.metadata_props}
    digest = said.pop("digest")
    assert said == exported.source.metadata
    assert content_digest(exported["onnx"].read_bytes(), digest) == digest
    assert json.loads(said["train_sizes"]) == [10, 50]
    assert [item.name for item in model.graph.input] == list(INPUT_NAMES[FORMAT])
    assert [item.name for item in model.graph.output] == ["tour"]


def test_a_file_of_variants_describes_its_inputs_and_loads_without_a_warning(
    exported_variants, capfd
):
    session = onnxruntime.InferenceSession(exported_variants["onnx"])
    assert not capfd.readouterr().err
    said = session.get_modelmeta().custom_metadata_map
    assert said["format"] == VARIANTS_FORMAT
    names = [item.name for item in session.get_inputs()]
    assert list(json.loads(said["inputs"])) == names == list(INPUT_NAMES[VARIANTS_FORMAT])


@pytest.mark.parametrize(("batch_size", "num_nodes", "num_starts"), [(1, 3, 1), (5, 30, 3)])
def test_every_axis_is_free(either, batch_size, num_nodes, num_starts):
    source = either.source
    inputs = example_inputs(source.metadata["format"], batch_size, num_nodes, num_starts)
    session = onnxruntime.InferenceSession(either["onnx"])
    (tour,) = session.run(None, {name: part.numpy() for name, part in inputs.items()})
    length = 2 * num_nodes + source.policy.knows_variants
    assert tour.shape == (batch_size, num_starts, length)
    with torch.no_grad():
        assert np.array_equal(tour, build_rollout(source.policy)(*inputs.values()).numpy())


def test_a_failed_conversion_is_told_in_one_line_and_leaves_nothing(
    exported, tmp_path, monkeypatch
):
    def fail(*_, **__):
        raise RuntimeError("no such operator\nand a long trace")

    monkeypatch.setattr(torch.onnx, "export", fail)
    with pytest.raises(ExportError, match=r"^conversion to ONNX failed: no such operator$"):
        export_onnx(exported.source, tmp_path / "m.onnx")
    assert list(tmp_path.iterdir()) == []


def test_operators_outside_the_standard_are_refused(exported, tmp_path, monkeypatch):
    model = onnx.load(exported["onnx"])
    model.opset_import.append(onnx.helper.make_opsetid("com.example", 1))
    monkeypatch.setattr("vrpcore.export.onnx._convert", lambda _: model.SerializeToString())
    with pytest.raises(ExportError, match=r"outside the standard: .*com\.example"):
        export_onnx(exported.source, tmp_path / "m.onnx")
    assert list(tmp_path.iterdir()) == []


def test_without_onnx_the_extra_is_named(exported, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(MissingExtraError, match="vrp export --onnx needs the extra 'export'"):
        export_onnx(exported.source, tmp_path / "m.onnx")


def test_other_inputs_under_the_format_of_variants_are_refused(exported_variants, tmp_path):
    model = onnx.load(exported_variants["onnx"])
    model.graph.input[4].name = "other"
    onnx.save(model, tmp_path / "other.onnx")
    with pytest.raises(ModelError):
        open_backend(str(tmp_path / "other.onnx"), "cpu")


def num_nodes_of(graph):
    """Nodes of a graph and of those within it."""
    inner = [each.g for node in graph.node for each in node.attribute if each.HasField("g")]
    return len(graph.node) + sum(map(num_nodes_of, inner))


def test_the_step_of_plain_instances_computes_nothing_for_constraints(exported):
    """As many nodes as before a policy could know constraints; with them there are 268."""
    graph = onnx.load(exported["onnx"]).graph
    (loop,) = (node for node in graph.node if node.op_type == "Loop")
    assert num_nodes_of(loop.attribute[0].g) <= 146
