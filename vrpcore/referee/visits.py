"""Visits of stops: shipments, relations, groups, permits, and stops that stay."""

import itertools
from collections.abc import Container, Iterator, Mapping, Sequence

from vrpcore.errors import describe
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import ANY_VEHICLE, Plan, Route
from vrpcore.instance.relations import Relation
from vrpcore.instance.service_unit import stop_groups
from vrpcore.instance.solution import Solution

# Of a stop, the route that serves it, and its position there.
Visits = Mapping[int, tuple[int, int]]


def visits_of(
    instance: Instance, solution: Solution
) -> tuple[list[tuple[int, ...]], Visits, list[str]]:
    """The known stops of each route, the first visit of each stop, and what is wrong in words."""
    numbers, routes, problems = instance.numbers, [], []
    visits: dict[int, tuple[int, int]] = {}
    for row, route in enumerate(solution.routes):
        stops = []
        for column, identifier in enumerate(route.customers):
            stop = numbers.get(identifier)
            if stop is None or stop in visits:
                where, shown = f"routes[{row}].customers[{column}]", describe(identifier)
                wrong = "is visited twice" if stop else "is not a customer of the instance"
                problems.append(f"{where}: {'customer ' if stop else ''}{shown} {wrong}")
            if stop is not None:
                visits.setdefault(stop, (row, column))
                stops.append(stop)
        routes.append(tuple(stops))
    return routes, visits, problems


def broken_shipments(instance: Instance, visits: Visits) -> Iterator[str]:
    """Shipments that are not picked up and then delivered by one vehicle, in words."""
    for identifier, stops in stop_groups(instance):
        if len(stops) == 1:
            continue
        name, first, last = describe(identifier), *(visits.get(stop) for stop in stops)
        if first is None and last is None:
            continue
        if first is None or last is None:
            missing = "picked up" if first is None else "delivered"
            yield f"routes: shipment {name} is never {missing}"
        elif first[0] != last[0]:
            ends = f"picked up in routes[{first[0]}] and delivered in routes[{last[0]}]"
            yield f"routes: shipment {name} is {ends}"
        elif first[1] > last[1]:
            yield f"routes[{first[0]}]: shipment {name} is delivered before it is picked up"


def broken_ties(
    instance: Instance, solution: Solution, visits: Visits, *, forgives: bool
) -> Iterator[str]:
    """Relations that do not hold among stops that are served, and groups served twice, in words.

    The vehicle types that relations name are looked at with the routes.

    Args:
        instance: With constraints.
        solution: The answer.
        visits: Of its routes.
        forgives: Frozen stops may break them.
    """
    frozen = set(_frozen_stops(instance, solution, visits)) if forgives else set()
    for row, relation in enumerate(instance.own_constraints.relations):
        stops = [stop for stop in relation.stops if stop in visits]
        if not stops or not frozen.isdisjoint(stops):
            continue
        if (problem := next(_broken(instance, relation, stops, visits), None)) is not None:
            yield f"relations[{row}]: {problem}, which {relation.kind!r} does not allow"
        elif relation.at is not None:
            end, word = (0, "first") if relation.at == "start" else (-1, "last")
            route, position = visits[stops[end]]
            if position != range(len(solution.routes[route].customers))[end]:
                name = _named(instance, stops[end])
                yield f"relations[{row}]: {name} is not the {word} stop of routes[{route}]"
    yield from _crowded_groups(instance, visits, frozen)


def _frozen_stops(instance: Instance, solution: Solution, visits: Visits) -> Iterator[int]:
    """Stops that are frozen, or next, or deliver what has been picked up there."""
    for stop, (row, position) in visits.items():
        schedule = solution.routes[row].schedule
        partner = instance.own_constraints.partner(stop) or stop
        first = min(position, visits.get(partner, (row, position))[1])
        if schedule is None or schedule.frozen is None or first > schedule.frozen:
            continue
        if solution.freeze is None or schedule.departure < solution.freeze:
            yield stop


def _broken(
    instance: Instance, relation: Relation, stops: Sequence[int], visits: Visits
) -> Iterator[str]:
    if relation.kind == "apart":
        first: dict[int, int] = {}
        for stop in stops:
            other = first.setdefault(visits[stop][0], stop)
            if other != stop:
                yield f"{_named(instance, other, stop)} are both in routes[{visits[stop][0]}]"
        return
    for one, other in itertools.pairwise(stops):
        (route, position), (next_route, next_position) = visits[one], visits[other]
        names = _named(instance, one, other)
        if route != next_route:
            yield f"{names} are in routes[{route}] and routes[{next_route}]"
        elif relation.kind != "together" and next_position < position:
            yield f"{names} come the other way round in routes[{route}]"
        elif relation.kind == "chain" and next_position > position + 1:
            yield f"stops are between {names} in routes[{route}]"


def _named(instance: Instance, *stops: int) -> str:
    return " and ".join(describe(instance.ids[stop - 1]) for stop in stops)


def _crowded_groups(instance: Instance, visits: Visits, frozen: Container[int]) -> Iterator[str]:
    """Groups of which more than one member is served, and none is frozen."""
    groups = instance.own_constraints.groups
    units = {stops[0]: (name, stops) for name, stops in stop_groups(instance)} if groups else {}
    for row, group in enumerate(groups):
        members = [units[stop] for stop in group.members]
        names = [describe(name) for name, stops in members if any(each in visits for each in stops)]
        if len(names) > 1 and not any(stop in frozen for stop in group.members):
            yield f"groups[{row}]: {' and '.join(names)} are served, expected one of them"


class Permits:
    """Permits of vehicle types to serve stops, by `vehicles`, relations and what is on board.

    Args:
        instance: With constraints.
    """

    def __init__(self, instance: Instance) -> None:
        self._constraints = constraints = instance.own_constraints
        # Of a stop, the type that each relation names, with the relation's position.
        self._tied: dict[int, list[tuple[int, int]]] = {}
        for row, relation in enumerate(constraints.relations):
            if relation.vehicle is not None:
                for stop in relation.stops:
                    self._tied.setdefault(stop, []).append((relation.vehicle, row))

    def obstacle(self, vehicle: int, stop: int) -> str | None:
        """The obstacle to serving a stop, but for skills, in words; None: there is none."""
        constraints = self._constraints
        if constraints.allowed is not None and not constraints.allowed[vehicle, stop - 1]:
            return "the vehicle is not among its vehicles"
        owner = -1 if constraints.on_board is None else int(constraints.on_board[stop - 1])
        if owner not in (-1, vehicle):
            return f"it is on board {describe(constraints.vehicles[owner].id)}"
        for named, row in self._tied.get(stop, ()):
            if named != vehicle:
                name = describe(constraints.vehicles[named].id)
                return f"relations[{row}] asks for vehicle {name}"
        return None


def unfit_counts(known: Plan, routes: Sequence[Route], solution: Solution) -> Iterator[str]:
    """Messages for wrong `kept` and `moved` counts.

    Args:
        known: The plan that was to be kept.
        routes: Of the answer.
        solution: The answer.
    """
    kept, moved = kept_and_moved(known.routes, routes)
    for key, stated, expected in (("kept", solution.kept, kept), ("moved", solution.moved, moved)):
        if stated != expected:
            yield f"{key}: {describe(stated)}, expected {expected}"


def kept_and_moved(known: Sequence[Route], routes: Sequence[Route]) -> tuple[int, int]:
    """Count stops that stay, and others, where routes are matched for the most to stay.

    Each known route is matched with at most one route, of the same type where it names one. Stops
    that only one of the plans serves count neither way. One known route after the other is added
    along the path that gains most (successive shortest paths; Ahuja, Magnanti and Orlin 1993,
    section 12.4).

    Args:
        known: The plan that was to be kept; a stop belongs to the first that has it.
        routes: Of the answer.
    """
    served = {stop: row for row, route in enumerate(routes) for stop in route.stops}
    counted: set[int] = set()
    # Of a known route, how many stops it has in common with each route that may stand for it.
    shares: list[dict[int, int]] = [{} for _ in known]
    for row, route in enumerate(known):
        for stop in route.stops:
            if stop in served and stop not in counted:
                counted.add(stop)
                other = served[stop]
                if route.vehicle in (ANY_VEHICLE, routes[other].vehicle):
                    shares[row][other] = shares[row].get(other, 0) + 1
    match: dict[int, int] = {}  # of a route, the known route that it is matched with
    kept = 0
    for row in range(len(known)):
        gain, path = _best_path(shares, match, row)
        kept += gain
        match.update((other, one) for one, other in path)
    return kept, len(counted) - kept


def _best_path(
    shares: Sequence[Mapping[int, int]], match: Mapping[int, int], row: int
) -> tuple[int, list[tuple[int, int]]]:
    """The gain of one more known route, and the pairs that change then."""
    best = {row: (0, list[tuple[int, int]]())}  # of a known route that is free: gain and pairs
    waiting, found = [row], (0, list[tuple[int, int]]())
    while waiting:
        free = waiting.pop(0)
        gain, path = best[free]
        for other, number in shares[free].items():
            loser = match.get(other)
            more, longer = gain + number, [*path, (free, other)]
            if loser is None:
                if more > found[0]:
                    found = more, longer
            elif loser != free:
                more -= shares[loser][other]
                if loser not in best or more > best[loser][0]:
                    best[loser] = more, longer
                    waiting.append(loser)
    return max([found, *(each for loser, each in best.items() if loser != row)], key=lambda x: x[0])
