"""Declarations of the numbers of vehicle types, depots and stops, one for each.

The declaration stands at the field of its dataclass in instance/constraints.py. From it follow
the keys of JSON and their checks, their default values, what is written, columns of spreadsheets,
advice for words of other programs, rounding, and the arrays of the compiled search.
"""

from dataclasses import field, fields
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np

# A time, or a length of time; a count is a whole number; `per_...` are costs of one unit of
# these, `per_work` of time spent at stops.
Measure = Literal[
    "time", "span", "length", "speed", "money", "count",
    "per_length", "per_time", "per_work",
]  # fmt: skip
ROUNDED: frozenset[Measure] = frozenset({"time", "span", "length", "money"})
TIMED: frozenset[Measure] = frozenset({"time", "span", "speed", "per_time"})
# Where a shipment says it: at each end; once for both ends; once, and it stands at the pickup;
# once, and it stands at the delivery: customers have no such number.
OfShipment = Literal["each_end", "both_ends", "pickup", "delivery"]


class Attribute(NamedTuple):
    """A number of a vehicle type, a depot or a stop.

    Attributes:
        name: Of the field that holds it: a number, or a column with one for each stop.
        default: Its value where nothing is given; asks for nothing.
        unit: What it measures.
        key: What JSON calls it.
        about: What it means, for pages, schemas and `help`.
        most: The largest that may be given, of a count; None: there is no such limit.
        words: What other programs call it, as `Synonyms` has them.
        says: What to write in place of these words, if that is not just the key.
        column: What spreadsheets call it; empty: they have no column for it.
        headings: Other headings of that column, without blanks.
        with_unit: Headings that mean it where a unit follows.
        of_shipment: Of stops: where a shipment says it.
        by_vehicle: Of stops: JSON has `KEY_by_vehicle`, and `Constraints` the column
            `NAME_by_type`, for vehicle types that have another number.
        optional: Of stops: the column is None where no stop has it.
        priced_by: Of a limit that is 0 by default: the name of what a unit costs up to it. Where
            only that is given, there is no limit.
    """

    name: str
    default: float
    unit: Measure
    key: str
    about: str
    most: int | None = None
    words: str = ""
    says: str = ""
    column: str = ""
    headings: str = ""
    with_unit: tuple[str, ...] = ()
    of_shipment: OfShipment = "each_end"
    by_vehicle: bool = False
    optional: bool = False
    priced_by: str = ""

    @property
    def description(self) -> str:
        """Its meaning, with its default."""
        default = "" if self.is_limit else f" Default {self.default:g}"
        free = f", unlimited with only `{self.priced_by}`" if self.priced_by else ""
        return self.about + (default and f"{default}{free}.")

    @property
    def is_limit(self) -> bool:
        """Return whether the default is infinite, so that the number is a limit."""
        return abs(self.default) == float("inf")

    @property
    def dtype(self) -> type[np.float64 | np.int64]:
        """The type of the column."""
        return np.int64 if self.unit == "count" else np.float64


def number(default: float, unit: Measure, about: str, **declared: Any) -> Any:
    """A field of a dataclass that holds a number, with its declaration.

    Args:
        default: See `Attribute`.
        unit: See `Attribute`.
        about: See `Attribute`.
        **declared: Further attributes of `Attribute`; `key` is the field's name by default, and
            `column` the key.
    """
    given = {"default": default, "unit": unit, "about": about, **declared}
    return field(default=default, metadata={"declared": given})


def number_per_stop(default: float, unit: Measure, about: str, **declared: Any) -> Any:
    """A field of `Constraints` that holds a number for each stop; the same arguments."""
    given = {"default": default, "unit": unit, "about": about, **declared}
    metadata = {"declared": given, "per": "stop"}
    if declared.get("optional"):
        return field(default=None, metadata=metadata)
    return field(metadata=metadata)


@cache
def attributes_of(kind: type) -> tuple[Attribute, ...]:
    """The numbers that a dataclass declares, in order."""
    found = []
    for each in fields(kind):
        if (declared := each.metadata.get("declared")) is not None:
            key = declared.get("key", each.name)
            named = {"key": key, "column": key, **declared}
            found.append(Attribute(name=each.name, **named))
    return tuple(found)


def is_used(item: Any, units: frozenset[Measure]) -> bool:
    """Return whether some number of such a unit is not the default."""
    kind: type = type(item)
    found = ((getattr(item, each.name), each) for each in attributes_of(kind))
    return any(
        value is not None and bool(np.any(value != each.default))
        for value, each in found
        if each.unit in units
    )
