"""What ties stops to each other in JSON: groups, relations, and a price of uneven work."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.json.constrained_json import COMPACT
from vrpcore.formats.json.contradictions import check_relations
from vrpcore.formats.json.key_schema import Fields, check_list
from vrpcore.formats.json.keys import BALANCE, GROUP, RELATION
from vrpcore.formats.json.stop import Stop
from vrpcore.formats.json.stop_columns import NamedTypes
from vrpcore.instance.constraints import DELIVERY, PICKUP
from vrpcore.instance.relations import MAX_GROUPS, MAX_RELATIONS, Balance, Group, Relation

_ALONE = ("prize", "priority")  # of a group, not of its members


class GroupRow(NamedTuple):
    """A group as it is given; `members` are ids of customers and shipments."""

    id: str
    members: tuple[str, ...]
    numbers: Mapping[str, Any]


class RelationRow(NamedTuple):
    """A relation as it is given, with ids of stops and of a vehicle type."""

    relation: Relation
    stops: tuple[str, ...]
    vehicle: str | None


def read_between(
    found: Fields, place: str, stops: Sequence[Stop], types: NamedTypes
) -> dict[str, Any]:
    """`groups`, `relations` and `balance` of `Constraints`, as far as they are given.

    Args:
        found: The keys of an instance.
        place: Begins each message.
        stops: In the order of the instance.
        types: Its vehicle types.

    Raises:
        InstanceError: They name what is not there, or contradict each other; `code` says how.
    """
    parts = dict[str, Any]()
    for key in ("groups", "relations", "balance"):
        if key not in found:
            continue
        if compact := [each for each in COMPACT if each in found]:
            message = f"given with '{compact[0]}'; write customers as objects"
            raise fault(f"{place}.{key}", message, "CONFLICTING_KEYS")
        where, value = f"{place}.{key}", found.raw(key)
        if key == "groups":
            parts[key] = _read_groups(value, where, stops)
        elif key == "relations":
            parts[key] = _read_relations(value, where, stops, types)
        else:
            parts[key] = read_balance(value, where)
    return parts


def read_balance(value: object, place: str) -> Balance:
    """What a unit of the largest value of any vehicle costs; at least one is named."""
    fields = Fields(value, place, BALANCE)
    if not fields.has_any(BALANCE):
        names = ", ".join(BALANCE)
        raise fault(place, f"empty, expected one or several of {names}", "MISSING_KEY")
    return Balance(**{key: fields[key] for key in BALANCE if key in fields})


def read_group(row: object, place: str, index: int) -> GroupRow:
    """One group; `index` makes the id of one that has none.

    Raises:
        InstanceError: A key is not what it should be, or a member is named twice.
    """
    fields = Fields(row, place, GROUP)
    group = GroupRow(
        str(fields.get("id", f"group-{index}")),
        fields["members"],
        {key: fields[key] for key in _ALONE if key in fields},
    )
    _check_once(group.members, f"{place}.members")
    return group


def read_relation(row: object, place: str) -> RelationRow:
    """One relation.

    Raises:
        InstanceError: A key is not what it should be, or a stop is named twice.
    """
    fields = Fields(row, place, RELATION)
    kind = fields["kind"]
    if kind == "apart" and "vehicle" in fields:
        message = "given with the kind 'apart', whose stops are in several routes; leave it out"
        raise fault(f"{place}.vehicle", message, "CONFLICTING_KEYS")
    if kind != "chain" and "at" in fields:
        message = f"given with the kind '{kind}', expected 'chain'; no other has a place in a route"
        raise fault(f"{place}.at", message, "CONFLICTING_KEYS")
    stops, vehicle = fields["stops"], fields.get("vehicle")
    _check_once(stops, f"{place}.stops")
    relation = Relation(kind, (), None, fields.get("at"))
    return RelationRow(relation, stops, None if vehicle is None else str(vehicle))


def _check_once(names: Sequence[str], place: str) -> None:
    seen: dict[str, int] = {}
    for index, name in enumerate(names):
        if name in seen:
            message = f"{describe(name)} is there twice, also at {place}[{seen[name]}]"
            raise fault(f"{place}[{index}]", message, "DUPLICATE_ID")
        seen[name] = index


def _read_groups(value: object, place: str, stops: Sequence[Stop]) -> tuple[Group, ...]:
    rows = _limited(value, place, "groups", MAX_GROUPS)
    units = {stop.unit: number for number, stop in enumerate(stops, 1) if stop.names_unit}
    taken, names = dict[str, str](), dict[str, str]()
    found = []
    for index, row in enumerate(rows):
        where = f"{place}[{index}]"
        group = read_group(row, where, index)
        owner = names.get(group.id) or (group.id in units and stops[units[group.id] - 1].own_id)
        if owner:
            message = f"duplicate id {describe(group.id)}, also at {owner}"
            raise fault(f"{where}.id", message, "DUPLICATE_ID")
        names[group.id] = f"{where}.id"
        for position, name in enumerate(group.members):
            own = f"{where}.members[{position}]"
            if name not in units:
                message = f"no customer or shipment has the id {describe(name)}"
                raise fault(own, message, "UNKNOWN_ID")
            if name in taken:
                message = f"{describe(name)} is at {taken[name]} already"
                raise fault(own, f"{message}, expected at most one group", "DUPLICATE_ID")
            taken[name] = own
            _check_member(stops[units[name] - 1], where)
        found.append(Group(group.id, tuple(units[n] for n in group.members), **group.numbers))
    return tuple(found)


def _check_member(stop: Stop, place: str) -> None:
    """A member has neither prize nor priority."""
    for key in _ALONE:
        if key in stop.numbers:
            message = f"given for a member of {place}; give it to the group"
            raise fault(stop.at(key), message, "CONFLICTING_KEYS")


def _read_relations(
    value: object, place: str, stops: Sequence[Stop], types: NamedTypes
) -> tuple[Relation, ...]:
    """Those that name a stop; nothing follows from others."""
    rows = _limited(value, place, "relations", MAX_RELATIONS)
    numbers = {str(stop.id): number for number, stop in enumerate(stops, 1)}
    found: list[tuple[Relation, str]] = []
    for index, row in enumerate(rows):
        where = f"{place}[{index}]"
        given = read_relation(row, where)
        vehicle = None if given.vehicle is None else types.row(given.vehicle, f"{where}.vehicle")
        for position, name in enumerate(given.stops):
            if name not in numbers:
                raise _no_stop(name, f"{where}.stops[{position}]", numbers)
        own = tuple(numbers[name] for name in given.stops)
        if own:
            found.append((given.relation._replace(stops=own, vehicle=vehicle), where))
    check_relations(found, stops, types.types)
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
    return fault(place, message, "UNKNOWN_ID")


def _limited(value: object, place: str, what: str, most: int) -> Sequence[object]:
    rows = check_list(value, place, what)
    if len(rows) > most:
        raise fault(place, f"{len(rows)} {what}, the limit is {most}", "SHAPE")
    return rows
