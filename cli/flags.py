"""Flags that several commands have, and flags made from options that are declared once."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from typing import Annotated, Any, get_args

import typer

from vrpcore.config.option import Declared, Option, declared

_KEYWORD = inspect.Parameter.KEYWORD_ONLY
ROUND_HELP = "Convention for lengths and times of text formats; auto: as the format says."
_DEVICES = "auto, cpu, cuda or cuda:N."

Device = Annotated[str, typer.Option(help=_DEVICES)]
Threads = Annotated[int | None, typer.Option(min=1, help="CPU threads; default: all.")]
Own = Annotated[
    list[str] | None,
    typer.Option(
        "--own", help="package.module:Class of your own that the checkpoint names; repeatable."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """Options of the solver: the arguments of `Solver`."""

    model: Annotated[
        str | None,
        Option("base, small (10 to 30 customers), variants, or a path (.pt, TorchScript, ONNX)."),
    ] = None
    device: Annotated[str, Option(_DEVICES)] = "auto"


def given(context: typer.Context) -> set[str]:
    """The parameters of a command that the command line states, by name."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return {name for name, source in sources.items() if source and source.name == "COMMANDLINE"}


def with_flags(command: Callable[..., None]) -> Callable[..., None]:
    """Lets a command take whole dataclasses of options.

    Typer sees a flag for each of their options in place of the parameter.

    Args:
        command: Its parameters are typer's own, or annotated with a dataclass of options, whose
            fields may be further such dataclasses.
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
        if item.name in groups:
            flags += _flags(item.annotation)
        else:
            flags.append(item.replace(kind=_KEYWORD))
    expanded.__annotations__ = {item.name: item.annotation for item in flags}
    vars(expanded)["__signature__"] = inspect.Signature(flags)
    return expanded


def _flags(group: type) -> list[inspect.Parameter]:
    """The flags of a group's own options, then of the groups in it."""
    own = list(map(_flag, declared(group)))
    return own + [flag for part in _parts(group).values() for flag in _flags(part)]


def _parts(group: Any) -> dict[str, Any]:
    """The groups in a group, by field."""
    return {item.name: item.type for item in fields(group) if is_dataclass(item.type)}


def _flag(item: Declared) -> inspect.Parameter:
    option, kind, default = item.option, item.kind, item.default
    limits = option.low, option.high
    if str in get_args(kind):
        kind = str  # of several types the one that is written
    if option.written is not None:
        kind, default = type(option.written), option.written
        limits = limits if kind is int else (None, None)
    alone = (f"--{item.public.replace('_', '-')}",)  # no flag that says no
    names = option.flags or (alone if kind is bool else ())
    flag = typer.Option(*names, help=option.help, min=limits[0], max=limits[1])
    if default is None:
        kind |= None  # also where the dataclass makes it
    return inspect.Parameter(
        item.public, _KEYWORD, default=default, annotation=Annotated[kind, flag]
    )


def _arguments(group: type, values: dict[str, Any]) -> dict[str, Any]:
    """Takes the values of a group's flags; flags not given keep the group's defaults.

    Raises:
        BadParameter: A text cannot be read.
    """
    found = {name: part(**_arguments(part, values)) for name, part in _parts(group).items()}
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
