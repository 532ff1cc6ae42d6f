"""Breaks as the referee sees them: by hand, and beside the timeline of the solver."""

import dataclasses
import itertools
import math
import random

import pytest

from tests.build import constrained, detailed_instance, on_a_line
from tests.vrpcore.referee.days import random_day
from vrpcore.cost.timeline import Timeline
from vrpcore.instance.plan import Route
from vrpcore.instance.solution import RouteBreak
from vrpcore.instance.vehicle_types import Break
from vrpcore.referee.departures import cheapest, is_priced
from vrpcore.referee.route_limits import Journey, time_tolerance
from vrpcore.referee.stated_breaks import free_breaks, overloaded_breaks, stated_breaks

REST = {"id": "rest", "window": [4, 9], "duration": 3, "max_load": 2}
TEA = {"id": "tea", "duration": 1}
TWO = constrained(
    customers=on_a_line(3, 7, demand=[2, 1], service=[2, 1]),
    vehicles=[{"breaks": [REST, TEA]}],
)
BOTH = Route(0, (1, 2))
VAN = TWO.own_constraints.vehicles[0]


def taken(*rests):
    return [RouteBreak(id=name, begin=0.0, after=after) for name, after in rests]


def test_stated_breaks():
    assert stated_breaks(VAN, taken(("tea", 0), ("rest", 1)), BOTH) == ([(1, 0), (0, 1)], [])


@pytest.mark.parametrize(
    ("rests", "problem"),
    [
        ([("tea", 0)], "breaks: 'rest' is missing"),
        ([("tea", 0), ("rest", 1), ("nap", 1)], "breaks[2].id: 'nap' is no break of the vehicle"),
        ([("tea", 0), ("rest", 1), ("tea", 1)], "breaks[2].id: 'tea' is taken twice"),
        ([("tea", 1), ("rest", 0)], "breaks[1].after: 0, expected 1 to 2"),
        ([("tea", 1), ("rest", 3)], "breaks[1].after: 3, expected 1 to 2"),
    ],
)
def test_what_is_wrong_with_stated_breaks(rests, problem):
    assert stated_breaks(VAN, taken(*rests), BOTH)[1] == [problem]


def test_loads_in_breaks():
    assert list(overloaded_breaks(TWO, BOTH, [(0, 1), (1, 0)])) == []
    (problem,) = overloaded_breaks(TWO, BOTH, [(1, 0), (0, 0)])
    assert problem == ("breaks[1]", "a load of 3.0 exceeds max_load 2.0")


def test_free_breaks_by_hand():
    journey = Journey(TWO, BOTH)
    found = free_breaks(TWO, BOTH, journey, 1e-9)
    journey.take(found)
    assert journey.best(1e-9) == (21.0, 0.0, 0.0)  # 14 on the way, 3 served, 4 rested
    times = journey.times(0.0, 1e-9)
    assert times.end == 21.0
    assert [after for index, after in found if index == 0] == [1]
    late = constrained(customers=on_a_line(10, demand=[3]), vehicles=[{"breaks": [REST]}])
    assert free_breaks(late, Route(0, (1,)), Journey(late, Route(0, (1,))), 1e-9) is None


@pytest.mark.parametrize("part", range(8))
def test_the_referee_and_the_timeline_agree(part):
    """On the least duration, free or with the breaks where the timeline has them."""
    placed = 0
    for seed in range(100 * part, 100 * part + 100):
        instance = detailed_instance(seed, 1 + seed % 3)
        timeline, (_, slack) = Timeline(instance), time_tolerance(instance)
        for vehicle, kind in enumerate(instance.own_constraints.vehicles):
            for stops in itertools.permutations(range(1, instance.num_customers + 1)):
                if not kind.breaks:
                    continue
                route = Route(vehicle, stops)
                found, journey = timeline.schedule(route), Journey(instance, route)
                rests = free_breaks(instance, route, journey, slack)
                if found is None:
                    late = isinstance(journey.times(journey.earliest, slack), str)
                    assert late or rests is None
                    continue
                free = Journey(instance, route)
                free.take(rests)
                journey.take([(each.number, each.after) for each in found.breaks])
                duration, departure, _ = journey.best(slack)
                assert free.best(slack)[0] == pytest.approx(duration, rel=1e-6, abs=1e-6)
                assert duration == pytest.approx(found.duration, rel=1e-6, abs=1e-6)
                assert departure == pytest.approx(found.departure, rel=1e-6, abs=1e-6)
                placed += 1
    assert placed > 50


def test_more_than_ten_breaks_come_in_the_order_of_their_ends():
    ends = [30, 9, 20, *range(40, 48), 50]
    breaks = [{"id": str(end), "window": [0, end]} for end in ends]
    instance = constrained(customers=on_a_line(3, 7), vehicles=[{"breaks": breaks}])
    journey = Journey(instance, BOTH)
    found = free_breaks(instance, BOTH, journey, 1e-9)
    assert [ends[index] for index, _ in found] == sorted(ends)


def placements(number, places):
    """All ways to take breaks in any order, each behind so many stops and reloads."""
    for order in itertools.permutations(range(number)):
        for after in itertools.combinations_with_replacement(range(places + 1), number):
            yield list(zip(order, after, strict=True))


@pytest.mark.parametrize("part", range(4))
def test_free_breaks_are_the_best_where_lateness_has_a_price(part):
    """Among all ways to take them, each with its best departure."""
    found = 0
    for seed in range(100 * part, 100 * part + 100):
        rng = random.Random(seed)
        instance, route = random_day(rng)
        opens = rng.randint(0, 20)
        windows = ((float(opens), opens + 9.0), (opens + 15.0, 90.0))
        breaks = [Break(id="a", windows=windows, duration=3.0), Break(id="b", duration=2.0)]
        own = instance.own_constraints
        van = dataclasses.replace(own.vehicles[0], breaks=tuple(breaks[: rng.randint(1, 2)]))
        own = dataclasses.replace(own, vehicles=(van,))
        instance = dataclasses.replace(instance, constraints=own)
        if not is_priced(Journey(instance, route)):
            continue

        def cost(rests, instance=instance, route=route):
            journey = Journey(instance, route)
            journey.take(rests)
            best = cheapest(journey, 0.0)
            return math.inf if best is None else best.near.cost

        best = min(
            cost(rests)
            for rests in placements(len(van.breaks), len(route.stops) + len(route.reloads))
        )
        rests = free_breaks(instance, route, Journey(instance, route), 0.0)
        if best < math.inf:
            assert cost(rests) == pytest.approx(best), seed
            found += 1
    assert found > 10
