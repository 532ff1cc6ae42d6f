"""Improves the policy's solutions, for a number of iterations or seconds."""

import math
from collections.abc import Sequence

import numpy as np

from vrpcore.cost.distance import distance_matrix
from vrpcore.cost.tour_routes import Routes, route_costs
from vrpcore.instance.instance import Float64, Instance
from vrpcore.search.effort import FAST, Effort
from vrpcore.search.evolution import Evolution, most_routes, seed_of
from vrpcore.search.hgs_library import MOST_EXACT, Problem
from vrpcore.search.pool import best_different
from vrpcore.search.regions import RegionSearch
from vrpcore.search.savings import savings_routes

# The search starts from this many of the policy's best different solutions, and from savings.
NUM_CANDIDATES = 10
# Beyond this many customers, annealing in regions is better than children.
LARGEST_BRED = 500


def improve_instance(
    instance: Instance,
    candidates: Sequence[Routes],
    effort: Effort = FAST,
    seed: int = 0,
) -> Routes:
    """The best routes found from the policy's solutions and from savings.

    Up to ten customers the routes are the cheapest of all. Beyond, short annealing runs by ruin
    and recreate from the best different solutions come first, then children that a local search
    improves (`evolution`). Beyond 500 customers one long annealing run improves the cheapest
    solution, in regions of neighbouring routes (`regions`).

    Without a time limit the search runs a fixed number of iterations, so that equal calls
    give equal routes. Calls for different instances may run in threads.

    Args:
        instance: The instance.
        candidates: Solutions within the load limit, every customer once, cheapest first;
            may be empty.
        effort: How much search.
        seed: >= 0; equal seeds give equal routes, whatever else is in the batch.

    Returns:
        Routes within the load limit, every customer once, with a cost in float64 no higher
        than that of the first candidate and of plain savings. If all of these have more
        routes than `max_vehicles`, the search's routes within that limit, if it finds any.

    Raises:
        MissingSearchError: The compiled search was not built.
    """
    if instance.num_customers == 0:
        return []
    if effort.level == "none":
        return candidates[0] if candidates else savings_routes(instance)
    if instance.num_customers > LARGEST_BRED:
        return _search_regions(instance, candidates, effort, seed)
    return _search_whole(instance, candidates, effort, seed)


def _search_whole(
    instance: Instance, candidates: Sequence[Routes], effort: Effort, seed: int
) -> Routes:
    """Search with all customers at once."""
    if instance.num_customers == 1:
        return [[1]]
    matrix = distance_matrix(instance)
    problem = Problem(instance, matrix)
    problem.watched(effort)
    starts = best_different(candidates, NUM_CANDIDATES, directed=problem.directed)
    starts.append(problem.savings())
    starts.sort(key=lambda routes: _rank(instance, matrix, routes))
    if effort.left() <= 0:
        return starts[0]
    size = instance.num_customers
    if size <= MOST_EXACT:
        found = problem.exact(matrix, min(instance.max_vehicles or size, size))
    else:
        evolution = Evolution(instance, problem, starts, seed)
        found = _evolve(evolution, effort)
    found = found or starts[0]
    return min(starts[0], found, key=lambda routes: _rank(instance, matrix, routes))


def _evolve(evolution: Evolution, effort: Effort) -> Routes | None:
    """Runs an evolution, not yet run, and returns its best routes, or None if it has none."""
    if effort.end is None or effort.is_counted:
        evolution.run(effort.total(evolution.num_customers), effort.cores)
    else:
        evolution.run_until(effort.end, effort.cores)
    return evolution.best()


def _rank(instance: Instance, matrix: Float64, routes: Routes) -> tuple[int, float]:
    """A solution's rank: vehicles beyond the fleet, then float64 cost on the lengths as read."""
    tour = np.array([node for route in routes for node in (0, *route)] + [0])
    cost = float(matrix[tour[:-1], tour[1:]].sum())
    return _surplus(instance, routes), cost


def _surplus(instance: Instance, routes: Routes) -> int:
    return max(0, len(routes) - (instance.max_vehicles or len(routes)))


def _search_regions(
    instance: Instance, candidates: Sequence[Routes], effort: Effort, seed: int
) -> Routes:
    """Search of a large instance, from the cheapest candidate or from savings."""
    problem = Problem(instance, instance.distances)
    problem.watched(effort)
    starts = [*candidates[:1], problem.savings()]

    def rank(routes: Routes) -> tuple[int, float]:
        return _surplus(instance, routes), math.fsum(route_costs(instance, routes))

    start = min(starts, key=rank)
    if effort.left() <= 0:
        return start
    search = RegionSearch(problem, start, most_routes(instance, starts), seed_of(instance, seed))
    if effort.goes_by_count:
        size = instance.num_customers
        search.run(effort.total(size) / size, effort.cores)
    else:
        search.run_until(effort)
    found = search.best()
    if sum(map(len, found)) < instance.num_customers:
        return start
    return min(start, found, key=rank)
