"""Solutions for other programs: spreadsheets (CSV) and maps (GeoJSON).

Each format can be written solution by solution, so none of them needs all in memory.
Solutions carry the ids of their instance. Names and ids are untrusted: no spreadsheet
or terminal takes them for more than text.
"""

import colorsys
import csv
import io
import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from vrpcore.formats.answers.solution_json import route_to_dict
from vrpcore.formats.json.json_numbers import json_number, json_numbers
from vrpcore.instance.constraints import PICKUP
from vrpcore.instance.instance import CustomerId, Instance, InvalidInstance
from vrpcore.instance.solution import RouteReport, RouteSchedule, Solution, route_nodes

CSV_COLUMNS = (
    "instance", "status", "route", "stop", "customer", "demand", "x", "y", "route_load",
    "route_cost", "cost", "balance", "gap", "warnings", "code", "error", "vehicle", "start", "end",
    "arrival", "begin", "departure", "return", "distance", "duration", "late", "late_return",
    "overtime", "reason",
)  # fmt: skip
CSV_HEADER = ",".join(CSV_COLUMNS) + "\n"
RELOAD = "reload"  # the type of a row that is a reload
GEOJSON_HEAD = '{"type": "FeatureCollection", "features": [\n'
GEOJSON_SEPARATOR = ",\n"
GEOJSON_TAIL = "\n]}\n"

Feature = dict[str, object]

_Cells = tuple[str | float, ...]
_NO_STOP: _Cells = ("",) * 8
_NO_TIMES: _Cells = ("",) * 12
_FORMULA_SIGNS = frozenset("=+-@\uff1d\uff0b\uff0d\uff20")  # and their full-width twins
# Behind what separates cells in another country, unless it is a number.
_FORMULA_BEHIND = re.compile(r"[;,]\s*(?=[=@]|[+-](?!\d[\d.]*\s*(?:[;,]|$)))")
_FORMULA_BLANKS = frozenset("\t\r\n")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_GOLDEN = (math.sqrt(5) - 1) / 2  # of the colour circle: no two neighbours look alike


def csv_header(instance: Instance | InvalidInstance) -> str:
    """The heading of `solution_to_csv`: rows have a type where vehicles reload."""
    return ",".join((*CSV_COLUMNS, "type")) + "\n" if _reloads(instance) else CSV_HEADER


def _reloads(instance: Instance | InvalidInstance) -> bool:
    """Whether some vehicle may reload."""
    if isinstance(instance, InvalidInstance) or instance.constraints is None:
        return False
    return any(vehicle.reloads is not None for vehicle in instance.constraints.vehicles)


def kind_of_stop(instance: Instance, stop: int) -> str:
    """The type of a row of a stop, 1..N."""
    if instance.constraints is None:
        return "customer"
    partner, on_board = instance.constraints.partner(stop), instance.constraints.on_board
    if partner is None:
        return "customer" if on_board is None or on_board[stop - 1] < 0 else "delivery"
    return "pickup" if partner > stop else "delivery"


def solution_to_csv(instance: Instance | InvalidInstance, solution: Solution) -> str:
    r"""One solution as rows below `csv_header`, one a stop or reload, other depots left out.

    What belongs to the route or to the whole solution stands in each of its rows, so that
    rows can be sorted and filtered. A stop that is not served has a row without route, with
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
        *("" if each is None else each for each in (solution.cost, solution.balance, solution.gap)),
        plain_cell(" ".join(solution.warnings)),
        plain_cell(solution.code or ""),
        plain_cell(solution.error or ""),
    )
    nothing = (_NO_STOP, (*_NO_TIMES, "", ""))
    writer, columns = csv.writer(text, lineterminator="\n"), len(CSV_COLUMNS)
    columns += _reloads(instance)
    for stop, times in list(_rows(instance, solution)) or [nothing]:
        writer.writerow((*head, *stop, *tail, *times)[:columns])
    return text.getvalue()


def solution_to_geojson(instance: Instance | InvalidInstance, solution: Solution) -> str:
    """The features of one solution as JSON on one line each, all of it ASCII, escaped.

    A document is `GEOJSON_HEAD`, these with `GEOJSON_SEPARATOR` between them, and `GEOJSON_TAIL`.
    """
    features = geojson_features(instance, solution)
    return GEOJSON_SEPARATOR.join(json.dumps(each, allow_nan=False) for each in features)


def geojson_features(instance: Instance | InvalidInstance, solution: Solution) -> list[Feature]:
    """One solution as GeoJSON features.

    A LineString depot - customers - depot for each route, along roads where its way is known, with
    `instance`, `route` (from 1), all that its JSON has, and its colour `stroke`; then the depot, a
    Point with what belongs to the whole solution; then further depots, a Point for each stop in the
    colour of its route, and who is not served with `reason` and `detail`.
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
    stops = _stop_features(instance, points, solution)
    return [*features, *depots, *stops, *_unserved_features(instance, points, solution)]


def _line(
    instance: Instance, points: list[Any] | None, route: RouteReport
) -> dict[str, Any] | None:
    """From depot to depot, as far as there are some; a Point where there is one place only."""
    if points is None:
        return None
    if route.way is not None and len(route.way) > 1:
        return {"type": "LineString", "coordinates": [list(point) for point in route.way]}
    numbers = instance.numbers
    stops = [numbers[customer] for customer in route.customers]
    nodes = route_nodes(instance, stops, route.schedule)
    if len(nodes) == 1:
        return _point(points, nodes[0])
    return {"type": "LineString", "coordinates": [points[node] for node in nodes]}


def _stop_features(
    instance: Instance, points: list[Any] | None, solution: Solution
) -> Iterator[Feature]:
    """A Point for each stop on a route, with its times where they are stated; none without places.

    `stop` counts from 1 on each route.
    """
    if points is None:
        return
    numbers, before = instance.numbers, instance.num_depots - 1
    for index, route in enumerate(solution.routes):
        schedule = route.schedule
        times = {} if schedule is None else {"arrival": schedule.arrivals, "begin": schedule.begins}
        for place, customer in enumerate(route.customers):
            properties: Feature = {"instance": solution.name, "route": index + 1, "stop": place + 1}
            properties |= {"customer": customer, "marker-color": _colour(index)}
            for key, listed in times.items():
                if listed is not None:
                    properties[key] = json_number(listed[place])
            yield _feature(_point(points, before + numbers[customer]), properties)


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


def _rows(
    instance: Instance | InvalidInstance, solution: Solution
) -> Iterator[tuple[_Cells, _Cells]]:
    """Of each stop or reload the columns from `route` to `route_cost`, and those from `vehicle`."""
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

    def kind(customer: CustomerId) -> str:
        return kind_of_stop(instance, numbers[customer]) if customer in numbers else ""

    for row, route in enumerate(solution.routes, start=1):
        load = _load(route)
        cost = "" if math.isnan(route.cost) else route.cost
        reloads = {} if route.schedule is None else _reload_rows(instance, points, route.schedule)
        for column, customer in enumerate(route.customers, start=1):
            if column - 1 in reloads:
                at, times = reloads[column - 1]
                yield (row, "", *at, load, cost), (*times, "", RELOAD)
            times = _times(route.schedule, column - 1)
            yield (row, column, *place(customer), load, cost), (*times, "", kind(customer))
    for item in solution.unserved:
        yield ("", "", *place(item.id), "", ""), (*_NO_TIMES, item.reason, kind(item.id))


def _reload_rows(
    instance: Instance, points: list[Any] | None, schedule: RouteSchedule
) -> dict[int, tuple[_Cells, _Cells]]:
    """Of each reload, by the stops before it: the columns of its place, and its times."""
    if not schedule.reloads:
        return {}
    rows = {depot.id: row for row, depot in enumerate(instance.own_constraints.depots)}
    found: dict[int, tuple[_Cells, _Cells]] = {}
    for item in schedule.reloads:
        x, y = ("", "") if points is None else points[rows[item.depot]]
        own = replace(schedule, arrivals=(item.arrival,), begins=(item.begin,), late=None)
        found[item.after] = (plain_cell(item.depot), "", x, y), _times(own, 0)
    return found


def _load(route: RouteReport) -> str:
    if not route.states_load:
        return ""
    return " ".join(str(json_number(amount)) for amount in route.loads)


def _demands(instance: Instance) -> list[str | float]:
    """The demand of each stop; of a shipment's what it takes on board."""
    if instance.constraints is None:
        return json_numbers(instance.demand[1:])
    constraints = instance.constraints
    return [
        " ".join(map(str, row)) for row in json_numbers(constraints.delivery + constraints.shipment)
    ]


def _times(schedule: RouteSchedule | None, place: int) -> _Cells:
    """The columns from `vehicle` to `overtime` of a stop; empty where not stated."""
    if schedule is None:
        return _NO_TIMES
    names = (plain_cell(name or "") for name in (schedule.vehicle, schedule.start, schedule.end))
    whole = (schedule.departure, schedule.return_, schedule.distance, schedule.duration)
    arrival, begin, late = (
        math.nan if each is None or place >= len(each) else each[place]
        for each in (schedule.arrivals, schedule.begins, schedule.late)
    )
    numbers = (arrival, begin, *whole, late, schedule.late_return, schedule.overtime)
    return *names, *("" if math.isnan(each) else json_number(each) for each in numbers)


def plain_cell(text: str) -> str:
    """A text that is a text in every spreadsheet and harmless in a terminal."""
    seen = next((sign for sign in text if sign.isprintable() and not sign.isspace()), "")
    mark = "'" if seen in _FORMULA_SIGNS or text[:1] in _FORMULA_BLANKS else ""
    text = _FORMULA_BEHIND.sub(r"\g<0>'", text)
    return mark + _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def _feature(geometry: dict[str, Any] | None, properties: Feature) -> Feature:
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def _colour(index: int) -> str:
    """A strong colour as `#rrggbb`, another for each route."""
    channels = colorsys.hls_to_rgb(index * _GOLDEN % 1, (0.36, 0.5)[index % 2], 0.8)
    return "#" + "".join(f"{round(channel * 255):02x}" for channel in channels)
