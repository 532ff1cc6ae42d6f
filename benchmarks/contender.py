"""The solvers in a comparison, and their answers."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from vrpcore.cost.tour_routes import route_costs
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Plan, Route
from vrpcore.instance.service_unit import stop_groups
from vrpcore.instance.solution import NOT_STATED, RouteReport, Solution
from vrpcore.referee.referee import check_solution
from vrpcore.solve.answer import planned

Routes = list[list[int]]
Planned = list[Route]
PLAIN_ONLY = "plain instances only"


@dataclass(frozen=True, slots=True)
class Attempt:
    """The result of a solver for one instance.

    Attributes:
        routes: Customers 1..N; vehicle types and stops where the instance has constraints, or a
            whole answer of this project's; None if it found none.
        solver_s: CPU seconds of the solver itself, without building its model of the instance
            and without reading the routes from its solution.
    """

    routes: Routes | Planned | Solution | None
    solver_s: float

    @property
    def num_routes(self) -> int:
        """How many there are."""
        found = self.routes.routes if isinstance(self.routes, Solution) else self.routes
        return len(found or ())


SolveOne = Callable[[Instance], Attempt]


def plain_only(instance: Instance) -> str | None:
    """The reason why a solver of plain instances refuses one; None: it takes it."""
    return None if instance.constraints is None else PLAIN_ONLY


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
        refuses: Why it does not take an instance, in words; None: it does.
    """

    method: str
    setting: str
    version: str
    solve: Callable[[Sequence[Instance]], list[Attempt]]
    most_customers: int | None = None
    together: bool = False
    hidden: bool = False
    refuses: Callable[[Instance], str | None] = plain_only


def one_by_one(solve: SolveOne) -> Callable[[Sequence[Instance]], list[Attempt]]:
    """A solver of one instance as a solver of several."""
    return lambda instances: [solve(instance) for instance in instances]


def judge(
    instance: Instance, routes: Routes | Planned | Solution | None
) -> tuple[float | None, str | None]:
    """The cost of routes by this project's own cost code, and what is wrong with them.

    Args:
        instance: The instance.
        routes: Any solver's answer; see `Attempt`.

    Returns:
        The float64 cost in the instance's unit and None; or None and the reason, where the
        independent check finds a fault, or there are no routes, or not for all who are required.
    """
    if routes is None:
        return None, "gave no routes"
    if isinstance(routes, Solution):
        return _judge_answer(instance, routes)
    if instance.constraints is not None:
        return _judge_planned(instance, cast(Planned, routes))
    return _judge_plain(instance, cast(Routes, routes))


def _judge_plain(instance: Instance, routes: Routes) -> tuple[float | None, str | None]:
    size = instance.num_customers
    if any(not 1 <= node <= size for route in routes for node in route):
        return None, f"names a customer that is not in 1..{size}"
    cost = math.fsum(route_costs(instance, routes))
    if instance.integer_cost:
        cost = int(cost)
    ids = instance.ids
    answer = Solution(
        name=instance.name,
        status="solved",
        cost=cost,
        routes=tuple(
            RouteReport(tuple(ids[node - 1] for node in route), load=NOT_STATED, cost=NOT_STATED)
            for route in routes
        ),
    )
    return _judge_answer(instance, answer)


def _judge_answer(instance: Instance, answer: Solution) -> tuple[float | None, str | None]:
    result = check_solution(instance, answer)
    return (float(cast(float, answer.cost)), None) if result.ok else (None, result.problems[0])


def _judge_planned(instance: Instance, routes: Planned) -> tuple[float | None, str | None]:
    size, served = instance.num_customers, {stop for route in routes for stop in route.stops}
    if any(not 1 <= stop <= size for stop in served):
        return None, f"names a stop that is not in 1..{size}"
    required = instance.own_constraints.required
    groups = [stops for _, stops in stop_groups(instance) if required[stops[0] - 1]]
    if left_out := sum(served.isdisjoint(stops) for stops in groups):
        return None, f"required customers left out: {left_out}"
    try:
        answer = planned(instance, Plan([route for route in routes if route.stops]), ())
    except RuntimeError as error:  # what is a bug of our own may be a rival's rounding
        return None, str(error).removeprefix(f"{instance.name}: ")
    return float(cast(float, answer.cost)), None
