import pytest
import torch

from tests.vrpcore.learn.train.cases import ragged_batch, random_batch
from tests.vrpcore.variants import drawn, train_batch
from vrpcore.config.sections import PolicyConfig, TrainConfig
from vrpcore.learn.policy.policy import build_policy
from vrpcore.learn.train.arrays import (
    LANES,
    Arrays,
    Cases,
    decoder_tables,
    make_memory,
    padded,
    problem_arrays,
)


def test_counts_are_rounded_up_to_whole_groups():
    assert [padded(count) for count in (1, 16, 17)] == [16, 16, 32]


def test_memory_of_five_nodes_eight_heads_and_24_features():
    """Three instances; two of them, with four constructions of ten choices, are recorded."""
    shapes = ((3, 5, 5, 8), (3, 2, 5, 8), (3, 5, 24), (3, 5, 24), (3, 5, 5), (3, 4))
    tables, gradient = (Arrays(*map(torch.zeros, shapes)) for _ in range(2))
    cases = Cases(*torch.zeros(2, 3, 4))
    choice = torch.zeros(2, 4, 10, dtype=torch.int64)
    memory = make_memory({}, tables, gradient, cases, choice)
    assert memory.shape == (5, 8, 24, 2, 4)
    sizes = [part.numel() for part in memory.record]
    assert sizes == [80, 80 * 24, 80 * 16, 80 * 16, 8]  # 5 nodes fill a group of 16
    scratch = [16, 5, 5, 4 * 16, 16 * 8, 8, 16, 16 * 24, 5, 5 * 16, 5 * 16, 5 * 16 * 8]
    assert [part.numel() for part in memory.scratch] == scratch
    assert not any(part.any() for part in memory.scratch)


def test_arrays_of_the_compiled_step_are_dense():
    instances = [drawn(name, 1, 9)[0] for name in ("mdovrpmbltw", "vrpl")]
    batch = train_batch(instances, 13, TrainConfig(starts=5))
    for inputs in (batch.inputs, random_batch().inputs):
        assert all(array.is_contiguous() for array in problem_arrays(inputs).values())
    assert problem_arrays(batch.inputs)["servable"].dtype == torch.bool


def test_nothing_fits_where_there_is_no_customer():
    inputs = random_batch().inputs
    valid = inputs.valid & (torch.arange(inputs.valid.shape[1]) < 4)
    need = problem_arrays(inputs._replace(valid=valid))["need"]
    assert (need[:, :4] == inputs.demand[:, :4]).all()
    assert need[:, 4:].isinf().all()


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
