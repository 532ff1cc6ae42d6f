"""Relations that stand in the way of stops that could be served by themselves: found by trying."""

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from vrpcore.cost.no_road import Legs
from vrpcore.cost.timeline import Timeline
from vrpcore.cost.trips import trips_of
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Route
from vrpcore.instance.relations import Relation
from vrpcore.instance.service_unit import Unit
from vrpcore.solve.unserved import ALONE, first_miss

_MOST_TRIES = 2000  # routes that are timed, for all units together

# Of a stop, the route that serves it, and its position there.
_Visits = Mapping[int, tuple[int, int]]


class StandingRelations:
    """Tries to insert units into routes, and to give them a vehicle that is left.

    Args:
        instance: With constraints.
        timeline: Of the instance.
        routes: Of the answer.
        legs: Of the instance.
    """

    def __init__(
        self, instance: Instance, timeline: Timeline, routes: Sequence[Route], legs: Legs
    ) -> None:
        self._instance, self._constraints = instance, instance.own_constraints
        self._timeline, self._legs, self._routes = timeline, legs, list(routes)
        self._tries = _MOST_TRIES
        used = Counter(route.vehicle for route in routes)
        self._left = [
            row
            for row, vehicle in enumerate(self._constraints.vehicles)
            if vehicle.count is None or used[row] < vehicle.count
        ]

    def of(self, unit: Unit) -> str | None:
        """The relation but for which a unit would be served, in words; None: there is none.

        With a prize, being served must also cost less.
        """
        if not self._constraints.relations:
            return None
        found: int | None = None
        for row, route in self._insertions(unit):
            if self._tries == 0:
                return None
            self._tries -= 1
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
        """Whether a route is one, whatever relations say, and costs less more than a prize."""
        if not self._is_permitted(route) or not _are_trips(self._instance, route):
            return False
        if first_miss(self._instance, self._timeline, route, self._legs)[0] < len(ALONE):
            return False
        found = self._timeline.schedule(route)
        if found is None or math.isinf(prize):
            return found is not None
        before = None if row == len(self._routes) else self._timeline.schedule(self._routes[row])
        return found.cost - (0.0 if before is None else before.cost) < prize

    def _is_permitted(self, route: Route) -> bool:
        allowed, on_board = self._constraints.allowed, self._constraints.on_board
        rows = [stop - 1 for stop in route.stops]
        if allowed is not None and not allowed[route.vehicle, rows].all():
            return False
        return on_board is None or all(on_board[row] in (-1, route.vehicle) for row in rows)

    def _broken(self, row: int, route: Route) -> int | None:
        """The first relation that a route in place of another breaks; None: there is none."""
        routes = [*self._routes[:row], route, *self._routes[row + 1 :]]
        visits = {
            stop: (number, position)
            for number, each in enumerate(routes)
            for position, stop in enumerate(each.stops)
        }
        own = set(route.stops)
        return next(
            (
                number
                for number, each in enumerate(self._constraints.relations)
                if not own.isdisjoint(each.stops) and not holds(each, routes, visits)
            ),
            None,
        )


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
    """Whether a relation holds among those of its stops that are served.

    Args:
        relation: The relation.
        routes: Of a plan.
        visits: Of each stop, its route and its position there.
    """
    found = [visits[stop] for stop in relation.stops if stop in visits]
    if not found:
        return True
    if relation.kind == "apart":
        return len({row for row, _ in found}) == len(found)
    (row, first), last = found[0], found[-1][1]
    if any(each != row for each, _ in found):
        return False
    if relation.vehicle is not None and routes[row].vehicle != relation.vehicle:
        return False
    steps = [later - before for (_, before), (_, later) in itertools.pairwise(found)]
    if relation.kind == "order" and min(steps, default=1) < 1:
        return False
    if relation.kind == "chain" and any(step != 1 for step in steps):
        return False
    if relation.at == "start" and first > 0:
        return False
    return relation.at != "end" or last == len(routes[row].stops) - 1


def _are_trips(instance: Instance, route: Route) -> bool:
    """Whether shipments stay in a trip, and pickups and deliveries are in a permitted order."""
    constraints, trips = instance.own_constraints, trips_of(route)
    delivers = [bool(each.any()) for each in constraints.delivery]
    picks = [bool(each.any()) for each in constraints.pickup]
    for number, trip in enumerate(trips):
        kinds = [(picks[stop - 1], delivers[stop - 1]) for stop in trip]
        if constraints.backhauls == "last":
            picked = itertools.accumulate((kind[0] for kind in kinds[:-1]), max, initial=False)
            if any(before and kind[1] for before, kind in zip(picked, kinds, strict=True)):
                return False
        for stop in trip:
            partner = constraints.partner(stop)
            if partner is not None and partner not in trip:
                return False
            if number and constraints.on_board is not None and constraints.on_board[stop - 1] >= 0:
                return False
    only = any(picks[stop - 1] for stop in route.stops)
    only = only and not any(delivers[stop - 1] for stop in route.stops)
    return constraints.pickup_only_routes or not only
