"""Plain instances with as few vehicles as possible."""

import time
from collections.abc import Sequence
from dataclasses import replace

from vrpcore.cost.vehicle_bound import fewest_vehicles
from vrpcore.instance.instance import Instance
from vrpcore.search.effort import FAST, Effort
from vrpcore.search.hgs_search import improve_instance
from vrpcore.search.savings import Routes


def search_smallest_fleet(
    instance: Instance, candidates: Sequence[Routes], effort: Effort = FAST, seed: int = 0
) -> Routes:
    """The best routes of the smallest fleet for which the search finds some.

    Fleets are tried from the lower bound up. With a time limit each of them gets half of what
    is left, so the search ends in time with routes of some fleet.

    Args:
        instance: Without constraints.
        candidates: As for `improve_instance`.
        effort: How much search for each fleet.
        seed: >= 0.

    Returns:
        Routes as of `improve_instance`.

    Raises:
        MissingSearchError: The compiled search was not built.
    """
    most = instance.max_vehicles or instance.num_customers
    for fleet in range(fewest_vehicles(instance), most):
        share = effort
        if effort.left() <= 0.0:
            break
        if effort.end is not None:
            share = replace(effort, end=time.perf_counter() + max(0.0, effort.left()) / 2)
        limited = replace(instance, max_vehicles=fleet)
        found = improve_instance(limited, candidates, share, seed)
        if len(found) <= fleet:
            return found if effort.end is None else improve_instance(limited, [found], effort, seed)
        if effort.watch is not None:
            effort.watch.forgive()  # a fleet that is too small gets no better
    return improve_instance(instance, candidates, effort, seed)
