r"""Spreadsheets in one JSON object: `{"stops": "id,x,y\n...", "fleet": "..."}`."""

import base64
from contextlib import suppress
from typing import Annotated, Any

from msgspec import Meta
from msgspec.structs import asdict

from vrpcore.errors import describe, fault
from vrpcore.formats.archive import IN_TEXT
from vrpcore.formats.files import HEAD_BYTES, ByteReader
from vrpcore.formats.json.between import read_balance
from vrpcore.formats.json.documents import BalanceRow
from vrpcore.formats.json.explain import check_mapping, read_as
from vrpcore.formats.json.json_numbers import said
from vrpcore.formats.json.values import Amount, JsonRow, Point, Positive, about
from vrpcore.formats.options import Decimal, SheetOptions
from vrpcore.formats.sheets.meanings import ColumnsDocument
from vrpcore.formats.sheets.sheet import read_sheet
from vrpcore.formats.sheets.workbook import is_workbook
from vrpcore.instance.instance import Instance


# fmt: off
class SheetsDocument(JsonRow):
    """Spreadsheets as texts, or workbooks in base64, and what they do not say themselves."""

    stops: Annotated[str, about("The stops: CSV, or a workbook in base64.")]
    name: Annotated[str | None, about("Of the instance.")] = None
    fleet: Annotated[str | None, about(
        "The vehicles, likewise. Default: as many as needed, all alike.")] = None
    depot: Annotated[Point | None, about(
        "Where vehicles start and end: [lat, lon] or [x, y].")] = None
    capacity: Annotated[Amount | None, about("Of every vehicle, without a fleet.")] = None
    speed: Annotated[Positive | None, about(
        "On straight lines: km/h with `lat` and `lon`, else distance per unit of time.")] = None
    ignore_columns: Annotated[
        Annotated[list[str], Meta(extra={"of": "names of columns"})] | None,
        about("Columns that mean nothing; `rest`: all that would be asked about.")] = None
    columns: Annotated[ColumnsDocument | None, about(
        "What columns mean where their headings do not say it.")] = None
    decimal: Annotated[Decimal | None, about("The sign before fractions.")] = None
    balance: Annotated[BalanceRow | None, about("Prices of uneven work.")] = None
    # fmt: on


_MARK = "\ufeff"


def read_bundle(value: object, place: str, name: str, *, roads: bool = False) -> Instance:
    """One parsed object whose `role` is `csv`.

    Args:
        value: The object.
        place: Where it was found; begins messages about its keys. Those about cells name the
            text, `stops` or `fleet`, with row and column.
        name: Of the instance, if it gives none.
        roads: See `read_sheet`.

    Raises:
        InstanceError: Something in it is not what it should be; a line for each error.
    """
    given = check_mapping(value, place)
    if not isinstance(given["stops"], str):
        message = "expected the text of a CSV file; stops in JSON are 'customers'"
        raise fault(f"{place}.stops", f"{describe(given['stops'])}, {message}", "WRONG_TYPE")
    found = read_as(SheetsDocument, value, place)
    capacity: Any = found.capacity
    if found.balance is not None:
        read_balance(found.balance, f"{place}.balance")
    options = SheetOptions(
        balance=None if found.balance is None else said(**asdict(found.balance)),
        depot=found.depot,
        capacity=(capacity,) if isinstance(capacity, float) else capacity and tuple(capacity),
        speed=found.speed,
        ignore_columns=tuple(found.ignore_columns or ()),
        columns=None if found.columns is None else said(**asdict(found.columns)),
        decimal=found.decimal,
    )
    stops = _reader(found.stops, "stops", place)
    vehicles = None if found.fleet is None else _reader(found.fleet, "fleet", place)
    return read_sheet(stops, found.name or name, options, roads=roads, fleet=vehicles)


def _reader(text: str, key: str, place: str) -> ByteReader:
    """A text as a file that is called as its key."""
    reader = sent_reader(text, key, f"{place}.{key}")
    if not is_workbook(reader.head()) and not reader.skip_blank():
        raise fault(f"{place}.{key}", "empty, expected the text of a CSV file", "EMPTY")
    return reader


def sent_reader(text: str, label: str, place: str) -> ByteReader:
    """The file that an object holds at a place: its text, or a workbook in base64.

    Raises:
        InstanceError: It begins as an archive in base64, and is no workbook.
    """
    data = text.removeprefix(_MARK).encode()
    if text.startswith(IN_TEXT):
        with suppress(ValueError):
            data = base64.b64decode(text, validate=True)
        if not is_workbook(data[:HEAD_BYTES]):
            message = "an archive, but no whole workbook; expected .xlsx or .ods in base64"
            raise fault(place, message, "FORMAT")
    reader = ByteReader(iter([data]), label, None)
    reader.marked, reader.sent = text.startswith(_MARK), True
    return reader
