"""Signatures that show keywords one by one, to `help`, notebooks and editors."""

import inspect
from collections.abc import Callable
from typing import TypeVar, get_args, get_type_hints

Function = TypeVar("Function", bound=Callable[..., object])


class _LeftOut:
    """Stands for the default of a keyword: it is not given."""

    def __repr__(self) -> str:
        return "..."


def explicit(function: Function) -> Function:
    """Shows the keywords that a function takes as a whole.

    Args:
        function: Its last parameter is `**name: Unpack[T]` of a typed dict T, none of whose keys
            is required.

    Returns:
        The same function; calls are as fast as before.
    """
    own = inspect.signature(function)
    *before, whole = own.parameters.values()
    (keys,) = get_args(whole.annotation)
    shown = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=_LeftOut(), annotation=kind)
        for name, kind in get_type_hints(keys).items()
    ]
    vars(function)["__signature__"] = own.replace(parameters=[*before, *shown])
    return function
