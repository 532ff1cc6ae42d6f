"""The day of a route as an earlier solution states it."""

import math
from collections.abc import Sequence

from vrpcore.instance.instance import CustomerId, Instance
from vrpcore.instance.plan import ANY_VEHICLE, Goods, KnownDay, Reload, Route
from vrpcore.instance.solution import RouteReport, RouteSchedule, Solution

_BEGUN = 1e-9  # relative: what begins so little before a freeze begins with it


def known_day(
    instance: Instance, solution: Solution, report: RouteReport, route: Route, stay: Sequence[bool]
) -> KnownDay:
    """The day of a route, of those of its stops that the instance has.

    Args:
        instance: The problem.
        solution: An earlier one, with the instance's own ids.
        report: One of its routes.
        route: The same with the type and the stops that it has in the instance.
        stay: Whether the instance has each of its stops.
    """
    schedule = report.schedule
    if schedule is None or instance.constraints is None:
        return KnownDay()
    # Where whole trips are gone, the route begins where the first of those that are left is loaded.
    first, calls = stay.index(True) if any(stay) else 0, schedule.reloads or ()
    begin = [schedule.departure, *(each.begin for each in calls if each.after <= first)][-1]
    departure = None if math.isnan(begin) else begin
    if route.vehicle == ANY_VEHICLE:
        return KnownDay(departure)
    rounding = _rounding(instance, solution, schedule)
    # Where it was frozen, or some of its stops are gone, times are facts: the vehicle was not at
    # the others any sooner. What states rounded times does not state whether it was frozen.
    # So they are with rides, since begins do not follow from the departure.
    are_facts = rounding is not None or schedule.frozen is not None or not all(stay)
    are_facts |= instance.constraints.has_rides
    names = [each.id for each in instance.constraints.vehicles[route.vehicle].breaks]
    gone = _begins(schedule, [not stays for stays in stay], ())
    return KnownDay(
        departure,
        _begins(schedule, stay, route.reloads) if are_facts else (),
        _breaks(schedule, stay, route.reloads, names, are_facts=are_facts),
        rounding,
        _goods(instance, solution, report),
        schedule.is_lost,
        gone,
        schedule.return_ if gone and math.isfinite(schedule.return_) else None,
    )


def _breaks(
    schedule: RouteSchedule,
    stay: Sequence[bool],
    reloads: Sequence[Reload],
    names: Sequence[str],
    *,
    are_facts: bool,
) -> tuple[tuple[int, int, float | None], ...]:
    """The breaks of `names` that a route states, as `KnownDay` has them."""
    found: dict[int, tuple[int, float | None]] = {}
    for each in schedule.breaks or ():
        if each.id in names:
            after = sum(stay[: each.after])
            calls = sum(call.after < after + each.at_reload for call in reloads)
            begin = each.begin if are_facts and not math.isnan(each.begin) else None
            found.setdefault(names.index(each.id), (after + calls, begin))
    return tuple((number, *place) for number, place in found.items())


def _begins(
    schedule: RouteSchedule, stay: Sequence[bool], reloads: Sequence[Reload]
) -> tuple[float, ...]:
    """The begins of a route's stops and reloads; empty where some are not stated."""
    if schedule.begins is None:
        return ()
    begins = [begin for begin, stays in zip(schedule.begins, stay, strict=False) if stays]
    calls = {sum(stay[: each.after]): each.begin for each in schedule.reloads or ()}
    for each in reversed(reloads):
        begins.insert(each.after, calls[each.after])
    return () if any(map(math.isnan, begins)) else tuple(begins)


def _goods(instance: Instance, solution: Solution, route: RouteReport) -> tuple[Goods, ...]:
    """Goods that a route's trips state, in as many dimensions as there are."""
    schedule, found = route.schedule, dict[tuple[CustomerId, int], Goods]()
    if schedule is None or not solution.states_amounts:
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
    """As of `KnownDay`: spreadsheets have whole minutes, VROOM's answers whole seconds."""
    if solution.kind is None:
        return None
    times = [abs(time) for time in (schedule.departure, schedule.return_) if math.isfinite(time)]
    return instance.origin.rounding(max(times, default=0.0))
