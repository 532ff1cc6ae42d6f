"""The referee for instances with constraints: every limit, and every number that is stated."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vrpcore.cost.check_reasons import fleet_is_too_small, nobody_can_serve, reasons_of
from vrpcore.cost.check_route import Times, Trip, most_on_board, time_tolerance
from vrpcore.errors import describe
from vrpcore.instance.constraints import DELIVERY, PICKUP
from vrpcore.instance.instance import CustomerId, Instance
from vrpcore.instance.solution import Reason, Route, RouteSchedule, Solution

COST_TOLERANCE = 1e-9  # relative, of costs, distances and loads
_TINY = 1e-12  # of all amounts that were added up


def check_constraints(instance: Instance, solution: Solution) -> tuple[float | None, list[str]]:
    """Checks an answer with routes against an instance with constraints.

    Everybody is served once or told as unserved once, and who must be is not left out of a
    solved answer; shipments are picked up before they are delivered, by the same vehicle;
    loads, times, distances, stops, skills and numbers of vehicles are within their limits; a
    vehicle leaves so that its duration is least, and among such times earliest; every stated
    number is the recomputed one. Routes from a `.sol` state none, and nobody as unserved.

    Args:
        instance: The problem, with constraints.
        solution: Solved, partial or infeasible.

    Returns:
        The recomputed cost, None where it cannot be known, and what is wrong in words.
    """
    return _Referee(instance, solution).verdict()


class _Cost(NamedTuple):
    """A cost and how far off it may be."""

    value: float
    slack: float


class _Referee:
    """Looks at one answer."""

    def __init__(self, instance: Instance, solution: Solution) -> None:
        self._instance, self._solution = instance, solution
        self._rules = instance.rules
        self._numbers: dict[CustomerId, int] = {}
        for place, identifier in enumerate(instance.ids, start=1):
            self._numbers[identifier] = place
        self._visited: dict[int, tuple[int, int]] = {}  # stop -> route, place
        self._tolerance, self._strict = time_tolerance(instance)
        self.problems: list[str] = []

    def verdict(self) -> tuple[float | None, list[str]]:
        costs: list[_Cost | None] = []
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
            costs.append(_RouteCheck(self, row, route, vehicle, stops).cost())
        self._check_fleet(used)
        self._check_pairs()
        self._check_unserved()
        return self._check_total(costs), self.problems

    @property
    def instance(self) -> Instance:
        return self._instance

    @property
    def tolerance(self) -> tuple[float, float]:
        return self._tolerance, self._strict

    def _stops_of(self, row: int, route: Route) -> list[int]:
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

    def _vehicle_of(self, row: int, route: Route) -> int | None:
        """Index of a route's type; None where it is not stated or unknown."""
        vehicles = self._rules.vehicles
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
            vehicle = self._rules.vehicles[index]
            if vehicle.count is not None and number > vehicle.count:
                kind = f"of type {describe(vehicle.id)} " if self._rules.listed_vehicles else ""
                self.problems.append(
                    f"routes: {number} vehicles {kind}are used, there are {vehicle.count}"
                )

    def _check_pairs(self) -> None:
        for pickup in range(1, self._rules.num_stops + 1):
            delivery = self._rules.partner(pickup)
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
        told: dict[CustomerId, int] = {}
        names: dict[CustomerId, int] = {}
        for stop in range(1, self._rules.num_stops + 1):
            partner = self._rules.partner(stop)
            if partner is None or partner > stop:
                names[_name(self._instance, stop)] = stop
        for row, item in enumerate(self._solution.unserved):
            where, shown = f"unserved[{row}]", describe(item.id)
            if item.id not in names:
                self.problems.append(f"{where}: {shown} is no customer or shipment")
            elif item.id in told:
                self.problems.append(f"{where}: {shown} is told twice")
            else:
                told[item.id] = row
                expected = self._reasons(names[item.id])
                if item.reason not in expected:
                    known = " or ".join(sorted(expected))
                    self.problems.append(f"{where}.reason: {item.reason}, expected {known}")
        self._check_everybody(names, told)

    def _group(self, stop: int) -> list[int]:
        """A customer's stop, or both of the shipment of a pickup."""
        partner = self._rules.partner(stop)
        return [stop] if partner is None else [stop, partner]

    def _reasons(self, stop: int) -> set[Reason]:
        """Why a customer, or the shipment of a pickup, may be unserved."""
        stops = self._group(stop)
        served: Reason = "FLEET" if math.isinf(self._rules.prize[stop - 1]) else "PRIZE"
        found = reasons_of(self._instance, stops, self.tolerance)
        return {served if reason is None else reason for reason in found}

    def _check_everybody(self, names: dict[CustomerId, int], told: dict[CustomerId, int]) -> None:
        """Each name is visited or told; who is required is visited if it is solved."""
        solution = self._solution
        silent = not solution.unserved and bool(solution.routes)
        for route in solution.routes:
            silent = silent and not route.states_load
        left_out, proved = False, fleet_is_too_small(self._instance)
        for name, stop in names.items():
            shown = describe(name)
            served = stop in self._visited or self._rules.partner(stop) in self._visited
            required = math.isinf(self._rules.prize[stop - 1])
            if served and name in told:
                self.problems.append(f"unserved[{told[name]}]: {shown} is served")
            if served:
                continue
            left_out = left_out or required
            if required and solution.status == "infeasible" and not proved:
                proved = nobody_can_serve(self._instance, self._group(stop), self.tolerance)
            if required and solution.status == "solved":
                self.problems.append(f"routes: customer {shown} is required and not served")
            elif name not in told and not silent:
                self.problems.append(f"unserved: {shown} is not served and not told")
        if solution.status != "solved" and not left_out:
            self.problems.append(f"status: {solution.status}, but all who are required are served")
        elif solution.status == "infeasible" and not proved:
            self.problems.append("status: infeasible, but nothing proves it; expected partial")

    def _check_total(self, costs: Sequence[_Cost | None]) -> float | None:
        values, slack = [], 0.0
        for cost in costs:
            if cost is None:
                return None
            values.append(cost.value)
            slack += cost.slack
        for stop in range(1, self._rules.num_stops + 1):
            prize = float(self._rules.prize[stop - 1])
            if stop not in self._visited and not math.isinf(prize):
                values.append(prize)
        total, stated = math.fsum(values), self._solution.cost
        if stated is not None and not _close(stated, total, slack):
            self.problems.append(f"cost: {stated}, expected {total}")
        return total


class _RouteCheck:
    """Looks at one route whose stops and vehicle are known."""

    def __init__(
        self, referee: _Referee, row: int, route: Route, vehicle: int, stops: Sequence[int]
    ) -> None:
        self._instance, self._rules = referee.instance, referee.instance.rules
        self._route, self._stops, self._place = route, stops, f"routes[{row}]"
        self._trip = Trip(referee.instance, vehicle, stops)
        self._tolerance, self._strict = (each + self._trip.rounding for each in referee.tolerance)
        self._vehicle = self._trip.vehicle
        self._problems = referee.problems

    def cost(self) -> _Cost | None:
        """Checks all of it; its cost, None where it is late whenever it leaves."""
        self._check_load()
        self._check_kinds()
        times = self._check_times()
        self._check_distance()
        if times is None:
            return None
        vehicle, trip, duration = self._vehicle, self._trip, times.end - times.departure
        stated = self._schedule.duration
        slack = trip.slack * (vehicle.distance_cost + vehicle.travel_cost)
        if math.isnan(stated) or abs(stated - duration) > self._tolerance:
            slack += self._tolerance * vehicle.duration_cost
        else:  # right within the tolerance of times: the cost is that of what is stated
            duration = stated
        value = (
            vehicle.fixed_cost
            + trip.distance * vehicle.distance_cost
            + duration * vehicle.duration_cost
            + trip.travel * vehicle.travel_cost
        )
        if not math.isnan(self._route.cost) and not _close(self._route.cost, value, slack):
            self._tell("cost", f"{self._route.cost}, expected {value}")
        return _Cost(value, slack)

    @property
    def _schedule(self) -> RouteSchedule:
        """What is stated of vehicle and times."""
        if self._route.schedule is not None:
            return self._route.schedule
        return RouteSchedule(vehicle=None, start=None, end=None)

    def _tell(self, key: str, problem: str) -> None:
        self._problems.append(f"{self._place}{'.' if key else ''}{key}: {problem}")

    def _check_load(self) -> None:
        rules, route, loads = self._rules, self._route, most_on_board(self._instance, self._stops)
        listed = isinstance(route.load, tuple)
        if route.states_load and listed != rules.listed_amounts:
            expected = f"a list of {len(loads)}" if rules.listed_amounts else "a number"
            self._tell("load", f"{describe(route.load)}, expected {expected}")
            listed = False
        elif isinstance(route.load, tuple) and len(route.load) != len(loads):
            self._tell("load", f"a list of {len(route.load)}, expected {len(loads)}")
            listed = False
        for dimension, (load, where) in enumerate(loads):
            name = f" in dimension {dimension}" if rules.listed_amounts else ""
            capacity = self._vehicle.capacity[dimension]
            if load > capacity * (1 + COST_TOLERANCE):
                leg = "at the start" if where < 0 else f"after customers[{where}]"
                self._tell("", f"a load of {load}{name} {leg} exceeds capacity {capacity}")
            if isinstance(route.load, tuple):
                stated = route.load[dimension] if listed else math.nan
            else:
                stated = math.nan if rules.listed_amounts else route.load
            added = 0.0
            for stop in self._stops:
                added += float(rules.delivery[stop - 1, dimension])
                added += float(rules.pickup[stop - 1, dimension])
                added += abs(float(rules.shipment[stop - 1, dimension]))
            if not math.isnan(stated) and not _close(stated, load, _TINY * added):
                key = f"load[{dimension}]" if rules.listed_amounts else "load"
                self._tell(key, f"{stated}, expected {load}")

    def _check_kinds(self) -> None:
        """Skills, number of stops, backhauls, depots."""
        rules, vehicle, stops = self._rules, self._vehicle, self._stops
        picked = delivered = False
        for place, stop in enumerate(stops):
            for skill in sorted(rules.skills[stop - 1]):
                if skill not in vehicle.skills:
                    lacks = f"needs {describe(skill)}, which the vehicle has not"
                    self._tell(f"customers[{place}]", lacks)
            delivers = any(float(amount) > 0 for amount in rules.delivery[stop - 1])
            if delivers and picked and rules.backhauls == "last":
                self._tell(f"customers[{place}]", "a delivery after a pickup")
            delivered = delivered or delivers
            picked = picked or any(float(amount) > 0 for amount in rules.pickup[stop - 1])
        if picked and not delivered and not rules.pickup_only_routes:
            self._tell("", "pickups alone, which pickup_only_routes does not allow")
        if len(stops) > vehicle.max_stops:
            self._tell("", f"{len(stops)} stops, max_customers is {vehicle.max_stops:g}")
        if self._route.schedule is None:
            return
        for key, index in (("start", vehicle.start), ("end", vehicle.end)):
            stated = getattr(self._route.schedule, key)
            expected = None if index is None else rules.depots[index].id
            if stated != expected:
                self._tell(key, f"{describe(stated)}, expected {describe(expected)}")

    def _check_distance(self) -> None:
        trip, vehicle, stated = self._trip, self._vehicle, self._schedule.distance
        if trip.distance > vehicle.max_distance * (1 + COST_TOLERANCE) + trip.slack:
            self._tell("", f"distance {trip.distance} exceeds max_distance {vehicle.max_distance}")
        if trip.travel > vehicle.max_travel_time + self._tolerance:
            limit = vehicle.max_travel_time
            self._tell("", f"travel time {trip.travel} exceeds max_travel_time {limit}")
        if not math.isnan(stated) and not _close(stated, trip.distance, trip.slack):
            self._tell("distance", f"{stated}, expected {trip.distance}")

    def _check_times(self) -> Times | None:
        """The right times: those of the stated departure where it is one of the best."""
        trip, tolerance = self._trip, self._tolerance
        late = trip.times(trip.earliest, tolerance)
        if isinstance(late, str):
            self._tell("", late)
            return None
        best = trip.best(self._strict) or trip.best(tolerance)
        if best is None:
            return None
        duration, departure = best
        if duration > self._vehicle.max_duration + tolerance:
            limit = self._vehicle.max_duration
            self._tell("", f"duration {duration} exceeds max_duration {limit}")
        stated = self._schedule.departure
        chosen = departure if math.isnan(stated) else stated
        runs = [trip.times(chosen, self._strict), trip.times(chosen, tolerance)]
        known = [run for run in runs if not isinstance(run, str)]
        if (
            not known
            or chosen < trip.earliest - tolerance
            or chosen > departure + tolerance
            or min(run.end for run in known) - chosen > duration + tolerance
        ):
            self._tell("departure", f"{stated}, expected {departure} for the least duration")
            own = trip.times(departure, 2 * tolerance)
            known = [own] if isinstance(own, Times) else []
        if not known:
            return None
        differences = [list(self._differences(run)) for run in known]
        fewest = min(range(len(known)), key=lambda index: len(differences[index]))
        self._problems.extend(differences[fewest])
        return known[fewest]

    def _differences(self, right: Times) -> Iterator[str]:
        """Stated times that are not the right ones."""
        schedule, place = self._schedule, self._place
        pairs = [
            ("return", schedule.return_, right.end),
            ("duration", schedule.duration, right.end - right.departure),
        ]
        for key, times, expected in (
            ("arrivals", schedule.arrivals, right.arrivals),
            ("begins", schedule.begins, right.begins),
        ):
            if times is None:
                continue
            if len(times) != len(expected):
                yield f"{place}.{key}: {len(times)} times, expected {len(expected)}"
                continue
            for index, (stated, own) in enumerate(zip(times, expected, strict=True)):
                pairs.append((f"{key}[{index}]", stated, own))
        for key, stated, own in pairs:
            if abs(stated - own) > self._tolerance:  # False where it is NaN
                yield f"{place}.{key}: {stated}, expected {own}"


def _close(stated: float, expected: float, slack: float) -> bool:
    return math.isclose(stated, expected, rel_tol=COST_TOLERANCE, abs_tol=slack)


def _name(instance: Instance, stop: int) -> CustomerId:
    """The id of a customer, or of the shipment that a stop belongs to."""
    name = instance.ids[stop - 1]
    if instance.rules.partner(stop) is None:
        return name
    return str(name).removesuffix(PICKUP).removesuffix(DELIVERY)
