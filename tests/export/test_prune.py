import pytest
import torch

from vrpcore.errors import ConfigError
from vrpcore.export.prune import prune
from vrpcore.learn.policy.checkpoint import load_checkpoint, policy_from_checkpoint
from vrpcore.solve.models import shipped_models

BASE = shipped_models()["base"].checkpoint


def test_the_layers_asked_for_stay_in_their_order(tmp_path):
    prune(BASE, tmp_path / "a.pt", [0, 5, 4])
    content = load_checkpoint(tmp_path / "a.pt")
    policy = policy_from_checkpoint(content, "a.pt")
    whole = policy_from_checkpoint(load_checkpoint(BASE), "base.pt")
    assert content["config"]["policy"]["num_layers"] == 3
    assert len(policy.encoder.layers) == 3
    for mine, number in zip(policy.encoder.layers, (0, 5, 4), strict=True):
        theirs = whole.encoder.layers[number].state_dict()
        assert all(torch.equal(mine.state_dict()[name], theirs[name]) for name in theirs)
    mine, theirs = policy.decoder.state_dict(), whole.decoder.state_dict()
    assert all(torch.equal(mine[name], theirs[name]) for name in theirs)


@pytest.mark.parametrize("layers", [[], [6], [-1, 0]])
def test_layers_that_are_not_there(tmp_path, layers):
    with pytest.raises(ConfigError, match="expected some of 0 to 5"):
        prune(BASE, tmp_path / "a.pt", layers)
