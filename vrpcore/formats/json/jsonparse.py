"""JSON text to Python values, one element at a time.

The standard parser reads a text whole: one number of 5000 digits, one list nested 5000
deep or one wrong byte would cost every instance of the file, and a small packed file
could ask for more memory than there is. So the extent of each element is found first
(brackets and strings only), and an element is parsed by itself, within limits.
"""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from vrpcore.errors import InstanceError
from vrpcore.instance.instance import MAX_CUSTOMERS, MAX_STOPS

MAX_DEPTH = 32
MAX_VALUES = (MAX_STOPS + 1) ** 2 + 100 * MAX_STOPS  # a matrix and what comes with it
MAX_PARTS = 1_000_000  # brackets and strings of one instance, every key counted
MAX_PART_BYTES = 2**22  # one list of numbers or one string
MAX_SCAN = 3_000_000  # parts after which even the search for an element's end gives up
_MAX_DIGITS = 400  # more than any float64 has before the point
_BEYOND = int("1" + "0" * _MAX_DIGITS)  # stands for every longer integer

# Groups are atomic, (?>...), and bounded, as each round takes memory. A possessive group, (...)*+,
# would need neither, but Python before 3.11.5 may take it for longer than it is.
_SPACE = re.compile(rb"[ \t\r\n]*+")
_SCALAR = re.compile(rb"[^\s,:\[\]{}\"]*+")
_TEXT = re.compile(rb'(?>(?:[^"\\]++|\\.){0,1000})', re.DOTALL)
_BETWEEN = rb'[^\[\]{}"]*+'
_PART = re.compile(
    _BETWEEN
    + rb"(?:([\[{]" + _BETWEEN + rb'(?>(?:"[^"\\]*+"' + _BETWEEN + rb"){0,64})[\]}])"  # a leaf
    + rb'|("[^"\\]*+")|([\[{])|([\]}])|("))'
)  # fmt: skip
_LEAF, _STRING, _OPEN, _CLOSE, _ESCAPED = 1, 2, 3, 4, 5


class JsonObject(dict[str, object]):
    """A JSON object that remembers a key given twice.

    Attributes:
        duplicate: The first such key, or None.
    """

    duplicate: str | None = None


class Span(NamedTuple):
    """Where a value lies.

    Attributes:
        start: First byte.
        end: Byte after the last.
        fault: Why it must not be parsed, or None.
    """

    start: int
    end: int
    fault: InstanceError | None = None


class JsonCursor:
    """Walks through one JSON text, value by value.

    Args:
        data: UTF-8 bytes.
        first_line: Line of the file on which they begin, counted from 1.
    """

    def __init__(self, data: bytes, first_line: int = 1) -> None:
        self.data = data
        self.position = 0
        self._first_line = first_line

    def peek(self) -> bytes:
        """The first byte of the next value, empty at the end; moves past white space."""
        if space := _SPACE.match(self.data, self.position):
            self.position = space.end()
        return self.data[self.position : self.position + 1]

    def span(self) -> Span:
        """Moves past one value of any kind.

        Raises:
            InstanceError: There is no value, or it has no end.
        """
        first, start = self.peek(), self.position
        if first in (b"{", b"["):
            return self._container()
        if first == b'"':
            self.position = self._string_end(start)
        elif scalar := _SCALAR.match(self.data, start):
            self.position = scalar.end()
        if self.position == start:
            raise self.syntax(start, "expected a value")
        too_long = self.position - start > MAX_PART_BYTES
        return Span(start, self.position, self._too_large(start) if too_long else None)

    def elements(self) -> Iterator[Span]:
        """Moves through a list, value by value.

        Raises:
            InstanceError: The list is not well formed.
        """
        self._expect(b"[", "a list")
        if self._take(b"]"):
            return
        while True:
            yield self.span()
            if self._take(b"]"):
                return
            self._expect(b",", "',' or ']'")

    def members(self) -> Iterator[str]:
        """Moves through an object; after each key the caller moves past its value.

        Raises:
            InstanceError: The object is not well formed.
        """
        self._expect(b"{", "an object")
        if self._take(b"}"):
            return
        while True:
            if self.peek() != b'"':
                raise self.syntax(self.position, "expected a key in double quotes")
            key = self.value(self.span())
            self._expect(b":", "':'")
            yield str(key)
            if self._take(b"}"):
                return
            self._expect(b",", "',' or '}'")

    def value(self, span: Span) -> object:
        """Parses one value.

        Raises:
            InstanceError: It is not JSON (code JSON_SYNTAX), not UTF-8 (INVALID_UTF8),
                too deep (TOO_DEEP) or too large (TOO_LARGE).
        """
        if span.fault:
            raise span.fault
        try:
            text = self.data[span.start : span.end].decode("utf-8")
        except UnicodeDecodeError as error:
            place = self.place(span.start + error.start)
            found = f"{place}: invalid UTF-8 (byte 0x{error.object[error.start]:02x})"
            message = f"{found}; JSON must be UTF-8 text"
            raise InstanceError(message, code="INVALID_UTF8") from error
        try:
            return _decode(text)
        except json.JSONDecodeError as error:
            offset = len(text[: error.pos].encode("utf-8"))
            raise self.syntax(span.start + offset, error.msg) from error

    def whole(self) -> object:
        """Parses the one value that the text holds.

        Raises:
            InstanceError: As `value` says, or something follows.
        """
        value = self.value(self.span())
        self.finish()
        return value

    def finish(self) -> None:
        """Checks that nothing follows.

        Raises:
            InstanceError: Something does.
        """
        if self.peek():
            raise self.syntax(self.position, "extra data after the end of the first value")

    def place(self, position: int) -> str:
        """A byte's line and column, both from 1, for messages."""
        line = self.data.count(b"\n", 0, position)
        column = position - self.data.rfind(b"\n", 0, position)
        return f"line {self._first_line + line}, column {column}"

    def syntax(self, position: int, message: str) -> InstanceError:
        """The error for a text that is not JSON."""
        if position >= len(self.data):
            message += ", but the text ends here (is it truncated?)"
        return InstanceError(f"{self.place(position)}: not JSON: {message}", code="JSON_SYNTAX")

    def _take(self, byte: bytes) -> bool:
        found = self.peek() == byte
        self.position += found
        return found

    def _expect(self, byte: bytes, what: str) -> None:
        if not self._take(byte):
            raise self.syntax(self.position, f"expected {what}")

    def _container(self) -> Span:
        start, depth, deepest, parts, longest = self.position, 0, 0, 0, 0
        position = start
        while part := _PART.match(self.data, position):
            kind = part.lastindex or 0
            first, position = part.start(kind), part.end()
            if kind == _ESCAPED:
                position = self._string_end(first)
            longest = max(longest, position - first)
            depth += (kind == _OPEN) - (kind == _CLOSE)
            deepest = max(deepest, depth + (kind == _LEAF))
            parts += 1
            if depth <= 0:
                self.position = position
                return Span(start, position, self._fault(start, deepest, parts, longest))
            if parts > MAX_SCAN:
                raise InstanceError(
                    f"{self.place(start)}: a value of more than {MAX_SCAN} parts; "
                    f"write JSON Lines (one instance per line) instead",
                    code="TOO_LARGE",
                )
        raise self.syntax(start, "the value that begins here never ends (is it truncated?)")

    def _fault(self, start: int, deepest: int, parts: int, longest: int) -> InstanceError | None:
        if deepest > MAX_DEPTH:
            message = f"nested {deepest} deep; at most {MAX_DEPTH} levels of nesting are read"
            return InstanceError(f"{self.place(start)}: {message}", code="TOO_DEEP")
        size = self.data.count(b",", start, self.position)
        if parts > MAX_PARTS or longest > MAX_PART_BYTES or size > MAX_VALUES:
            return self._too_large(start)
        return None

    def _too_large(self, start: int) -> InstanceError:
        most = f"{MAX_CUSTOMERS} customers are read, with a matrix {MAX_STOPS}"
        message = f"too large to be one instance: at most {most}"
        return InstanceError(f"{self.place(start)}: {message}", code="TOO_LARGE")

    def _string_end(self, start: int) -> int:
        position = start + 1
        while text := _TEXT.match(self.data, position):
            position = text.end()
            if self.data[position : position + 1] == b'"':
                return position + 1
            if position == text.start():
                break
        raise self.syntax(start, "a string that never ends (is it truncated?)")


def _pairs(pairs: list[tuple[str, object]]) -> JsonObject:
    found = JsonObject(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                found.duplicate = key
                break
            seen.add(key)
    return found


def _long_integer(digits: str) -> int:
    if len(digits) <= _MAX_DIGITS:
        return int(digits)
    return -_BEYOND if digits.startswith("-") else _BEYOND


_FAST = json.JSONDecoder(object_pairs_hook=_pairs)
_LONG = json.JSONDecoder(object_pairs_hook=_pairs, parse_int=_long_integer)


def _decode(text: str) -> object:
    try:
        return _FAST.decode(text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # int() refuses texts of thousands of digits
        return _LONG.decode(text)
