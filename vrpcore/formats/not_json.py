"""Instances that are no JSON: texts, arrays, spreadsheets and data frames, told by content."""

import codecs
import io
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.archive import is_archive, is_pickle, load_arrays, pickle_advice
from vrpcore.formats.files import GZIP, MAX_UNPACKED_BYTES, ByteReader
from vrpcore.formats.json.jsondocument import INSTANCES
from vrpcore.formats.npz.npz_instances import npz_objects
from vrpcore.formats.options import Frame, Reading, SheetOptions
from vrpcore.formats.other_files import other_file
from vrpcore.formats.sheets.opened import frame_reader, is_sheet
from vrpcore.formats.sheets.sheet import in_keys, read_sheet
from vrpcore.formats.sheets.workbook import is_workbook
from vrpcore.formats.text.cordeau import CORDEAU_START, read_cordeau
from vrpcore.formats.text.cvrplib import read_vrp
from vrpcore.formats.text.hvrp import HVRP_START, read_hvrp
from vrpcore.formats.text.rounding import round_instance
from vrpcore.formats.text.sdvrp import SDVRP_START, read_sdvrp
from vrpcore.formats.text.shipments import DARP_START, LILIM_START, read_darp, read_lilim
from vrpcore.formats.text.solomon import SOLOMON_START, read_solomon
from vrpcore.instance.instance import Instance, InvalidInstance

_VRP_START = (
    rb"\s*(?:#[^\n]*\n\s*)*"
    rb"(NAME|COMMENT|TYPE|DIMENSION|CAPACITY|VEHICLES|DISTANCE|SERVICE_TIME|EOF"
    rb"|[A-Z_]+_(SECTION|TYPE|FORMAT|DISTANCE|DURATION|RELOADS))\s*(:|\s|$)"
)
_HEADER = re.compile(rb"\s*(?:#[^\n]*\n\s*)*[A-Z_]+[ \t]*:[^:,;\n]*(?:\n|$)")
_READERS: tuple[tuple[bytes, Callable[[str, str], Instance]], ...] = (
    (SOLOMON_START, read_solomon),  # before .vrp: its first line is a name, whatever it says
    (_VRP_START, read_vrp),
    (LILIM_START, read_lilim),
    (CORDEAU_START, read_cordeau),
    (HVRP_START, read_hvrp),
    (DARP_START, read_darp),
    (SDVRP_START, read_sdvrp),
)


def holds_arrays(reader: ByteReader) -> bool:
    """Return whether a source is an archive that is no workbook."""
    head = reader.head()
    return is_archive(head) and not is_workbook(head)


def array_rows(reader: ByteReader, position: int, reading: Reading) -> Iterator[object]:
    """The instances of an archive; see `npz_objects`. One that came with a request is refused."""
    reading.sheet.check_unused()
    if reading.sent:
        message = "an archive (.npz), which is not read here; send its instances as JSON"
        raise InstanceError(message, code="FORMAT")
    arrays = load_arrays(io.BytesIO(reader.rest()), MAX_UNPACKED_BYTES)
    return npz_objects(arrays, reader.stem or f"instance-{position}")


def frame_item(frame: Frame, label: str, name: str, reading: Reading) -> Instance | InvalidInstance:
    """A data frame of stops, one instance as a CSV file would be; its numbers have points."""
    sheet = replace(reading.sheet, decimal=reading.sheet.decimal or ".")
    try:
        return read_sheet(frame_reader(frame, label), name, sheet, roads=reading.roads)
    except InstanceError as error:
        text = in_keys(str(error))
        return InvalidInstance(name=name, code=error.code, error=text, kind="csv")


def text_item(reader: ByteReader, position: int, reading: Reading) -> Instance | InvalidInstance:
    """Such a file is one instance, so what is wrong in it makes one invalid instance."""
    name = reader.stem or f"instance-{position}"
    head = reader.head()
    sheet = is_sheet(head) and not begins_with_header(head)
    read = None if sheet else find_reader(head)
    if sheet or (read is None and _may_be_sheet(reader, head, reading.sheet)):
        if not reading.sheets:
            raise InstanceError(f"a spreadsheet; {reading.expected}", code="FORMAT")
        try:
            return read_sheet(reader, name, reading.sheet, roads=reading.roads)
        except InstanceError as error:
            return InvalidInstance(name=name, code=error.code, error=str(error), kind="csv")
    if read is None:
        raise _not_parsed(reader, reading)
    reading.sheet.check_unused()
    data = b"\n" * (reader.line_number - 1) + reader.rest()
    try:
        return round_instance(read(_utf8(data), name), reading.rounding)
    except InstanceError as error:
        return InvalidInstance(name=name, code=error.code, error=f"{reader.label}: {error}")


def _may_be_sheet(reader: ByteReader, head: bytes, sheet: SheetOptions) -> bool:
    """Return whether an unknown text may be a CSV file of stops."""
    name = reader.label.lower().removesuffix(".gz")
    named = name.endswith((".csv", ".tsv")) and b"\0" not in head
    return named or (bool(sheet.given) and _is_text(head))


def _utf8(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"invalid UTF-8 (byte 0x{data[error.start]:02x}); save the file as UTF-8 text"
        raise fault(f"line {line}", message, "ENCODING") from error


def _not_parsed(reader: ByteReader, reading: Reading) -> InstanceError:
    head = reader.head()
    if is_pickle(head):
        return InstanceError(f"a pickle: {pickle_advice(head)}", code="FORMAT")
    place = f"line {reader.line_number}"
    if other := other_file(head, place, INSTANCES.list_key):
        return other
    found = describe(head.decode("utf-8", "replace").split("\n")[0].strip())
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        found = "UTF-16 text (save it as UTF-8)"
    elif head.startswith(GZIP):
        found = "gzip within gzip"
    elif not _is_text(head):
        found = "bytes that are not UTF-8 text"
    return fault(place, f"cannot parse {found}, {reading.expected}", "FORMAT")


def _is_text(head: bytes) -> bool:
    """True where the bytes are UTF-8, apart from a character cut at their end."""
    with suppress(UnicodeDecodeError):
        codecs.getincrementaldecoder("utf-8")().decode(head)
        return b"\0" not in head
    return False


def begins_with_header(head: bytes) -> bool:
    """Return whether a file begins with a header such as `NAME : x`, as only a `.vrp` does."""
    return bool(_HEADER.match(head) and re.match(_VRP_START, head))


def find_reader(head: bytes) -> Callable[[str, str], Instance] | None:
    """The reader of a text format: text, and a name for what has none -> instance.

    Args:
        head: How the file begins, 4096 bytes of it.

    Returns:
        The reader, which raises `InstanceError`; None where the format is not known.
    """
    return next((read for start, read in _READERS if re.match(start, head)), None)
