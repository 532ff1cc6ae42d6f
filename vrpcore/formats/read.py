"""Instances in: JSON in all its shapes, text formats and arrays, detected from content.

An instance that is not what it should be takes its place among the others as an `InvalidInstance`.
What is imported here as itself is offered to others, too.
"""

import codecs
import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from vrpcore.errors import InstanceError, VrpError, describe, fault
from vrpcore.formats.archive import is_archive, is_pickle, load_arrays, pickle_advice
from vrpcore.formats.files import (
    GZIP,
    MAX_UNPACKED_BYTES,
    ByteReader,
    Source,
    open_reader,
    source_label,
)
from vrpcore.formats.json.explain import check_list, is_writable
from vrpcore.formats.json.fast_reading import DECODERS, fast_text
from vrpcore.formats.json.jsondocument import (
    INSTANCES,
    begins_lines,
    check_envelope,
    read_elements,
    role,
)
from vrpcore.formats.json.jsonparse import JsonText
from vrpcore.formats.json.plain_json import build_instance, instance_of
from vrpcore.formats.json.python_values import python_value
from vrpcore.formats.npz.npz_instances import known_costs, npz_objects
from vrpcore.formats.options import (
    AS_IT_IS,
    MAX_INSTANCES,
    NO_OPTIONS,
    Frame,
    Reading,
    Rounding,
    SheetOptions,
)
from vrpcore.formats.other_files import other_document, other_file
from vrpcore.formats.sheets.bundle import read_bundle
from vrpcore.formats.sheets.opened import frame_reader, is_sheet
from vrpcore.formats.sheets.opened import table_kinds as table_kinds
from vrpcore.formats.sheets.sheet import in_keys, read_sheet
from vrpcore.formats.sheets.sheet_tables import columns_file as columns_file
from vrpcore.formats.sheets.table import parse_table, read_text, split_head
from vrpcore.formats.sheets.workbook import is_workbook
from vrpcore.formats.text.rounding import round_instance
from vrpcore.formats.text.textformats import begins_with_header, find_reader
from vrpcore.formats.vroom.vroom_problem import fast_vroom, read_vroom, vroom_instance
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.origin import InKind

InstanceSource = (
    str
    | os.PathLike[str]
    | bytes
    | Mapping[str, object]
    | list[object]
    | tuple[object, ...]
    | Frame
)
Item = Instance | InvalidInstance

_HEAD_BYTES = 4096


@dataclass(frozen=True, slots=True)
class ReadResult:
    """The items and errors of several sources.

    Attributes:
        items: Instances in order, the invalid ones in their places.
        errors: One for each source that could not be read or parsed at all.
    """

    items: list[Item]
    errors: list[VrpError]

    def whole(self) -> list[Item]:
        """Returns the items; raises the first error instead if there is one."""
        if self.errors:
            raise self.errors[0]
        return self.items


def read_instances(
    *sources: InstanceSource,
    rounding: Rounding = "auto",
    roads: bool = False,
    sheet: SheetOptions = NO_OPTIONS,
) -> list[Item]:
    """Reads all instances of all sources.

    Args:
        *sources: Paths, `-` for standard input, bytes (a file's content), objects and lists as
            a JSON parser returns them, or data frames of pandas with the columns of a CSV file of
            stops.
        rounding: As of `Reading`; so are the others.
        roads: The instances get matrices from `with_matrices`.
        sheet: What CSV files of stops do not say themselves.

    Returns:
        Instances in order, an `InvalidInstance` in the place of each that is not valid.
        Names default to `instance-<position>`, 0-based over all sources.

    Raises:
        InstanceError: A source cannot be parsed at all.
        OutputError: A source cannot be opened or read.
        ConfigError: There is no such rounding.
    """
    reading = Reading(rounding=rounding, roads=roads, sheet=sheet)
    return read_sources(*sources, reading=reading).whole()


def read_sources(*sources: InstanceSource, reading: Reading = AS_IT_IS) -> ReadResult:
    """Reads all instances of those sources that can be read; see `read_instances`."""
    items: list[Item] = []
    errors: list[VrpError] = []
    for source in sources:
        label = _label(source) if len(sources) > 1 else ""
        kept = len(items)
        try:
            for item in iter_instances(source, len(items), label, reading):
                if len(items) >= MAX_INSTANCES:
                    message = f"more than {MAX_INSTANCES} instances; split the input"
                    raise fault(_label(source), message, "TOO_LARGE")
                items.append(item)
        except VrpError as error:
            del items[kept:]
            error.__cause__ = error.__context__ = None  # their frames hold the whole file
            errors.append(error.with_traceback(None))
    return ReadResult(items, errors)


def iter_instances(
    source: InstanceSource,
    position: int = 0,
    label: str = "",
    reading: Reading = AS_IT_IS,
) -> Iterator[Item]:
    """Reads one source instance by instance; JSON Lines take one line of memory.

    Args:
        source: See `read_instances`.
        position: Of its first instance over all sources, for default names.
        label: Begins each place in error messages, e.g. the file's name.
        reading: What the source does not say itself; nothing of a sheet for other formats.

    Yields:
        Each instance in order, or an `InvalidInstance`.

    Raises:
        InstanceError: The source cannot be parsed (any further).
        OutputError: It cannot be opened or read (any further).
    """
    if isinstance(source, str | os.PathLike | bytes):
        with open_reader(source) as reader:
            yield from iter_opened(reader, position, label, reading)
    elif isinstance(source, Frame):
        yield _frame(source, label or "DataFrame", f"instance-{position}", reading)
    else:
        _check_unused(reading.sheet)
        yield from _items(_values(source), position, label, roads=reading.roads)


def iter_opened(reader: ByteReader, position: int, label: str, reading: Reading) -> Iterator[Item]:
    """Reads a source that is open; see `iter_instances`."""
    reader.sent = reading.sent
    if not (first := reader.skip_blank()):
        raise InstanceError(f"the input is empty, {reading.expected}", code="EMPTY")
    if first in (b"{", b"["):
        _check_unused(reading.sheet)
        elements = read_elements(reader, INSTANCES)
        yield from _items(elements, position, label, roads=reading.roads)
    elif is_archive(head := reader.head(_HEAD_BYTES)) and not is_workbook(head):
        _check_unused(reading.sheet)
        yield from _items(_array_rows(reader, position, reading), position, label)
    else:
        yield _text_item(reader, position, reading)


def iter_texts(texts: Iterable[bytes], first: int, position: int, label: str) -> Iterator[Item]:
    """Reads JSON texts that hold one instance each: lines, or cells of a table.

    Args:
        texts: In UTF-8.
        first: Instances before them in their file, for places in messages.
        position: Instances before them in all files, for default names.
        label: See `iter_instances`; so are what it yields.
    """
    yield from _items((JsonText(text) for text in texts), position, label, first)


def begins_with_lines(reader: ByteReader) -> bool:
    """Return whether a file is JSON Lines, as far as its first line shows it."""
    return begins_lines(reader, INSTANCES)


def count_instances(reader: ByteReader) -> int:
    """Count the instances of JSON that is no JSON Lines, valid or not."""
    return sum(1 for _ in read_elements(reader, INSTANCES))


def stored_costs(source: Source, count: int) -> list[float | None]:
    """The costs that an archive of so many instances brings; None where there are none."""
    with open_reader(source) as reader:
        if not is_archive(reader.head(_HEAD_BYTES)):
            return [None] * count
        return known_costs(load_arrays(io.BytesIO(reader.rest()), MAX_UNPACKED_BYTES), count)


def read_columns(source: Source) -> tuple[Sequence[str], list[dict[str, str]]]:
    """Names of the columns of a CSV file that has one `name`, and its rows by them."""
    with open_reader(source) as reader:
        text, first_row, _ = read_text(reader)
    heads = split_head(text)
    delimiter = max(heads, key=lambda each: ("name" in heads[each], len(heads[each])))
    table = parse_table(text, delimiter, source_label(source), first_row)
    return table.header, [dict(zip(table.header, row.cells, strict=True)) for row in table.rows]


def _items(
    elements: Iterator[object], position: int, label: str, first: int = 0, *, roads: bool = False
) -> Iterator[Item]:
    prefix = f"{label}: " if label else ""
    for index, element in enumerate(elements):
        place = f"{prefix}{INSTANCES.list_key}[{first + index}]"
        yield _item(element, place, f"instance-{position + index}", roads=roads)


def _array_rows(reader: ByteReader, position: int, reading: Reading) -> Iterator[object]:
    if reading.sent:
        message = "an archive (.npz), which is not read here; send its instances as JSON"
        raise InstanceError(message, code="FORMAT")
    arrays = load_arrays(io.BytesIO(reader.rest()), MAX_UNPACKED_BYTES)
    return npz_objects(arrays, reader.stem or f"instance-{position}")


def _item(element: object, place: str, default_name: str, *, roads: bool) -> Item:
    """One element; invalid ones are answered in kind."""
    value: object = element
    kind: InKind | None = None
    try:
        if isinstance(element, InstanceError):
            raise fault(place, str(element), element.code)
        if isinstance(element, JsonText):
            data = element.data
            if (document := fast_text(data, *DECODERS)) is not None:
                return instance_of(document, place, default_name, roads=roads)
            if (problem := fast_vroom(data)) is not None:
                kind = "vroom"
                return vroom_instance(problem, data, place, default_name, roads=roads)
            value = element.parsed(place)
        if (kind := role(value)) == "vroom":
            return read_vroom(value, place, default_name, roads=roads)
        if kind == "csv":
            return read_bundle(value, place, default_name)
        return build_instance(value, place, default_name, roads=roads)
    except InstanceError as error:
        kind, value = kind or role(value), _shown(value)
        named = other_document(value, place, INSTANCES.list_key) or error
        name = default_name if kind == "vroom" else _name(value, default_name)
        return InvalidInstance(name=name, code=named.code, error=str(named), kind=kind)


def _shown(element: object) -> object:
    """An element that is invalid, as far as it can be parsed."""
    try:
        return element.parsed() if isinstance(element, JsonText) else element
    except InstanceError as error:
        return error


def _name(element: object, default: str) -> str:
    """Name an invalid element."""
    name = element.get("name") if isinstance(element, Mapping) else None
    return name if isinstance(name, str) and is_writable(name) else default


def _frame(frame: Frame, label: str, name: str, reading: Reading) -> Item:
    """A data frame of stops, one instance as a CSV file would be; its numbers have points."""
    sheet = replace(reading.sheet, decimal=reading.sheet.decimal or ".")
    try:
        return read_sheet(frame_reader(frame, label), name, sheet, roads=reading.roads)
    except InstanceError as error:
        text = in_keys(str(error))
        return InvalidInstance(name=name, code=error.code, error=text, kind="csv")


def _text_item(reader: ByteReader, position: int, reading: Reading) -> Item:
    """Such a file is one instance, so what is wrong in it makes one invalid instance."""
    name = reader.stem or f"instance-{position}"
    head = reader.head(_HEAD_BYTES)
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
    _check_unused(reading.sheet)
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


def _check_unused(sheet: SheetOptions) -> None:
    """Raises InstanceError where something is said of a spreadsheet that is none."""
    if sheet.given:
        message = f"{', '.join(sheet.given)}: only for spreadsheets of stops"
        if sheet.speed is not None:
            message += "; a speed also goes with --matrix haversine"
        raise InstanceError(message, code="CONFLICT")


def _utf8(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"invalid UTF-8 (byte 0x{data[error.start]:02x}); save the file as UTF-8 text"
        raise fault(f"line {line}", message, "ENCODING") from error


def _not_parsed(reader: ByteReader, reading: Reading) -> InstanceError:
    head = reader.head(_HEAD_BYTES)
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
    if b"\0" in head:
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def _label(source: InstanceSource) -> str:
    return source_label(source) if isinstance(source, str | os.PathLike | bytes) else "input"


def _values(source: Mapping[str, object] | Sequence[object]) -> Iterator[object]:
    """The elements of what a caller in Python has parsed or built already."""
    found: object = source
    if isinstance(source, Mapping) and {"format", INSTANCES.list_key} & set(source):
        for key, value in source.items():
            if key != INSTANCES.list_key:
                check_envelope(key, value, INSTANCES)
        if INSTANCES.list_key not in source:
            raise fault(INSTANCES.list_key, "missing", "MISSING")
        found = source[INSTANCES.list_key]
    elements = [found] if isinstance(found, Mapping) and found is source else found
    for element in check_list(elements, INSTANCES.list_key, "instances"):
        yield python_value(element)
