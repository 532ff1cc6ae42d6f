"""The referee: feasibility and cost of a solution, computed a second time.

Deliberately naive, plain loops with `math` that share no line with the fast cost code,
so that an error there cannot confirm itself here.
"""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from vrpcore.cost.vehicle_bound import fewest_vehicles
from vrpcore.errors import describe
from vrpcore.instance.instance import LOAD_TOLERANCE, Instance, with_constraints
from vrpcore.instance.plan import Plan, Route
from vrpcore.instance.solution import Load, Solution
from vrpcore.referee.constrained_plan import UNPROVED, check_constraints
from vrpcore.referee.kept_stops import unfit_counts
from vrpcore.referee.single_legs import leg_length

COST_TOLERANCE = 1e-9  # relative
_EXACT_INTEGER = 2**53
_MAX_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What the referee found.

    Attributes:
        ok: True where nothing is wrong.
        cost: The recomputed cost in the instance's unit, an int where the metric gives
            whole numbers; None where the routes name customers that do not exist, or
            are late and state no times, as they may where frozen parts break limits.
        problems: What is wrong, in words; at most 20 and a count of the others.
    """

    ok: bool
    cost: float | None
    problems: tuple[str, ...]


def check_solution(
    instance: Instance, solution: Solution, known: Plan | None = None
) -> CheckResult:
    """Checks a solution against its instance.

    Every customer exactly once, known ids, loads within the capacity, no more routes
    than vehicles, and every stated load and cost equal to the recomputed one within
    1e-9, the total also within the solution's `cost_slack` (whole costs exactly). A route's
    load or cost that is NaN was not stated, and a total that is None neither; empty routes
    use no vehicle. What an instance with
    constraints asks for beyond that is in `check_constraints`.

    Args:
        instance: The problem.
        solution: Its answer; of a plain instance only `solved` can be right, and `infeasible`
            where too few vehicles prove it, of others any that has routes.
        known: The plan that was to be kept; None: there was none, or it is not known.

    Returns:
        The verdict; nothing is raised for a wrong solution.
    """
    if instance.constraints is None and solution.freeze is not None:
        instance = with_constraints(instance)
    is_claim = solution.status == "infeasible"  # by what is served, or by a proof
    if instance.constraints is not None and (solution.has_routes or is_claim):
        return _verdict(*check_constraints(instance, solution, known))
    if is_claim:
        most = instance.max_vehicles
        proved = most is not None and fewest_vehicles(instance) > most
        return CheckResult(proved, None, () if proved else (UNPROVED,))
    if solution.status != "solved":
        return CheckResult(False, None, (f"status is {solution.status}, there is no solution",))
    numbers = {identifier: number for number, identifier in enumerate(instance.ids, start=1)}
    problems = list(_visit_problems(instance, solution, numbers))
    cost: float | None = 0
    slack = 0.0
    routes = []
    for index, route in enumerate(solution.routes):
        nodes = [numbers[item] for item in route.customers if item in numbers]
        routes.append(Route(0, tuple(nodes)))
        load = math.fsum(float(instance.demand[node]) for node in nodes)
        problems += _load_problems(instance, load, route.load, f"routes[{index}]")
        if len(nodes) < len(route.customers):
            cost = None
            continue
        own, own_slack = _route_cost(instance, nodes)
        slack += own_slack
        if not math.isnan(route.cost):
            problems += _cost_problems(own, route.cost, own_slack, f"routes[{index}].cost")
        cost = None if cost is None else cost + own
    if cost is not None and solution.cost is not None:
        problems += _cost_problems(cost, solution.cost, slack + solution.cost_slack, "cost")
    used = sum(1 for route in solution.routes if route.customers)
    if instance.max_vehicles is not None and used > instance.max_vehicles:
        problems.append(
            f"routes: {used} vehicles are used, max_vehicles is {instance.max_vehicles}"
        )
    if known is not None:
        problems += unfit_counts(known, routes, solution)
    return _verdict(cost, problems)


def _verdict(cost: float | None, problems: list[str]) -> CheckResult:
    ok = not problems
    if len(problems) > _MAX_PROBLEMS:
        problems[_MAX_PROBLEMS:] = [f"and {len(problems) - _MAX_PROBLEMS} more problems"]
    return CheckResult(ok, cost, tuple(problems))


def _visit_problems(
    instance: Instance, solution: Solution, numbers: dict[str | int, int]
) -> Iterator[str]:
    """Customers that are unknown, visited twice or never."""
    visited: set[str | int] = set()
    for row, route in enumerate(solution.routes):
        for column, identifier in enumerate(route.customers):
            where = f"routes[{row}].customers[{column}]"
            if identifier not in numbers:
                yield f"{where}: {describe(identifier)} is not a customer of the instance"
            elif identifier in visited:
                yield f"{where}: customer {describe(identifier)} is visited twice"
            visited.add(identifier)
    for identifier in instance.ids:
        if identifier not in visited:
            yield f"routes: customer {describe(identifier)} is not visited"


def _load_problems(instance: Instance, load: float, stated: Load, place: str) -> Iterator[str]:
    if load > instance.capacity * (1 + LOAD_TOLERANCE):
        yield f"{place}: a load of {load} exceeds capacity {instance.capacity}"
    if isinstance(stated, tuple):
        yield f"{place}.load: a list of {len(stated)}, expected {load}"
    elif not math.isnan(stated) and not math.isclose(stated, load, rel_tol=COST_TOLERANCE):
        yield f"{place}.load: {stated}, expected {load}"


def _cost_problems(cost: float, stated: float, slack: float, place: str) -> Iterator[str]:
    if isinstance(cost, int) and cost < _EXACT_INTEGER:
        right = stated == cost
    else:
        right = math.isclose(stated, cost, rel_tol=COST_TOLERANCE, abs_tol=slack)
    if not right:
        yield f"{place}: {stated}, expected {cost}"


def _route_cost(instance: Instance, nodes: list[int]) -> tuple[float, float]:
    """Length of depot - nodes - depot, and how far off rounding may have put it."""
    cost: float = 0
    slack = 0.0
    stops = [0, *nodes, 0] if nodes else []
    for start, end in itertools.pairwise(stops):
        own, own_slack = leg_length(instance, start, end)
        cost += own
        slack += own_slack
    return cost, slack
