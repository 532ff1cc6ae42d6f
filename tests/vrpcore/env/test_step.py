import torch

from vrpcore.env.step import choice_mask, reset, state_tour, take_step

DEMAND = torch.tensor([[0.0, 4.0, 6.0, 0.0]])
CAPACITY = torch.tensor([9.0])
VALID = torch.tensor([[True, True, True, True]])


def walk(nodes, valid=VALID):
    """Masks before each choice, and the state after the last."""
    state, masks = reset(CAPACITY, valid, 1), []
    for node in nodes:
        masks.append(choice_mask(state, DEMAND)[0, 0].tolist())
        state = take_step(state, torch.tensor([[node]]), DEMAND, CAPACITY)
    masks.append(choice_mask(state, DEMAND)[0, 0].tolist())
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
