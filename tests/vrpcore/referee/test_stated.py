"""Breaks, setups, costs and reloads as a route states them; the rest is in test_referee."""

import dataclasses

import pytest

from tests.build import constrained, on_a_line
from tests.vrpcore.referee.days import NAN, changed, cost, day, problems, report
from vrpcore.instance.plan import Reload, Route
from vrpcore.instance.solution import RouteBreak, RouteReload, RouteReport, Solution, Unserved
from vrpcore.referee.loads import boards_of
from vrpcore.referee.referee import check_constraints

# Out 3, set up 1 and serve 2, rest 4 from 6 on, on 4, set up 1 and serve 1, home 7.
RESTS = constrained(
    depots=[{"id": "d", "x": 0, "y": 0}],
    customers=on_a_line(3, 7, service=[2, 1], setup=[1, 1], demand=[2, 1]),
    vehicles=[
        {
            "id": "van",
            "service_cost": 10,
            "breaks": [{"id": "lunch", "window": [6, 8], "duration": 4, "max_load": 2}],
        }
    ],
    costs=[[0, 2, 9], [9, 0, 3], [4, 9, 0]],
)
VAN = report(
    1, 2, load=3.0, cost=59.0, distance=14.0, duration=23.0, departure=0.0, return_=23.0,
    arrivals=(3.0, 14.0), begins=(3.0, 14.0), breaks=(RouteBreak(id="lunch", begin=6.0, after=1),),
)  # fmt: skip
EARLY = (RouteBreak(id="lunch", begin=6.0, after=0),)


def test_a_right_route_is_accepted():
    assert problems(RESTS, VAN) == []


@pytest.mark.parametrize(
    ("route", "problem"),
    [
        (changed(VAN, cost=55.0), ".cost: 55.0, expected 59.0"),
        (changed(VAN, breaks=None), ".breaks: missing, expected all that the vehicle takes"),
        (changed(VAN, breaks=()), ".breaks: 'lunch' is missing"),
        (
            changed(VAN, breaks=(RouteBreak(id="lunch", begin=7.0, after=1),)),
            ".breaks[0].begin: 7.0, expected 6.0",
        ),
        (changed(VAN, breaks=EARLY), ".breaks[0]: a load of 3.0 exceeds max_load 2.0"),
        (changed(VAN, begins=(4.0, 14.0)), ".begins[0]: 4.0, expected 3.0"),
        (changed(VAN, duration=19.0), ".duration: 19.0, expected 23.0"),
    ],
)
def test_what_is_wrong(route, problem):
    assert f"routes[0]{problem}" in problems(RESTS, route)


def test_a_route_that_states_nothing_takes_its_breaks_somewhere():
    bare = report(1, 2)
    assert problems(RESTS, bare) == []
    late = report(2, 1)
    assert problems(RESTS, late) == ["routes[0].breaks: there is no time for them"]


def test_a_vehicle_without_breaks_states_none():
    one = constrained(customers=on_a_line(3), vehicles=[{"id": "van"}])
    found = problems(one, report(1, start="0", end="0", breaks=EARLY))
    assert found[0] == "routes[0].breaks[0].id: 'lunch' is no break of the vehicle"


@pytest.mark.parametrize("key", ["distances", "durations", "costs"])
@pytest.mark.parametrize("breaks", [[], [{"id": "lunch", "duration": 4}]])
def test_a_leg_without_a_road_is_refused(key, breaks):
    ways = {"distances": [[0, 1, 2], [1, 0, 1], [2, 1, 0]]}
    ways[key] = [[0, 1, 2], [1, 0, None], [2, None, 0]]
    vehicle = {"id": "van", "distance_cost": 0, "breaks": breaks}
    instance = constrained(depots=[{"id": "d"}], customers=[{}, {}], vehicles=[vehicle], **ways)
    made = Solution(
        name="t", status="solved", routes=(RouteReport((1, 2), 0.0, 0.0, VAN.schedule),)
    )
    cost, found = check_constraints(instance, made)
    assert cost is None
    assert found == ["routes[0]: no road leads from 1 to 2"]


@pytest.mark.parametrize(
    ("rests", "wrong"),
    [
        ([("tea", 0), ("rest", 1)], []),
        ([("tea", 0)], ["breaks: 'rest' is missing"]),
        ([("tea", 0), ("rest", 1), ("nap", 1)], ["breaks[2].id: 'nap' is no break of the vehicle"]),
        ([("tea", 0), ("rest", 1), ("tea", 1)], ["breaks[2].id: 'tea' is taken twice"]),
        ([("tea", 1), ("rest", 0)], ["breaks[1].after: 0, expected 1 to 2"]),
        ([("tea", 1), ("rest", 3)], ["breaks[1].after: 3, expected 1 to 2"]),
        ([("tea", 0), ("rest", 0)], ["breaks[1]: a load of 3.0 exceeds max_load 2.0"]),
    ],
)
def test_stated_breaks(rests, wrong):
    rest = {"id": "rest", "window": [4, 9], "duration": 3, "max_load": 2}
    instance = constrained(
        depots=[{"id": "d", "x": 0, "y": 0}],
        customers=on_a_line(3, 7, demand=[2, 1], service=[2, 1]),
        vehicles=[{"id": "van", "breaks": [rest, {"id": "tea", "duration": 1}]}],
    )
    stated = tuple(RouteBreak(id=name, begin=NAN, after=after) for name, after in rests)
    found = problems(instance, report(1, 2, breaks=stated))
    assert found == [f"routes[0].{problem}" for problem in wrong]


SHIPMENT = {"id": "s", "amount": 1, "pickup": {"x": 1, "y": 0}, "delivery": {"x": 2, "y": 0}}
DEPOTS = [
    {"id": "d", "x": 0, "y": 0, "window": [0, 100]},
    {"id": "e", "x": 10, "y": 0, "window": [30, 40]},
]
# Loads 2, out 4, serves 1 and 2, home at 15; loads 2 again, out 3, home at 23.
TRIPS = day(
    {
        "depots": DEPOTS,
        "customers": on_a_line(4, 6, 3, demand=[3, 2, 4], pickup=[1, 0, 2], service=[1, 2, 0]),
        "vehicles": [{"id": "van", "capacity": 5, "duration_cost": 1, "service_cost": 10}],
    },
    vehicles=[{"reloads": (0, 1), "max_reloads": 1.0}],
    depots=[{"service": 2.0}],
)
HOME = RouteReload(depot="d", after=2, arrival=17.0, begin=17.0, return_load=1.0)
TRIPS_VAN = report(
    1, 2, 3, load=5.0, cost=18 + 25 + 30.0, distance=18.0, duration=25.0, departure=0.0,
    return_=25.0, arrivals=(6.0, 9.0, 22.0), begins=(6.0, 9.0, 22.0), reloads=(HOME,),
)  # fmt: skip


def trips(vehicle=None, depots=(), **keys):
    """An instance whose vehicle may reload at the first depot."""
    return day({"depots": DEPOTS, **keys}, [{"reloads": (0,), **(vehicle or {})}], depots)


def home(**stated):
    return changed(TRIPS_VAN, reloads=(dataclasses.replace(HOME, **stated),))


def test_right_trips_are_accepted():
    assert cost(TRIPS, TRIPS_VAN) == 73.0
    boards = boards_of(TRIPS, Route(0, (1, 2, 3), (Reload(0, 2),)))
    assert boards == [[[5.0], [3.0], [1.0]], [[4.0], [2.0]]]


def test_a_route_that_states_only_its_reloads():
    assert cost(TRIPS, report(1, 2, 3, reloads=(back(NAN, 2),))) == 73.0


@pytest.mark.parametrize(
    ("route", "problem"),
    [
        (changed(TRIPS_VAN, reloads=None), ".reloads: missing, expected a list"),
        (changed(TRIPS_VAN, reloads=()), ": a load of 9.0 at the start exceeds capacity 5.0"),
        (home(depot="x"), ".reloads[0].depot: 'x', expected one of d, e"),
        (home(after=0), ".reloads[0].after: 0, expected 1 to 2, between two stops"),
        (home(after=3), ".reloads[0].after: 3, expected 1 to 2, between two stops"),
        (
            changed(TRIPS_VAN, reloads=(HOME, HOME)),
            ".reloads[1].after: 2, expected 3 to 2, between two stops",
        ),
        (changed(TRIPS_VAN, reloads=(HOME, HOME)), ".reloads: 2, max_reloads is 1"),
        (home(arrival=16.0), ".reloads[0].arrival: 16.0, expected 17.0"),
        (home(begin=18.0), ".reloads[0].begin: 18.0, expected 17.0"),
        (home(return_load=2.0), ".reloads[0].return_load: 2.0, expected 1.0"),
        (home(return_load=(1.0,)), ".reloads[0].return_load: a list of 1, expected a number"),
        (changed(TRIPS_VAN, departure=2.0), ".departure: 2.0, expected 0.0 for the least duration"),
        (changed(TRIPS_VAN, begins=(6.0, 9.0, 21.0)), ".begins[2]: 21.0, expected 22.0"),
        (changed(TRIPS_VAN, duration=21.0), ".duration: 21.0, expected 25.0"),
        (changed(TRIPS_VAN, distance=14.0), ".distance: 14.0, expected 18.0"),
        (changed(TRIPS_VAN, load=9.0), ".load: 9.0, expected 5.0"),
        (home(depot="e"), ".departure: 0.0, expected 15.0 for the least duration"),
    ],
)
def test_each_wrong_route_by_its_message(route, problem):
    found = problems(TRIPS, route)
    assert [text for text in found if text.startswith(f"routes[0]{problem}")], found


def test_a_vehicle_without_reloads():
    single = trips({"reloads": None}, customers=on_a_line(4, 6))
    found = problems(single, report(1, 2, reloads=(back(NAN),)))
    assert found == [
        "routes[0].reloads: not expected, the vehicle has none",
        "routes[0].reloads[0].depot: 'd', the vehicle has no reloads",
    ]


def test_a_reload_waits_for_the_depot_and_the_release_of_its_trip():
    def released(at, *depots):
        return trips({"reloads": (1,)}, depots, customers=on_a_line(4, 6, release=[5, at]))

    instance = released(32, {}, {"service": 3.0})
    there = RouteReload(depot="e", after=1, arrival=32.0, begin=32.0, return_load=0.0)
    right = {"arrivals": (26.0, 39.0), "begins": (26.0, 39.0), "return_": 45.0, "duration": 23.0}
    route = report(1, 2, departure=22.0, reloads=(there,), load=0.0, **right)
    assert cost(instance, route) == 20.0
    bare = report(1, 2, reloads=(RouteReload(depot="e", after=1),))
    assert problems(released(40 + 1e-12), bare) == []
    (problem,) = problems(released(41), bare)
    assert problem == "routes[0]: reloads[0]: begins at 41, 1 after the last window closes"


def test_loading_begins_before_the_start_depot_closes():
    keys = {
        "depots": [{"id": "d", "x": 0, "y": 0, "window": [0, 10]}],
        "customers": on_a_line(4, window=[[12, 90]]),
        "vehicles": [{"id": "van", "end": None}],
    }
    bare = report(1, end=None)
    timed = report(1, end=None, departure=8.0, arrivals=(12.0,), begins=(12.0,))
    assert cost(day(keys), timed) == 4.0
    loads = day(keys, depots=[{"service": 2.0}])
    timed = report(1, end=None, departure=6.0, arrivals=(12.0,), begins=(12.0,), duration=6.0)
    assert cost(loads, timed) == 4.0
    late = day({**keys, "customers": on_a_line(4, release=[11])}, depots=[{"service": 2.0}])
    (problem,) = problems(late, bare)
    assert problem == ("routes[0]: leaves at 11 or later, its shift ends or its depot closes at 10")
    assert problems(day({**keys, "customers": on_a_line(4, release=[11])}), bare) == []


def test_setups_after_a_reload_are_those_of_its_depot():
    vehicles = [{"id": "van", "service_cost": 1, "distance_cost": 0}]
    instance = trips(customers=on_a_line(4, 4, 0, setup=[5, 5, 5]), vehicles=vehicles)
    assert cost(instance, report(1, 2, 3)) == 10.0
    assert cost(instance, report(1, 2, 3, reloads=(back(NAN, 2),))) == 5.0
    assert cost(instance, report(1, 2, 3, reloads=(back(NAN, 1),))) == 15.0


def test_shipments_stay_in_one_trip():
    instance = trips(customers=on_a_line(4), shipments=[SHIPMENT])

    def found(after):
        return problems(instance, report("s:pickup", "s:delivery", 1, reloads=(back(NAN, after),)))

    assert found(after=2) == []
    problem = "routes[0].customers[1]: it was picked up in another trip"
    assert found(after=1) == [problem]
    known = {"departure": 0.0, "begins": (1.0, 4.0, 6.0)}
    warning = ("FROZEN_BREAKS_LIMIT: s is divided",)
    for frozen in (None, 1):
        call = RouteReload(depot="d", after=1, arrival=2.0, begin=2.0, return_load=1.0)
        stated = {} if frozen is None else {**known, "frozen": frozen}
        route = report("s:pickup", "s:delivery", 1, reloads=(call,), **stated)
        assert (problem in problems(instance, route, warnings=warning)) == (frozen is None)


def test_backhauls_come_last_in_each_trip():
    customers = on_a_line(4, 6, 5, demand=[1, 0, 1], pickup=[0, 1, 0])
    instance = trips(customers=customers, backhauls="last")
    assert problems(instance, report(1, 2, 3, reloads=(back(NAN, 2),))) == []
    assert problems(instance, report(1, 2, 3, reloads=(back(NAN, 1),))) == [
        "routes[0].customers[2]: a delivery after a pickup"
    ]


def test_what_is_on_board_at_first_leaves_at_the_first_reload():
    vehicles, shipments = [{"id": "van", "capacity": 5}], [SHIPMENT | {"prize": 3}]
    keys = {"customers": on_a_line(4, 6, demand=[2, 4]), "shipments": shipments}
    instance = trips({"initial_load": (2.0,)}, vehicles=vehicles, **keys)
    assert cost(instance, report(1, 2, reloads=(back(NAN),))) == 23.0
    left = {"unserved": (Unserved("s", "PRIZE"),)}
    assert cost(instance, report(1, 2, load=4.0, reloads=(back(2.0),)), **left) == 23.0
    assert problems(instance, report(1, 2)) == [
        "routes[0]: a load of 8.0 at the start exceeds capacity 5.0"
    ]
    single = day(
        {"depots": DEPOTS, "customers": on_a_line(4, 6, 2, demand=[2, 4, 1]), "vehicles": vehicles},
        vehicles=[{"reloads": (0,)}],
        shipment=[[0.0], [0.0], [-1.0]],
        delivery=[[2.0], [4.0], [0.0]],
        on_board=[-1, -1, 0],
    )
    first = (back(0.0, after=2),)
    assert cost(single, report(1, 3, 2, load=4.0, reloads=first)) == 20.0
    # Delivered in a later trip it counts as on board to the end of the first, and is too late.
    assert (
        "routes[0].customers[1]: it is on board from the start, and delivered after a reload"
        in (problems(single, report(1, 3, 2, reloads=(back(1.0),))))
    )


def back(load, after=1):
    return RouteReload(depot="d", after=after, return_load=load)


def test_breaks_before_and_behind_the_loading():
    lunch = {"id": "lunch", "duration": 5, "max_load": 2}

    def with_lunch(*demand):
        customers, vehicles = on_a_line(4, 6, demand=demand), [{"id": "van", "breaks": [lunch]}]
        return trips(depots=[{"service": 2.0}], customers=customers, vehicles=vehicles)

    instance = with_lunch(3, 2)
    there = RouteReload(depot="d", after=1, arrival=10.0, begin=10.0, return_load=0.0)

    def found(at_reload, begins, reload, begin):
        lunch = RouteBreak(id="lunch", begin=begin, after=1, at_reload=at_reload)
        stated = {"departure": 0.0, "begins": begins, "reloads": (reload,), "breaks": (lunch,)}
        return problems(instance, report(1, 2, **stated))

    assert found(True, (6.0, 23.0), there, 12.0) == []
    later = dataclasses.replace(there, arrival=15.0, begin=15.0)
    assert found(False, (6.0, 23.0), later, 6.0) == []
    assert found(True, (6.0, 23.0), there, 10.0) == [
        "routes[0].breaks[0].begin: 10.0, expected 12.0"
    ]
    wrong = RouteBreak(id="lunch", begin=NAN, after=2, at_reload=True)
    stated = {"departure": 0.0, "begins": (6.0, 23.0), "reloads": (there,), "breaks": (wrong,)}
    assert "routes[0].breaks[0].at: no reload comes after 2 stops" in problems(
        instance, report(1, 2, **stated)
    )
    right = RouteBreak(id="lunch", begin=12.0, after=1, at_reload=True)
    stated["breaks"] = (right,)
    assert problems(with_lunch(3, 4), report(1, 2, **stated)) == [
        "routes[0].breaks[0]: a load of 4.0 exceeds max_load 2.0"
    ]
