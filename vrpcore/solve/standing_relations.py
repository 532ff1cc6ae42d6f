"""Relations that stand in the way of stops that could be served by themselves: found by trying."""

import itertools
import math
from collections import ChainMap, Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from vrpcore.cost.route_schedule import Schedule
from vrpcore.cost.trips import trips_of
from vrpcore.instance.instance import LOAD_TOLERANCE, Instance
from vrpcore.instance.plan import Route
from vrpcore.instance.relations import Relation
from vrpcore.instance.service_unit import Unit

if TYPE_CHECKING:
    from vrpcore.replan.going_on import AnswerTimes

# What is tried for all units together, in stops of routes; a route as such counts as some more.
_MOST_STOPS = 60_000
_ROUTE_STOPS = 20

# Of a stop, the route that serves it, and its position there.
_Visits = Mapping[int, tuple[int, int]]


class StandingRelations:
    """Tries to insert units into routes, and to give them a vehicle that is left.

    Args:
        instance: With constraints.
        times: Of the answer.
        routes: Of the answer.
    """

    def __init__(self, instance: Instance, times: "AnswerTimes", routes: Sequence[Route]) -> None:
        self._constraints = instance.own_constraints
        self._times, self._routes = times, list(routes)
        self._tried = 0
        self._delivers = [bool(each.any()) for each in self._constraints.delivery]
        self._picks = [bool(each.any()) for each in self._constraints.pickup]
        self._visits = {
            stop: visit for row, route in enumerate(routes) for stop, visit in _visits(row, route)
        }
        self._relations: defaultdict[int, list[int]] = defaultdict(list)
        for number, relation in enumerate(self._constraints.relations):
            for stop in relation.stops:
                self._relations[stop].append(number)
        used = Counter(route.vehicle for route in routes)
        self._left = [
            row
            for row, vehicle in enumerate(self._constraints.vehicles)
            if vehicle.count is None or used[row] < vehicle.count
        ]

    @cached_property
    def _permits(self) -> NDArray[np.bool_]:
        """[T, N], who may serve whom, but for relations."""
        return replace(self._constraints, relations=()).permits()

    def of(self, unit: Unit) -> str | None:
        """The relation but for which a unit would be served, in words; None: there is none.

        With a prize, being served must also cost less.
        """
        if not self._constraints.relations:
            return None
        found: int | None = None
        for row, route in self._insertions(unit):
            self._tried += _ROUTE_STOPS + len(route.stops)
            if self._tried > _MOST_STOPS:
                return None
            if not self._is_worth(row, route, unit.prize):
                continue
            broken = self._broken(row, route)
            if broken is None:
                return None
            found = broken if found is None else found
        if found is None:
            return None
        return f"relations[{found}] ({self._constraints.relations[found].kind})"

    def _insertions(self, unit: Unit) -> Iterator[tuple[int, Route]]:
        """Routes with a member of a unit, and the position of the route that each replaces."""
        for _, stops in unit.members:
            for row, route in enumerate(self._routes):
                yield from ((row, each) for each in inserted(route, stops))
            for vehicle in self._left:
                yield len(self._routes), Route(vehicle, tuple(stops))

    def _is_worth(self, row: int, route: Route, prize: float) -> bool:
        """Return whether a route may be, but for relations, and adds less cost than a prize."""
        rows = [stop - 1 for stop in route.stops]
        if not self._permits[route.vehicle, rows].all() or not self._are_trips(route):
            return False
        found = self._times.schedule(row, route) if self._may_carry(row, route) else None
        if found is None or not self._is_short_enough(route, found):
            return False
        if math.isinf(prize):
            return True
        is_new = row == len(self._routes)
        before = None if is_new else self._times.schedule(row, self._routes[row])
        return found.cost - (0.0 if before is None else before.cost) < prize

    def _may_carry(self, row: int, route: Route) -> bool:
        """Return whether its vehicle has the skills and the room for its stops."""
        vehicle = self._constraints.vehicles[route.vehicle]
        return (
            all(self._constraints.may_serve(route.vehicle, stop) for stop in route.stops)
            and len(route.stops) <= vehicle.max_stops
            and all(
                load <= most * (1 + LOAD_TOLERANCE)
                for load, most in zip(self._times.load(row, route), vehicle.capacity, strict=True)
            )
        )

    def _is_short_enough(self, route: Route, found: Schedule) -> bool:
        """Return whether its duration, travel time and distance are within their limits."""
        vehicle, slack = self._constraints.vehicles[route.vehicle], self._times.slack
        return (
            found.duration <= vehicle.max_duration + vehicle.max_overtime + slack
            and found.travel <= vehicle.max_travel_time + slack
            and found.distance <= vehicle.max_distance * (1 + LOAD_TOLERANCE)
        )

    def _broken(self, row: int, route: Route) -> int | None:
        """The first relation that a route in place of another breaks; None: there is none."""
        routes = [*self._routes[:row], route, *self._routes[row + 1 :]]
        visits = ChainMap(dict(_visits(row, route)), self._visits)
        relations = self._constraints.relations
        own = sorted({number for stop in route.stops for number in self._relations.get(stop, ())})
        return next((each for each in own if not holds(relations[each], routes, visits)), None)

    def _are_trips(self, route: Route) -> bool:
        """Return whether shipments stay in a trip, and pickups and deliveries are in order."""
        constraints = self._constraints
        for number, trip in enumerate(trips_of(route)):
            kinds = [(self._picks[stop - 1], self._delivers[stop - 1]) for stop in trip]
            if constraints.backhauls == "last":
                picked = itertools.accumulate((kind[0] for kind in kinds[:-1]), max, initial=False)
                if any(before and kind[1] for before, kind in zip(picked, kinds, strict=True)):
                    return False
            for stop in trip:
                partner, on_board = constraints.partner(stop), constraints.on_board
                if partner is not None and partner not in trip:
                    return False
                if number and on_board is not None and on_board[stop - 1] >= 0:
                    return False
        only = any(self._picks[stop - 1] for stop in route.stops)
        only = only and not any(self._delivers[stop - 1] for stop in route.stops)
        return constraints.pickup_only_routes or not only


def _visits(row: int, route: Route) -> Iterator[tuple[int, tuple[int, int]]]:
    """Each stop of a route, with the position of the route and its own."""
    return ((stop, (row, position)) for position, stop in enumerate(route.stops))


def inserted(route: Route, stops: Sequence[int]) -> Iterator[Route]:
    """The route with some stops at all positions, in their order.

    Args:
        route: At least one stop.
        stops: One or two.
    """
    first, *others = stops
    for at in range(len(route.stops) + 1):
        for more in _at(route, at, first):
            if not others:
                yield more
                continue
            for later in range(at + 1, len(more.stops) + 1):
                yield from _at(more, later, others[0])


def _at(route: Route, at: int, stop: int) -> Iterator[Route]:
    """The route with a stop at a position: where a vehicle reloads there, before and after it."""
    stops = (*route.stops[:at], stop, *route.stops[at:])
    later = tuple(each._replace(after=each.after + (each.after > at)) for each in route.reloads)
    yield route._replace(stops=stops, reloads=later)
    if any(each.after == at for each in route.reloads):
        before = (each._replace(after=each.after + (each.after >= at)) for each in route.reloads)
        yield route._replace(stops=stops, reloads=tuple(before))


def holds(relation: Relation, routes: Sequence[Route], visits: _Visits) -> bool:
    """Return whether a relation holds among those of its stops that are served.

    Args:
        relation: The relation.
        routes: Of a plan.
        visits: Of each stop, its route and its position there.
    """
    found = [visits[stop] for stop in relation.stops if stop in visits]
    if not found or relation.is_broken(found):
        return not found
    row, last = found[-1]
    if relation.vehicle not in (None, routes[row].vehicle):
        return False
    return relation.at != "end" or last == len(routes[row].stops) - 1
