"""What each key of an object in a file may hold, declared once: read by it, described by it.

`Fields` reads with it, and `/openapi.json` is made from it. Each check takes a value and its
place (`instances[3].capacity`) and raises an `InstanceError` that says what was found there
and what was expected.
"""

import itertools
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np

from vrpcore.errors import InstanceError, advice, describe, fault
from vrpcore.formats.json.jsonparse import JsonObject
from vrpcore.formats.json.synonyms import answer_to, value_advice
from vrpcore.instance.instance import CustomerId, Float64

MAX_MAGNITUDE = 1e100  # squares and sums of such numbers stay finite in float64
MIN_MAGNITUDE = 1e-100  # of numbers other than 0, likewise: products of two keep all their digits
MAX_INTEGER = 2**63 - 1
MAX_LONGITUDE, MAX_LATITUDE = 360, 90  # degrees

JsonSchema = dict[str, Any]


def check_mapping(value: object, place: str) -> Mapping[str, object]:
    """An object without duplicate keys."""
    if not isinstance(value, Mapping):
        raise fault(place, f"{describe(value)}, expected an object", "WRONG_TYPE")
    if isinstance(value, JsonObject) and value.duplicate is not None:
        message = f"duplicate key {describe(value.duplicate)}; keep only one"
        raise fault(place, message, "DUPLICATE_KEY")
    return value


def check_object(value: object, place: str, keys: Collection[str]) -> Mapping[str, object]:
    """An object without duplicate keys, or keys other than these."""
    for key in check_mapping(value, place):
        if key not in keys:
            raise unknown_key(key, place, keys)
    return cast(Mapping[str, object], value)


def unknown_key(key: object, place: str, keys: Collection[str]) -> InstanceError:
    """The error for a key that is not known: what it is called here, or what it misspells."""
    said = answer_to(str(key), keys) or advice(str(key), keys)
    return fault(place, f"unknown key {describe(key)}; {said}", "UNKNOWN_KEY")


def require(value: Mapping[str, object], key: str, place: str) -> object:
    """The value of a key that must be there."""
    if key not in value:
        raise fault(f"{place}.{key}", "missing", "MISSING_KEY")
    return value[key]


def check_list(value: object, place: str, what: str) -> Sequence[object]:
    """A list; `what` it should hold is for the message."""
    if not isinstance(value, list | tuple):
        raise fault(place, f"{describe(value)}, expected a list of {what}", "WRONG_TYPE")
    return value


def check_few(value: object, place: str, what: str, most: int) -> Sequence[object]:
    """A list of at least one and at most `most` values (code SHAPE)."""
    values = check_list(value, place, what)
    if not 1 <= len(values) <= most:
        raise fault(place, f"{len(values)} {what}, expected 1 to {most}", "SHAPE")
    return values


def check_number(value: object, place: str, least: float = MIN_MAGNITUDE) -> float:
    """A finite number of bearable size: 0, or `least` and more; neither text nor a truth value."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        message = f"{describe(value)}, expected a number{value_advice(value)}"
        raise fault(place, message, "NOT_A_NUMBER")
    if isinstance(value, float) and not math.isfinite(value):
        message = f"{describe(value)} is not a finite number{value_advice(value)}"
        raise fault(place, message, "NOT_FINITE")
    if abs(value) > MAX_MAGNITUDE:
        message = f"{describe(value)} is not a finite number up to {MAX_MAGNITUDE:g}"
        raise fault(place, message, "NUMBER_TOO_LARGE")
    if 0 < abs(value) < least:
        message = f"{describe(value)} is nearer to 0 than {least:g}; write 0"
        raise fault(place, message, "NUMBER_TOO_SMALL")
    return float(value)


def check_numbers(values: Sequence[object], place: Callable[[int], str]) -> Float64:
    """Many numbers at once; see `check_number`.

    Args:
        values: n of anything.
        place: The place of value i, asked for only where it is wrong.

    Returns:
        [n] float64.
    """
    if set(map(type, values)) <= {int, float}:
        try:
            numbers: Float64 = np.array(values, dtype=np.float64)
        except OverflowError:  # an integer beyond float64; named below
            numbers = np.array([math.inf])
        size = np.abs(numbers)
        if bool((size <= MAX_MAGNITUDE).all()) and not size[size < MIN_MAGNITUDE].any():
            return numbers
    checked = [check_number(value, place(index)) for index, value in enumerate(values)]
    return np.array(checked, dtype=np.float64)


def check_pairs(value: object, place: str) -> Float64:
    """A list of [x, y].

    Returns:
        [n, 2] float64.
    """
    rows = check_list(value, place, "[x, y]")
    if set(map(type, rows)) <= {list} and set(map(len, cast(list[list[object]], rows))) <= {2}:
        flat = list(itertools.chain.from_iterable(cast(list[list[object]], rows)))
    else:
        flat = [item for i, row in enumerate(rows) for item in _pair(row, f"{place}[{i}]")]
    return check_numbers(flat, lambda i: f"{place}[{i // 2}][{i % 2}]").reshape(-1, 2)


def check_point(value: object, place: str) -> Float64:
    """One [x, y].

    Returns:
        [2] float64.
    """
    return check_numbers(_pair(value, place), lambda i: f"{place}[{i}]")


def _pair(value: object, place: str) -> Sequence[object]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise fault(place, f"{describe(value)}, expected [x, y], two numbers", "SHAPE")
    return value


def check_degrees(coords: Float64, place: Callable[[int], str]) -> None:
    """Checks that points are longitudes and latitudes in degrees.

    Args:
        coords: [n, 2] float64.
        place: The place of point i.

    Raises:
        InstanceError: One is out of range (code OUT_OF_RANGE).
    """
    for axis, name, limit in ((0, "longitude", MAX_LONGITUDE), (1, "latitude", MAX_LATITUDE)):
        for node in np.flatnonzero(np.abs(coords[:, axis]) > limit)[:1].tolist():
            message = f"{name} {coords[node, axis]:.9g}, expected -{limit} to {limit}"
            raise fault(place(node), message, "OUT_OF_RANGE")


def check_matrix(value: object, place: str, size: int, nodes: str) -> Float64:
    """A square matrix of numbers of at least 0; its diagonal is never travelled and read as 0.

    Null means that no road leads from the row's node to the column's.

    Args:
        value: Rows.
        place: Begins each message.
        size: M.
        nodes: What the rows are, for the message.

    Returns:
        [M, M] float64, infinite where there is no road.
    """
    rows = check_list(value, place, "lists of numbers")
    expected = f"expected a square matrix, {size} x {size} ({nodes})"
    if len(rows) != size:
        raise fault(place, f"{len(rows)} rows, {expected}", "SHAPE")
    checked: list[Sequence[object]] = []
    for index, row in enumerate(rows):
        numbers = check_list(row, f"{place}[{index}]", "numbers")
        if len(numbers) != size:
            raise fault(f"{place}[{index}]", f"{len(numbers)} numbers, {expected}", "SHAPE")
        checked.append(numbers)
    matrix = np.empty((size, size))
    for index, numbers in enumerate(checked):
        matrix[index] = _check_legs(numbers, partial("{}[{}]".format, f"{place}[{index}]"))
    check_lengths(matrix, lambda row, column: f"{place}[{row}][{column}]")
    return matrix


def _check_legs(values: Sequence[object], place: Callable[[int], str]) -> Float64:
    """Many numbers as `check_numbers`, infinite where there is no road."""
    if type(None) not in set(map(type, values)):
        return check_numbers(values, place)
    missing = np.array([value is None for value in values])
    given = [0.0 if gone else value for gone, value in zip(missing, values, strict=True)]
    numbers = check_numbers(given, place)
    numbers[missing] = math.inf
    return numbers


def check_lengths(matrix: Float64, place: Callable[[int, int], str]) -> None:
    """Checks that no length or duration is below 0.

    Args:
        matrix: [M, M] float64; its diagonal, never travelled, is set to 0 in place.
        place: The place of row i, column j.

    Raises:
        InstanceError: One is negative (code DISTANCE_NEGATIVE).
    """
    for row, column in np.argwhere(matrix < 0)[:1].tolist():
        message = f"{matrix[row, column]:g} is negative, expected at least 0"
        raise fault(place(row, column), message, "DISTANCE_NEGATIVE")
    np.fill_diagonal(matrix, 0.0)


def check_integer(value: object, place: str, least: int, most: int | None = None) -> int:
    """A whole number written as one (2, not 2.0)."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise fault(place, f"{describe(value)}, expected an integer", "NOT_AN_INTEGER")
    if value < least:
        raise fault(place, f"{describe(value)}, expected at least {least}", "TOO_SMALL")
    if value > MAX_INTEGER:
        raise fault(place, f"{describe(value)}, expected below 2^63", "NUMBER_TOO_LARGE")
    if most is not None and value > most:
        raise fault(place, f"{value}, expected {least} to {most}", "OUT_OF_RANGE")
    return value


def check_text(value: object, place: str) -> str:
    """Text that can be written as UTF-8."""
    if not isinstance(value, str):
        raise fault(place, f"{describe(value)}, expected text", "WRONG_TYPE")
    if not is_writable(value):
        message = f"{describe(value)} contains a lone surrogate, which is not valid UTF-8"
        raise fault(place, message, "LONE_SURROGATE")
    return value


def is_writable(text: str) -> bool:
    """True where the text can be encoded as UTF-8: no lone surrogates."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def check_id(value: object, place: str) -> CustomerId:
    """A customer's identifier: text or an integer."""
    if isinstance(value, str):
        return check_text(value, place)
    if isinstance(value, bool) or not isinstance(value, int):
        message = f"{describe(value)}, expected an id (text or integer)"
        raise fault(place, message, "WRONG_TYPE")
    return check_integer(value, place, -MAX_INTEGER)


class Kind(NamedTuple):
    """A kind of value.

    Attributes:
        schema: As JSON Schema says it.
        read: The value at a place, or an `InstanceError` that names the place. Kinds that
            are read with their whole object, for speed or by rules, read nothing here.
    """

    schema: JsonSchema
    read: Callable[[object, str], Any] = lambda value, _: value


class Key(NamedTuple):
    """A key of an object.

    Attributes:
        kind: What it may hold.
        required: It must be there.
        null: Null is a value of its own; of other keys it means that they are missing.
    """

    kind: Kind
    required: bool = False
    null: bool = False


Keys = Mapping[str, Key]


class Fields:
    """An object of a file, read key by key.

    Args:
        value: Anything that a JSON parser returns.
        place: Where it was found; begins each message.
        keys: The keys that it may have.

    Raises:
        InstanceError: It is no object, or has a key that is unknown or twice there.
    """

    def __init__(self, value: object, place: str, keys: Keys) -> None:
        found = check_object(value, place, keys)
        if None in found.values():
            found = {
                name: item for name, item in found.items() if item is not None or keys[name].null
            }
        self._found, self._place, self._keys = found, place, keys

    def raw(self, name: str) -> object:
        """The value of a key as it is; None where it is missing."""
        return self._found.get(name)

    def has_any(self, names: Collection[str]) -> bool:
        """Whether one of these keys is there."""
        return not self._found.keys().isdisjoint(names)

    def __contains__(self, name: str) -> bool:
        return name in self._found

    def __getitem__(self, name: str) -> Any:
        """The value of a key that must be there.

        Raises:
            InstanceError: It is missing, or not of its kind.
        """
        value = require(self._found, name, self._place)
        return self._keys[name].kind.read(value, f"{self._place}.{name}")

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a key, or a default where it is missing.

        Raises:
            InstanceError: It is not of its kind.
        """
        return self[name] if name in self._found else default


NUMBER = Kind({"type": "number", "minimum": -MAX_MAGNITUDE, "maximum": MAX_MAGNITUDE}, check_number)
TEXT = Kind({"type": "string"}, check_text)
ID = Kind({"type": ["integer", "string"]}, check_id)
POINT = Kind(
    {"type": "array", "items": NUMBER.schema, "minItems": 2, "maxItems": 2}, check_point
)  # [2] float64
POINTS = Kind({"type": "array", "items": POINT.schema}, check_pairs)  # [n, 2] float64


def integer(least: int, most: int | None = None) -> Kind:
    """A whole number of at least `least`, and at most `most` if there is one."""
    schema = {"type": "integer", "minimum": least} | ({} if most is None else {"maximum": most})
    return Kind(schema, lambda value, place: check_integer(value, place, least, most))


def one_of(known: Collection[str], code: str) -> Kind:
    """One of some texts; anything else is an error of this code."""

    def read(value: object, place: str) -> str:
        if isinstance(value, str) and value in known:
            return value
        raise fault(place, f"{describe(value)}, expected one of {', '.join(known)}", code)

    return Kind({"enum": list(known)}, read)


def or_null(kind: Kind) -> Kind:
    """The same, or null, which is read as None."""
    return Kind(
        {"anyOf": [kind.schema, {"type": "null"}]},
        lambda value, place: None if value is None else kind.read(value, place),
    )


def list_of(kind: Kind, what: str) -> Kind:
    """A list, read value by value to a tuple.

    Args:
        kind: Of each.
        what: Its values in words, for the message.
    """

    def read(value: object, place: str) -> tuple[Any, ...]:
        values = check_list(value, place, what)
        return tuple(kind.read(item, f"{place}[{index}]") for index, item in enumerate(values))

    return Kind({"type": "array", "items": kind.schema}, read)


def object_of(keys: Keys) -> JsonSchema:
    """The JSON Schema of an object with these keys and no others."""
    return {
        "type": "object",
        "required": [name for name, key in keys.items() if key.required],
        "additionalProperties": False,
        "properties": {
            name: key.kind.schema
            if key.required or key.null
            else {"anyOf": [key.kind.schema, {"type": "null"}]}
            for name, key in keys.items()
        },
    }
