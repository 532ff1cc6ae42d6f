"""Plain instances with as few vehicles as possible."""

from collections.abc import Sequence
from dataclasses import replace

from vrpcore.cost.tour_routes import Routes
from vrpcore.cost.vehicle_bound import fewest_vehicles
from vrpcore.instance.instance import Instance
from vrpcore.search.effort import FAST, Effort
from vrpcore.search.hgs_search import improve_instance
from vrpcore.search.watch import Watch

# With a time limit: shares of what is left for the search that asks only for the cost, and for
# each fleet after it.
COST_SHARE, FLEET_SHARE = 1 / 3, 1 / 2


def search_smallest_fleet(
    instance: Instance, candidates: Sequence[Routes], effort: Effort = FAST, seed: int = 0
) -> Routes:
    """The best routes of the smallest fleet for which the search finds some.

    A search that asks only for the cost comes first. Then one vehicle less than found so far is
    tried, and so on down to the lower bound, until a search finds no routes. With a time limit
    such a search ends as soon as everybody is served, and what is left goes into the cost. How
    far the bound is from what can be reached therefore costs no time.

    Args:
        instance: Without constraints.
        candidates: As for `improve_instance`.
        effort: How much search for each fleet; with a time limit, for all of them.
        seed: >= 0.

    Returns:
        Routes as of `improve_instance`.

    Raises:
        MissingSearchError: The compiled search was not built.
    """
    watch, timed = effort.watch or Watch(), effort.end is not None
    effort = replace(effort, watch=watch)
    needed, most = fewest_vehicles(instance), instance.max_vehicles or instance.num_customers
    best = improve_instance(instance, candidates, effort.part(COST_SHARE), seed)
    while (fleet := min(len(best) - 1, most)) >= needed:
        watch.seek_fewer_vehicles(until_served=timed)
        if effort.left() <= 0.0:
            break
        limited = replace(instance, max_vehicles=fleet)
        starts, share = [best, *candidates], effort.part(FLEET_SHARE)
        found = improve_instance(limited, starts, share, seed)
        if len(found) > fleet:
            break
        best = found
    watch.seek_less_cost()
    if not timed or effort.left() <= 0.0:
        return best
    limited = replace(instance, max_vehicles=min(len(best), most))
    return improve_instance(limited, [best], effort, seed)
