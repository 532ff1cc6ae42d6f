"""The times of routes, and routes as answers state them."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from vrpcore.instance.constraints import Constraints
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Route
from vrpcore.instance.solution import Load, RouteBreak, RouteReload, RouteReport, RouteSchedule


class Schedule(NamedTuple):
    """The times of a route that leaves so that it costs least; see `Timeline.schedule`.

    Attributes:
        departure: From the start depot, where loading begins then; begin of the first service or
            break where there is none.
        end: Back at the end depot; end of the last service or break where there is none.
        distance: Of its legs.
        travel: Duration of its legs.
        arrivals: At each stop, waiting not yet included.
        begins: Of setup and service at each stop.
        load: [L] most on board in any trip.
        cost: Of the vehicle, its legs and times, and of the stops it serves.
        breaks: In their order.
        reloads: In their order.
        late: How late service begins at each stop.
        rides: How long the ride to each stop is; 0 where it has no limit.
        late_return: How late it is back, or ends its last service.
        overtime: Of the duration.
    """

    departure: float
    end: float
    distance: float
    travel: float
    arrivals: tuple[float, ...]
    begins: tuple[float, ...]
    load: tuple[float, ...]
    cost: float
    breaks: tuple[RouteBreak, ...] = ()
    reloads: tuple[RouteReload, ...] = ()
    late: tuple[float, ...] = ()
    rides: tuple[float, ...] = ()
    late_return: float = 0.0
    overtime: float = 0.0

    @property
    def duration(self) -> float:
        """From departure to end."""
        return self.end - self.departure


def route_report(
    instance: Instance,
    route: Route,
    found: Schedule,
    loaded: Mapping[int, tuple[float, ...]] | None = None,
) -> RouteReport:
    """Report a route for an answer: its vehicle, stops, times, loads and cost.

    Args:
        instance: With constraints.
        route: The route.
        found: Its times.
        loaded: Amounts that were loaded for stops, where they differ from what these ask for.
    """
    constraints = instance.own_constraints
    return RouteReport(
        customers=tuple(instance.ids[stop - 1] for stop in route.stops),
        load=found.load if constraints.listed_amounts else found.load[0],
        cost=whole_cost(instance, found.cost),
        schedule=_route_schedule(instance, route, found, loaded or {}),
    )


def whole_cost(instance: Instance, cost: float) -> float:
    """An integer where lengths are whole and the cost is one."""
    return int(cost) if instance.integer_cost and cost.is_integer() else cost


def _route_schedule(
    instance: Instance, route: Route, found: Schedule, loaded: Mapping[int, tuple[float, ...]]
) -> RouteSchedule:
    constraints = instance.own_constraints
    vehicle = constraints.vehicles[route.vehicle]
    start, end = constraints.end_names(vehicle)
    may_be_late = any(constraints.max_late[stop - 1] > 0 for stop in route.stops)
    return RouteSchedule(
        vehicle=vehicle.id if constraints.listed_vehicles else None,
        start=start,
        end=end,
        distance=found.distance,
        duration=found.duration,
        departure=found.departure,
        return_=found.end,
        arrivals=found.arrivals,
        begins=found.begins,
        breaks=found.breaks if vehicle.breaks else None,
        reloads=None if vehicle.reloads is None and not route.reloads else found.reloads,
        late=found.late if may_be_late else None,
        rides=found.rides or None,
        late_return=found.late_return if vehicle.max_late > 0 else math.nan,
        overtime=found.overtime if vehicle.max_overtime > 0 else math.nan,
        amounts=_amounts(constraints, route, loaded),
        van=route.van,
    )


def _amounts(
    constraints: Constraints, route: Route, loaded: Mapping[int, tuple[float, ...]]
) -> tuple[Load, ...] | None:
    """Amounts loaded for each stop, with splits taken where none is; None: all are 0."""
    asked = constraints.delivery
    if constraints.split is not None:
        asked = np.where(asked.any(axis=1, keepdims=True), asked, constraints.pickup)
    amounts = [loaded.get(stop, tuple(asked[stop - 1].tolist())) for stop in route.stops]
    if not any(map(any, amounts)):
        return None
    return tuple(own if constraints.listed_amounts else own[0] for own in amounts)
