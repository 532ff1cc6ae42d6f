"""Signatures that show keywords one by one, to `help`, notebooks and editors."""

import functools
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast, get_args, get_type_hints

from vrpcore.errors import InstanceError, describe, fault

_SHOWN = 6  # names in a message
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)

Function = TypeVar("Function", bound=Callable[..., object])


class _LeftOut:
    """Stands for the default of a keyword: it is not given."""

    def __repr__(self) -> str:
        return "..."


def explained(about: Mapping[str, str]) -> Callable[[Function], Function]:
    """Write what keywords mean into a docstring, in place of its line `{keys}`.

    Args:
        about: What each means; of the keywords that `explicit` shows.
    """

    def completed(function: Function) -> Function:
        *_, whole = inspect.signature(function).parameters.values()
        (keys,) = get_args(whole.annotation)
        lines = [f"{key}: {about[key].replace('null', 'None')}" for key in get_type_hints(keys)]
        text = function.__doc__ or ""  # none with `python -OO`
        function.__doc__ = re.sub(
            r"( *)\{keys\}", lambda found: "\n".join(found[1] + line for line in lines), text
        )
        return function

    return completed


def explicit(function: Function) -> Function:
    """Shows the keywords that a function takes as a whole.

    Args:
        function: Its last parameter is `**name: Unpack[T]` of a typed dict T.

    Returns:
        The same function; values without names are an `InstanceError` that lists the names.
    """
    own = inspect.signature(function)
    *before, whole = own.parameters.values()
    (keys,) = get_args(whole.annotation)
    needed, kind = keys.__required_keys__, inspect.Parameter.KEYWORD_ONLY
    shown = [
        inspect.Parameter(
            name,
            kind,
            default=inspect.Parameter.empty if name in needed else _LeftOut(),
            annotation=annotation,
        )
        for name, annotation in get_type_hints(keys).items()
    ]
    most = sum(each.kind in _POSITIONAL for each in before)

    @functools.wraps(function)
    def named(*values: Any, **others: Any) -> object:
        if len(values) > most:
            call = function.__name__
            place = type(values[0]).__name__ if call == "__init__" else call
            later = [each.name for each in (*before, *shown) if each.kind not in _POSITIONAL]
            raise _unnamed(place, values[most:], later)
        return function(*values, **others)

    vars(named)["__signature__"] = own.replace(parameters=[*before, *shown])
    return cast(Function, named)


def _unnamed(place: str, values: Sequence[object], names: Sequence[str]) -> InstanceError:
    found = ", ".join(map(describe, values[:_SHOWN]))
    wanted = ", ".join(f"{name}=..." for name in names[:_SHOWN])
    more = ", ..." if len(names) > _SHOWN else ""
    return fault(place, f"{found} without a name; write {place}({wanted}{more})", "WRONG_TYPE")
