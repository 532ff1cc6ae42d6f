r"""Spreadsheets in one JSON object: `{"stops": "id,x,y\n...", "fleet": "..."}`."""

import base64
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import cast, get_args

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.files import ByteReader
from vrpcore.formats.json.between import read_balance
from vrpcore.formats.json.key_schema import (
    POINT,
    TEXT,
    Fields,
    Key,
    Keys,
    Kind,
    check_mapping,
    list_of,
    object_of,
    one_of,
)
from vrpcore.formats.json.keys import AMOUNT, BALANCE, POSITIVE
from vrpcore.formats.sheets.meanings import COLUMNS
from vrpcore.formats.sheets.sheet import read_sheet
from vrpcore.formats.sheets.sheet_options import Decimal, SheetOptions
from vrpcore.formats.sheets.workbook import is_workbook
from vrpcore.instance.instance import Instance

BUNDLE: Keys = {
    "name": Key(TEXT),
    "stops": Key(TEXT, required=True),
    "fleet": Key(TEXT),
    "depot": Key(POINT),
    "capacity": Key(AMOUNT),
    "speed": Key(POSITIVE),
    "ignore_columns": Key(list_of(TEXT, "names of columns")),
    "columns": Key(Kind(object_of(COLUMNS), check_mapping)),
    "decimal": Key(one_of(get_args(Decimal), "UNKNOWN_DECIMAL")),
    "balance": Key(Kind(object_of(BALANCE))),
}
WORKBOOK_IN_TEXT = "UEsDB"  # how .xlsx and .ods begin in base64
_MARK = "\ufeff"
_HEAD_BYTES = 4096
# In messages, what are flags of a command are keys here; there are no roads.
_ROADS = re.compile(r"; or roads with --matrix| \(vrp columns .*? writes it to be corrected\)")
_FLAG = re.compile(
    r"--(fleet|depot|capacity|speed|ignore-columns|columns|decimal|balance)\b(?: FILE)?"
)


def read_bundle(value: object, place: str, name: str) -> Instance:
    """One parsed object for which `is_sheets`.

    Args:
        value: The object.
        place: Where it was found; begins messages about its keys. Those about cells name the
            text, `stops` or `fleet`, with row and column.
        name: Of the instance, if it gives none.

    Raises:
        InstanceError: Something in it is not what it should be; a line for each error.
    """
    given = check_mapping(value, place)
    if not isinstance(given["stops"], str):
        message = "expected the text of a CSV file; stops in JSON are 'customers'"
        raise fault(f"{place}.stops", f"{describe(given['stops'])}, {message}", "WRONG_TYPE")
    fields = Fields(value, place, BUNDLE)
    capacity = fields.get("capacity")
    depot = fields.get("depot")
    fleet = fields.get("fleet")
    if (balance := fields.raw("balance")) is not None:
        read_balance(balance, f"{place}.balance")
    options = SheetOptions(
        balance=cast("Mapping[str, float] | None", balance),
        depot=None if depot is None else (float(depot[0]), float(depot[1])),
        capacity=capacity if capacity is None or isinstance(capacity, tuple) else (capacity,),
        speed=fields.get("speed"),
        ignore_columns=tuple(fields.get("ignore_columns") or ()),
        columns=fields.get("columns"),
        decimal=fields.get("decimal"),
    )
    stops = _reader(fields["stops"], "stops", place)
    vehicles = None if fleet is None else _reader(fleet, "fleet", place)
    try:
        return read_sheet(stops, fields.get("name", name), options, fleet=vehicles)
    except InstanceError as error:
        raise InstanceError(in_keys(str(error)), code=error.code) from None


def in_keys(message: str) -> str:
    """An error of spreadsheets in words of an object's keys, not of a command's flags."""
    return _FLAG.sub(lambda flag: flag[1].replace("-", "_"), _ROADS.sub("", message))


def _reader(text: str, key: str, place: str) -> ByteReader:
    """A text as a file that is called as its key."""
    reader = sent_reader(text, key, f"{place}.{key}")
    if not is_workbook(reader.head(_HEAD_BYTES)) and not reader.skip_blank():
        raise fault(f"{place}.{key}", "empty, expected the text of a CSV file", "EMPTY")
    return reader


def sent_reader(text: str, label: str, place: str) -> ByteReader:
    """The file that an object holds at a place: its text, or a workbook in base64.

    Raises:
        InstanceError: It begins as an archive in base64, and is no workbook.
    """
    data = text.removeprefix(_MARK).encode()
    if text.startswith(WORKBOOK_IN_TEXT):
        with suppress(ValueError):
            data = base64.b64decode(text, validate=True)
        if not is_workbook(data[:_HEAD_BYTES]):
            message = "an archive, but no whole workbook; expected .xlsx or .ods in base64"
            raise fault(place, message, "WORKBOOK")
    reader = ByteReader(iter([data]), label, None)
    reader.marked, reader.sent = text.startswith(_MARK), True
    return reader
