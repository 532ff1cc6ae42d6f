"""Known routes of an instance in JSON: read with what is gone left out, and written."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from vrpcore.errors import fault
from vrpcore.formats.json.documents import RouteRow
from vrpcore.formats.json.json_numbers import json_number
from vrpcore.instance.instance import CustomerId, Instance
from vrpcore.instance.plan import ANY_VEHICLE, KnownDay, Plan, Route
from vrpcore.instance.route_names import RouteNames


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
    names = RouteNames(instance, instance.listed_types)
    found, days = list[Route](), list[KnownDay]()
    for row, each in enumerate(routes):
        stated = each if isinstance(each, RouteRow) else RouteRow(customers=[*each])
        if not stated.customers:
            where = f"{place}.routes[{row}]" + ".customers" * isinstance(each, RouteRow)
            raise fault(where, "an empty route, expected at least one customer", "ROUTES")
        vehicle = None if stated.vehicle is None else str(stated.vehicle)
        reloads = [(str(call.depot), call.after) for call in stated.reloads or ()]
        found.append(names.route(stated.customers, vehicle, reloads)[0])
        days.append(KnownDay(stated.departure))
    return replace(instance, plan=Plan.known(found, days, names.unknown))


def known_routes_to_list(instance: Instance, plan: Plan) -> list[Any]:
    """The key `routes`: lists of ids, and objects where a route says more; no empty ones."""
    pairs = zip(plan.routes, plan.each_day, strict=True)
    return [_written(instance, route, day) for route, day in pairs if route.stops]


def _written(instance: Instance, route: Route, day: KnownDay) -> object:
    customers = [instance.ids[stop - 1] for stop in route.stops]
    found: dict[str, Any] = {"customers": customers}
    if (constraints := instance.constraints) is not None:
        if constraints.listed_vehicles and route.vehicle != ANY_VEHICLE:
            found["vehicle"] = constraints.vehicles[route.vehicle].id
        if route.reloads:
            found["reloads"] = [
                {"depot": constraints.depots[depot].id, "after": after}
                for depot, after in route.reloads
            ]
    if day.departure is not None:
        found["departure"] = json_number(day.departure)
    return found if len(found) > 1 else customers
