"""The referee: feasibility and cost of a solution, computed a second time.

Deliberately naive, plain loops with `math` that share no line with the fast cost code,
so that an error there cannot confirm itself here.
"""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from vrpcore.errors import describe
from vrpcore.instance.instance import EARTH_RADIUS_M, LOAD_TOLERANCE, Instance
from vrpcore.instance.solution import Solution

COST_TOLERANCE = 1e-9  # relative
_EXACT_INTEGER = 2**53
_MAX_PROBLEMS = 20
_NEARLY_ANTIPODAL = 1 - 1e-10
_ANTIPODAL_SLACK_M = 0.3  # there the haversine formula keeps half of float64's digits only


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What the referee found.

    Attributes:
        ok: True where nothing is wrong.
        cost: The recomputed cost in the instance's unit, an int where the metric gives
            whole numbers; None where the routes name customers that do not exist.
        problems: What is wrong, in words; at most 20 and a count of the others.
    """

    ok: bool
    cost: float | None
    problems: tuple[str, ...]


def check_solution(instance: Instance, solution: Solution) -> CheckResult:
    """Checks a solution against its instance.

    Every customer exactly once, known ids, loads within the capacity, no more routes
    than vehicles, and every stated load and cost equal to the recomputed one within
    1e-9 (whole costs exactly). A route's load or cost that is NaN was not stated, and a
    total that is None neither; empty routes use no vehicle.

    Args:
        instance: The problem.
        solution: Its answer; only `solved` can be right.

    Returns:
        The verdict; nothing is raised for a wrong solution.
    """
    if solution.status != "solved":
        return CheckResult(False, None, (f"status is {solution.status}, there is no solution",))
    numbers = {identifier: place for place, identifier in enumerate(instance.ids, start=1)}
    problems = list(_visit_problems(instance, solution, numbers))
    cost: float | None = 0
    slack = 0.0
    for place, route in enumerate(solution.routes):
        nodes = [numbers[item] for item in route.customers if item in numbers]
        load = math.fsum(float(instance.demand[node]) for node in nodes)
        problems += _load_problems(instance, load, route.load, f"routes[{place}]")
        if len(nodes) < len(route.customers):
            cost = None
            continue
        own, own_slack = _route_cost(instance, nodes)
        slack += own_slack
        if not math.isnan(route.cost):
            problems += _cost_problems(own, route.cost, own_slack, f"routes[{place}].cost")
        cost = None if cost is None else cost + own
    if cost is not None and solution.cost is not None:
        problems += _cost_problems(cost, solution.cost, slack, "cost")
    used = sum(1 for route in solution.routes if route.customers)
    if instance.max_vehicles is not None and used > instance.max_vehicles:
        problems.append(
            f"routes: {used} vehicles are used, max_vehicles is {instance.max_vehicles}"
        )
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


def _load_problems(instance: Instance, load: float, stated: float, place: str) -> Iterator[str]:
    if load > instance.capacity * (1 + LOAD_TOLERANCE):
        yield f"{place}: a load of {load} exceeds capacity {instance.capacity}"
    if not math.isnan(stated) and not math.isclose(stated, load, rel_tol=COST_TOLERANCE):
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
        if instance.distances is not None:
            cost += float(instance.distances[start, end])
        elif instance.metric == "haversine":
            arc, nearly_antipodal = _arc(instance, start, end)
            cost += arc
            slack += _ANTIPODAL_SLACK_M * nearly_antipodal
        else:
            cost += _planar(instance, start, end)
    return cost, slack


def _planar(instance: Instance, start: int, end: int) -> float:
    (x, y), (other_x, other_y) = _point(instance, start), _point(instance, end)
    across, along = x - other_x, y - other_y
    if instance.metric == "euclidean":
        return math.hypot(across, along)
    exact = math.sqrt(across * across + along * along)
    return int(exact + 0.5) if instance.metric == "euc_2d" else math.ceil(exact)


def _arc(instance: Instance, start: int, end: int) -> tuple[float, bool]:
    """Metres along the sphere, and whether the two points are nearly opposite."""
    (longitude, latitude), (other_longitude, other_latitude) = (
        _point(instance, start),
        _point(instance, end),
    )
    north = math.sin(math.radians(latitude - other_latitude) / 2)
    east = math.sin(math.radians(longitude - other_longitude) / 2)
    shrink = math.cos(math.radians(latitude)) * math.cos(math.radians(other_latitude))
    half = min(1.0, max(0.0, north * north + shrink * east * east))
    return 2 * EARTH_RADIUS_M * math.asin(math.sqrt(half)), half > _NEARLY_ANTIPODAL


def _point(instance: Instance, node: int) -> tuple[float, float]:
    if instance.coords is None:
        raise ValueError(f"{instance.name}: neither coords nor distances")
    return float(instance.coords[node, 0]), float(instance.coords[node, 1])
