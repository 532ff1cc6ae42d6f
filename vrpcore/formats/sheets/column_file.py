"""What columns are read as: on one line, and as the file that `--columns` takes."""

import json
import re
from collections.abc import Iterator, Sequence

from vrpcore.formats.files import ByteReader
from vrpcore.formats.sheets.cells import Cells
from vrpcore.formats.sheets.headings import family, normal
from vrpcore.formats.sheets.sheet_columns import IGNORE
from vrpcore.formats.sheets.sheet_options import SheetOptions
from vrpcore.formats.sheets.sheet_tables import open_tables
from vrpcore.formats.sheets.units import unit_of
from vrpcore.formats.sheets.unread import unread_columns

_PLAIN = re.compile(r"[a-z_0-9]+( \([\w/]+\))?")  # what YAML takes for a text, without quotes
_HEAD = """\
# What columns mean: NAME or NAME (UNIT), as docs/interface/csv.md has them, or ignore.
# Correct it, and give it with --columns, or call it {beside}.
"""
_TAIL = """\
# decimal: ","   the sign before fractions, "," or "."
# dates: dmy     the order of 3/4/2026: dmy or mdy
"""


def columns_file(reader: ByteReader, options: SheetOptions) -> str:
    """The file for `--columns` that says what columns mean, with comments where it is not known.

    Args:
        reader: At the header of the stops.
        options: The fleet, and what is known of columns.

    Raises:
        InstanceError: A file is no spreadsheet.
        OutputError: The fleet cannot be read.
        MissingExtraError: A workbook needs the extra `sheets`.
    """
    tables = open_tables(reader, options, any_heading=True)
    lines = []
    for name, cells in zip(("stops", "fleet"), tables.cells, strict=False):
        lines += [f"{name}:", *_lines(cells)]
    head = _HEAD.format(beside=f"{reader.stem or 'stops'}.columns.yaml")
    return head + "\n".join(lines) + "\n" + _TAIL


def _lines(cells: Cells) -> Iterator[str]:
    asked = {column.index: column.said for column in unread_columns(cells)}
    meanings = _written(cells)
    for column, heading in enumerate(cells.table.header):
        line = f"  {json.dumps(heading, ensure_ascii=False)}:"
        if column in asked:
            yield f"{line}  # {asked[column]}; write what it means, or {IGNORE}"
        elif heading:
            yield f"{line} {meanings.get(column, IGNORE)}"


def _written(cells: Cells) -> dict[int, str]:
    """What each column that is read means, as the file says it."""
    found: dict[int, str] = {}
    for field, column in cells.columns.of.items():
        quantity = cells.fields[family(field)].quantity
        title, unit = cells.columns.titles[column], None
        if quantity is not None:
            try:
                unit = unit_of(title, quantity, cells.columns.endings.get(field), converted=False)
            except ValueError:
                unit = None  # which is an error when it is read
        slash = "/" if quantity is not None and quantity.rate else ""
        found[column] = f"{field} ({slash}{unit})" if unit else field
    for load, own in cells.columns.amounts.items():
        found |= {column: f"{load}_{name}" for name, column in own.items()}
    return {column: _quoted(text) for column, text in found.items()}


def _quoted(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def read_as(cells: Cells) -> str:
    """One line that says what each column is read as, and which are not."""
    columns, shown = cells.columns, cells.table.shown
    fields: dict[int, list[str]] = {}
    for field, column in columns.of.items():
        fields.setdefault(column, []).append(field)
    for load, own in columns.amounts.items():
        for name, column in own.items():
            fields.setdefault(column, []).append(f"{load}_{name}")
    said = list(_pairs(sorted(fields.items()), shown))
    left = [
        shown[each] for each in range(len(shown)) if each not in fields and cells.table.header[each]
    ]
    unused = f"; not used: {', '.join(left)}" if left else ""
    return f"{cells.table.label}: {', '.join(said)}{unused}"


def _pairs(fields: Sequence[tuple[int, list[str]]], shown: Sequence[str]) -> Iterator[str]:
    for column, names in fields:
        name = next((each for each in names if family(each) == "window"), names[0])
        same = normal(shown[column]) == normal(name)
        yield name if same and shown[column].isascii() else f"{name} = {shown[column]}"
