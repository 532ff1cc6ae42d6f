import torch

from tests.vrpcore.decode.cases import SMALL, make_inputs, solve
from vrpcore.decode.likelihood import forced_states, log_likelihood
from vrpcore.decode.rollout import Rollout
from vrpcore.env.step import choice_mask, reset, rooms, take_step
from vrpcore.policy.policy import build_policy


def loop_log_likelihood(policy, inputs, tours):
    """The same log-probabilities, one step after the other."""
    coords, demand, capacity, valid = inputs[:4]
    cache = policy.encode(coords, demand, capacity, valid)
    state = reset(demand, capacity, valid, tours.shape[1])
    logs = []
    for step in range(tours.shape[2]):
        served = state.num_open == 0
        mask = choice_mask(state)
        room = rooms(state.remaining, state.open_demand, capacity[:, None])
        logits = policy(cache, state.last, room / capacity[:, None, None], mask)
        chosen = torch.log_softmax(logits, 2).gather(2, tours[:, :, step : step + 1])[:, :, 0]
        logs.append(torch.where(served, 0.0, chosen))
        state = take_step(state, tours[:, :, step], demand, capacity)
    return torch.stack(logs, 2)


def test_one_pass_equals_the_loop_and_its_gradient():
    policy = build_policy(SMALL, 3).double()
    inputs = make_inputs(7, [8, 5, 8], 9)
    tours = solve(Rollout(build_policy(SMALL, 3).eval()), inputs, 2.0)
    inputs = [part.double() if part.is_floating_point() else part for part in inputs]
    gradients = []
    for one_pass in (True, False):
        policy.zero_grad()
        if one_pass:
            cache = policy.encode(*inputs[:4])
            states = forced_states(tours, *inputs[1:4])
            states = states._replace(room=states.room.double())
            logs = log_likelihood(policy, cache, states, tours, inputs[2])
        else:
            logs = loop_log_likelihood(policy, inputs, tours)
        weight = torch.linspace(-1, 1, logs.numel()).view(logs.shape).double()
        (logs * weight).sum().backward()
        gradients.append((logs.detach(), [p.grad.clone() for p in policy.parameters()]))
    (first, first_gradient), (second, second_gradient) = gradients
    assert torch.isfinite(first).all()
    assert torch.allclose(first.double(), second.double(), atol=1e-5)
    for ours, theirs in zip(first_gradient, second_gradient, strict=True):
        assert torch.allclose(ours, theirs, rtol=1e-4, atol=1e-5)


def test_states_by_hand():
    tours = torch.tensor([[[2, 0, 1, 3, 0, 0]]])
    demand = torch.tensor([[0.0, 4.0, 6.0, 5.0]])
    states = forced_states(tours, demand, torch.tensor([10.0]), torch.ones(1, 4, dtype=torch.bool))
    assert states.last[0, 0].tolist() == [0, 2, 0, 1, 3, 0]
    remaining, unused = states.room[0, 0].unbind(1)
    assert remaining.tolist() == [10, 4, 10, 6, 1, 10]
    # 15 of two vehicles' 20; 4 left behind by the first; at the end a whole one is free.
    assert unused.tolist() == [5, 5, 1, 1, 1, 10]
    assert states.active[0, 0].tolist() == [True, True, True, True, False, False]
    assert states.mask[0, 0, :4].tolist() == [
        [False, True, True, True],
        [True, True, False, False],
        [False, True, False, True],
        [True, False, False, True],
    ]
