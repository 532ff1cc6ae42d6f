r"""Spreadsheets as texts in one JSON object: `{"stops": "id,x,y\n...", "fleet": "..."}`."""

import re
from typing import get_args

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.files import ByteReader
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
from vrpcore.formats.json.keys import AMOUNT, POSITIVE
from vrpcore.formats.sheets.meanings import COLUMNS
from vrpcore.formats.sheets.sheet import read_sheet
from vrpcore.formats.sheets.sheet_options import Decimal, SheetOptions
from vrpcore.formats.sheets.table import ADVICE
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
}
_MARK = "\ufeff"
_HEAD_BYTES = 4096
# In messages, what are flags of a command are keys here; there are no roads.
_ROADS = re.compile(r"; or roads with --matrix| \(vrp columns .*? writes it to be corrected\)")
_FLAG = re.compile(r"--(fleet|depot|capacity|speed|ignore-columns|columns|decimal)\b(?: FILE)?")


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
    options = SheetOptions(
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
    reader = ByteReader(iter([text.removeprefix(_MARK).encode()]), key, None)
    reader.marked = text.startswith(_MARK)
    if is_workbook(reader.head(_HEAD_BYTES)):
        raise fault(f"{place}.{key}", f"a workbook; {ADVICE} and give its text", "WORKBOOK")
    if not reader.skip_blank():
        raise fault(f"{place}.{key}", "empty, expected the text of a CSV file", "EMPTY")
    return reader
