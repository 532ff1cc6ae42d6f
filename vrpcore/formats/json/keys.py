"""What the keys of an instance may hold, and of the objects in it."""

import itertools
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from vrpcore.errors import SHOWN_CHARACTERS, describe, fault, show
from vrpcore.formats.json.key_schema import (
    ID,
    MAX_MAGNITUDE,
    NUMBER,
    POINT,
    POINTS,
    TEXT,
    Key,
    Keys,
    Kind,
    check_few,
    check_id,
    check_list,
    check_mapping,
    check_number,
    check_point,
    integer,
    list_of,
    object_of,
    one_of,
)
from vrpcore.formats.json.synonyms import value_advice
from vrpcore.instance.attributes import Attribute, Measure, attributes_of
from vrpcore.instance.constraints import (
    BACKHAULS,
    GOODS,
    MAX_DIMENSIONS,
    MAX_PRIORITY,
    MAX_WINDOWS,
    UNIT_NUMBERS,
    VISIT_NUMBERS,
)
from vrpcore.instance.instance import MAX_STOPS, METRICS, Float64
from vrpcore.instance.relations import (
    CHAIN_ENDS,
    MAX_GROUPS,
    MAX_RELATION_STOPS,
    MAX_RELATIONS,
    RELATION_KINDS,
    Balance,
)
from vrpcore.instance.vehicle_types import (
    ALWAYS,
    MAX_BREAKS,
    MAX_DEPOTS,
    MAX_VEHICLE_TYPES,
    Depot,
    VehicleType,
    Window,
)

Amount = tuple[float, ...]
# Two speeds divide a length of `MAX_MAGNITUDE`; a rate as large makes a finite cost of that.
_LEAST_SPEED = 1e-50
PLAIN_CUSTOMER = frozenset({"id", "x", "y", "demand"})


def check_capacity(value: object, place: str) -> float | Amount:
    """A capacity: a finite number above 0, or a list with one of at least 0 for each dimension."""
    listed = isinstance(value, list | tuple)
    return check_amount(value, place) if listed else check_positive_capacity(value, place)


def check_positive_capacity(value: object, place: str) -> float:
    """A capacity: a finite number above 0."""
    capacity = check_number(value, place)
    if capacity <= 0:
        message = f"{show(capacity)} is not a positive number{value_advice(value)}"
        raise fault(place, message, "CAPACITY_NOT_POSITIVE")
    return capacity


def check_not_negative(value: object, place: str) -> float:
    """A finite number of at least 0."""
    number = check_number(value, place)
    if number < 0:
        demand = "demand" in place.rpartition(".")[2]
        advice = "; what is collected is a pickup" if demand else value_advice(value)
        message = f"{show(number)} is negative, expected at least 0{advice}"
        raise fault(place, message, "NEGATIVE")
    return number


def check_positive(value: object, place: str) -> float:
    """A finite number above 0, and so far from it that lengths may be divided by two such."""
    number = check_number(value, place)
    if number < _LEAST_SPEED:
        least = "" if number <= 0 else f" of at least {_LEAST_SPEED:g}"
        raise fault(place, f"{show(number)} is not a positive number{least}", "NOT_POSITIVE")
    return number


def check_window(value: object, place: str) -> Window:
    """[opens, closes], in this order or equal; null: it never closes, or has always been open."""
    pair = check_list(value, place, "two times, [opens, closes]")
    if len(pair) != 2:
        message = f"{describe(value)}, expected two times, [opens, closes]"
        raise fault(place, message, "SHAPE")
    opens, closes = (
        never if time is None else check_number(time, f"{place}[{i}]")
        for i, (time, never) in enumerate(zip(pair, ALWAYS, strict=True))
    )
    if opens > closes:
        message = f"opens at {show(opens)}, after it closes at {show(closes)}"
        raise fault(place, message, "WINDOW_EMPTY")
    return opens, closes


def check_shift(value: object, place: str) -> Window:
    """A window that opens at 0 where nothing else is said."""
    if isinstance(value, list | tuple) and len(value) == 2 and value[0] is None:
        value = [0, value[1]]
    return check_window(value, place)


def check_windows(value: object, place: str) -> tuple[Window, ...]:
    """Windows in order, without overlap."""
    rows = check_few(value, place, "windows", MAX_WINDOWS)
    found = tuple(check_window(row, f"{place}[{index}]") for index, row in enumerate(rows))
    for index, ((_, before), (after, _)) in enumerate(itertools.pairwise(found)):
        if after <= before:
            message = f"opens at {show(after)}, the window before it closes at {show(before)}"
            raise fault(f"{place}[{index + 1}]", f"{message}; expected order", "WINDOWS_OVERLAP")
    return found


def check_amount(value: object, place: str) -> Amount | float:
    """A number of at least 0, or a list with one for each load dimension."""
    if not isinstance(value, list | tuple):
        return check_not_negative(value, place)
    numbers = check_few(value, place, "load dimensions", MAX_DIMENSIONS)
    return tuple(check_not_negative(item, f"{place}[{i}]") for i, item in enumerate(numbers))


def check_fits(amounts: Float64, capacity: Sequence[float], place: Callable[[int], str]) -> None:
    """Checks that each amount fits into a vehicle.

    Args:
        amounts: [N, L] float64.
        capacity: L of them.
        place: The place of row i.

    Raises:
        InstanceError: One does not (code DEMAND_EXCEEDS_CAPACITY).
    """
    for row, column in np.argwhere(amounts > np.asarray(capacity))[:1].tolist():
        found, limit = show(float(amounts[row, column])), show(capacity[column])
        raise fault(place(row), f"{found} exceeds capacity {limit}", "DEMAND_EXCEEDS_CAPACITY")


def check_depot(value: object, place: str) -> object:
    """[x, y] of a depot; an object is read with the constraints."""
    return value if isinstance(value, Mapping) else check_point(value, place)


def check_depot_id(value: object, place: str) -> str | None:
    """The id of a depot as text; None for null: no depot."""
    return None if value is None else str(check_id(value, place))


def check_by_vehicle(value: object, place: str) -> dict[str, float]:
    """Numbers of at least 0 by the ids of vehicle types."""
    found = check_mapping(value, place)
    return {
        str(name): check_not_negative(number, f"{place}.{plain_name(name)}")
        for name, number in found.items()
    }


def ids(what: str, most: int, least: int = 1) -> Kind:
    """A list of ids, read to a tuple of texts.

    Args:
        what: Its ids in words, for the message.
        most: Of them.
        least: 0 or 1.
    """

    def read(value: object, place: str) -> tuple[str, ...]:
        values = check_list(value, place, what)
        if not least <= len(values) <= most:
            raise fault(place, f"{len(values)} {what}, expected {least} to {most}", "SHAPE")
        return tuple(str(check_id(item, f"{place}[{i}]")) for i, item in enumerate(values))

    schema = {"type": "array", "items": ID.schema, "minItems": least, "maxItems": most}
    return Kind(schema, read)


def plain_name(name: object) -> str:
    """A key as a place has it: quoted, and cut, where it could confuse a reader."""
    text = str(name)
    return text if text.isprintable() and len(text) <= SHOWN_CHARACTERS else describe(name)


def check_boolean(value: object, place: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise fault(place, f"{describe(value)}, expected true or false", "WRONG_TYPE")
    return value


_NOT_NEGATIVE_SCHEMA = {"type": "number", "minimum": 0, "maximum": MAX_MAGNITUDE}
NOT_NEGATIVE = Kind(_NOT_NEGATIVE_SCHEMA, check_not_negative)
_POSITIVE_SCHEMA = {"type": "number", "exclusiveMinimum": 0, "maximum": MAX_MAGNITUDE}
POSITIVE = Kind(_POSITIVE_SCHEMA, check_positive)
WINDOW = Kind(
    {
        "type": "array",
        "items": {"anyOf": [NUMBER.schema, {"type": "null"}]},
        "minItems": 2,
        "maxItems": 2,
    },
    check_window,
)
SHIFT = WINDOW._replace(read=check_shift)
WINDOWS = Kind(
    {"type": "array", "items": WINDOW.schema, "minItems": 1, "maxItems": MAX_WINDOWS},
    check_windows,
)
AMOUNT = Kind(
    {
        "anyOf": [
            _NOT_NEGATIVE_SCHEMA,
            {
                "type": "array",
                "items": _NOT_NEGATIVE_SCHEMA,
                "minItems": 1,
                "maxItems": MAX_DIMENSIONS,
            },
        ]
    },
    check_amount,
)
SKILLS = list_of(TEXT, "skills")
BOOLEAN = Kind({"type": "boolean"}, check_boolean)
BY_VEHICLE = Kind(
    {"type": "object", "additionalProperties": _NOT_NEGATIVE_SCHEMA}, check_by_vehicle
)
DEPOT_ID = Kind({"type": ["integer", "string", "null"]}, check_depot_id)

# Numbers of other units are not negative.
_OF_UNIT: Mapping[Measure, Kind] = {"time": NUMBER, "speed": POSITIVE}


def _declared(numbers: Sequence[Attribute]) -> Keys:
    """The keys of numbers."""
    return {
        each.key: Key(
            integer(0, each.most) if each.unit == "count" else _OF_UNIT.get(each.unit, NOT_NEGATIVE)
        )
        for each in numbers
    }


# Keys of numbers that some vehicle types have otherwise, and the names of the numbers.
NUMBERS_BY_VEHICLE = {
    f"{each.key}_by_vehicle": each.name for each in VISIT_NUMBERS if each.by_vehicle
}
VISIT: Keys = {
    "x": Key(NUMBER),
    "y": Key(NUMBER),
    "window": Key(WINDOW),
    "windows": Key(WINDOWS),
    **_declared(VISIT_NUMBERS),
    **dict.fromkeys(NUMBERS_BY_VEHICLE, Key(BY_VEHICLE)),
    "place": Key(integer(0)),
}
_WANTED: Keys = {
    **_declared(UNIT_NUMBERS),
    "skills": Key(SKILLS),
    "vehicles": Key(ids("ids of vehicle types", MAX_VEHICLE_TYPES)),
    "vehicle_cost": Key(BY_VEHICLE),
}
DEPOT: Keys = {
    "id": Key(ID),
    "x": Key(NUMBER),
    "y": Key(NUMBER),
    "window": Key(WINDOW),
    **_declared(attributes_of(Depot)),
    "place": Key(integer(0)),
}
BREAK: Keys = {
    "id": Key(ID),
    "window": Key(WINDOW),
    "windows": Key(WINDOWS),
    "duration": Key(NOT_NEGATIVE),
    "max_load": Key(AMOUNT),
}
VEHICLE: Keys = {
    "id": Key(ID),
    "count": Key(integer(0)),
    "capacity": Key(AMOUNT),
    "start": Key(DEPOT_ID, null=True),
    "end": Key(DEPOT_ID, null=True),
    "window": Key(SHIFT),
    **_declared(attributes_of(VehicleType)),
    "matrix": Key(TEXT),
    "breaks": Key(Kind({"type": "array", "items": object_of(BREAK), "maxItems": MAX_BREAKS})),
    "skills": Key(SKILLS),
    "reloads": Key(ids("ids of depots", MAX_DEPOTS, least=0)),
    "initial_load": Key(AMOUNT),
    "lost": Key(BOOLEAN),
}
CUSTOMER: Keys = {"id": Key(ID), **VISIT, "demand": Key(AMOUNT), "pickup": Key(AMOUNT), **_WANTED}
SHIPMENT: Keys = {
    "id": Key(ID, required=True),
    "amount": Key(AMOUNT),
    "pickup": Key(Kind(object_of(VISIT))),
    "delivery": Key(Kind(object_of(VISIT)), required=True),
    "on_board": Key(ID),
    **_WANTED,
}
GROUP: Keys = {
    "id": Key(ID),
    "members": Key(ids("ids of customers and shipments", MAX_STOPS), required=True),
    "prize": Key(NOT_NEGATIVE),
    "priority": Key(integer(0, MAX_PRIORITY)),
}
RELATION: Keys = {
    "kind": Key(one_of(RELATION_KINDS, "UNKNOWN_RELATION"), required=True),
    "stops": Key(ids("ids of stops", MAX_RELATION_STOPS, least=0), required=True),
    "vehicle": Key(ID),
    "at": Key(one_of(CHAIN_ENDS, "UNKNOWN_END")),
}
BALANCE: Keys = _declared(attributes_of(Balance))
RELOAD: Keys = {"depot": Key(ID, required=True), "after": Key(integer(0), required=True)}
ROUTE: Keys = {
    "customers": Key(Kind({"type": "array", "items": ID.schema, "minItems": 1}), required=True),
    "vehicle": Key(ID),
    "reloads": Key(Kind({"type": "array", "items": object_of(RELOAD)})),
    "departure": Key(NUMBER),
}
# Null: no road leads there.
MATRIX_SCHEMA = {
    "type": "array",
    "items": {"type": "array", "items": {"anyOf": [NUMBER.schema, {"type": "null"}]}},
}
_MATRIX = Kind(MATRIX_SCHEMA)
MATRICES: Keys = {"distances": Key(_MATRIX), "durations": Key(_MATRIX), "costs": Key(_MATRIX)}
# Keys that make an instance more than plain.
CONSTRAINTS: Keys = {
    "depots": Key(Kind({"type": "array", "items": {"anyOf": [POINT.schema, object_of(DEPOT)]}})),
    "vehicles": Key(Kind({"type": "array", "items": object_of(VEHICLE), "minItems": 1})),
    "shipments": Key(Kind({"type": "array", "items": object_of(SHIPMENT)})),
    "windows": Key(Kind({"type": "array", "items": {"anyOf": [WINDOW.schema, {"type": "null"}]}})),
    "services": Key(Kind({"type": "array", "items": _NOT_NEGATIVE_SCHEMA})),
    "pickups": Key(Kind({"type": "array", "items": AMOUNT.schema})),
    "prizes": Key(
        Kind({"type": "array", "items": {"anyOf": [_NOT_NEGATIVE_SCHEMA, {"type": "null"}]}})
    ),
    "speed": Key(POSITIVE),
    "durations": Key(_MATRIX),
    "costs": Key(_MATRIX),
    "matrices": Key(Kind({"type": "object", "additionalProperties": object_of(MATRICES)})),
    "backhauls": Key(one_of(BACKHAULS, "UNKNOWN_BACKHAULS")),
    "pickup_only_routes": Key(BOOLEAN),
    "goods": Key(one_of(GOODS, "UNKNOWN_GOODS")),
    "return_to_depot": Key(BOOLEAN),
    "groups": Key(Kind({"type": "array", "items": object_of(GROUP), "maxItems": MAX_GROUPS})),
    "relations": Key(
        Kind({"type": "array", "items": object_of(RELATION), "maxItems": MAX_RELATIONS})
    ),
    "balance": Key(Kind(object_of(BALANCE))),
}
# Customers, demands, matrices and routes are read as a whole; their kinds only describe them.
INSTANCE: Keys = {
    "name": Key(TEXT),
    "capacity": Key(Kind({"anyOf": [_POSITIVE_SCHEMA, AMOUNT.schema["anyOf"][1]]}, check_capacity)),
    "depot": Key(Kind({"anyOf": [POINT.schema, object_of(DEPOT)]}, check_depot)),
    "customers": Key(
        Kind(
            {
                "type": "array",
                "items": {**object_of(CUSTOMER), "dependentRequired": {"x": ["y"], "y": ["x"]}},
            }
        )
    ),
    "coords": Key(Kind(POINTS.schema)),
    "demands": Key(Kind({"type": "array", "items": AMOUNT.schema})),
    "metric": Key(one_of(METRICS, "UNKNOWN_METRIC")),
    "distances": Key(_MATRIX),
    "max_vehicles": Key(integer(1)),
    "routes": Key(
        Kind(
            {
                "type": "array",
                "items": {"anyOf": [{"type": "array", "items": ID.schema}, object_of(ROUTE)]},
            }
        )
    ),
    **CONSTRAINTS,
}
