"""Plain instances out as `.vrp` files."""

from collections.abc import Iterator

import numpy as np

from vrpcore.errors import fault
from vrpcore.formats.json.json_numbers import json_number
from vrpcore.instance.instance import Float64, Instance

_WEIGHTS = {"euc_2d": "EUC_2D", "ceil_2d": "CEIL_2D"}


def instance_to_vrp(instance: Instance) -> str:
    """A plain instance as a `.vrp` file.

    Nodes are numbered in the order of the instance, the depot first, so ids are lost. Lengths of
    `euclidean` become a matrix, as EUC_2D stands for rounded ones.

    Raises:
        InstanceError: A `.vrp` cannot say something of it (code NOT_WRITABLE); the message
            names it.
    """
    lengths = instance.distances
    if lengths is None and instance.metric == "euclidean" and instance.coords is not None:
        points = instance.coords @ np.array([1.0, 1.0j])
        lengths = np.abs(points[:, None] - points[None, :])
    for what, found in (
        ("constraints", instance.constraints is not None),
        ("known routes", instance.plan is not None),
        (f"lengths of {instance.metric}", lengths is None and instance.metric not in _WEIGHTS),
        ("places that no road joins", lengths is not None and bool(np.isinf(lengths).any())),
    ):
        if found:
            message = f"{what}, which a .vrp cannot say; write .json"
            raise fault(instance.name, message, "NOT_WRITABLE")
    return "\n".join([*_lines(instance, lengths), "DEPOT_SECTION", "1", "-1", "EOF", ""])


def _lines(instance: Instance, lengths: Float64 | None) -> Iterator[str]:
    """Headers, then sections, without that of the depot."""
    yield f"NAME : {' '.join(instance.name.split())}"
    yield from ("TYPE : CVRP", f"DIMENSION : {len(instance.demand)}")
    yield f"CAPACITY : {json_number(instance.capacity)}"
    if instance.max_vehicles is not None:
        yield f"VEHICLES : {instance.max_vehicles}"
    if lengths is None:
        yield f"EDGE_WEIGHT_TYPE : {_WEIGHTS[instance.metric]}"
    else:
        yield from ("EDGE_WEIGHT_TYPE : EXPLICIT", "EDGE_WEIGHT_FORMAT : FULL_MATRIX")
        yield from ("EDGE_WEIGHT_SECTION", *map(_row, lengths.tolist()))
    if instance.coords is not None:
        yield from _table("NODE_COORD_SECTION", instance.coords)
    yield from _table("DEMAND_SECTION", instance.demand[:, None])


def _table(name: str, values: Float64) -> Iterator[str]:
    yield name
    yield from (_row([node, *row]) for node, row in enumerate(values.tolist(), start=1))


def _row(numbers: list[float]) -> str:
    return " ".join(str(json_number(number)) for number in numbers)
