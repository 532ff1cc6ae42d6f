"""The referee's view of one route's loads and of whom it serves: limits, and what it states.

Plain loops, as in the rest of the referee. A problem is the key in the route, and words; one of a
limit has the position of the stop that breaks it in place of the key, or None.
"""

import math
from collections.abc import Iterator, Sequence

from vrpcore.errors import describe
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Route
from vrpcore.instance.solution import RouteReport
from vrpcore.referee.permits import Permits
from vrpcore.referee.trip_loads import Boards, added_up, most_on_board, trips_of

COST_TOLERANCE = 1e-9  # relative, of costs, distances and loads
_TINY = 1e-12  # of all amounts that were added up


def is_close(stated: float, expected: float, slack: float) -> bool:
    """Whether a stated number is the expected one."""
    return math.isclose(stated, expected, rel_tol=COST_TOLERANCE, abs_tol=slack)


def overloads(instance: Instance, route: Route, trips: Sequence[Boards]) -> Iterator[str]:
    """Where more is on board than may be."""
    constraints = instance.own_constraints
    for dimension, (load, where) in enumerate(most_on_board(trips)):
        name = f" in dimension {dimension}" if constraints.listed_amounts else ""
        capacity = constraints.vehicles[route.vehicle].capacity[dimension]
        if load > capacity * (1 + COST_TOLERANCE):
            yield f"a load of {load}{name} {where} exceeds capacity {capacity}"


def unfit_load(
    instance: Instance, route: Route, trips: Sequence[Boards], report: RouteReport
) -> Iterator[tuple[str, str]]:
    """Where the stated load is not the most on board in any trip."""
    constraints, loads = instance.own_constraints, most_on_board(trips)
    listed = isinstance(report.load, tuple)
    if report.states_load and listed != constraints.listed_amounts:
        expected = f"a list of {len(loads)}" if constraints.listed_amounts else "a number"
        yield "load", f"{describe(report.load)}, expected {expected}"
        return
    if isinstance(report.load, tuple) and len(report.load) != len(loads):
        yield "load", f"a list of {len(report.load)}, expected {len(loads)}"
        return
    for dimension, (stated, (load, _)) in enumerate(zip(report.loads, loads, strict=False)):
        if math.isnan(stated):
            continue
        if not is_close(stated, load, _TINY * added_up(instance, route, dimension)):
            key = f"load[{dimension}]" if constraints.listed_amounts else "load"
            yield key, f"{stated}, expected {load}"


def broken_rules(
    instance: Instance, route: Route, permits: Permits
) -> Iterator[tuple[int | None, str]]:
    """Limits on whom a vehicle serves: skills, permits, backhauls, numbers of stops."""
    constraints, vehicle = (
        instance.own_constraints,
        instance.own_constraints.vehicles[route.vehicle],
    )
    for position, stop in enumerate(route.stops):
        for skill in sorted(constraints.skills[stop - 1]):
            if skill not in vehicle.skills:
                yield position, f"needs {describe(skill)}, which the vehicle does not have"
        obstacle = permits.obstacle(route.vehicle, (stop,))
        if obstacle is not None:
            yield position, obstacle
    yield from _backhauls(instance, route)
    if len(route.stops) > vehicle.max_stops:
        yield None, f"{len(route.stops)} stops, max_customers is {vehicle.max_stops:g}"


def _backhauls(instance: Instance, route: Route) -> Iterator[tuple[int | None, str]]:
    constraints, position = instance.own_constraints, 0
    picked = delivered = False
    for stops in trips_of(route):
        picked_here = False
        for stop in stops:
            delivers = any(float(amount) > 0 for amount in constraints.delivery[stop - 1])
            if delivers and picked_here and constraints.backhauls == "last":
                yield position, "a delivery after a pickup"
            delivered = delivered or delivers
            if any(float(amount) > 0 for amount in constraints.pickup[stop - 1]):
                picked = picked_here = True
            position += 1
    if picked and not delivered and not constraints.pickup_only_routes:
        yield None, "only pickups, which pickup_only_routes does not allow"
