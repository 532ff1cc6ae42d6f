import pytest
import torch

from vrpcore.env.state import STAMP_STEP, VISITED
from vrpcore.env.step import (
    choice_mask,
    first_stamp,
    fits,
    num_choices,
    reset,
    rooms,
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


def test_the_first_state_by_hand():
    demand = torch.tensor([[0.0, 4.0, 6.0, 1.0], [0.0, 3.0, 0.0, 0.0]])
    valid = torch.tensor([[True] * 4, [True, True, True, False]])
    state = reset(demand, torch.tensor([9.0, 5.0]), valid, 2)
    assert float(state.stamp) == float(first_stamp(demand)) == 2.0**25 + 4.0
    assert state.need.tolist() == [[[0, 4, 6, 1]] * 2, [[0, 3, 0, 2.0**25]] * 2]
    assert state.last.tolist() == [[0, 0], [0, 0]]
    assert state.last.dtype == torch.int64
    assert state.remaining.tolist() == [[9, 9], [5, 5]]
    assert state.num_open.tolist() == [[3, 3], [2, 2]]
    assert state.open_demand.tolist() == [[11, 11], [3, 3]]
    depot = torch.zeros(2, 2, dtype=torch.int64)
    state = take_step(state, depot, demand, torch.tensor([9.0, 5.0]))
    assert state.remaining.tolist() == [[9, 9], [5, 5]]


def test_a_step_by_hand():
    demand, capacity = torch.tensor([[0.0, 4.0, 6.0]]), torch.tensor([9.0])
    state = reset(demand, capacity, torch.tensor([[True] * 3]), 2)
    state = take_step(state, torch.tensor([[1, 2]]), demand, capacity)
    assert float(state.stamp) == VISITED + 2 * STAMP_STEP
    assert state.need.tolist() == [[[0, VISITED + 4, 6], [0, 4, VISITED + 4]]]
    assert state.last.tolist() == [[1, 2]]
    assert state.remaining.tolist() == [[5, 3]]
    assert state.num_open.tolist() == [[1, 1]]
    assert state.open_demand.tolist() == [[6, 4]]
    assert fits(state).tolist() == [[[True, False, False], [True, False, False]]]
    assert choice_mask(state).tolist() == fits(state).tolist()
    state = take_step(state, torch.tensor([[0, 1]]), demand, capacity)
    assert state.need.tolist() == [[[0, VISITED + 4, 6], [0, VISITED + 8, VISITED + 4]]]
    assert state.last.tolist() == [[0, 1]]
    assert state.remaining.tolist() == [[9, -1]]  # the mask forbids what the second did
    assert state.num_open.tolist() == [[1, 0]]
    assert bool(unfinished(state))
    assert state.open_demand.tolist() == [[6, 0]]


def test_the_largest_demand_fits_and_one_more_does_not():
    most = 2.0**24 - 1
    demand = torch.tensor([[0.0, most, 1.0]])
    state = reset(demand, torch.tensor([most]), torch.tensor([[True] * 3]), 1)
    assert fits(state)[0, 0].tolist() == [True, True, True]
    state = reset(demand, torch.tensor([most - 1]), torch.tensor([[True] * 3]), 1)
    assert fits(state)[0, 0].tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("remaining", "open_demand", "unused"),
    [
        (9.0, 4.0, 5.0),  # this vehicle serves all
        (9.0, 9.0, 0.0),
        (3.0, 4.0, 8.0),  # one further vehicle with 1 of 9
        (3.0, 12.0, 0.0),  # one, full
        (3.0, 12.5, 8.5),  # a second one with 0.5
        (0.0, 0.0, 0.0),
        (9.0, -1.0, 9.0),  # not more than a vehicle
    ],
)
def test_rooms_by_hand(remaining, open_demand, unused):
    found = rooms(torch.tensor([[remaining]]), torch.tensor([[open_demand]]), torch.tensor([[9.0]]))
    assert found.tolist() == [[[remaining, unused]]]


def test_something_is_always_allowed_after_the_end():
    masks, state = walk([1, 3, 0, 2, 0, 0])
    assert masks[-2:] == [[True, False, False, False]] * 2
    assert state_tour(state)[0, 0].tolist() == [1, 3, 0, 2, 0, 0, 0, 0]


def test_padding_is_never_open():
    masks, state = walk([1, 0, 2], torch.tensor([[True, True, True, False]]))
    assert not any(mask[3] for mask in masks)
    assert int(state.num_open) == 0
    assert state_tour(state)[0, 0].tolist() == [1, 0, 2, 0, 0, 0, 0, 0]


def test_choices_are_counted_and_end():
    state = reset(DEMAND, CAPACITY, VALID, 1)
    for count in range(8):
        assert int(num_choices(state)) == count
        assert bool(unfinished(state))
        state = take_step(state, torch.tensor([[0]]), DEMAND, CAPACITY)
    assert not bool(unfinished(state))  # customers are left, but 2M choices were made
    for nodes, left in (([1, 3, 0], True), ([1, 3, 0, 2], False)):
        _, state = walk(nodes)
        assert bool(unfinished(state)) is left


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
