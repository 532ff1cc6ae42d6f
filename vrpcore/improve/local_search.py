"""Local search on finished routes: PyVRP's moves, our acceptance and penalty."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from vrpcore.cost.distance import distance_matrix
from vrpcore.errors import MissingExtraError
from vrpcore.improve.savings import Routes, instance_rng
from vrpcore.improve.scaling import Int64, whole_demand, whole_distances
from vrpcore.instance.instance import Float64, Instance

try:
    import pyvrp
    from pyvrp import search
except ImportError:
    INSTALLED = False
else:
    INSTALLED = True

Deadline = Callable[[], bool]

# Iterations between two looks at the clock and two changes of the load penalty.
PERIOD = 10
# A load penalty of 1 prices the mean customer's demand at the mean length.
FIRST_PENALTY, REPAIR_PENALTY = 2.0, 100.0
PENALTY_RANGE = (0.5, 1000.0)
FEASIBLE_SHARE = (0.5, 0.85)
PENALTY_UP, PENALTY_DOWN = 1.3, 0.85
# An accepted solution may be dearer than the best, at the start by this share divided by N:
# about a third of a mean length, at any size.
WARMTH = 0.3
UNKNOWN = 2**63 - 1


@dataclass(slots=True)
class Chain:
    """One line of search.

    Attributes:
        current: Where it stands; may exceed load limits.
        best: Cheapest solution found that keeps all limits, or None.
        cost: Cost of `best` in whole numbers, or `UNKNOWN`.
    """

    current: "pyvrp.Solution"
    best: "pyvrp.Solution | None"
    cost: int


class LocalSearch:
    """The local search of one instance; what depends on the instance only is built once.

    Lengths and demands become whole numbers (`scaling`); costs that decide what is
    returned are float64 on the lengths as read. Calls in the same order with the same seed
    give the same routes. One object is for one thread; different objects may run in
    different threads, as the search call lets go of Python's interpreter lock (the set-up
    does not).

    Args:
        instance: Any instance; the library's memory is about 40 bytes * N^2.
        seed: >= 0; joined with the instance's own numbers.
        neighbours: How many nearest customers a move looks at.
        matrix: The instance's `distance_matrix` where the caller has it.

    Raises:
        MissingExtraError: PyVRP is not installed.

    Source:
        Moves: Wouda, Lan, Kool 2024, "PyVRP: a high-performance VRP solver package".
    """

    def __init__(
        self,
        instance: Instance,
        seed: int = 0,
        *,
        neighbours: int = 15,
        matrix: Float64 | None = None,
    ) -> None:
        if not INSTALLED:
            raise MissingExtraError("improve", "local search")
        self._matrix = distance_matrix(instance) if matrix is None else matrix
        lengths, (demand, limit) = whole_distances(self._matrix), whole_demand(instance)
        self._vehicles = max(1, min(instance.num_customers, instance.max_vehicles or 2**31))
        self._data = _problem(lengths, demand, limit, self._vehicles)
        size = instance.num_customers
        self._rng = pyvrp.RandomNumberGenerator(int(instance_rng(instance, seed).integers(2**32)))
        near = search.NeighbourhoodParams(0.0, neighbours, True)
        strength = search.PerturbationParams(1, strongest_shake(size))
        self._search = search.LocalSearch(
            self._data,
            self._rng,
            search.compute_neighbours(self._data, near),
            search.PerturbationManager(strength),
        )
        for operator in search.OPERATORS:
            if operator.supports(self._data):
                self._search.add_operator(operator(self._data))
        mean_demand = sum(demand) / max(1, size)
        self._warmth = WARMTH / max(1, size)
        self._unit = max(1.0, float(lengths.mean())) / (mean_demand or 1.0)
        self._penalty = FIRST_PENALTY
        self._soft = self._evaluator(FIRST_PENALTY)
        self._hard = self._evaluator(REPAIR_PENALTY)
        self._feasible = self._seen = 0

    def cost(self, routes: Routes) -> float:
        """Float64 cost on the lengths as read, in the instance's unit."""
        tour = np.array([node for route in routes for node in (0, *route)] + [0])
        return float(self._matrix[tour[:-1], tour[1:]].sum())

    def surplus(self, routes: Routes) -> int:
        """How many routes there are beyond the vehicles, >= 0."""
        return max(0, len(routes) - self._vehicles)

    def improve(self, routes: Routes) -> Routes:
        """A local optimum reached from finished routes.

        Args:
            routes: Customers 1..N, every customer once, within the load limit.

        Returns:
            Routes of the same kind, never dearer in float64; the given ones where nothing
            was gained.
        """
        return self.cheaper(routes, self.start(routes))

    def iterate(
        self, routes: Routes, num_iterations: int, deadline: Deadline | None = None
    ) -> Routes:
        """Iterated local search: shake a region, repair it, keep what is good.

        Args:
            routes: As for `improve`.
            num_iterations: Shakes, >= 0.
            deadline: Returns True when time is up; asked every few iterations.

        Returns:
            As `improve`.
        """
        chain = self.start(routes)
        self.advance(chain, num_iterations, deadline=deadline)
        return self.cheaper(routes, chain)

    def start(self, routes: Routes) -> Chain:
        """A line of search at the local optimum next to some routes.

        Where there are more routes than vehicles, the customers of the routes with fewest
        customers are put where they cost least, beyond a load limit where need be; the
        line's best is then None until a solution within all limits turns up.
        """
        kept = sorted(routes, key=len, reverse=True)[: self._vehicles]
        given = pyvrp.Solution(self._data, [[node - 1 for node in route] for route in kept])
        found = self._search(given, self._hard, exhaustive=True)
        for solution in (found, given):
            if solution.is_feasible():
                return Chain(solution, solution, solution.distance())
        return Chain(found, None, UNKNOWN)

    def advance(
        self,
        chain: Chain,
        num_iterations: int,
        warmth: tuple[float, float] = (1.0, 0.0),
        deadline: Deadline | None = None,
    ) -> None:
        """Move a line of search on, in place.

        A solution is accepted where it is cheaper than the current one, or dearer than the
        best by less than a share that falls to nothing (threshold accepting). The load
        penalty follows the share of solutions that keep the limits.

        Args:
            chain: From `start`.
            num_iterations: Shakes.
            warmth: That share at the first and last shake, as parts of the largest.
            deadline: Returns True when time is up.

        Source:
            Dueck and Scheuer 1990, "Threshold Accepting".
        """
        cost = self._soft.penalised_cost(chain.current)
        for step in range(num_iterations):
            if self._seen == PERIOD:
                if deadline is not None and deadline():
                    return
                self._adapt()
                cost = self._soft.penalised_cost(chain.current)
            found = self._search(chain.current, self._soft)
            found_cost = self._soft.penalised_cost(found)
            feasible = found.is_feasible()
            self._seen += 1
            self._feasible += feasible
            if feasible and found_cost < chain.cost:
                chain.best, chain.cost = found, found_cost
            slack = self._warmth * (warmth[0] + (warmth[1] - warmth[0]) * step / num_iterations)
            near_best = chain.best is not None and found_cost < chain.cost * (1 + slack)
            if found_cost < cost or near_best:
                chain.current, cost = found, found_cost

    def cheaper(self, routes: Routes, chain: Chain) -> Routes:
        """The best of a line of search where it is cheaper in float64, else `routes`."""
        if chain.best is None:
            return routes
        found = self.routes(chain.best)
        dearer = self.cost(found) >= self.cost(routes)
        return routes if dearer and not self.surplus(routes) else found

    def routes(self, solution: "pyvrp.Solution") -> Routes:
        """A solution of the library as customers 1..N."""
        return [[stop.idx + 1 for stop in list(route)[1:-1]] for route in solution.routes()]

    def _adapt(self) -> None:
        share = self._feasible / self._seen
        self._feasible = self._seen = 0
        if FEASIBLE_SHARE[0] <= share <= FEASIBLE_SHARE[1]:
            return
        factor = PENALTY_UP if share < FEASIBLE_SHARE[0] else PENALTY_DOWN
        self._penalty = min(max(self._penalty * factor, PENALTY_RANGE[0]), PENALTY_RANGE[1])
        self._soft = self._evaluator(self._penalty)

    def _evaluator(self, penalty: float) -> "pyvrp.CostEvaluator":
        return pyvrp.CostEvaluator([penalty * self._unit], 0, 0)


def strongest_shake(size: int) -> int:
    """Most customers that one shake may move."""
    return min(25, 12 + size // 5)


def _problem(lengths: Int64, demand: list[int], limit: int, vehicles: int) -> "pyvrp.ProblemData":
    """The library's picture of an instance; it reads distances only, so no coordinates."""
    place = pyvrp.Location(0, 0)
    # The library's stubs name an array's item type where numpy's put its shape.
    matrices: list[Any] = [lengths, np.zeros_like(lengths)]
    return pyvrp.ProblemData(
        locations=[place] * len(demand),
        clients=[pyvrp.Client(node, [load]) for node, load in enumerate(demand) if node],
        depots=[pyvrp.Depot(0)],
        vehicle_types=[pyvrp.VehicleType(vehicles, [limit])],
        distance_matrices=matrices[:1],
        duration_matrices=matrices[1:],
    )
