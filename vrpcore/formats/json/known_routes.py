"""Known routes of an instance in JSON: read with what is gone left out, and written."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from vrpcore.errors import describe, fault
from vrpcore.formats.json.documents import RouteRow
from vrpcore.formats.json.json_numbers import json_number
from vrpcore.instance.instance import CustomerId, Instance
from vrpcore.instance.plan import ANY_VEHICLE, Route, kept_reloads


class _Known(NamedTuple):
    """The names that an instance's routes may use."""

    stops: Mapping[str, int]
    vehicles: Mapping[str, int]
    depots: Mapping[str, int]


def with_known_routes(
    routes: Sequence[Sequence[CustomerId] | RouteRow] | None, place: str, instance: Instance
) -> Instance:
    """Add known routes to an instance; they may be no solution of it.

    Args:
        routes: Of the document; None: there are none.
        place: Of the instance; begins each message.
        instance: Without routes.

    Raises:
        InstanceError: A route is empty.
    """
    if routes is None:
        return instance
    known, unknown, found = _names(instance), list[str](), list[Route]()
    for row, each in enumerate(routes):
        where, listed = f"{place}.routes[{row}]", each
        if isinstance(each, RouteRow):
            where, listed = f"{where}.customers", each.customers
        if not listed:
            raise fault(where, "an empty route, expected at least one customer", "ROUTES")
        if isinstance(each, RouteRow):
            found.append(_object(each, known, unknown))
        else:
            found.append(Route(ANY_VEHICLE, _kept(each, known, unknown)))
    vehicles = tuple(route.vehicle for route in found)
    reloads = tuple(route.reloads for route in found)
    departures = tuple(each.departure if isinstance(each, RouteRow) else None for each in routes)
    return replace(
        instance,
        routes=tuple(route.stops for route in found),
        route_vehicles=None if {*vehicles} <= {ANY_VEHICLE} else vehicles,
        route_reloads=reloads if any(reloads) else None,
        route_departures=None if {*departures} <= {None} else departures,
        unknown_in_routes=tuple(unknown),
    )


def _names(instance: Instance) -> _Known:
    constraints = instance.constraints
    if constraints is None:
        return _Known(instance.numbers_by_text, {}, {})
    types = constraints.vehicles if constraints.listed_vehicles else ()
    return _Known(
        instance.numbers_by_text,
        {each.id: index for index, each in enumerate(types)},
        {each.id: index for index, each in enumerate(constraints.depots)},
    )


def _object(row: RouteRow, known: _Known, unknown: list[str]) -> Route:
    """A route with its vehicle type and its reloads."""
    name = None if row.vehicle is None else str(row.vehicle)
    if name is not None and name not in known.vehicles:
        unknown.append(f"vehicle type {describe(name)}")
    stops = _kept(row.customers, known, unknown)
    reloads = [(str(each.depot), each.after) for each in row.reloads or ()]
    stay = [str(each) in known.stops for each in row.customers]
    return Route(
        ANY_VEHICLE if name is None else known.vehicles.get(name, ANY_VEHICLE),
        stops,
        kept_reloads(reloads, stay, known.depots, unknown),
    )


def _kept(listed: Sequence[CustomerId], known: _Known, unknown: list[str]) -> tuple[int, ...]:
    unknown += [f"stop {describe(each)}" for each in listed if str(each) not in known.stops]
    return tuple(known.stops[str(each)] for each in listed if str(each) in known.stops)


def known_routes_to_list(instance: Instance) -> list[Any]:
    """The key `routes`: lists of ids, and objects where a route says more; no empty ones."""
    routes = instance.routes or ()
    return [_written(instance, row) for row, route in enumerate(routes) if route]


def _written(instance: Instance, row: int) -> object:
    ids, routes = instance.ids, instance.routes or ()
    customers = [ids[customer - 1] for customer in routes[row]]
    found: dict[str, Any] = {"customers": customers}
    constraints = instance.constraints
    if constraints is not None and constraints.listed_vehicles and instance.route_vehicles:
        vehicle = instance.route_vehicles[row]
        if vehicle != ANY_VEHICLE:
            found["vehicle"] = constraints.vehicles[vehicle].id
    if constraints is not None and instance.route_reloads and instance.route_reloads[row]:
        found["reloads"] = [
            {"depot": constraints.depots[depot].id, "after": after}
            for depot, after in instance.route_reloads[row]
        ]
    departures = instance.route_departures
    if departures is not None and (departure := departures[row]) is not None:
        found["departure"] = json_number(departure)
    return found if len(found) > 1 else customers
