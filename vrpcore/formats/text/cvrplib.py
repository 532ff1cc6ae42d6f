"""CVRPLIB `.vrp` files in, strictly: what is not understood is refused by its name."""

import numpy as np

from vrpcore.errors import fault, show
from vrpcore.formats.json.explain import check_within
from vrpcore.formats.json.plain_json import check_demands
from vrpcore.formats.json.values import MIN_MAGNITUDE
from vrpcore.formats.text.pyvrp import has_constraints, read_pyvrp
from vrpcore.formats.text.vrptables import read_depots, read_dimension, read_geometry, read_table
from vrpcore.formats.text.vrptext import split_vrp
from vrpcore.instance.instance import Instance


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
    limit = parts.header("CAPACITY")
    capacity = check_within(limit.number(), limit.place, MIN_MAGNITUDE)
    table = read_table(parts.section("DEMAND_SECTION"), size, "node demand")
    demand = table.values[:, 0]
    check_demands(demand, capacity, lambda i: f"{table.place(i)}: demand")
    (depot,) = read_depots(parts, size)
    if demand[depot - 1] != 0:
        message = f"depot {depot} has a demand of {show(float(demand[depot - 1]))}, expected 0"
        raise fault(table.place(depot - 1), message, "OUT_OF_RANGE")
    others = np.delete(np.arange(size), depot - 1)
    order = np.concatenate(([depot - 1], others))
    return Instance(
        name=name,
        capacity=capacity,
        demand=demand[order],
        ids=tuple(others.tolist()),
        max_vehicles=parts.header("VEHICLES").whole() if "VEHICLES" in parts.headers else None,
        **read_geometry(parts, order)._asdict(),
    )
