import json

import numpy as np
import onnx
import onnxruntime
import pytest
import torch

from tests.vrpcore.decode.cases import SMALL
from vrpcore.config.reader import config_tree
from vrpcore.config.sections import Config
from vrpcore.errors import ExportError, ModelError, OutputError
from vrpcore.export import parity
from vrpcore.export.manifest import read_source
from vrpcore.export.onnx import example_inputs, export_onnx
from vrpcore.export.torchscript import export_torchscript
from vrpcore.policy.checkpoint import save_checkpoint, weights_sha256
from vrpcore.policy.policy import build_policy
from vrpcore.solve.backend import INPUT_NAMES, content_digest, model_kind
from vrpcore.solve.models import open_backend


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A small checkpoint and its two exported forms."""
    folder = tmp_path_factory.mktemp("exported")
    policy = build_policy(SMALL, 4)
    content = {
        "name": "small",
        "version": "0",
        "config": config_tree(Config(policy=SMALL)),
        "train_sizes": [10, 50],
        "policy": policy.state_dict(),
    }
    save_checkpoint(folder / "small.pt", content)
    source = read_source(folder / "small.pt")
    export_onnx(source, folder / "small.onnx")
    export_torchscript(source, folder / "small.ts")
    return folder, source


@pytest.mark.parametrize("ending", ["onnx", "ts", "pt"])
def test_each_form_builds_the_policys_tours(exported, ending, monkeypatch):
    folder, source = exported
    monkeypatch.setattr(parity, "_SIZES", (10, 20))
    backend = open_backend(str(folder / f"small.{ending}"), "cpu")
    assert backend.info.name == "small"
    assert backend.info.train_sizes == (10, 50)
    assert backend.info.sha256 == weights_sha256(source.policy.state_dict())
    result = parity.compare(source.policy, backend)
    result.require(ending)
    assert result.tours == 2 * 2 * 16 * 10


def test_another_policy_fails_the_parity_run(exported, monkeypatch):
    folder, _ = exported
    monkeypatch.setattr(parity, "_SIZES", (10, 20))
    result = parity.compare(build_policy(SMALL, 5).eval(), open_backend(str(folder / "small.onnx")))
    assert result.identical < 0.9
    assert result.largest_margin > 1e-3
    with pytest.raises(ExportError, match=r"small: only .* of 640 tours are identical"):
        result.require("small")


def test_onnx_is_one_standard_file_that_says_what_it_is(exported):
    folder, source = exported
    model = onnx.load(folder / "small.onnx")
    assert [(opset.domain, opset.version) for opset in model.opset_import] == [("", 20)]
    said = {prop.key: prop.value for prop in model.metadata_props}
    digest = said.pop("digest")
    assert said == source.metadata
    assert content_digest((folder / "small.onnx").read_bytes(), digest) == digest
    assert json.loads(source.metadata["train_sizes"]) == [10, 50]
    assert [item.name for item in model.graph.input] == list(INPUT_NAMES)
    assert [item.name for item in model.graph.output] == ["tour"]


def test_the_ten_line_script_of_the_docs(exported, tmp_path, monkeypatch):
    from pathlib import Path

    folder, _ = exported
    text = (Path(__file__).parents[2] / "docs" / "interface.md").read_text(encoding="utf-8")
    script = text.split("```python")[1].split("```")[0]
    assert len(script.strip().splitlines()) <= 13
    shown = {}
    monkeypatch.chdir(tmp_path)
    (tmp_path / "base.onnx").write_bytes((folder / "small.onnx").read_bytes())
    exec(script.replace("print(", "shown.update(tour="), {"shown": shown})  # noqa: S102
    assert shown["tour"].shape == (3, 8)
    assert sorted(shown["tour"][0])[-3:] == [1, 2, 3]


@pytest.mark.parametrize(("batch_size", "num_nodes", "num_starts"), [(1, 2, 1), (5, 30, 3)])
def test_every_axis_is_free(exported, batch_size, num_nodes, num_starts):
    folder, _ = exported
    inputs = example_inputs(batch_size, max(num_nodes, 3), num_starts)
    session = onnxruntime.InferenceSession(
        (folder / "small.onnx").read_bytes(), providers=["CPUExecutionProvider"]
    )
    feeds = {name: part.numpy() for name, part in zip(INPUT_NAMES, inputs, strict=True)}
    (tour,) = session.run(None, feeds)
    assert tour.shape == (batch_size, num_starts, 2 * max(num_nodes, 3))
    assert (np.sort(tour, axis=2)[:, :, -1] <= max(num_nodes, 3) - 1).all()


def test_solving_leaves_the_hosts_arithmetic_alone(exported, monkeypatch):
    folder, source = exported
    monkeypatch.setattr(parity, "_SIZES", (10,))
    parity.compare(source.policy, open_backend(str(folder / "small.onnx"), "cpu"))
    smallest = np.array([2.0**-1074])
    assert smallest[0] + smallest[0] > 0


def test_kinds_are_told_by_content(exported, tmp_path):
    folder, _ = exported
    for ending, kind in (("onnx", "onnx"), ("ts", "torchscript"), ("pt", "checkpoint")):
        renamed = tmp_path / f"{ending}.bin"
        renamed.write_bytes((folder / f"small.{ending}").read_bytes())
        assert model_kind(renamed) == kind


def _tampered(data, policy):
    """One weight by a hair."""
    weights = (part.numpy().tobytes() for part in policy.state_dict().values())
    place = next(place for weight in weights if (place := data.find(weight)) >= 0)
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


@pytest.mark.parametrize("ending", ["onnx", "ts", "pt"])
@pytest.mark.parametrize("damage", ["cut", "flipped", "foreign", "one bit of the weights"])
def test_damaged_files_are_refused(exported, tmp_path, ending, damage):
    folder, source = exported
    data = (folder / f"small.{ending}").read_bytes()
    changed = {
        "cut": data[: len(data) // 2],
        "flipped": data[:2] + bytes(byte ^ 0x5A for byte in data[2:600]) + data[600:],
        "foreign": data[:4] + b"nothing of the kind" * 20,
        "one bit of the weights": _tampered(data, source.policy),
    }[damage]
    file = tmp_path / "m.bin"
    file.write_bytes(changed)
    with pytest.raises(ModelError, match=r"m\.bin"):
        open_backend(str(file), "cpu")


def test_a_checkpoint_with_code_in_it_is_refused(tmp_path):
    torch.save({"format": "vrp-checkpoint/1", "policy": SMALL}, tmp_path / "m.pt")
    with pytest.raises(ModelError, match="not a readable checkpoint"):
        read_source(tmp_path / "m.pt")
    with pytest.raises(OutputError, match="cannot be read"):
        read_source(tmp_path / "nowhere.pt")
