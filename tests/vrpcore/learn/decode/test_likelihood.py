import torch

from tests.vrpcore.learn.decode.cases import SMALL, make_inputs, solve
from tests.vrpcore.variants import drawn, forced_logits, inputs_of, random_policy, starts_of
from vrpcore.learn.decode.likelihood import log_likelihood
from vrpcore.learn.decode.rollout import build_rollout
from vrpcore.learn.env.capacity import Capacity
from vrpcore.learn.env.inputs import plain_inputs
from vrpcore.learn.env.variants import Variants
from vrpcore.learn.policy.policy import build_policy


def loop_log_likelihood(policy, inputs, tours):
    """The same log-probabilities, one step after the other."""
    env, cache = policy.env, policy.encode(inputs)
    fixed, state = env.prepare(inputs), env.reset(inputs, tours.shape[1])
    weight = policy.way_weights(inputs)
    logs = []
    for step in range(tours.shape[2]):
        served = state.num_open == 0
        outlook, numbers = env.outlook(fixed, state), env.shares(fixed, state)
        logits = policy(cache, state.last, numbers, outlook, weight)
        chosen = torch.log_softmax(logits, 2).gather(2, tours[:, :, step : step + 1])[:, :, 0]
        logs.append(torch.where(served, 0.0, chosen))
        state = env.step(fixed, state, tours[:, :, step])
    return torch.stack(logs, 2)


def test_one_pass_equals_the_loop_and_its_gradient():
    policy = build_policy(SMALL, 3).double()
    inputs = make_inputs(7, [8, 5, 8], 9)
    tours = solve(build_rollout(build_policy(SMALL, 3).eval()), inputs, 2.0)
    exact = [part.double() if part.is_floating_point() else part for part in inputs]
    inputs = plain_inputs(*exact[:4])
    gradients = []
    for one_pass in (True, False):
        policy.zero_grad()
        if one_pass:
            logs = log_likelihood(policy, policy.encode(inputs), inputs, tours)
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
    valid = torch.ones(1, 4, dtype=torch.bool)
    inputs = plain_inputs(torch.zeros(1, 4, 2), demand, torch.tensor([10.0]), valid)
    states = Capacity().forced(inputs, tours)
    assert states.last[0].tolist() == [0, 2, 0, 1, 3, 0]
    remaining, unused = (10 * states.numbers[0]).unbind(1)
    assert remaining.tolist() == [10, 4, 10, 6, 1, 10]
    # 15 of two vehicles' 20; 4 left behind by the first; at the end a whole one is free.
    assert unused.tolist() == [5, 5, 1, 1, 1, 10]
    assert states.active[0, 0].tolist() == [True, True, True, True, False, False]
    assert states.outlook.mask[0, :4].tolist() == [
        [False, True, True, True],
        [True, True, False, False],
        [False, True, False, True],
        [True, False, False, True],
    ]


def test_likelihoods_are_those_of_the_logits_and_learn():
    policy, instances = random_policy(4), drawn("mdvrpmbltw", 3, 8)
    inputs = inputs_of(instances)
    rollout = build_rollout(policy)
    tours = rollout(*inputs, starts_of(inputs, 4), torch.tensor(1.0), torch.arange(3))
    logs = log_likelihood(policy, policy.encode(inputs), inputs, tours)
    logits, active = forced_logits(policy, inputs, tours)
    expected = torch.log_softmax(logits, 2).gather(2, tours[:, :, 1:].flatten(1)[..., None])[..., 0]
    expected = torch.where(active, expected.view(logs.shape), 0.0)
    assert torch.allclose(logs, expected, atol=1e-5)
    (-logs.sum()).backward()
    assert all(part.grad is not None for part in policy.parameters())
    assert float(policy.way_factors.grad.abs().min()) > 0


def test_what_follows_the_last_customer_is_not_chosen():
    inputs = inputs_of(drawn("mdcvrp", 2, 3))
    tours = torch.tensor([[[0, 3, 1, 4, 5, 0, 0]], [[2, 3, 4, 5, 0, 0, 0]]])
    active = Variants().forced(inputs, tours).active
    assert active[:, 0].tolist() == [[True] * 4 + [False] * 2, [True] * 3 + [False] * 3]
