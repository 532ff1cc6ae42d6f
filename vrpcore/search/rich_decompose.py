"""Large plans with constraints, searched in groups of neighbouring routes."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vrpcore.cost.distance import Complex128, instance_points
from vrpcore.cost.timeline import Timeline
from vrpcore.instance.constraints import Constraints
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Plan, Route
from vrpcore.search.decompose import PART_SIZE, SWEEP_ITERATIONS, cut, sweep, sweeps
from vrpcore.search.effort import LARGEST_WHOLE, Effort
from vrpcore.search.rich_evolution import evolve
from vrpcore.search.rich_library import RichSearch
from vrpcore.search.rich_problem import RichProblem

# With a time limit, seconds of one sweep over the parts, per stop.
SWEEP_S = 2e-3


@dataclass(frozen=True, slots=True)
class RouteGroup:
    """Neighbouring routes, and optional stops between them that no route serves.

    Attributes:
        routes: Stops 1..N of the whole.
        left_out: The same.
        counts: Vehicles of each type that it may use; None: as many as needed.
    """

    routes: list[Route]
    left_out: list[int]
    counts: list[int | None]

    @property
    def stops(self) -> list[int]:
        """All stops in the order of the whole."""
        return sorted([*self.left_out, *(stop for route in self.routes for stop in route.stops)])


def search_parts(
    instance: Instance,
    routes: list[Route],
    effort: Effort,
    seed: int,
    *,
    fewest_vehicles: bool = False,
) -> Plan:
    """Sweeps over groups of neighbouring routes, each searched as an instance of its own.

    Args:
        instance: The whole.
        routes: They serve all required stops and keep all limits.
        effort: How much search.
        seed: >= 0; without a time limit equal seeds give equal routes for any number of cores.
        fewest_vehicles: The number of vehicles in use comes before cost.

    Returns:
        A plan that is no worse.
    """
    if effort.watch is not None:
        effort.watch.follow_parts()
    for number, turn in sweeps(effort):
        groups = groups_of(instance, routes, PART_SIZE, turn, number)

        def search(
            index: int, share: Effort, groups: list[RouteGroup] = groups, number: int = number
        ) -> list[Route]:
            return _search_group(instance, groups[index], share, seed + number, fewest_vehicles)

        found = sweep([len(group.stops) for group in groups], effort, SWEEP_S, search)
        routes = [route for part in found for route in part]
        if effort.watch is not None:
            vehicles = len(routes) if fewest_vehicles else 0
            effort.watch.note(_cost_of(instance, routes), vehicles)
    return Plan(routes, cost=_cost_of(instance, routes))


def groups_of(
    instance: Instance, routes: Sequence[Route], size: int, turn: float, number: int
) -> list[RouteGroup]:
    """Groups routes by their direction from the middle of the depots.

    Args:
        instance: With coordinates, routes are ordered by direction.
        routes: Stops 1..N.
        size: Stops per group; a single route may exceed it.
        turn: As for `cut`.
        number: Of the sweep: the vehicles that are left go to other groups first in each.
    """
    constraints = instance.own_constraints
    units = [*(list(route.stops) for route in routes), *_left_out(constraints, routes)]
    offsets = _offsets(instance, units)
    cuts = cut([len(unit) for unit in units], offsets, size, turn)
    counts = _share_vehicles(constraints, routes, cuts, number)
    return [
        RouteGroup(
            [routes[index] for index in indices if index < len(routes)],
            [stop for index in indices if index >= len(routes) for stop in units[index]],
            own,
        )
        for indices, own in zip(cuts, counts, strict=True)
    ]


def _left_out(constraints: Constraints, routes: Sequence[Route]) -> list[list[int]]:
    """Customers, and shipments by both ends, that no route serves."""
    served = {stop for route in routes for stop in route.stops}
    return [
        [stop] if (partner := constraints.partner(stop)) is None else [stop, partner]
        for stop in range(1, constraints.num_stops + 1)
        if stop not in served and (constraints.partner(stop) or stop) >= stop
    ]


def _cost_of(instance: Instance, routes: Sequence[Route]) -> float:
    """Cost of the vehicles plus the prizes of unserved stops."""
    timeline = Timeline(instance)
    schedules = [timeline.schedule(route) for route in routes]
    prizes = [
        instance.own_constraints.prize[unit[0] - 1]
        for unit in _left_out(instance.own_constraints, routes)
    ]
    return math.fsum([*(each.cost for each in schedules if each is not None), *prizes])


def _offsets(instance: Instance, units: Sequence[Sequence[int]]) -> Complex128 | None:
    """Centres of units of stops, as seen from the middle of the depots; None without places."""
    if instance.coords is None:
        return None
    points, depots = instance_points(instance), instance.num_depots
    middle = points[:depots].mean()
    stops = points[depots:]
    return np.array([stops[np.array(unit) - 1].mean() - middle for unit in units])


def _share_vehicles(
    constraints: Constraints, routes: Sequence[Route], cuts: Sequence[Sequence[int]], number: int
) -> list[list[int | None]]:
    """For each group, the vehicles of each type that it uses, and a share of the unused ones."""
    used = [
        Counter(routes[index].vehicle for index in indices if index < len(routes))
        for indices in cuts
    ]
    shares: list[list[int | None]] = [[] for _ in cuts]
    for vehicle, kind in enumerate(constraints.vehicles):
        if kind.count is None:
            for share in shares:
                share.append(None)
            continue
        free = kind.count - sum(each[vehicle] for each in used)
        for index, share in enumerate(shares):
            more = (index + number) % len(cuts) < free % len(cuts)
            share.append(used[index][vehicle] + free // len(cuts) + int(more))
    return shares


def _search_group(
    instance: Instance, group: RouteGroup, effort: Effort, seed: int, fewest_vehicles: bool
) -> list[Route]:
    """Search the routes of a group as an instance of its own; they serve all of their stops."""
    stops = group.stops
    if effort.left() <= 0 or len(stops) > LARGEST_WHOLE:
        return group.routes
    part = instance.take(stops)
    vehicles = tuple(
        replace(vehicle, count=count)
        for vehicle, count in zip(part.own_constraints.vehicles, group.counts, strict=True)
    )
    part = replace(part, constraints=replace(part.own_constraints, vehicles=vehicles))
    number_of = {stop: number for number, stop in enumerate(stops, start=1)}
    problem = RichProblem(part)
    problem.watched(effort)
    search = RichSearch(problem, fewest_vehicles=fewest_vehicles)
    search.begin(seed % 2**64, effort.left())
    kept = search.start(
        [each._replace(stops=tuple(number_of[s] for s in each.stops)) for each in group.routes]
    )
    # The part may read times a little more strictly than the whole.
    if kept < sum(len(each.stops) for each in group.routes):
        return group.routes
    found = evolve(search, SWEEP_ITERATIONS * search.size, effort, seed).plan()
    return [each._replace(stops=tuple(stops[s - 1] for s in each.stops)) for each in found.routes]
