"""Groups of commands whose modules are loaded only when they are called."""

import importlib
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, NamedTuple

import typer
from typer.core import TyperGroup
from typer.main import get_group

from vrpcore.cli.plain import ease


class Entry(NamedTuple):
    """A command that is not loaded yet.

    Attributes:
        module: Has `register(app)`, which adds the command.
        summary: The first paragraph of its help, on one line.
    """

    module: str
    summary: str


def lazy_group(entries: Mapping[str, Entry]) -> type[TyperGroup]:
    """The class of a group with these commands, for `typer.Typer(cls=...)`.

    The group's own help lists the commands without loading them, and without the parts of
    typer that draw the help of a command, which take longer to load than everything else.
    """

    class Group(TyperGroup):
        """Commands by name."""

        def __init__(self, **attributes: Any) -> None:
            super().__init__(**attributes)
            self.commands = _Commands(entries)
            ease(self)

        def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - given by click
            """Names, in the order of the table."""
            return list(entries)

        def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - given by click
            """Draws the help."""
            _draw_help(self, ctx, {name: entry.summary for name, entry in entries.items()})

    return Group


class _Commands(MutableMapping[str, Any]):
    """Commands by name, each loaded on first use."""

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        self._entries = dict(entries)
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            own = typer.Typer(rich_markup_mode="rich")
            importlib.import_module(self._entries[name].module).register(own)
            command = get_group(own).commands[name]
            ease(command)
            self._loaded[name] = command
        return self._loaded[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._entries[name], self._loaded[name] = Entry("", ""), command

    def __delitem__(self, name: str) -> None:
        del self._entries[name]
        self._loaded.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def _draw_help(group: TyperGroup, ctx: Any, summaries: Mapping[str, str]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.padding import Padding

    console = Console(highlight=False, emoji=False)
    console.print(Padding(escape(group.get_usage(ctx)), 1), style="bold")
    console.print(Padding(group.help or "", (0, 1, 1, 1)))
    options = {", ".join(item.opts): getattr(item, "help", "") for item in group.get_params(ctx)}
    for title, rows in (("Options", options), ("Commands", summaries)):
        console.print(_panel(title, {escape(key): escape(text) for key, text in rows.items()}))


def _panel(title: str, rows: Mapping[str, str]) -> Any:
    from rich.panel import Panel
    from rich.table import Table

    table = Table(box=None, show_header=False, expand=True)
    table.add_column(style="bold cyan", no_wrap=True)
    table.add_column(ratio=1)
    for name, text in rows.items():
        table.add_row(name, text)
    return Panel(table, title=title, title_align="left", border_style="dim")
