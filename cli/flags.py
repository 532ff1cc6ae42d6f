"""Flags of a command, made from options that are declared once."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import is_dataclass
from typing import Annotated, Any, get_args

import typer

from vrpcore.config.option import Declared, Option, declared


def with_flags(command: Callable[..., None]) -> Callable[..., None]:
    """Lets a command take whole dataclasses of options.

    Typer sees a flag for each of their options in place of the parameter.

    Args:
        command: Its parameters are typer's own, or annotated with a dataclass of options.
    """
    own = inspect.signature(command, eval_str=True).parameters.values()
    groups: dict[str, Any] = {
        item.name: item.annotation for item in own if is_dataclass(item.annotation)
    }

    @functools.wraps(command)
    def expanded(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**_arguments(group, values))
        command(**values)

    flags: list[inspect.Parameter] = []
    for item in own:
        flags += map(_flag, declared(item.annotation)) if item.name in groups else [item]
    expanded.__annotations__ = {item.name: item.annotation for item in flags}
    vars(expanded)["__signature__"] = inspect.Signature(flags)
    return expanded


def _flag(item: Declared) -> inspect.Parameter:
    option, kind, default = item.option, item.kind, item.default
    if option.written is not None:
        kind, default = type(option.written), option.written
    names = option.flags or ((f"--{item.public}",) if kind is bool else ())
    low, high = _limits(option, next(iter(get_args(kind)), kind))
    if default is None:
        kind |= None  # also where the dataclass makes it
    return inspect.Parameter(
        item.public,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind, typer.Option(*names, help=option.help, min=low, max=high)],
    )


def _limits(option: Option, number: Any) -> tuple[float | None, float | None]:
    """What typer checks of a number; the options' own validation is stricter."""
    if number not in (int, float):
        return None, None
    if option.positive:
        return (1 if number is int else 0.0), None
    return option.low, option.high


def _arguments(group: type, values: dict[str, Any]) -> dict[str, Any]:
    """Takes the values of a group's flags; what nobody gave is left to the group's defaults.

    Raises:
        BadParameter: A text cannot be read.
    """
    found = {}
    for item in declared(group):
        value = values.pop(item.public)
        if item.option.read is not None:
            try:
                value = item.option.read(value)
            except ValueError as error:
                raise typer.BadParameter(str(error), param_hint=f"--{item.public}") from None
        if value is not None:
            found[item.name] = value
    return found
