"""CVRPLIB `.vrp` files in, strictly: what is not understood is refused by its name."""

import numpy as np
from numpy.typing import NDArray

from vrpcore.errors import fault, show
from vrpcore.formats.keys import check_positive_capacity
from vrpcore.formats.validate import check_demands, check_lengths
from vrpcore.formats.vrptext import Header, Section, VrpText, parse_number, split_vrp
from vrpcore.instance.instance import MAX_CUSTOMERS, Float64, Instance, Metric

_METRICS: dict[str, Metric] = {"EUC_2D": "euc_2d", "CEIL_2D": "ceil_2d"}
_FORMATS = ("FULL_MATRIX", "LOWER_ROW", "UPPER_ROW", "LOWER_DIAG_ROW", "UPPER_DIAG_ROW")
_SECTION_COLUMNS = {"NODE_COORD_SECTION": "node x y", "DEMAND_SECTION": "node demand"}
Int64 = NDArray[np.int64]


def read_vrp(text: str, fallback_name: str) -> Instance:
    """Reads one instance in the CVRPLIB format.

    Any node may be the depot; ids are CVRPLIB's customer numbers, node - 1. `VEHICLES`,
    which the published files do not use, becomes `max_vehicles`. The diagonal of an
    EXPLICIT matrix is never travelled and read as 0; a full matrix may be asymmetric.

    Args:
        text: The file.
        fallback_name: Its name if it gives none.

    Returns:
        The instance; metric `euc_2d` or `ceil_2d`, or distances for EXPLICIT.

    Raises:
        InstanceError: Something in it is wrong or not supported; the message names the
            line and the keyword.

    Source:
        Format: Reinelt 1995, TSPLIB 95, chapter 1; Uchoa et al. 2017 (CVRPLIB).
    """
    parts = split_vrp(text)
    _header(parts, "TYPE")  # its value is checked where it is read
    axes = parts.headers.get("NODE_COORD_TYPE")
    if axes and axes.value not in ("TWOD_COORDS", "NO_COORDS"):
        raise axes.fault("expected TWOD_COORDS or NO_COORDS", "UNSUPPORTED")
    weights = _header(parts, "EDGE_WEIGHT_TYPE")
    if weights.value not in (*_METRICS, "EXPLICIT"):
        known = ", ".join((*_METRICS, "EXPLICIT"))
        raise weights.fault(f"expected one of {known}", "UNSUPPORTED")
    size = _dimension(parts)
    explicit, coords = weights.value == "EXPLICIT", None
    if not explicit or "NODE_COORD_SECTION" in parts.sections:
        coords, _ = _table(_section(parts, "NODE_COORD_SECTION"), size)
    matrix = _matrix(parts, size) if explicit else None
    limit = _header(parts, "CAPACITY")
    capacity = check_positive_capacity(parse_number(limit.value, limit.place), limit.place)
    demand = _demands(parts, size, capacity)
    order = _depot_first(parts, demand)
    name = parts.headers.get("NAME")
    return Instance(
        name=name.value if name and name.value else fallback_name,
        capacity=capacity,
        coords=None if coords is None else coords[order],
        demand=demand[order],
        ids=tuple(order[1:].tolist()),
        metric=_METRICS.get(weights.value, "euclidean"),
        distances=None if matrix is None else matrix[np.ix_(order, order)],
        max_vehicles=_whole(parts, "VEHICLES") if "VEHICLES" in parts.headers else None,
    )


def _header(parts: VrpText, keyword: str) -> Header:
    if keyword not in parts.headers:
        raise fault(keyword, "missing, expected a line 'KEYWORD : value'", "MISSING_KEY")
    return parts.headers[keyword]


def _section(parts: VrpText, name: str) -> Section:
    if name not in parts.sections:
        raise fault(name, "missing section (is the file truncated?)", "MISSING_SECTION")
    return parts.sections[name]


def _whole(parts: VrpText, keyword: str) -> int:
    header = _header(parts, keyword)
    if not (header.value.isascii() and header.value.isdigit() and len(header.value) < 19):
        raise header.fault("expected a positive integer", "NOT_AN_INTEGER")
    if int(header.value) < 1:
        raise header.fault("expected at least 1", "TOO_SMALL")
    return int(header.value)


def _dimension(parts: VrpText) -> int:
    size = _whole(parts, "DIMENSION")
    if size > MAX_CUSTOMERS + 1:
        message = f"the limit is {MAX_CUSTOMERS} customers and the depot"
        raise _header(parts, "DIMENSION").fault(message, "TOO_MANY_CUSTOMERS")
    return size


def _table(section: Section, size: int) -> tuple[Float64, list[int]]:
    """Rows `node value...` in the order of the nodes.

    Returns:
        [size, columns - 1] float64, and the line of each row.
    """
    columns = _SECTION_COLUMNS[section.name]
    width = len(columns.split())
    found: dict[int, tuple[int, Float64]] = {}
    for line, row in section.rows:
        if len(row) != width:
            message = f"{len(row)} columns, expected {width} ({columns})"
            raise section.fault(message, "SHAPE", line)
        node = float(row[0])
        if not node.is_integer() or not 1 <= node <= size:
            message = f"node id {show(node)} is out of range, DIMENSION allows 1 to {size}"
            raise section.fault(message, "OUT_OF_RANGE", line)
        if int(node) in found:
            message = f"duplicate node id {int(node)}, also on line {found[int(node)][0]}"
            raise section.fault(message, "DUPLICATE_ID", line)
        found[int(node)] = (line, row[1:])
    if len(found) != size:
        message = f"{len(found)} nodes, DIMENSION says {size} (is the file truncated?)"
        raise section.fault(message, "SHAPE")
    ordered = [found[node] for node in range(1, size + 1)]
    return np.array([row for _, row in ordered]), [line for line, _ in ordered]


def _demands(parts: VrpText, size: int, capacity: float) -> Float64:
    table, lines = _table(_section(parts, "DEMAND_SECTION"), size)
    demand = table[:, 0]
    check_demands(demand, capacity, lambda i: f"line {lines[i]}: DEMAND_SECTION: demand")
    return demand


def _depot_first(parts: VrpText, demand: Float64) -> Int64:
    """The node indices with the depot first, [size] int64."""
    section = _section(parts, "DEPOT_SECTION")
    nodes = [float(number) for _, row in section.rows for number in row]
    terminated = -1.0 in nodes
    listed = nodes[: nodes.index(-1.0)] if terminated else nodes
    if (terminated and nodes[-1] != -1.0) or nodes.count(-1.0) > 1:
        raise section.fault("numbers after the final -1", "EXTRA_DATA")
    if not terminated and not parts.ended:
        raise section.fault("neither a final -1 nor EOF (is the file truncated?)", "TRUNCATED")
    if len(listed) != 1:
        raise section.fault(f"{len(listed)} depots, expected exactly one", "NOT_ONE_DEPOT")
    depot = listed[0]
    if not depot.is_integer() or not 1 <= depot <= len(demand):
        message = f"depot {show(depot)} is out of range, the nodes are 1 to {len(demand)}"
        raise section.fault(message, "OUT_OF_RANGE")
    index = int(depot) - 1
    if demand[index] != 0:
        message = f"depot {show(depot)} has a demand of {show(float(demand[index]))}, expected 0"
        raise section.fault(message, "DEPOT_DEMAND")
    others = np.delete(np.arange(len(demand)), index)
    return np.concatenate(([index], others))


def _matrix(parts: VrpText, size: int) -> Float64:
    """The EXPLICIT matrix in the order of the nodes, [size, size] float64."""
    layout = _header(parts, "EDGE_WEIGHT_FORMAT")
    if layout.value not in _FORMATS:
        raise layout.fault(f"expected one of {', '.join(_FORMATS)}", "UNSUPPORTED")
    section = _section(parts, "EDGE_WEIGHT_SECTION")
    full, lower = layout.value == "FULL_MATRIX", layout.value.startswith("LOWER")
    diagonal = int("DIAG" in layout.value)
    expected = size * size if full else size * (size - 1 + 2 * diagonal) // 2
    if section.count != expected:
        message = (
            f"{section.count} numbers, DIMENSION {size} and {layout.value} ask for {expected} "
            f"(is the file truncated?)"
        )
        raise section.fault(message, "SHAPE")
    numbers = np.concatenate([np.empty(0), *(row for _, row in section.rows)])
    if full:
        matrix = numbers.reshape(size, size)
    else:
        matrix, start = np.zeros((size, size)), 0
        for row in range(size):  # takes half the memory of one call with all indices
            columns = slice(0, row + diagonal) if lower else slice(row + 1 - diagonal, size)
            width = len(range(*columns.indices(size)))
            matrix[row, columns] = matrix[columns, row] = numbers[start : start + width]
            start += width
    place = f"line {section.line}: {section.name}"
    check_lengths(matrix, lambda row, to: f"{place}: node {row + 1} to node {to + 1}")
    return matrix
