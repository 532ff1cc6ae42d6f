"""Solutions out and in: `vrp-solutions/1` JSON, JSON Lines; CVRPLIB `.sol` in."""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import get_args

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.files import ByteReader, Source, open_reader
from vrpcore.formats.jsondocument import SOLUTIONS, read_elements
from vrpcore.formats.jsonio import MAX_INSTANCES
from vrpcore.formats.schema import (
    ID,
    NUMBER,
    TEXT,
    Fields,
    Key,
    Kind,
    check_number,
    list_of,
    object_of,
    one_of,
    or_null,
)
from vrpcore.formats.writer import json_number
from vrpcore.instance.solution import Route, Solution, Status

STATUSES: tuple[Status, ...] = get_args(Status)
MAX_SOL_DIGITS = 18  # of a customer's number or a whole cost in a .sol file
LINE_SEPARATOR = ",\n  "  # between two solutions of a document
NOT_STATED = math.nan  # load and cost of a route from a file that does not give them

_EXPECTED = "expected vrp-solutions/1 JSON, JSON Lines, or a CVRPLIB .sol file"
# Possessive throughout: a line of a million blanks costs no more than its length.
# Compiled where they are needed: who writes solutions does not wait for them.
_ROUTE = r"route\s*+(?:#\s*+)?[0-9]++\s*+:([0-9\s]*+)"
_COST = r"cost\s*+(?::\s*+)?(\S++)"
_MAX_SOL_BYTES = 2**24

_dumps = partial(json.dumps, allow_nan=False)


def solutions_to_json(
    solutions: Sequence[Solution], model: Mapping[str, object], summary: Mapping[str, object]
) -> str:
    """The whole `vrp-solutions/1` document, one solution per line.

    Args:
        solutions: In the order of the instances.
        model: name, sha256, backend, device.
        summary: Counts, cost, seconds and how they were reached.
    """
    lines = LINE_SEPARATOR.join(solution_to_line(item) for item in solutions)
    return document_head(model) + lines + document_tail(summary)


def document_head(model: Mapping[str, object]) -> str:
    """What stands before the first solution, for documents written as solutions come.

    Then follow the lines of `solution_to_line`, `LINE_SEPARATOR` between them, and
    `document_tail`; arguments as in `solutions_to_json`.
    """
    return (
        f'{{"format": {_dumps(SOLUTIONS.format)},\n'
        f' "model": {_dumps(dict(model))},\n'
        f' "{SOLUTIONS.list_key}": [\n  '
    )


def document_tail(summary: Mapping[str, object]) -> str:
    """What stands behind the last solution: the summary, known only now."""
    return f'],\n "summary": {_dumps(dict(summary))}}}\n'


def solution_to_line(solution: Solution) -> str:
    """One solution as JSON on one line, without a line end: all of it ASCII, escaped."""
    return _dumps(solution_to_dict(solution))


def solution_to_dict(solution: Solution) -> dict[str, object]:
    """One solution object; costs as given, whole loads as integers."""
    found: dict[str, object] = {"name": solution.name, "status": solution.status}
    if solution.status != "solved":
        found |= {"code": solution.code, "error": solution.error}
        return found | ({"warnings": list(solution.warnings)} if solution.warnings else {})
    return found | {
        "cost": solution.cost,
        "routes": [route_to_dict(route) for route in solution.routes],
        "gap": solution.gap,
        "warnings": list(solution.warnings),
    }


def route_to_dict(route: Route) -> dict[str, object]:
    """One route object; null for what is `NOT_STATED`."""
    return {
        "customers": list(route.customers),
        "load": None if math.isnan(route.load) else json_number(route.load),
        "cost": None if math.isnan(route.cost) else route.cost,
    }


def read_solutions(source: Source) -> list[Solution]:
    """Reads solutions, all of them or none.

    Args:
        source: A path, `-` for standard input, or a file's bytes; detected from content.

    Returns:
        Solutions in order. A `.sol` file is one solution named after the file; it states
        no loads and costs of routes (`NOT_STATED`) and perhaps no cost (None).

    Raises:
        InstanceError: Something is not what it should be; the message says where.
        OutputError: The source cannot be opened or read.
    """
    with open_reader(source) as reader:
        return parse_solutions(reader)


def parse_solutions(reader: ByteReader) -> list[Solution]:
    """Reads at most `MAX_INSTANCES` solutions from an open source; see `read_solutions`."""
    if not (first := reader.skip_blank()):
        raise InstanceError(f"the input is empty, {_EXPECTED}", code="EMPTY")
    if first in (b"{", b"["):
        return list(_solutions(reader))
    return [_sol(reader)]


def _solutions(reader: ByteReader) -> Iterator[Solution]:
    for index, element in enumerate(read_elements(reader, SOLUTIONS)):
        if index >= MAX_INSTANCES:
            message = f"more than {MAX_INSTANCES} solutions; split the input"
            raise fault(SOLUTIONS.list_key, message, "TOO_MANY_INSTANCES")
        place = f"{SOLUTIONS.list_key}[{index}]"
        if isinstance(element, InstanceError):
            raise fault(place, str(element), element.code)
        yield build_solution(element, place)


def build_solution(value: object, place: str) -> Solution:
    """Validates one parsed solution object.

    Args:
        value: Anything that a JSON parser returns.
        place: Where it was found, e.g. `solutions[3]`.

    Raises:
        InstanceError: Something in it is not what it should be.
    """
    found = Fields(value, place, SOLUTION)
    name, status, warnings = found["name"], found["status"], found.get("warnings", ())
    if status != "solved":
        code, error = found.get("code"), found.get("error")
        return Solution(name=name, status=status, warnings=warnings, code=code, error=error)
    routes, cost, gap = found["routes"], found["cost"], found.get("gap")
    return Solution(name=name, status=status, cost=cost, routes=routes, gap=gap, warnings=warnings)


def _route(value: object, place: str) -> Route:
    found = Fields(value, place, ROUTE)
    return Route(customers=found["customers"], load=found["load"], cost=found["cost"])


def _number(value: object, place: str) -> float:
    """A number as it was written: an integer stays one, so that its cost stays exact."""
    number = check_number(value, place)
    return value if isinstance(value, int) else number


# A sum of lengths up to `MAX_MAGNITUDE` may exceed it.
_AS_WRITTEN = Kind({"type": "number"}, _number)
ROUTE = {
    "customers": Key(list_of(ID, "ids"), required=True, null=True),
    "load": Key(_AS_WRITTEN, required=True, null=True),
    "cost": Key(_AS_WRITTEN, required=True, null=True),
}
SOLUTION = {
    "name": Key(TEXT, required=True, null=True),
    "status": Key(one_of(STATUSES, "STATUS"), required=True, null=True),
    "cost": Key(_AS_WRITTEN, null=True),
    "routes": Key(list_of(Kind(object_of(ROUTE), _route), "routes"), null=True),
    "gap": Key(or_null(NUMBER), null=True),
    "warnings": Key(list_of(TEXT, "codes"), null=True),
    "code": Key(or_null(TEXT), null=True),
    "error": Key(or_null(TEXT), null=True),
}


def _sol(reader: ByteReader) -> Solution:
    """A CVRPLIB solution: `Route #1: 21 31 19` lines and one `Cost 784`."""
    from vrpcore.formats.vrptext import parse_number

    route_line = re.compile(_ROUTE, re.IGNORECASE)
    cost_line = re.compile(_COST, re.IGNORECASE)
    cost: float | None = None
    routes: list[Route] = []
    size = 0
    while reader.skip_blank():
        place = f"line {reader.line_number}"
        data = reader.line(_MAX_SOL_BYTES)
        size += len(data)
        if size > _MAX_SOL_BYTES:
            message = f"a .sol file of more than {_MAX_SOL_BYTES} bytes"
            raise fault(place, message, "TOO_LARGE")
        try:
            line = data.decode("utf-8").strip()
        except UnicodeDecodeError as error:
            message = f"cannot parse bytes that are not UTF-8, {_EXPECTED}"
            raise fault(place, message, "PARSE") from error
        if found := route_line.fullmatch(line):
            routes.append(_sol_route(found[1].split(), place))
        elif (found := cost_line.fullmatch(line)) and cost is None:
            exact = found[1].isascii() and found[1].isdigit() and len(found[1]) <= MAX_SOL_DIGITS
            value = parse_number(found[1], f"{place}: Cost")
            cost = int(found[1]) if exact else value
        else:
            raise fault(place, f"cannot parse {describe(line)}, {_EXPECTED}", "PARSE")
    name = reader.stem or "solution-0"
    return Solution(name=name, status="solved", cost=cost, routes=tuple(routes))


def _sol_route(ids: Sequence[str], place: str) -> Route:
    for text in ids:
        if len(text) > MAX_SOL_DIGITS:
            raise fault(place, f"{describe(text)} is not a customer number", "UNKNOWN_ID")
    return Route(tuple(map(int, ids)), load=NOT_STATED, cost=NOT_STATED)
