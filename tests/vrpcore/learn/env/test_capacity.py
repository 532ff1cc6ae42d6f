import torch

from vrpcore.learn.env.capacity import Capacity
from vrpcore.learn.env.inputs import plain_inputs

ENV = Capacity()

DEMAND = torch.tensor([[0.0, 4.0, 6.0, 0.0]])
CAPACITY = torch.tensor([9.0])
VALID = torch.tensor([[True, True, True, True]])


def reset(demand, capacity, valid, num_starts):
    """The first state, and what steps read."""
    inputs = plain_inputs(torch.zeros(*demand.shape, 2), demand, capacity, valid)
    return ENV.reset(inputs, num_starts), ENV.prepare(inputs)


def walk(nodes, valid=VALID):
    """Masks before each choice, and the state after the last."""
    state, fixed = reset(DEMAND, CAPACITY, valid, 1)
    masks = []
    for node in nodes:
        masks.append(ENV.mask(state)[0, 0].tolist())
        state = ENV.step(fixed, state, torch.tensor([[node]]))
    masks.append(ENV.mask(state)[0, 0].tolist())
    return masks, state, fixed


def test_by_hand():
    masks, state, fixed = walk([1, 3, 0, 2, 0, 0])
    assert masks == [
        [False, True, True, True],  # at the depot with customers left: not the depot again
        [True, False, False, True],  # 6 does not fit behind 4; a demand of 0 always does
        [True, False, False, False],
        [False, False, True, False],
        *[[True, False, False, False]] * 3,  # something is allowed behind the end, too
    ]
    assert int(state.num_open) == 0
    assert ENV.tour(fixed, state)[0, 0].tolist() == [1, 3, 0, 2, 0, 0, 0, 0]


def test_the_largest_demand_fits_and_one_more_does_not():
    most = 2.0**24 - 1
    demand = torch.tensor([[0.0, most, 1.0]])
    state, _ = reset(demand, torch.tensor([most]), torch.tensor([[True] * 3]), 1)
    assert ENV.fits(state)[0, 0].tolist() == [True, True, True]
    state, _ = reset(demand, torch.tensor([most - 1]), torch.tensor([[True] * 3]), 1)
    assert ENV.fits(state)[0, 0].tolist() == [True, False, True]


def test_padding_is_never_open():
    masks, state, fixed = walk([1, 0, 2], torch.tensor([[True, True, True, False]]))
    assert not any(mask[3] for mask in masks)
    assert int(state.num_open) == 0
    assert ENV.tour(fixed, state)[0, 0].tolist() == [1, 0, 2, 0, 0, 0, 0, 0]


def test_choices_are_counted_and_end():
    state, fixed = reset(DEMAND, CAPACITY, VALID, 1)
    for count in range(8):
        assert int(ENV.num_choices(fixed, state)) == count
        assert bool(ENV.unfinished(fixed, state))
        state = ENV.step(fixed, state, torch.tensor([[0]]))
    assert not bool(ENV.unfinished(fixed, state))  # customers are left, but 2M choices were made
    for nodes, left in (([1, 3, 0], True), ([1, 3, 0, 2], False)):
        _, state, fixed = walk(nodes)
        assert bool(ENV.unfinished(fixed, state)) is left


def test_stamps_stay_exact_on_long_tours():
    size = 1000
    demand, valid = torch.zeros(1, size + 1), torch.ones(1, size + 1, dtype=torch.bool)
    demand[0, 1:] = 2.0**24 - 1
    capacity = torch.tensor([2.0**24 - 1])
    state, fixed = reset(demand, capacity, valid, 1)
    for node in range(size, 0, -1):
        state = ENV.step(fixed, state, torch.tensor([[node]]))
        state = ENV.step(fixed, state, torch.tensor([[0]]))
    tour = ENV.tour(fixed, state)[0, 0, : 2 * size].view(size, 2)
    assert tour[:, 0].tolist() == list(range(size, 0, -1))
    assert not tour[:, 1].any()
