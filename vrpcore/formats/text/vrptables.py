"""Parts shared by plain and other `.vrp` files: tables of nodes, matrices, the depots."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from vrpcore.errors import fault, show
from vrpcore.formats.json.json_matrices import check_lengths
from vrpcore.formats.text.vrptext import Section, VrpText
from vrpcore.instance.constraints import Int64
from vrpcore.instance.instance import MAX_CUSTOMERS, MAX_STOPS, Float64, Metric

_METRICS: dict[str, Metric] = {"EUC_2D": "euc_2d", "CEIL_2D": "ceil_2d", "EXACT_2D": "euclidean"}
_SAID = {"node": "DIMENSION", "vehicle": "VEHICLES", "group": "the number of rows"}
_FORMATS = ("FULL_MATRIX", "LOWER_ROW", "UPPER_ROW", "LOWER_DIAG_ROW", "UPPER_DIAG_ROW")


class SectionTable(NamedTuple):
    """Rows of a section in the order of what they begin with.

    Attributes:
        section: Where they are from.
        values: [n, columns] float64.
        lines: The line of each row.
    """

    section: Section
    values: Float64
    lines: Sequence[int]

    def place(self, row: int) -> str:
        """Where a row stands; begins each message."""
        return self.section.place(self.lines[row])


def read_geometry(parts: VrpText, order: Int64) -> dict[str, Any]:
    """How long legs are: `metric`, `coords` and `distances` of an instance.

    Args:
        parts: The file.
        order: [n] int64, its nodes, counted from 0, in the order of the instance.

    Raises:
        InstanceError: Something in them is wrong, missing or not supported.
    """
    weights = parts.header("EDGE_WEIGHT_TYPE")
    if weights.value not in (*_METRICS, "EXPLICIT"):
        message = f"expected one of {', '.join((*_METRICS, 'EXPLICIT'))}"
        raise weights.fault(f"{message}; give other lengths as a matrix", "UNSUPPORTED")
    explicit, coords = weights.value == "EXPLICIT", None
    if not explicit and "EDGE_WEIGHT_SECTION" in parts.sections:
        message = "but there is an EDGE_WEIGHT_SECTION; write EXPLICIT, or delete that section"
        raise weights.fault(message, "CONFLICT")
    if not explicit or "NODE_COORD_SECTION" in parts.sections:
        section = parts.section("NODE_COORD_SECTION")
        coords = read_table(section, len(order), "node x y").values[order]
    matrix = _matrix(parts, len(order))[np.ix_(order, order)] if explicit else None
    metric = _METRICS.get(weights.value, "euclidean")
    return {"metric": metric, "coords": coords, "distances": matrix}


def read_dimension(parts: VrpText) -> int:
    """Number of nodes."""
    header = parts.header("DIMENSION")
    size = header.whole()
    if size > MAX_CUSTOMERS + 1:
        message = f"the limit is {MAX_CUSTOMERS} customers and the depot"
        raise header.fault(message, "TOO_LARGE")
    return size


def read_table(section: Section, size: int, columns: str) -> SectionTable:
    """Rows of a section, one for each node or vehicle, which are counted from 1.

    Args:
        section: The section.
        size: Number of rows that there must be.
        columns: What the numbers of a row are; `..` at their end: one or more of the last.

    Raises:
        InstanceError: A row is missing, twice there, out of range, or of another length.
    """
    names = columns.removesuffix("..").split()
    width = len(names)
    if columns.endswith("..") and section.rows:  # all rows are like the first
        width = max(width, len(section.rows[0][1]))
    for line, row in section.rows:
        if len(row) != width:
            message = f"{len(row)} columns, expected {width} ({columns})"
            raise section.fault(message, "SHAPE", line)
    found = numbered_rows(section, size, names[0])
    values = np.array([row for _, row in found]).reshape(size, -1)
    return SectionTable(section, values, [line for line, _ in found])


def read_lists(section: Section, count: int, of: str, size: int) -> list[tuple[int, list[int]]]:
    """Line and nodes, 1 to `size`, of each row of a section; see `numbered_rows`."""
    return [
        (line, [check_number_of(section, line, node, size, "node") for node in row.tolist()])
        for line, row in numbered_rows(section, count, of)
    ]


def numbered_rows(section: Section, count: int, of: str) -> list[tuple[int, Float64]]:
    """Line and numbers of each row of a section, in the order of what it begins with.

    Args:
        section: The section.
        count: Number of rows that there must be.
        of: What has one: `node`, `vehicle` or `group`, which are counted from 1.

    Raises:
        InstanceError: A row is missing, twice there or out of range.
    """
    found: dict[int, tuple[int, Float64]] = {}
    for line, row in section.rows:
        number = check_number_of(section, line, float(row[0]), count, of)
        if number in found:
            message = f"duplicate {of} id {number}, also on line {found[number][0]}"
            raise section.fault(message, "DUPLICATE", line)
        found[number] = (line, row[1:])
    if len(found) != count:
        message = f"{len(found)} {of}s, {_SAID[of]} says {count} (is the file truncated?)"
        raise section.fault(message, "SHAPE")
    return [found[number] for number in range(1, count + 1)]


def check_number_of(section: Section, line: int, number: float, most: int, of: str) -> int:
    """The number of a node, vehicle or group, 1 to `most` (code OUT_OF_RANGE)."""
    if not number.is_integer() or not 1 <= number <= most:
        message = f"{of} id {show(number)} is out of range, {_SAID[of]} allows 1 to {most}"
        raise section.fault(message, "OUT_OF_RANGE", line)
    return int(number)


def read_depots(parts: VrpText, size: int, most: int = 1) -> list[int]:
    """Nodes that are depots: any one, or the first of all; node 1 where the file names none.

    Args:
        parts: The file.
        size: Number of nodes, which are counted from 1.
        most: How many there may be.

    Raises:
        InstanceError: The section has no end, or what it names are no nodes or not these.
    """
    if "DEPOT_SECTION" not in parts.sections and parts.ended:
        return [1]
    if "DEPOT_SECTION" not in parts.sections:
        message = "missing section (is the file truncated?); without it, end the file with EOF, and"
        raise fault("DEPOT_SECTION", f"{message} the depot is node 1", "MISSING")
    section = parts.sections["DEPOT_SECTION"]
    numbers = ((line, number) for line, row in section.rows for number in row.tolist())
    depots, ended = dict[int, int](), parts.ended
    for line, number in numbers:
        if number == -1:
            ended = True
            break
        depot = check_number_of(section, line, number, size, "node")
        if depot in depots:
            message = f"depot {depot} is there twice, also on line {depots[depot]}"
            raise section.fault(message, "DUPLICATE", line)
        depots[depot] = line
    for line, _ in numbers:
        raise section.fault("numbers after the final -1", "SYNTAX", line)
    if not ended:
        raise section.fault("neither a final -1 nor EOF (is the file truncated?)", "SYNTAX")
    if most == 1 and len(depots) != 1:
        message = f"{len(depots)} depots, expected exactly one; others need vehicles' depots"
        raise section.fault(message, "MISSING")
    if not 1 <= len(depots) <= most:
        raise section.fault(f"{len(depots)} depots, expected 1 to {most}", "SHAPE")
    if len(depots) > 1 and list(depots) != list(range(1, len(depots) + 1)):
        message = f"several depots are the nodes from 1 to {len(depots)}, in this order"
        raise section.fault(f"{next(iter(depots))} ...: {message}", "CONFLICT")
    return list(depots)


def _matrix(parts: VrpText, size: int) -> Float64:
    """The EXPLICIT matrix in the order of the nodes, [size, size] float64."""
    if size > MAX_STOPS + 1:
        message = f"the limit is {MAX_STOPS} customers where lengths are EXPLICIT"
        raise parts.header("DIMENSION").fault(message, "TOO_LARGE")
    layout = parts.header("EDGE_WEIGHT_FORMAT")
    if layout.value not in _FORMATS:
        raise layout.fault(f"expected one of {', '.join(_FORMATS)}", "UNSUPPORTED")
    table = parts.section("EDGE_WEIGHT_SECTION")
    full, diagonal = layout.value == "FULL_MATRIX", int("DIAG" in layout.value)
    expected = size * size if full else size * (size - 1 + 2 * diagonal) // 2
    if table.count != expected:
        message = (
            f"{table.count} numbers, DIMENSION {size} and {layout.value} ask for {expected} "
            f"(is the file truncated?)"
        )
        raise table.fault(message, "SHAPE")
    numbers = np.concatenate([np.empty(0), *(row for _, row in table.rows)])
    if full:
        matrix = numbers.reshape(size, size)
    else:
        triangle = np.tri(size, k=diagonal - 1, dtype=np.bool_)
        triangle = triangle if layout.value.startswith("LOWER") else triangle.T
        matrix = np.zeros((size, size))
        matrix[triangle] = matrix.T[triangle] = numbers
    check_lengths(matrix, lambda row, to: f"{table.place()}: node {row + 1} to node {to + 1}")
    return matrix
