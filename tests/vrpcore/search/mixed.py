"""Random instances that mix all constraints, and a judge of routes in plain Python."""

import itertools
import math

from vrpcore.search.rich_library import RichSearch
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.rich_search import search_plan

TOLERANCE = 1e-9


def search_routes(instance, *effort_and_seed, **options):
    """The routes of the plan that `search_plan` finds."""
    return search_plan(RichProblem(instance), *effort_and_seed, **options).routes


def constructed(instance, seed=0, kind=RichSearch, **options):
    """A search that has its first plan."""
    search = kind(RichProblem(instance), **options)
    search.begin(seed)
    search.construct()
    return search


def fault(instance, timeline, route):
    """What is wrong with a route; None if all limits hold."""
    constraints = instance.own_constraints
    vehicle, stops = constraints.vehicles[route.vehicle], route.stops
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
    if not all(constraints.may_serve(route.vehicle, stop) for stop in stops):
        return "skills"
    for at, stop in enumerate(stops):
        other = constraints.partner(stop)
        if other is not None and (
            other not in stops or (stops.index(other) > at) != (other > stop)
        ):
            return "shipment"
    delivers = [(constraints.delivery[stop - 1] > 0).any() for stop in stops]
    picks = [(constraints.pickup[stop - 1] > 0).any() for stop in stops]
    if constraints.backhauls == "last" and any(
        picks[first] and delivers[second]
        for first, second in itertools.combinations(range(len(stops)), 2)
    ):
        return "backhauls"
    if not constraints.pickup_only_routes and any(picks) and not any(delivers):
        return "pickups alone"
    return None


def value(instance, timeline, routes):
    """(priorities missing, units missing, cost) of routes: smaller is better."""
    constraints = instance.own_constraints
    served = {stop for route in routes for stop in route.stops}
    cost = sum(timeline.schedule(route).cost for route in routes)
    priority = count = 0
    for stop in set(range(1, constraints.num_stops + 1)) - served:
        if (constraints.partner(stop) or stop + 1) < stop:
            continue
        if constraints.required[stop - 1]:
            priority += int(constraints.priority[stop - 1])
            count += 1
        else:
            cost += float(constraints.prize[stop - 1])
    return priority, count, cost
