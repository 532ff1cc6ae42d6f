"""Instances in: JSON in all its shapes, text formats and arrays, detected from content.

An instance that is not what it should be takes its place among the others as an `InvalidInstance`.
"""

import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from vrpcore.errors import InstanceError, VrpError, fault
from vrpcore.formats.archive import is_archive, load_arrays
from vrpcore.formats.files import MAX_UNPACKED_BYTES, ByteReader, Source, open_reader, source_label
from vrpcore.formats.json.explain import check_list, is_writable
from vrpcore.formats.json.fast_reading import DOCUMENTS, fast_text
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
from vrpcore.formats.options import (
    AS_IT_IS,
    MAX_INSTANCES,
    NO_OPTIONS,
    Frame,
    Reading,
    Rounding,
    SheetOptions,
)
from vrpcore.formats.other_files import other_document
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


class ReadResult(NamedTuple):
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
        from vrpcore.formats.not_json import frame_item

        yield frame_item(source, label or "DataFrame", f"instance-{position}", reading)
    else:
        reading.sheet.check_unused()
        yield from _items(_values(source), position, label, roads=reading.roads)


def iter_opened(reader: ByteReader, position: int, label: str, reading: Reading) -> Iterator[Item]:
    """Reads a source that is open; see `iter_instances`."""
    reader.sent = reading.sent
    if not (first := reader.skip_blank()):
        raise InstanceError(f"the input is empty, {reading.expected}", code="EMPTY")
    if first in (b"{", b"["):
        reading.sheet.check_unused()
        elements = read_elements(reader, INSTANCES)
        yield from _items(elements, position, label, roads=reading.roads)
        return
    from vrpcore.formats.not_json import array_rows, holds_arrays, text_item

    if holds_arrays(reader):
        yield from _items(array_rows(reader, position, reading), position, label)
    else:
        yield text_item(reader, position, reading)


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
    from vrpcore.formats.npz.npz_instances import known_costs

    with open_reader(source) as reader:
        if not is_archive(reader.head(4)):
            return [None] * count
        return known_costs(load_arrays(io.BytesIO(reader.rest()), MAX_UNPACKED_BYTES), count)


def _items(
    elements: Iterator[object], position: int, label: str, first: int = 0, *, roads: bool = False
) -> Iterator[Item]:
    prefix = f"{label}: " if label else ""
    for index, element in enumerate(elements):
        place = f"{prefix}{INSTANCES.list_key}[{first + index}]"
        yield _item(element, place, f"instance-{position + index}", roads=roads)


def _item(element: object, place: str, default_name: str, *, roads: bool) -> Item:
    """One element; invalid ones are answered in kind."""
    value: object = element
    kind: InKind | None = None
    try:
        if isinstance(element, InstanceError):
            raise fault(place, str(element), element.code)
        if isinstance(element, JsonText):
            data = element.data
            if (document := fast_text(data, *DOCUMENTS)) is not None:
                return instance_of(document, place, default_name, roads=roads)
            from vrpcore.formats.vroom.vroom_problem import fast_vroom, vroom_instance

            if (problem := fast_vroom(data)) is not None:
                kind = "vroom"
                return vroom_instance(problem, data, place, default_name, roads=roads)
            value = element.parsed(place)
        if (kind := role(value)) == "vroom":
            from vrpcore.formats.vroom.vroom_problem import read_vroom

            return read_vroom(value, place, default_name, roads=roads)
        if kind == "csv":
            from vrpcore.formats.sheets.bundle import read_bundle

            return read_bundle(value, place, default_name, roads=roads)
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
    name = element.get("name") if isinstance(element, Mapping) else None
    return name if isinstance(name, str) and is_writable(name) else default


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
