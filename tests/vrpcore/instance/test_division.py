"""Visits and pieces as stops of an ordinary instance."""

import pytest

from tests.build import constrained, on_a_line
from vrpcore.instance.division import (
    Division,
    are_whole,
    fewest_visits,
    in_steps,
    room_for,
    visits_of,
)
from vrpcore.instance.plan import Plan, Reload, Route


def line(**keys):
    """Three customers; the first two may be split."""
    found = {
        "vehicles": [
            {"id": "car", "capacity": 3},
            {"id": "van", "capacity": 5, "skills": ["lift"]},
        ],
        "customers": on_a_line(
            1, 2, 3, demand=[7, 0, 2], pickup=[0, 4, 1], split=[True, True, False]
        ),
    }
    return constrained(**found | keys)


def test_pieces_have_their_amounts_and_others_keep_theirs():
    found = Division((1, 1, 3, 2), [(4.0,), (3.0,), (99.0,), (1.0,)]).of(line())
    constraints = found.own_constraints
    assert found.ids == (1, 1, 3, 2)
    assert found.coords[:, 0].tolist() == [0, 1, 1, 3, 2]
    assert constraints.delivery[:, 0].tolist() == [4, 3, 2, 0]
    assert constraints.pickup[:, 0].tolist() == [0, 0, 1, 1]
    assert found.demand.tolist() == [0, 4, 3, 2, 0]


def test_visits_of_a_plan_and_who_is_left():
    routes = [Route(1, (1, 2, 1), (Reload(0, 2),)), Route(0, (1,))]
    plan = Plan(routes, parts=(((2.0,), (4.0,), (3.0,)), ((2.0,),)))
    found, visits = visits_of(line(), plan)
    assert found.ids == (1, 2, 1, 1, 3)
    assert [route.stops for route in visits.routes] == [(1, 2, 3), (4,)]
    assert visits.routes[0].reloads == (Reload(0, 2),)
    assert found.own_constraints.delivery[:, 0].tolist() == [2, 0, 3, 2, 2]
    # Who may be split and is not served asks for one step, others for all.
    left, _ = visits_of(line(split_step=0.5), Plan([], parts=()))
    assert left.own_constraints.delivery[:, 0].tolist() == [0.5, 0, 2]


def test_steps_and_room():
    customers = on_a_line(
        1, 2, demand=[[7, 2.5], [0, 4]], split=[True, True], skills=[["lift"], []]
    )
    vehicles = [
        {"id": "car", "capacity": [3, 9]},
        {"id": "van", "capacity": [2, 5], "skills": ["lift"]},
    ]
    constraints = line(vehicles=vehicles, customers=customers).own_constraints
    assert in_steps(constraints).tolist() == [[True, False], [True, True]]
    assert room_for(constraints).tolist() == [[2, 5], [3, 9]]
    assert fewest_visits(constraints) == 4 + 1
    vehicles[1]["count"] = 0
    assert room_for(line(vehicles=vehicles, customers=customers).own_constraints)[0].max() == 0
    assert fewest_visits(line().own_constraints) == 2 + 1 + 1  # the van has room for 5


@pytest.mark.parametrize(
    ("parts", "amount", "whole"),
    [
        ([(1.0, 2.0), (3.0, 0.0)], [4, 2], True),
        ([(1.0, 2.0)], [4, 2], False),
        ([(0.1,)] * 3, [0.3], True),
        ([(0.1,), (0.2 + 1e-6,)], [0.3], False),
    ],
)
def test_parts_add_up(parts, amount, whole):
    assert are_whole(parts, amount) is whole
