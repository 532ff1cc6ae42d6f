"""Meanings of columns as their author states them: `--columns FILE`, `SHEET.columns.yaml`."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Meta

from vrpcore.errors import ConfigError, InstanceError, OutputError, advice, describe, fault
from vrpcore.formats.files import ByteReader, reason
from vrpcore.formats.json.explain import check_mapping, read_as
from vrpcore.formats.json.values import JsonRow, about
from vrpcore.formats.options import Decimal
from vrpcore.formats.sheets.headings import Vocabulary, family, normal
from vrpcore.formats.sheets.sheet_columns import FLEET, IGNORE, RIDES, STOPS, dimension_of
from vrpcore.formats.sheets.table import SheetTable
from vrpcore.instance.clock import Order

_MOST_BYTES = 2**20
_TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}


class ColumnsDocument(JsonRow):
    """Meanings of columns of stops and of a fleet, by heading."""

    stops: Annotated[
        Annotated[Any, Meta(extra_json_schema=_TEXTS)],
        about("The meaning of columns of the stops, by heading."),
    ] = None
    fleet: Annotated[
        Annotated[Any, Meta(extra_json_schema=_TEXTS)], about("The same of the fleet.")
    ] = None
    decimal: Annotated[Decimal | None, about("The sign before fractions.")] = None
    dates: Annotated[
        Literal["dmy", "mdy"] | None, about("Order of day and month where a date does not show it.")
    ] = None


def _meanings(value: object, place: str, *vocabularies: Vocabulary) -> dict[str, str]:
    """A table's part of the file: what each column means."""
    found: dict[str, str] = {}
    for heading, meaning in {} if value is None else check_mapping(value, place).items():
        own = f"{place}[{describe(heading)}]"
        if not isinstance(heading, str):
            raise fault(own, "no text; write the heading in quotes", "WRONG_TYPE")
        if not isinstance(meaning, str):
            message = f"{describe(meaning)}, expected what the column means, or {IGNORE}"
            raise fault(own, message, "COLUMN")
        if meaning != IGNORE and not any(_is_field(meaning, each) for each in vocabularies):
            said = advice(meaning, [*vocabularies[0].fields, IGNORE])
            message = f"{describe(meaning)} is no meaning of a column; {said}"
            raise fault(own, message, "COLUMN")
        found[heading] = meaning
    return found


def _is_field(meaning: str, vocabulary: Vocabulary) -> bool:
    """Return whether a text is a field's own name, with its number, load dimension or unit."""
    load, _ = dimension_of(meaning, vocabulary.fields)
    field = vocabulary.meaning(meaning)[0]
    own = normal(meaning).rstrip("0123456789")
    return load is not None or (field is not None and own == normal(family(field)))


class Meanings(NamedTuple):
    """The meanings of columns that the author of spreadsheets states.

    Attributes:
        stops: The meaning of columns, by heading.
        fleet: The same of the fleet.
        decimal: Before the fraction of a number.
        dates: The order of day, month and year where a date does not show it.
        place: Where it was found, in messages; empty: nowhere.
        is_named: Whether the author names it, so that all its columns must be there.
    """

    stops: Mapping[str, str] = MappingProxyType({})
    fleet: Mapping[str, str] = MappingProxyType({})
    decimal: Decimal | None = None
    dates: Order | None = None
    place: str = ""
    is_named: bool = False

    def of_tables(self, tables: Sequence[SheetTable], notes: list[str]) -> "Meanings":
        """Return it if it fits stops and fleet; else none.

        Args:
            tables: Stops, and the fleet if there is one.
            notes: Takes whether a file that is not named is used, in words.

        Raises:
            InstanceError: It is named, and has columns that no table has.
        """
        missing = [
            f"no column {describe(heading)} in {table.label}"
            for table, own in zip(tables, (self.stops, self.fleet), strict=False)
            for heading in own
            if heading not in table.header
        ]
        if missing and self.is_named:
            raise fault(self.place, missing[0], "MISSING")
        if self.place and not self.is_named:
            said = f": {missing[0]}; the file is not used" if missing else " says what columns mean"
            notes.append(f"{self.place}{said}")
        return Meanings() if missing else self


def find_meanings(
    source: str | os.PathLike[str] | Mapping[str, Any] | None, reader: ByteReader
) -> Meanings:
    """Reads what is said of columns, or a file beside the stops that says it.

    Args:
        source: A file, or what it holds; None: a file beside the stops, if there is one.
        reader: Of the stops.

    Raises:
        InstanceError: It is not as it should be.
        OutputError: The file cannot be read.
    """
    if source is None:
        if reader.stem is None:
            return Meanings()
        path = Path(reader.label).with_name(f"{reader.stem}.columns.yaml")
        if not path.is_file():
            return Meanings()
        tree, place = _tree(path), str(path)
    elif isinstance(source, Mapping):
        tree, place = source, "columns"
    else:
        tree, place = _tree(Path(source)), str(source)
    found = read_as(ColumnsDocument, tree, place)
    stops = _meanings(found.stops, f"{place}.stops", STOPS, RIDES)
    fleet = _meanings(found.fleet, f"{place}.fleet", FLEET)
    return Meanings(stops, fleet, found.decimal, found.dates, place, is_named=source is not None)


def _tree(path: Path) -> object:
    from vrpcore.config.reader import yaml_tree

    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise fault(str(path), f"larger than {_MOST_BYTES} bytes", "TOO_LARGE")
        return yaml_tree(data.decode("utf-8-sig"), str(path)) or {}
    except ConfigError as error:
        raise InstanceError(str(error), code="FORMAT") from None
    except UnicodeDecodeError:
        raise fault(str(path), "not UTF-8; save it as UTF-8 text", "ENCODING") from None
    except OSError as error:
        raise OutputError(f"{path}: cannot be read: {reason(error)}") from None
