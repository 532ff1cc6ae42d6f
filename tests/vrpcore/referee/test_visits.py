"""Groups, relations and permits by their messages; stops that stay with their vehicle."""

import itertools
import random

import pytest

from tests.build import on_a_line, plain
from tests.vrpcore.referee.days import changed, cost, day, problems, report
from vrpcore.instance.plan import ANY_VEHICLE, Plan, Route
from vrpcore.instance.relations import Group, Relation
from vrpcore.instance.solution import RouteReport, Solution, Unserved
from vrpcore.referee.referee import check_solution
from vrpcore.referee.visits import Permits, kept_and_moved

ENDS = {"pickup": {"x": 1, "y": 0}, "delivery": {"x": 2, "y": 0}}
KEYS = {
    "customers": on_a_line(3, 7),
    "shipments": [{"id": "s", "amount": 1, **ENDS}],
    "vehicles": [{"id": "van", "capacity": 5}],
}
INF = float("inf")


def grouped(prize=INF, members=(2, 3), **columns):
    return day(KEYS, groups=(Group("g", members, prize),), **columns)


def test_one_member_is_served():
    assert cost(grouped(), report(1, 2)) == 14.0
    assert cost(grouped(), report(1, "s:pickup", "s:delivery")) == 8.0
    both = report(1, 2, "s:pickup", "s:delivery", departure=0.0, begins=(3.0, 7.0, 13.0, 14.0))
    assert problems(grouped(), both) == ["groups[0]: 2 and 's' are served, expected one of them"]
    frozen = changed(both, frozen=2)
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
        (4.0, {"unserved": (Unserved("g", "FLEET"),)}, "unserved[0].reason: FLEET, expected PRIZE"),
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


LINE = {
    "customers": on_a_line(3, 7, 8, 9, prize=[5, 5, 5, 5]),
    "vehicles": [{"id": "van"}, {"id": "bike"}],
}


def of_relation(relation, *routes):
    reports = (report(*stops, vehicle=vehicle) for vehicle, stops in routes)
    return problems(day(LINE, relations=(relation,)), *reports)


@pytest.mark.parametrize(
    ("relation", "routes", "problem"),
    [
        (
            Relation("together", (1, 2)),
            [("van", (1,)), ("van", (2,))],
            "1 and 2 are in routes[0] and routes[1], which 'together' does not allow",
        ),
        (
            Relation("apart", (1, 2, 3)),
            [("van", (1, 4)), ("van", (3, 2))],
            "2 and 3 are both in routes[1], which 'apart' does not allow",
        ),
        (
            Relation("order", (1, 2, 3)),
            [("van", (1, 3, 4, 2))],
            "2 and 3 come the other way round in routes[0], which 'order' does not allow",
        ),
        (
            Relation("order", (1, 2)),
            [("van", (1,)), ("van", (2,))],
            "1 and 2 are in routes[0] and routes[1], which 'order' does not allow",
        ),
        (
            Relation("chain", (1, 2)),
            [("van", (1, 3, 2))],
            "stops are between 1 and 2 in routes[0], which 'chain' does not allow",
        ),
        (
            Relation("chain", (1, 2)),
            [("van", (2, 1))],
            "1 and 2 come the other way round in routes[0], which 'chain' does not allow",
        ),
        (
            Relation("chain", (1, 2), at="start"),
            [("van", (3, 1, 2))],
            "1 is not the first stop of routes[0]",
        ),
        (
            Relation("chain", (1, 2), at="end"),
            [("van", (1, 2, 3))],
            "2 is not the last stop of routes[0]",
        ),
    ],
)
def test_each_broken_relation_by_its_message(relation, routes, problem):
    assert of_relation(relation, *routes) == [f"relations[0]: {problem}"]


@pytest.mark.parametrize(
    ("relation", "routes"),
    [
        (Relation("together", (1, 2)), [("van", (1, 3)), ("van", (4,))]),
        (Relation("together", (1, 2)), [("van", (2, 1))]),
        (Relation("apart", (1, 2)), [("van", (1,)), ("van", (2,))]),
        (Relation("order", (1, 2, 3)), [("van", (1, 4, 3))]),
        (Relation("chain", (1, 2, 3), at="end"), [("van", (4, 1, 3))]),
        (Relation("chain", (1, 2), vehicle=1, at="start"), [("bike", (1, 2, 3))]),
        (Relation("together", (1, 2), vehicle=1), [("van", (3, 4))]),
    ],
)
def test_relations_that_hold_among_those_that_are_served(relation, routes):
    assert of_relation(relation, *routes) == []


def test_frozen_stops_may_break_relations_where_the_answer_says_so():
    instance = day(LINE, relations=(Relation("apart", (1, 2)),))
    stated = {"departure": 0.0, "begins": (3.0, 7.0, 8.0), "frozen": 1}
    route = report(1, 2, 3, **stated)
    assert problems(instance, route)
    assert problems(instance, route, warnings=("FROZEN_BREAKS_LIMIT",)) == []


def test_so_may_deliveries_of_what_was_picked_up_at_a_frozen_stop():
    instance = day(KEYS, relations=(Relation("apart", (2, 4)),))
    begins = (1.0, 3.0, 7.0, 12.0)
    route = report("s:pickup", 1, 2, "s:delivery", departure=0.0, begins=begins, frozen=0)
    assert len(problems(instance, route)) == 1
    assert problems(instance, route, warnings=("FROZEN_BREAKS_LIMIT",)) == []


MIXED = day(
    LINE,
    allowed=[[True, False, True, True], [True, True, True, True]],
    relations=(Relation("order", (3, 1), vehicle=1),),
)


def test_permits_by_hand():
    assert [Permits(MIXED).obstacle(1, stop) for stop in (1, 2, 3)] == [None] * 3
    on_board = day(
        LINE, on_board=[-1, -1, 1], shipment=[[0.0], [0.0], [-1.0]], delivery=[[1.0], [1.0], [0.0]]
    )
    found = [Permits(on_board).obstacle(0, stop) for stop in (1, 2, 3)]
    assert found == [None, None, "it is on board 'bike'"]


def test_a_route_of_the_wrong_type():
    assert problems(MIXED, report(3, 2, 1)) == [
        "routes[0].customers[0]: relations[0] asks for vehicle 'bike'",
        "routes[0].customers[1]: the vehicle is not among its vehicles",
        "routes[0].customers[2]: relations[0] asks for vehicle 'bike'",
    ]
    assert problems(MIXED, report(3, 2, 1, vehicle="bike")) == []


def routes(*stops, vehicle=0):
    return [Route(vehicle, each) for each in stops]


def test_by_hand():
    assert kept_and_moved(routes((1, 2, 3), (4, 5)), routes((5, 4), (2, 1))) == (4, 0)
    # Both keep most with the same route: only one may.
    assert kept_and_moved(routes((1, 2, 3), (4, 5)), routes((1, 2, 3, 4, 5))) == (3, 2)
    # New and dropped stops count neither way.
    assert kept_and_moved(routes((1, 2, 9)), routes((1, 2, 7, 8))) == (2, 0)
    other = [Route(1, (1, 2))]
    assert kept_and_moved(routes((1, 2)), other) == (0, 2)
    assert kept_and_moved(routes((1, 2), vehicle=ANY_VEHICLE), other) == (2, 0)
    # The first gives way, for the second fits nowhere else.
    crossed = routes((1, 2, 3, 4), (5, 6))
    assert kept_and_moved(crossed, routes((1, 2, 5, 6), (3, 4))) == (4, 2)


def test_among_all_ways_to_match():
    for seed in range(150):
        rng = random.Random(seed)
        known, found = ([[], [], [], []] for _ in range(2))
        for stop in range(1, rng.randint(4, 14)):
            rng.choice(known).append(stop)
            rng.choice(found).append(stop)
        plan = [Route(rng.choice([0, 1, ANY_VEHICLE]), tuple(each)) for each in known]
        own = [Route(rng.choice([0, 1]), tuple(each)) for each in found]
        most = max(
            sum(
                len({*one.stops} & {*own[other].stops})
                for one, other in zip(plan, order, strict=True)
                if one.vehicle in (ANY_VEHICLE, own[other].vehicle)
            )
            for order in itertools.permutations(range(4))
        )
        assert kept_and_moved(plan, own)[0] == most, seed


def test_what_is_stated():
    known, instance = Plan(routes((1,), (2,))), day({"customers": on_a_line(3, 7)})
    assert problems(instance, report(1, 2), kept=1, moved=1, known=known) == []
    assert problems(instance, report(1, 2), kept=2, known=known) == [
        "kept: 2, expected 1",
        "moved: null, expected 1",
    ]
    assert problems(instance, report(1, 2)) == []


def test_what_is_stated_of_a_plain_instance():
    instance = plain([[0, 0], [3, 0], [7, 0]])
    made = Solution(name="t", status="solved", routes=(RouteReport((1, 2), 2.0, 14.0),), kept=2)
    result = check_solution(instance, made, Plan.of([(1,), (2,)]))
    assert result.problems == ("kept: 2, expected 1", "moved: null, expected 1")
