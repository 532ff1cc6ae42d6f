"""The solvers in a comparison, and their answers."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vrpcore.cost.check import check_solution
from vrpcore.cost.routes import route_cost
from vrpcore.formats.solutionio import NOT_STATED
from vrpcore.instance.instance import Instance
from vrpcore.instance.solution import Route, Solution

Routes = list[list[int]]


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a solver gave for one instance.

    Attributes:
        routes: Customers 1..N; None if it found none.
        solver_s: CPU seconds of the solver itself, without building its model of the instance
            and without reading the routes from its solution.
    """

    routes: Routes | None
    solver_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """One point of a curve: a method with one setting.

    Attributes:
        method: Name of the curve.
        setting: Name of the point on it, e.g. `0.1 s`.
        version: Of the solver, and everything else that changes its answers.
        solve: Solves instances, one after the other.
        most_customers: It skips sets with larger instances; None: no limit.
        together: Whether it solves all instances in one call.
        hidden: Whether it only provides reference costs.
    """

    method: str
    setting: str
    version: str
    solve: Callable[[Sequence[Instance]], list[Attempt]]
    most_customers: int | None = None
    together: bool = False
    hidden: bool = False


def one_by_one(
    solve: Callable[[Instance], Attempt],
) -> Callable[[Sequence[Instance]], list[Attempt]]:
    """A solver of one instance as a solver of several."""
    return lambda instances: [solve(instance) for instance in instances]


def judge(instance: Instance, routes: Routes | None) -> tuple[float | None, str | None]:
    """The cost of routes by this project's own cost code, and what is wrong with them.

    Args:
        instance: The instance.
        routes: Any solver's answer, customers 1..N.

    Returns:
        The float64 cost in the instance's unit and None; or None and the reason, where the
        independent check finds a fault or there are no routes.
    """
    if routes is None:
        return None, "gave no routes"
    size = instance.num_customers
    if any(not 1 <= node <= size for route in routes for node in route):
        return None, f"names a customer that is not in 1..{size}"
    cost = math.fsum(route_cost(instance, route) for route in routes)
    if instance.integer_cost:
        cost = int(cost)
    ids = instance.ids
    answer = Solution(
        name=instance.name,
        status="solved",
        cost=cost,
        routes=tuple(
            Route(tuple(ids[node - 1] for node in route), load=NOT_STATED, cost=NOT_STATED)
            for route in routes
        ),
    )
    result = check_solution(instance, answer)
    return (float(cost), None) if result.ok else (None, result.problems[0])
