import numpy as np
import pytest
import torch

from tests.export.models import WRITERS
from vrpcore.errors import ModelError, OutputError
from vrpcore.export import parity
from vrpcore.solve.backend import model_kind
from vrpcore.solve.models import open_backend


def test_the_ten_line_script_of_the_docs(exported, tmp_path, monkeypatch):
    from pathlib import Path

    text = (Path(__file__).parents[2] / "docs/interface/python.md").read_text(encoding="utf-8")
    (script,) = (
        part.split("```")[0] for part in text.split("```python")[1:] if "base.onnx" in part
    )
    assert len(script.strip().splitlines()) <= 13
    shown = {}
    monkeypatch.chdir(tmp_path)
    (tmp_path / "base.onnx").write_bytes(exported["onnx"].read_bytes())
    exec(script.replace("print(", "shown.update(tour="), {"shown": shown})  # noqa: S102
    assert shown["tour"].shape == (3, 8)
    assert sorted(shown["tour"][0])[-3:] == [1, 2, 3]


def test_solving_leaves_the_hosts_arithmetic_alone(exported):
    parity.compare(exported.source.policy, open_backend(str(exported["onnx"]), "cpu"))
    smallest = np.array([2.0**-1074])
    assert smallest[0] + smallest[0] > 0


def test_kinds_are_recognized_by_content(exported, tmp_path):
    for ending, kind in (("onnx", "onnx"), ("ts", "torchscript"), ("pt", "checkpoint")):
        renamed = tmp_path / f"{ending}.bin"
        renamed.write_bytes(exported[ending].read_bytes())
        assert model_kind(renamed) == kind


def _tampered(data, policy):
    """One weight by a hair."""
    weights = (part.numpy().tobytes() for part in policy.state_dict().values())
    place = next(place for weight in weights if (place := data.find(weight)) >= 0)
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


@pytest.mark.parametrize("ending", ["onnx", "ts", "pt"])
@pytest.mark.parametrize("damage", ["cut", "flipped", "foreign", "one bit of the weights"])
def test_damaged_files_are_refused(exported, tmp_path, ending, damage):
    data = exported[ending].read_bytes()
    changed = {
        "cut": data[: len(data) // 2],
        "flipped": data[:2] + bytes(byte ^ 0x5A for byte in data[2:600]) + data[600:],
        "foreign": data[:4] + b"nothing of the kind" * 20,
        "one bit of the weights": _tampered(data, exported.source.policy),
    }[damage]
    file = tmp_path / "m.bin"
    file.write_bytes(changed)
    with pytest.raises(ModelError, match=r"m\.bin"):
        open_backend(str(file), "cpu")


@pytest.mark.parametrize("ending", WRITERS)
def test_a_folder_that_is_not_there_is_reported(exported, tmp_path, monkeypatch, ending):
    monkeypatch.setattr("vrpcore.export.program.build_program", lambda _: None)
    monkeypatch.setattr(torch.export, "save", lambda *_, **__: None)
    with pytest.raises(OutputError, match=rf"m\.{ending}: cannot be written"):
        WRITERS[ending](exported.source, tmp_path / "none" / f"m.{ending}")
