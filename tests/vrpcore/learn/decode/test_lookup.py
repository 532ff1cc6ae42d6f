import pytest
import torch

from tests.vrpcore.learn.decode.cases import SMALL, make_inputs
from vrpcore.learn.decode.lookup import build_lookup, is_merged, lookup_scores
from vrpcore.learn.env.inputs import plain_inputs
from vrpcore.learn.policy.attention import ATTENTION_MASK
from vrpcore.learn.policy.decoder import LOGIT_BOUND, LOGIT_MASK
from vrpcore.learn.policy.policy import build_policy


def walk(sizes, num_nodes):
    """States and both kinds of logits along random constructions, first choices at first."""
    policy = build_policy(SMALL, 3).eval()
    *parts, starts = make_inputs(4, sizes, num_nodes)
    inputs, env = plain_inputs(*parts), policy.env
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        cache, weight = policy.encode(inputs), policy.way_weights(inputs)
        lookup = build_lookup(cache, is_merged(cache), policy.decoder.room, inputs.capacity)
        fixed = env.prepare(inputs)
        state = env.begin(inputs, fixed, starts)
        for _ in range(2 * num_nodes - 1):
            outlook, mask = env.outlook(fixed, state), env.mask(state)
            logits = policy(cache, state.last, env.shares(fixed, state), outlook, weight)
            could, room = env.fits(state), env.context(fixed, state)
            scores = lookup_scores(lookup, is_merged(cache), state.last, room, could)
            yield state, mask, logits, torch.where(could, scores * LOGIT_BOUND, LOGIT_MASK)
            choice = torch.multinomial(mask.flatten(0, 1).float(), 1, generator=generator)
            state = env.step(fixed, state, choice.view(starts.shape))


@pytest.mark.parametrize(("sizes", "num_nodes"), [([5, 6, 4], 8), ([20, 15], 24)])
def test_scores_are_the_policys_logits(sizes, num_nodes):
    for state, mask, logits, scores in walk(sizes, num_nodes):
        going = state.num_open > 0
        assert torch.allclose(scores[mask & going[..., None]], logits[mask & going[..., None]],
                              atol=1e-4)  # fmt: skip
        assert torch.equal(scores.argmax(2), logits.argmax(2))


def test_small_instances_are_merged():
    policy = build_policy(SMALL, 3).eval()
    for num_nodes, merged in ((16, True), (17, False)):  # 2 * 16 / 2 = 16
        cache = policy.encode(plain_inputs(*make_inputs(4, [5], num_nodes)[:4]))
        assert is_merged(cache) == merged


def test_the_depot_is_left_and_kept():
    for state, _, _, scores in walk([5, 6, 4], 8):
        stays = (state.last == 0) & (scores.argmax(2) == 0)
        assert not (stays & (state.num_open > 0)).any()
        assert (stays | (state.num_open > 0) | (state.last > 0)).all()


def test_weights_far_apart_meet_no_denormal_number():
    policy = build_policy(SMALL, 3).eval()
    coords, demand, capacity, valid, _ = make_inputs(4, [20, 15], 24)
    with torch.no_grad():
        cache = policy.encode(plain_inputs(coords, demand, capacity, valid))
        steep = cache._replace(key=cache.key * 500.0)
        lookup = build_lookup(steep, False, policy.decoder.room, capacity)
        last, room = torch.zeros(2, 3, dtype=torch.int64), torch.ones(2, 3, 2)
        mask = valid.unsqueeze(1).repeat(1, 3, 1)
        scores = lookup_scores(lookup, False, last, room, mask)
    change = (lookup.slope * capacity.view(-1, 1, 1)).sum(2)
    assert change.min() < 0.9 * ATTENTION_MASK  # steep enough to be bounded
    least = float(lookup.near.min()) * float(torch.exp(change.min()))
    assert least > torch.finfo(torch.float32).tiny
    assert torch.isfinite(scores).all()
