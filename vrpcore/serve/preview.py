"""Instances as JSON for the page, whatever their source format."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from vrpcore.cost.far import far_nodes
from vrpcore.errors import InstanceError
from vrpcore.formats.write import instance_to_dict
from vrpcore.instance.instance import Instance, InvalidInstance

# Tasks that share few locations have large matrices once these are expanded to all nodes.
MAX_NUMBERS = 1_000_000
MATRICES = "matrices"
COUNTS_TWICE = "shipments count twice where not all can be served"
_SECONDS = {"s": 1, "min": 60}

Preview = dict[str, Any]


def previews(items: Iterable[Instance | InvalidInstance]) -> list[Preview]:
    """Converts what was read to what the page draws, item by item.

    All of it together holds at most `MAX_NUMBERS` numbers of matrices and of tables by vehicle
    type; matrices beyond them are left out, and said to be.

    Args:
        items: In order.

    Returns:
        For each what `Preview`, or of no instance `Refused`, of `serve/openapi.py` declares.
    """
    left, found = MAX_NUMBERS, []
    for item in items:
        if isinstance(item, InvalidInstance):
            found.append(_refused(item, item.name, item.code, item.error))
            continue
        part, left_out = _within(item, left)
        try:
            if _size(part) > left:
                message = f"more than {MAX_NUMBERS} times by vehicle type, which are not shown"
                raise InstanceError(message, code="TOO_LARGE")
            found.append(_told(item) | {"instance": instance_to_dict(part), "left_out": left_out})
            left -= _size(part)
        except InstanceError as error:  # VROOM has more than JSON
            found.append(_refused(item, item.name, error.code, str(error)))
    return found


def _refused(item: Instance | InvalidInstance, name: str, code: str, error: str) -> Preview:
    return {"in_kind": item.kind, "name": name, "code": code, "error": error}


def _told(item: Instance) -> Preview:
    """Facts about an item in addition to its JSON."""
    origin = item.origin
    return {
        "in_kind": item.kind,
        "clock": origin.clock and _SECONDS[origin.clock],
        "notes": [*origin.read_as, *origin.notes],
        "names": {str(customer): name for customer, name in origin.names.items()},
        "far": [] if item.coords is None else far_nodes(item.coords, item.metric),
    }


def _within(item: Instance, numbers: int) -> tuple[Instance, list[str]]:
    """An instance as it can be written, and what that lacks."""
    left_out = []
    if _size(item) > numbers and item.matrices:
        left_out.append(MATRICES)
        constraints = item.constraints
        if constraints is not None:
            constraints = replace(constraints, durations=None, costs=None, matrices={})
        item = replace(item, distances=None, constraints=constraints)
    if item.constraints is None:
        return item, left_out
    constraints = item.constraints
    if constraints.counts_stops and constraints.num_shipments:
        left_out.append(COUNTS_TWICE)
        item = replace(item, constraints=replace(constraints, counts_stops=False))
    return item, left_out


def _size(item: Instance) -> int:
    """Numbers of matrices and of tables by vehicle type."""
    constraints = item.constraints
    names = ("service_by_type", "setup_by_type", "allowed", "vehicle_cost")
    tables = () if constraints is None else (getattr(constraints, name) for name in names)
    return sum(int(table.size) for table in (*item.matrices, *tables) if table is not None)
