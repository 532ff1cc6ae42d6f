"""Values as JSON has them: in ASCII, on one line, whole numbers without a decimal point."""

import json
import re
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

EXACT_INTEGER = 2.0**63  # whole numbers from here are written as floating point
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")


def json_text(value: object) -> str:
    """Any value as JSON on one line, without a line end: all of it ASCII, escaped.

    Args:
        value: Its numbers have been made sure to be `finite`; others become null.
    """
    text = msgspec.json.format(msgspec.json.encode(value), indent=0).decode()
    return text if text.isascii() else _BEYOND_ASCII.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return json.dumps(found[0])[1:-1]


def said(**values: object) -> dict[str, Any]:
    """The keys of an object that are not None."""
    return {key: value for key, value in values.items() if value is not None}


def finite(value: float) -> float:
    """Return a number, after a check that it is finite.

    Raises:
        ValueError: It is infinite or NaN, which JSON does not have: a bug of the caller.
    """
    if value - value != 0:
        raise ValueError(f"{value} is not JSON")
    return value


def json_number(value: float) -> int | float:
    """A number for JSON: whole ones without a decimal point.

    Raises:
        ValueError: It is not `finite`.
    """
    number = float(value)
    if number.is_integer() and -EXACT_INTEGER < number < EXACT_INTEGER:
        return int(number)
    return number if number - number == 0 else finite(number)


def json_numbers(values: NDArray[np.float64]) -> list[Any]:
    """Numbers for JSON, nested lists in the array's shape; see `json_number`."""
    if not np.isfinite(values).all():
        raise ValueError("an array with numbers that are not JSON")
    whole = (values == np.floor(values)) & (np.abs(values) < EXACT_INTEGER)
    found: list[Any] = (values.astype(np.int64) if whole.all() else values).tolist()
    for *rows, last in () if whole.all() else np.argwhere(whole).tolist():
        row = found
        for each in rows:
            row = row[each]
        row[last] = int(row[last])
    return found
