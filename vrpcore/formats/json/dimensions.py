"""Load dimensions: all amounts of an instance are numbers, or lists of one length."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from vrpcore.errors import fault
from vrpcore.instance.instance import Float64

Amount = Sequence[float] | float | None  # None: there is none
Given = tuple[Amount, str]  # with its place


class Dimensions(NamedTuple):
    """How many numbers each amount has; the first amount that is given decides.

    Attributes:
        place: Of that first amount; empty: none is given yet.
        size: Numbers in a list; None where amounts are single numbers.
    """

    place: str = ""
    size: int | None = None

    def joined(self, amounts: Iterable[Given]) -> "Dimensions":
        """Add further amounts.

        Raises:
            InstanceError: One is not like those before it (code SHAPE).
        """
        known = self
        for amount, place in amounts:
            if amount is None:
                continue
            size = None if isinstance(amount, int | float) else len(amount)
            if not known.place:
                known = Dimensions(place, size)
            elif size != known.size:
                message = f"{_sized(size)}, but {known.place} is {_sized(known.size)}"
                advice = "give all amounts alike; a list has a number for each load dimension"
                raise fault(place, f"{message}; {advice}", "SHAPE")
        return known


def is_some(amount: Amount) -> bool:
    """Return whether an amount is there, and is more than 0 in a dimension."""
    return bool(amount) if amount is None or isinstance(amount, int | float) else any(amount)


def amounts_table(values: Sequence[Amount], dimensions: int) -> Float64:
    """[n, L] float64 of n amounts that agree, 0 where there is none."""
    if dimensions == 1 and set(map(type, values)) <= {float, type(None)}:
        found: Float64 = np.array(values, np.float64).reshape(-1, 1)
        return np.where(np.isnan(found), 0.0, found)
    nothing = (0.0,) * dimensions
    return np.array([nothing if each is None else each for each in values], np.float64)


def _sized(size: int | None) -> str:
    return "a number" if size is None else f"a list of {size}"
