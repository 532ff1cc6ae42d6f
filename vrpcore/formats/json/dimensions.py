"""Load dimensions: all amounts of an instance are numbers, or lists of one length."""

from collections.abc import Iterable
from typing import NamedTuple

from vrpcore.errors import fault
from vrpcore.formats.json.keys import Amount

Given = tuple[Amount | float | None, str]  # an amount, None where there is none, and its place


class Dimensions(NamedTuple):
    """How many numbers each amount has; the first amount that is given decides.

    Attributes:
        place: Of that first amount; empty: none is given yet.
        size: Numbers in a list; None where amounts are single numbers.
    """

    place: str = ""
    size: int | None = None

    def joined(self, amounts: Iterable[Given]) -> "Dimensions":
        """The same with further amounts.

        Raises:
            InstanceError: One is not like those before it (code MIXED_AMOUNTS).
        """
        known = self
        for amount, place in amounts:
            if amount is None:
                continue
            size = len(amount) if isinstance(amount, tuple) else None
            if not known.place:
                known = Dimensions(place, size)
            elif size != known.size:
                message = f"{_sized(size)}, but {known.place} is {_sized(known.size)}"
                advice = "give all amounts alike; a list has a number for each load dimension"
                raise fault(place, f"{message}; {advice}", "MIXED_AMOUNTS")
        return known


def is_some(amount: Amount | float | None) -> bool:
    """Whether an amount is there, and is more than 0 in a dimension."""
    return any(amount) if isinstance(amount, tuple) else bool(amount)


def _sized(size: int | None) -> str:
    return "a number" if size is None else f"a list of {size}"
