"""Measured tables: stored as records, written by programs, rendered in the pages of docs/.

A record is a JSON file in docs/results/records. A page, or README.md, shows its table between
`<!-- record: NAME -->` and `<!-- end -->`; the front page shows the headlines of several between
`<!-- headlines: NAME NAME -->` and `<!-- end -->`.
"""

import json
import re
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import Any, NamedTuple

from vrpcore.bench.timing import machine_text
from vrpcore.errors import ConfigError
from vrpcore.formats.files import write_text

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
RECORDS = DOCS / "results" / "records"

Number = int | float
Cell = str | Number | Sequence[Number] | Mapping[str, Any] | None

_BLOCK = re.compile(r"<!-- (record|headlines): ([^\n>]+) -->\n(.*?)<!-- end -->\n", re.DOTALL)
_OPENED = re.compile(r"^<!-- (?:record|headlines): ", re.MULTILINE)
_HEADLINE = ("claim", "figure", "goal or rival", "machine")


class Column(NamedTuple):
    """A column's name and how `str.format` writes its numbers."""

    name: str
    format: str = "{}"


class Headline(NamedTuple):
    """A line of the front page about a record.

    Attributes:
        claim: What was measured.
        figure: The result.
        goal: What it is compared with; may be empty.
        machine: Where the figure is from another machine than the rest of the record.
    """

    claim: str
    figure: str
    goal: str = ""
    machine: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRecord:
    """A table and where its figures come from.

    Attributes:
        command: Measures it again.
        machine: What it was measured on.
        model: The weights, where a policy was measured.
        commit: The version measured, where known.
        headlines: Rows of the front page.
        columns: From left to right.
        rows: Each as long as `columns`. A cell is text, a number, the numbers for the fields of
            its column's format, `{"bold": cell}` or None (empty).
        notes: Sentences below the table.
    """

    command: str
    machine: str
    model: str | None = None
    commit: str | None = None
    headlines: Sequence[Headline] = ()
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str] = ()


def origin(command: str) -> dict[str, Any]:
    """Return a record's `command`, `machine` and `commit` for what is measured here and now."""
    return {
        "command": command,
        "machine": machine_text(),
        "commit": _commit(),
    }


def write_record(path: Path, record: PageRecord, **more: object) -> None:
    """Write a record, one row a line.

    Headlines that an older file had are gone: their figures are not this table's.

    Args:
        path: Of the file, `docs/results/records/NAME.json` for a page.
        record: What is written; parts that are empty are left out.
        **more: What else the file keeps, such as single results. Pages do not show it.

    Raises:
        OutputError: The file cannot be written.
    """
    parts = {name: getattr(record, name) for name in PageRecord.__dataclass_fields__}
    parts["headlines"] = [_stated(headline) for headline in record.headlines]
    parts["columns"] = [_stated(column) for column in record.columns]
    parts = {name: value for name, value in parts.items() if value} | more
    lines = [f"{_json(name)}: {_lines(value)}" for name, value in parts.items()]
    write_text(path, "{\n" + ",\n".join(lines) + "\n}\n")


def read_record(path: Path) -> PageRecord:
    """Read a record.

    Raises:
        ConfigError: The file is missing or is no record; the message names it.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        parts = {name: found[name] for name in PageRecord.__dataclass_fields__ if name in found}
        parts["columns"] = [Column(**column) for column in found["columns"]]
        parts["headlines"] = [Headline(**each) for each in found.get("headlines", ())]
        record = PageRecord(**parts)
        table(record)
    except FileNotFoundError:
        raise ConfigError(
            f"{path}: no such record; expected the name of a file in {RECORDS.name}/"
        ) from None
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise ConfigError(f"{path}: no record: {type(error).__name__}: {error}") from None
    return record


def table(record: PageRecord) -> str:
    """Render the table as Markdown, its origin above and its notes below.

    Raises:
        ValueError: A row has another length than the columns, or a cell other numbers than its
            column writes.
    """
    rows = [
        [_shown(cell, column) for cell, column in zip(row, record.columns, strict=True)]
        for row in record.rows
    ]
    model = f"model {record.model}" if record.model else None
    commit = f"commit {record.commit}" if record.commit else None
    measured = [f"`{record.command}`", record.machine, model, commit]
    parts = [
        " · ".join(part for part in measured if part),
        _markdown([column.name for column in record.columns], rows),
        *record.notes,
    ]
    return "\n\n".join(parts)


def headlines(records: Iterable[PageRecord]) -> str:
    """Render the headlines of records as one table, each with its machine."""
    rows = [
        [*each[:3], each.machine or record.machine]
        for record in records
        for each in record.headlines
    ]
    return _markdown(_HEADLINE, rows)


def render(text: str, read: Callable[[str], PageRecord]) -> str:
    """Render all tables of a page anew.

    Args:
        text: The page.
        read: Gives the record of a name.

    Returns:
        The page with new text between its markers.

    Raises:
        ConfigError: A marker has no end, or a record cannot be shown.
    """

    def block(found: re.Match[str]) -> str:
        kind, names = found[1], found[2].split()
        if kind == "record":
            shown = table(read(names[0]))
        else:
            shown = headlines(_with_headlines(name, read) for name in names)
        return f"<!-- {kind}: {found[2]} -->\n{shown}\n<!-- end -->\n"

    blocks = list(_BLOCK.finditer(text))
    if len(blocks) != len(_OPENED.findall(text)) or any(_OPENED.search(each[3]) for each in blocks):
        raise ConfigError("a marker of a record has no <!-- end --> on a line of its own")
    return _BLOCK.sub(block, text)


def names_shown(text: str) -> set[str]:
    """Return the names of the records whose tables a page shows."""
    return {found[2] for found in _BLOCK.finditer(text) if found[1] == "record"}


def pages(docs: Path) -> dict[Path, str]:
    """Render all pages below a folder, and the README next to it.

    Raises:
        ConfigError: One cannot be rendered; the message names it.
    """
    found = {}
    for page in [*docs.parent.glob("README.md"), *sorted(docs.rglob("*.md"))]:
        try:
            found[page] = render(
                page.read_text(encoding="utf-8"),
                lambda name: read_record(docs / "results" / "records" / f"{name}.json"),
            )
        except ConfigError as error:
            raise ConfigError(f"{page}: {error}") from None
    return found


def _with_headlines(name: str, read: Callable[[str], PageRecord]) -> PageRecord:
    record = read(name)
    if not record.headlines:
        raise ConfigError(
            f"record {name} has no headlines, but the front page names it; write them for the "
            "figures measured now, or remove the name"
        )
    return record


def _shown(cell: Cell, column: Column) -> str:
    if cell is None or isinstance(cell, str):
        return cell or ""
    if isinstance(cell, Mapping):
        return f"**{_shown(cell['bold'], column)}**"
    numbers = [cell] if isinstance(cell, int | float) else cell
    fields = sum(name is not None for _, name, _, _ in Formatter().parse(column.format))
    if len(numbers) != fields:
        raise ValueError(f"{cell!r}: column {column.name!r} writes {fields} numbers a cell")
    return column.format.format(*numbers)


def _markdown(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join("|" + "|".join(_padded(cell) for cell in line) + "|" for line in lines)


def _padded(cell: str) -> str:
    escaped = cell.replace("|", "\\|")
    return cell if cell == "---" else f" {escaped} " if cell else " "


def _stated(part: Column | Headline) -> dict[str, str]:
    stated = part._asdict()
    return {name: stated[name] for name in stated if stated[name] != part._field_defaults.get(name)}


def _lines(value: object) -> str:
    if not isinstance(value, list | tuple):
        return _json(value)
    return "[\n" + ",\n".join(f" {_json(item)}" for item in value) + "\n]" if value else "[]"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _commit() -> str | None:
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    try:
        found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)  # noqa: S603 - fixed words
    except FileNotFoundError:  # no git
        return None
    return found.stdout.strip() or None
