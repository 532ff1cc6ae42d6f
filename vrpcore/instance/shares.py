"""Amounts as whole parts of one unit: shares of a capacity, decimals, and what float32 holds."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vrpcore.instance.instance import Float64

_DECIMALS = [10.0**digits for digits in range(5)]
_PARTS = np.array([*_DECIMALS, *range(2, 1001), 1e5, 1e6])  # the likely ones first


def least_parts(amounts: Float64, rounding: Float64) -> float | None:
    """Into how many parts 1 is divided of which each amount is a whole number; None: no few.

    Args:
        amounts: [n] float64.
        rounding: [n] float64, how far off each of them may be.
    """
    parts = _PARTS
    for amount, off in set(zip(amounts.tolist(), rounding.tolist(), strict=True)):
        units = parts * amount
        parts = parts[np.abs(units - np.rint(units)) <= parts * off]
        if not len(parts):
            return None
    return float(parts[0])


def stated_amounts(amounts: NDArray[Any], *, limit: bool = False) -> Float64:
    """The float64 numbers that amounts of a smaller type stand for.

    Ten times float32's 0.1 is more than 1, and so is the sum of many a route that is exactly full.
    If all amounts are whole parts of one unit within the rounding of their type, they are read as
    these parts. Otherwise each that is not whole is read as the least number that it may stand
    for, a limit as the largest. So whatever fits, fits, with no tolerance where loads are compared.

    Args:
        amounts: [], [n] or [n, load dimensions]; integers and float64 stay as they are.
        limit: They are capacities.
    """
    exact = amounts.astype(np.float64)
    if amounts.dtype.kind != "f" or amounts.dtype.itemsize >= exact.dtype.itemsize:
        return exact
    if not np.isfinite(exact).all():
        return exact  # named where it is found
    if amounts.ndim == 2 and amounts.size:
        return np.stack([stated_amounts(each, limit=limit) for each in amounts.T], 1)
    rounding = float(np.finfo(amounts.dtype).eps) / 2
    if (parts := least_parts(exact.ravel(), np.abs(exact).ravel() * rounding)) is not None:
        found: Float64 = np.rint(exact * parts) / parts
        return found
    moved = exact * (1 + rounding if limit else 1 - rounding)
    return np.where(exact % 1 == 0, exact, moved)
