"""Ties between stops in JSON: groups, relations, and a price of uneven work."""

from collections.abc import Mapping, Sequence
from typing import Any

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.json.contradictions import check_relations
from vrpcore.formats.json.documents import BalanceRow, GroupRow, InstanceDocument, RelationRow
from vrpcore.formats.json.stop_columns import NamedTypes
from vrpcore.formats.json.stop_rows import COMPACT, Stops
from vrpcore.instance.constraints import DELIVERY, PICKUP
from vrpcore.instance.relations import Balance, Group, Relation

_ALONE = ("prize", "priority")  # of a group, not of its members


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
        if compact := [each for each in COMPACT if getattr(doc, each) is not None]:
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
    found: list[tuple[Relation, str]] = []
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
    return fault(place, message, "UNKNOWN")
