"""What the keys of VROOM's documents may hold; whole numbers, in seconds and metres.

Source:
    VROOM 1.15, docs/API.md (https://github.com/VROOM-Project/vroom).
"""

from typing import Any, NamedTuple

import numpy as np

from vrpcore.errors import InstanceError, fault, show
from vrpcore.formats.json.key_schema import (
    POINT,
    TEXT,
    Fields,
    Key,
    Keys,
    Kind,
    check_few,
    check_integer,
    check_list,
    check_mapping,
    check_matrix,
    check_number,
    check_point,
    integer,
    list_of,
    object_of,
    one_of,
)
from vrpcore.formats.json.keys import (
    BOOLEAN,
    MATRIX_SCHEMA,
    NOT_NEGATIVE,
    check_window,
    check_windows,
    plain_name,
)
from vrpcore.formats.vroom.vroom_instance import Spot
from vrpcore.instance.constraints import MAX_DIMENSIONS, MAX_PRIORITY, MAX_WINDOWS
from vrpcore.instance.instance import MAX_STOPS, Float64
from vrpcore.instance.vehicle_types import MAX_BREAKS, Window

MAX_WHOLE = 2**53 - 1  # exact in float64
# What routing engines' callers write in matrices where there is no road.
NO_ROADS = (2**31 - 1, 2**32 - 1)
MAX_SPEED_FACTOR = 5.0
_LEAST_SPEED_FACTOR = 1e-50  # as of our own speeds: durations stay finite
PER_HOUR = 3600  # the default cost of an hour: a unit a second
MAX_EXPLORE, MAX_THREADS = 5, 1024
STEP_KINDS = ("start", "job", "pickup", "delivery", "break", "end")
FORCED = ("service_at", "service_after", "service_before")


class Node(NamedTuple):
    """A depot or a stop: where it is, and where that was found."""

    spot: Spot
    place: str


def read_spot(fields: Fields, point_key: str, index_key: str) -> Spot | None:
    """The location that two keys tell; None where neither is there."""
    if point_key not in fields and index_key not in fields:
        return None
    return Spot(fields.get(point_key), fields.get(index_key))


def unsupported(place: str, message: str) -> InstanceError:
    """The refusal of something that VROOM has and this has not."""
    return fault(place, message, "UNSUPPORTED")


def check_whole(value: object, place: str) -> int:
    """A whole number of at least 0 that float64 holds exactly."""
    number = check_integer(value, place, 0)
    if number > MAX_WHOLE:
        raise fault(place, f"{number}, expected below 2^53", "NUMBER_TOO_LARGE")
    return number


def check_amounts(value: object, place: str) -> tuple[int, ...]:
    """Whole numbers, one for each load dimension; there may be none."""
    rows = check_list(value, place, "whole numbers")
    if rows:
        check_few(rows, place, "load dimensions", MAX_DIMENSIONS)
    return tuple(check_whole(item, f"{place}[{index}]") for index, item in enumerate(rows))


def check_time_windows(value: object, place: str) -> tuple[Window, ...]:
    """Windows of whole numbers without overlap, which are sorted as VROOM sorts them."""
    rows = check_few(value, place, "windows", MAX_WINDOWS)
    windows = []
    for row, pair in enumerate(rows):
        windows.append(check_window(pair, f"{place}[{row}]"))
        for column, time in enumerate(check_list(pair, place, "times")):
            check_whole(time, f"{place}[{row}][{column}]")
    return check_windows(sorted(windows), place)


def check_time_window(value: object, place: str) -> Window:
    """One window of whole numbers."""
    rows = check_list(value, place, "two times, [opens, closes]")
    check_time_windows([rows], place)
    opens, closes = (check_whole(time, f"{place}[{index}]") for index, time in enumerate(rows))
    return float(opens), float(closes)


def check_per_type(value: object, place: str) -> dict[str, int]:
    """Whole numbers by the types of vehicles."""
    found = check_mapping(value, place)
    return {name: check_whole(item, f"{place}.{plain_name(name)}") for name, item in found.items()}


def check_speed_factor(value: object, place: str) -> float:
    """Above 0, at most 5."""
    factor = check_number(value, place, least=0.0)
    if not _LEAST_SPEED_FACTOR <= factor <= MAX_SPEED_FACTOR:
        least = "above 0" if factor <= 0 else f"at least {_LEAST_SPEED_FACTOR:g}"
        message = f"{show(factor)}, expected {least} and at most {show(MAX_SPEED_FACTOR)}"
        raise fault(place, message, "OUT_OF_RANGE")
    return factor


def check_profile_matrix(value: object, place: str) -> Float64:
    """A square matrix of whole numbers; legs within one location are its diagonal.

    Null, and the largest numbers of 31 and 32 bits, mean that there is no road; on the diagonal
    they mean 0.

    Returns:
        [L, L] float64 for L locations, infinite where there is no road.
    """
    rows = check_list(value, place, "lists of whole numbers")
    if len(rows) > MAX_STOPS + 1:
        message = f"{len(rows)} rows, the limit is {MAX_STOPS + 1}"
        raise fault(place, message, "TOO_MANY_CUSTOMERS")
    matrix = check_matrix(value, place, len(rows), "a row and a column for each location")
    for index, row in enumerate(rows):
        own = check_list(row, place, "whole numbers")[index]
        if own is not None:
            matrix[index, index] = check_whole(own, f"{place}[{index}][{index}]")
    matrix[np.isin(matrix, NO_ROADS)] = np.inf
    np.fill_diagonal(matrix, np.where(np.isinf(matrix.diagonal()), 0.0, matrix.diagonal()))
    given = np.where(np.isinf(matrix), 0.0, matrix)
    wrong = np.argwhere((given != np.floor(given)) | (given > MAX_WHOLE))
    for row, column in wrong[:1].tolist():
        found = show(float(matrix[row, column]))
        message = f"{found}, expected a whole number below 2^53"
        raise fault(f"{place}[{row}][{column}]", message, "NOT_AN_INTEGER")
    return matrix


_WHOLE_SCHEMA: dict[str, Any] = {"type": "integer", "minimum": 0, "maximum": MAX_WHOLE}
WHOLE = Kind(_WHOLE_SCHEMA, check_whole)
ID = integer(0)  # only a name
AMOUNTS = Kind({"type": "array", "items": _WHOLE_SCHEMA, "maxItems": MAX_DIMENSIONS}, check_amounts)
_PAIR = {"type": "array", "items": _WHOLE_SCHEMA, "minItems": 2, "maxItems": 2}
TIME_WINDOW = Kind(_PAIR, check_time_window)
TIME_WINDOWS = Kind(
    {"type": "array", "items": _PAIR, "minItems": 1, "maxItems": MAX_WINDOWS}, check_time_windows
)
LOCATION = Kind(POINT.schema, lambda value, place: tuple(check_point(value, place).tolist()))
SPEED_FACTOR = Kind(
    {"type": "number", "minimum": _LEAST_SPEED_FACTOR, "maximum": MAX_SPEED_FACTOR},
    check_speed_factor,
)
SKILLS = list_of(WHOLE, "skills")
_PER_TYPE = Kind({"type": "object", "additionalProperties": _WHOLE_SCHEMA}, check_per_type)
_MATRIX = Kind(MATRIX_SCHEMA, check_profile_matrix)

VISIT: Keys = {
    "id": Key(ID, required=True),
    "description": Key(TEXT),
    "location": Key(LOCATION),
    "location_index": Key(WHOLE),
    "setup": Key(WHOLE),
    "service": Key(WHOLE),
    "setup_per_type": Key(_PER_TYPE),
    "service_per_type": Key(_PER_TYPE),
    "time_windows": Key(TIME_WINDOWS),
}
_WANTED: Keys = {"skills": Key(SKILLS), "priority": Key(integer(0, MAX_PRIORITY))}
JOB: Keys = {
    **VISIT,
    "delivery": Key(AMOUNTS),
    "pickup": Key(AMOUNTS),
    "amount": Key(AMOUNTS),
    **_WANTED,
}
SHIPMENT: Keys = {
    "amount": Key(AMOUNTS),
    **_WANTED,
    "pickup": Key(Kind(object_of(VISIT)), required=True),
    "delivery": Key(Kind(object_of(VISIT)), required=True),
}
COSTS: Keys = {
    "fixed": Key(WHOLE),
    "per_hour": Key(WHOLE),
    "per_task_hour": Key(WHOLE),
    "per_km": Key(WHOLE),
}
BREAK: Keys = {
    "id": Key(ID, required=True),
    "description": Key(TEXT),
    "time_windows": Key(TIME_WINDOWS),
    "service": Key(WHOLE),
    "max_load": Key(AMOUNTS),
}
STEP: Keys = {
    "type": Key(one_of(STEP_KINDS, "UNKNOWN_STEP"), required=True),
    "id": Key(ID),
    **{key: Key(WHOLE) for key in FORCED},
}
VEHICLE: Keys = {
    "id": Key(ID, required=True),
    "profile": Key(TEXT),
    "description": Key(TEXT),
    "start": Key(LOCATION),
    "start_index": Key(WHOLE),
    "end": Key(LOCATION),
    "end_index": Key(WHOLE),
    "capacity": Key(AMOUNTS),
    "costs": Key(Kind(object_of(COSTS))),
    "skills": Key(SKILLS),
    "type": Key(TEXT),
    "time_window": Key(TIME_WINDOW),
    "breaks": Key(Kind({"type": "array", "items": object_of(BREAK), "maxItems": MAX_BREAKS})),
    "speed_factor": Key(SPEED_FACTOR),
    "max_tasks": Key(WHOLE),
    "max_travel_time": Key(WHOLE),
    "max_distance": Key(WHOLE),
    "steps": Key(Kind({"type": "array", "items": object_of(STEP)})),
}
MATRICES: Keys = {
    "durations": Key(_MATRIX, required=True),
    "distances": Key(_MATRIX),
    "costs": Key(_MATRIX),
}
OPTIONS: Keys = {
    "g": Key(BOOLEAN),
    "x": Key(integer(0, MAX_EXPLORE)),
    "t": Key(integer(1, MAX_THREADS)),
    "l": Key(NOT_NEGATIVE),
    "c": Key(BOOLEAN),
}
PROBLEM: Keys = {
    "jobs": Key(Kind({"type": "array", "items": object_of(JOB)})),
    "shipments": Key(Kind({"type": "array", "items": object_of(SHIPMENT)})),
    "vehicles": Key(
        Kind({"type": "array", "items": object_of(VEHICLE), "minItems": 1}), required=True
    ),
    "matrices": Key(Kind({"type": "object", "additionalProperties": object_of(MATRICES)})),
    "options": Key(Kind(object_of(OPTIONS))),
}
