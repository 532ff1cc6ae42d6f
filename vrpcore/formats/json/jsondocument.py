"""The shapes in which a list of JSON objects may arrive, detected from content.

One object, a list of them, an envelope `{"format": ..., "instances": [...]}`, or JSON
Lines; the same for instances and for solutions. An element may also be a document of VROOM's.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

import msgspec

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.files import ByteReader
from vrpcore.formats.json.explain import unknown_key
from vrpcore.formats.json.jsonparse import JsonReader, JsonText
from vrpcore.formats.other_files import other_document
from vrpcore.instance.origin import InKind

_BETWEEN = re.compile(rb"[ \t\r\n,]*+")  # elements
_GOES_ON = b"{[,:"  # after these, a document may have an object on its next line


class DocumentKind(NamedTuple):
    """The kind of a document's list.

    Attributes:
        list_key: Key of the envelope's list.
        format: Value of the envelope's `format`.
        other_keys: Keys that the envelope may have in addition to these two.
    """

    list_key: str
    format: str
    other_keys: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """All keys of the envelope."""
        return ("format", self.list_key, *self.other_keys)


INSTANCES = DocumentKind("instances", "vrp-instances/1")
SOLUTIONS = DocumentKind("solutions", "vrp-solutions/1", ("model", "summary"))


def read_elements(reader: ByteReader, kind: DocumentKind) -> Iterator[JsonText | InstanceError]:
    """Read JSON element by element.

    JSON Lines are read line by line, everything else whole.

    Args:
        reader: At the first byte of the JSON text.
        kind: What is expected.

    Yields:
        Each element, not parsed yet, or the `InstanceError` that says why it cannot be.

    Raises:
        InstanceError: The text as a whole is not JSON or has another shape.
    """
    if begins_lines(reader, kind):
        while reader.skip_blank():
            yield JsonText(line=reader.line_number, data=reader.line())
        return
    line = reader.line_number
    data = reader.rest()
    if (found := _split(data, kind)) is None:
        yield from _slowly(JsonText(data, line), kind)
        return
    elements, end = found
    for each in map(bytes, elements):
        start = end + len(_BETWEEN.match(data, end)[0])  # type: ignore[index]
        yield JsonText(each, line, data, start)
        end = start + len(each)


def _split(data: bytes, kind: DocumentKind) -> tuple[Sequence[bytes | msgspec.Raw], int] | None:
    """The elements of a text, at once, and where the first begins; None: read it slowly."""
    marks = [data.count(f'"{key}"'.encode()) for key in kind.keys]
    try:
        if data[: len(data) - len(data.lstrip()) + 1].endswith(b"["):
            return msgspec.json.decode(data, type=list[msgspec.Raw]), data.index(b"[") + 1
        if not any(marks[:2]):
            msgspec.json.decode(data, type=msgspec.Raw)
            return [data], 0
        if max(marks) > 1:
            return None  # a key given twice, or a text
        envelope = _envelope(kind).decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    begin = re.search(rb'"%b"\s*:\s*\[' % kind.list_key.encode(), data)
    if begin is None or envelope.format != kind.format:
        return None
    return getattr(envelope, kind.list_key), begin.end()


@cache
def _envelope(kind: DocumentKind) -> msgspec.json.Decoder[Any]:
    fields: list[tuple[str, Any, Any]] = [
        ("format", str, kind.format),
        (kind.list_key, list[msgspec.Raw] | None, None),
        *((key, msgspec.Raw, msgspec.Raw()) for key in kind.other_keys),
    ]
    envelope = msgspec.defstruct("Envelope", fields, forbid_unknown_fields=True)
    return msgspec.json.Decoder(envelope)


def check_envelope(key: str, value: object, kind: DocumentKind) -> None:
    """Checks one member of an envelope other than its list.

    Raises:
        InstanceError: The key is unknown or the format is another one.
    """
    if key not in kind.keys:
        raise unknown_key(key, f"next to '{kind.list_key}'", kind.keys)
    if key == "format" and value != kind.format:
        message = f"{describe(value)}, expected {kind.format!r}"
        other = other_document({str(value): None}, key, kind.list_key)
        raise other or fault("format", message, "FORMAT")


def role(element: object) -> InKind | None:
    """The format in which an element was written; None: an instance of our own, or unknown.

    Of a text that cannot be parsed only the keys are looked at.
    """
    if isinstance(element, JsonText):
        element = _decoded(element.data, dict[str, msgspec.Raw])
    if not isinstance(element, Mapping):
        return None
    rows: object = element.get("shipments")
    first_row = rows[0] if isinstance(rows, list | tuple) and rows else None
    pickup = first_row.get("pickup") if isinstance(first_row, Mapping) else None
    if "jobs" in element or (isinstance(pickup, Mapping) and "id" in pickup):
        return "vroom"  # our own shipments have their id outside
    return "csv" if "stops" in element else None


def is_vroom_answer(value: object) -> bool:
    """Return whether a parsed object is an answer of VROOM's: a code, and routes or an error."""
    if not isinstance(value, Mapping) or "code" not in value or "status" in value:
        return False
    return "routes" in value or "error" in value


def begins_lines(reader: ByteReader, kind: DocumentKind) -> bool:
    """True where the first line is a whole element; a single line may be either.

    Also where it is no JSON, and the next line begins an object that cannot go on with it.
    """
    line = reader.peek_line()
    if not line.lstrip().startswith(b"{"):
        return False
    if any(f'"{key}"'.encode() in line for key in (kind.list_key, "format")):
        found = _decoded(line, dict[str, msgspec.Raw])
        return found is not None and not found.keys() & {kind.list_key, "format"}
    goes_on = line.rstrip()[-1:] in _GOES_ON
    return _decoded(line, msgspec.Raw) is not None or (
        not goes_on and reader.peek_past(len(line)) == b"{"
    )


def _decoded(data: bytes, kind: Any) -> Any:
    """A text as this type, at once; None: it is something else."""
    with suppress(msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return msgspec.json.decode(data, type=kind)
    return None


def _slowly(text: JsonText, kind: DocumentKind) -> Iterator[JsonText | InstanceError]:
    """The elements of a text that is not JSON, or has keys or values that are not expected."""
    reader = JsonReader(text)
    if reader.peek() == "[":
        yield from reader.elements()
    elif any(f'"{key}"'.encode() in text.data for key in (kind.list_key, "format")):
        yield from _members(reader, kind, text)
    else:
        text.parsed()  # raises why the whole text is not read
        yield text
        return
    reader.finish()


def _members(
    reader: JsonReader, kind: DocumentKind, text: JsonText
) -> Iterator[JsonText | InstanceError]:
    """The elements of an envelope, or the one element that the object itself is."""
    seen = dict[str, object]()
    for key in reader.members():
        if key in seen and {"format", kind.list_key} & {key, *seen}:
            raise fault(key, "duplicate key; keep only one", "DUPLICATE")
        if key == kind.list_key:
            for other, value in seen.items():
                check_envelope(other, value, kind)
            if reader.peek() != "[":
                message = f"{describe(reader.value())}, expected a list of {kind.list_key}"
                raise fault(kind.list_key, message, "WRONG_TYPE")
            yield from reader.elements()
            seen[key] = None
            continue
        seen[key] = reader.value()
        if key == "format" or kind.list_key in seen:
            check_envelope(key, seen[key], kind)
    if "format" in seen and kind.list_key not in seen:
        raise fault(kind.list_key, "missing", "MISSING")
    if kind.list_key not in seen:
        yield text
