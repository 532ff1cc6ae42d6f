"""From routes to an answer that passed its check, or the reason why there is none."""

import math
from collections.abc import Sequence

from vrpcore.cost.check import check_solution
from vrpcore.cost.fleet import fewest_vehicles
from vrpcore.cost.routes import route_cost
from vrpcore.improve.savings import Routes
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.solution import Route, Solution


def refused(instance: InvalidInstance) -> Solution:
    """The answer to what could not be understood."""
    return Solution(name=instance.name, status="invalid", code=instance.code, error=instance.error)


def settled(instance: Instance) -> Solution | None:
    """The answer where none has to be searched: no customers, or proved infeasible."""
    if instance.num_customers == 0:
        return Solution(name=instance.name, status="solved", cost=_own_number(instance, 0.0))
    if instance.max_vehicles is None:
        return None
    needed = fewest_vehicles(instance)
    if needed <= instance.max_vehicles:
        return None
    return Solution(
        name=instance.name,
        status="infeasible",
        code="TOO_FEW_VEHICLES",
        error=(
            f"max_vehicles: {instance.max_vehicles}, but at least {needed} vehicles of capacity "
            f"{instance.capacity:g} are needed for these demands"
        ),
    )


def solved(instance: Instance, routes: Routes, warnings: Sequence[str]) -> Solution:
    """The solution of these routes, costed in float64 and checked a second time.

    Args:
        instance: The instance.
        routes: Customers 1..N.
        warnings: Codes that go with it.

    Raises:
        RuntimeError: The check fails: a bug, so that a wrong answer never leaves.
    """
    finished = [
        Route(
            customers=tuple(instance.ids[customer - 1] for customer in route),
            load=instance.load(tuple(route)),
            cost=_own_number(instance, route_cost(instance, route)),
        )
        for route in routes
    ]
    costs = [route.cost for route in finished]
    solution = Solution(
        name=instance.name,
        status="solved",
        cost=sum(costs) if instance.integer_cost else math.fsum(costs),
        routes=tuple(finished),
        warnings=tuple(warnings),
    )
    result = check_solution(instance, solution)
    if not result.ok:
        raise RuntimeError(f"{instance.name}: the answer fails its check: {result.problems}")
    return solution


def not_found(instance: Instance, warnings: Sequence[str], *, searched: bool) -> Solution:
    """The answer where all routes found are more than `max_vehicles`.

    Args:
        instance: The instance.
        warnings: Codes that go with it.
        searched: False where the policy alone was asked.
    """
    return Solution(
        name=instance.name,
        status="partial",
        code="TOO_MANY_ROUTES",
        error=(
            f"max_vehicles: no solution with at most {instance.max_vehicles} routes was found"
            + ("" if searched else "; try --improve fast")
        ),
        warnings=tuple(warnings),
    )


def rank_of(instance: Instance, routes: Routes) -> tuple[bool, float]:
    """Sorts solutions of one instance: within the fleet first, then the cheapest in float64."""
    most = instance.max_vehicles or instance.num_customers
    return len(routes) > most, math.fsum(route_cost(instance, route) for route in routes)


def _own_number(instance: Instance, cost: float) -> float:
    return int(cost) if instance.integer_cost else cost
