import pytest
import torch

from vrpcore.errors import ConfigError
from vrpcore.export.blend import blend
from vrpcore.export.prune import prune
from vrpcore.learn.policy.checkpoint import load_checkpoint, save_checkpoint
from vrpcore.solve.models import shipped_models

BASE = shipped_models()["base"].checkpoint


def test_a_quarter_of_each_weight_comes_from_the_other(tmp_path):
    content = load_checkpoint(BASE)
    shifted = {name: value + 4.0 for name, value in content["policy"].items()}
    save_checkpoint(tmp_path / "other.pt", content | {"policy": shifted})
    blend(BASE, tmp_path / "other.pt", 0.25, tmp_path / "blend.pt")
    found = load_checkpoint(tmp_path / "blend.pt")
    assert found["train_sizes"] == content["train_sizes"]
    assert set(found["policy"]) == set(content["policy"])
    for name, value in found["policy"].items():
        assert torch.allclose(value, content["policy"][name] + 1.0), name


def test_what_cannot_be_blended(tmp_path):
    with pytest.raises(ConfigError, match=r"share 1\.5: expected a number from 0 to 1"):
        blend(BASE, BASE, 1.5, tmp_path / "a.pt")
    prune(BASE, tmp_path / "small.pt", [0, 5])
    with pytest.raises(ConfigError, match=r"small\.pt: its policy has other layers than that of"):
        blend(BASE, tmp_path / "small.pt", 0.5, tmp_path / "a.pt")
