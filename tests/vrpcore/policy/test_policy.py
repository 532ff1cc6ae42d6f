import math

import pytest
import torch

from vrpcore.config.reader import config_tree
from vrpcore.config.sections import Config, PolicyConfig
from vrpcore.errors import ModelError, OutputError
from vrpcore.policy.attention import SelfAttention
from vrpcore.policy.checkpoint import (
    load_checkpoint,
    policy_from_checkpoint,
    save_checkpoint,
    weights_sha256,
)
from vrpcore.policy.decoder import LOGIT_MASK
from vrpcore.policy.policy import build_policy, scaled_distance

SMALL = PolicyConfig(embed_dim=16, num_heads=2, num_layers=1, feedforward_dim=16)


def test_distance_by_hand():
    coords = torch.tensor([[[0.0, 0.0], [0.3, 0.4], [0.9, 0.9]]])
    found = scaled_distance(coords, torch.tensor([[True, True, False]]))
    assert found[0, 0, 1] == found[0, 1, 0] == pytest.approx(0.5)
    found = scaled_distance(coords.expand(1, -1, -1), torch.ones(1, 3, dtype=torch.bool))
    assert float(found[0, 0, 1]) == pytest.approx(0.5 * math.log2(3))


def test_a_steep_head_attends_to_the_nearest():
    policy = build_policy(SMALL, 0)
    coords = torch.rand(1, 6, 2)
    valid = torch.ones(1, 6, dtype=torch.bool)
    changed = coords.clone()
    changed[0, 5] = 1.0 - changed[0, 5]
    with torch.no_grad():
        policy.encoder.slope.fill_(1e4)

        def encode(places):
            distance = scaled_distance(places, valid)
            return policy.encoder(places, torch.ones(1, 6), valid, distance, torch.zeros(1, 3))

        # Every node attends to itself alone, so that the others are not moved.
        assert torch.allclose(encode(coords)[:, :5], encode(changed)[:, :5], atol=1e-6)


def test_padding_gets_no_attention():
    torch.manual_seed(0)
    attention = SelfAttention(8, 2)
    nodes = torch.randn(1, 5, 8)
    bias = torch.tensor([0.0, 0.0, 0.0, -40.0, -40.0]).expand(1, 2, 5, 5)
    changed = nodes.clone()
    changed[:, 3:] = 7.0
    ours, theirs = attention(nodes, bias), attention(changed, bias)
    assert torch.allclose(ours[:, :3], theirs[:, :3], atol=1e-6)


def test_logits_are_bounded_masked_and_know_distance():
    policy = build_policy(SMALL, 0)
    coords = torch.rand(1, 4, 2)
    valid = torch.ones(1, 4, dtype=torch.bool)
    cache = policy.encode(coords, torch.tensor([[0.0, 1, 2, 3]]), torch.tensor([9.0]), valid)
    mask = torch.tensor([[[True, False, True, True]]])
    last = torch.tensor([[1]])
    logits = policy(cache, last, torch.ones(1, 1, 2), mask)[0, 0]
    assert logits[1] == LOGIT_MASK
    with torch.no_grad():
        policy.decoder.distance_factor.add_(1.0)
        cache = policy.encode(coords, torch.tensor([[0.0, 1, 2, 3]]), torch.tensor([9.0]), valid)
        farther = policy(cache, last, torch.ones(1, 1, 2), mask)[0, 0]
    distance = (coords[0] - coords[0, 1]).norm(dim=1)
    expected = logits - math.log2(4) * distance
    assert torch.allclose(farther[mask[0, 0]], expected[mask[0, 0]], atol=1e-5)


def test_the_seed_decides_the_weights_and_nothing_else_is_touched():
    torch.manual_seed(5)
    before = torch.get_rng_state()
    first, second = build_policy(SMALL, 1), build_policy(SMALL, 1)
    assert weights_sha256(first.state_dict()) == weights_sha256(second.state_dict())
    assert weights_sha256(first.state_dict()) != weights_sha256(build_policy(SMALL, 2).state_dict())
    assert torch.equal(torch.get_rng_state(), before)


def content():
    policy = build_policy(SMALL, 1)
    return {"config": config_tree(Config(policy=SMALL)), "policy": policy.state_dict()}


def test_checkpoints_come_back(tmp_path):
    save_checkpoint(tmp_path / "a.pt", content())
    found = policy_from_checkpoint(load_checkpoint(tmp_path / "a.pt"), "a.pt")
    assert weights_sha256(found.state_dict()) == weights_sha256(content()["policy"])
    assert not found.training
    assert [path.name for path in tmp_path.iterdir()] == ["a.pt"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.pop("policy"), "weights do not fit its configuration"),
        (lambda c: c["policy"].pop("encoder.depot.bias"), "weights do not fit its configuration"),
        (lambda c: c["policy"]["encoder.depot.bias"].fill_(math.nan), "not all finite"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path, change, message):
    changed = content()
    change(changed)
    save_checkpoint(tmp_path / "a.pt", changed)
    with pytest.raises(ModelError, match=message):
        policy_from_checkpoint(load_checkpoint(tmp_path / "a.pt"), "a.pt")


def test_what_is_no_checkpoint_is_refused(tmp_path):
    (tmp_path / "a.pt").write_text("nothing")
    with pytest.raises(
        ModelError, match=r"a\.pt: not a readable checkpoint: File is not a zip file"
    ):
        load_checkpoint(tmp_path / "a.pt")
    torch.save({"format": "another"}, tmp_path / "b.pt")
    with pytest.raises(ModelError, match="not a checkpoint of format"):
        load_checkpoint(tmp_path / "b.pt")
    with pytest.raises(OutputError, match="cannot be read"):
        load_checkpoint(tmp_path / "c.pt")
    with pytest.raises(OutputError, match="cannot be written"):
        save_checkpoint(tmp_path / "no" / "a.pt", content())
