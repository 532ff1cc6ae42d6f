"""Numbers as JSON has them: whole ones without a decimal point."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

EXACT_INTEGER = 2.0**63  # whole numbers from here are written as floating point


def json_number(value: float) -> int | float:
    """A number for JSON: whole ones without a decimal point."""
    number = float(value)
    whole = number.is_integer() and abs(number) < EXACT_INTEGER
    return int(number) if whole else number


def json_numbers(values: NDArray[np.float64]) -> list[Any]:
    """Numbers for JSON, nested lists in the array's shape; see `json_number`."""
    if values.ndim == 1:
        return [json_number(value) for value in values.tolist()]
    return [json_numbers(row) for row in values]
