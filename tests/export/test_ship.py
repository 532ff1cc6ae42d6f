import json

from tests.export.models import save_small
from vrpcore.export.ship import ship
from vrpcore.learn.policy.checkpoint import load_checkpoint
from vrpcore.solve.models import DEFAULT_MODEL, open_backend, shipped_models


def test_ships_weights_without_training_state(tmp_path):
    save_small(tmp_path / "best.pt", training={"step": 3})
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
