"""The compiled search for constraints: what goes in and comes out, and its memory."""

import ctypes
import re

import numpy as np
import pytest

from tests.build import constrained, mixed_instance, on_a_line
from tests.vrpcore.search.mixed import constructed, fault
from vrpcore.cost.timeline import Timeline
from vrpcore.errors import MissingSearchError
from vrpcore.instance.plan import ANY_VEHICLE as ANY
from vrpcore.instance.plan import Reload, Route
from vrpcore.native.library import RICH
from vrpcore.search import hgs_library, rich_library
from vrpcore.search.rich_library import RichSearch
from vrpcore.search.rich_problem import RichProblem


def test_annealing_does_not_make_a_plan_worse_and_counts_its_iterations():
    for seed in range(20):
        search = constructed(mixed_instance(seed, 12), 1)
        before = search.found().plan()
        assert search.anneal(300, (0.5, 0.1)) == 300
        after = search.found().plan()
        assert (after.missing, after.cost) <= (before.missing, before.cost)


def test_a_plan_costs_its_routes_or_its_prize():
    instance = mixed_instance(0, 1)
    plan = constructed(instance).found().plan()
    costs = [Timeline(instance).schedule(route).cost for route in plan.routes]
    left_out = 0.0 if plan.routes or plan.missing else float(instance.own_constraints.prize[0])
    assert plan.cost == pytest.approx(sum(costs) + left_out)


def test_without_time_plans_that_take_long_are_built_only_in_their_seconds():
    customers = on_a_line(1, 2, window=[[0, 1], [0, 1]], late_cost=[1, 1])
    search = RichSearch(RichProblem(constrained(customers=customers, vehicles=[{}])))
    for whole_s, missing in ((0.0, True), (1e9, False)):
        search.begin(0, 0.0, whole_s)
        search.construct()
        assert bool(search.found().missing) is missing
        assert search.start([Route(0, (2,))]) == 1
        assert bool(search.found().missing) is missing


def test_a_child_has_routes_of_one_plan_and_keeps_all_limits():
    for seed in range(10):
        instance = mixed_instance(seed, 20)
        search, timeline = RichSearch(RichProblem(instance)), Timeline(instance)
        plans = []
        for other in range(2):
            search.begin(other)
            search.construct()
            search.anneal(200, (2.0, 1.0))
            plans.append(search.found())
        search.cross(*plans)
        child, first = search.found().plan(), plans[0].plan().routes
        assert [fault(instance, timeline, route) for route in child.routes] == [None] * len(
            child.routes
        )
        if len(first) > 1 and not child.missing:
            stops = [set(route.stops) for route in child.routes]
            assert any(set(route.stops) <= each for route in first for each in stops)


def test_a_child_of_a_plan_and_itself_is_no_worse():
    for seed in range(20):
        search = constructed(mixed_instance(seed, 15), 3)
        before = search.found()
        search.cross(before, before)
        after = search.found()
        assert after.missing <= before.missing
        if after.missing == before.missing:
            assert after.cost <= before.cost + 1e-9 * abs(before.cost)


@pytest.mark.parametrize("byte", [0, 255])
def test_what_was_in_the_memory_before_does_not_matter(monkeypatch, byte):
    def plan(seed):
        search = constructed(mixed_instance(seed, 15), 5)
        search.start([Route(ANY, (1, 5, 9, 5)), Route(0, (2, 15))])
        search.anneal(500, (0.5, 0.1))
        search.cross(search.found(), search.found())
        found = search.found().plan()
        search = RichSearch(RichProblem(mixed_instance(seed, 6)))
        search.begin(5)
        assert search.find_exact()
        return found, search.found().plan()

    expected = [plan(seed) for seed in range(6)]

    class Memory(hgs_library.Memory):
        def __init__(self, num_bytes):
            super().__init__(num_bytes)
            self._owner[:] = byte

    monkeypatch.setattr(hgs_library, "Memory", Memory)
    assert [plan(seed) for seed in range(6)] == expected


def test_of_few_stops_the_best_plan_is_found_whatever_the_seed():
    for seed in range(30):
        search = RichSearch(RichProblem(mixed_instance(seed, 1 + seed % 6)))
        values = []
        for other in range(2):
            search.begin(other)
            search.construct()
            search.anneal(500, (2.0, 0.1))
            before = search.found()
            assert search.find_exact()
            assert search.rank(search.found()) <= search.rank(before)
            values.append(search.found().value)
        assert values[0] == pytest.approx(values[1], rel=1e-9)


def test_a_plan_that_costs_as_little_as_the_best_stays():
    square = [{"x": x, "y": y} for x in (-1, 1) for y in (-1, 1)]
    search = RichSearch(RichProblem(constrained(customers=square, vehicles=[{"count": 1}])))
    for stops in ([1, 2, 4, 3], [3, 4, 2, 1], [4, 2, 1, 3]):
        search.begin(0)
        search.start([Route(0, tuple(stops))])
        assert search.find_exact()
        assert search.found().plan().routes == [Route(0, tuple(stops))]


def test_more_stops_than_a_few_are_left_to_the_search():
    search = constructed(mixed_instance(0, 14))
    before = search.found()
    assert not search.find_exact()
    assert search.found().value == before.value


def test_without_its_library_it_says_so(monkeypatch, tmp_path):
    load = rich_library.load_library
    monkeypatch.setattr(rich_library, "load_library", lambda *_: load(tmp_path / "none.so"))
    assert not rich_library.is_built()
    with pytest.raises(MissingSearchError, match=r"the compiled search is missing .*none\.so"):
        RichProblem(mixed_instance(0, 3))


def test_the_input_is_laid_out_as_compilers_do():
    numbers = (15 + 1) * ctypes.sizeof(ctypes.c_int32) + ctypes.sizeof(ctypes.c_double)
    # A number with eight bytes begins at a multiple of eight.
    arrays = len(rich_library.ARRAYS) * ctypes.sizeof(ctypes.c_void_p)
    assert ctypes.sizeof(rich_library.Input) == numbers + arrays
    assert set(rich_library.ARRAYS.values()) == {np.float64, np.int64, np.int32, np.uint8}


def test_the_input_names_its_arrays_in_the_same_order():
    source = (RICH.source.parent / "rich_input.hpp").read_text()
    (struct,) = re.findall(r"struct RichInput {(.*?)\n};", source, re.DOTALL)
    lines = re.sub(r"//.*", "", struct).split(";")
    pointers = [re.findall(r"\*\s*(\w+)", line) for line in lines]
    assert [name for names in pointers for name in names] == list(rich_library.ARRAYS)


def started(instance, routes):
    """How many stops stay as they are, and the plan that begins with them."""
    search = constructed(instance)
    stay = search.start([Route(vehicle, tuple(stops)) for vehicle, stops, *_ in routes])
    return stay, search.found().plan()


def test_routes_that_keep_all_limits_stay():
    for seed in range(10):
        instance = mixed_instance(seed, 14)
        search = constructed(instance, 1)
        search.anneal(2000, (0.5, 0.05))
        good = search.found().plan()
        stay, found = started(instance, good.routes)
        assert stay == sum(len(route.stops) for route in good.routes)
        assert (found.missing, found.cost) <= (good.missing, good.cost + 1e-9)


COLD = {"customers": on_a_line(1, 2, skills=[["cold"], []])}
COLDEST = {
    "customers": on_a_line(1, 2, 3, 4, skills=[["cold"], ["cold"], ["hot"], ["hot"]]),
}
LATE = [[0, 30], [0, 4], [0, 4], [0, 4]]
FIRST = {"customers": on_a_line(9, 1, 2, 3, window=LATE)}
PICKUPS = {"customers": on_a_line(1, 2, 3, pickup=[1, 0, 0], demand=[0, 1, 9])}
SHIPMENT = {
    "shipments": [{"id": "s", "pickup": {"x": 1, "y": 0}, "delivery": {"x": 3, "y": 0}}],
    "customers": on_a_line(2),
}


FARTHER = {**SHIPMENT, "customers": on_a_line(9)}
ONE = {"max_customers": 1}
CHEAP = {"fixed_cost": 3, **ONE}
ALONE = {"shipments": SHIPMENT["shipments"], "customers": []}


@pytest.mark.parametrize(
    ("keys", "vehicles", "routes", "stay"),
    [
        ({}, [{}], [], 0),
        ({}, [{}], [(0, []), (ANY, [])], 0),
        ({}, [{}], [(0, [1, 2]), (ANY, [3])], 3),
        # twice in a route, or in two
        ({}, [{}], [(0, [1, 2, 1])], 2),
        ({}, [{}], [(0, [1, 2]), (0, [2, 3])], 3),
        # more routes than vehicles
        ({}, [{"count": 1}], [(0, [1]), (0, [2, 3])], 1),
        ({}, [{"count": 1}], [(ANY, [1]), (ANY, [2, 3])], 1),
        ({}, [{"count": 1}, {}], [(ANY, [1]), (ANY, [2])], 2),
        ({}, [{"count": 1}, {}], [(0, [1]), (0, [2])], 1),
        ({}, [{"count": 0}, {}], [(0, [1])], 0),
        # limits of a route: one stop less is enough, or not
        ({}, [{"max_customers": 2}], [(0, [1, 2, 3])], 2),
        ({}, [{"max_customers": 2}], [(0, [1, 2, 3, 4])], 2),
        ({}, [{"max_distance": 6}], [(ANY, [1, 3, 4])], 2),
        ({}, [{"max_distance": 4}], [(0, [4, 1, 3, 2])], 2),
        ({}, [{"window": [0, 7]}], [(0, [1, 2, 3, 4])], 3),
        ({}, [{"window": [0, 8]}], [(0, [1, 2, 3, 4])], 4),
        ({}, [{"max_distance": 1}], [(0, [1, 2])], 0),
        # who makes all others late is taken out
        (FIRST, [{}], [(0, [1, 2, 3, 4])], 3),
        # vehicles that can and cannot
        (COLD, [{"count": 1}, {"skills": ["cold"]}], [(0, [1, 2])], 0),
        (COLD, [{"count": 1}, {"skills": ["cold"]}], [(ANY, [1, 2])], 2),
        (COLD, [{}], [(ANY, [1, 2])], 1),
        (COLD, [{"skills": ["cold"]}, {}], [(ANY, [2]), (ANY, [1])], 2),
        (
            COLD,
            [{"skills": ["cold"], "count": 1}, {"fixed_cost": 9}],
            [(ANY, [2]), (ANY, [1])],
            2,
        ),
        # of types that cannot serve all, the one that can serve most
        (COLD, [{}, {"skills": ["cold"], "max_customers": 1}], [(ANY, [1])], 1),
        (COLDEST, [{}, {"skills": ["cold"]}], [(ANY, [1, 2, 3, 4])], 2),
        (COLDEST, [{"skills": ["cold"]}, {}], [(ANY, [1, 2, 3, 4])], 2),
        (COLDEST, [{"skills": ["cold"], "count": 1}, {}], [(0, [1]), (ANY, [2, 3, 4])], 1),
        # whole routes keep stops and vehicles that broken ones want
        ({}, [{"count": 2, "max_customers": 2}], [(0, [1, 2, 3]), (0, [2, 3]), (0, [4])], 3),
        ({}, [{"count": 1}, {}], [(0, [1, 1]), (0, [2, 3])], 2),
        ({}, [{"count": 1, **ONE}, ONE], [(0, [1]), (0, [2, 3])], 1),
        # without a type, the cheapest: nobody else gets it
        ({}, [{"fixed_cost": 5, **ONE}, {"count": 1, **ONE}, CHEAP], [(ANY, [1]), (1, [2, 3])], 1),
        # ends of a shipment
        (SHIPMENT, [{}], [(0, [2, 1, 3])], 3),
        (SHIPMENT, [{}], [(0, [2, 1])], 1),
        (SHIPMENT, [{}], [(0, [1, 3])], 1),
        (SHIPMENT, [{}], [(0, [3, 1, 2])], 1),
        (SHIPMENT, [{}], [(0, [2, 3, 1, 2])], 3),
        (SHIPMENT, [{}], [(0, [2]), (0, [3, 1])], 1),
        (ALONE, [{}], [(0, [2, 1])], 0),
        (ALONE, [{}], [(0, [1]), (0, [1, 2])], 2),
        # the unit whose absence saves most is taken out
        (SHIPMENT, [{"max_customers": 2}], [(0, [2, 1, 3])], 1),
        (SHIPMENT, [{"max_customers": 2}], [(0, [1, 2, 3])], 1),
        (FARTHER, [{"max_customers": 2}], [(0, [2, 1, 3])], 2),
        (FARTHER, [{"max_customers": 2}], [(0, [1, 2, 3])], 2),
        # a pickup waits for the delivery behind it
        (PICKUPS, [{"capacity": 3}], [(0, [1, 3, 2])], 2),
    ],
)
def test_broken_routes_lose_no_more_than_they_have_to(keys, vehicles, routes, stay):
    customers = {"customers": on_a_line(1, 2, 3, 4)}
    orders = {"pickup_only_routes": False} if keys is PICKUPS else {}
    instance = constrained(**(customers | keys | orders), vehicles=vehicles)
    assert started(instance, routes)[0] == stay


def test_who_is_taken_out_is_inserted_again():
    instance = constrained(customers=on_a_line(1, 2, 3, 4), vehicles=[{"max_customers": 2}])
    stay, found = started(instance, [(0, [1, 2, 3, 4])])
    assert (stay, found.missing, found.cost) == (2, 0, 12.0)
    assert sorted(stop for route in found.routes for stop in route.stops) == [1, 2, 3, 4]


GROUP = {"groups": [{"members": ["3", "4"]}]}


@pytest.mark.parametrize("more", [{}, GROUP], ids=["small build", "working day"])
@pytest.mark.parametrize("vehicle", [{}, {"reloads": ["0"]}], ids=["no trips", "trips"])
def test_reloads_of_known_routes_stay_only_where_they_make_trips(vehicle, more):
    """However many there are, and however often a stop is named."""
    instance = constrained(customers=on_a_line(1, 2, 3, 4), vehicles=[vehicle], **more)
    everywhere = tuple(Reload(0, after) for after in range(1, 9999))
    for stops, reloads in (((1, 2), (Reload(0, 1),)), ((1, 2) * 5000, everywhere)):
        search = RichSearch(RichProblem(instance))
        search.begin(1)
        kept = search.start([Route(ANY, stops, reloads)])
        (route,) = search.found().plan().routes
        assert kept == 2
        assert {1, 2} < set(route.stops)
        assert bool(route.reloads) <= bool(vehicle)


def shipments_on_a_square(seed, **vehicle):
    """Twelve shipments and a vehicle, which can take four at once."""
    rng = np.random.default_rng(seed)
    place = rng.integers(0, 100, (12, 4)).tolist()
    opens = (rng.integers(0, 300, 12) if seed % 2 else np.zeros(12, int)).tolist()
    shipments = [
        {
            "id": f"s{number}",
            "amount": 1,
            "pickup": {"x": x, "y": y, "service": 3},
            "delivery": {"x": u, "y": v, "service": 3, "window": [begin, begin + 1200]},
        }
        for number, ((x, y, u, v), begin) in enumerate(zip(place, opens, strict=True))
    ]
    vehicles = [{"count": 1, "capacity": 4, "fixed_cost": 9, **vehicle}]
    return constrained(shipments=shipments, vehicles=vehicles)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "vehicle",
    [
        {"window": [0, 1500]},
        {"window": [0, 1500], "breaks": [{"windows": [[400, 600]], "duration": 60}]},
        {"max_duration": 1400, "breaks": [{"windows": [[0, 2000]], "duration": 60}]},
    ],
)
def test_a_shipment_comes_where_it_is_cheapest_of_all_positions(seed, vehicle):
    """Bounds rule positions out; here each of them is tried as a route of its own."""
    instance = shipments_on_a_square(seed, **vehicle)
    search = constructed(instance, seed)
    (route,) = search.found().plan().routes
    partner = instance.own_constraints.partner
    assert len(route.stops) >= 20
    for pickup in [stop for stop in route.stops if partner(stop) > stop]:
        rest = [stop for stop in route.stops if stop not in (pickup, partner(pickup))]
        costs = []
        for at in range(len(rest) + 1):
            for to in range(at, len(rest) + 1):
                stops = (*rest[:at], pickup, *rest[at:to], partner(pickup), *rest[to:])
                search.begin(0)
                if search.start([Route(0, stops)]) == len(stops):
                    costs.append(search.found().value)
        search.begin(0)
        search.start([Route(0, tuple(rest))])
        assert search.found().value == pytest.approx(min(costs))
