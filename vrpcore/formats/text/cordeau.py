"""Cordeau's text format in: several depots, limits on durations, time windows."""

import math
from collections.abc import Sequence

from vrpcore.errors import fault
from vrpcore.formats.json.plain_json import check_size
from vrpcore.formats.text.rows import (
    RowReader,
    TextRow,
    Visit,
    check_visits,
    first_depot,
    read_visit,
    vehicles_of,
    visits_instance,
)
from vrpcore.instance.instance import MAX_STOPS, Instance
from vrpcore.instance.vehicle_types import MAX_DEPOTS

CORDEAU_START = (
    rb"\s*[0-7](?:[ \t]+\d+){3}[ \t]*\r?\n\s*[-+.\d]+[ \t]+[-+.\d]+[ \t]*\r?\n\s*[-+.\d]+[ \t]"
)
_TYPES = ("VRP", "PVRP", "MDVRP", "SDVRP", "VRPTW", "PVRPTW", "MDVRPTW", "SDVRPTW")
_READ = {0, 2, 4, 6}
_COLUMNS = "no x y service demand frequency combinations"


def read_cordeau(text: str, fallback_name: str) -> Instance:
    """Reads one instance of type VRP, MDVRP, VRPTW or MDVRPTW.

    Duration of a leg = its Euclidean length. A vehicle type for each depot; the limit on a
    route's duration counts travel, service and waiting.

    Args:
        text: The file, which has no name of its own.
        fallback_name: The instance's name.

    Returns:
        The instance; customers and depots have their numbers in the file as ids.

    Raises:
        InstanceError: Something in it is wrong or not supported; the message names the line.

    Source:
        Cordeau, Gendreau and Laporte 1997, "A Tabu Search Heuristic for Periodic and
        Multi-Depot Vehicle Routing Problems"; the README of the published files.
    """
    reader = RowReader(text)
    head = reader.row("type vehicles customers depots")
    kind = head.whole("type")
    if kind not in _READ:
        name = f" ({_TYPES[kind]})" if kind < len(_TYPES) else ""
        known = ", ".join(f"{each} ({_TYPES[each]})" for each in sorted(_READ))
        message = f"{kind}{name} is not supported, expected one of {known}"
        raise fault(head.place("type"), message, "UNSUPPORTED")
    many, windows = kind in (2, 6), kind in (4, 6)
    num_depots, num_customers = _counts(head, many)
    limits = [reader.row("duration load") for _ in range(num_depots)]
    first = 0 if many else num_depots  # of the customers
    customers = range(first, first + num_customers)
    rows = range(num_customers + num_depots)
    visits = check_visits([_visit(reader, windows, num_depots, row in customers) for row in rows])
    reader.end()
    if many:
        depots, stops = visits[num_customers:], visits[:num_customers]
    else:
        depots, stops = [first_depot(visits, f"line {head.line}")], visits[1:]
    vehicles = [
        vehicles_of(
            depot.check_depot(),
            head.whole("vehicles", 1),
            row.capacity("load"),
            index,
            row.not_negative("duration") or math.inf,
        )
        for index, (row, depot) in enumerate(zip(limits, depots, strict=True))
    ]
    return visits_instance(fallback_name, depots, stops, vehicles=tuple(vehicles))


def _counts(head: TextRow, many: bool) -> tuple[int, int]:
    num_depots = head.whole("depots", 1)
    if num_depots > (MAX_DEPOTS if many else 1):
        limit = MAX_DEPOTS if many else "1 for this type"
        message = f"{num_depots} depots or days, the limit is {limit}"
        raise fault(head.place("depots"), message, "SHAPE")
    num_customers = head.whole("customers")
    check_size(num_customers, head.place("customers"), MAX_STOPS)
    return num_depots, num_customers


def _visit(reader: RowReader, windows: bool, num_depots: int, is_customer: bool) -> Visit:
    """A customer or a depot; a customer that only some depots may serve is refused."""
    row, more = reader.prefix(_COLUMNS)
    size = row.whole("combinations")
    expected = size + 2 * windows
    if len(more) != expected:
        times = ", open and close" if windows else ""
        message = f"{len(more)} numbers behind {_COLUMNS}, expected {size} combinations{times}"
        raise fault(f"line {row.line}", message, "SHAPE")
    if is_customer or size > 0 or row.whole("frequency") > 0:
        _check_combinations(row, more[:size], num_depots)
    if windows:
        columns = [*row.columns, "open", "close"]
        row = TextRow(row.line, columns, [*row.tokens, *more[size:]])
    return read_visit(row)


def _check_combinations(row: TextRow, found: Sequence[str], num_depots: int) -> None:
    """A customer has frequency 1, and each depot as a set of its own."""
    frequency = row.whole("frequency")
    if frequency != 1:
        message = f"{frequency} visits are not supported, expected 1"
        raise fault(row.place("frequency"), message, "UNSUPPORTED")
    numbers = [TextRow(row.line, ["combination"], [text]).whole("combination") for text in found]
    if sorted(numbers) != [2**index for index in range(num_depots)]:
        shown = " ".join(map(str, numbers)) or "none"
        message = f"{shown}: customers of only some depots are not supported, expected all "
        raise fault(row.place("combinations"), f"{message}{num_depots} depots", "UNSUPPORTED")
