"""From routes to an answer that passed its check, or the reason why there is none."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from vrpcore.cost.no_road import Legs
from vrpcore.cost.route_schedule import Schedule, whole_cost
from vrpcore.cost.tour_routes import route_costs
from vrpcore.cost.uneven_work import uneven_work_cost
from vrpcore.cost.vehicle_bound import fewest_vehicles
from vrpcore.errors import (
    InstanceError,
    MissingSearchError,
    internal_words,
    is_internal,
    log_internal,
)
from vrpcore.instance.division import visits_of
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.matching import kept_stops
from vrpcore.instance.plan import Plan, Route
from vrpcore.instance.service_unit import Unit, units_of
from vrpcore.instance.solution import (
    INTERNAL,
    RouteReport,
    Solution,
    Status,
    Unserved,
)
from vrpcore.referee.loads import Carried
from vrpcore.referee.reasons import Reasons, too_few_vehicles
from vrpcore.referee.referee import FROZEN_BREAKS_LIMIT, check_solution
from vrpcore.solve.standing_relations import StandingRelations

if TYPE_CHECKING:
    from vrpcore.replan.going_on import AnswerTimes

INTERRUPTED = "INTERRUPTED"
_MOST_NAMED = 5  # of limits that what is frozen breaks


def refused(instance: InvalidInstance) -> Solution:
    """The answer to what could not be understood."""
    return Solution(name=instance.name, status="invalid", code=instance.code, error=instance.error)


def failed(name: str, error: BaseException) -> Solution:
    """The answer to an instance of which an internal error left nothing.

    Args:
        name: Of the instance.
        error: The bug.
    """
    words = internal_words(error, name)
    return Solution(name=name, status="invalid", code=INTERNAL, error=words)


def interrupted(instance: Instance) -> Solution:
    """The answer to an instance of which nothing was found before the call was interrupted."""
    words = "the call was interrupted before anything was found; solve it again"
    return Solution(name=instance.name, status="partial", code=INTERRUPTED, error=words)


def is_unfinished(solution: Solution) -> bool:
    """Return whether the call was interrupted before the answer was finished."""
    return INTERRUPTED in (solution.code, *solution.warnings)


def answer_text(write: Callable[[Solution], str], solution: Solution) -> tuple[str, Solution]:
    """The text of an answer, and the answer: an `invalid` one where it cannot be written.

    That says what the form has no place for, or, after a bug, what `failed` does.

    Args:
        write: Returns the text.
        solution: The answer.

    Raises:
        VrpError: It concerns all answers, such as a file that cannot be written.
    """
    try:
        return write(solution), solution
    except InstanceError as error:
        words = str(error)
        left = Solution(name=solution.name, status="invalid", code=error.code, error=words)
    except Exception as error:
        if not is_internal(error):
            raise
        log_internal(error)
        left = failed(solution.name, error)
    return write(left), left


def unsearchable(instance: Instance) -> Solution:
    """The answer to an instance that no policy constructs where no search was compiled."""
    plain = f"{instance.num_customers} customers"
    what = plain if instance.constraints is None else "depots, vehicles, times and shipments"
    error = (
        f"{what} need the compiled search, which was not built when vrp was installed; "
        "vrp doctor says how to get it"
    )
    code = MissingSearchError.default_code
    return Solution(name=instance.name, status="invalid", code=code, error=error)


def settled(instance: Instance) -> Solution | None:
    """The answer where none has to be searched: no customers, or proved infeasible."""
    if instance.num_customers == 0:
        uneven = instance.constraints is not None and instance.constraints.balance is not None
        cost, balance = _own_number(instance, 0.0), 0.0 if uneven else None
        return Solution(name=instance.name, status="solved", cost=cost, balance=balance)
    if instance.max_vehicles is None or instance.constraints is not None:
        return None  # with constraints, `planned` finds out who cannot be served
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


def solved(instance: Instance, plan: Plan, warnings: Sequence[str]) -> Solution:
    """The solution of a plan, costed in float64 and checked a second time.

    Args:
        instance: The instance.
        plan: Its routes.
        warnings: Codes that go with it.

    Raises:
        RuntimeError: The check fails: a bug, so that a wrong answer never leaves.
    """
    lengths = route_costs(instance, [route.stops for route in plan.routes])
    costs = [_own_number(instance, length) for length in lengths]
    finished = [
        RouteReport(
            customers=tuple(instance.ids[stop - 1] for stop in route.stops),
            load=instance.load(route.stops),
            cost=cost,
        )
        for route, cost in zip(plan.routes, costs, strict=True)
    ]
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


def planned(
    instance: Instance, plan: Plan, warnings: Sequence[str], known: Plan | None = None
) -> Solution:
    """The answer of a plan to an instance with constraints, checked by the referee.

    It is `solved` where every required stop is served. Else it is `infeasible` where no vehicle
    can serve one of them, or all vehicles together are too few for the loads; and `partial` where
    nothing proves that.

    Args:
        instance: With constraints.
        plan: As the search found it.
        warnings: Codes that go with it.
        known: The plan that was to be kept; None: there was none.

    Returns:
        With a warning that says what frozen parts of routes break, where they do.

    Raises:
        RuntimeError: The check fails: a bug, so that a wrong answer never leaves.
    """
    solution = stated(instance, plan, warnings, known)
    result = check_solution(instance, solution, known)
    if not result.ok and plan.freeze is not None and _only_left_break(plan, result.problems):
        broken = f"{FROZEN_BREAKS_LIMIT}: {'; '.join(result.problems[:_MOST_NAMED])}"
        solution = replace(solution, warnings=(*warnings, broken))
        result = check_solution(instance, solution, known)
    if not result.ok:
        raise RuntimeError(f"{instance.name}: the answer fails its check: {result.problems}")
    return solution


def _only_left_break(plan: Plan, problems: Sequence[str]) -> bool:
    """Return whether no problem is of a route that begins after the freeze."""
    fresh = tuple(f"routes[{row}]" for row, own in enumerate(plan.started) if own is None)
    return not any(problem.startswith(fresh) for problem in problems)


def stated(
    instance: Instance, plan: Plan, warnings: Sequence[str], known: Plan | None = None
) -> Solution:
    """The answer that `planned` checks: routes with times and costs, reasons of who is unserved.

    Args:
        instance: See `planned`.
        plan: Each of its routes can keep its windows.
        warnings: See `planned`.
        known: The same.

    Raises:
        RuntimeError: A route does not meet all windows.
    """
    from vrpcore.replan.going_on import AnswerTimes

    whole = instance
    if whole.own_constraints.split is not None:
        instance, plan = visits_of(whole, plan)
    times, routes = AnswerTimes(instance, plan), plan.routes
    schedules = [_schedule(instance, times, row, route) for row, route in enumerate(routes)]
    timed = enumerate(zip(routes, schedules, strict=True))
    finished = [times.report(row, route, found) for row, (route, found) in timed]
    served = {stop for route in routes for stop in route.stops}
    left_out = [unit for unit in units_of(instance) if served.isdisjoint(unit.stops)]
    legs = Legs(instance)
    begun = enumerate(zip(routes, plan.each_started, strict=True))
    carried = Carried(instance, plan.freeze, dict(begun))
    reasons = Reasons(instance, legs, carried)
    standing = StandingRelations(instance, times, routes)
    unserved = tuple(_unserved(unit, reasons, standing) for unit in left_out)
    balance = uneven_work_cost(instance.own_constraints, routes, schedules)
    prizes = [unit.prize for unit in left_out if not math.isinf(unit.prize)]
    costs = [float(route.cost) for route in finished]
    cost = math.fsum([*costs, *prizes, balance or 0.0])
    status, code, error = _status(whole, unserved, left_out, reasons)
    kept, moved = (None, None) if known is None else kept_stops(routes, known.routes)
    constraints = instance.own_constraints
    return Solution(
        name=instance.name,
        status=status,
        cost=whole_cost(instance, cost),
        routes=tuple(finished),
        warnings=tuple(warnings),
        code=code,
        error=error,
        unserved=unserved,
        balance=balance,
        kept=kept,
        moved=moved,
        freeze=plan.freeze,
        goods="any" if plan.freeze is not None and constraints.goods == "any" else None,
    )


def _schedule(instance: Instance, times: "AnswerTimes", row: int, route: Route) -> Schedule:
    found = times.schedule(row, route)
    if found is None:
        stops = [instance.ids[stop - 1] for stop in route.stops]
        raise RuntimeError(f"{instance.name}: the route {stops} does not meet all windows")
    return found


def _unserved(unit: Unit, reasons: Reasons, standing: StandingRelations) -> Unserved:
    """The reason of a unit; where it could be served by itself, which relation forbids it."""
    item = reasons.why(unit)
    if item.reason in ("FLEET", "PRIZE") and (way := standing.of(unit)) is not None:
        item = replace(item, detail=f"{item.detail}; {way} stands in the way")
    return item


def _status(
    instance: Instance, unserved: Sequence[Unserved], left_out: Sequence[Unit], reasons: Reasons
) -> tuple[Status, str | None, str | None]:
    """Status, code and reason in words; `left_out` are those who are unserved."""
    missing = [
        (item, unit)
        for item, unit in zip(unserved, left_out, strict=True)
        if math.isinf(unit.prize)
    ]
    if not missing:
        return "solved", None, None
    if (proof := too_few_vehicles(instance)) is not None:
        return "infeasible", "TOO_FEW_VEHICLES", proof
    alone = (
        item
        for item, unit in missing
        if item.reason not in ("LOADED", "FLEET", "PRIZE") and reasons.nobody_can_serve(unit)
    )
    if (first := next(alone, None)) is not None:
        error = f"{first.id}: no vehicle can serve it: {first.detail}"
        return "infeasible", first.reason, error
    error = f"required customers not served: {len(missing)}; 'unserved' lists them"
    return "partial", "UNSERVED", error


def not_found(instance: Instance, warnings: Sequence[str], *, searched: bool) -> Solution:
    """The answer where all routes found are more than `max_vehicles`.

    Args:
        instance: The instance.
        warnings: Codes that go with it.
        searched: False where only the policy was asked.
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


def rank_of(
    instance: Instance, plan: Plan, *, fewest_vehicles: bool = False
) -> tuple[bool, int, float]:
    """Sorts solutions of one instance: within the fleet first, then the cheapest in float64.

    Args:
        instance: Without constraints.
        plan: Its routes.
        fewest_vehicles: Within the fleet, the number of routes comes before the cost.
    """
    most = instance.max_vehicles or instance.num_customers
    cost = math.fsum(route_costs(instance, [route.stops for route in plan.routes]))
    count = plan.num_vehicles
    return count > most, count if fewest_vehicles else 0, cost


def _own_number(instance: Instance, cost: float) -> float:
    return int(cost) if instance.integer_cost else cost
