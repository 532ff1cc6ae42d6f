"""From the policy's solutions to the best routes that counts or a clock allow."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vrpcore.cost.distance import distance_matrix
from vrpcore.cost.routes import route_cost
from vrpcore.errors import ConfigError
from vrpcore.improve.decompose import neighbouring_groups, part_of
from vrpcore.improve.evolution import Evolution
from vrpcore.improve.native import Problem
from vrpcore.improve.pool import best_different
from vrpcore.improve.savings import Routes, savings_routes
from vrpcore.instance.instance import Float64, Instance

LEVELS = ("none", "fast", "deep")
# Iterations a customer where no clock runs.
ITERATIONS = {"fast": 400, "deep": 4000}
# Of the policy's best different solutions so many are starts of the search, besides savings.
NUM_CANDIDATES = 10
# Beyond this many customers groups of neighbouring routes are searched one by one.
LARGEST_WHOLE = 2000
PART_SIZE = 1500
# One sweep over the parts: iterations a customer, seconds a customer where a clock runs.
SWEEPS = {"fast": 2, "deep": 20}
SWEEP_ITERATIONS = 100
SWEEP_S = 5e-4
# From sweep to sweep the cuts turn by this share of a turn, and never fall together.
GOLDEN_TURN = (5**0.5 - 1) / 2


def improve_instance(
    instance: Instance,
    candidates: Sequence[Routes],
    level: str = "fast",
    seed: int = 0,
    end: float | None = None,
) -> Routes:
    """The best routes found from the policy's solutions and from savings.

    Short runs of annealing by ruin and recreate from the best different solutions, then
    children that a local search educates (`evolution`). Beyond 2000 customers the cheapest solution
    alone is searched, in groups of neighbouring routes of about 1500 customers, in sweeps of
    100 iterations a customer; a longer single route is left as it is.

    Without a clock the amount of search is a count of iterations, so that equal calls give
    equal routes. Calls for different instances may run in threads.

    Args:
        instance: The instance.
        candidates: Solutions within the load limit, every customer once, cheapest first;
            may be empty.
        level: `none` gives back the first candidate (plain savings without one); `fast`
            searches with 400 iterations a customer, `deep` with 4000.
        seed: >= 0; equal seeds give equal routes, whatever else is in the batch.
        end: `time.perf_counter()` at which the search ends, whatever the level; None: it
            ends by counts.

    Returns:
        Routes within the load limit, every customer once, no dearer in float64 than the
        first candidate and than plain savings. Where all of these have more routes than
        `max_vehicles`, routes within it are returned if the search finds some.

    Raises:
        ConfigError: An unknown level.
        MissingSearchError: The compiled search was not built.
    """
    if level not in LEVELS:
        expected = " or ".join(repr(name) for name in LEVELS)
        raise ConfigError(f"search level: found {level!r}; expected {expected}")
    if instance.num_customers == 0:
        return []
    if level == "none":
        return candidates[0] if candidates else savings_routes(instance)
    if instance.num_customers > LARGEST_WHOLE:
        return _search_parts(instance, candidates, seed, Budget(SWEEPS[level], end))
    return _search_whole(instance, candidates, seed, Budget(ITERATIONS[level], end))


@dataclass(frozen=True, slots=True)
class Budget:
    """How long a search may go on.

    Attributes:
        count: Iterations a customer, or sweeps, where no clock runs.
        end: `time.perf_counter()` at which it ends, or None.
    """

    count: int
    end: float | None

    def left(self) -> float:
        """Seconds until the end; infinite where no clock runs."""
        return math.inf if self.end is None else self.end - time.perf_counter()


def _search_whole(
    instance: Instance, candidates: Sequence[Routes], seed: int, budget: Budget
) -> Routes:
    """Search with all customers at once."""
    if instance.num_customers == 1:
        return [[1]]
    matrix = distance_matrix(instance)
    problem = Problem(instance, matrix)
    starts = best_different(candidates, NUM_CANDIDATES, directed=problem.directed)
    starts.append(problem.savings())
    starts.sort(key=lambda routes: _rank(instance, matrix, routes))
    if budget.left() <= 0:
        return starts[0]
    found = _evolve(Evolution(instance, problem, starts, seed), budget) or starts[0]
    return min(starts[0], found, key=lambda routes: _rank(instance, matrix, routes))


def _evolve(evolution: Evolution, budget: Budget) -> Routes | None:
    """The best routes of an evolution, None where it has none."""
    if budget.end is None:
        evolution.run(budget.count * evolution.num_customers)
    else:
        evolution.run_until(budget.end)
    return evolution.best()


def _rank(instance: Instance, matrix: Float64, routes: Routes) -> tuple[int, float]:
    """Vehicles beyond the fleet, then float64 cost on the lengths as read."""
    tour = np.array([node for route in routes for node in (0, *route)] + [0])
    cost = float(matrix[tour[:-1], tour[1:]].sum())
    return _surplus(instance, routes), cost


def _surplus(instance: Instance, routes: Routes) -> int:
    return max(0, len(routes) - (instance.max_vehicles or len(routes)))


def _search_parts(
    instance: Instance, candidates: Sequence[Routes], seed: int, budget: Budget
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
    sweep = 0
    while budget.left() > 0 and (budget.end is not None or sweep < budget.count):
        best = _sweep(instance, best, (seed, sweep), budget)
        sweep += 1
    return best


def _sweep(instance: Instance, routes: Routes, seed: tuple[int, int], budget: Budget) -> Routes:
    """One pass over all groups; a part is never worse than it was."""
    swept: Routes = []
    todo = instance.num_customers
    turn = seed[1] * GOLDEN_TURN % 1.0
    for group in neighbouring_groups(instance, routes, PART_SIZE, turn):
        size = sum(map(len, group))
        seconds = min(budget.left() * size / todo, SWEEP_S * size)
        todo -= size
        if seconds <= 0 or not 1 < size <= LARGEST_WHOLE:
            swept += group
            continue
        part, known, nodes = part_of(instance, group)
        end = None if budget.end is None else time.perf_counter() + seconds
        matrix = distance_matrix(part)
        evolution = Evolution(part, Problem(part, matrix), [known], seed[0] + seed[1])
        found = _evolve(evolution, Budget(SWEEP_ITERATIONS, end)) or known
        found = min(known, found, key=lambda item: _rank(part, matrix, item))
        swept += [[nodes[customer] for customer in route] for route in found]
    return swept
