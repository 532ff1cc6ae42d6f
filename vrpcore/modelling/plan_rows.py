"""An answer as rows: what vehicles do and when, and the stops with their places."""

from collections.abc import Iterator
from typing import Any, TypedDict

from vrpcore.errors import InstanceError, describe
from vrpcore.instance.instance import CustomerId, Instance
from vrpcore.instance.service_unit import stops_by_name
from vrpcore.instance.solution import Solution
from vrpcore.plot.activities import Kind, bars, loading_times, service_times
from vrpcore.plot.map import route_stops
from vrpcore.plot.style import route_types


class StopRow(TypedDict):
    """A stop of the plan, or one that no route serves: `route` is None, and `reason` says why.

    Routes and stops are numbered from 1. Times are None for plain instances.
    """

    route: int | None
    stop: int | None
    vehicle: str | None
    customer: CustomerId
    x: float | None
    y: float | None
    arrival: float | None
    begin: float | None
    finish: float | None
    reason: str | None
    detail: str | None


class ActivityRow(TypedDict):
    """An activity of a vehicle.

    `customer` is the one it serves, waits for or goes to; None: it rests, or goes to a depot.
    """

    route: int
    vehicle: str | None
    activity: Kind
    begin: float
    end: float
    customer: CustomerId | None


def activity_rows(instance: Instance, solution: Solution) -> Iterator[ActivityRow]:
    """Each vehicle's activities, by route and time; those without duration are left out."""
    services = service_times(instance, solution)
    kinds = route_types(instance, solution)
    loading = {} if instance.constraints is None else loading_times(instance)
    for index, route in enumerate(solution.routes):
        own = route.schedule
        if own is None or own.arrivals is None or own.begins is None:
            continue
        breaks = instance.own_constraints.vehicles[kinds[index]].breaks
        for bar in bars(own, services[index], breaks, loading):
            yield ActivityRow(
                route=index + 1,
                vehicle=own.vehicle,
                activity=bar.kind,
                begin=bar.begin,
                end=bar.end,
                customer=None if bar.stop is None else route.customers[bar.stop],
            )


def stop_rows(instance: Instance, solution: Solution) -> Iterator[StopRow]:
    """The stops as `ModelSolution.to_rows` has them, with its error."""
    routes, services = route_stops(instance, solution), service_times(instance, solution)
    for index, route in enumerate(solution.routes):
        own = route.schedule
        for place, stop in enumerate(routes[index]):
            row = _empty(instance, stop)
            row["route"], row["stop"] = index + 1, place + 1
            if own is not None:
                row["vehicle"] = own.vehicle
            if own is not None and own.arrivals is not None and own.begins is not None:
                row["arrival"], row["begin"] = own.arrivals[place], own.begins[place]
                row["finish"] = own.begins[place] + services[index][place]
            yield row
    known = stops_by_name(instance)
    for item in solution.unserved:
        if str(item.id) not in known:
            raise InstanceError(f"{solution.name}: unknown customer {describe(item.id)}")
        for stop in known[str(item.id)]:
            row = _empty(instance, stop)
            row["reason"], row["detail"] = item.reason, item.detail
            yield row


def _empty(instance: Instance, stop: int) -> StopRow:
    """Makes a row of only a name and a location."""
    x: Any = None
    y: Any = None
    if instance.coords is not None:
        x, y = instance.coords[instance.num_depots - 1 + stop].tolist()
    return StopRow(
        route=None, stop=None, vehicle=None, customer=instance.ids[stop - 1], x=x, y=y,
        arrival=None, begin=None, finish=None, reason=None, detail=None,
    )  # fmt: skip
