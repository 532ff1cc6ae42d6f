"""Groups: one member is served, or the group is left out."""

import dataclasses

import pytest

from tests.build import on_a_line
from tests.vrpcore.referee.days import cost, day, problems, report
from vrpcore.instance.relations import Group
from vrpcore.instance.solution import Unserved
from vrpcore.referee.served_units import unit_name, units_of

ENDS = {"pickup": {"x": 1, "y": 0}, "delivery": {"x": 2, "y": 0}}
KEYS = {
    "depots": [{"id": "d", "x": 0, "y": 0}],
    "customers": on_a_line(3, 7),
    "shipments": [{"id": "s", "amount": 1, **ENDS}],
    "vehicles": [{"id": "van", "capacity": 5}],
}
INF = float("inf")


def grouped(prize=INF, members=(2, 3), **columns):
    return day(KEYS, groups=(Group("g", members, prize),), **columns)


def test_units_by_hand():
    (one, group) = units_of(grouped(4.0))
    assert (one.id, one.members, one.prize, one.group) == (1, [[1]], INF, None)
    assert (group.id, group.members, group.prize, group.group) == ("g", [[2], [3, 4]], 4.0, 0)
    on_board = day(KEYS, on_board=[-1, 0, -1, -1])
    assert unit_name(on_board, 3) == "s"
    assert unit_name(on_board, 1) == 1


def test_one_member_is_served():
    assert cost(grouped(), report(1, 2)) == 14.0
    assert cost(grouped(), report(1, "s:pickup", "s:delivery")) == 8.0
    both = report(1, 2, "s:pickup", "s:delivery", departure=0.0, begins=(3.0, 7.0, 13.0, 14.0))
    assert problems(grouped(), both) == ["groups[0]: 2 and 's' are served, expected one of them"]
    frozen = dataclasses.replace(both, schedule=dataclasses.replace(both.schedule, frozen=2))
    assert problems(grouped(), frozen)
    assert problems(grouped(), frozen, warnings=("FROZEN_BREAKS_LIMIT",)) == []


LEFT = Unserved("g", "PRIZE")


def test_a_group_that_is_left_out_costs_its_prize():
    assert cost(grouped(4.0), report(1, load=0.0), unserved=(LEFT,)) == 10.0
    assert cost(grouped(4.0), report(1)) == 10.0


@pytest.mark.parametrize(
    ("prize", "stated", "problem"),
    [
        (INF, {}, "routes: group 'g' is required and not served"),
        (4.0, {"unserved": ()}, "unserved: 'g' is not served and not reported"),
        (4.0, {"unserved": (LEFT, LEFT)}, "unserved[1]: 'g' is reported twice"),
        (
            4.0,
            {"unserved": (Unserved("s", "PRIZE"),)},
            "unserved[0]: 's' is a member of group 'g', expected that id",
        ),
        (
            4.0,
            {"unserved": (Unserved("x", "PRIZE"),)},
            "unserved[0]: 'x' is no customer, shipment or group",
        ),
        (
            4.0,
            {"unserved": (Unserved("g", "FLEET"),)},
            "unserved[0].reason: FLEET, expected PRIZE",
        ),
        (
            INF,
            {"unserved": (Unserved("g", "FLEET"),), "status": "infeasible"},
            "status: infeasible, but nothing proves it; expected partial",
        ),
    ],
)
def test_each_wrong_answer_by_its_message(prize, stated, problem):
    assert problem in problems(grouped(prize), report(1, load=0.0), **stated)


def test_a_required_group_may_be_left_out_of_a_partial_answer():
    stated = {"unserved": (Unserved("g", "FLEET"),), "status": "partial"}
    assert problems(grouped(), report(1, load=0.0), **stated) == []
    served = problems(grouped(), report(1, 2, load=0.0), **stated)
    assert served[0] == "unserved[0]: 'g' is served"
