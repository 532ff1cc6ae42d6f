"""The shapes in which a list of JSON objects may arrive, detected from content.

One object, a list of them, an envelope `{"format": ..., "instances": [...]}`, or JSON
Lines; the same for instances and for solutions. An element may also be a document of VROOM's.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.files import ByteReader
from vrpcore.formats.json.jsonparse import JsonCursor, Span
from vrpcore.formats.json.key_schema import unknown_key
from vrpcore.formats.other_files import other_document

_MAX_KEYS = 1000
_GOES_ON = b"{[,:"  # after these, a document may have an object on its next line


@dataclass(frozen=True, slots=True)
class DocumentKind:
    """What a document holds.

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


def read_elements(reader: ByteReader, kind: DocumentKind) -> Iterator[object]:
    """Reads JSON element by element.

    JSON Lines are read line by line, everything else whole.

    Args:
        reader: At the first byte of the JSON text.
        kind: What is expected.

    Yields:
        Each element parsed, or the `InstanceError` that says why this one could not be.

    Raises:
        InstanceError: The text as a whole is not JSON or has another shape.
    """
    if begins_lines(reader, kind):
        yield from _lines(reader)
        return
    first_line = reader.line_number
    cursor = JsonCursor(reader.rest(), first_line)
    if cursor.peek() == b"[":
        yield from _parsed(cursor, cursor.elements())
    else:
        yield from _object(cursor, kind)
    cursor.finish()


def read_texts(texts: Iterable[bytes]) -> Iterator[object]:
    """Parses texts that hold one element each.

    Yields:
        Each element, or the `InstanceError` that says why this one could not be parsed.
    """
    for text in texts:
        try:
            value = JsonCursor(text).whole()
        except InstanceError as error:
            yield error
        else:
            yield value


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


def is_vroom(value: object) -> bool:
    """Whether a parsed object is a problem of VROOM's: it has jobs, or shipments as there."""
    if not isinstance(value, Mapping):
        return False
    if "jobs" in value:
        return True
    rows: object = value.get("shipments")
    if not isinstance(rows, Sequence) or not rows or not isinstance(rows[0], Mapping):
        return False
    pickup = rows[0].get("pickup")  # our own shipments have their id outside
    return isinstance(pickup, Mapping) and "id" in pickup


def is_sheets(value: object) -> bool:
    """Whether a parsed object holds the texts of spreadsheets."""
    return isinstance(value, Mapping) and "stops" in value


def is_vroom_answer(value: object) -> bool:
    """Whether a parsed object is an answer of VROOM's: a code, and routes or an error."""
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
    cursor = JsonCursor(line)
    try:
        for count, key in enumerate(cursor.members()):
            if key in (kind.list_key, "format") or count > _MAX_KEYS:
                return False
            cursor.span()
        if not cursor.peek():
            return True
    except InstanceError:
        pass  # that line's own reader will say what is wrong
    return line.rstrip()[-1:] not in _GOES_ON and reader.peek_past(len(line)) == b"{"


def _lines(reader: ByteReader) -> Iterator[object]:
    for index in itertools.count():
        if not reader.skip_blank():
            return
        line_number = reader.line_number
        cursor = JsonCursor(reader.line(), line_number)
        try:
            yield cursor.whole()
        except InstanceError as error:
            if index == 0 and error.code == "JSON_SYNTAX" and not reader.skip_blank():
                raise
            yield error


def _parsed(cursor: JsonCursor, spans: Iterator[Span]) -> Iterator[object]:
    """Each value, or why that one cannot be read; bad syntax ends the document."""
    for span in spans:
        try:
            value = cursor.value(span)
        except InstanceError as error:
            if error.code == "JSON_SYNTAX":
                raise
            yield error
        else:
            yield value


def _object(cursor: JsonCursor, kind: DocumentKind) -> Iterator[object]:
    """The elements of an envelope, or the one element that the object itself is."""
    start, seen = cursor.position, set[str]()
    for count, key in enumerate(cursor.members()):
        if count > _MAX_KEYS:
            raise cursor.syntax(cursor.position, f"an object of more than {_MAX_KEYS} keys")
        if key in seen and {"format", kind.list_key} & {key, *seen}:
            raise fault(key, "duplicate key; keep only one", "DUPLICATE_KEY")
        seen.add(key)
        if key == kind.list_key:
            for other in sorted(seen - {key, "format"}):
                check_envelope(other, None, kind)
            yield from _list(cursor, kind)
        elif key == "format" or kind.list_key in seen:
            check_envelope(key, cursor.value(cursor.span()), kind)
        else:
            cursor.span()
    if "format" in seen and kind.list_key not in seen:
        raise fault(kind.list_key, "missing", "MISSING_KEY")
    if kind.list_key not in seen:
        end, cursor.position = cursor.position, start
        yield from _parsed(cursor, iter([cursor.span()]))
        cursor.position = end


def _list(cursor: JsonCursor, kind: DocumentKind) -> Iterator[object]:
    if cursor.peek() != b"[":
        value = cursor.value(cursor.span())
        message = f"{describe(value)}, expected a list of {kind.list_key}"
        raise fault(kind.list_key, message, "WRONG_TYPE")
    yield from _parsed(cursor, cursor.elements())
