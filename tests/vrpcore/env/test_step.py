import torch

from vrpcore.env.step import (
    choice_mask,
    fits,
    num_choices,
    reset,
    state_tour,
    take_step,
    unfinished,
)

DEMAND = torch.tensor([[0.0, 4.0, 6.0, 0.0]])
CAPACITY = torch.tensor([9.0])
VALID = torch.tensor([[True, True, True, True]])


def walk(nodes, valid=VALID):
    """Masks before each choice, and the state after the last."""
    state, masks = reset(DEMAND, CAPACITY, valid, 1), []
    for node in nodes:
        masks.append(choice_mask(state)[0, 0].tolist())
        state = take_step(state, torch.tensor([[node]]), DEMAND, CAPACITY)
    masks.append(choice_mask(state)[0, 0].tolist())
    return masks, state


def test_by_hand():
    masks, state = walk([1, 3, 0, 2])
    assert masks == [
        [False, True, True, True],  # at the depot with customers left: not the depot again
        [True, False, False, True],  # 6 does not fit behind 4; a demand of 0 always does
        [True, False, False, False],
        [False, False, True, False],
        [True, False, False, False],
    ]
    assert int(state.num_open) == 0
    assert float(state.remaining) == 3.0
    assert state_tour(state)[0, 0].tolist() == [1, 3, 0, 2, 0, 0, 0, 0]


def test_something_is_always_allowed_after_the_end():
    masks, state = walk([1, 3, 0, 2, 0, 0])
    assert masks[-2:] == [[True, False, False, False]] * 2
    assert state_tour(state)[0, 0].tolist() == [1, 3, 0, 2, 0, 0, 0, 0]


def test_padding_is_never_open():
    masks, state = walk([1, 0, 2], torch.tensor([[True, True, True, False]]))
    assert not any(mask[3] for mask in masks)
    assert int(state.num_open) == 0


def test_choices_are_counted_and_end():
    state = reset(DEMAND, CAPACITY, VALID, 1)
    for count in range(8):
        assert int(num_choices(state)) == count
        assert bool(unfinished(state))
        state = take_step(state, torch.tensor([[0]]), DEMAND, CAPACITY)
    assert not bool(unfinished(state))  # customers are left, but 2M choices were made
    _, state = walk([1, 3, 0, 2])
    assert not bool(unfinished(state))


def test_the_depot_always_fits():
    state = reset(DEMAND, CAPACITY, VALID, 1)
    assert fits(state)[0, 0].tolist() == [True, True, True, True]
    assert choice_mask(state)[0, 0].tolist() == [False, True, True, True]


def test_stamps_stay_exact_on_long_tours():
    size = 1000
    demand, valid = torch.zeros(1, size + 1), torch.ones(1, size + 1, dtype=torch.bool)
    demand[0, 1:] = 2.0**24 - 1
    capacity = torch.tensor([2.0**24 - 1])
    state = reset(demand, capacity, valid, 1)
    for node in range(size, 0, -1):
        state = take_step(state, torch.tensor([[node]]), demand, capacity)
        state = take_step(state, torch.tensor([[0]]), demand, capacity)
    tour = state_tour(state)[0, 0, : 2 * size].view(size, 2)
    assert tour[:, 0].tolist() == list(range(size, 0, -1))
    assert not tour[:, 1].any()
