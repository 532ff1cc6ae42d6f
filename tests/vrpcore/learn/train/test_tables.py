import pytest
import torch

from tests.vrpcore.learn.train.cases import ragged_batch
from vrpcore.config.sections import PolicyConfig
from vrpcore.learn.policy.policy import build_policy
from vrpcore.learn.train.arrays import LANES
from vrpcore.learn.train.tables import decoder_tables


@pytest.fixture(scope="module", params=[(12, 2), (48, 12)], ids=str)
def case(request):
    """A policy of D features and H heads, its cache and its tables."""
    width, heads = request.param
    shape = PolicyConfig(embed_dim=width, num_heads=heads, num_layers=1, feedforward_dim=8)
    policy = build_policy(shape, 3)
    with torch.no_grad():
        cache = policy.encode(ragged_batch().inputs)
        return policy, cache, decoder_tables(cache, policy.decoder.room)


def test_looked_up_scores_have_the_attention_of_computed_ones(case):
    policy, cache, tables = case
    count, heads, features, nodes = cache.key.shape
    share = torch.tensor([0.3, 0.8])
    query = cache.query.view(count, nodes, -1) + (share[:, None] * policy.decoder.room).sum(0)
    query = query.view(count, nodes, heads, features).transpose(1, 2)
    expected = torch.softmax(query @ cache.key, -1)
    score = tables.near + (share[:, None, None] * tables.room).sum(1, keepdim=True)
    found = torch.softmax(score, 2)[..., :heads].permute(0, 3, 1, 2)
    assert torch.allclose(found, expected, atol=1e-6)
    assert not score[..., heads:].any()
    assert not tables.near.amax(2).any()  # the largest score of a row is 0


def test_features_stand_in_groups_of_heads(case):
    _, cache, tables = case
    count, heads, nodes, features = cache.value.shape
    for table, plain in (
        (tables.value, cache.value.permute(0, 2, 1, 3)),
        (tables.pointer, cache.pointer.view(count, heads, features, nodes).permute(0, 3, 1, 2)),
    ):
        grouped = table.view(count, nodes, -(-heads // LANES), -1, LANES)
        for head in range(heads):
            found = grouped[:, :, head // LANES, :, head % LANES]
            assert torch.equal(found[..., :features], plain[:, :, head])
            assert not found[..., features:].any()
