"""Groups of commands whose modules are loaded only when they are called."""

import importlib
import re
from collections.abc import Mapping
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from vrpcore.cli.plain import ease

_IN_PARAGRAPH = re.compile(r"(?<=\S)\n(?=[^\s\[])")  # a line end that the terminal sets anew


def lazy_group(prefix: str, summaries: Mapping[str, str]) -> type[TyperGroup]:
    """The class of a group of commands, for `typer.Typer(cls=...)`.

    The command `name` is what the module `<prefix><name>` calls `name`: a function, explained
    by the module's `HELP`, or a group. The group's own help lists the commands without loading
    them, and without the parts of typer that draw the help of a command, which take longer to
    load than everything else.

    Args:
        prefix: How the names of the modules begin.
        summaries: The first paragraph of each command's help, on one line, by name.
    """

    class Group(TyperGroup):
        """Commands by name."""

        def __init__(self, **attributes: Any) -> None:
            super().__init__(**attributes)
            self.commands: dict[str, Any] = dict.fromkeys(summaries)  # None: not loaded yet
            ease(self)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - given by click
            """The command, loaded on first use; None where there is none of this name."""
            if cmd_name in summaries and self.commands[cmd_name] is None:
                self.commands[cmd_name] = _load(prefix + cmd_name, cmd_name)
            return self.commands.get(cmd_name)

        def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - given by click
            """Draws the help."""
            _draw_help(self, ctx, summaries)

    return Group


def _load(place: str, name: str) -> Any:
    module = importlib.import_module(place)
    found = getattr(module, name)
    own = typer.Typer(rich_markup_mode="rich")
    if isinstance(found, typer.Typer):
        own.add_typer(found, name=name)
    else:
        own.command(name, help=_IN_PARAGRAPH.sub(" ", module.HELP))(found)
    command = get_group(own).commands[name]
    ease(command)
    return command


def _draw_help(group: TyperGroup, ctx: Any, summaries: Mapping[str, str]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.padding import Padding
    from rich.panel import Panel
    from rich.table import Table

    console = Console(highlight=False, emoji=False)
    console.print(Padding(escape(group.get_usage(ctx)), 1), style="bold")
    console.print(Padding(group.help or "", (0, 1, 1, 1)))
    options = {", ".join(item.opts): getattr(item, "help", "") for item in group.get_params(ctx)}
    for title, rows in (("Options", options), ("Commands", summaries)):
        table = Table(box=None, show_header=False, expand=True)
        table.add_column(style="bold cyan", no_wrap=True)
        table.add_column(ratio=1)
        for name, text in rows.items():
            table.add_row(escape(name), escape(text))
        console.print(Panel(table, title=title, title_align="left", border_style="dim"))
