"""The referee: feasibility and cost of a solution, computed a second time.

Deliberately naive, plain loops with `math` that share no line with the fast cost code,
so that an error there cannot confirm itself here.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from vrpcore.cost.no_road import Legs
from vrpcore.cost.vehicle_bound import fewest_vehicles
from vrpcore.errors import describe
from vrpcore.instance.instance import LOAD_TOLERANCE, CustomerId, Instance, with_constraints
from vrpcore.instance.plan import Plan, Route
from vrpcore.instance.service_unit import Unit, stop_groups, units_of
from vrpcore.instance.solution import Load, RouteReport, Solution
from vrpcore.referee.costs import Cost, is_close, path_length, price_of_uneven
from vrpcore.referee.journey import time_tolerance
from vrpcore.referee.loads import Carried
from vrpcore.referee.parts import visits_of_parts
from vrpcore.referee.reasons import Reasons, too_few_vehicles
from vrpcore.referee.stated import RouteCheck, View
from vrpcore.referee.visits import Permits, broken_shipments, broken_ties, unfit_counts, visits_of

# How a warning begins that frozen parts of routes break limits, as they may then.
FROZEN_BREAKS_LIMIT = "FROZEN_BREAKS_LIMIT"
_UNPROVED = "status: infeasible, but nothing proves it; expected partial"
_EXACT_INTEGER = 2**53
_MAX_PROBLEMS = 20


class CheckResult(NamedTuple):
    """The referee's verdict.

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
        cost, problems = check_constraints(instance, solution, known)
    elif is_claim:
        most = instance.max_vehicles
        proved = most is not None and fewest_vehicles(instance) > most
        cost, problems = None, [] if proved else [_UNPROVED]
    elif solution.status != "solved":
        cost, problems = None, [f"status is {solution.status}, there is no solution"]
    else:
        cost, problems = _check_plain(instance, solution, known)
    if len(problems) > _MAX_PROBLEMS:
        problems[_MAX_PROBLEMS:] = [f"and {len(problems) - _MAX_PROBLEMS} more problems"]
    return CheckResult(not problems, cost, tuple(problems))


def _check_plain(
    instance: Instance, solution: Solution, known: Plan | None
) -> tuple[float | None, list[str]]:
    """Cost of a solved plain instance, and what is wrong in words."""
    routes, visits, problems = visits_of(instance, solution)
    problems += [
        f"routes: customer {describe(identifier)} is not visited"
        for stop, identifier in enumerate(instance.ids, start=1)
        if stop not in visits
    ]
    cost: float | None = 0
    slack = 0.0
    for index, (stops, route) in enumerate(zip(routes, solution.routes, strict=True)):
        load = math.fsum(instance.demand[list(stops)].tolist())
        problems += _load_problems(instance, load, route.load, f"routes[{index}]")
        if len(stops) < len(route.customers):
            cost = None
            continue
        own, own_slack = path_length(instance, [0, *stops, 0] if stops else [])
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
        problems += unfit_counts(known, [Route(0, stops) for stops in routes], solution)
    return cost, problems


def _load_problems(instance: Instance, load: float, stated: Load, place: str) -> Iterator[str]:
    if load > instance.capacity * (1 + LOAD_TOLERANCE):
        yield f"{place}: a load of {load} exceeds capacity {instance.capacity}"
    if isinstance(stated, tuple):
        yield f"{place}.load: a list of {len(stated)}, expected {load}"
    elif not math.isnan(stated) and not is_close(stated, load, 0.0):
        yield f"{place}.load: {stated}, expected {load}"


def _cost_problems(cost: float, stated: float, slack: float, place: str) -> Iterator[str]:
    if isinstance(cost, int) and cost < _EXACT_INTEGER:
        right = stated == cost
    else:
        right = is_close(stated, cost, slack)
    if not right:
        yield f"{place}: {stated}, expected {cost}"


def check_constraints(
    instance: Instance, solution: Solution, known: Plan | None = None
) -> tuple[float | None, list[str]]:
    """Checks an answer with routes against an instance with constraints.

    Everybody is served once or listed as unserved once, and who must be is not left out of a
    solved answer; of a group one member is served, or the group is left out; shipments are
    picked up before they are delivered, by the same vehicle in the same trip; relations hold;
    loads, times, distances, stops, skills and numbers of vehicles are within their limits; a
    vehicle leaves so that its cost is least, then its duration, and among such times earliest;
    every stated number is the recomputed one. Routes from a `.sol` state none, and no stop as
    unserved.

    Args:
        instance: The problem, with constraints.
        solution: Solved, partial or infeasible.
        known: The plan that was to be kept; None: there was none, or it is not known.

    Returns:
        The recomputed cost, None where it cannot be known, and what is wrong in words.
    """
    if solution.goods is not None:
        stated = replace(instance.own_constraints, goods=solution.goods)
        instance = replace(instance, constraints=stated)
    return _Referee(instance, solution).verdict(known)


def forgives(solution: Solution) -> bool:
    """Return whether an answer says that frozen parts break limits."""
    return any(each.startswith(FROZEN_BREAKS_LIMIT) for each in solution.warnings)


def untimed(solution: Solution) -> Solution:
    """An answer without its times; where it says that frozen parts break limits, all may be so."""
    solution = solution.planned()
    if not forgives(solution):
        return solution
    routes = (
        replace(
            route, schedule=route.schedule and replace(route.schedule, frozen=len(route.customers))
        )
        for route in solution.routes
    )
    return replace(solution, routes=tuple(routes))


class _Referee:
    """The check of one answer to an instance with constraints."""

    def __init__(self, instance: Instance, solution: Solution) -> None:
        self._whole, self._solution = instance, solution
        if instance.own_constraints.split is None:
            found = visits_of(instance, solution)
        else:
            instance, found = visits_of_parts(instance, solution)
        self._stops, self._visits, self._problems = found
        self._instance, self._constraints = instance, instance.own_constraints
        self._types = {each.id: index for index, each in enumerate(self._constraints.vehicles)}
        self._units = {unit.id: unit for unit in units_of(instance)}

    def verdict(self, known: Plan | None) -> tuple[float | None, list[str]]:
        """Cost, and what is wrong in words."""
        instance, solution = self._instance, self._solution
        stops, problems = self._stops, self._problems
        is_forgiven = forgives(solution)
        view = View(
            instance, time_tolerance(instance), Permits(instance), is_forgiven, solution.freeze
        )
        costs: list[Cost | None] = []
        checks: dict[int, RouteCheck] = {}
        for row, (served, report) in enumerate(zip(stops, solution.routes, strict=True)):
            if not report.customers:
                continue
            vehicle, wrong = self._vehicle_of(row, report)
            problems += wrong
            if vehicle is None or len(served) < len(report.customers):
                costs.append(None)
                continue
            checks[row] = check = RouteCheck(view, row, report, Route(vehicle, served))
            problems += check.problems
            costs.append(check.cost)
        routes = [check.route for check in checks.values()]
        problems += self._fleet(Counter(route.vehicle for route in routes))
        problems += broken_shipments(instance, self._visits)
        problems += broken_ties(instance, solution, self._visits, forgives=is_forgiven)
        begun = {row: (check.route, check.started) for row, check in checks.items()}
        goods = Carried(instance, solution.freeze, begun)
        problems += goods.problems()
        problems += self._unserved(Reasons(instance, Legs(instance), goods))
        if known is not None:
            problems += unfit_counts(known, routes, solution)
        if None in costs:
            return None, problems
        total, wrong = self._total([cost for cost in costs if cost is not None])
        return total, problems + wrong

    def _vehicle_of(self, row: int, route: RouteReport) -> tuple[int | None, list[str]]:
        """Index of a route's type; None, and what is wrong, where it is not stated or unknown."""
        stated = None if route.schedule is None else route.schedule.vehicle
        if stated is None and len(self._types) == 1:
            return 0, []
        if stated in self._types:
            return self._types[stated], []
        found = "missing" if stated is None else f"{describe(stated)} is no type of the instance"
        shown = ", ".join(list(self._types)[:8])
        return None, [f"routes[{row}].vehicle: {found}, expected one of {shown}"]

    def _fleet(self, used: Counter[int]) -> Iterator[str]:
        """Vehicle types of which too many are used, and a freeze that is not stated."""
        schedules = [report.schedule for report in self._solution.routes]
        frozen = any(each and each.frozen is not None and each.begins for each in schedules)
        if frozen and self._solution.freeze is None:
            yield "freeze: missing, though routes state how much of them is frozen"
        for index, vehicle in enumerate(self._constraints.vehicles):
            number, count = used[index], vehicle.count
            if count is not None and number > count:
                listed = self._constraints.listed_vehicles
                kind = f"of type {describe(vehicle.id)} " if listed else ""
                yield f"routes: {number} vehicles {kind}are used, there are {count}"

    def _unserved(self, reasons: Reasons) -> Iterator[str]:
        """Units that are listed as unserved and should not be, or with a wrong reason."""
        listed: dict[CustomerId, int] = {}
        for row, item in enumerate(self._solution.unserved):
            where, shown = f"unserved[{row}]", describe(item.id)
            if item.id not in self._units:
                yield f"{where}: {shown} is {self._no_unit(item.id)}"
            elif item.id in listed:
                yield f"{where}: {shown} is reported twice"
            else:
                listed[item.id] = row
                expected = reasons.fitting(self._units[item.id])
                if self._solution.kind is not None and expected & {"FLEET", "PRIZE"}:
                    expected |= {"LOADED"}  # CSV and VROOM's answers state no freeze
                if item.reason not in expected:
                    known = " or ".join(sorted(expected))
                    yield f"{where}.reason: {item.reason}, expected {known}"
        yield from self._silent(listed)
        yield from self._status(reasons)

    def _no_unit(self, identifier: CustomerId) -> str:
        """The thing that is reported in place of a unit, in words."""
        members = {stop: group.id for group in self._constraints.groups for stop in group.members}
        for name, stops in stop_groups(self._instance):
            if name == identifier and stops[0] in members:
                return f"a member of group {describe(members[stops[0]])}, expected that id"
        return "no customer, shipment or group" if members else "no customer or shipment"

    def _silent(self, listed: dict[CustomerId, int]) -> Iterator[str]:
        """Units that are served and listed, or neither; one that must be served and is not."""
        solution = self._solution
        states_none = bool(solution.routes) and not solution.unserved
        states_none = states_none and not any(route.states_load for route in solution.routes)
        groups = {group.id for group in self._constraints.groups}
        for name, unit in self._units.items():
            shown = describe(name)
            if self._serves(unit):
                if name in listed:
                    yield f"unserved[{listed[name]}]: {shown} is served"
            elif math.isinf(unit.prize) and solution.status == "solved":
                kind = "group" if name in groups else "customer"
                yield f"routes: {kind} {shown} is required and not served"
            elif name not in listed and not states_none:
                yield f"unserved: {shown} is not served and not reported"

    def _status(self, reasons: Reasons) -> Iterator[str]:
        """Report a wrong status."""
        status, units = self._solution.status, self._units.values()
        missing = [unit for unit in units if math.isinf(unit.prize) and not self._serves(unit)]
        if status != "solved" and not missing:
            yield f"status: {status}, but all required customers are served"
        elif (
            status == "infeasible"
            and too_few_vehicles(self._whole) is None
            and not any(map(reasons.nobody_can_serve, missing))
        ):
            yield _UNPROVED

    def _serves(self, unit: Unit) -> bool:
        return any(stop in self._visits for stop in unit.stops)

    def _total(self, costs: Sequence[Cost]) -> tuple[float, list[str]]:
        """The cost of the answer, and what is wrong with stated sums in words."""
        values, slack = [cost.value for cost in costs], sum(cost.slack for cost in costs)
        left_out = [unit.prize for unit in self._units.values() if not self._serves(unit)]
        values += [prize for prize in left_out if not math.isinf(prize)]
        problems = list[str]()
        if self._constraints.balance is not None:
            balance, off = price_of_uneven(self._constraints.balance, costs)
            problems += self._balance(balance, off)
            values.append(balance)
            slack += off
        total, stated = math.fsum(values), self._solution.cost
        slack += self._solution.cost_slack
        if stated is not None and not is_close(stated, total, slack):
            problems.append(f"cost: {stated}, expected {total}")
        return total, problems

    def _balance(self, balance: float, slack: float) -> Iterator[str]:
        """Report a balance that is wrong, or missing where times are stated."""
        stated = self._solution.balance
        if stated is None:
            schedules = [route.schedule for route in self._solution.routes]
            if any(each is not None and each.begins is not None for each in schedules):
                yield f"balance: missing, expected {balance}"
        elif not is_close(stated, balance, slack):
            yield f"balance: {stated}, expected {balance}"
