"""Improves the policy's solutions, for a number of iterations or seconds."""

import math
from collections.abc import Sequence

import numpy as np

from vrpcore.cost.distance import distance_matrix
from vrpcore.cost.tour_routes import route_cost
from vrpcore.instance.instance import Float64, Instance
from vrpcore.search.decompose import PART_SIZE, neighbouring_groups, part_of, sweep, sweeps
from vrpcore.search.effort import FAST, ITERATIONS, LARGEST_WHOLE, SWEEP_ITERATIONS, Effort
from vrpcore.search.evolution import Evolution
from vrpcore.search.hgs_library import MOST_EXACT, Problem
from vrpcore.search.pool import best_different
from vrpcore.search.savings import Routes, savings_routes

# The search starts from this many of the policy's best different solutions, and from savings.
NUM_CANDIDATES = 10
# With a time limit, of one sweep over the parts, per customer.
SWEEP_S = 5e-4


def improve_instance(
    instance: Instance,
    candidates: Sequence[Routes],
    effort: Effort = FAST,
    seed: int = 0,
) -> Routes:
    """The best routes found from the policy's solutions and from savings.

    Up to ten customers the routes are the cheapest of all. Beyond, short annealing runs by ruin
    and recreate from the best different solutions come first, then children that a local search
    improves (`evolution`). Beyond 2000 customers only the cheapest solution is searched, in
    groups of neighbouring routes of about 1500 customers, in sweeps of 100 iterations per
    customer; a longer single route is left as it is.

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
    if instance.num_customers > LARGEST_WHOLE:
        return _search_parts(instance, candidates, effort, seed)
    return _search_whole(instance, candidates, effort, seed)


def _search_whole(
    instance: Instance, candidates: Sequence[Routes], effort: Effort, seed: int
) -> Routes:
    """Search with all customers at once."""
    if instance.num_customers == 1:
        return [[1]]
    matrix = distance_matrix(instance)
    problem = Problem(instance, matrix)
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
        found = _evolve(evolution, ITERATIONS[effort.level], effort)
    found = found or starts[0]
    return min(starts[0], found, key=lambda routes: _rank(instance, matrix, routes))


def _evolve(evolution: Evolution, iterations: int, effort: Effort) -> Routes | None:
    """Runs an evolution and returns its best routes, or None if it has none.

    Args:
        evolution: Not yet run.
        iterations: Per customer, without a time limit.
        effort: The clock and the cores.
    """
    if effort.end is None:
        evolution.run(iterations * evolution.num_customers, effort.cores)
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


def _search_parts(
    instance: Instance, candidates: Sequence[Routes], effort: Effort, seed: int
) -> Routes:
    """Sweeps over groups of neighbouring routes, each searched as an instance of its own."""
    starts = [*candidates[:1], savings_routes(instance)]
    best = min(
        starts,
        key=lambda routes: (
            _surplus(instance, routes),
            math.fsum(route_cost(instance, route) for route in routes),
        ),
    )
    for number, turn in sweeps(effort):
        groups = neighbouring_groups(instance, best, PART_SIZE, turn)
        sizes = [sum(map(len, group)) for group in groups]

        def search(
            index: int, share: Effort, groups: list[Routes] = groups, number: int = number
        ) -> Routes:
            return _search_part(instance, groups[index], share, seed + number)

        found = sweep(sizes, effort, SWEEP_S, search)
        best = [route for routes in found for route in routes]
    return best


def _search_part(instance: Instance, group: Routes, effort: Effort, seed: int) -> Routes:
    """A group's routes, searched as an instance of their own; they do not get worse."""
    if effort.left() <= 0 or not 1 < sum(map(len, group)) <= LARGEST_WHOLE:
        return group
    part, known, nodes = part_of(instance, group)
    matrix = distance_matrix(part)
    evolution = Evolution(part, Problem(part, matrix), [known], seed)
    found = _evolve(evolution, SWEEP_ITERATIONS, effort) or known
    found = min(known, found, key=lambda item: _rank(part, matrix, item))
    return [[nodes[customer] for customer in route] for route in found]
