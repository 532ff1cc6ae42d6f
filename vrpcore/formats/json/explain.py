"""The slow second reading: what is wrong with a value that is not what its declaration says.

msgspec reads and checks at once, but its messages are for programmers. So where it refuses a
value, or cannot see what has to be refused (a key given twice, a number that is nearly 0), the
declared types are walked here, and the first fault is told with its place, what was found there,
and what was expected.
"""

import itertools
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar, cast

import msgspec
import numpy as np
from msgspec import inspect

from vrpcore.errors import SHOWN_CHARACTERS, InstanceError, advice, describe, fault, show
from vrpcore.formats.json.jsonparse import JsonObject
from vrpcore.formats.json.synonyms import answer_to, value_advice
from vrpcore.formats.json.values import LEAST_SPEED, MAX_INTEGER, MAX_MAGNITUDE, MIN_MAGNITUDE
from vrpcore.instance.instance import Float64

T = TypeVar("T")
_NO_UTF8 = re.compile("[\udc80-\udcff]")  # bytes that could not be decoded
_LONG_INTEGER = 2**31  # limits from here are told as powers of 2


def read_as(kind: type[T], value: object, place: str) -> T:
    """A value that a JSON parser, or a caller in Python, has returned, as a declared type.

    Args:
        kind: Any type that msgspec knows.
        value: Numbers, texts, lists, tuples and mappings.
        place: Where it was found; begins each message.

    Raises:
        InstanceError: It is something else; `code` says what.
    """
    explain(kind, value, place)
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:  # not foreseen above: as the library says it
        raise fault(place, str(error), "WRONG_TYPE") from None


def explain(kind: Any, value: object, place: str) -> None:
    """Check a value as `read_as` does, without making anything of it."""
    _check(_info(kind), value, place)


@cache
def _info(kind: Any) -> inspect.Type:
    return inspect.type_info(kind)


def _check(node: inspect.Type, value: object, place: str) -> None:
    said: dict[str, Any] = {}
    if isinstance(node, inspect.Metadata):
        said, node = node.extra or {}, node.type
    if isinstance(node, inspect.UnionType):
        options = [each for each in node.types if not isinstance(each, inspect.NoneType)]
        if value is None and len(options) < len(node.types):
            return
        if {type(_bare(each)) for each in options} == _KINDS_OF_ID:
            check_id(value, place)
            return
        _check(_option(options, value), value, place)
    elif (check := _CHECKS.get(type(node))) is not None:
        check(node, value, place, said)


def _bare(node: inspect.Type) -> inspect.Type:
    return node.type if isinstance(node, inspect.Metadata) else node


_KINDS_OF_ID = {inspect.StrType, inspect.IntType}
_LISTS = (inspect.ListType, inspect.TupleType, inspect.VarTupleType)
_OBJECTS = (inspect.StructType, inspect.DictType)


def _option(options: Sequence[inspect.Type], value: object) -> inspect.Type:
    """The alternative that a value was meant as: the first, unless another one is of its kind."""
    kinds: tuple[type, ...] = ()
    if isinstance(value, Mapping):
        kinds = _OBJECTS
    elif isinstance(value, list | tuple):
        kinds = _LISTS
    elif isinstance(value, int) and not isinstance(value, bool):
        kinds = (inspect.IntType,)
    return next((each for each in options if isinstance(_bare(each), kinds)), options[0])


def _check_object(node: Any, value: object, place: str, _: object) -> None:
    keys = {each.encode_name: each for each in node.fields}
    found = check_object(
        value, place, keys, any_key=not node.cls.__struct_config__.forbid_unknown_fields
    )
    for name, key in keys.items():
        if found.get(name) is None and key.required:
            raise fault(f"{place}.{name}", "missing", "MISSING")
        if found.get(name) is not None:
            _check(key.type, found[name], f"{place}.{name}")


def _check_dict(node: Any, value: object, place: str, _: object) -> None:
    for name, item in check_mapping(value, place).items():
        check_text(name, place)
        _check(node.value_type, item, f"{place}.{plain_name(name)}")


def _check_items(node: Any, value: object, place: str, said: Mapping[str, Any]) -> None:
    what = said.get("of", "values")
    if isinstance(value, int) and "number" in said:
        message = f"{describe(value)}, expected a list of {what}; {said['number']}"
        raise fault(place, message, "WRONG_TYPE")
    rows = check_list(value, place, what)
    least, most = node.min_length or 0, node.max_length
    if len(rows) < least or (most is not None and len(rows) > most):
        expected = f"expected {least} to {most}" if least else f"the limit is {most}"
        if most is None:
            expected = f"expected at least {least}"
        raise fault(place, f"{len(rows)} {what}, {expected}", "SHAPE")
    if _are_fine(node.item_type, rows):
        return
    for index, item in enumerate(rows):
        _check(node.item_type, item, f"{place}[{index}]")


def _are_fine(node: inspect.Type, rows: Sequence[object]) -> bool:
    """Return whether many values are surely right: numbers, or pairs of them, at once."""
    node, least = _bare(node), None
    if isinstance(node, inspect.TupleType):
        kinds, size = {*map(type, node.item_types)}, {len(node.item_types)}
        if kinds != {inspect.FloatType} or not {*map(type, rows)} <= {list, tuple}:
            return False
        pairs = cast(Sequence[Sequence[object]], rows)
        return {*map(len, pairs)} <= size and not _are_odd([*itertools.chain(*pairs)], least)
    if isinstance(node, inspect.UnionType):
        (node, *others), rows = node.types, [each for each in rows if each is not None]
        if [*map(type, others)] != [inspect.NoneType]:
            return False
    return isinstance(node, inspect.FloatType) and not _are_odd(rows, node.ge)


def _are_odd(values: Sequence[object], least: float | None) -> bool:
    """Return whether one of many values is no number, or not of a size that is read."""
    if not {*map(type, values)} <= {int, float}:
        return True
    try:
        numbers: Float64 = np.array(values, dtype=np.float64)
    except OverflowError:  # an integer beyond float64
        return True
    size = np.abs(numbers)
    small = (size < MIN_MAGNITUDE) & (size > 0) | (
        numbers < (-math.inf if least is None else least)
    )
    return bool((small | ~(size <= MAX_MAGNITUDE)).any())


def _check_tuple(node: Any, value: object, place: str, said: Mapping[str, Any]) -> None:
    what, kinds = said.get("of", "values"), node.item_types
    if not isinstance(value, list | tuple) or len(value) != len(kinds):
        raise fault(place, f"{describe(value)}, expected {what}", "SHAPE")
    for index, (kind, item) in enumerate(zip(kinds, value, strict=True)):
        _check(kind, item, f"{place}[{index}]")


def check_within(
    value: object, place: str, least: float, most: float = MAX_MAGNITUDE, hint: str = ""
) -> float:
    """Check that a value is a number within limits, as the types of `values` have them."""
    computed = most > MAX_MAGNITUDE
    smallest = 0.0 if computed or least == LEAST_SPEED else MIN_MAGNITUDE
    number = check_number(value, place, smallest, most if computed else MAX_MAGNITUDE)
    if least in (MIN_MAGNITUDE, LEAST_SPEED) and number < least:
        known = f" of at least {least:g}" if number > 0 else ""
        said = "" if least == LEAST_SPEED else value_advice(value)
        message = f"{show(number)} is not a positive number{known}{said}"
        raise fault(place, message, "OUT_OF_RANGE")
    if least == 0 and number < 0:
        demand = "demand" in place.rpartition(".")[2]
        said = "; what is collected is a pickup" if demand else value_advice(value)
        raise fault(place, f"{show(number)} is negative, expected at least 0{said}", "OUT_OF_RANGE")
    if not least <= number <= most:
        limits = f"{show(float(least))} to" if least < 0 else "at most"
        message = f"{show(number)}, expected {limits} {show(float(most))}{hint}"
        raise fault(place, message, "OUT_OF_RANGE")
    return number


def _check_integer(node: Any, value: object, place: str, _: object) -> None:
    most = None if node.le is None or node.le >= _LONG_INTEGER else node.le
    number = check_integer(value, place, -MAX_INTEGER if node.ge is None else node.ge, most)
    if node.le is not None and number > node.le:
        message = f"{describe(value)}, expected below 2^{node.le.bit_length()}"
        raise fault(place, message, "OUT_OF_RANGE")


def _check_choice(node: Any, value: object, place: str, _: object) -> None:
    if value not in node.values:
        known = ", ".join(map(str, node.values))
        raise fault(place, f"{describe(value)}, expected one of {known}", "UNKNOWN")


_CHECKS: Mapping[type[inspect.Type], Callable[[Any, object, str, dict[str, Any]], object]] = {
    inspect.StructType: _check_object,
    inspect.DictType: _check_dict,
    inspect.ListType: _check_items,
    inspect.VarTupleType: _check_items,
    inspect.TupleType: _check_tuple,
    inspect.FloatType: lambda node, value, place, said: check_within(
        value, place, node.ge, node.le, said.get("hint", "")
    ),
    inspect.IntType: _check_integer,
    inspect.StrType: lambda _, value, place, __: check_text(value, place),
    inspect.BoolType: lambda _, value, place, __: check_boolean(value, place),
    inspect.LiteralType: _check_choice,
}


def check_mapping(value: object, place: str) -> Mapping[str, object]:
    """An object without duplicate keys."""
    if not isinstance(value, Mapping):
        raise fault(place, f"{describe(value)}, expected an object", "WRONG_TYPE")
    if isinstance(value, JsonObject) and value.duplicate is not None:
        message = f"duplicate key {describe(value.duplicate)}; keep only one"
        raise fault(place, message, "DUPLICATE")
    return value


def check_object(
    value: object, place: str, keys: Collection[str], *, any_key: bool = False
) -> Mapping[str, object]:
    """An object without duplicate keys, or keys other than these unless `any_key`."""
    for key in check_mapping(value, place):
        if key not in keys:
            if not any_key:
                raise unknown_key(key, place, keys)
            check_text(key, place)
    return cast(Mapping[str, object], value)


def unknown_key(key: object, place: str, keys: Collection[str]) -> InstanceError:
    """The error for a key that is not known: what it is called here, or what it misspells."""
    said = answer_to(str(key), keys) or advice(str(key), keys)
    return fault(place, f"unknown key {describe(key)}; {said}", "UNKNOWN")


def check_list(value: object, place: str, what: str) -> Sequence[object]:
    """A list; `what` it should hold is for the message."""
    if not isinstance(value, list | tuple):
        raise fault(place, f"{describe(value)}, expected a list of {what}", "WRONG_TYPE")
    return value


def check_number(
    value: object, place: str, least: float = MIN_MAGNITUDE, most: float = MAX_MAGNITUDE
) -> float:
    """A finite number of bearable size: 0, or `least` to `most`; neither text nor a truth value."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        message = f"{describe(value)}, expected a number{value_advice(value)}"
        raise fault(place, message, "WRONG_TYPE")
    if isinstance(value, float) and not math.isfinite(value):
        message = f"{describe(value)} is not a finite number{value_advice(value)}"
        raise fault(place, message, "OUT_OF_RANGE")
    if abs(value) > most:
        message = f"{describe(value)} is not a finite number up to {most:g}"
        raise fault(place, message, "OUT_OF_RANGE")
    if 0 < abs(value) < least:
        message = f"{describe(value)} is nearer to 0 than {least:g}; write 0"
        raise fault(place, message, "OUT_OF_RANGE")
    return float(value)


def check_integer(value: object, place: str, least: int, most: int | None = None) -> int:
    """A whole number written as one (2, not 2.0)."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise fault(place, f"{describe(value)}, expected an integer", "WRONG_TYPE")
    if value < least:
        raise fault(place, f"{describe(value)}, expected at least {least}", "OUT_OF_RANGE")
    if value > MAX_INTEGER:
        raise fault(place, f"{describe(value)}, expected below 2^63", "OUT_OF_RANGE")
    if most is not None and value > most:
        raise fault(place, f"{value}, expected {least} to {most}", "OUT_OF_RANGE")
    return value


def check_text(value: object, place: str) -> str:
    """Text that can be written as UTF-8."""
    if not isinstance(value, str):
        raise fault(place, f"{describe(value)}, expected text", "WRONG_TYPE")
    if not is_writable(value):
        if byte := _NO_UTF8.search(value):
            message = f"invalid UTF-8 (byte 0x{ord(byte[0]) - 0xDC00:02x}); JSON must be UTF-8 text"
            raise fault(place, message, "ENCODING")
        message = f"{describe(value)} contains a lone surrogate, which is not valid UTF-8"
        raise fault(place, message, "ENCODING")
    return value


def is_writable(text: str) -> bool:
    """True where the text can be encoded as UTF-8: no lone surrogates."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def check_id(value: object, place: str) -> str | int:
    """A customer's identifier: text or an integer."""
    if isinstance(value, str):
        return check_text(value, place)
    if isinstance(value, bool) or not isinstance(value, int):
        message = f"{describe(value)}, expected an id (text or integer)"
        raise fault(place, message, "WRONG_TYPE")
    return check_integer(value, place, -MAX_INTEGER)


def check_boolean(value: object, place: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise fault(place, f"{describe(value)}, expected true or false", "WRONG_TYPE")
    return value


def plain_name(name: object) -> str:
    """A key as a place has it: quoted, and cut, where it could confuse a reader."""
    text = str(name)
    return text if text.isprintable() and len(text) <= SHOWN_CHARACTERS else describe(name)
