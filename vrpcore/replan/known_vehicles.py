"""Keeping a plan: each known route has a vehicle of its own, which the search knows apart."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from vrpcore.instance.constraints import Constraints, Float64
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import ANY_VEHICLE, KnownDay, Plan, Route, Started
from vrpcore.replan.started import begun_routes


class Keep(NamedTuple):
    """A plan to keep.

    Attributes:
        plan: Known routes, which may break limits; a stop belongs to the first that has it.
        cost: What each stop costs that another vehicle serves; None: nothing.
        freeze: What begins before this time stays, and nothing else begins before it; None:
            everything may change.
    """

    plan: Plan
    cost: float | None = None
    freeze: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownVehicles:
    """An instance with a vehicle type for each known route, where moving its stops costs more.

    Attributes:
        instance: What is searched.
        types: Of each of its vehicle types the one that it stands for.
        own: Of each known route its type there; None: the fleet has no vehicle left for it.
        known: The routes, by the types that they have in the instance itself.
        started: The part that each has begun where the plan is frozen; None: it has not left.
    """

    instance: Instance
    types: tuple[int, ...]
    own: tuple[int | None, ...]
    known: tuple[Route, ...]
    started: tuple[Started | None, ...]

    @classmethod
    def of(cls, instance: Instance, keep: Keep, typed: Sequence[Route]) -> "KnownVehicles":
        """Splits the fleet.

        Args:
            instance: With constraints.
            keep: What is kept.
            typed: Its routes with types also for those that state none, where there are some.
        """
        constraints, known = instance.own_constraints, list(typed)
        days = keep.plan.days or (KnownDay(),) * len(known)
        started: list[Started | None] = [None] * len(known)
        if keep.freeze is not None:
            begun = list(begun_routes(instance, known, days, keep.freeze))
            known, started = [route for route, _ in begun], [own for _, own in begun]
        stated = [route.vehicle != ANY_VEHICLE for route in keep.plan.routes]
        left = [vehicle.count for vehicle in constraints.vehicles]
        types = list(range(len(left)))
        own: list[int | None] = [None] * len(known)
        # Who names a vehicle has it before who names none, and longer routes before shorter ones.
        for row in sorted(range(len(known)), key=lambda n: (not stated[n], -len(known[n].stops))):
            vehicle = known[row].vehicle
            if not known[row].stops:
                if days[row].is_lost and vehicle != ANY_VEHICLE and (count := left[vehicle]):
                    left[vehicle] = count - 1
                continue
            apart = keep.cost is not None or started[row] is not None
            if apart and vehicle != ANY_VEHICLE and (count := left[vehicle]) != 0:
                own[row] = len(types)
                types.append(vehicle)
                left[vehicle] = None if count is None else count - 1
        for number, each in enumerate(constraints.vehicles):
            if each.is_lost:
                left[number] = 0
        counts = [*left, *[1] * (len(types) - len(left))]
        parts = _split(constraints, types, counts)
        prices = by_type(constraints.vehicle_cost, types)
        if keep.cost is not None:
            prices = _prices(constraints, types, known, own, keep.cost)
        return cls(
            instance=replace(
                instance,
                constraints=replace(parts, vehicle_cost=prices),
                routes=None,
                route_vehicles=None,
                route_reloads=None,
                route_departures=None,
            ),
            types=tuple(types),
            own=tuple(own),
            known=tuple(known),
            started=tuple(started),
        )

    @property
    def start(self) -> Plan:
        """The plan to keep, whose routes have their own vehicles, where these are left."""
        routes, vehicles = list[Route](), self.instance.own_constraints.vehicles
        for route, own in zip(self.known, self.own, strict=True):
            vehicle = route.vehicle if own is None else own
            gone = vehicle == ANY_VEHICLE or vehicles[vehicle].count == 0
            routes.append(route._replace(vehicle=ANY_VEHICLE if gone else vehicle))
        return Plan(routes)

    def plan(self, found: Plan) -> Plan:
        """A plan by the instance's own types; what it costs without moving is not known."""
        vans = {own: route.van for own, route in zip(self.own, self.known, strict=True)}
        routes = [
            route._replace(vehicle=self.types[route.vehicle], van=vans.get(route.vehicle))
            for route in found.routes
        ]
        order, frozen = sorted(range(len(routes)), key=lambda n: routes[n].vehicle), found.frozen
        if frozen is not None:
            frozen = frozen._replace(started=tuple(frozen.started[row] for row in order))
        routes = [routes[row] for row in order]
        return found._replace(routes=routes, cost=math.nan, frozen=frozen)


def _split(
    constraints: Constraints, types: Sequence[int], counts: Sequence[int | None]
) -> Constraints:
    """Constraints with these types, each standing for one of the old ones."""
    on_board = constraints.on_board
    if on_board is not None:
        # Whose types have one vehicle, and so stand for themselves once.
        new = {old: number for number, old in enumerate(types)}
        on_board = np.array([-1 if old < 0 else new[old] for old in on_board.tolist()])
    return replace(
        constraints,
        vehicles=tuple(
            replace(constraints.vehicles[old], count=count)
            for old, count in zip(types, counts, strict=True)
        ),
        allowed=constraints.permits()[np.array(types)],
        service_by_type=by_type(constraints.service_by_type, types),
        setup_by_type=by_type(constraints.setup_by_type, types),
        vehicle_cost=by_type(constraints.vehicle_cost, types),
        on_board=on_board,
        relations=tuple(each._replace(vehicle=None) for each in constraints.relations),
        listed_vehicles=True,
    )


def by_type(table: Float64 | None, types: Sequence[int]) -> Float64 | None:
    """The rows of some types, if there are any."""
    return None if table is None else table[np.array(types)]


def _prices(
    constraints: Constraints,
    types: Sequence[int],
    known: Sequence[Route],
    own: Sequence[int | None],
    cost: float,
) -> Float64:
    """[T, N], what a stop costs by the type that serves it: its own price, and that of moving."""
    moving: Float64 = np.zeros((len(types), constraints.num_stops))
    seen: set[int] = set()
    for route, vehicle in zip(known, own, strict=True):
        for stop in route.stops:
            if stop in seen:
                continue
            seen.add(stop)
            partner = constraints.partner(stop)
            row = (stop if partner is None else min(stop, partner)) - 1  # a shipment's pickup
            moving[[each for each in range(len(types)) if each != vehicle], row] += cost
    # What has to be paid in any case would hide what differs.
    permits = constraints.permits()[np.array(types)]
    least = np.where(permits, moving, math.inf).min(axis=0)
    found: Float64 = np.maximum(moving - np.where(np.isinf(least), 0.0, least), 0.0)
    if constraints.vehicle_cost is not None:
        found = found + constraints.vehicle_cost[np.array(types)]
    return found
