"""Known routes of an instance in JSON: read with what is gone left out, and written."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from vrpcore.errors import describe, fault
from vrpcore.formats.json.json_numbers import json_number
from vrpcore.formats.json.key_schema import Fields, check_id, check_list
from vrpcore.formats.json.keys import RELOAD, ROUTE
from vrpcore.instance.instance import CustomerId, Instance
from vrpcore.instance.plan import ANY_VEHICLE, Reload


class _Known(NamedTuple):
    """What an instance's routes may name."""

    stops: Mapping[str, int]
    vehicles: Mapping[str, int]
    depots: Mapping[str, int]


class _Route(NamedTuple):
    """A route without what is gone; `vehicle` is `ANY_VEHICLE` where it states none."""

    stops: tuple[int, ...]
    vehicle: int = ANY_VEHICLE
    reloads: tuple[Reload, ...] = ()
    departure: float | None = None


def with_known_routes(found: Fields, place: str, instance: Instance) -> Instance:
    """The same with its known routes, which may be no solution of it.

    Args:
        found: The keys of the instance.
        place: Begins each message.
        instance: Without routes.

    Raises:
        InstanceError: A route is no list of ids and no object with one, or empty.
    """
    if "routes" not in found:
        return instance
    place = f"{place}.routes"
    known, unknown, routes = _names(instance), list[str](), list[_Route]()
    for row, listed in enumerate(check_list(found.raw("routes"), place, "lists of customer ids")):
        where = f"{place}[{row}]"
        if isinstance(listed, Mapping):
            routes.append(_object(listed, where, known, unknown))
        else:
            routes.append(_Route(tuple(_kept(_stops(listed, where), known, unknown))))
    stated = any(route.vehicle != ANY_VEHICLE for route in routes)
    return replace(
        instance,
        routes=tuple(route.stops for route in routes),
        route_vehicles=tuple(route.vehicle for route in routes) if stated else None,
        route_reloads=tuple(route.reloads for route in routes)
        if any(route.reloads for route in routes)
        else None,
        route_departures=tuple(route.departure for route in routes)
        if any(route.departure is not None for route in routes)
        else None,
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


def _object(row: Mapping[str, object], place: str, known: _Known, unknown: list[str]) -> _Route:
    """A route with its vehicle type, its reloads and its departure."""
    fields = Fields(row, place, ROUTE)
    listed = _stops(fields["customers"], f"{place}.customers")
    name = None if "vehicle" not in fields else str(fields["vehicle"])
    if name is not None and name not in known.vehicles:
        unknown.append(f"vehicle type {describe(name)}")
    stops = _kept(listed, known, unknown)
    where, reloads = f"{place}.reloads", list[tuple[str, int]]()
    rows = check_list(fields.raw("reloads"), where, "reloads") if "reloads" in fields else ()
    for index, each in enumerate(rows):
        own = Fields(each, f"{where}[{index}]", RELOAD)
        reloads.append((str(own["depot"]), own["after"]))
    stay = [str(each) in known.stops for each in listed]
    return _Route(
        tuple(stops),
        ANY_VEHICLE if name is None else known.vehicles.get(name, ANY_VEHICLE),
        kept_reloads(reloads, stay, known.depots, unknown),
        fields.get("departure"),
    )


def _stops(value: object, place: str) -> list[CustomerId]:
    ids = check_list(value, place, "customer ids")
    if not ids:
        raise fault(place, "an empty route, expected at least one customer", "EMPTY_ROUTE")
    return [check_id(item, f"{place}[{column}]") for column, item in enumerate(ids)]


def _kept(listed: Sequence[CustomerId], known: _Known, unknown: list[str]) -> list[int]:
    unknown += [f"stop {describe(each)}" for each in listed if str(each) not in known.stops]
    return [known.stops[str(each)] for each in listed if str(each) in known.stops]


def kept_reloads(
    reloads: Iterable[tuple[str, int]],
    stay: Sequence[bool],
    depots: Mapping[str, int],
    unknown: list[str],
) -> tuple[Reload, ...]:
    """Reloads of a known route between those of its stops that are left.

    Of several that are then between the same two stops the first stays, and none before the first
    or after the last.

    Args:
        reloads: Ids of depots, and how many stops of the route come before.
        stay: Of each stop of the route, whether it is left.
        depots: Indices by id.
        unknown: Depots that are not there are added, in words.
    """
    found: dict[int, Reload] = {}
    for name, after in reloads:
        if name not in depots:
            unknown.append(f"depot {describe(name)}")
        elif 0 < (left := sum(stay[:after])) < sum(stay):
            found.setdefault(left, Reload(depots[name], left))
    return tuple(found[after] for after in sorted(found))


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
