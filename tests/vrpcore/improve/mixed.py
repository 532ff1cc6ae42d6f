"""Random instances that mix all constraints, and a judge of routes in plain Python."""

import itertools
import math
import random

import numpy as np

from vrpcore.cost.timeline import Route, Timeline
from vrpcore.instance.constraints import Constraints, Depot, NamedMatrices, VehicleType
from vrpcore.instance.instance import Instance

TOLERANCE = 1e-9
FAR = 4.0  # latest end of most windows


def _windows(draw, width):
    rows = []
    for _ in range(draw.choice([0, 1, 1, width])):
        first = draw.uniform(0, FAR)
        rows.append((first, first + draw.uniform(0.1, 1.5)))
    rows.sort()
    kept = [rows[0]] if rows else [(-math.inf, math.inf)]
    kept += [row for before, row in itertools.pairwise(rows) if row[0] > max(r[1] for r in kept)]
    return kept


def _vehicle(draw, number, depots, dimensions, matrices):
    def perhaps(share, value, other=math.inf):
        return value if draw.random() < share else other

    start = draw.choice([*range(depots), None])
    return VehicleType(
        id=str(number),
        count=draw.choice([None, 0, 1, 1, 2, 3]),
        capacity=tuple(perhaps(0.8, draw.choice([4.0, 6.0, 9.5])) for _ in range(dimensions)),
        start=start,
        end=draw.choice([start, start, *range(depots), None]),
        window=(perhaps(0.3, draw.uniform(0, 1), 0.0), perhaps(0.3, draw.uniform(3, 7))),
        max_duration=perhaps(0.3, draw.uniform(1, 5)),
        max_travel_time=perhaps(0.2, draw.uniform(1, 4)),
        max_distance=perhaps(0.2, draw.uniform(1, 4)),
        max_stops=perhaps(0.2, draw.randint(1, 5)),
        speed=draw.choice([1.0, 1.0, 1.3]),
        matrix=perhaps(0.5, "own", None) if matrices else None,
        fixed_cost=perhaps(0.5, draw.uniform(0, 2), 0.0),
        distance_cost=draw.choice([1.0, 1.0, 0.0, 2.0]),
        duration_cost=perhaps(0.4, draw.uniform(0.1, 1), 0.0),
        travel_cost=perhaps(0.2, draw.uniform(0.1, 1), 0.0),
        skills=frozenset(name for name in "ab" if draw.random() < 0.7),
    )


def mixed_instance(seed, size, *, plain_times=False):
    """An instance of about `size` stops with some of everything.

    Args:
        seed: Equal seeds give equal instances.
        size: Stops; a shipment has two.
        plain_times: One window a stop at most.
    """
    draw = random.Random(seed)
    pairs = draw.choice([0, 0, size // 4, size // 2])
    customers, depots, dimensions = size - 2 * pairs, draw.randint(1, 2), draw.randint(1, 2)
    last = pairs == 0 and draw.random() < 0.3
    nodes = depots + size
    coords = np.array([[draw.random(), draw.random()] for _ in range(nodes)])
    amounts = np.zeros((3, size, dimensions))
    for stop, axis in itertools.product(range(customers), range(dimensions)):
        kind = draw.choice([0, 0, 1]) if last else None
        for row in (0, 1):
            if (draw.random() < 0.7) if kind is None else kind == row:
                amounts[row, stop, axis] = draw.choice([0.5, 1.0, 2.0, 3.0])
    if last:  # a customer has one kind in all its dimensions
        both = (amounts[0] > 0).any(1) & (amounts[1] > 0).any(1)
        amounts[1, both] = 0.0
    for row, axis in itertools.product(range(customers, size, 2), range(dimensions)):
        amounts[2, row, axis] = draw.choice([1.0, 2.0, 3.0])
        amounts[2, row + 1, axis] = -amounts[2, row, axis]
    lists = [_windows(draw, 1 if plain_times else 3) for _ in range(size)]
    windows = np.full((size, max(map(len, lists)), 2), math.inf)
    for row, each in enumerate(lists):
        windows[row, : len(each)] = each
    free, late = draw.choice([0.0, 0.3, 1.0]), draw.choice([0.0, 0.3])
    prize = np.array([draw.uniform(0, 2) if draw.random() < free else math.inf for _ in lists])
    prize[customers + 1 :: 2] = math.inf
    skewed = np.array([[draw.uniform(0.2, 1.5) for _ in range(nodes)] for _ in range(nodes)])
    np.fill_diagonal(skewed, 0.0)
    matrices = {"own": NamedMatrices(skewed, skewed * 0.8)} if draw.random() < 0.3 else {}
    constraints = Constraints(
        depots=tuple(
            Depot(id=str(n), window=draw.choice([(-math.inf, math.inf), (0.2, 6.0)]))
            for n in range(depots)
        ),
        vehicles=tuple(
            _vehicle(draw, n, depots, dimensions, bool(matrices)) for n in range(draw.randint(1, 3))
        ),
        delivery=amounts[0],
        pickup=amounts[1],
        shipment=amounts[2],
        windows=windows,
        service=np.array([draw.choice([0.0, 0.1, 0.3]) for _ in lists]),
        release=np.array(
            [draw.uniform(0, 1.5) if draw.random() < late else -math.inf for _ in lists]
        ),
        prize=prize,
        priority=np.array([draw.choice([0, 0, 1, 5]) for _ in lists]),
        skills=tuple(frozenset(name for name in "ab" if draw.random() < 0.15) for _ in lists),
        num_shipments=pairs,
        durations=skewed[::-1, ::-1].copy() if draw.random() < 0.2 else None,
        matrices=matrices,
        backhauls="last" if last else "mixed",
        pickup_only_routes=draw.random() < 0.7,
    )
    return Instance(
        name=f"mixed-{seed}",
        capacity=1.0,
        coords=coords,
        demand=np.zeros(nodes),
        ids=tuple(range(1, size + 1)),
        constraints=constraints,
    )


def fault(instance, timeline, route):
    """What is wrong with a route; None if all limits hold."""
    rules = instance.rules
    vehicle, stops = rules.vehicles[route.vehicle], route.stops
    times = timeline.schedule(route)
    if times is None:
        return "times"
    limits = {
        "duration": (
            times.duration if vehicle.max_duration < math.inf else 0,
            vehicle.max_duration,
        ),
        "travel": (times.travel, vehicle.max_travel_time),
        "distance": (times.distance, vehicle.max_distance),
        "stops": (len(stops), vehicle.max_stops),
    }
    limits |= {
        f"load {n}": pair for n, pair in enumerate(zip(times.load, vehicle.capacity, strict=True))
    }
    for name, (found, limit) in limits.items():
        if found > limit + TOLERANCE * max(10.0, abs(limit)):
            return name
    if not all(rules.may_serve(route.vehicle, stop) for stop in stops):
        return "skills"
    for at, stop in enumerate(stops):
        other = rules.partner(stop)
        if other is not None and (
            other not in stops or (stops.index(other) > at) != (other > stop)
        ):
            return "shipment"
    delivers = [(rules.delivery[stop - 1] > 0).any() for stop in stops]
    picks = [(rules.pickup[stop - 1] > 0).any() for stop in stops]
    if rules.backhauls == "last" and any(
        picks[first] and delivers[second]
        for first, second in itertools.combinations(range(len(stops)), 2)
    ):
        return "backhauls"
    if not rules.pickup_only_routes and any(picks) and not any(delivers):
        return "pickups alone"
    return None


def value(instance, timeline, routes):
    """(priorities missing, units missing, cost) of routes: smaller is better."""
    rules = instance.rules
    served = {stop for route in routes for stop in route.stops}
    cost = sum(timeline.schedule(route).cost for route in routes)
    priority = count = 0
    for stop in set(range(1, rules.num_stops + 1)) - served:
        if (rules.partner(stop) or stop + 1) < stop:
            continue
        if rules.required[stop - 1]:
            priority += int(rules.priority[stop - 1])
            count += 1
        else:
            cost += float(rules.prize[stop - 1])
    return priority, count, cost


def best_value(instance):
    """The least value of all plans, by looking at every set of stops for every type."""
    rules, timeline = instance.rules, Timeline(instance)
    stops = range(1, rules.num_stops + 1)
    choices = []  # (mask, type, cost): the cheapest route of a type through a set
    for size in range(1, rules.num_stops + 1):
        for group in itertools.combinations(stops, size):
            if any(rules.partner(stop) not in (None, *group) for stop in group):
                continue
            for vehicle in range(len(rules.vehicles)):
                routes = (Route(vehicle, order) for order in itertools.permutations(group))
                costs = [
                    timeline.schedule(route).cost
                    for route in routes
                    if fault(instance, timeline, route) is None
                ]
                if costs:
                    choices.append((sum(1 << stop for stop in group), vehicle, group, min(costs)))
    best = [value(instance, timeline, [])]

    def extend(start, taken, used, cost):
        left = [stop for stop in stops if not taken >> stop & 1]
        left = [stop for stop in left if (rules.partner(stop) or stop + 1) > stop]
        absent = [stop for stop in left if rules.required[stop - 1]]
        prizes = sum(float(rules.prize[stop - 1]) for stop in left if stop not in absent)
        found = (sum(int(rules.priority[stop - 1]) for stop in absent), len(absent), cost + prizes)
        best[0] = min(best[0], found)
        for index in range(start, len(choices)):
            mask, vehicle, _, more = choices[index]
            count = rules.vehicles[vehicle].count
            if not mask & taken and (count is None or used[vehicle] < count):
                used[vehicle] += 1
                extend(index + 1, taken | mask, used, cost + more)
                used[vehicle] -= 1

    extend(0, 0, [0] * len(rules.vehicles), 0.0)
    return best[0]
