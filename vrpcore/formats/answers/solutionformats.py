"""Solutions for other programs: spreadsheets (CSV), maps (GeoJSON), CVRPLIB (`.sol`).

Each format can be written solution by solution, so none of them needs all in memory.
Solutions carry the ids of their instance. Names and ids are untrusted: no spreadsheet,
terminal or file system takes them for more than text.
"""

import colorsys
import csv
import io
import itertools
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from vrpcore.errors import OutputError
from vrpcore.formats.answers.solutionio import MAX_SOL_DIGITS, route_to_dict
from vrpcore.formats.json.writer import json_number, json_numbers
from vrpcore.formats.vroom.vroom_solution import with_vroom_ids
from vrpcore.instance.constraints import PICKUP
from vrpcore.instance.instance import CustomerId, Instance, InvalidInstance
from vrpcore.instance.solution import (
    RouteReport,
    RouteSchedule,
    Solution,
    route_nodes,
)

CSV_COLUMNS = (
    "instance", "status", "route", "stop", "customer", "demand", "x", "y", "route_load",
    "route_cost", "cost", "gap", "warnings", "code", "error", "vehicle", "start", "end",
    "arrival", "begin", "departure", "return", "distance", "duration", "reason",
)  # fmt: skip
CSV_HEADER = ",".join(CSV_COLUMNS) + "\n"
GEOJSON_HEAD = '{"type": "FeatureCollection", "features": [\n'
GEOJSON_SEPARATOR = ",\n"
GEOJSON_TAIL = "\n]}\n"

Feature = dict[str, object]

_Cells = tuple[str | float, ...]
_NO_STOP: _Cells = ("",) * 8
_NO_TIMES: _Cells = ("",) * 9
_FORMULA_SIGNS = frozenset("=+-@\uff1d\uff0b\uff0d\uff20")  # and their full-width twins
_FORMULA_BLANKS = frozenset("\t\r\n")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
_MAX_SOL_LINES = 100_000
_MAX_SAFE_NAME = 76  # with any position and the ending: about 100 characters
_GOLDEN = (math.sqrt(5) - 1) / 2  # of the colour circle: no two neighbours look alike


def solution_to_csv(instance: Instance | InvalidInstance, solution: Solution) -> str:
    r"""One solution as rows below `CSV_HEADER`, one a stop, depots left out.

    What belongs to the route or to the whole solution stands in each of its rows, so that
    rows can be sorted and filtered. Who is not served has a row without route and stop, with
    the reason. An answer without rows has one all the same: the reason why there is none, or
    an instance without customers. Amounts in several load dimensions stand in one cell, with
    blanks between them.

    Texts that a spreadsheet would take for a formula begin with `'`; control characters
    and line ends in them are spelled (`\n`), so that each row is one line. Numbers are as
    in JSON, to the last digit; what is not known is empty.

    Returns:
        Lines, each with its end.
    """
    text = io.StringIO()
    head = (plain_cell(solution.name), solution.status)
    tail = (
        "" if solution.cost is None else solution.cost,
        "" if solution.gap is None else solution.gap,
        plain_cell(" ".join(solution.warnings)),
        plain_cell(solution.code or ""),
        plain_cell(solution.error or ""),
    )
    nothing = (_NO_STOP, (*_NO_TIMES, ""))
    writer = csv.writer(text, lineterminator="\n")
    for stop, times in list(_rows(instance, solution)) or [nothing]:
        writer.writerow((*head, *stop, *tail, *times))
    return text.getvalue()


def geojson_features(instance: Instance | InvalidInstance, solution: Solution) -> list[Feature]:
    """One solution as GeoJSON features.

    A LineString depot - customers - depot for each route with `instance`, `route` (from 1),
    all that its JSON has, and its colour `stroke`; then the depot, a Point with what belongs to
    the whole solution; then further depots, and who is not served with `reason` and `detail`.
    Without an answer in routes there is one feature without geometry, with `status`, `code` and
    `error`; features of an instance that has distances only have no geometry either.

    Coordinates are [x, y] as read: longitude and latitude for `haversine`, a plane's
    otherwise. A line across the date line is not cut.

    Source:
        Butler et al. 2016, RFC 7946 (GeoJSON); Mapbox simplestyle-spec 1.1 (`stroke`,
        `marker-color`).
    """
    whole: Feature = {"instance": solution.name, "status": solution.status}
    reason = {"code": solution.code, "error": solution.error}
    if isinstance(instance, InvalidInstance) or not solution.has_routes:
        return [_feature(None, {**whole, **reason, "warnings": list(solution.warnings)})]
    if solution.status != "solved":
        whole |= reason
    points = None if instance.coords is None else json_numbers(instance.coords)
    features = []
    for index, route in enumerate(solution.routes):
        place = {"instance": solution.name, "route": index + 1}
        properties = {**place, **route_to_dict(route), "stroke": _colour(index)}
        features.append(_feature(_line(instance, points, route), properties))
    whole |= {
        "depot": True,
        "routes": len(solution.routes),
        "cost": solution.cost,
        "gap": solution.gap,
        "warnings": list(solution.warnings),
        "marker-color": "#000000",
    }
    depots = [_feature(_point(points, 0), whole)]
    if instance.constraints is not None:
        whole["id"] = instance.constraints.depots[0].id
        for row, depot in enumerate(instance.constraints.depots[1:], start=1):
            properties = {"instance": solution.name, "depot": True, "id": depot.id}
            depots.append(_feature(_point(points, row), {**properties, "marker-color": "#000000"}))
    return [*features, *depots, *_unserved_features(instance, points, solution)]


def _line(
    instance: Instance, points: list[Any] | None, route: RouteReport
) -> dict[str, Any] | None:
    """From depot to depot, as far as there are some; a Point where there is one place only."""
    if points is None:
        return None
    numbers = instance.numbers
    stops = [numbers[customer] for customer in route.customers]
    nodes = route_nodes(instance, stops, route.schedule)
    if len(nodes) == 1:
        return _point(points, nodes[0])
    return {"type": "LineString", "coordinates": [points[node] for node in nodes]}


def _unserved_features(
    instance: Instance, points: list[Any] | None, solution: Solution
) -> Iterator[Feature]:
    """A Point for each that is not served, where its pickup is for a shipment."""
    numbers, before = instance.numbers, instance.num_depots - 1
    for item in solution.unserved:
        stop = numbers.get(item.id, numbers.get(f"{item.id}{PICKUP}", 0))
        properties = {"instance": solution.name, "unserved": item.id, "reason": item.reason}
        geometry = _point(points, before + stop) if stop else None
        yield _feature(geometry, {**properties, "detail": item.detail, "marker-color": "#808080"})


def _point(points: list[Any] | None, node: int) -> dict[str, Any] | None:
    return None if points is None else {"type": "Point", "coordinates": points[node]}


def feature_to_line(feature: Mapping[str, object]) -> str:
    """One feature as JSON on one line, without a line end: all of it ASCII, escaped.

    A document is `GEOJSON_HEAD`, the lines with `GEOJSON_SEPARATOR` between them, and
    `GEOJSON_TAIL`.
    """
    return json.dumps(feature, allow_nan=False)


def solution_to_sol(instance: Instance, solution: Solution) -> str:
    """One solution as a CVRPLIB `.sol` file: `Route #1: 3 5 8` lines and `Cost 784`.

    Customers are called as `sol_numbers` says; whole costs are integers.

    Raises:
        ValueError: The solution is not solved: a bug of the caller.
        OutputError: It would have a line for each of too many vehicles.
    """
    if solution.status != "solved":
        raise ValueError(f"{solution.name!r} is {solution.status}: there is no .sol of it")
    names = dict(zip(instance.ids, sol_numbers(instance), strict=True))
    lines = [
        " ".join([f"Route #{index}:", *(str(names[customer]) for customer in customers)])
        for index, customers in enumerate(_lines(instance, solution), start=1)
    ]
    if solution.cost is not None:
        lines.append(f"Cost {json.dumps(solution.cost, allow_nan=False)}")
    return "".join(f"{line}\n" for line in lines)


def _lines(instance: Instance, solution: Solution) -> list[tuple[CustomerId, ...]]:
    """Customers of each line of a `.sol`: one a vehicle, types in the instance's order.

    Vehicles without a route have an empty line where others follow, so that a line's number
    tells its type.

    Raises:
        OutputError: There would be too many lines.
    """
    if instance.constraints is None or not instance.constraints.listed_vehicles:
        return [route.customers for route in solution.routes]
    lines: list[tuple[CustomerId, ...]] = []
    types, idle = instance.constraints.vehicles, 0
    for vehicle in types:
        own = [
            route.customers
            for route in solution.routes
            if route.customers and _type_of(route, types[0].id) == vehicle.id
        ]
        if own and len(lines) + idle > _MAX_SOL_LINES:
            raise OutputError(
                f"{solution.name}: a .sol has a line for each vehicle, also for "
                f"{idle} without a route; write JSON, or order the types by their use"
            )
        if own:
            lines += [*((),) * idle, *own]
            idle = 0
        idle += max(0, (vehicle.count or 0) - len(own))
    return lines


def _type_of(route: RouteReport, otherwise: str) -> str:
    stated = None if route.schedule is None else route.schedule.vehicle
    return otherwise if stated is None else stated


def _with_types(instance: Instance, solution: Solution) -> Solution:
    """Routes from the lines of a `.sol` with the vehicles that the lines belong to."""
    constraints = instance.constraints
    if constraints is None or not constraints.listed_vehicles or not solution.routes:
        return solution
    routes, left = [], iter(solution.routes)
    for vehicle in constraints.vehicles:
        names = (
            None if row is None else constraints.depots[row].id
            for row in (vehicle.start, vehicle.end)
        )
        start, end = names
        schedule = RouteSchedule(vehicle=vehicle.id, start=start, end=end)
        own = left if vehicle.count is None else itertools.islice(left, vehicle.count)
        routes += [replace(route, schedule=schedule) for route in own]
    return replace(solution, routes=(*routes, *left))


def sol_numbers(instance: Instance) -> tuple[int, ...]:
    """The number by which a `.sol` file calls each customer, in the instance's order.

    The instance's own ids where all of them are whole numbers from 0 (those of a `.vrp`
    are CVRPLIB's customer numbers already), else the positions 1..N.
    """
    ids = [item for item in instance.ids if isinstance(item, int)]
    if len(ids) == instance.num_customers and all(0 <= item < 10**MAX_SOL_DIGITS for item in ids):
        return tuple(ids)
    return tuple(range(1, instance.num_customers + 1))


def with_own_ids(instance: Instance, solution: Solution) -> Solution:
    """A solution from a `.sol` or CSV file, or of VROOM's, with the ids of its instance.

    Any other stays as it is. A `.sol` is known by routes without stated loads. Its numbers mean
    what `sol_numbers` gives; where that is ids, and none of its numbers is one, they are the
    positions 1..N. Numbers that mean no customer stay as they are.
    """
    if solution.kind == "vroom":
        return with_vroom_ids(instance, solution)
    if solution.kind == "csv":
        from vrpcore.formats.sheets.csv_answers import with_sheet_names  # which needs this module

        return with_sheet_names(instance, solution)
    if any(route.states_load for route in solution.routes):
        return solution
    solution = _with_types(instance, solution)
    used = {customer for route in solution.routes for customer in route.customers}
    ids_are_meant = sol_numbers(instance) == instance.ids and not used.isdisjoint(instance.ids)
    names = dict(enumerate(instance.ids, start=1))
    if ids_are_meant or not used <= names.keys():
        return solution
    routes = (
        replace(route, customers=tuple(names[int(customer)] for customer in route.customers))
        for route in solution.routes
    )
    return replace(solution, routes=tuple(routes))


def sol_file_name(position: int, name: str) -> str:
    """`<position>-<safe name>.sol`, a plain file name on every system whatever the name is.

    Args:
        position: Of the instance in the input, from 0; makes names differ that look alike,
            also where upper and lower case are one.
        name: The instance's name, of which only A-Z, a-z, 0-9, `.`, `_`, `-` are kept.
    """
    safe = _UNSAFE.sub("_", name[:_MAX_SAFE_NAME]).strip(".")
    return f"{position}-{safe or 'instance'}.sol"


def _rows(
    instance: Instance | InvalidInstance, solution: Solution
) -> Iterator[tuple[_Cells, _Cells]]:
    """Of each stop the columns from `route` to `route_cost`, and those from `vehicle`."""
    if isinstance(instance, InvalidInstance):
        return
    numbers = instance.numbers
    demand = _demands(instance)
    points = None if instance.coords is None else json_numbers(instance.coords)
    before = instance.num_depots - 1  # depots stand before the first stop's row of points

    def place(customer: CustomerId) -> _Cells:
        shown = customer if isinstance(customer, int) else plain_cell(customer)
        if customer not in numbers:  # a shipment, which is in two places
            return shown, "", "", ""
        stop = numbers[customer]
        x, y = ("", "") if points is None else points[before + stop]
        return shown, demand[stop - 1], x, y

    for row, route in enumerate(solution.routes, start=1):
        load = _load(route)
        cost = "" if math.isnan(route.cost) else route.cost
        for column, customer in enumerate(route.customers, start=1):
            times = _times(route.schedule, column - 1)
            yield (row, column, *place(customer), load, cost), (*times, "")
    for item in solution.unserved:
        yield ("", "", *place(item.id), "", ""), (*_NO_TIMES, item.reason)


def _load(route: RouteReport) -> str | float:
    if isinstance(route.load, tuple):
        return " ".join(str(json_number(amount)) for amount in route.load)
    return json_number(route.load) if route.states_load else ""


def _demands(instance: Instance) -> list[str | float]:
    """The demand of each stop; of a shipment's what it takes on board."""
    if instance.constraints is None:
        return json_numbers(instance.demand[1:])
    constraints = instance.constraints
    return [
        " ".join(map(str, row)) for row in json_numbers(constraints.delivery + constraints.shipment)
    ]


def _times(schedule: RouteSchedule | None, place: int) -> _Cells:
    """The columns from `vehicle` to `duration` of a stop; empty where not stated."""
    if schedule is None:
        return _NO_TIMES
    names = (plain_cell(name or "") for name in (schedule.vehicle, schedule.start, schedule.end))
    whole = (schedule.departure, schedule.return_, schedule.distance, schedule.duration)
    listed = (schedule.arrivals, schedule.begins)
    times = [math.nan if each is None or place >= len(each) else each[place] for each in listed]
    return *names, *("" if math.isnan(time) else json_number(time) for time in (*times, *whole))


def plain_cell(text: str) -> str:
    """A text that is a text in every spreadsheet and harmless in a terminal."""
    seen = next((sign for sign in text if sign.isprintable() and not sign.isspace()), "")
    mark = "'" if seen in _FORMULA_SIGNS or text[:1] in _FORMULA_BLANKS else ""
    return mark + _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def _feature(geometry: dict[str, Any] | None, properties: Feature) -> Feature:
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def _colour(index: int) -> str:
    """A strong colour as `#rrggbb`, another for each route."""
    channels = colorsys.hls_to_rgb(index * _GOLDEN % 1, (0.36, 0.5)[index % 2], 0.8)
    return "#" + "".join(f"{round(channel * 255):02x}" for channel in channels)
