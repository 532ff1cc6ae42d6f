"""What plain and other `.vrp` files share: headers, tables of nodes, matrices, the depots."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vrpcore.errors import fault, show
from vrpcore.formats.json.key_schema import check_lengths
from vrpcore.formats.text.vrptext import Header, Section, VrpText
from vrpcore.instance.instance import MAX_CUSTOMERS, MAX_STOPS, Float64, Metric

METRICS: dict[str, Metric] = {"EUC_2D": "euc_2d", "CEIL_2D": "ceil_2d", "EXACT_2D": "euclidean"}
_FORMATS = ("FULL_MATRIX", "LOWER_ROW", "UPPER_ROW", "LOWER_DIAG_ROW", "UPPER_DIAG_ROW")


class Table(NamedTuple):
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
        return f"line {self.lines[row]}: {self.section.name}"


class Geometry(NamedTuple):
    """How long legs are.

    Attributes:
        metric: Of the coordinates.
        coords: [n, 2] float64, None where only a matrix is given.
        distances: [n, n] float64 where they are explicit.
    """

    metric: Metric
    coords: Float64 | None
    distances: Float64 | None


def read_geometry(parts: VrpText, size: int) -> Geometry:
    """Coordinates and matrix in the order of the nodes.

    Args:
        parts: The file.
        size: Number of nodes.

    Raises:
        InstanceError: Something in them is wrong, missing or not supported.
    """
    axes = parts.headers.get("NODE_COORD_TYPE")
    if axes and axes.value not in ("TWOD_COORDS", "NO_COORDS"):
        raise axes.fault("expected TWOD_COORDS or NO_COORDS", "UNSUPPORTED")
    weights = header(parts, "EDGE_WEIGHT_TYPE")
    if weights.value not in (*METRICS, "EXPLICIT"):
        known = f"expected one of {', '.join((*METRICS, 'EXPLICIT'))}"
        advice = (
            "write EUC_2D, and solve with --round trunc"
            if weights.value == "FLOOR_2D"
            else "give other lengths as a matrix"
        )
        raise weights.fault(f"{known}; {advice}", "UNSUPPORTED")
    explicit, coords = weights.value == "EXPLICIT", None
    if not explicit or "NODE_COORD_SECTION" in parts.sections:
        coords = read_table(section(parts, "NODE_COORD_SECTION"), size, "node x y").values
    matrix = _matrix(parts, size) if explicit else None
    return Geometry(METRICS.get(weights.value, "euclidean"), coords, matrix)


def header(parts: VrpText, keyword: str) -> Header:
    """A header that must be there (code MISSING_KEY)."""
    if keyword not in parts.headers:
        raise fault(keyword, "missing, expected a line 'KEYWORD : value'", "MISSING_KEY")
    return parts.headers[keyword]


def section(parts: VrpText, name: str) -> Section:
    """A section that must be there (code MISSING_SECTION)."""
    if name not in parts.sections:
        raise fault(name, "missing section (is the file truncated?)", "MISSING_SECTION")
    return parts.sections[name]


def whole(parts: VrpText, keyword: str) -> int:
    """The value of a header: a whole number of at least 1."""
    found = header(parts, keyword)
    if not (found.value.isascii() and found.value.isdigit() and len(found.value) < 19):
        raise found.fault("expected a positive integer", "NOT_AN_INTEGER")
    if int(found.value) < 1:
        raise found.fault("expected at least 1", "TOO_SMALL")
    return int(found.value)


def read_dimension(parts: VrpText) -> int:
    """Number of nodes."""
    size = whole(parts, "DIMENSION")
    if size > MAX_CUSTOMERS + 1:
        message = f"the limit is {MAX_CUSTOMERS} customers and the depot"
        raise header(parts, "DIMENSION").fault(message, "TOO_MANY_CUSTOMERS")
    return size


def read_table(section: Section, size: int, columns: str, said: str = "DIMENSION") -> Table:
    """Rows of a section, one for each node or vehicle, which are counted from 1.

    Args:
        section: The section.
        size: Number of rows that there must be.
        columns: What the numbers of a row are; `..` at their end: one or more of the last.
        said: The header that says how many rows there are.

    Raises:
        InstanceError: A row is missing, twice there, out of range, or of another length.
    """
    names = columns.removesuffix("..").split()
    key, width, open_end = names[0], len(names), columns.endswith("..")
    found: dict[int, tuple[int, Float64]] = {}
    for line, row in section.rows:
        if len(row) < width if open_end else len(row) != width:
            least = "at least " if open_end else ""
            message = f"{len(row)} columns, expected {least}{width} ({columns})"
            raise section.fault(message, "SHAPE", line)
        if open_end:
            width, open_end = len(row), False  # all rows like the first
        number = check_number_of(section, line, float(row[0]), size, key, said)
        if number in found:
            message = f"duplicate {key} id {number}, also on line {found[number][0]}"
            raise section.fault(message, "DUPLICATE_ID", line)
        found[number] = (line, row[1:])
    if len(found) != size:
        message = f"{len(found)} {key}s, {said} says {size} (is the file truncated?)"
        raise section.fault(message, "SHAPE")
    ordered = [found[number] for number in range(1, size + 1)]
    values = np.array([row for _, row in ordered]).reshape(size, -1)
    return Table(section, values, [line for line, _ in ordered])


def check_number_of(
    section: Section, line: int, number: float, size: int, what: str, said: str = "DIMENSION"
) -> int:
    """The number of a node or vehicle, 1 to `size` (code OUT_OF_RANGE)."""
    if not number.is_integer() or not 1 <= number <= size:
        message = f"{what} id {show(number)} is out of range, {said} allows 1 to {size}"
        raise section.fault(message, "OUT_OF_RANGE", line)
    return int(number)


def read_depots(parts: VrpText, size: int) -> list[int]:
    """Nodes that are depots, 1..`size`, in the order of the file; node 1 where it names none.

    Raises:
        InstanceError: The section has no end, or what it names is no node.
    """
    if "DEPOT_SECTION" not in parts.sections and parts.ended:
        return [1]
    if "DEPOT_SECTION" not in parts.sections:
        message = "missing section (is the file truncated?); without it, end the file with EOF, and"
        raise fault("DEPOT_SECTION", f"{message} the depot is node 1", "MISSING_SECTION")
    found = parts.sections["DEPOT_SECTION"]
    nodes = [float(number) for _, row in found.rows for number in row]
    terminated = -1.0 in nodes
    listed = nodes[: nodes.index(-1.0)] if terminated else nodes
    if (terminated and nodes[-1] != -1.0) or nodes.count(-1.0) > 1:
        raise found.fault("numbers after the final -1", "EXTRA_DATA")
    if not terminated and not parts.ended:
        raise found.fault("neither a final -1 nor EOF (is the file truncated?)", "TRUNCATED")
    seen = set[float]()
    for depot in listed:
        if not depot.is_integer() or not 1 <= depot <= size:
            message = f"depot {show(depot)} is out of range, the nodes are 1 to {size}"
            raise found.fault(message, "OUT_OF_RANGE")
        if depot in seen:
            raise found.fault(f"depot {show(depot)} is there twice", "DUPLICATE_ID")
        seen.add(depot)
    return [int(depot) for depot in listed]


def _matrix(parts: VrpText, size: int) -> Float64:
    """The EXPLICIT matrix in the order of the nodes, [size, size] float64."""
    if size > MAX_STOPS + 1:
        message = f"the limit is {MAX_STOPS} customers where lengths are EXPLICIT"
        raise header(parts, "DIMENSION").fault(message, "TOO_MANY_CUSTOMERS")
    layout = header(parts, "EDGE_WEIGHT_FORMAT")
    if layout.value not in _FORMATS:
        raise layout.fault(f"expected one of {', '.join(_FORMATS)}", "UNSUPPORTED")
    table = section(parts, "EDGE_WEIGHT_SECTION")
    full, lower = layout.value == "FULL_MATRIX", layout.value.startswith("LOWER")
    diagonal = int("DIAG" in layout.value)
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
        matrix, start = np.zeros((size, size)), 0
        for row in range(size):  # takes half the memory of one call with all indices
            columns = slice(0, row + diagonal) if lower else slice(row + 1 - diagonal, size)
            width = len(range(*columns.indices(size)))
            matrix[row, columns] = matrix[columns, row] = numbers[start : start + width]
            start += width
    place = f"line {table.line}: {table.name}"
    check_lengths(matrix, lambda row, to: f"{place}: node {row + 1} to node {to + 1}")
    return matrix
