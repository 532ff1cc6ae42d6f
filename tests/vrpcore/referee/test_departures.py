"""Departures and breaks of the least cost: by hand, and among many."""

import itertools
import math
import random

import pytest

from tests.build import constrained, detailed_instance, on_a_line, parts
from tests.vrpcore.referee.days import day, random_day, with_breaks
from vrpcore.cost.timeline import Timeline
from vrpcore.instance.plan import Route
from vrpcore.instance.vehicle_types import Break
from vrpcore.referee.departures import best, boards_in, free_breaks, time_cost
from vrpcore.referee.journey import Journey, Late, time_tolerance
from vrpcore.referee.loads import boards_of


def two(windows, vehicle=None, prices=(1.0, 1.0), **changes):
    """Stops at 3 and 7, both back to the depot; each may be 9 late."""
    customers = on_a_line(3, 7, windows=windows)
    keys = {"customers": customers, "vehicles": [{"id": "van", **(vehicle or {})}]}
    columns = {"max_late": [9.0, 9.0], "late_cost": list(prices)}
    return day(keys, vehicles=[changes], **columns)


def cheapest(instance, route=None):
    found = best(Journey(instance, route or Route(0, (1, 2))), 0.0, priced=True)
    return None if found is None else found.near[:3]


def test_waiting_and_lateness_by_hand():
    # The first opens up to 3, the second from 20 on: leaving at 0 waits for 13.
    windows = [[[0, 3]], [[20, 99]]]
    assert cheapest(two(windows, {"duration_cost": 2.0})) == (9 + 2 * 18, 18.0, 9.0)
    assert cheapest(two(windows, {"duration_cost": 0.5})) == (0.5 * 27, 27.0, 0.0)
    # Both cost the same whenever it leaves: the least duration decides.
    assert cheapest(two(windows, {"duration_cost": 1.0})) == (27.0, 18.0, 9.0)
    # The first may be late for nothing.
    assert cheapest(two(windows, prices=(0.0, 1.0))) == (0.0, 18.0, 9.0)


def simulated(instance, route, departure):
    """Cost and duration of the times that follow from a departure; None: not possible."""
    own, vehicle = instance.own_constraints, instance.own_constraints.vehicles[0]
    depot, cost = own.depots[0], 0.0
    trips = [route.stops]
    if route.reloads:
        cut = route.reloads[0].after
        trips = [route.stops[:cut], route.stops[cut:]]
    release = [max(own.release[stop - 1] for stop in trip) for trip in trips]
    if departure < max(release[0], vehicle.window[0]) or departure > vehicle.window[1]:
        return None
    now, place = departure, None
    if vehicle.start is not None:
        if departure < depot.window[0] or (depot.service and departure > depot.window[1]):
            return None
        now, place = departure + depot.service, 0.0
    for row, trip in enumerate(trips):
        if row:
            now = max(now + place, depot.window[0], release[row])
            if now > depot.window[1]:
                return None
            now, place = now + depot.service, 0.0
        for stop in trip:
            x = float(instance.coords[stop, 0])
            now += 0.0 if place is None else abs(x - place)
            begin = None
            rows = [each for each in own.windows[stop - 1].tolist() if each[0] < math.inf]
            for opens, closes in rows:
                if begin is None and now <= closes:
                    begin = max(now, opens)
            late = 0.0
            if begin is None:
                begin, late = now, now - rows[-1][1]
            if late > own.max_late[stop - 1] or (place is None and begin > departure):
                return None
            cost += late * own.late_cost[stop - 1]
            now, place = begin + own.service[stop - 1], x
    if vehicle.end is not None:
        now = max(now + place, depot.window[0])
        if now > depot.window[1]:
            return None
    over, late = now - departure - vehicle.max_duration, now - vehicle.window[1]
    if over > vehicle.max_overtime or late > vehicle.max_late:
        return None
    cost += max(0.0, over) * vehicle.overtime_cost + max(0.0, late) * vehicle.late_cost
    return cost + (now - departure) * vehicle.duration_cost, now - departure


@pytest.mark.parametrize("part", parts(4))
def test_none_on_a_grid_is_better(part):
    """All times are whole numbers, so that one of the best departures is, too."""
    priced = 0
    for seed in range(400 * part, 400 * part + 400):
        instance, route = random_day(random.Random(seed))
        journey = Journey(instance, route)
        tried = [
            (*found, departure)
            for departure in range(80)
            if (found := simulated(instance, route, float(departure))) is not None
        ]
        found = best(journey, 0.0, priced=True)
        assert (found is None) == (not tried), seed
        if found is None:
            continue
        assert found.near[:3] == pytest.approx(min(tried)), seed
        times = journey.times(found.near.time, 0.0)
        assert time_cost(journey, times) == pytest.approx(found.near.cost), seed
        if not journey.is_priced:
            assert best(journey, 0.0).near[1:3] == pytest.approx(found.near[1:3]), seed
        priced += journey.is_priced
    assert priced > 100


REST = {"id": "rest", "window": [4, 9], "duration": 3, "max_load": 2}
TEA = {"id": "tea", "duration": 1}
TWO = constrained(
    customers=on_a_line(3, 7, demand=[2, 1], service=[2, 1]),
    vehicles=[{"breaks": [REST, TEA]}],
)
BOTH = Route(0, (1, 2))


def test_free_breaks_by_hand():
    journey = Journey(TWO, BOTH)
    found = free_breaks(journey, boards_in(boards_of(TWO, BOTH)), 1e-9)
    journey.take(found)
    assert best(journey, 1e-9).near[1:3] == (21.0, 0.0)  # 14 on the way, 3 served, 4 rested
    times = journey.times(0.0, 1e-9)
    assert times.end == 21.0
    assert [after for index, after in found if index == 0] == [1]
    late = constrained(customers=on_a_line(10, demand=[3]), vehicles=[{"breaks": [REST]}])
    route = Route(0, (1,))
    assert free_breaks(Journey(late, route), boards_in(boards_of(late, route)), 1e-9) is None


@pytest.mark.parametrize("part", parts(8))
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
                rests = free_breaks(journey, boards_in(boards_of(instance, route)), slack)
                if found is None:
                    late = isinstance(journey.times(journey.earliest, slack), Late)
                    assert late or rests is None
                    continue
                free = Journey(instance, route)
                free.take(rests)
                names = [each.id for each in kind.breaks]
                journey.take([(names.index(each.id), each.after) for each in found.breaks])
                found_best = best(journey, slack)
                duration, departure = found_best.sharp.duration, found_best.near.time
                free_best = best(free, slack).sharp.duration
                assert free_best == pytest.approx(duration, rel=1e-6, abs=1e-6)
                assert duration == pytest.approx(found.duration, rel=1e-6, abs=1e-6)
                assert departure == pytest.approx(found.departure, rel=1e-6, abs=1e-6)
                placed += 1
    assert placed > 50


def test_more_than_ten_breaks_come_in_the_order_of_their_ends():
    ends = [30, 9, 20, *range(40, 48), 50]
    breaks = [{"id": str(end), "window": [0, end]} for end in ends]
    instance = constrained(customers=on_a_line(3, 7), vehicles=[{"breaks": breaks}])
    journey = Journey(instance, BOTH)
    found = free_breaks(journey, boards_in(boards_of(instance, BOTH)), 1e-9)
    assert [ends[index] for index, _ in found] == sorted(ends)


def placements(number, places):
    """All ways to take breaks in any order, each behind so many stops and reloads."""
    for order in itertools.permutations(range(number)):
        for after in itertools.combinations_with_replacement(range(places + 1), number):
            yield list(zip(order, after, strict=True))


@pytest.mark.parametrize("part", parts(4))
def test_free_breaks_are_the_best_where_lateness_has_a_price(part):
    """Among all ways to take them, each with its best departure."""
    found = 0
    for seed in range(100 * part, 100 * part + 100):
        rng = random.Random(seed)
        instance, route = random_day(rng)
        opens = rng.randint(0, 20)
        windows = ((float(opens), opens + 9.0), (opens + 15.0, 90.0))
        breaks = [Break(id="a", windows=windows, duration=3.0), Break(id="b", duration=2.0)]
        breaks = breaks[: rng.randint(1, 2)]
        instance = with_breaks(instance, *breaks)
        if not Journey(instance, route).is_priced:
            continue

        def cost(rests, instance=instance, route=route):
            journey = Journey(instance, route)
            journey.take(rests)
            choice = best(journey, 0.0, priced=True)
            return math.inf if choice is None else choice.near.cost

        least = min(
            cost(rests) for rests in placements(len(breaks), len(route.stops) + len(route.reloads))
        )
        rests = free_breaks(Journey(instance, route), boards_in(boards_of(instance, route)), 0.0)
        if least < math.inf:
            assert cost(rests) == pytest.approx(least), seed
            found += 1
    assert found > 10
