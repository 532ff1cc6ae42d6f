"""Depots and stops of an instance with constraints, one by one."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.json.jsonparse import JsonObject
from vrpcore.formats.json.key_schema import POINT, Fields, check_few, check_list
from vrpcore.formats.json.keys import (
    CONSTRAINTS,
    CUSTOMER,
    DEPOT,
    NUMBERS_BY_VEHICLE,
    PLAIN_CUSTOMER,
    SHIPMENT,
    VISIT,
    check_amount,
    check_not_negative,
    check_window,
)
from vrpcore.formats.json.stop import Place, Stop
from vrpcore.instance.attributes import Attribute, attributes_of, completed
from vrpcore.instance.constraints import DELIVERY, PICKUP, UNIT_NUMBERS, VISIT_NUMBERS
from vrpcore.instance.vehicle_types import ALWAYS, MAX_DEPOTS, Depot, Window


def has_constraints(found: Fields) -> bool:
    """Whether an instance asks for more than one capacity and one depot."""
    if found.has_any(CONSTRAINTS) or isinstance(found.raw("depot"), Mapping):
        return True
    if isinstance(found.raw("capacity"), list | tuple):
        return True
    rows = found.raw("customers")
    if not isinstance(rows, list | tuple) or not rows:
        return False
    # All keys at once: most instances are plain, and looking at each customer takes longer.
    if all(type(row) is JsonObject for row in (rows[0], rows[-1])):
        try:
            if PLAIN_CUSTOMER.issuperset(set().union(*rows)):
                return type(rows[0].get("demand")) is list
        except TypeError:  # something that is no object; named later
            return False
    return any(map(_asks_for_more, rows))


def _asks_for_more(row: object) -> bool:
    """Whether a customer has more than a place and a single demand."""
    if not isinstance(row, Mapping):
        return False
    return isinstance(row.get("demand"), list | tuple) or any(
        row[key] is not None for key in row.keys() - PLAIN_CUSTOMER
    )


def read_depots(found: Fields, place: str) -> list[Place]:
    """Depots in order; one without a place where none is given."""
    if "depots" not in found:
        row = found.raw("depot")
        return [read_depot({} if row is None else row, f"{place}.depot", 0)]
    if "depot" in found:
        message = "given with 'depot'; give one or the other"
        raise fault(f"{place}.depots", message, "CONFLICTING_KEYS")
    rows = check_few(found.raw("depots"), f"{place}.depots", "depots", MAX_DEPOTS)
    depots = [read_depot(row, f"{place}.depots[{index}]", index) for index, row in enumerate(rows)]
    check_unique([(each.depot.id, f"{each.place}.id") for each in depots])
    return depots


def read_depot(row: object, place: str, index: int) -> Place:
    """One depot; `index` makes the id of one that has none."""
    if isinstance(row, list | tuple):
        x, y = POINT.read(row, place).tolist()
        return Place(Depot(id=str(index)), (x, y), place)
    fields = Fields(row, place, DEPOT)
    depot = Depot(
        id=str(fields.get("id", index)),
        window=fields.get("window", ALWAYS),
        **given_numbers(fields, attributes_of(Depot)),
    )
    return Place(depot, _point(fields), place, fields.get("place"))


def _point(fields: Fields) -> tuple[float, float] | None:
    if "x" not in fields and "y" not in fields:
        return None
    return fields["x"], fields["y"]


def read_customers(found: Fields, place: str) -> list[Stop]:
    """Customers in order, from objects or from compact arrays."""
    compact = [key for key in COMPACT if key in found]
    if "customers" not in found:
        return _compact_customers(found, place, compact) if compact else []
    if compact:
        message = f"given with '{compact[0]}'; give one form or the other"
        raise fault(f"{place}.customers", message, "CONFLICTING_KEYS")
    rows = check_list(found.raw("customers"), f"{place}.customers", "customer objects")
    return [read_customer(row, f"{place}.customers[{i}]", i) for i, row in enumerate(rows)]


def read_customer(row: object, place: str, index: int) -> Stop:
    """One customer; `index` makes the id of one that has none."""
    fields = Fields(row, place, CUSTOMER)
    stop = Stop(
        id=fields.get("id", index + 1),
        place=place,
        **_visit(fields, place),
        delivery=fields.get("demand"),
        pickup=fields.get("pickup"),
    )
    return _with_wanted(stop, _wanted(fields))


LATENESS = ("max_late", "late_cost")  # need a window that closes


def _visit(fields: Fields, place: str) -> dict[str, Any]:
    windows = read_windows(fields, place)
    if windows[-1][1] == math.inf:
        for key in LATENESS:
            if key in fields:
                message = "no window closes, so that it would be late; give one with an end"
                raise fault(f"{place}.{key}", message, "MISSING_KEY")
    return {
        "point": _point(fields),
        "windows": windows,
        "numbers": given_numbers(fields, VISIT_NUMBERS),
        "by_vehicle": {
            name: fields[key] for key, name in NUMBERS_BY_VEHICLE.items() if key in fields
        },
        "number": fields.get("place"),
    }


def read_windows(fields: Fields, place: str) -> tuple[Window, ...]:
    """Those of a stop or a break, given one or several."""
    if "window" in fields and "windows" in fields:
        message = "given with 'window'; give one or the other"
        raise fault(f"{place}.windows", message, "CONFLICTING_KEYS")
    found: tuple[Window, ...] = fields.get("windows", (ALWAYS,))
    return (fields["window"],) if "window" in fields else found


def given_numbers(fields: Fields, declared: Sequence[Attribute]) -> dict[str, float]:
    """Those that are given, by their names, and no limits where only their prices are."""
    found = {each.name: fields[each.key] for each in declared if each.key in fields}
    return completed(found, declared) if found else found


def _wanted(fields: Fields) -> dict[str, Any]:
    """What a customer or a shipment asks for as a whole: numbers, skills, vehicle types."""
    return {
        "numbers": given_numbers(fields, UNIT_NUMBERS),
        "skills": frozenset(fields.get("skills", ())),
        "vehicles": fields.get("vehicles"),
        "vehicle_cost": fields.get("vehicle_cost", {}),
    }


# At a delivery 0: they are the pickup's.
_AT_PICKUP = {each.name for each in UNIT_NUMBERS if each.of_shipment == "pickup"}


def _with_wanted(stop: Stop, wanted: Mapping[str, Any]) -> Stop:
    """A stop with what its customer or shipment asks for."""
    return stop._replace(**{**wanted, "numbers": {**stop.numbers, **wanted["numbers"]}})


def _as_delivery(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """What a delivery has of its shipment: 0 for what the pickup has."""
    numbers: Mapping[str, float] = wanted["numbers"]
    nothing = dict.fromkeys(numbers.keys() & _AT_PICKUP, 0.0)
    return {**wanted, "numbers": {**numbers, **nothing}, "vehicle_cost": {}}


# The compact arrays: their check, and the value of null.
COMPACT: Mapping[str, tuple[Callable[[object, str], Any], Any]] = {
    "coords": (lambda value, place: tuple(POINT.read(value, place).tolist()), None),
    "demands": (check_amount, None),
    "windows": (lambda value, place: (check_window(value, place),), (ALWAYS,)),
    "services": (check_not_negative, 0.0),
    "pickups": (check_amount, None),
    "prizes": (check_not_negative, math.inf),
}
_COLUMNS = ("point", "delivery", "windows", "service", "pickup", "prize")
_NUMBERS = ("service", "prize")


def _compact_customers(found: Fields, place: str, given: Sequence[str]) -> list[Stop]:
    columns: dict[str, list[Any]] = {}
    size = len(check_list(found.raw(given[0]), f"{place}.{given[0]}", "values"))
    for (key, (check, missing)), column in zip(COMPACT.items(), _COLUMNS, strict=True):
        if key not in found:
            continue
        values = check_list(found.raw(key), f"{place}.{key}", "values, one a customer")
        if len(values) != size:
            message = f"{len(values)} values, but {size} of '{given[0]}'"
            raise fault(f"{place}.{key}", message, "SHAPE")
        columns[column] = [
            missing if value is None else check(value, f"{place}.{key}[{index}]")
            for index, value in enumerate(values)
        ]
    columns.setdefault("point", [None] * size)
    numbers = {name: columns.pop(name) for name in _NUMBERS if name in columns}
    where = f"{place}.{given[0]}"
    return [
        Stop(
            id=i + 1,
            place=f"{where}[{i}]",
            row=i,
            numbers={name: numbers[name][i] for name in numbers},
            **{name: columns[name][i] for name in columns},
        )
        for i in range(size)
    ]


def read_shipments(found: Fields, place: str) -> list[Stop]:
    """Pickup and delivery of each shipment in order."""
    stops: list[Stop] = []
    rows = found.raw("shipments")
    listed = [] if rows is None else check_list(rows, f"{place}.shipments", "shipment objects")
    for index, row in enumerate(listed):
        stops += read_shipment(row, f"{place}.shipments[{index}]")
    return stops


def read_shipment(row: object, place: str) -> list[Stop]:
    """Pickup and delivery of one shipment; only the delivery of one that is on board."""
    fields = Fields(row, place, SHIPMENT)
    name, wanted, amount = fields["id"], _wanted(fields), fields.get("amount")
    on_board = None if "on_board" not in fields else str(fields["on_board"])
    if on_board is not None:
        _check_on_board(fields, place)
        ends = [("delivery", DELIVERY, wanted)]
    else:
        ends = [("pickup", PICKUP, wanted), ("delivery", DELIVERY, _as_delivery(wanted))]
    stops = []
    for key, end, own in ends:
        where = f"{place}.{key}"
        visit = _visit(Fields(fields[key], where, VISIT), where)
        stop = Stop(
            id=f"{name}{end}", place=where, end=end, amount=amount, on_board=on_board, **visit
        )
        stops.append(_with_wanted(stop, own))
    return stops


_OF_BOTH_ENDS = [each.key for each in UNIT_NUMBERS if each.of_shipment == "both_ends"]


def _check_on_board(fields: Fields, place: str) -> None:
    """A shipment that is on board is not picked up, and asks for nothing before."""
    for key in ("pickup", *_OF_BOTH_ENDS):
        if key in fields:
            message = "given with 'on_board': it is in the vehicle from the start; leave it out"
            raise fault(f"{place}.{key}", message, "CONFLICTING_KEYS")


def check_names(stops: Sequence[Stop]) -> None:
    """Checks that customers and shipments have names of their own, as texts.

    Raises:
        InstanceError: Two are equal (code DUPLICATE_ID), or a customer is named like a stop of
            a shipment (RESERVED_ID).
    """
    shipments = any(stop.end for stop in stops)
    names = []
    for stop in stops:
        text, place = str(stop.id), stop.own_id
        if shipments and not stop.end and is_reserved(text):
            raise reserved_id(text, place)
        if stop.names_unit:  # a shipment has one name
            names.append((stop.unit, place))
    check_unique(names)


def is_reserved(name: str) -> bool:
    """Whether a customer's id is kept for stops of shipments, where there are some."""
    return name.endswith((PICKUP, DELIVERY))


def reserved_id(name: str, place: str) -> InstanceError:
    """The error of a customer with such an id in an instance with shipments."""
    message = f"{describe(name)} ends like a stop of a shipment; choose another id"
    return fault(place, message, "RESERVED_ID")


def check_unique(names: Iterable[tuple[str, str]]) -> None:
    """Checks that names with their places are all different (code DUPLICATE_ID)."""
    seen: dict[str, str] = {}
    for name, place in names:
        if name in seen:
            message = f"duplicate id {describe(name)}, also at {seen[name]}"
            raise fault(place, message, "DUPLICATE_ID")
        seen[name] = place
