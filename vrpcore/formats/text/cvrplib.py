"""CVRPLIB `.vrp` files in, strictly: what is not understood is refused by its name."""

import numpy as np

from vrpcore.errors import show
from vrpcore.formats.json.keys import check_positive_capacity
from vrpcore.formats.json.plain_json import check_demands
from vrpcore.formats.text.pyvrp import has_constraints, read_pyvrp
from vrpcore.formats.text.vrptables import read_depots, read_dimension, read_geometry, read_table
from vrpcore.formats.text.vrptext import VrpText, split_vrp
from vrpcore.instance.constraints import Int64
from vrpcore.instance.instance import Float64, Instance


def read_vrp(text: str, fallback_name: str) -> Instance:
    """Reads one instance in the CVRPLIB format, or in PyVRP's dialect of it.

    Any node may be the depot, and is node 1 where none is named; ids are CVRPLIB's customer
    numbers, node - 1. `VEHICLES`, which the published files do not use, becomes
    `max_vehicles`. The diagonal of an EXPLICIT matrix is never travelled and read as 0; a
    full matrix may be asymmetric.

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
    found = parts.headers.get("NAME")
    name = found.value if found and found.value else fallback_name
    if has_constraints(parts):
        return read_pyvrp(parts, name)
    parts.header("TYPE")  # its value is CVRP: others have constraints
    size = read_dimension(parts)
    geometry = read_geometry(parts, size)
    limit = parts.header("CAPACITY")
    capacity = check_positive_capacity(limit.number(), limit.place)
    table = read_table(parts.section("DEMAND_SECTION"), size, "node demand")
    demand = table.values[:, 0]
    check_demands(demand, capacity, lambda i: f"{table.place(i)}: demand")
    order = _depot_first(parts, demand)
    matrix = geometry.distances
    return Instance(
        name=name,
        capacity=capacity,
        coords=None if geometry.coords is None else geometry.coords[order],
        demand=demand[order],
        ids=tuple(order[1:].tolist()),
        metric=geometry.metric,
        distances=None if matrix is None else matrix[np.ix_(order, order)],
        max_vehicles=parts.header("VEHICLES").whole() if "VEHICLES" in parts.headers else None,
    )


def _depot_first(parts: VrpText, demand: Float64) -> Int64:
    """The node indices with the depot first, [size] int64."""
    depots = read_depots(parts, len(demand))
    if len(depots) != 1:
        message = f"{len(depots)} depots, expected exactly one; others need vehicles' depots"
        raise parts.section("DEPOT_SECTION").fault(message, "NOT_ONE_DEPOT")
    index = depots[0] - 1
    if demand[index] != 0:
        message = f"depot {depots[0]} has a demand of {show(float(demand[index]))}, expected 0"
        raise parts.section("DEMAND_SECTION").fault(message, "DEPOT_DEMAND")
    others = np.delete(np.arange(len(demand)), index)
    return np.concatenate(([index], others))
