"""Known routes of a plain instance made a solution of it: split, and completed."""

import math
from collections.abc import Sequence

import numpy as np

from vrpcore.cost.distance import instance_points, lengths, path_lengths
from vrpcore.cost.tour_routes import Routes, tour_to_routes
from vrpcore.instance.instance import Float64, Instance
from vrpcore.search.savings import savings_routes

# An insertion looks at all customers. Together, insertions look at so many at most: some tenths of
# a second, since no time limit ends them.
MOST_LOOKS = 20_000_000


def complete_routes(instance: Instance, routes: Sequence[Sequence[int]]) -> Routes:
    """Makes routes a solution of a plain instance, and keeps of them what it can.

    A customer who is named twice stays where the first route has it. A route that is too full is
    split where the next customer does not fit. Of more routes than `max_vehicles`, those with most
    customers stay. A customer that is then in no route is inserted where that costs least, or
    gets a route if that is cheaper and a vehicle is left; the largest demands come first. Where
    customers are so many that this would take seconds, the others get routes of their own, by
    savings; the search is better at what is left.

    Args:
        instance: Without constraints.
        routes: Customers 1..N, in any number.

    Returns:
        Every customer once, loads within the limit. There are more routes than `max_vehicles`
        only where a customer fits into none of them, or where routes of their own are too many.

    Source:
        Cheapest insertion: Rosenkrantz, Stearns and Lewis 1977, "An Analysis of Several
        Heuristics for the Traveling Salesman Problem".
    """
    kept = _fitting(instance, routes)
    if instance.max_vehicles is not None and len(kept) > instance.max_vehicles:
        order = sorted(range(len(kept)), key=lambda row: -len(kept[row]))
        kept = [kept[row] for row in sorted(order[: instance.max_vehicles])]
    served = {customer for route in kept for customer in route}
    missing = [each for each in range(1, instance.num_customers + 1) if each not in served]
    if not missing:
        return kept
    insertion = _Insertion(instance, kept)
    missing.sort(key=lambda each: -float(instance.demand[each]))
    most = MOST_LOOKS // instance.num_customers
    for customer in missing[:most]:
        insertion.insert(customer)
    return tour_to_routes(insertion.tour) + _own_routes(instance, missing[most:])


def _own_routes(instance: Instance, customers: Sequence[int]) -> Routes:
    """Routes by savings that serve only these customers."""
    if not customers:
        return []
    found = savings_routes(instance.take(customers))
    return [[customers[number - 1] for number in route] for route in found]


def _fitting(instance: Instance, routes: Sequence[Sequence[int]]) -> Routes:
    """Split routes where the next customer does not fit; each customer stays once."""
    seen, found = set[int](), Routes()
    most = _limit(instance)
    for route in routes:
        own = [customer for customer in dict.fromkeys(route) if customer not in seen]
        seen.update(own)
        if instance.load(tuple(own)) <= instance.load_limit:
            found.append(own)
            continue
        load = math.inf
        for customer in own:
            if load + instance.demand[customer] > most:
                found.append([])
                load = 0.0
            found[-1].append(customer)
            load += float(instance.demand[customer])
    return [route for route in found if route]


def _limit(instance: Instance) -> float:
    """The largest load where it is a sum that is not rounded exactly: half of the tolerance."""
    return (instance.capacity + instance.load_limit) / 2


class _Insertion:
    """Routes as one tour, into which customers are inserted.

    Args:
        instance: Without constraints.
        routes: Within the load limit.

    Attributes:
        tour: [T] int64, 0 before, between and behind the routes.
    """

    def __init__(self, instance: Instance, routes: Routes) -> None:
        self._instance = instance
        self._limit = _limit(instance)
        self.tour = np.array([0, *(node for route in routes for node in (*route, 0))])
        self._legs = path_lengths(instance, self.tour)
        self._owner = np.repeat(np.arange(len(routes)), [len(route) + 1 for route in routes])
        self._load = np.array([instance.load(tuple(route)) for route in routes])

    def insert(self, customer: int) -> None:
        """Inserts a customer where that costs least."""
        demand = self._instance.demand[customer]
        distances, back = self._instance.distances, self._from(customer)
        there = back if distances is None else distances[:, customer]
        added = there[self.tour[:-1]] + back[self.tour[1:]] - self._legs
        added[self._load[self._owner] + demand > self._limit] = np.inf
        at = int(np.argmin(added)) if len(added) else -1
        least = added[at] if len(added) else np.inf
        most = self._instance.max_vehicles
        vehicle_left = most is None or len(self._load) < most
        if np.isinf(least) or (vehicle_left and there[0] + back[0] < least):
            self.tour = np.append(self.tour, [customer, 0])
            self._legs = np.append(self._legs, [there[0], back[0]])
            self._owner = np.append(self._owner, [len(self._load)] * 2)
            self._load = np.append(self._load, demand)
            return
        before, after = self.tour[at], self.tour[at + 1]
        self.tour = np.insert(self.tour, at + 1, customer)
        self._legs[at] = there[before]
        self._legs = np.insert(self._legs, at + 1, back[after])
        self._load[self._owner[at]] += demand
        self._owner = np.insert(self._owner, at, self._owner[at])

    def _from(self, customer: int) -> Float64:
        """[M] float64, to each node."""
        if self._instance.distances is not None:
            row: Float64 = self._instance.distances[customer]
            return row
        points = instance_points(self._instance)
        return lengths(points, points[customer], self._instance.metric)
