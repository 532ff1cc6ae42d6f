"""Values that documents may hold, with their limits; msgspec checks them as it reads."""

import sys
from collections.abc import Callable
from typing import Annotated, Any, TypeVar, cast, dataclass_transform, get_args

import msgspec
from msgspec import Meta

from vrpcore.instance.attributes import Attribute, Measure
from vrpcore.instance.constraints import MAX_DIMENSIONS, MAX_WINDOWS

MAX_MAGNITUDE = 1e100  # squares and sums of such numbers stay finite in float64
MIN_MAGNITUDE = 1e-100  # of numbers other than 0, likewise: products of two keep all their digits
MAX_INTEGER = 2**63 - 1
# Two speeds divide a length of `MAX_MAGNITUDE`; a rate as large makes a finite cost of that.
LEAST_SPEED = 1e-50

Number = Annotated[float, Meta(ge=-MAX_MAGNITUDE, le=MAX_MAGNITUDE)]
NotNegative = Annotated[float, Meta(ge=0, le=MAX_MAGNITUDE)]
Positive = Annotated[float, Meta(ge=LEAST_SPEED, le=MAX_MAGNITUDE)]
Capacity = Annotated[float, Meta(ge=MIN_MAGNITUDE, le=MAX_MAGNITUDE)]
# What was computed of such numbers: a product may be smaller, a sum larger.
Computed = Annotated[float, Meta(ge=-sys.float_info.max, le=sys.float_info.max)]
Whole = Annotated[int, Meta(ge=0, le=MAX_INTEGER)]
Id = str | Annotated[int, Meta(ge=-MAX_INTEGER, le=MAX_INTEGER)]
# `of` says in messages what a list or a tuple has.
Point = Annotated[tuple[Number, Number], Meta(extra={"of": "[x, y], two numbers"})]
Points = Annotated[list[Point], Meta(extra={"of": "[x, y]"})]
Window = Annotated[
    tuple[Number | None, Number | None], Meta(extra={"of": "two times, [opens, closes]"})
]
Windows = Annotated[
    list[Window], Meta(min_length=1, max_length=MAX_WINDOWS, extra={"of": "windows"})
]
Loads = Annotated[
    list[NotNegative],
    Meta(min_length=1, max_length=MAX_DIMENSIONS, extra={"of": "load dimensions"}),
]
Amount = NotNegative | Loads
Skills = Annotated[list[str], Meta(extra={"of": "skills"})]
ByVehicle = dict[str, NotNegative]
# Null: no road leads there.
Matrix = Annotated[
    list[Annotated[list[Number | None], Meta(extra={"of": "numbers"})]],
    Meta(extra={"of": "lists of numbers"}),
]

# Numbers of other units are not negative.
_OF_UNIT: dict[Measure, Any] = {"time": Number, "speed": Positive}
T = TypeVar("T")


@dataclass_transform(kw_only_default=True)
class JsonRow(
    msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, kw_only=True, gc=False
):
    """An object of a document. None: the key is not there, or null."""


def about(text: str) -> Meta:
    """The meaning of a key, for pages, schemas and `help`: one or two plain sentences."""
    return Meta(description=text)


def meanings(row: type[JsonRow]) -> dict[str, str]:
    """The meaning of each key of a row, as `about` says it."""
    return {
        field.encode_name: said.description
        for field in msgspec.structs.fields(row)
        for said in get_args(field.type)
        if isinstance(said, Meta) and said.description
    }


def kind_of(number: Attribute) -> Any:
    """The type of the values of a number."""
    if number.unit == "count":
        most = MAX_INTEGER if number.most is None else number.most
        return Annotated[int, Meta(ge=0, le=most)]
    return _OF_UNIT.get(number.unit, NotNegative)


def with_numbers(*declared: Attribute) -> Callable[[type[T]], type[T]]:
    """Give a row the keys of numbers that are declared elsewhere, each optional.

    Args:
        *declared: Their declarations; the row's fields are called as their keys.
    """

    def added(row: type[T]) -> type[T]:
        fields: list[tuple[str, Any, Any]] = []
        for each in declared:
            kind = kind_of(each) | None
            fields.append((each.key, Annotated[kind, about(each.description)], None))
            if each.by_vehicle:
                by_type = about(f"In place of `{each.key}` for vehicle types, by their ids.")
                key = f"{each.key}_by_vehicle"
                fields.append((key, Annotated[ByVehicle | None, by_type], None))
        found: Any = msgspec.defstruct(
            row.__name__, fields, bases=(row,), module=row.__module__, kw_only=True,
            namespace={"__doc__": row.__doc__},
        )  # fmt: skip
        return cast(type[T], found)

    return added
