"""Improves the policy's solutions, for a number of iterations or seconds."""

import dataclasses
import math
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

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
from vrpcore.threads import side_by_side

LEVELS = ("none", "fast", "deep")
# Iterations per customer without a time limit.
ITERATIONS = {"fast": 400, "deep": 4000}
# The search starts from this many of the policy's best different solutions, and from savings.
NUM_CANDIDATES = 10
# Beyond this many customers, groups of neighbouring routes are searched one by one.
LARGEST_WHOLE = 2000
PART_SIZE = 1500
# One sweep over the parts: iterations per customer; with a time limit, seconds per customer.
SWEEPS = {"fast": 2, "deep": 20}
SWEEP_ITERATIONS = 100
SWEEP_S = 5e-4
# The cuts turn by this share of a full turn from sweep to sweep, and never coincide.
GOLDEN_TURN = (5**0.5 - 1) / 2


@dataclass(frozen=True, slots=True)
class Effort:
    """How much search an instance gets.

    Attributes:
        level: `none` returns the first candidate (plain savings without one); `fast`
            searches with 400 iterations per customer, `deep` with 4000.
        end: `time.perf_counter()` at which the search ends, whatever the level; None: it
            ends after its iterations.
        cores: Threads of one search; without a time limit they do not change the answer.

    Raises:
        ConfigError: An unknown level.
    """

    level: str = "fast"
    end: float | None = None
    cores: int = 1

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            expected = " or ".join(repr(name) for name in LEVELS)
            raise ConfigError(f"search level: found {self.level!r}; expected {expected}")

    def left(self) -> float:
        """Seconds until the end; infinite without a time limit."""
        return math.inf if self.end is None else self.end - time.perf_counter()


FAST = Effort()


def improve_instance(
    instance: Instance,
    candidates: Sequence[Routes],
    effort: Effort = FAST,
    seed: int = 0,
) -> Routes:
    """The best routes found from the policy's solutions and from savings.

    First come short annealing runs by ruin and recreate from the best different solutions,
    then children that a local search improves (`evolution`). Beyond 2000 customers the cheapest
    solution alone is searched, in groups of neighbouring routes of about 1500 customers, in
    sweeps of 100 iterations per customer; a longer single route is left as it is.

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
    evolution = Evolution(instance, problem, starts, seed)
    found = _evolve(evolution, ITERATIONS[effort.level], effort) or starts[0]
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
    sweep = 0
    while effort.left() > 0 and (effort.end is not None or sweep < SWEEPS[effort.level]):
        turn = sweep * GOLDEN_TURN % 1.0
        groups = neighbouring_groups(instance, best, PART_SIZE, turn)
        best = _Sweep(instance, groups, effort, seed + sweep).run()
        sweep += 1
    return best


class _Sweep:
    """One pass over all groups in parallel; no group gets worse.

    Args:
        instance: The whole.
        groups: Of routes, customers 1..N of the whole.
        effort: The clock and the cores.
        seed: Seed of this sweep.
    """

    def __init__(
        self, instance: Instance, groups: Sequence[Routes], effort: Effort, seed: int
    ) -> None:
        self._instance, self._groups = instance, groups
        self._effort, self._seed = effort, seed
        self._at_a_time = max(1, min(effort.cores, len(groups)))
        self._lock, self._todo = threading.Lock(), instance.num_customers

    def run(self) -> Routes:
        """Searches all groups and returns their routes, group by group."""
        searched = side_by_side(
            [partial(self._search, group) for group in self._groups], self._at_a_time
        )
        return [route for group in searched for route in group]

    def _search(self, group: Routes) -> Routes:
        size = sum(map(len, group))
        left = self._effort.left()
        with self._lock:
            share = self._at_a_time * size / self._todo
            self._todo -= size
        seconds = min(left, left * share, SWEEP_S * size)
        if seconds <= 0 or not 1 < size <= LARGEST_WHOLE:
            return group
        part, known, nodes = part_of(self._instance, group)
        end = None if self._effort.end is None else time.perf_counter() + seconds
        cores = max(1, self._effort.cores // self._at_a_time)
        matrix = distance_matrix(part)
        evolution = Evolution(part, Problem(part, matrix), [known], self._seed)
        effort = dataclasses.replace(self._effort, end=end, cores=cores)
        found = _evolve(evolution, SWEEP_ITERATIONS, effort) or known
        found = min(known, found, key=lambda item: _rank(part, matrix, item))
        return [[nodes[customer] for customer in route] for route in found]
