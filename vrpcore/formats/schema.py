"""What each key of an object in a file may hold, declared once: read by it, described by it.

`Fields` reads with it, and `/openapi.json` is made from it.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from vrpcore.errors import describe, fault
from vrpcore.formats.fields import (
    MAX_MAGNITUDE,
    check_id,
    check_integer,
    check_list,
    check_number,
    check_object,
    check_pairs,
    check_point,
    check_text,
    require,
)

JsonSchema = dict[str, Any]


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
    """

    kind: Kind
    required: bool = False


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
        self._found, self._place, self._keys = check_object(value, place, keys), place, keys

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


def integer(least: int) -> Kind:
    """A whole number of at least `least`."""
    return Kind(
        {"type": "integer", "minimum": least},
        lambda value, place: check_integer(value, place, least),
    )


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
        "properties": {name: key.kind.schema for name, key in keys.items()},
    }
