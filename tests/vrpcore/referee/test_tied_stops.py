"""Relations among the stops that are served, each by its message."""

import pytest

from tests.build import on_a_line
from tests.vrpcore.referee.days import day, problems, report
from vrpcore.instance.relations import Relation

KEYS = {
    "depots": [{"id": "d", "x": 0, "y": 0}],
    "customers": on_a_line(3, 7, 8, 9, prize=[5, 5, 5, 5]),
    "vehicles": [{"id": "van"}, {"id": "bike"}],
}


def found(relation, *routes):
    reports = (report(*stops, vehicle=vehicle) for vehicle, stops in routes)
    return problems(day(KEYS, relations=(relation,)), *reports)


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
    assert found(relation, *routes) == [f"relations[0]: {problem}"]


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
    assert found(relation, *routes) == []


def test_frozen_stops_may_break_relations_where_the_answer_says_so():
    instance = day(KEYS, relations=(Relation("apart", (1, 2)),))
    stated = {"departure": 0.0, "begins": (3.0, 7.0, 8.0), "frozen": 1}
    route = report(1, 2, 3, **stated)
    assert problems(instance, route)
    assert problems(instance, route, warnings=("FROZEN_BREAKS_LIMIT",)) == []
