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
from collections.abc import Iterator, Mapping
from typing import Any

from vrpcore.errors import InstanceError
from vrpcore.formats.answers.solution_json import route_to_dict
from vrpcore.formats.json.json_numbers import json_number, json_numbers
from vrpcore.instance.constraints import DELIVERY, PICKUP
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.service_unit import kind_of_stop
from vrpcore.instance.solution import RouteReport, RouteSchedule, Solution, route_nodes

CSV_COLUMNS = (
    "instance", "status", "route", "stop", "customer", "demand", "x", "y", "route_load",
    "route_cost", "cost", "balance", "gap", "warnings", "code", "error", "vehicle", "start", "end",
    "arrival", "begin", "departure", "return", "distance", "duration", "late", "late_return",
    "overtime", "ride", "reason",
)  # fmt: skip
CSV_HEADER = ",".join(CSV_COLUMNS) + "\n"
# What the columns of answers have, here and in tables of stops; others have words.
KINDS: Mapping[str, str] = {
    **dict.fromkeys(("arrival", "begin", "departure", "return"), "time"),
    **dict.fromkeys(("late", "ride", "late_return", "duration", "overtime"), "span"),
    **dict.fromkeys(("route_cost", "cost", "balance"), "cost"),
    **dict.fromkeys(("route", "stop", "demand", "route_load", "part"), "amount"),
    **dict.fromkeys(("x", "y", "gap"), "number"),
    "distance": "length",
}
RELOAD, BREAK = "reload", "break"  # types of rows that are no stops
GEOJSON_HEAD = '{"type": "FeatureCollection", "features": [\n'
GEOJSON_SEPARATOR = ",\n"
GEOJSON_TAIL = "\n]}\n"

Feature = dict[str, object]
PlanCells = dict[str, Any]  # by the names of columns; those that are empty may be left out

_FORMULA_SIGNS = frozenset("=+-@\uff1d\uff0b\uff0d\uff20")  # and their full-width twins
# Behind what separates cells in another country, unless it is a number.
_FORMULA_BEHIND = re.compile(r"[;,]\s*(?=[=@]|[+-](?!\d[\d.]*\s*(?:[;,]|$)))")
_FORMULA_BLANKS = frozenset("\t\r\n")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_NOT_SCHEDULED = RouteSchedule(vehicle=None, start=None, end=None)
_GOLDEN = (math.sqrt(5) - 1) / 2  # of the colour circle: no two neighbours look alike


def planned(instance: Instance, solution: Solution) -> Iterator[tuple[PlanCells, int | None]]:
    """Lists the plan stop by stop, in the order of the routes, by the names of columns.

    Yields:
        What is known of a stop, and its number 1..N; of a break or a reload, None.
    """
    numbers = instance.numbers
    for number, route in enumerate(solution.routes, start=1):
        own = route.schedule or _NOT_SCHEDULED
        whole = {"route": number, **_of_route(route, own)}
        for place in range(len(route.customers) + 1):
            for cells in _between(own, place):
                yield {**whole, **cells}, None
            for customer in route.customers[place : place + 1]:
                stop = numbers[customer]
                cells = {"stop": place + 1, "type": kind_of_stop(instance, stop)}
                cells |= _part(instance, own, place) | _times(instance, own, place, stop)
                yield {**whole, **cells, "customer": customer}, stop


def _part(instance: Instance, schedule: RouteSchedule, place: int) -> PlanCells:
    """The amount that a visit brings or takes, where stops may be split."""
    splits = instance.constraints is not None and instance.constraints.split is not None
    if not splits or schedule.amounts is None:
        return {}
    amount = schedule.amounts[place]
    return {"part": amount if isinstance(amount, tuple) else (amount,)}


def of_solution(solution: Solution) -> PlanCells:
    """Values equal in all rows of a solution, by the names of columns."""
    names = ("status", "cost", "balance", "gap", "code", "error")
    found = {name: getattr(solution, name) for name in names}
    return {"instance": solution.name, "warnings": " ".join(solution.warnings), **found}


def _of_route(route: RouteReport, own: RouteSchedule) -> PlanCells:
    """Values equal in all rows of a route."""
    names = ("vehicle", "start", "end", "departure", "distance", "duration", "late_return")
    found = {name: getattr(own, name) for name in (*names, "overtime")}
    return {"route_load": route.loads, "route_cost": route.cost, **found, "return": own.return_}


def _times(instance: Instance, schedule: RouteSchedule, place: int, stop: int) -> PlanCells:
    """The times at a stop, as far as they are stated; a ride where it has a limit."""
    listed = {"arrival": schedule.arrivals, "begin": schedule.begins, "late": schedule.late}
    if schedule.rides and instance.own_constraints.max_ride[stop - 1] < math.inf:
        listed["ride"] = schedule.rides
    return {name: each[place] for name, each in listed.items() if each and place < len(each)}


def _between(schedule: RouteSchedule, place: int) -> Iterator[PlanCells]:
    """Breaks and reloads behind so many stops."""
    for at_reload in (False, True):
        for item in schedule.reloads or () if at_reload else ():
            if item.after == place:
                cells: PlanCells = {"type": RELOAD, "customer": item.depot}
                yield {**cells, "arrival": item.arrival, "begin": item.begin}
        for rest in schedule.breaks or ():
            if rest.after == place and rest.at_reload is at_reload:
                yield {"type": BREAK, "customer": rest.id, "begin": rest.begin}


def csv_columns(instance: Instance | InvalidInstance) -> tuple[str, ...]:
    """The columns of `csv_rows`, which have a type where vehicles reload."""
    reloads = isinstance(instance, Instance) and instance.may_reload
    return (*CSV_COLUMNS, "type") if reloads else CSV_COLUMNS


def csv_header(instance: Instance | InvalidInstance) -> str:
    """The heading of `solution_to_csv`."""
    return ",".join(csv_columns(instance)) + "\n"


def solution_to_csv(
    instance: Instance | InvalidInstance, solution: Solution, most: float = math.inf
) -> str:
    """One solution as lines below `csv_header`, each with its end; see `csv_rows`.

    Raises:
        InstanceError: It would have more than `most` characters (code NOT_WRITABLE).
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in csv_rows(instance, solution):
        writer.writerow(row)
        if text.tell() > most:
            message = f"{solution.name}: its CSV has more than {most} characters; write JSON"
            raise InstanceError(message, code="NOT_WRITABLE")
    return text.getvalue()


def csv_rows(instance: Instance | InvalidInstance, solution: Solution) -> Iterator[list[str]]:
    r"""One solution as rows, one a stop or reload, other depots left out.

    What belongs to the route or to the whole solution stands in each of its rows, so that
    rows can be sorted and filtered. A stop that is not served has a row without route, with
    the reason. An answer without rows has one all the same: the reason why there is none, or
    an instance without customers. Amounts in several load dimensions stand in one cell, with
    blanks between them.

    Texts that a spreadsheet would take for a formula begin with `'`; control characters
    and line ends in them are spelled (`\n`), so that each row is one line. Numbers are as
    in JSON, to the last digit; what is not known is empty.
    """
    whole, columns = of_solution(solution), csv_columns(instance)
    rows = [] if isinstance(instance, InvalidInstance) else _stated(instance, solution)
    for cells in list(rows) or [{}]:
        row = {**cells, **whole}
        yield [_csv_cell(name, row.get(name)) for name in columns]


def _stated(instance: Instance, solution: Solution) -> Iterator[PlanCells]:
    """Stops and reloads with their places and demands, then who is not served."""
    constraints, numbers, first = instance.constraints, instance.numbers, instance.num_depots
    amounts = instance.demand[1:, None]
    if constraints is not None:  # of a shipment what it takes on board
        amounts = constraints.delivery + constraints.shipment
    demand = [*map(tuple, amounts.tolist())]
    depots = {} if constraints is None else {e.id: row for row, e in enumerate(constraints.depots)}
    points = None if instance.coords is None else json_numbers(instance.coords)

    def at(node: int) -> PlanCells:
        return {} if points is None else dict(zip("xy", points[node], strict=True))

    def stated(stop: int) -> PlanCells:
        return {"demand": demand[stop - 1], **at(first - 1 + stop)}

    for cells, stop in planned(instance, solution):
        if stop is not None:
            own = {"demand": cells["part"]} if "part" in cells else {}
            yield cells | stated(stop) | own
        elif cells["type"] == RELOAD:
            yield cells | at(depots[cells["customer"]])
    for item in solution.unserved:  # a shipment is in two places
        number = numbers.get(item.id)
        found = {} if number is None else {**stated(number), "type": kind_of_stop(instance, number)}
        yield {**found, "customer": item.id, "reason": item.reason}


def _csv_cell(name: str, value: Any) -> str:
    if isinstance(value, tuple):
        return " ".join(_csv_cell(name, each) for each in value)
    if isinstance(value, str):
        return plain_cell(value)
    if value is None or value != value:
        return ""
    as_it_is = isinstance(value, int) or KINDS.get(name) in ("cost", "number")
    return str(value if as_it_is else json_number(value))


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
        schedule = route.schedule or _NOT_SCHEDULED
        times = {"arrival": schedule.arrivals, "begin": schedule.begins}
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
        names = (item.id, f"{item.id}{PICKUP}", f"{item.id}{DELIVERY}")  # on board: the last
        stop = next((numbers[name] for name in names if name in numbers), 0)
        properties = {"instance": solution.name, "unserved": item.id, "reason": item.reason}
        geometry = _point(points, before + stop) if stop else None
        yield _feature(geometry, {**properties, "detail": item.detail, "marker-color": "#808080"})


def _point(points: list[Any] | None, node: int) -> dict[str, Any] | None:
    return None if points is None else {"type": "Point", "coordinates": points[node]}


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
