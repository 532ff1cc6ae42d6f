"""Ties between stops in JSON: groups, relations, and a price of uneven work.

Relations that contradict each other whatever is served are refused: circles, and stops that are
apart and in one route.
"""

from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.json.documents import BalanceRow, GroupRow, InstanceDocument, RelationRow
from vrpcore.formats.json.stop_columns import NamedTypes
from vrpcore.formats.json.stop_rows import Stops, compact_keys
from vrpcore.instance.constraints import DELIVERY, PICKUP
from vrpcore.instance.relations import Balance, Group, Relation
from vrpcore.instance.vehicle_types import VehicleType

Placed = tuple[Relation, str]  # a relation with its place
_ALONE = ("prize", "priority")  # of a group, not of its members
_MOST_NAMED = 8
_OF_SHIPMENT = -1  # in place of a relation's index


def read_between(
    doc: InstanceDocument, place: str, stops: Stops, types: NamedTypes
) -> dict[str, Any]:
    """`groups`, `relations` and `balance` of `Constraints`, as far as they are given.

    Args:
        doc: The instance.
        place: Begins each message.
        stops: In the order of the instance.
        types: Its vehicle types.

    Raises:
        InstanceError: They name what is not there, or contradict each other; `code` says how.
    """
    parts = dict[str, Any]()
    for key in ("groups", "relations", "balance"):
        if getattr(doc, key) is None:
            continue
        if compact := compact_keys(doc, place):
            message = f"given with '{compact[0]}'; write customers as objects"
            raise fault(f"{place}.{key}", message, "CONFLICT")
    if doc.groups is not None:
        parts["groups"] = _groups(doc.groups, f"{place}.groups", stops)
    if doc.relations is not None:
        parts["relations"] = _relations(doc.relations, f"{place}.relations", stops, types)
    if doc.balance is not None:
        parts["balance"] = read_balance(doc.balance, f"{place}.balance")
    return parts


def read_balance(row: BalanceRow, place: str) -> Balance:
    """Read the price of a unit of the largest value of any vehicle; at least one is named."""
    names = row.__struct_fields__
    found = {name: value for name in names if (value := getattr(row, name)) is not None}
    if not found:
        message = f"empty, expected one or several of {', '.join(names)}"
        raise fault(place, message, "MISSING")
    return Balance(**found)


def check_relation(row: RelationRow, place: str) -> None:
    """Check what the keys of a relation mean to each other, and that it names no stop twice."""
    if row.kind == "apart" and row.vehicle is not None:
        message = "given with the kind 'apart', whose stops are in several routes; leave it out"
        raise fault(f"{place}.vehicle", message, "CONFLICT")
    if row.kind != "chain" and row.at is not None:
        expected = "expected 'chain'; no other has a place in a route"
        message = f"given with the kind '{row.kind}', {expected}"
        raise fault(f"{place}.at", message, "CONFLICT")
    check_once(row.stops, f"{place}.stops")


def check_once(names: Sequence[str | int], place: str) -> None:
    """Check that ids are different as texts (code DUPLICATE)."""
    seen: dict[str, int] = {}
    for index, name in enumerate(map(str, names)):
        if name in seen:
            message = f"{describe(name)} is there twice, also at {place}[{seen[name]}]"
            raise fault(f"{place}[{index}]", message, "DUPLICATE")
        seen[name] = index


def _groups(rows: Sequence[GroupRow], place: str, stops: Stops) -> tuple[Group, ...]:
    units = {stops.unit(row): row + 1 for row in range(len(stops)) if stops.names_unit(row)}
    taken, names = dict[str, str](), dict[str, str]()
    found = []
    for index, row in enumerate(rows):
        where, own_id = f"{place}[{index}]", str(f"group-{index}" if row.id is None else row.id)
        members = [*map(str, row.members)]
        check_once(members, f"{where}.members")
        owner = names.get(own_id) or (own_id in units and stops.at(units[own_id] - 1, "id"))
        if owner:
            message = f"duplicate id {describe(own_id)}, also at {owner}"
            raise fault(f"{where}.id", message, "DUPLICATE")
        names[own_id] = f"{where}.id"
        for position, name in enumerate(members):
            own = f"{where}.members[{position}]"
            if name not in units:
                message = f"no customer or shipment has the id {describe(name)}"
                raise fault(own, message, "UNKNOWN")
            if name in taken:
                message = f"{describe(name)} is at {taken[name]} already"
                raise fault(own, f"{message}, expected at most one group", "DUPLICATE")
            taken[name] = own
            _check_member(stops, units[name] - 1, where)
        numbers = {key: value for key in _ALONE if (value := getattr(row, key)) is not None}
        found.append(Group(own_id, tuple(units[name] for name in members), **numbers))
    return tuple(found)


def _check_member(stops: Stops, row: int, place: str) -> None:
    """A member has neither prize nor priority."""
    for key in _ALONE:
        if getattr(stops.units[row], key) is not None:
            message = f"given for a member of {place}; give it to the group"
            raise fault(stops.at(row, key), message, "CONFLICT")


def _relations(
    rows: Sequence[RelationRow], place: str, stops: Stops, types: NamedTypes
) -> tuple[Relation, ...]:
    """Those that name a stop; nothing follows from others."""
    numbers = {str(name): number for number, name in enumerate(stops.ids, 1)}
    found = list[Placed]()
    for index, row in enumerate(rows):
        where, names = f"{place}[{index}]", [*map(str, row.stops)]
        check_relation(row, where)
        vehicle = None
        if row.vehicle is not None:
            vehicle = types.row(str(row.vehicle), f"{where}.vehicle")
        for position, name in enumerate(names):
            if name not in numbers:
                raise _no_stop(name, f"{where}.stops[{position}]", numbers)
        if names:
            own = tuple(numbers[name] for name in names)
            found.append((Relation(row.kind, own, vehicle, row.at), where))
    check_contradictions(found, stops, types.types)
    return tuple(relation for relation, _ in found)


def _no_stop(name: str, place: str, stops: Mapping[str, int]) -> InstanceError:
    """The error of a stop that is not there, with what may have been meant."""
    ends = [describe(f"{name}{end}") for end in (PICKUP, DELIVERY) if f"{name}{end}" in stops]
    delivery = name.removesuffix(PICKUP) + DELIVERY
    advice = ""
    if ends:
        advice = f"; stops of a shipment are called {' and '.join(ends)}"
    elif name.endswith(PICKUP) and delivery in stops:
        advice = f"; the shipment is on board, its only stop is {describe(delivery)}"
    message = f"no stop has the id {describe(name)}{advice}"
    return fault(place, message, "UNKNOWN")


def check_contradictions(
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
    try:
        TopologicalSorter(before).prepare()
    except CycleError as error:
        circle = error.args[1][1:]  # each before the next, and the last before the first
        first = circle.index(min(circle))  # which the message begins with
        circle = [*circle[first:], *circle[: first + 1]]
    else:
        return
    said = [before[second][first] for first, second in pairwise(circle)]
    shown = [describe(stops.ids[stop - 1]) for stop in circle[:_MOST_NAMED]]
    more = " before ..." if len(circle) > _MOST_NAMED else ""
    others = sorted({relations[each][1] for each in said if each not in (max(said), _OF_SHIPMENT)})
    also = f", with {', '.join(others[:_MOST_NAMED])}" if others else ""
    message = f"a circle: {' before '.join(shown)}{more}{also}; leave one out"
    raise fault(relations[max(said)][1], message, "CONFLICT")


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
