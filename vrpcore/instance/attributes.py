"""What is declared once of each number of a vehicle type.

The declaration stands at the field of its dataclass in instance/constraints.py. From it follow
the keys of JSON and their checks, their default values, what is written, columns of spreadsheets,
advice for words of other programs, rounding, and the arrays of the compiled search.
"""

from dataclasses import field, fields
from functools import cache
from typing import Any, Literal, NamedTuple

# A time, or a length of time; `per_...` are costs of one unit of these, `per_work` of time spent
# at stops.
Measure = Literal[
    "time", "span", "length", "speed", "money", "count",
    "per_length", "per_time", "per_work",
]  # fmt: skip
ROUNDED: frozenset[Measure] = frozenset({"time", "span", "length", "money"})
TIMED: frozenset[Measure] = frozenset({"time", "span", "speed", "per_time"})


class Attribute(NamedTuple):
    """A number of a vehicle type.

    Attributes:
        name: Of the field that holds it.
        default: Its value where nothing is given; asks for nothing.
        unit: What it measures.
        key: What JSON calls it.
        words: What other programs call it, as `Synonyms` has them.
        column: What spreadsheets call it; empty: they have no column for it.
        headings: Other headings of that column, without blanks.
        with_unit: Headings that mean it where a unit follows.
    """

    name: str
    default: float
    unit: Measure
    key: str
    words: str = ""
    column: str = ""
    headings: str = ""
    with_unit: tuple[str, ...] = ()

    @property
    def is_limit(self) -> bool:
        """Whether it is infinite where nothing is given."""
        return abs(self.default) == float("inf")


def number(default: float, unit: Measure, **declared: Any) -> Any:
    """A field of a dataclass that holds a number, with its declaration.

    Args:
        default: See `Attribute`.
        unit: See `Attribute`.
        **declared: Further attributes of `Attribute`; `key` is the field's name by default, and
            `column` the key.
    """
    given = {"default": default, "unit": unit, **declared}
    return field(default=default, metadata={"declared": given})


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
    """Whether some number of such a unit is not the default."""
    kind: type = type(item)
    return any(
        getattr(item, each.name) != each.default
        for each in attributes_of(kind)
        if each.unit in units
    )
