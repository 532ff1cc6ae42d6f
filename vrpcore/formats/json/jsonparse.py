"""JSON text to Python values: slowly, within limits, and in words.

Documents that are right are read by msgspec, which refuses a text whole: one NaN or one wrong byte
would cost every instance of the file. Then the standard library reads it here, value by value.
"""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from vrpcore.errors import InstanceError, fault
from vrpcore.instance.instance import MAX_CUSTOMERS, MAX_STOPS

MAX_VALUES = (MAX_STOPS + 1) ** 2 + 100 * MAX_STOPS  # a matrix and what comes with it
MAX_PARTS = 1_000_000  # lists and objects of one instance
_LARGE = 2**22  # bytes; fewer hold neither so many values nor parts that they need much memory
_MAX_DIGITS = 400  # more than any float64 has before the point
_BEYOND = int("1" + "0" * _MAX_DIGITS)  # stands for every longer integer
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{}]', re.DOTALL)
_SPACE = re.compile(r"[ \t\r\n]*+")


class JsonObject(dict[str, object]):
    """A JSON object that remembers a key given twice.

    Attributes:
        duplicate: The first such key, or None.
    """

    duplicate: str | None = None


class JsonText(NamedTuple):
    """One element of a document, not parsed yet.

    Attributes:
        data: UTF-8 bytes.
        line: Of the file on which they begin, or `whole` does, counted from 1.
        whole: A text that they are part of, if any.
        start: Their first byte in it.
    """

    data: bytes
    line: int = 1
    whole: bytes = b""
    start: int = 0

    def parsed(self, place: str = "") -> object:
        """Parse slowly, within limits, with keys that are given twice.

        Args:
            place: Begins each message, where it is given.

        Raises:
            InstanceError: As `JsonReader.value`, or something follows.
        """
        reader = JsonReader(self)
        try:
            if is_too_large(self.data):
                raise reader.too_large(0)
            value = reader.value()
            reader.finish()
            return value
        except InstanceError as error:
            raise fault(place, str(error), error.code) if place else error from None


def is_too_large(data: bytes) -> bool:
    """Return whether a text takes too much memory to be one instance."""
    if len(data) <= _LARGE:
        return False
    parts = data.count(b"[") + data.count(b"{")
    return parts > MAX_PARTS or data.count(b",") > MAX_VALUES


class JsonReader:
    """Walks through one JSON text, value by value.

    Bytes that are not UTF-8 become lone surrogates, which are refused where they stand.

    Args:
        text: What it is part of is only for places in messages.

    Attributes:
        position: Of the next character.
    """

    def __init__(self, text: JsonText) -> None:
        self._source, self._text = text, text.data.decode("utf-8", "surrogateescape")
        self._counted = (0, 0)  # up to which position, and how many lines there are before it
        self.position = 0

    def peek(self) -> str:
        """The first character of the next value, empty at the end; moves past white space."""
        if space := _SPACE.match(self._text, self.position):
            self.position = space.end()
        return self._text[self.position : self.position + 1]

    def value(self) -> object:
        """Parse the next value.

        Raises:
            InstanceError: It is not JSON (code SYNTAX), or too deep or too large (TOO_LARGE).
        """
        self.peek()
        start = self.position
        try:
            found, self.position = _decode(self._text, start)
        except json.JSONDecodeError as error:
            raise self.syntax(error.pos, error.msg) from None
        except RecursionError:
            self.position = self._end(start)
            message = f"{self._place(start)}: nested too deeply"
            raise InstanceError(message, code="TOO_LARGE") from None
        except _TooLargeError:
            self.position = self._end(start)
            raise self.too_large(start) from None
        return found

    def elements(self) -> Iterator[JsonText | InstanceError]:
        """Move through a list, value by value, or the error of one that is too deep or large.

        Raises:
            InstanceError: The list is not well formed.
        """
        for _ in self._parts("[]", "a list"):
            self.peek()
            start = self.position
            try:
                self.value()
                data = self.since(start)
                yield self.too_large(start) if is_too_large(data) else JsonText(data)
            except InstanceError as error:
                if error.code == "SYNTAX":
                    raise
                yield error

    def members(self) -> Iterator[str]:
        """Move through an object; after each key the caller moves past its value.

        Raises:
            InstanceError: The object is not well formed.
        """
        for _ in self._parts("{}", "an object"):
            if self.peek() != '"':
                raise self.syntax(self.position, "expected a key in double quotes")
            key = str(self.value())
            self._expect(":", "':'")
            yield key

    def since(self, start: int) -> bytes:
        """The text between a position and the present one."""
        return self._text[start : self.position].encode("utf-8", "surrogateescape")

    def finish(self) -> None:
        """Check that nothing follows.

        Raises:
            InstanceError: Something does.
        """
        if self.peek():
            raise self.syntax(self.position, "extra data after the end of the first value")

    def syntax(self, position: int, message: str) -> InstanceError:
        """The error for a text that is not JSON."""
        if position >= len(self._text) or message.startswith("Unterminated"):
            message += ", but the text ends here (is it truncated?)"
        return InstanceError(f"{self._place(position)}: not JSON: {message}", code="SYNTAX")

    def _end(self, start: int) -> int:
        """The end of a list or object; that of the text where it has none."""
        depth = 0
        for token in _TOKEN.finditer(self._text, start):
            depth += (token[0] in "[{") - (token[0] in "]}")
            if depth == 0:
                return token.end()
        return len(self._text)

    def _parts(self, brackets: str, what: str) -> Iterator[None]:
        """Stop before each part between brackets; the caller moves past it."""
        self._expect(brackets[0], what)
        more = not self._take(brackets[1])
        while more:
            yield
            more = not self._take(brackets[1])
            if more:
                self._expect(",", f"',' or '{brackets[1]}'")

    def _take(self, character: str) -> bool:
        found = self.peek() == character
        self.position += found
        return found

    def _expect(self, character: str, what: str) -> None:
        if not self._take(character):
            raise self.syntax(self.position, f"expected {what}")

    def _place(self, position: int) -> str:
        """A character's line and column, both from 1, for messages."""
        known, lines = self._counted if self._counted[0] <= position else (0, 0)
        lines += self._text.count("\n", known, position)
        self._counted = position, lines
        column = position - self._text.rfind("\n", 0, position)
        _, line, whole, start = self._source
        if not lines:
            column += start - whole.rfind(b"\n", 0, start) - 1
        line += whole.count(b"\n", 0, start) + lines
        return f"line {line}, column {column}"

    def too_large(self, start: int) -> InstanceError:
        """The error for a value that takes too much memory."""
        most = f"{MAX_CUSTOMERS} customers are read, with a matrix {MAX_STOPS}"
        message = f"too large to be one instance: at most {most}"
        return InstanceError(f"{self._place(start)}: {message}", code="TOO_LARGE")


class _TooLargeError(Exception):
    """More parts than an instance has."""


class _Pairs:
    """Makes objects of a value, up to a limit."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, pairs: list[tuple[str, object]]) -> JsonObject:
        self.count += 1
        if self.count > MAX_PARTS:
            raise _TooLargeError
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


def _decode(text: str, start: int) -> tuple[object, int]:
    try:
        return json.JSONDecoder(object_pairs_hook=_Pairs()).raw_decode(text, start)
    except json.JSONDecodeError:
        raise
    except ValueError:  # int() refuses texts of thousands of digits
        decoder = json.JSONDecoder(object_pairs_hook=_Pairs(), parse_int=_long_integer)
        return decoder.raw_decode(text, start)
