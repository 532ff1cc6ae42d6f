"""Groups, relations and the price of uneven work, as `vrp-instances/1` has them."""

from typing import Any

from vrpcore.formats.json.json_numbers import json_number
from vrpcore.instance.attributes import attributes_of
from vrpcore.instance.constraints import DELIVERY, PICKUP, Constraints
from vrpcore.instance.instance import CustomerId, Instance
from vrpcore.instance.relations import Balance

Written = dict[str, Any]


def between_to_dict(instance: Instance) -> Written:
    """Those of the keys `groups`, `relations` and `balance` that an instance needs."""
    constraints, found = instance.own_constraints, Written()
    if constraints.groups:
        found["groups"] = _groups(instance, constraints)
    if constraints.relations:
        found["relations"] = _relations(instance, constraints)
    if constraints.balance is not None:
        found["balance"] = _balance(constraints.balance)
    return found


def _groups(instance: Instance, constraints: Constraints) -> list[Written]:
    """One for each; ids are left out where all are the default ones."""
    groups = constraints.groups
    named = any(each.id != f"group-{row}" for row, each in enumerate(groups))
    rows = []
    for each in groups:
        found: Written = {"id": each.id} if named else {}
        found["members"] = [_unit(instance, constraints, stop) for stop in each.members]
        if each.prize != float("inf"):
            found["prize"] = json_number(each.prize)
        if each.priority:
            found["priority"] = each.priority
        rows.append(found)
    return rows


def _unit(instance: Instance, constraints: Constraints, stop: int) -> CustomerId:
    """The id of a customer, or of the shipment whose stop it is."""
    name = instance.ids[stop - 1]
    if constraints.partner(stop) is not None:
        return str(name).removesuffix(PICKUP)
    if constraints.on_board is not None and constraints.on_board[stop - 1] >= 0:
        return str(name).removesuffix(DELIVERY)
    return name


def _relations(instance: Instance, constraints: Constraints) -> list[Written]:
    rows = []
    for each in constraints.relations:
        found: Written = {
            "kind": each.kind,
            "stops": [instance.ids[stop - 1] for stop in each.stops],
        }
        if each.vehicle is not None:
            found["vehicle"] = constraints.vehicles[each.vehicle].id
        if each.at is not None:
            found["at"] = each.at
        rows.append(found)
    return rows


def _balance(balance: Balance) -> Written:
    """The prices of a balance; where all are 0, the first one, so that it is written."""
    values = {each.key: getattr(balance, each.name) for each in attributes_of(Balance)}
    priced = {key: json_number(value) for key, value in values.items() if value}
    return priced or {next(iter(values)): 0}
