"""Options that are declared once: type, default, range, choices and help.

A frozen dataclass declares them as `Annotated[type, Option(...)]`. Its own validation, the
flags of a command and the query of a request are all made from that.
"""

import dataclasses
import functools
import math
import numbers
from collections.abc import Callable
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from vrpcore.errors import ConfigError, describe


@dataclasses.dataclass(frozen=True, slots=True)
class Option:
    """Metadata of an option, in addition to its type and default.

    Attributes:
        help: One line for `--help`.
        low: Least value; without `high` the option is a time in seconds.
        high: Greatest value.
        positive: Every number above 0 is allowed, up to `high`; `low` only stands in `--help`.
        flags: On the command line; none: `--` and the option's public name.
        written: The default as it is written on the command line, if that differs.
        read: Turns what is written into a value; raises ValueError with what was expected.
    """

    help: str
    low: float | None = None
    high: float | None = None
    positive: bool = False
    flags: tuple[str, ...] = ()
    written: str | int | None = None
    read: Callable[[Any], Any] | None = None

    def fault(self, value: float) -> str | None:
        """Describe the fault of a value; None if it is valid."""
        if self.positive:
            most = math.inf if self.high is None else self.high
            limit = "" if self.high is None else f" up to {self.high}"
            return None if 0 < value <= most else f"is not a positive number{limit}"
        if self.low is None:
            return None
        if self.high is None:
            return None if self.low <= value < math.inf else "is not a time in seconds"
        within = self.low <= value <= self.high
        return None if within else f"is not between {self.low} and {self.high}"


class Declared(NamedTuple):
    """An option in the dataclass that declares it.

    Attributes:
        name: The field.
        kind: Its type.
        kinds: That, or those of the union that it is.
        default: None also where the field makes its default.
        choices: The known values; empty where there are others.
        option: The rest.
    """

    name: str
    kind: Any
    kinds: tuple[Any, ...]
    default: Any
    choices: tuple[str, ...]
    option: Option

    @property
    def public(self) -> str:
        """The name for users, without a unit."""
        return self.name.removesuffix("_s")

    def mistyped(self, value: object) -> str | None:
        """Describe the expected type of a mistyped value; None if its type is right."""
        kinds = self.kinds
        if value is None and NoneType in kinds:
            return None
        number = isinstance(value, numbers.Real) and not isinstance(value, bool)
        if bool in kinds:
            return None if isinstance(value, bool) else "true or false"
        if str in kinds and isinstance(value, str):
            return None
        if float in kinds:
            return None if number else "a number"
        if int in kinds:
            return None if number and isinstance(value, numbers.Integral) else "a whole number"
        return "text" if {*kinds} <= {str, NoneType} else None


@functools.cache
def declared(group: type) -> tuple[Declared, ...]:
    """The options of a dataclass; fields without an `Option` are none."""
    found = []
    for field in dataclasses.fields(group):
        if get_origin(field.type) is Annotated:
            kind, option = get_args(field.type)
            default = None if field.default is dataclasses.MISSING else field.default
            kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
            choices = next((get_args(each) for each in kinds if get_origin(each) is Literal), ())
            found.append(Declared(field.name, kind, kinds, default, choices, option))
    return tuple(found)


def check_options(values: object) -> None:
    """Checks all options of an object; other numbers, as NumPy's, become those of Python.

    Raises:
        ConfigError: A value is of another type, out of range, or none of the choices.
    """
    group: Any = type(values)  # hashable, whatever a type checker knows of it
    for item in declared(group):
        value = getattr(values, item.name)
        if value is item.default and (value is not None or NoneType in item.kinds):
            continue
        if item.choices:
            known = isinstance(value, str) and value in item.choices
            if value is not item.default and not known:
                choices = ", ".join(item.choices)
                raise ConfigError(f"{item.name}: {describe(value)} is not one of {choices}")
        elif expected := item.mistyped(value):
            raise ConfigError(f"{item.name}: {describe(value)} is not {expected}")
        elif value is not None and (fault := item.option.fault(value)):
            raise ConfigError(f"{item.name}: {value} {fault}")
        elif type(value) not in (bool, int, float) and isinstance(value, numbers.Real):
            number = int(value) if isinstance(value, numbers.Integral) else float(value)
            object.__setattr__(values, item.name, number)
