"""Converts simple command-line values without what typer loads for complex ones.

Typer converts with pydantic. Loading it and building its converters takes longer than parsing
the command line, for every command. Most values are plain texts, numbers and choices.
"""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

_Reader = Callable[[Any], Any]
_DEFER = object()  # what a reader returns for what it leaves to typer, such as each error
_WHOLE = re.compile(r"[0-9]{1,15}", re.ASCII)
_DECIMAL = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,15})?", re.ASCII)


def ease(command: Any) -> None:
    """Makes a command convert its simple values here; all others stay with typer.

    Args:
        command: A command or a group, as typer makes it. Parameters of an unknown kind are
            left unchanged.
    """
    all_params = command.get_params

    def get_params(ctx: Any) -> Any:
        found = all_params(ctx)  # the command's own, and --help
        for parameter in found:
            _ease_parameter(parameter)
        return found

    command.get_params = get_params


def _ease_parameter(parameter: Any) -> None:
    described = getattr(parameter, "type_descriptor", None)
    if described is None or "process_value" in vars(parameter):
        return
    reader = _reader(described.annotation, described.parameter_info)
    if reader is None:
        return
    thorough = parameter.process_value
    may_lack = not parameter.required and parameter.nargs == 1
    nothing = () if parameter.multiple else None

    def process_value(ctx: Any, value: Any) -> Any:
        found = nothing if value is None and may_lack else reader(value)
        if found is _DEFER:
            return thorough(ctx, value)
        callback = parameter.callback
        return callback(ctx, parameter, found) if callback else found

    parameter.process_value = process_value


def _reader(annotation: Any, info: Any) -> _Reader | None:
    """A reader for simple values of a type; None where typer must do it."""
    if annotation in (str, bool):
        return lambda value: value if isinstance(value, annotation) else _DEFER
    if annotation in (int, float):
        return _number(annotation, info)
    if get_origin(annotation) is Literal:
        choices = frozenset(get_args(annotation))
        return lambda value: value if isinstance(value, str) and value in choices else _DEFER
    if annotation == list[str]:
        return _texts
    if annotation is Path and not (info.exists or info.resolve_path or info.allow_dash):
        return _path
    return None


def _number(kind: type[int] | type[float], info: Any) -> _Reader:
    low = float("-inf") if info.min is None else info.min
    high = float("inf") if info.max is None else info.max
    pattern = _WHOLE if kind is int else _DECIMAL

    def read(value: Any) -> Any:
        if type(value) in (int, kind) or (isinstance(value, str) and pattern.fullmatch(value)):
            number = kind(value)
            return number if low <= number <= high else _DEFER
        return _DEFER

    return read


def _texts(value: Any) -> Any:
    plain = isinstance(value, tuple | list) and value and all(isinstance(v, str) for v in value)
    return list(value) if plain else _DEFER


def _path(value: Any) -> Any:
    """Leaves an existing but unreadable path to typer, which refuses it."""
    plain = isinstance(value, str) and (os.access(value, os.R_OK) or not Path(value).exists())
    return Path(value) if plain else _DEFER
