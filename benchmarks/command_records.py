"""`python -m benchmarks records`."""

from __future__ import annotations

from typing import Annotated

import typer

from benchmarks import records as stored
from vrpcore.cli.console import edge
from vrpcore.formats.files import write_text

HELP = """Render the tables of README.md and docs/ from the records in docs/results/records.

A page shows a record between <!-- record: NAME --> and <!-- end -->. What stands between them is
written anew; everything else stays.

[bold]Examples[/]

  python -m benchmarks records
  python -m benchmarks records --check      exit 1 if a page differs from its records
"""


@edge()
def records(
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 if a page would change.")
    ] = False,
) -> None:
    """Render, and write or compare."""
    changed = {
        page: text
        for page, text in stored.pages(stored.DOCS).items()
        if page.read_text(encoding="utf-8") != text
    }
    for page, text in changed.items():
        if not check:
            write_text(page, text)
        typer.echo(f"{page}: {'differs from its records' if check else 'rendered'}")
    if check and changed:
        raise typer.Exit(1)
