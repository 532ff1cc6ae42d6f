"""What the oracle's vehicle types may do, apart from times and orders.

Nothing of the product is imported.
"""

import itertools
import math
from typing import NamedTuple

from tests.vrpcore.oracle_times import TOLERANCE
from tests.vrpcore.plain_problem import amounts_of, get


class Loads(NamedTuple):
    """Of one trip, by dimension.

    Attributes:
        totals: On board when it begins.
        nets: What has been taken on board since, net.
        peaks: The most of that.
    """

    totals: list
    nets: list
    peaks: list


class VehicleType:
    """One of a problem's types, with its roads, its capacity and whom it may serve."""

    def __init__(self, problem, index):
        """Reads the type with this index."""
        self.problem, self.index = problem, index
        self.vehicle = vehicle = problem.vehicles[index]
        self.skills = set(get(vehicle, "skills", []))
        self.lengths, self.times = problem.ways_of(vehicle)
        self.fees = problem.costs_of(vehicle)
        self.start = problem.depot_of(vehicle, "start", 0)
        self.end = problem.depot_of(vehicle, "end", self.start)
        self.opens, self.closes = get(vehicle, "window", (0, math.inf))
        ids = [depot["id"] for depot in problem.depots]
        named = (ids.index(str(each)) for each in get(vehicle, "reloads", []))
        self.reloads = list(dict.fromkeys(named))
        size = len(problem.stops[0].demand)
        self.capacity = amounts_of(vehicle, "capacity", size, math.inf)
        self.zero = [0.0] * size
        board = [amounts_of(vehicle, "initial_load", size)]
        for stop in problem.stops:
            if problem.units[stop.unit].board == index:
                board.append([-each for each in stop.change])
        self.board = [sum(each) for each in zip(*board, strict=True)]

    def may_serve(self, unit):
        """Whether a unit may be served by this type, whatever its load and times."""
        own = self.problem.units[unit]
        named = {
            relation.vehicle
            for relation in self.problem.relations
            if any(self.problem.stops[number].unit == unit for number in relation.stops)
        }
        fits = own.skills <= self.skills and self.index in own.types
        return fits and {own.board, *named} <= {None, self.index}

    def holds(self, loads):
        """Whether the capacity is enough for a trip."""
        return all(
            total + most <= limit * (1 + TOLERANCE)
            for total, _, most, limit in zip(*loads, self.capacity, strict=True)
        )

    def has_road(self, node, there):
        ways = [self.lengths, self.times, self.fees or self.lengths]
        return node is None or all(way[node][there] < math.inf for way in ways)

    def legs(self, node, there, sums):
        if node is None:
            return sums
        length = self.lengths[node][there]
        fee = length * get(self.vehicle, "distance_cost", 1)
        fee = fee if self.fees is None else self.fees[node][there]
        return sums[0] + length, sums[1] + self.times[node][there], sums[2], sums[3] + fee

    def within(self, sums):
        limits = (("max_distance", sums[0]), ("max_travel_time", sums[1]))
        return all(
            value <= get(self.vehicle, key, math.inf) + TOLERANCE * max(1.0, abs(value))
            for key, value in limits
        )

    def reached_by_others(self):
        """Units that have no road of their own, and are reached through stops of others."""
        found, first = set(), len(self.problem.depots)
        stops = list(enumerate(self.problem.stops))
        for unit in range(len(self.problem.units)):
            rows = [number for number, stop in stops if stop.unit == unit]
            path = [self.start, *(first + row for row in rows), self.end]
            pairs = list(itertools.pairwise(node for node in path if node is not None))
            others = {
                first + number
                for number, stop in stops
                if stop.unit != unit and self.may_serve(stop.unit)
            } | set(self.reloads)
            direct = all(self.has_road(*pair) for pair in pairs)
            round_about = all(self.leads(*pair, others) for pair in pairs)
            if round_about and not direct and self.may_serve(unit) and self.carries(rows):
                found.add(unit)
        return found

    def carries(self, rows):
        """Whether the capacity is enough for some stops alone."""
        loads = Loads(self.board, self.zero, self.zero)
        for row in rows:
            loads = loaded(loads, self.problem.stops[row])
        return self.holds(loads) and len(rows) <= get(self.vehicle, "max_customers", math.inf)

    def leads(self, node, there, others):
        """Whether a way leads from a node to another, maybe through some others."""
        return self.has_road(node, there) or any(
            self.has_road(node, other) and self.leads(other, there, others - {other})
            for other in others
        )


def loaded(loads, stop):
    totals, nets, peaks = [], [], []
    for axis, (total, net, peak) in enumerate(zip(*loads, strict=True)):
        now = net + stop.pickup[axis] - stop.demand[axis] + stop.change[axis]
        totals.append(total + stop.demand[axis])
        nets.append(now)
        peaks.append(max(peak, now))
    return Loads(totals, nets, peaks)
