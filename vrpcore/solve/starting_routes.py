"""Earlier solutions, and an instance's own routes, made a `Plan` that a search begins with."""

import math
from collections.abc import Container, Sequence

import numpy as np

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.solutions import with_own_ids
from vrpcore.instance.instance import Instance, check_plan
from vrpcore.instance.plan import KnownDay, Plan, Route
from vrpcore.instance.route_names import RouteNames
from vrpcore.instance.solution import Solution

MAX_NAMED = 10  # of what a message names


def warm_routes(
    instance: Instance,
    solution: Solution,
    lost: Container[int] = (),
    freeze: float | None = None,
) -> Plan:
    """The routes of an earlier solution, for the search to start from.

    Stated costs, loads and times are not used, but what `KnownDay` has. Stops and depots that the
    instance does not have are left out; a route of a vehicle type that it does not have states
    none.

    Args:
        instance: The problem.
        solution: Matched to it by position, from `read_solutions`; the customers of a `.sol` file
            are understood as `with_own_ids` says. It may be partial or infeasible.
        lost: Numbers of its routes whose vehicles have broken down.
        freeze: See `Plan`.

    Returns:
        Its routes. Those of a `.sol` file have no vehicle where their lines do not tell it.

    Raises:
        InstanceError: There are no routes, or none that names a stop of the instance (code
            ROUTES or UNKNOWN).
    """
    from vrpcore.replan.known_days import known_day

    place = f"warm start {describe(solution.name)}"
    if not (solution.has_routes or solution.routes):
        message = f"its status is {solution.status}, there are no routes to start from"
        raise fault(place, message, "ROUTES")
    vehicles = () if instance.constraints is None else instance.constraints.vehicles
    # Lines of a `.sol` do not tell where vehicles without a number end and the next type begins.
    tells = solution.kind == "csv"  # each row of a CSV names its vehicle
    unsure = set() if tells else {each.id for each in vehicles[:-1] if each.count is None}
    names, routes, days = RouteNames(instance, vehicles), list[Route](), list[KnownDay]()
    solution = with_own_ids(instance, solution)
    for route in solution.routes:
        name, calls, van = None, list[tuple[str, int]](), None
        if (schedule := route.schedule) is not None:
            van = schedule.van
            if vehicles:
                name = schedule.vehicle
                calls = [(each.depot, each.after) for each in schedule.reloads or ()]
        if not route.states_load and name in unsure:
            name = None
        found, stay = names.route(route.customers, name, calls)
        routes.append(found._replace(van=van))
        days.append(known_day(instance, solution, route, found, stay))
    plan = Plan.known(instance.origin.with_vans(routes), days, names.unknown)
    return _known(plan, place, lost, freeze)


def own_routes(instance: Instance, lost: Container[int] = (), freeze: float | None = None) -> Plan:
    """The instance's own routes, for the search to start from; the rest is as in `warm_routes`.

    Readers of files have left out what is unknown; instances built in Python may hold anything.

    Raises:
        InstanceError: None of them names a stop of the instance (code UNKNOWN).
    """
    plan, known = instance.plan or Plan([]), range(1, instance.num_customers + 1)
    routes = [
        route._replace(stops=tuple(stop for stop in route.stops if stop in known))
        for route in plan.routes
    ]
    wrong = (f"stop number {n}" for route in plan.routes for n in route.stops if n not in known)
    plan = Plan.known(routes, plan.each_day, (*plan.unknown, *wrong))
    return _known(plan, f"{describe(instance.name)}: routes", lost, freeze)


def _known(plan: Plan, place: str, lost: Container[int], freeze: float | None) -> Plan:
    """The routes that are not empty, and their days; and the empty ones of vehicles away."""
    known, away = list[tuple[Route, KnownDay]](), list[tuple[Route, KnownDay]]()
    for row, (route, day) in enumerate(zip(plan.routes, plan.each_day, strict=True)):
        day = day._replace(is_lost=day.is_lost or row in lost)
        if route.stops:
            known.append((route, day))
        elif freeze is not None and (day.is_lost or min(day.gone, default=freeze) < freeze):
            away.append((route, day))
    if plan.unknown and not known and not away:
        message = f"no stop of the instance is in them, but {enumerated(plan.unknown)}"
        raise fault(place, message, "UNKNOWN")
    found = Plan.known([route for route, _ in known], [day for _, day in known], plan.unknown)
    return found._replace(away=tuple(away))


def misfits(instance: Instance, known: Plan, *, whole: bool) -> str | None:
    """Describe faults of known routes apart from limits, in words; None: there are none.

    Args:
        instance: The problem. If it is plain, limits are looked at, too.
        known: Routes of it.
        whole: They are meant to serve all required customers.
    """
    found = list[str]()
    if known.unknown:
        found.append(f"without {enumerated(known.unknown)}, which the instance does not have")
    if instance.constraints is None:
        try:
            check_plan(instance, known, "routes")
        except InstanceError as error:
            found.append(str(error))
    elif whole and (missing := _missing(instance, known.routes)):
        found.append(f"{enumerated(missing)} in no route")
    return "; ".join(found) or None


def _missing(instance: Instance, routes: Sequence[Route]) -> list[str]:
    """Required stops in no route of an instance with constraints, in words."""
    constraints = instance.own_constraints
    served = {stop for route in routes for stop in route.stops}
    required = (np.flatnonzero(constraints.required) + 1).tolist()
    # A shipment's prize is that of its pickup; of alternatives one is enough.
    others = {stop for stop in required if (constraints.partner(stop) or stop) < stop}
    others |= {stop for group in constraints.groups for stop in group.members}
    lacking = (stop for stop in required if stop not in others and stop not in served)
    groups = (each for each in constraints.groups if each.prize == math.inf)
    return [
        *(f"stop {describe(instance.ids[stop - 1])}" for stop in lacking),
        *(f"group {describe(each.id)}" for each in groups if served.isdisjoint(each.members)),
    ]


def enumerated(names: Sequence[str]) -> str:
    """Names with commas between them, and how many more there are than a message names."""
    more = len(names) - MAX_NAMED
    return ", ".join(names[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
