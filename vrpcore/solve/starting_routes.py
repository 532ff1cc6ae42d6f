"""Routes that are known before the search: earlier solutions, and an instance's own."""

import math
from collections.abc import Container, Mapping, Sequence

import numpy as np

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.solutions import with_own_ids
from vrpcore.instance.instance import CustomerId, Instance, check_routes
from vrpcore.instance.plan import ANY_VEHICLE, Goods, Plan, Reload, Route, kept_reloads
from vrpcore.instance.solution import RouteReport, RouteSchedule, Solution

_BEGUN = 1e-9  # relative: what begins so little before a freeze begins with it
MAX_NAMED = 10  # of what a message names


def warm_routes(instance: Instance, solution: Solution, lost: Container[int] = ()) -> Plan:
    """The routes of an earlier solution, for the search to start from.

    Stated costs, loads and times are not used, but when a route departs and what `Route` has. Stops
    and depots that the instance does not have are left out; a route of a vehicle type that it does
    not have states none.

    Args:
        instance: The problem.
        solution: Matched to it by position, from `read_solutions`; the customers of a `.sol` file
            are understood as `with_own_ids` says. It may be partial or infeasible.
        lost: Numbers of its routes whose vehicles have broken down.

    Returns:
        Its routes. Those of a `.sol` file have no vehicle where their lines do not tell it.

    Raises:
        InstanceError: There are no routes, or none that names a stop of the instance (code
            ROUTES or UNKNOWN).
    """
    place = f"warm start {describe(solution.name)}"
    if not (solution.has_routes or solution.routes):
        message = f"its status is {solution.status}, there are no routes to start from"
        raise fault(place, message, "ROUTES")
    numbers, unknown = instance.numbers, list[str]()
    vehicles = () if instance.constraints is None else instance.constraints.vehicles
    types = {vehicle.id: index for index, vehicle in enumerate(vehicles)}
    listed = () if instance.constraints is None else instance.constraints.depots
    depots = {depot.id: index for index, depot in enumerate(listed)}
    # Lines of a `.sol` do not tell where vehicles without a number end and the next type begins.
    tells = solution.kind == "csv"  # each row of a CSV names its vehicle
    unsure = set() if tells else {each.id for each in vehicles[:-1] if each.count is None}
    unstated, routes = _unstated(instance), list[Route]()
    for route in with_own_ids(instance, solution).routes:
        name = None if route.schedule is None else route.schedule.vehicle
        if not vehicles or (not route.states_load and name in unsure):
            name = None
        if name is not None and name not in types:
            unknown.append(f"vehicle type {describe(name)}")
        unknown += [f"stop {describe(each)}" for each in route.customers if each not in numbers]
        stops = tuple(numbers[each] for each in route.customers if each in numbers)
        vehicle = unstated if name is None else types.get(name, unstated)
        reloads, departure = _timed(route, numbers, depots, unknown)
        found = Route(vehicle, stops, reloads, departure)
        if route.schedule is not None and vehicles and vehicle != ANY_VEHICLE:
            stay = [each in numbers for each in route.customers]
            breaks = [each.id for each in vehicles[vehicle].breaks]
            rounding = _rounding(instance, solution, route.schedule)
            is_rounded = rounding is not None
            rests = _rests(route.schedule, stay, reloads, breaks, is_rounded=is_rounded)
            given = _given(route.schedule, stay, reloads, is_rounded=is_rounded)
            found = found._replace(given=given, rests=rests, rounding=rounding)
            found = found._replace(
                goods=_goods(instance, solution, route), is_lost=route.schedule.is_lost
            )
        routes.append(found if route.schedule is None else found._replace(van=route.schedule.van))
    return _known(instance.origin.with_vans(routes), unknown, place, lost)


def _timed(
    route: RouteReport,
    numbers: Mapping[CustomerId, int],
    depots: Mapping[str, int],
    unknown: list[str],
) -> tuple[tuple[Reload, ...], float | None]:
    """The reloads of a route at depots that there are, and when it departs, where it says so."""
    schedule = route.schedule
    if schedule is None or not depots:
        return (), None
    reloads = [(each.depot, each.after) for each in schedule.reloads or ()]
    stay = [each in numbers for each in route.customers]
    # Where whole trips are gone, the route begins where the first of those that are left is loaded.
    gone = stay.index(True) if any(stay) else 0
    loads = [
        schedule.departure,
        *(each.begin for each in schedule.reloads or () if each.after <= gone),
    ]
    departure = None if math.isnan(loads[-1]) else loads[-1]
    return kept_reloads(reloads, stay, depots, unknown), departure


def _rests(
    schedule: RouteSchedule,
    stay: Sequence[bool],
    reloads: Sequence[Reload],
    breaks: Sequence[str],
    *,
    is_rounded: bool,
) -> tuple[tuple[int, int, float | None], ...]:
    """The breaks that a route states, as `Route.rests` has them."""
    found: dict[int, tuple[int, float | None]] = {}
    for each in schedule.breaks or ():
        if each.id not in breaks:
            continue
        after = sum(stay[: each.after])
        calls = sum(call.after < after + each.at_reload for call in reloads)
        known = is_rounded or schedule.frozen is not None or not all(stay)
        begin = each.begin if known and not math.isnan(each.begin) else None
        found.setdefault(breaks.index(each.id), (after + calls, begin))
    return tuple((number, *place) for number, place in found.items())


def _given(
    schedule: RouteSchedule, stay: Sequence[bool], reloads: Sequence[Reload], *, is_rounded: bool
) -> tuple[float, ...]:
    """The begins of a route's stops and reloads where these are facts.

    It was frozen, or some of its stops are gone: the vehicle was not at the others any sooner.
    What states rounded times does not state whether it was frozen.
    """
    known = is_rounded or schedule.frozen is not None or not all(stay)
    if schedule.begins is None or not known:
        return ()
    begins = [begin for begin, stays in zip(schedule.begins, stay, strict=False) if stays]
    calls = {sum(stay[: each.after]): each.begin for each in schedule.reloads or ()}
    for each in reversed(reloads):
        begins.insert(each.after, calls[each.after])
    return () if any(map(math.isnan, begins)) else tuple(begins)


def _goods(instance: Instance, solution: Solution, route: RouteReport) -> tuple[Goods, ...]:
    """Goods that a route's trips state, in as many dimensions as there are."""
    schedule, found = route.schedule, dict[tuple[CustomerId, int], Goods]()
    if schedule is None or (schedule.amounts is None and schedule.loaded is None):
        return ()
    calls, dimensions = schedule.reloads or (), instance.own_constraints.delivery.shape[1]
    amounts = schedule.amounts or [(0.0,) * dimensions] * len(route.customers)
    begins = schedule.begins or [None] * len(route.customers)
    stops = zip(route.customers, amounts, begins, strict=False)
    for place, (name, load, begin) in enumerate(stops):
        amount = load if isinstance(load, tuple) else (load,)
        number = sum(each.after <= place for each in calls)
        found[name, number] = Goods(name, amount, number, begin)
    freeze = -math.inf if solution.freeze is None else solution.freeze
    trip = sum(each.begin < freeze - _BEGUN * max(1.0, abs(freeze)) for each in calls)
    if schedule.loaded is not None:  # all of that trip, and who is in it otherwise got of these
        nothing = (0.0,) * dimensions
        found |= {key: own._replace(amount=nothing) for key, own in found.items() if key[1] == trip}
    for each in schedule.loaded or ():
        known = found.get((each.id, trip), each)
        found[each.id, trip] = known._replace(amount=each.amount, trip=trip)
    return tuple(each for each in found.values() if len(each.amount) == dimensions)


def _rounding(instance: Instance, solution: Solution, schedule: RouteSchedule) -> float | None:
    """As of `Route`: spreadsheets have whole minutes, VROOM's answers are cut to whole seconds."""
    if solution.kind is None:
        return None
    times = [abs(time) for time in (schedule.departure, schedule.return_) if math.isfinite(time)]
    return instance.origin.rounding(max(times, default=0.0))


def own_routes(instance: Instance, lost: Container[int] = ()) -> Plan:
    """The instance's own `routes`, for the search to start from; `lost` is as in `warm_routes`.

    Readers of files have left out what is unknown; instances built in Python may hold anything.

    Raises:
        InstanceError: None of them names a stop of the instance (code UNKNOWN).
    """
    routes, unknown = instance.routes or (), [*instance.unknown_in_routes]
    size = instance.num_customers
    unknown += [f"stop number {n}" for route in routes for n in route if not 1 <= n <= size]
    vehicles, unstated = instance.route_vehicles or (None,) * len(routes), _unstated(instance)
    reloads = instance.route_reloads or ((),) * len(routes)
    departures = instance.route_departures or (None,) * len(routes)
    known = [
        Route(
            unstated if vehicle is None else vehicle,
            tuple(stop for stop in route if 1 <= stop <= size),
            calls,
            departure,
        )
        for vehicle, route, calls, departure in zip(
            vehicles, routes, reloads, departures, strict=True
        )
    ]
    place = f"{describe(instance.name)}: routes"
    return _known(instance.origin.with_vans(known), unknown, place, lost)


def _unstated(instance: Instance) -> int:
    """The vehicle of a route that states none."""
    constraints = instance.constraints
    return 0 if constraints is None or not constraints.listed_vehicles else ANY_VEHICLE


def _known(
    routes: Sequence[Route], unknown: Sequence[str], place: str, lost: Container[int]
) -> Plan:
    """The routes that are not empty; what is unknown is named once."""
    routes = [
        route._replace(is_lost=route.is_lost or row in lost) for row, route in enumerate(routes)
    ]
    stated = [route for route in routes if route.stops]
    found = Plan(stated, unknown=tuple(dict.fromkeys(unknown)))
    if found.unknown and not found.routes:
        message = f"no stop of the instance is in them, but {enumerated(found.unknown)}"
        raise fault(place, message, "UNKNOWN")
    return found


def misfits(instance: Instance, known: Plan, *, whole: bool) -> str | None:
    """Describe faults of known routes apart from limits, in words; None: there are none.

    Args:
        instance: The problem. If it is plain, limits are looked at, too.
        known: Routes of it.
        whole: They are meant to serve all required customers.
    """
    found = (
        [f"without {enumerated(known.unknown)}, which the instance does not have"]
        if known.unknown
        else []
    )
    if instance.constraints is None:
        try:
            check_routes(instance, [route.stops for route in known.routes], "routes")
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
