"""`vrp columns`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vrpcore.cli.console import edge

HELP = """Write down what columns of spreadsheets mean, to be corrected and used every day.

Columns that may matter and have no known name get a comment. Correct the file and give it with
--columns, or call it NAME.columns.yaml and leave it beside NAME.csv.

[bold]Examples[/]

  vrp columns stops.xlsx --fleet vans.xlsx -o mine.yaml
  vrp solve stops.xlsx --fleet vans.xlsx --columns mine.yaml -o plan.xlsx
"""


@edge()
def columns(
    stops: Annotated[str, typer.Argument(help="A spreadsheet of stops: CSV, .xlsx or .ods.")],
    fleet: Annotated[str | None, typer.Option(help="Spreadsheet of vehicles.")] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="A .yaml file; default: print it.")
    ] = None,
) -> None:
    """Writes what columns mean."""
    from vrpcore.errors import OutputError
    from vrpcore.formats.files import open_reader, write_bytes
    from vrpcore.formats.options import SheetOptions
    from vrpcore.formats.spreadsheets import columns_file

    if output is not None and output.exists():
        raise OutputError(f"{output}: already exists; choose another name, or remove it")
    with open_reader(stops) as reader:
        reader.skip_blank()
        text = columns_file(reader, SheetOptions(fleet=fleet))
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_bytes(output, text.encode())
