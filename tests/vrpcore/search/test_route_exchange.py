"""Moves that exchange the tails or the vehicles of routes."""

import math

import pytest

from tests.build import constrained
from tests.vrpcore.search.mixed import constructed
from vrpcore.instance.plan import Reload, Route
from vrpcore.search.rich_library import RichSearch
from vrpcore.search.rich_problem import RichProblem

LENGTH = 40
COLD = (1e-3, 1e-3)


def two_streets(*others):
    """Two parallel streets, numbered 1.. and LENGTH + 1.., served on the way out."""
    points = [
        {"x": x, "y": y, "demand": 1, "window": [0, x + (5 if others else 2)]}
        for y in (-1, 1)
        for x in range(1, LENGTH + 1)
    ]
    vehicle = {"capacity": LENGTH, **({"reloads": ["0"]} if others else {})}
    return constrained(customers=[*points, *others], vehicles=[vehicle])


def crossed():
    """Routes that change streets in the middle."""
    low, high = range(1, LENGTH + 1), range(LENGTH + 1, 2 * LENGTH + 1)
    middle = LENGTH // 2
    return [
        Route(0, (*low[:middle], *high[middle:])),
        Route(0, (*high[:middle], *low[middle:])),
    ]


def annealed(instance, routes, iterations, seed=1):
    search = RichSearch(RichProblem(instance))
    search.begin(seed)
    search.start(routes)
    search.anneal(iterations, COLD)
    return search.found().plan()


def test_crossed_tails_are_exchanged():
    # Ruins of ten stops at most could only move the crossing along, at no gain.
    found = annealed(two_streets(), crossed(), 600)
    straight = 2 * (LENGTH - 1 + math.hypot(1, 1) + math.hypot(LENGTH, 1))
    assert found.cost == pytest.approx(straight)


def test_tails_of_second_trips_are_exchanged():
    # Whoever is behind the depot fills a vehicle, and has to be served first.
    instance = two_streets(
        {"x": -1, "y": -1, "demand": LENGTH, "window": [0, 2]},
        {"x": -1, "y": 1, "demand": LENGTH, "window": [0, 2]},
    )
    reload = (Reload(0, 1),)
    routes = [
        Route(0, (2 * LENGTH + number, *route.stops), reload)
        for number, route in enumerate(crossed(), 1)
    ]
    found = annealed(instance, routes, 600)
    straight = 2 * (LENGTH - 1 + math.hypot(1, 1) + math.hypot(LENGTH, 1) + 2 * math.hypot(1, 1))
    assert found.cost == pytest.approx(straight)


HALF = 20
OWN, NEXT = 50, 70  # degrees from the head of a spoke to its tail, and to that of the next spoke


def three_spokes(rests):
    """Three heads from the depot outwards, then three tails at other angles, in one order each."""
    turns = [spoke * (OWN + NEXT) for spoke in range(3)]
    ends = [
        *((turn, range(1, HALF + 1)) for turn in turns),
        *((turn - OWN, range(HALF, 2 * HALF)) for turn in turns),
    ]
    points = [
        {
            "x": far * math.cos(math.radians(angle)),
            "y": far * math.sin(math.radians(angle)),
            "demand": 1,
            "window": [0, far + (25 if far >= HALF and len(tail) == HALF and angle % 120 else 1)],
        }
        for angle, tail in ends
        for far in tail
    ]
    breaks = {"breaks": [{"window": [70, 90], "duration": 1}]} if rests else {}
    return constrained(customers=points, vehicles=[{"capacity": 2 * HALF, **breaks}])


def spokes(turned):
    """Each head with its own tail, or with that of the next spoke."""
    heads = [range(1 + HALF * spoke, 1 + HALF * (spoke + 1)) for spoke in range(6)]
    return [Route(0, (*heads[each], *heads[3 + (each + turned) % 3])) for each in range(3)]


@pytest.mark.parametrize("rests", [False, True])
def test_three_tails_change_places_at_once(rests):
    # Two of them would first make the plan dearer.
    right, wrong = (annealed(three_spokes(rests), spokes(turned), 3000) for turned in (0, 1))
    assert wrong.cost == pytest.approx(right.cost)


def two_towns(swapped):
    """A town of 20 stops around the home of each of two drivers, and one driver in each town."""
    points = [
        {"x": x + town, "y": y, "demand": 1}
        for town in (0, 100)
        for x in range(5)
        for y in range(4)
    ]
    homes = [{"id": "west", "x": 0, "y": 0}, {"id": "east", "x": 100, "y": 0}]
    drivers = [
        {"count": 1, "capacity": 20, "start": home, "end": home}
        for home in (("east", "west") if swapped else ("west", "east"))
    ]
    return constrained(customers=points, depots=homes, vehicles=drivers)


def test_vehicles_are_exchanged():
    towns = [Route(0, tuple(range(1, 21))), Route(1, tuple(range(21, 41)))]
    # A cold search may also let both drivers serve both towns, and stay there.
    right, wrong = (
        min(annealed(two_towns(swapped), towns, 300, seed).cost for seed in range(8))
        for swapped in (False, True)
    )
    assert wrong == pytest.approx(right)
    assert right < 100


def test_tails_keep_loads_and_skills():
    points = [{"x": x, "y": y, "demand": 1} for y in (-1, 1) for x in (1, 2, 3, 4)]
    points[3]["demand"] = points[7]["demand"] = 3
    points[3]["skills"] = ["low"]
    kinds = [
        {"count": 1, "capacity": 6, "skills": ["low"]},
        {"count": 1, "capacity": 6},
    ]
    instance = constrained(customers=points, vehicles=kinds)
    routes = [Route(0, (5, 6, 7, 4)), Route(1, (1, 2, 3, 8))]
    found = annealed(instance, routes, 500)
    assert all(4 not in route.stops for route in found.routes if route.vehicle == 1)
    assert sorted(stop for route in found.routes for stop in route.stops) == list(range(1, 9))


def test_shipments_stay_whole():
    ends = [
        {
            "id": f"{x} {y}",
            "pickup": {"x": x, "y": y},
            "delivery": {"x": x + 20, "y": y},
            "amount": 1,
        }
        for y in (-1, 1)
        for x in range(1, 11)
    ]
    instance = constrained(shipments=ends, vehicles=[{"capacity": 10}])
    constraints = instance.own_constraints
    search = constructed(instance, 1)
    search.anneal(3000, (2.0, 0.02))
    for route in search.found().plan().routes:
        for stop in route.stops:
            assert constraints.partner(stop) in route.stops
