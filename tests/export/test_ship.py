import json

import pytest

from tests.vrpcore.decode.cases import SMALL
from vrpcore.config.reader import config_tree
from vrpcore.config.sections import Config
from vrpcore.errors import ExportError
from vrpcore.export import parity
from vrpcore.export.manifest import Source
from vrpcore.export.ship import ship
from vrpcore.export.torchscript import export_torchscript
from vrpcore.policy.checkpoint import load_checkpoint, save_checkpoint
from vrpcore.policy.policy import build_policy
from vrpcore.solve.models import DEFAULT_MODEL, open_backend, shipped_models


def test_ships_weights_without_training_state(tmp_path, monkeypatch):
    monkeypatch.setattr(parity, "_SIZES", (10,))
    content = {
        "name": "run",
        "version": "0",
        "config": config_tree(Config(policy=SMALL)),
        "train_sizes": [10, 50],
        "policy": build_policy(SMALL, 1).state_dict(),
        "training": {"step": 3},
    }
    save_checkpoint(tmp_path / "best.pt", content)
    assert ship(tmp_path / "best.pt", "mine", tmp_path).identical >= 0.99
    assert "training" not in load_checkpoint(tmp_path / "mine.pt")
    facts = json.loads((tmp_path / "mine.json").read_text())
    assert facts["train_sizes"] == [10, 50]
    for ending in ("pt", "onnx"):
        info = open_backend(str(tmp_path / f"mine.{ending}"), "cpu").info
        assert (info.name, info.sha256) == ("mine", facts["sha256"])


def test_what_ships_is_what_its_card_says():
    models = shipped_models()
    assert DEFAULT_MODEL in models
    for model in models.values():
        assert model.onnx.with_suffix(".md").exists()
        for path in (model.onnx, model.checkpoint):
            info = open_backend(str(path), "cpu").info
            assert (info.name, info.sha256) == (model.name, model.sha256)


def test_what_fails_its_parity_run_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(parity, "_SIZES", (10,))
    good, other = build_policy(SMALL, 1).eval(), build_policy(SMALL, 2).eval()
    metadata = {"format": "vrp-policy/1", "name": "x", "sha256": "", "train_sizes": "[1, 2]"}
    metadata["version"] = "0"

    def write_another(_source, path):
        export_torchscript(Source(policy=other, metadata=metadata), path)

    with pytest.raises(ExportError, match=r"m\.ts: only"):
        parity.write_proved(
            write_another, Source(policy=good, metadata=metadata), tmp_path / "m.ts"
        )
    assert list(tmp_path.iterdir()) == []
