"""Small instances with constraints whose best cost is known by hand, for the models of rivals.

Most have customers at (0, 3) and (4, 0), the depot at the origin: 12 in one route, 14 in two.
"""

import numpy as np
import pytest

from benchmarks.contender import judge
from benchmarks.whole import CannotExpressError
from tests.vrpcore.documents import mixed_document
from tests.vrpcore.oracle import best_answer
from tests.vrpcore.variants import drawn
from vrpcore.formats.read import read_instances
from vrpcore.instance.instance import InvalidInstance

ONE, TWO = 12.0, 14.0  # routes
# OR-Tools' bindings warn when they are imported, and warnings are errors here.
quiet = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def corners(north=None, east=None, vehicle=None, **more):
    """The two customers; what a vehicle has beside nothing."""
    customers = [{"x": 0, "y": 3, **(north or {})}, {"x": 4, "y": 0, **(east or {})}]
    vehicles = [{"capacity": 9, **(vehicle or {})}]
    return {"depots": [[0, 0]], "vehicles": vehicles, "customers": customers, **more}


def line(*customers, **more):
    """Customers at places on the x axis, some with more than that."""
    found = [each if isinstance(each, dict) else {"x": each} for each in customers]
    return {"depots": [[0, 0]], "customers": [{"y": 0, **each} for each in found], **more}


def shipment(name, start, end, **more):
    pickup, delivery = ({"x": x, "y": y} for x, y in (start, end))
    return {"id": name, "amount": 1, "pickup": pickup, "delivery": delivery, **more}


NORTH, EAST = (0, 3), (4, 0)
TO_AND_FRO = [shipment("a", NORTH, EAST), shipment("b", EAST, NORTH)]
VANS = [
    {"capacity": 2, "fixed_cost": 9},
    {"capacity": 1, "count": 2, "fixed_cost": 1, "distance_cost": 2},
]
COLD = [
    {"capacity": 9, "distance_cost": 3, "skills": ["cold"]},
    {"capacity": 9},
]
PICKUP_FIRST = {"north": {"demand": 1, "window": [8, 9]}, "east": {"pickup": 1, "window": [0, 5]}}
ONE_WAY = [[0, 1, 9], [9, 0, 1], [1, 9, 0]]

CASES = {
    "loads": (corners({"demand": 5}, {"demand": 5}), TWO),
    "two dimensions": (
        corners({"demand": [1, 1]}, {"demand": [1, 1]}, {"capacity": [2, 1]}),
        TWO,
    ),
    "windows": (corners({"window": [0, 3]}, {"window": [0, 4]}), TWO),
    "several windows": (corners({"window": [0, 3]}, {"windows": [[0, 4], [8, 9]]}), ONE),
    "a gap between windows": (corners({"window": [0, 3]}, {"windows": [[0, 7], [9, 10]]}), ONE),
    "missed windows": (corners({"window": [0, 3]}, {"windows": [[0, 4], [5, 7]]}), TWO),
    "service": (corners({"window": [0, 3], "service": 2}, {"window": [0, 9]}), TWO),
    "shift": (corners(vehicle={"window": [0, 11]}), TWO),
    "depot hours": (corners(depots=[{"x": 0, "y": 0, "window": [0, 11]}]), TWO),
    "max_distance": (corners(vehicle={"max_distance": 11}), TWO),
    "max_duration": (corners(vehicle={"max_duration": 11}), TWO),
    "max_duration with service": (corners({"service": 1}, vehicle={"max_duration": 12}), TWO),
    "max_duration with waiting": (
        corners({"window": [11, 20]}, {"window": [0, 4]}, {"max_duration": 13}),
        TWO,
    ),
    "max_travel_time": (corners({"service": 9}, vehicle={"max_travel_time": 11}), TWO),
    "max_customers": (corners(vehicle={"max_customers": 1}), TWO),
    "release": (corners({"window": [0, 3]}, {"release": 1}), TWO),
    "several depots": (
        line(
            1, 2, 9, depots=[[0, 0], [10, 0]],
            vehicles=[{"start": name, "end": name, "capacity": 9} for name in "01"],
        ),
        6.0,
    ),
    "from one depot to another": (
        line(1, 9, depots=[[0, 0], [10, 0]], vehicles=[{"end": "1", "capacity": 9}]),
        10.0,
    ),
    "a depot without vehicles": (
        line(1, depots=[[0, 0], [1, 1]], vehicles=[{"capacity": 9}]),
        2.0,
    ),
    "fleet": (line({"x": 1, "demand": 1}, {"x": 2, "demand": 1}, vehicles=VANS), 13.0),
    "limited fleet": (
        corners({"demand": 1}, {"demand": 1}, {"count": 1, "capacity": 2}),
        ONE,
    ),
    "skills": (line(-1, {"x": 2, "skills": ["cold"]}, vehicles=COLD), 14.0),
    "open ends": (
        line({"x": 1, "demand": 1}, {"x": 2, "demand": 1}, capacity=9, return_to_depot=False),
        2.0,
    ),
    "open starts": (line(1, 2, vehicles=[{"start": None, "end": "0", "capacity": 9}]), 2.0),
    "open at both ends": (
        line(1, 3, vehicles=[{"start": None, "end": None, "capacity": 9, "count": 1}]),
        2.0,
    ),
    "mixed backhauls": (corners(**PICKUP_FIRST), ONE),
    "a load on the way": (corners(**PICKUP_FIRST, vehicle={"capacity": 1}), TWO),
    "backhauls last": (corners(**PICKUP_FIRST, backhauls="last"), TWO),
    "backhauls last beside nothing": (
        line({"x": 1, "demand": 1}, {"x": 2, "pickup": 1}, 3, capacity=9, backhauls="last"),
        6.0,
    ),
    "no routes of only pickups": (
        corners({"demand": 1}, {"pickup": 1}, backhauls="last", pickup_only_routes=False),
        ONE,
    ),
    "shipments": (
        {"depots": [[0, 0]], "vehicles": [{"capacity": 1}], "shipments": TO_AND_FRO},
        3 + 5 + 5 + 3.0,
    ),
    "shipments and deliveries": (
        {
            "depots": [[0, 0]], "vehicles": [{"capacity": 1}], "shipments": TO_AND_FRO[:1],
            "customers": [{"x": 0, "y": 3, "demand": 1}],
        },
        ONE,
    ),
    "prizes": (line({"x": 10, "prize": 5}, 1, vehicles=[{"capacity": 9}]), 2 + 5.0),
    "prizes of shipments": (
        {
            "depots": [[0, 0]], "vehicles": [{"capacity": 1}],
            "shipments": [*TO_AND_FRO[:1], shipment("c", (9, 0), (9, 9), prize=3)],
        },
        ONE + 3,
    ),
    "durations that cost": (
        line(
            {"x": 2, "window": [10, 20], "service": 1},
            vehicles=[{"capacity": 9, "distance_cost": 0, "duration_cost": 1}],
        ),
        5.0,
    ),
    "travel times that cost": (
        line(2, vehicles=[{"capacity": 9, "travel_cost": 2}], speed=2),
        4 + 2 * 2.0,
    ),
    "speed": (corners({"window": [0, 1.5]}, {"window": [0, 4]}, {"speed": 2}), ONE),
    "matrices that are not symmetric": (
        {"depots": [{}], "vehicles": [{"capacity": 9}], "customers": [{}, {}],
         "distances": ONE_WAY},
        3.0,
    ),
}  # fmt: skip


def check_case(solve, name):
    """The referee accepts the answer, at the cost that is known."""
    document, cost = CASES[name]
    (instance,) = read_instances([document])
    assert not isinstance(instance, InvalidInstance), instance.error
    assert best_answer(document).cost == pytest.approx(cost), "the case is wrong"
    attempt = solve(instance)
    found, failure = judge(instance, attempt.routes)
    assert (found, failure) == (pytest.approx(cost, rel=1e-4), None)
    assert attempt.solver_s >= 0


def check_generated(solve, name):
    """The referee accepts answers to instances of a variant."""
    for instance in drawn(name, 2, 8):
        cost, failure = judge(instance, solve(instance).routes)
        assert failure is None, instance.name
        assert cost > 0


def check_refused(check, name, said):
    """There is no form for the instance, and `said` is the whole reason."""
    (instance,) = read_instances([CASES[name][0]])
    with pytest.raises(CannotExpressError, match=f"^{said}$"):
        check(instance)


def check_mixed(solve, check, seeds):
    """Where everything is mixed: what is not refused is answered, and never below the best cost.

    Only what can be served in full, and not on the globe: whole metres and windows of some
    seconds have no common scale.
    """
    gaps = []
    documents = [mixed_document(seed, 5) for seed in seeds]
    for document in (each for each in documents if each.get("metric") != "haversine"):
        (instance,) = read_instances([document])
        try:
            check(instance)
        except CannotExpressError:
            continue
        best = best_answer(document)
        if best.missing[1]:
            continue
        cost, failure = judge(instance, solve(instance).routes)
        assert failure is None, instance.name
        gaps.append(cost - best.cost)
        assert cost >= best.cost * (1 - 1e-9) - 1e-9
    assert len(gaps) >= 3
    assert np.median(gaps) == pytest.approx(0, abs=1e-6)
