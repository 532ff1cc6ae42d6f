"""The referee for instances with constraints: every limit, and every number that is stated."""

import math
from collections.abc import Sequence

from vrpcore.errors import describe
from vrpcore.instance.constraints import DELIVERY, PICKUP
from vrpcore.instance.instance import CustomerId, Instance
from vrpcore.instance.solution import Reason, RouteReport, Solution
from vrpcore.referee.reasons import fleet_is_too_small, nobody_can_serve, reasons_of
from vrpcore.referee.route_limits import time_tolerance
from vrpcore.referee.stated_route import Cost, RouteCheck, View, is_close


def check_constraints(instance: Instance, solution: Solution) -> tuple[float | None, list[str]]:
    """Checks an answer with routes against an instance with constraints.

    Everybody is served once or listed as unserved once, and who must be is not left out of a
    solved answer; shipments are picked up before they are delivered, by the same vehicle;
    loads, times, distances, stops, skills and numbers of vehicles are within their limits; a
    vehicle leaves so that its duration is least, and among such times earliest; every stated
    number is the recomputed one. Routes from a `.sol` state none, and no stop as unserved.

    Args:
        instance: The problem, with constraints.
        solution: Solved, partial or infeasible.

    Returns:
        The recomputed cost, None where it cannot be known, and what is wrong in words.
    """
    return _Referee(instance, solution).verdict()


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
        self.problems: list[str] = []
        self._view = View(instance, self._tolerances, self.problems)

    def verdict(self) -> tuple[float | None, list[str]]:
        costs: list[Cost | None] = []
        used: dict[int, int] = {}
        for row, route in enumerate(self._solution.routes):
            stops = self._stops_of(row, route)
            if not route.customers:
                continue
            vehicle = self._vehicle_of(row, route)
            if vehicle is None or len(stops) < len(route.customers):
                costs.append(None)
                continue
            used[vehicle] = used.get(vehicle, 0) + 1
            costs.append(RouteCheck(self._view, row, route, vehicle, stops).cost())
        self._check_fleet(used)
        self._check_pairs()
        self._check_unserved()
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

    def _check_fleet(self, used: dict[int, int]) -> None:
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
            name = describe(_name(self._instance, pickup))
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

    def _check_unserved(self) -> None:
        listed: dict[CustomerId, int] = {}
        names: dict[CustomerId, int] = {}
        for stop in range(1, self._constraints.num_stops + 1):
            partner = self._constraints.partner(stop)
            if partner is None or partner > stop:
                names[_name(self._instance, stop)] = stop
        for row, item in enumerate(self._solution.unserved):
            where, shown = f"unserved[{row}]", describe(item.id)
            if item.id not in names:
                self.problems.append(f"{where}: {shown} is no customer or shipment")
            elif item.id in listed:
                self.problems.append(f"{where}: {shown} is reported twice")
            else:
                listed[item.id] = row
                expected = self._reasons(names[item.id])
                if item.reason not in expected:
                    known = " or ".join(sorted(expected))
                    self.problems.append(f"{where}.reason: {item.reason}, expected {known}")
        self._check_everybody(names, listed)

    def _group(self, stop: int) -> list[int]:
        """A customer's stop, or both of the shipment of a pickup."""
        partner = self._constraints.partner(stop)
        return [stop] if partner is None else [stop, partner]

    def _reasons(self, stop: int) -> set[Reason]:
        """Why a customer, or the shipment of a pickup, may be unserved."""
        stops = self._group(stop)
        served: Reason = "FLEET" if math.isinf(self._constraints.prize[stop - 1]) else "PRIZE"
        found = reasons_of(self._instance, stops, (0.0, *self._tolerances))
        return {served if reason is None else reason for reason in found}

    def _check_everybody(self, names: dict[CustomerId, int], listed: dict[CustomerId, int]) -> None:
        """Each name is visited or listed as unserved; a required one is visited if it is solved."""
        solution = self._solution
        silent = not solution.unserved and bool(solution.routes)
        for route in solution.routes:
            silent = silent and not route.states_load
        left_out, proved = False, fleet_is_too_small(self._instance)
        for name, stop in names.items():
            shown = describe(name)
            served = stop in self._visited or self._constraints.partner(stop) in self._visited
            required = math.isinf(self._constraints.prize[stop - 1])
            if served and name in listed:
                self.problems.append(f"unserved[{listed[name]}]: {shown} is served")
            if served:
                continue
            left_out = left_out or required
            if required and solution.status == "infeasible" and not proved:
                proved = nobody_can_serve(self._instance, self._group(stop), self._tolerances)
            if required and solution.status == "solved":
                self.problems.append(f"routes: customer {shown} is required and not served")
            elif name not in listed and not silent:
                self.problems.append(f"unserved: {shown} is not served and not reported")
        if solution.status != "solved" and not left_out:
            self.problems.append(f"status: {solution.status}, but all who are required are served")
        elif solution.status == "infeasible" and not proved:
            self.problems.append("status: infeasible, but nothing proves it; expected partial")

    def _check_total(self, costs: Sequence[Cost | None]) -> float | None:
        values, slack = [], 0.0
        for cost in costs:
            if cost is None:
                return None
            values.append(cost.value)
            slack += cost.slack
        for stop in range(1, self._constraints.num_stops + 1):
            prize = float(self._constraints.prize[stop - 1])
            if stop not in self._visited and not math.isinf(prize):
                values.append(prize)
        total, stated = math.fsum(values), self._solution.cost
        if stated is not None and not is_close(stated, total, slack):
            self.problems.append(f"cost: {stated}, expected {total}")
        return total


def _name(instance: Instance, stop: int) -> CustomerId:
    """The id of a customer, or of the shipment that a stop belongs to."""
    name = instance.ids[stop - 1]
    if instance.own_constraints.partner(stop) is None:
        return name
    return str(name).removesuffix(PICKUP).removesuffix(DELIVERY)
