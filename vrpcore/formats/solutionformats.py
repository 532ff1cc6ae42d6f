"""Solutions for other programs: spreadsheets (CSV), maps (GeoJSON), CVRPLIB (`.sol`).

Each format can be written solution by solution, so none of them needs all in memory.
Solutions carry the ids of their instance. Names and ids are untrusted: no spreadsheet,
terminal or file system takes them for more than text.
"""

import colorsys
import csv
import io
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from vrpcore.formats.solutionio import MAX_SOL_DIGITS, route_to_dict
from vrpcore.formats.writer import json_number, json_numbers
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.solution import Solution

CSV_COLUMNS = (
    "instance", "status", "route", "stop", "customer", "demand", "x", "y", "route_load",
    "route_cost", "cost", "gap", "warnings", "code", "error",
)  # fmt: skip
CSV_HEADER = ",".join(CSV_COLUMNS) + "\n"
GEOJSON_HEAD = '{"type": "FeatureCollection", "features": [\n'
GEOJSON_SEPARATOR = ",\n"
GEOJSON_TAIL = "\n]}\n"

Feature = dict[str, object]

_NO_STOP = ("",) * 8
_FORMULA_SIGNS = frozenset("=+-@\uff1d\uff0b\uff0d\uff20")  # and their full-width twins
_FORMULA_BLANKS = frozenset("\t\r\n")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
_MAX_SAFE_NAME = 76  # with any position and the ending: about 100 characters
_GOLDEN = (math.sqrt(5) - 1) / 2  # of the colour circle: no two neighbours look alike


def solution_to_csv(instance: Instance | InvalidInstance, solution: Solution) -> str:
    r"""One solution as rows below `CSV_HEADER`, one a stop, depots left out.

    What belongs to the route or to the whole solution stands in each of its rows, so that
    rows can be sorted and filtered. An answer without stops has one row all the same: the
    reason why there is none, or an instance without customers.

    Texts that a spreadsheet would take for a formula begin with `'`; control characters
    and line ends in them are spelled (`\n`), so that each row is one line. Numbers are as
    in JSON, to the last digit; what is not known is empty.

    Returns:
        Lines, each with its end.
    """
    text = io.StringIO()
    head = (_plain(solution.name), solution.status)
    tail = (
        "" if solution.cost is None else solution.cost,
        "" if solution.gap is None else solution.gap,
        _plain(" ".join(solution.warnings)),
        _plain(solution.code or ""),
        _plain(solution.error or ""),
    )
    stops = list(_stops(instance, solution)) or [_NO_STOP]
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows((*head, *stop, *tail) for stop in stops)
    return text.getvalue()


def geojson_features(instance: Instance | InvalidInstance, solution: Solution) -> list[Feature]:
    """One solution as GeoJSON features.

    A LineString depot - customers - depot for each route with `instance`, `route` (from 1),
    `customers`, `load`, `cost` and its colour `stroke`; then the depot, a Point with what
    belongs to the whole solution. An instance that is not solved is one feature without
    geometry, with `status`, `code` and `error`; features of an instance that has distances
    only have no geometry either.

    Coordinates are [x, y] as read: longitude and latitude for `haversine`, a plane's
    otherwise. A line across the date line is not cut.

    Source:
        Butler et al. 2016, RFC 7946 (GeoJSON); Mapbox simplestyle-spec 1.1 (`stroke`,
        `marker-color`).
    """
    whole: Feature = {"instance": solution.name, "status": solution.status}
    if isinstance(instance, InvalidInstance) or solution.status != "solved":
        reason = {"code": solution.code, "error": solution.error}
        return [_feature(None, {**whole, **reason, "warnings": list(solution.warnings)})]
    points = None if instance.coords is None else json_numbers(instance.coords)
    numbers = instance.numbers
    features = []
    for index, route in enumerate(solution.routes):
        line = None
        if points is not None:
            stops = [0, *(numbers[customer] for customer in route.customers), 0]
            line = {"type": "LineString", "coordinates": [points[node] for node in stops]}
        place = {"instance": solution.name, "route": index + 1}
        properties = {**place, **route_to_dict(route), "stroke": _colour(index)}
        features.append(_feature(line, properties))
    depot = None if points is None else {"type": "Point", "coordinates": points[0]}
    whole |= {
        "depot": True,
        "routes": len(solution.routes),
        "cost": solution.cost,
        "gap": solution.gap,
        "warnings": list(solution.warnings),
        "marker-color": "#000000",
    }
    return [*features, _feature(depot, whole)]


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
    """
    if solution.status != "solved":
        raise ValueError(f"{solution.name!r} is {solution.status}: there is no .sol of it")
    names = dict(zip(instance.ids, sol_numbers(instance), strict=True))
    lines = [
        f"Route #{index}: {' '.join(str(names[customer]) for customer in route.customers)}"
        for index, route in enumerate(solution.routes, start=1)
    ]
    if solution.cost is not None:
        lines.append(f"Cost {json.dumps(solution.cost, allow_nan=False)}")
    return "".join(f"{line}\n" for line in lines)


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
    """A solution from a `.sol` file with the ids of its instance, any other as it is.

    It is known by routes without stated loads. Its numbers mean what `sol_numbers` gives;
    where that is ids, and none of its numbers is one, they are the positions 1..N. Numbers
    that mean no customer stay as they are.
    """
    if not all(math.isnan(route.load) for route in solution.routes):
        return solution
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


def _stops(
    instance: Instance | InvalidInstance, solution: Solution
) -> Iterator[tuple[str | float, ...]]:
    """The columns from `route` to `route_cost` of each stop."""
    if isinstance(instance, InvalidInstance):
        return
    numbers = instance.numbers
    demand = json_numbers(instance.demand)
    points = None if instance.coords is None else json_numbers(instance.coords)
    for row, route in enumerate(solution.routes, start=1):
        load = "" if math.isnan(route.load) else json_number(route.load)
        cost = "" if math.isnan(route.cost) else route.cost
        for column, customer in enumerate(route.customers, start=1):
            node = numbers[customer]
            shown = customer if isinstance(customer, int) else _plain(customer)
            x, y = ("", "") if points is None else points[node]
            yield row, column, shown, demand[node], x, y, load, cost


def _plain(text: str) -> str:
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
