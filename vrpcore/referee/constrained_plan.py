"""The referee for instances with constraints: every limit, and every number that is stated."""

import math
from collections.abc import Sequence
from dataclasses import replace

from vrpcore.cost.no_road import Legs
from vrpcore.errors import describe
from vrpcore.instance.instance import CustomerId, Instance
from vrpcore.instance.plan import Plan, Route
from vrpcore.instance.solution import RouteReport, Solution
from vrpcore.referee.even_work import price_of_uneven
from vrpcore.referee.fleet_room import too_few_vehicles
from vrpcore.referee.kept_stops import unfit_counts
from vrpcore.referee.permits import Permits
from vrpcore.referee.proofs import Proofs
from vrpcore.referee.reasons import unit_reasons
from vrpcore.referee.route_limits import time_tolerance
from vrpcore.referee.served_units import Unit, crowded_groups, unit_name, units_of
from vrpcore.referee.stated_goods import Carried
from vrpcore.referee.stated_loads import is_close
from vrpcore.referee.stated_route import Cost, RouteCheck, View
from vrpcore.referee.tied_stops import broken_relations

# How a warning begins that frozen parts of routes break limits, as they may then.
FROZEN_BREAKS_LIMIT = "FROZEN_BREAKS_LIMIT"
UNPROVED = "status: infeasible, but nothing proves it; expected partial"


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


def untimed(solution: Solution) -> Solution:
    """An answer without its times; where it says that frozen parts break limits, all may be so."""
    solution = solution.planned()
    if not any(each.startswith(FROZEN_BREAKS_LIMIT) for each in solution.warnings):
        return solution
    routes = (
        replace(
            route, schedule=route.schedule and replace(route.schedule, frozen=len(route.customers))
        )
        for route in solution.routes
    )
    return replace(solution, routes=tuple(routes))


class _Referee:
    """Looks at one answer."""

    def __init__(self, instance: Instance, solution: Solution) -> None:
        self._instance, self._solution = instance, solution
        self._constraints = instance.own_constraints
        self._numbers: dict[CustomerId, int] = {}
        for number, identifier in enumerate(instance.ids, start=1):
            self._numbers[identifier] = number
        self._visited: dict[int, tuple[int, int]] = {}  # stop -> route, position
        self._tolerances = time_tolerance(instance)
        self._permits, self._legs = Permits(instance), Legs(instance)
        self._units = {unit.id: unit for unit in units_of(instance)}
        self.problems: list[str] = []
        self._forgives = any(
            each.startswith(FROZEN_BREAKS_LIMIT) for each in self._solution.warnings
        )
        freeze = self._solution.freeze
        self._view = View(
            instance, self._tolerances, self.problems, self._permits, self._forgives, freeze
        )

    def verdict(self, known: Plan | None) -> tuple[float | None, list[str]]:
        costs: list[Cost | None] = []
        routes: dict[int, Route] = {}
        for row, report in enumerate(self._solution.routes):
            stops = self._stops_of(row, report)
            if not report.customers:
                continue
            vehicle = self._vehicle_of(row, report)
            if vehicle is None or len(stops) < len(report.customers):
                costs.append(None)
                continue
            check = RouteCheck(self._view, row, report, Route(vehicle, tuple(stops)))
            routes[row] = check.route
            costs.append(check.cost())
        schedules = [report.schedule for report in self._solution.routes]
        frozen = any(each and each.frozen is not None and each.begins for each in schedules)
        if frozen and self._solution.freeze is None and self._constraints.delivery.any():
            self.problems.append("freeze: missing, though routes state how much of them is frozen")
        self._check_fleet(list(routes.values()))
        self._check_pairs()
        self._check_ties()
        self._check_unserved(Carried(self._instance, self._solution.freeze, routes))
        if known is not None:
            self.problems += unfit_counts(known, list(routes.values()), self._solution)
        return self._check_total(costs), self.problems

    def _stops_of(self, row: int, route: RouteReport) -> list[int]:
        stops = []
        for column, identifier in enumerate(route.customers):
            where = f"routes[{row}].customers[{column}]"
            if identifier not in self._numbers:
                shown = describe(identifier)
                self.problems.append(f"{where}: {shown} is not a customer of the instance")
                continue
            stop = self._numbers[identifier]
            if stop in self._visited:
                shown = describe(identifier)
                self.problems.append(f"{where}: customer {shown} is visited twice")
            self._visited.setdefault(stop, (row, column))
            stops.append(stop)
        return stops

    def _vehicle_of(self, row: int, route: RouteReport) -> int | None:
        """Index of a route's type; None where it is not stated or unknown."""
        vehicles = self._constraints.vehicles
        stated = None if route.schedule is None else route.schedule.vehicle
        if stated is None and len(vehicles) == 1:
            return 0
        for index, vehicle in enumerate(vehicles):
            if vehicle.id == stated:
                return index
        found = "missing" if stated is None else f"{describe(stated)} is no type of the instance"
        shown = ", ".join(vehicle.id for vehicle in vehicles[:8])
        self.problems.append(f"routes[{row}].vehicle: {found}, expected one of {shown}")
        return None

    def _check_fleet(self, routes: Sequence[Route]) -> None:
        used: dict[int, int] = {}
        for route in routes:
            used[route.vehicle] = used.get(route.vehicle, 0) + 1
        for index, number in sorted(used.items()):
            vehicle = self._constraints.vehicles[index]
            if vehicle.count is not None and number > vehicle.count:
                kind = (
                    f"of type {describe(vehicle.id)} " if self._constraints.listed_vehicles else ""
                )
                self.problems.append(
                    f"routes: {number} vehicles {kind}are used, there are {vehicle.count}"
                )

    def _check_pairs(self) -> None:
        for pickup in range(1, self._constraints.num_stops + 1):
            delivery = self._constraints.partner(pickup)
            if delivery is None or delivery < pickup:
                continue
            name = describe(unit_name(self._instance, pickup))
            first, last = self._visited.get(pickup), self._visited.get(delivery)
            if first is None and last is None:
                continue
            if first is None or last is None:
                missing = "picked up" if first is None else "delivered"
                self.problems.append(f"routes: shipment {name} is never {missing}")
            elif first[0] != last[0]:
                self.problems.append(
                    f"routes: shipment {name} is picked up in routes[{first[0]}] and delivered "
                    f"in routes[{last[0]}]"
                )
            elif first[1] > last[1]:
                self.problems.append(
                    f"routes[{first[0]}]: shipment {name} is delivered before it is picked up"
                )

    def _check_ties(self) -> None:
        """Relations, and groups."""
        lengths = {row: len(route.customers) for row, route in enumerate(self._solution.routes)}
        frozen: set[int] = set()
        for stop, (row, position) in self._visited.items():
            schedule = self._solution.routes[row].schedule
            if schedule is None or schedule.frozen is None:
                continue
            # What has been picked up has to be delivered by the same vehicle.
            partner = self._constraints.partner(stop) or stop
            first = min(position, self._visited.get(partner, (row, position))[1])
            if self._forgives and first <= schedule.frozen:
                frozen.add(stop)
        self.problems += broken_relations(self._instance, self._visited, lengths, frozen)
        self.problems += crowded_groups(self._instance, self._visited, frozen)

    def _check_unserved(self, goods: Carried) -> None:
        """Who is listed as unserved, with the reasons, and who delivers what others carry."""
        self.problems += goods.problems()
        listed: dict[CustomerId, int] = {}
        units = self._units
        for row, item in enumerate(self._solution.unserved):
            where, shown = f"unserved[{row}]", describe(item.id)
            if item.id not in units:
                self.problems.append(f"{where}: {shown} is {self._unknown(item.id)}")
            elif item.id in listed:
                self.problems.append(f"{where}: {shown} is reported twice")
            else:
                listed[item.id] = row
                slacks = 0.0, *self._tolerances
                expected = unit_reasons(self._instance, units[item.id], slacks, self._legs, goods)
                if self._solution.kind is not None and expected & {"FLEET", "PRIZE"}:
                    expected |= {"LOADED"}  # CSV and VROOM's answers state no freeze
                if item.reason not in expected:
                    known = " or ".join(sorted(expected))
                    self.problems.append(f"{where}.reason: {item.reason}, expected {known}")
        self._check_everybody(listed)

    def _unknown(self, identifier: CustomerId) -> str:
        """What is reported in place of a unit, in words."""
        for group in self._constraints.groups:
            for stop in group.members:
                if unit_name(self._instance, stop) == identifier:
                    return f"a member of group {describe(group.id)}, expected that id"
        if self._constraints.groups:
            return "no customer, shipment or group"
        return "no customer or shipment"

    def _check_everybody(self, listed: dict[CustomerId, int]) -> None:
        """Each unit is served or listed as unserved; a required one is served if it is solved."""
        solution = self._solution
        silent = not solution.unserved and bool(solution.routes)
        for route in solution.routes:
            silent = silent and not route.states_load
        left_out, proofs = False, Proofs(self._instance, self._legs)
        proved = too_few_vehicles(self._instance) is not None
        for name, unit in self._units.items():
            shown, kind = describe(name), "customer" if unit.group is None else "group"
            served, required = self._serves(unit), math.isinf(unit.prize)
            if served and name in listed:
                self.problems.append(f"unserved[{listed[name]}]: {shown} is served")
            if served:
                continue
            left_out = left_out or required
            if required and solution.status == "infeasible" and not proved:
                proved = all(proofs.nobody_can_serve(stops) for stops in unit.members)
            if required and solution.status == "solved":
                self.problems.append(f"routes: {kind} {shown} is required and not served")
            elif name not in listed and not silent:
                self.problems.append(f"unserved: {shown} is not served and not reported")
        if solution.status != "solved" and not left_out:
            message = f"status: {solution.status}, but all required customers are served"
            self.problems.append(message)
        elif solution.status == "infeasible" and not proved:
            self.problems.append(UNPROVED)

    def _serves(self, unit: Unit) -> bool:
        return any(stop in self._visited for stops in unit.members for stop in stops)

    def _check_total(self, costs: Sequence[Cost | None]) -> float | None:
        known = [cost for cost in costs if cost is not None]
        if len(known) < len(costs):
            return None
        values, slack = [cost.value for cost in known], sum(cost.slack for cost in known)
        for unit in self._units.values():
            if not self._serves(unit) and not math.isinf(unit.prize):
                values.append(unit.prize)
        if self._constraints.balance is not None:
            balance, off = price_of_uneven(self._constraints.balance, known)
            self._check_balance(balance, off)
            values.append(balance)
            slack += off
        total, stated = math.fsum(values), self._solution.cost
        slack += self._solution.cost_slack
        if stated is not None and not is_close(stated, total, slack):
            self.problems.append(f"cost: {stated}, expected {total}")
        return total

    def _check_balance(self, balance: float, slack: float) -> None:
        """Whether it is stated, where times are, and right."""
        stated = self._solution.balance
        if stated is None:
            schedules = [route.schedule for route in self._solution.routes]
            if any(each is not None and each.begins is not None for each in schedules):
                self.problems.append(f"balance: missing, expected {balance}")
        elif not is_close(stated, balance, slack):
            self.problems.append(f"balance: {stated}, expected {balance}")
