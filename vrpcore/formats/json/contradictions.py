"""Relations that contradict each other whatever is served: circles, apart and in one route."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from vrpcore.errors import describe, fault
from vrpcore.formats.json.stop_rows import Stops
from vrpcore.instance.constraints import PICKUP
from vrpcore.instance.relations import Relation
from vrpcore.instance.vehicle_types import VehicleType

Placed = tuple[Relation, str]  # a relation with its place
_MOST_NAMED = 8
_OF_SHIPMENT = -1  # in place of a relation's index


def check_relations(
    relations: Sequence[Placed], stops: Stops, types: Sequence[VehicleType]
) -> None:
    """Checks all that no answer could keep, directly, even with all stops served.

    Args:
        relations: With their places.
        stops: Of the instance.
        types: Of the instance.

    Raises:
        InstanceError: There is a circle, two stops are to be in one route and apart, or two chains
            are to be at the same end of the only vehicle of a type (code CONFLICT).
    """
    if not relations:
        return
    pairs = [
        (number, number + 1) for number, end in enumerate(stops.ends, start=1) if end == PICKUP
    ]
    _check_circles(relations, pairs, stops)
    _check_apart(relations, pairs, stops)
    _check_ends(relations, types)


def _check_circles(
    relations: Sequence[Placed], pairs: Sequence[tuple[int, int]], stops: Stops
) -> None:
    before: dict[int, dict[int, int]] = {}  # of a stop: who comes before it, and who says so
    for first, second in pairs:
        before.setdefault(second, {})[first] = _OF_SHIPMENT
    for index, (relation, _) in enumerate(relations):
        if relation.kind in ("order", "chain"):
            for first, second in pairwise(relation.stops):
                before.setdefault(second, {}).setdefault(first, index)
    if not (circle := _circle(before)):
        return
    said = [before[second][first] for first, second in pairwise(circle)]
    shown = [describe(stops.ids[stop - 1]) for stop in circle[:_MOST_NAMED]]
    more = " before ..." if len(circle) > _MOST_NAMED else ""
    others = sorted({relations[each][1] for each in said if each not in (max(said), _OF_SHIPMENT)})
    also = f", with {', '.join(others[:_MOST_NAMED])}" if others else ""
    message = f"a circle: {' before '.join(shown)}{more}{also}; leave one out"
    raise fault(relations[max(said)][1], message, "CONFLICT")


def _circle(before: Mapping[int, Mapping[int, int]]) -> list[int]:
    """Stops of which each comes before the next, the first also at the end; empty: none."""
    after: dict[int, list[int]] = {}
    for second, firsts in before.items():
        for first in firsts:
            after.setdefault(first, []).append(second)
    waiting = {second: len(firsts) for second, firsts in before.items()}
    free = [first for first in after if first not in waiting]
    while free:
        for second in after.get(free.pop(), ()):
            waiting[second] -= 1
            if not waiting[second]:
                del waiting[second]
                free.append(second)
    if not waiting:
        return []
    # Each stop that waits has one before it that waits: going back comes to a stop again.
    path, seen = [min(waiting)], dict[int, int]()
    while path[-1] not in seen:
        seen[path[-1]] = len(path) - 1
        path.append(next(first for first in before[path[-1]] if first in waiting))
    return path[seen[path[-1]] :][::-1]


def _check_apart(
    relations: Sequence[Placed], pairs: Iterable[tuple[int, int]], stops: Stops
) -> None:
    joined: dict[int, list[int]] = {}  # of a stop: the relations that put it into one route
    places = dict(enumerate(place for _, place in relations))
    for index, (relation, _) in enumerate(relations):
        if relation.kind != "apart":
            for stop in relation.stops:
                joined.setdefault(stop, []).append(index)
    for number, pair in enumerate(pairs, start=len(relations)):
        places[number] = stops.where(pair[0] - 1).rpartition(".")[0]
        for stop in pair:
            joined.setdefault(stop, []).append(number)
    for relation, place in relations:
        if relation.kind != "apart":
            continue
        seen: dict[int, int] = {}  # of a relation: the stop that it joins
        for stop in relation.stops:
            for index in joined.get(stop, ()):
                if index in seen:
                    both = [describe(stops.ids[each - 1]) for each in (seen[index], stop)]
                    message = f"{both[0]} and {both[1]} apart, but {places[index]} puts them into"
                    raise fault(place, f"{message} one route", "CONFLICT")
                seen[index] = stop


def _check_ends(relations: Sequence[Placed], types: Sequence[VehicleType]) -> None:
    seen: dict[tuple[int, str], str] = {}
    for relation, place in relations:
        vehicle, end = relation.vehicle, relation.at
        if vehicle is None or end is None or types[vehicle].count != 1:
            continue
        if (vehicle, end) in seen:
            name = describe(types[vehicle].id)
            message = f"a second chain at the {end} of {name}, of which there is one vehicle"
            raise fault(place, f"{message}; the other is {seen[vehicle, end]}", "CONFLICT")
        seen[vehicle, end] = place
