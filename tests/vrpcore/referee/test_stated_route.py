"""What a route states of breaks, setups and costs; the rest is in test_check_constraints."""

import dataclasses

import pytest

from tests.build import constrained, on_a_line
from vrpcore.instance.solution import RouteBreak, RouteReport, RouteSchedule, Solution
from vrpcore.referee.constrained_plan import check_constraints

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
VAN = RouteReport(
    (1, 2),
    3.0,
    59.0,
    RouteSchedule(
        vehicle="van", start="d", end="d", distance=14.0, duration=23.0, departure=0.0,
        return_=23.0, arrivals=(3.0, 14.0), begins=(3.0, 14.0),
        breaks=(RouteBreak(id="lunch", begin=6.0, after=1),),
    ),
)  # fmt: skip
EARLY = (RouteBreak(id="lunch", begin=6.0, after=0),)


def problems(route):
    made = Solution(name="t", status="solved", cost=59.0, routes=(route,))
    return check_constraints(RESTS, made)[1]


def schedule(**changes):
    return dataclasses.replace(VAN, schedule=dataclasses.replace(VAN.schedule, **changes))


def test_a_right_route_is_accepted():
    assert problems(VAN) == []


@pytest.mark.parametrize(
    ("route", "problem"),
    [
        (dataclasses.replace(VAN, cost=55.0), "routes[0].cost: 55.0, expected 59.0"),
        (schedule(breaks=None), "routes[0].breaks: missing, expected all that the vehicle takes"),
        (schedule(breaks=()), "routes[0].breaks: 'lunch' is missing"),
        (
            schedule(breaks=(RouteBreak(id="lunch", begin=7.0, after=1),)),
            "routes[0].breaks[0].begin: 7.0, expected 6.0",
        ),
        (schedule(breaks=EARLY), "routes[0].breaks[0]: a load of 3.0 exceeds max_load 2.0"),
        (schedule(begins=(4.0, 14.0)), "routes[0].begins[0]: 4.0, expected 3.0"),
        (schedule(duration=19.0), "routes[0].duration: 19.0, expected 23.0"),
    ],
)
def test_what_is_wrong(route, problem):
    assert problem in problems(route)


def test_a_route_that_states_nothing_takes_its_breaks_somewhere():
    bare = RouteReport((1, 2), float("nan"), float("nan"))
    assert problems(bare) == []
    late = RouteReport((2, 1), float("nan"), float("nan"))
    assert problems(late) == ["routes[0].breaks: there is no time for them"]


def test_a_vehicle_without_breaks_states_none():
    one = constrained(customers=on_a_line(3), vehicles=[{"id": "van"}])
    made = RouteSchedule(vehicle="van", start="0", end="0", breaks=EARLY)
    route = RouteReport((1,), float("nan"), float("nan"), made)
    found = check_constraints(one, Solution(name="t", status="solved", routes=(route,)))[1]
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
