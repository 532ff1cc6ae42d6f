"""Keeping a plan or going on with it: each known route has a vehicle type of its own."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from vrpcore.instance.constraints import Constraints, Float64
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import ANY_VEHICLE, Plan, Route
from vrpcore.replan.started import begun


class Keep(NamedTuple):
    """A plan to keep.

    Attributes:
        plan: Known routes, which may break limits; a stop belongs to the first that has it.
        cost: What each stop costs that another vehicle serves; None: nothing.
    """

    plan: Plan
    cost: float | None = None


def split_fleet(
    instance: Instance, keep: Keep, typed: Sequence[Route]
) -> tuple[Instance, list[int], Plan]:
    """Gives each known route a vehicle type, where moving its stops costs more.

    Args:
        instance: With constraints.
        keep: What is kept.
        typed: Its routes with types also for those that state none, where there are some.

    Returns:
        The instance with these types; of each of them the one that it stands for; the known routes
        by their types there, if the fleet has a vehicle left for them, and with the vans of those
        that have a type of their own, and what of them has started, unless their vehicle is gone.
    """
    constraints = instance.own_constraints
    known = begun(instance, keep.plan._replace(routes=list(typed)))
    apart, counts = _taken(constraints, keep, known)
    types = [*range(len(constraints.vehicles)), *apart.values()]
    own = {row: number for number, row in enumerate(apart, start=len(constraints.vehicles))}
    parts = _split(constraints, types, [*counts, *[1] * len(own)])
    if keep.cost is not None:
        prices = _prices(constraints, types, known.routes, own, keep.cost)
        parts = replace(parts, vehicle_cost=prices)
    routes = list[Route]()
    for row, route in enumerate(known.routes):
        vehicle = own.get(row, route.vehicle)
        gone = vehicle == ANY_VEHICLE or parts.vehicles[vehicle].count == 0
        van = route.van if row in own else None
        routes.append(route._replace(vehicle=ANY_VEHICLE if gone else vehicle, van=van))
    started = tuple(each if row in own else None for row, each in enumerate(known.started))
    whole = replace(instance, constraints=parts, plan=None)
    return whole, types, known._replace(routes=routes, started=started)


def _taken(
    constraints: Constraints, keep: Keep, known: Plan
) -> tuple[dict[int, int], list[int | None]]:
    """The known routes that get a vehicle of their own, with its type, and how many are left.

    Vehicles that are away, and not back to reload, take no other route. A route that has started
    has its vehicle first; then one that names a vehicle comes before one that names none, and a
    longer one before a shorter one.
    """
    stated = [route.vehicle != ANY_VEHICLE for route in keep.plan.routes]
    left, found = [vehicle.count for vehicle in constraints.vehicles], dict[int, int]()
    routes, days, started = known.routes, known.each_day, known.each_started
    for route, day in keep.plan.away:
        if route.vehicle == ANY_VEHICLE or not (count := left[route.vehicle]):
            continue
        own = constraints.vehicles[route.vehicle]
        back = math.inf if day.is_lost or day.back is None else day.back
        if own.end not in (own.reloads or ()) or back > (keep.plan.freeze or 0.0):
            left[route.vehicle] = count - 1

    def rank(row: int) -> tuple[bool, bool, int]:
        return started[row] is None, not stated[row], -len(routes[row].stops)

    for row in sorted(range(len(routes)), key=rank):
        vehicle, stops = routes[row].vehicle, routes[row].stops
        if vehicle == ANY_VEHICLE or (count := left[vehicle]) == 0:
            continue
        if stops and (keep.cost is not None or started[row] is not None):
            found[row] = vehicle
        elif stops or not days[row].is_lost:
            continue
        left[vehicle] = None if count is None else count - 1
    pairs = zip(constraints.vehicles, left, strict=True)
    return found, [0 if vehicle.is_lost else count for vehicle, count in pairs]


def _split(
    constraints: Constraints, types: Sequence[int], counts: Sequence[int | None]
) -> Constraints:
    """Constraints with these types, each standing for one of the old ones."""
    on_board, pairs = constraints.on_board, zip(types, counts, strict=True)
    if on_board is not None:
        # Whose types have one vehicle, and so stand for themselves once.
        new = {old: number for number, old in enumerate(types)}
        on_board = np.array([-1 if old < 0 else new[old] for old in on_board.tolist()])
    tables: dict[str, Any] = {
        name: table[np.array(types)]
        for name in ("service_by_type", "setup_by_type", "vehicle_cost")
        if (table := getattr(constraints, name)) is not None
    }
    return replace(
        constraints,
        vehicles=tuple(replace(constraints.vehicles[old], count=count) for old, count in pairs),
        allowed=constraints.permits()[np.array(types)],
        **tables,
        on_board=on_board,
        relations=tuple(each._replace(vehicle=None) for each in constraints.relations),
        listed_vehicles=True,
    )


def _prices(
    constraints: Constraints,
    types: Sequence[int],
    known: Sequence[Route],
    own: Mapping[int, int],
    cost: float,
) -> Float64:
    """[T, N], what a stop costs by the type that serves it: its own price, and that of moving."""
    moving: Float64 = np.zeros((len(types), constraints.num_stops))
    seen: set[int] = set()
    for number, route in enumerate(known):
        for stop in route.stops:
            if stop in seen:
                continue
            seen.add(stop)
            row = min(stop, constraints.partner(stop) or stop) - 1  # a shipment's pickup
            moving[:, row] += cost
            if number in own:
                moving[own[number], row] -= cost
    # What has to be paid in any case would hide what differs.
    permits = constraints.permits()[np.array(types)]
    least = np.where(permits, moving, math.inf).min(axis=0)
    found: Float64 = np.maximum(moving - np.where(np.isinf(least), 0.0, least), 0.0)
    if constraints.vehicle_cost is not None:
        found = found + constraints.vehicle_cost[np.array(types)]
    return found
