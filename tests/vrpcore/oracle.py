"""The best answer to a small instance, found by looking at all of them.

Nothing of the product is imported, so that an error there cannot confirm itself here. All times
of a route follow from all departures at once: parts (first, last, duration) of departures after
which the vehicle is somewhere so much later. Of departures that wait for the same opening, only
the latest is kept: no other has a duration as short.
"""

import itertools
import math
from typing import NamedTuple

from tests.vrpcore.plain_problem import ALWAYS, PlainProblem, amounts_of, get

TOLERANCE = 1e-9
RESIDUE = 1e-12  # of loads, by rounding
SAME_COST = 1e-7  # relative


class Best(NamedTuple):
    """What the best answer serves and costs.

    Attributes:
        missing: Sum of priorities of the required who are not served, and their number.
        cost: Of the routes, and of the optional who are left out.
    """

    missing: tuple[float, int]
    cost: float


class Verdict(NamedTuple):
    """How an answer compares with the best.

    Attributes:
        gap: Of its cost, relative; None where others are missing or nobody looked.
        faults: What must not be, in words.
    """

    gap: float | None
    faults: tuple[str, ...]


def compare(document, answer, *, exact=True):
    """The verdict on an answer, a solution object of `vrp-solutions/1`.

    Args:
        document: The instance.
        answer: To it.
        exact: Looks for the best answer, up to about seven stops; else only at the reasons.
    """
    problem = PlainProblem(document)
    unserved = {str(item["id"]): item["reason"] for item in answer.get("unserved", ())}
    faults = list(_wrong_reasons(problem, unserved))
    if not exact:
        return Verdict(None, tuple(faults))
    best = best_answer(document)
    left_out = [unit for unit in problem.units if unit.prize is None and unit.name in unserved]
    missing = (sum(unit.priority for unit in left_out), len(left_out))
    same = SAME_COST * max(1.0, abs(best.cost))
    if answer["status"] == "infeasible" and not best.missing[1]:
        faults.append("infeasible, but all who are required can be served")
    if missing > best.missing:
        faults.append(f"left out: {missing}, the best answer {best.missing}")
        return Verdict(None, tuple(faults))
    if missing < best.missing or answer["cost"] < best.cost - same:
        faults.append(f"better than the best: {missing} {answer['cost']}, {best}")
    more = answer["cost"] - best.cost
    if more <= same:
        return Verdict(0.0, tuple(faults))
    return Verdict(more / best.cost if best.cost > same else math.inf, tuple(faults))


def _wrong_reasons(problem, unserved):
    """Reasons that say that somebody can be served alone who cannot, or the reverse."""
    if not any(get(vehicle, "count", 1) for vehicle in problem.vehicles):
        return
    routes = [_Routes(problem, vehicle, alone=True) for vehicle in problem.vehicles]
    alone = [each.all()[1] | each.reached_by_others() for each in routes]
    names = {problem.units[unit].name for unit in set().union(*alone)}
    for name, reason in unserved.items():
        if (reason in ("FLEET", "PRIZE")) != (name in names):
            can = "can" if name in names else "cannot"
            yield f"reason {reason} of {name}, who {can} be served alone"


def best_answer(document):
    """The largest sum of priorities, then the largest number, then the least cost."""
    problem = PlainProblem(document)
    units = problem.units
    costs = [0.0] + [math.inf] * (2 ** len(units) - 1)
    for vehicle in problem.vehicles:
        routes, _ = _Routes(problem, vehicle).all()
        costs = _with_vehicles(costs, routes, get(vehicle, "count", len(units)), len(units))
    found = []
    for mask, cost in enumerate(costs):
        if cost < math.inf:
            absent = [unit for bit, unit in enumerate(units) if not mask >> bit & 1]
            required = [unit.priority for unit in absent if unit.prize is None]
            prizes = sum(unit.prize for unit in absent if unit.prize is not None)
            found.append(Best((sum(required), len(required)), cost + prizes))
    return min(found)


def _with_vehicles(costs, routes, count, most):
    """Least costs to serve each set, with up to `count` routes more."""
    for _ in range(min(count, most)):
        more = costs[:]
        for mask, cost in enumerate(costs):
            if cost < math.inf:
                for other, route in routes.items():
                    if not mask & other:
                        more[mask | other] = min(more[mask | other], cost + route)
        if more == costs:
            break
        costs = more
    return costs


class _Routes:
    """The cheapest route of a vehicle through each set of units, by all orders."""

    def __init__(self, problem, vehicle, *, alone=False):
        self.problem, self.vehicle, self.alone = problem, vehicle, alone
        self.lengths, self.times = problem.ways_of(vehicle)
        self.start = problem.depot_of(vehicle, "start", 0)
        self.end = problem.depot_of(vehicle, "end", self.start)
        self.opens, self.closes = get(vehicle, "window", (0, math.inf))
        self.costs, self.singles = {}, set()
        size = len(problem.stops[0].demand)
        self.capacity = amounts_of(vehicle, "capacity", size, math.inf)
        self.last = problem.document.get("backhauls") == "last"
        self.fees = problem.costs_of(vehicle)
        self.breaks = get(vehicle, "breaks", [])

    def all(self):
        """Costs by set (a bit a unit), and the units that it can serve alone."""
        if get(self.vehicle, "count", 1) > 0:
            earliest = self.opens
            if self.start is not None:
                earliest = max(earliest, self.problem.depots[self.start]["opens"])
            zero = [0.0] * len(self.capacity)
            sums = (0.0, 0.0, 0.0, 0.0)
            latest = get(self.vehicle, "latest_start", math.inf)
            parts = [(earliest, latest, 0.0)] if earliest <= latest else []
            self._extend((), self.start, parts, sums, (zero,) * 3)
        return self.costs, self.singles

    def reached_by_others(self):
        """Units that have no road of their own, and are reached through stops of others."""
        if get(self.vehicle, "count", 1) == 0:
            return set()
        found, first = set(), len(self.problem.depots)
        able = set(get(self.vehicle, "skills", []))
        stops = list(enumerate(self.problem.stops))
        for unit, own in enumerate(self.problem.units):
            rows = [number for number, stop in stops if stop.unit == unit]
            path = [self.start, *(first + row for row in rows), self.end]
            pairs = list(itertools.pairwise(node for node in path if node is not None))
            others = {
                first + number
                for number, stop in stops
                if stop.unit != unit and self.problem.units[stop.unit].skills <= able
            }
            direct = all(self._has_road(*pair) for pair in pairs)
            round_about = all(self._leads(*pair, others) for pair in pairs)
            if round_about and not direct and own.skills <= able and self._carries(rows):
                found.add(unit)
        return found

    def _carries(self, rows):
        """Whether the capacity is enough for some stops alone."""
        loads = ([0.0] * len(self.capacity),) * 3
        for row in rows:
            loads = _loaded(loads, self.problem.stops[row])
        fits = all(
            total + most <= limit * (1 + TOLERANCE)
            for total, _, most, limit in zip(*loads, self.capacity, strict=True)
        )
        return fits and len(rows) <= get(self.vehicle, "max_customers", math.inf)

    def _has_road(self, node, there):
        ways = [self.lengths, self.times, self.fees or self.lengths]
        return all(way[node][there] < math.inf for way in ways)

    def _leads(self, node, there, others):
        """Whether a way leads from a node to another, maybe through some others."""
        if self._has_road(node, there):
            return True
        return any(
            self._has_road(node, other) and self._leads(other, there, others - {other})
            for other in others
        )

    def _extend(self, route, node, parts, sums, loads, rests=()):
        """All routes that begin with this one, and take no fewer breaks.

        Args:
            route: Indices of stops.
            node: Where the vehicle is; None: it has not begun.
            parts: See the module.
            sums: Distance and travel time; time of services; cost of legs.
            loads: By dimension: all deliveries; what has been taken on board since, net; the
                most of that.
            rests: Index of each break taken, and what has been taken on board until then, net.
        """
        if route and len(rests) == len(self.breaks) and self._may_rest(rests, loads[0]):
            self._finish(route, node, parts, sums)
        for index, each in enumerate(self.breaks):
            if self._may_come_next(index, rests):
                windows = get(each, "windows", None) or [get(each, "window", ALWAYS)]
                first = node is None and not rests
                after = _through(parts, 0.0, windows, get(each, "duration", 0), first)
                if after:
                    more = (*rests, (index, loads[1]))
                    self._extend(route, node, after, sums, loads, more)
        if len(route) >= get(self.vehicle, "max_customers", math.inf):
            return
        for number, stop in enumerate(self.problem.stops):
            if number in route or not self._may_follow(route, number, stop):
                continue
            there = len(self.problem.depots) + number
            if node is not None and not self._has_road(node, there):
                continue
            ways = self._legs(node, there, sums)
            service = self.problem.service_of(self.vehicle, node, number)
            first = node is None and not rests
            after = _through(parts, ways[1] - sums[1], stop.windows, service, first)
            ways = (*ways[:2], ways[2] + service, ways[3])
            board = _loaded(loads, stop)
            full = any(
                total + most > limit * (1 + TOLERANCE)
                for total, _, most, limit in zip(*board, self.capacity, strict=True)
            )
            if after and not full and self._within(ways):
                self._extend((*route, number), there, after, ways, board, rests)

    def _may_come_next(self, index, rests):
        """Whether a break is not taken, and none of equal windows before it in the list waits."""
        taken = {each for each, _ in rests}
        windows = [get(each, "windows", [get(each, "window", ALWAYS)]) for each in self.breaks]
        return index not in taken and all(
            other in taken for other in range(index) if windows[other] == windows[index]
        )

    def _may_rest(self, rests, totals):
        """Whether no more is on board in any break than may be, with all deliveries known."""
        for index, nets in rests:
            limit = amounts_of(self.breaks[index], "max_load", len(totals), math.inf)
            for total, net, most in zip(totals, nets, limit, strict=True):
                if total + net > most * (1 + TOLERANCE) + RESIDUE:
                    return False
        return True

    def _may_follow(self, route, number, stop):
        unit = self.problem.units[stop.unit]
        if self.alone and route and self.problem.stops[route[0]].unit != stop.unit:
            return False
        if not unit.skills <= set(get(self.vehicle, "skills", [])):
            return False
        if self.last and any(stop.demand):
            return not any(any(self.problem.stops[each].pickup) for each in route)
        return stop.first or number - 1 in route

    def _legs(self, node, there, sums):
        if node is None:
            return sums
        length = self.lengths[node][there]
        fee = length * get(self.vehicle, "distance_cost", 1)
        fee = fee if self.fees is None else self.fees[node][there]
        return sums[0] + length, sums[1] + self.times[node][there], sums[2], sums[3] + fee

    def _within(self, sums):
        limits = (("max_distance", sums[0]), ("max_travel_time", sums[1]))
        return all(_fits(value, get(self.vehicle, key, math.inf)) for key, value in limits)

    def _finish(self, route, node, parts, sums):
        """Notes the route if it can end here."""
        problem, vehicle = self.problem, self.vehicle
        own = {problem.stops[number].unit for number in route}
        if sum(problem.units[unit].stops for unit in own) > len(route):
            return  # somebody's shipment is on board
        if self.end is not None and not self._has_road(node, self.end):
            return
        if self.end is not None:
            before, sums = sums, self._legs(node, self.end, sums)
            depot = problem.depots[self.end]
            window = [(depot["opens"], depot["closes"])]
            parts = _through(parts, sums[1] - before[1], window, 0.0)
        release = max(problem.units[unit].release for unit in own)
        durations = [
            duration
            for first, last, duration in parts
            if last >= release - TOLERANCE
            and _fits(max(first, release) + duration, self.closes)
            and _fits(duration, get(vehicle, "max_duration", math.inf))
        ]
        if not durations or not self._within(sums):
            return
        if len(own) == 1:
            self.singles |= own
        stops = [problem.stops[number] for number in route]
        picks = any(any(stop.pickup) for stop in stops)
        mixed = not picks or any(any(stop.demand) for stop in stops)
        if not mixed and not get(problem.document, "pickup_only_routes", True):
            return
        cost = get(vehicle, "fixed_cost", 0) + min(durations) * get(vehicle, "duration_cost", 0)
        cost += sums[1] * get(vehicle, "travel_cost", 0) + sums[3]
        cost += sums[2] * get(vehicle, "service_cost", 0)
        key = sum(1 << unit for unit in own)
        self.costs[key] = min(cost, self.costs.get(key, math.inf))


def _through(parts, way, windows, service, first_place=False):
    """Parts after a leg and a service, from those before it; nobody waits at a first place."""
    found = []
    for first, last, duration in parts:
        there = duration + way
        for opens, closes in windows:
            meets = opens - there
            if first < meets and not (first_place and last < meets):
                leave = min(last, meets)
                found.append((leave, leave, opens - leave + service))
            early, late = max(first, meets), min(last, closes + TOLERANCE - there)
            if early <= late:
                found.append((early, late, there + service))
    return [part for part in found if not _is_dominated(part, found)]


def _is_dominated(part, others):
    """Whether who leaves at one time alone could leave later and be there no later."""
    leave, last, duration = part
    return last == leave and any(
        final > leave and max(first, leave) + least <= leave + duration
        for first, final, least in others
    )


def _loaded(loads, stop):
    totals, nets, peaks = [], [], []
    for axis, (total, net, peak) in enumerate(zip(*loads, strict=True)):
        now = net + stop.pickup[axis] - stop.demand[axis] + stop.change[axis]
        totals.append(total + stop.demand[axis])
        nets.append(now)
        peaks.append(max(peak, now))
    return totals, nets, peaks


def _fits(value, limit):
    return value <= limit + TOLERANCE * max(1.0, abs(value))
