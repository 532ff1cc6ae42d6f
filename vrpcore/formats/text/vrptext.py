"""The text of a `.vrp` file as keywords and rows of numbers, nothing interpreted yet."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from vrpcore.errors import InstanceError, describe, fault, nearest
from vrpcore.formats.json.values import MAX_MAGNITUDE, MIN_MAGNITUDE
from vrpcore.instance.instance import MAX_CUSTOMERS, MAX_STOPS, Float64

_PLAIN = (
    "NAME", "COMMENT", "TYPE", "DIMENSION", "CAPACITY", "VEHICLES", "EDGE_WEIGHT_TYPE",
    "EDGE_WEIGHT_FORMAT", "EDGE_WEIGHT_UNIT_OF_MEASUREMENT", "NODE_COORD_TYPE",
    "DISPLAY_DATA_TYPE", "NODE_COORD_SECTION", "EDGE_WEIGHT_SECTION", "DEMAND_SECTION",
    "DEPOT_SECTION", "DISPLAY_DATA_SECTION",
)  # fmt: skip
DIALECT = (  # of PyVRP, and CVRPLIB's limits of routes
    "DISTANCE", "SERVICE_TIME", "RELEASE_TIME", "VEHICLES_MAX_DISTANCE", "VEHICLES_MAX_DURATION",
    "VEHICLES_FIXED_COST", "VEHICLES_UNIT_DISTANCE_COST", "VEHICLES_MAX_RELOADS",
    "LINEHAUL_SECTION", "BACKHAUL_SECTION", "TIME_WINDOW_SECTION", "SERVICE_TIME_SECTION",
    "RELEASE_TIME_SECTION", "PRIZE_SECTION", "PICKUP_AND_DELIVERY_SECTION", "CAPACITY_SECTION",
    "VEHICLES_DEPOT_SECTION", "VEHICLES_ALLOWED_CLIENTS_SECTION",
    "VEHICLES_MAX_DISTANCE_SECTION", "VEHICLES_MAX_DURATION_SECTION",
    "VEHICLES_FIXED_COST_SECTION", "VEHICLES_UNIT_DISTANCE_COST_SECTION",
    "MUTUALLY_EXCLUSIVE_GROUP_SECTION", "VEHICLES_RELOAD_DEPOT_SECTION",
    "VEHICLES_MAX_RELOADS_SECTION",
)  # fmt: skip
_KNOWN = (*_PLAIN, *DIALECT)
_SECTION = "_SECTION"  # how their names end
_SQUARE = (  # as many as nodes a row
    "EDGE_WEIGHT_SECTION", "VEHICLES_ALLOWED_CLIENTS_SECTION", "VEHICLES_RELOAD_DEPOT_SECTION",
)  # fmt: skip
_WIDEST = 10  # columns of the others

_MAX_LINE = 2**24
_MAX_NUMBERS = (MAX_STOPS + 1) ** 2
_NUMBER = re.compile(r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")
_OF_NUMBERS = re.compile(r"[-+.0-9eE ]*")  # of these, `float` takes only numbers
_CONTENT = re.compile(r"\S[^\n]*")
_KEYWORD = re.compile(r"([A-Za-z_]\w*)[ \t]*(?::(.*))?", re.ASCII)


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
            raise self.fault("expected a number", "WRONG_TYPE")
        return parse_number(self.value, self.place)

    def whole(self) -> int:
        """Its value as a whole number of at least 1."""
        if not (self.value.isascii() and self.value.isdigit() and len(self.value) < 19):
            raise self.fault("expected a positive integer", "WRONG_TYPE")
        if int(self.value) < 1:
            raise self.fault("expected at least 1", "OUT_OF_RANGE")
        return int(self.value)

    def fault(self, message: str, code: str) -> InstanceError:
        """The error of its value; what stands behind the first word may be a comment."""
        first, _, rest = self.value.partition(" ")
        if rest:
            message += f"; if only {describe(first)} is meant, put the rest on a line COMMENT"
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

    def place(self, line: int | None = None) -> str:
        """Where one of its lines stands, the first unless said otherwise; begins each message."""
        return f"line {line or self.line}: {self.name}"

    def fault(self, message: str, code: str, line: int | None = None) -> InstanceError:
        """The error of one of its lines, the first unless said otherwise."""
        return fault(self.place(line), message, code)


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

    @property
    def kind(self) -> str:
        """Its TYPE; empty where it says none."""
        return self.headers["TYPE"].value if "TYPE" in self.headers else ""

    def header(self, keyword: str) -> Header:
        """A header that must be there (code MISSING)."""
        if keyword not in self.headers:
            raise fault(keyword, "missing, expected a line 'KEYWORD : value'", "MISSING")
        return self.headers[keyword]

    def section(self, name: str) -> Section:
        """A section that must be there (code MISSING)."""
        if name not in self.sections:
            raise fault(name, "missing section (is the file truncated?)", "MISSING")
        return self.sections[name]

    def place(self, keyword: str) -> str | None:
        """Where a header or a section is; None where it is not there."""
        if keyword in self.headers:
            return self.headers[keyword].place
        return self.sections[keyword].place() if keyword in self.sections else None


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
            raise fault(f"line {number}", f"{describe(line)} after EOF", "SYNTAX")
        if line.startswith("#"):
            continue
        keyword = _KEYWORD.fullmatch(line)
        if keyword is None:
            if section is None or line.split()[0] in _KNOWN:
                message = f"{describe(line)}, expected 'KEYWORD : value' or a section's name"
                raise fault(f"line {number}", message, "FORMAT")
            _add_row(section, number, line)
        elif keyword[1] == "EOF":
            ended = True
        else:
            name, value = keyword[1], keyword[2]
            _check_keyword(name, number, sections if name.endswith(_SECTION) else headers)
            if name.endswith(_SECTION):
                section = sections[name] = Section(name, number)
            elif value is None:
                message = "has no value, expected 'KEYWORD : value'"
                raise fault(f"line {number}: {name}", message, "FORMAT")
            else:
                headers[name] = Header(number, name, value.strip())
                section = None
    return VrpText(headers, sections, ended)


def parse_number(text: str, place: str) -> float:
    """One number as CVRPLIB writes it: no `nan`, no `1_000`, no other script's digits.

    Raises:
        InstanceError: It is none, or too large.
    """
    if not _NUMBER.fullmatch(text):
        raise fault(place, f"{describe(text)} is not a finite number", "WRONG_TYPE")
    value = float(text)
    if 0 < abs(value) < MIN_MAGNITUDE:
        message = f"{describe(text)} is nearer to 0 than {MIN_MAGNITUDE:g}; write 0"
        raise fault(place, message, "OUT_OF_RANGE")
    if abs(value) > MAX_MAGNITUDE:
        message = f"{describe(text)} is not a finite number up to {MAX_MAGNITUDE:g}"
        raise fault(place, message, "OUT_OF_RANGE")
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


def _check_keyword(
    keyword: str, number: int, found: dict[str, Header] | dict[str, Section]
) -> None:
    place = f"line {number}: {keyword}"
    if keyword not in _KNOWN:
        near = nearest(keyword, _KNOWN)
        advice = f"did you mean {near}?" if near else "write COMMENT if it only describes"
        raise fault(place, f"unknown keyword or section; {advice}", "UNKNOWN")
    if keyword in found and keyword != "COMMENT":
        message = f"duplicate, also given on line {found[keyword].line}"
        raise fault(place, message, "DUPLICATE")


def _add_row(section: Section, number: int, line: str) -> None:
    tokens = line.split()
    if section.name == "NODE_COORD_SECTION" and tokens[3:] and not _NUMBER.fullmatch(tokens[3]):
        del tokens[3:]  # the name of a node stands behind its place
    section.rows.append((number, _numbers(tokens, section.place(number))))
    section.count += len(tokens)
    square = section.name in _SQUARE
    limit = _MAX_NUMBERS if square else _WIDEST * (MAX_CUSTOMERS + 1)
    if section.count > limit:
        most = MAX_STOPS if square else MAX_CUSTOMERS
        message = f"more than {limit} numbers, the limit is {most} customers"
        raise section.fault(message, "TOO_LARGE", number)


def _numbers(tokens: list[str], place: str) -> Float64:
    """The numbers of a row, [n] float64; one by one if any is not as it should be."""
    if _OF_NUMBERS.fullmatch(" ".join(tokens)):
        with suppress(ValueError):
            row = np.array([float(token) for token in tokens])
            size = np.abs(row[row != 0])
            if ((size >= MIN_MAGNITUDE) & (size <= MAX_MAGNITUDE)).all():
                return row
    return np.array([parse_number(token, place) for token in tokens])
