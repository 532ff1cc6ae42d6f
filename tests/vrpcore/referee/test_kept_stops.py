"""Stops that stay with their vehicle of a known plan: by hand, and among all ways to match."""

import itertools
import random

import pytest

from tests.build import on_a_line, plain
from tests.vrpcore.referee.days import day, problems, report
from vrpcore.instance.plan import ANY_VEHICLE, Plan, Route
from vrpcore.instance.solution import RouteReport, Solution
from vrpcore.referee.kept_stops import kept_and_moved
from vrpcore.referee.referee import check_solution


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


@pytest.mark.parametrize("seed", range(150))
def test_among_all_ways_to_match(seed):
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
    assert kept_and_moved(plan, own)[0] == most


def test_what_is_stated():
    keys = {
        "depots": [{"id": "d", "x": 0, "y": 0}],
        "customers": on_a_line(3, 7),
        "vehicles": [{"id": "van"}],
    }
    known, instance = Plan(routes((1,), (2,))), day(keys)
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
