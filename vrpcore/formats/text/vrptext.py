"""The text of a CVRPLIB file as keywords and rows of numbers, nothing interpreted yet."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from vrpcore.errors import InstanceError, describe, fault, nearest
from vrpcore.formats.json.key_schema import MAX_MAGNITUDE, MIN_MAGNITUDE
from vrpcore.instance.instance import MAX_CUSTOMERS, MAX_STOPS, Float64

SECTIONS = (
    "NODE_COORD_SECTION", "EDGE_WEIGHT_SECTION", "DEMAND_SECTION", "DEPOT_SECTION",
    "DISPLAY_DATA_SECTION",
)  # fmt: skip
HEADERS = (
    "NAME", "COMMENT", "TYPE", "DIMENSION", "CAPACITY", "VEHICLES", "EDGE_WEIGHT_TYPE",
    "EDGE_WEIGHT_FORMAT", "EDGE_WEIGHT_UNIT_OF_MEASUREMENT", "NODE_COORD_TYPE",
    "DISPLAY_DATA_TYPE",
)  # fmt: skip
# Of PyVRP's dialect.
DIALECT_SECTIONS = (
    "LINEHAUL_SECTION", "BACKHAUL_SECTION", "TIME_WINDOW_SECTION", "SERVICE_TIME_SECTION",
    "RELEASE_TIME_SECTION", "PRIZE_SECTION", "PICKUP_AND_DELIVERY_SECTION", "CAPACITY_SECTION",
    "VEHICLES_DEPOT_SECTION", "VEHICLES_ALLOWED_CLIENTS_SECTION",
    "VEHICLES_MAX_DISTANCE_SECTION", "VEHICLES_MAX_DURATION_SECTION",
    "VEHICLES_FIXED_COST_SECTION", "VEHICLES_UNIT_DISTANCE_COST_SECTION",
    "MUTUALLY_EXCLUSIVE_GROUP_SECTION", "VEHICLES_RELOAD_DEPOT_SECTION",
    "VEHICLES_MAX_RELOADS_SECTION",
)  # fmt: skip
DIALECT_HEADERS = (
    "DISTANCE", "SERVICE_TIME", "RELEASE_TIME", "VEHICLES_MAX_DISTANCE", "VEHICLES_MAX_DURATION",
    "VEHICLES_FIXED_COST", "VEHICLES_UNIT_DISTANCE_COST", "VEHICLES_MAX_RELOADS",
)  # fmt: skip
_KNOWN_SECTIONS = {*SECTIONS, *DIALECT_SECTIONS}
_KNOWN_HEADERS = {*HEADERS, *DIALECT_HEADERS}
_KNOWN = (*HEADERS, *DIALECT_HEADERS, *SECTIONS, *DIALECT_SECTIONS)
_RAGGED = (  # as many as nodes a row
    "EDGE_WEIGHT_SECTION", "VEHICLES_ALLOWED_CLIENTS_SECTION", "VEHICLES_RELOAD_DEPOT_SECTION",
)  # fmt: skip
_NARROW = ("NODE_COORD_SECTION", "DEPOT_SECTION", "DISPLAY_DATA_SECTION")
_WIDEST = 10

_MAX_LINE = 2**24
_MAX_NUMBERS = (MAX_STOPS + 1) ** 2
_NUMBER = r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?"
_NUMBERS = re.compile(rf"(?>(?:{_NUMBER}(?:[ \t]+|$)){{0,1000}})", re.ASCII)  # see jsonparse
_ONE = re.compile(_NUMBER, re.ASCII)
_CONTENT = re.compile(r"\S[^\n]*")
_KEYWORD = re.compile(r"([A-Za-z_]\w*)[ \t]*(?::(.*))?", re.ASCII)
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_NAMED_NODE = re.compile(rf"((?:{_NUMBER}[ \t]+){{3}})(?!{_NUMBER}(?:\s|$))\S", re.ASCII)


class Header(NamedTuple):
    """A `KEYWORD : value` line."""

    line: int
    keyword: str
    value: str

    @property
    def place(self) -> str:
        """Where it stands; begins each message."""
        return f"line {self.line}: {self.keyword}"

    def number(self) -> float:
        """Its value as a number; see `parse_number`."""
        if len(self.value.split()) > 1:
            raise self.fault("expected a number", "NOT_A_NUMBER")
        return parse_number(self.value, self.place)

    def fault(self, message: str, code: str) -> InstanceError:
        """The error of its value; what stands behind the first word may be a comment."""
        first, _, rest = self.value.partition(" ")
        if rest:
            message = (
                f"{message}; if only {describe(first)} is meant, put the rest on a line COMMENT"
            )
        return fault(self.place, f"{describe(self.value)}, {message}", code)


@dataclass(slots=True)
class Section:
    """The rows below a `..._SECTION` line.

    Attributes:
        name: The keyword.
        line: Where the section begins.
        rows: Line and numbers of each row that is not blank.
        count: Numbers in all rows.
    """

    name: str
    line: int
    rows: list[tuple[int, Float64]] = field(default_factory=list)
    count: int = 0

    def fault(self, message: str, code: str, line: int | None = None) -> InstanceError:
        """The error of one of its lines, the first unless said otherwise."""
        return fault(f"line {line or self.line}: {self.name}", message, code)


class VrpText(NamedTuple):
    """A whole file.

    Attributes:
        headers: By keyword.
        sections: By keyword.
        ended: True where the file says EOF.
    """

    headers: dict[str, Header]
    sections: dict[str, Section]
    ended: bool


def split_vrp(text: str) -> VrpText:
    """Splits a file into its parts; lines may end in any of the three usual ways.

    Raises:
        InstanceError: A line is no keyword that is understood and no row of numbers,
            or something is given twice. The message names the line.
    """
    headers: dict[str, Header] = {}
    sections: dict[str, Section] = {}
    section: Section | None = None
    ended = False
    for number, line in content_lines(text):
        if ended:
            raise fault(f"line {number}", f"{describe(line)} after EOF", "EXTRA_DATA")
        if line.startswith("#"):
            continue
        keyword = _KEYWORD.fullmatch(line)
        if keyword is None:
            begin = _WORD.match(line)
            if section is None or (begin and begin[0] in _KNOWN):
                message = f"{describe(line)}, expected 'KEYWORD : value' or a section's name"
                raise fault(f"line {number}", message, "PARSE")
            _add_row(section, number, line)
        elif keyword[1] == "EOF":
            ended = True
        elif keyword[1] in _KNOWN_SECTIONS:
            _check_new(keyword[1], number, sections)
            section = sections[keyword[1]] = Section(keyword[1], number)
        else:
            _check_header(keyword[1], keyword[2], number)
            if keyword[1] != "COMMENT":
                _check_new(keyword[1], number, headers)
            headers[keyword[1]] = Header(number, keyword[1], keyword[2].strip())
            section = None
    return VrpText(headers, sections, ended)


def parse_number(text: str, place: str) -> float:
    """One number as CVRPLIB writes it: no `nan`, no `1_000`, no other script's digits.

    Raises:
        InstanceError: It is none, or too large.
    """
    if not _ONE.fullmatch(text):
        raise fault(place, f"{describe(text)} is not a finite number", "NOT_A_NUMBER")
    value = float(text)
    if 0 < abs(value) < MIN_MAGNITUDE:
        message = f"{describe(text)} is nearer to 0 than {MIN_MAGNITUDE:g}; write 0"
        raise fault(place, message, "NUMBER_TOO_SMALL")
    if abs(value) > MAX_MAGNITUDE:
        message = f"{describe(text)} is not a finite number up to {MAX_MAGNITUDE:g}"
        raise fault(place, message, "NUMBER_TOO_LARGE")
    return value


def content_lines(text: str) -> Iterator[tuple[int, str]]:
    """Number and content of each line that is not blank, without a list of all of them."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    end, number = 0, 1
    for found in _CONTENT.finditer(text):
        number += text.count("\n", end, found.start())
        start, end = found.span()
        if end - start > _MAX_LINE:
            message = f"a line of {end - start} characters, the limit is {_MAX_LINE}"
            raise fault(f"line {number}", message, "TOO_LARGE")
        yield number, found[0].rstrip()


def _check_header(keyword: str, value: str | None, number: int) -> None:
    place = f"line {number}: {keyword}"
    if keyword not in _KNOWN_HEADERS:
        near = nearest(keyword, _KNOWN)
        advice = f"did you mean {near}?" if near else "write COMMENT if it only describes"
        message = f"unknown keyword or section; {advice}"
        raise fault(place, message, "UNKNOWN_KEY")
    if value is None:
        raise fault(place, "has no value, expected 'KEYWORD : value'", "PARSE")


def _check_new(keyword: str, number: int, known: dict[str, Header] | dict[str, Section]) -> None:
    if keyword in known:
        message = f"duplicate, also given on line {known[keyword].line}"
        raise fault(f"line {number}: {keyword}", message, "DUPLICATE_KEY")


def _are_numbers(line: str) -> bool:
    end = 0
    while end < len(line):
        found = _NUMBERS.match(line, end)
        if not found or found.end() == end:
            return False
        end = found.end()
    return True


def _add_row(section: Section, number: int, line: str) -> None:
    if section.name == "NODE_COORD_SECTION" and (named := _NAMED_NODE.match(line)):
        line = named[1].rstrip()  # the name of a node stands behind its place
    tokens = line.split()
    if not _are_numbers(line):
        for token in tokens:
            parse_number(token, f"line {number}: {section.name}")
        raise section.fault(f"{describe(line)}, expected numbers", "NOT_A_NUMBER", number)
    row = np.array([float(token) for token in tokens])
    size = np.abs(row)
    if size[size < MIN_MAGNITUDE].any():
        message = f"a number nearer to 0 than {MIN_MAGNITUDE:g}; write 0"
        raise section.fault(message, "NUMBER_TOO_SMALL", number)
    if not bool(np.all(size <= MAX_MAGNITUDE)):
        message = f"a number beyond {MAX_MAGNITUDE:g}, expected finite numbers"
        raise section.fault(message, "NUMBER_TOO_LARGE", number)
    section.count += len(row)
    wide = 3 if section.name in _NARROW else _WIDEST
    ragged = section.name in _RAGGED
    limit = _MAX_NUMBERS if ragged else wide * (MAX_CUSTOMERS + 1)
    if section.count > limit:
        most = MAX_STOPS if ragged else MAX_CUSTOMERS
        message = f"more than {limit} numbers, the limit is {most} customers"
        raise section.fault(message, "TOO_MANY_CUSTOMERS", number)
    section.rows.append((number, row))
