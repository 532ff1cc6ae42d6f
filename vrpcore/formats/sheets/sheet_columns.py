"""The columns of spreadsheets, by the names that people use."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, Literal

from msgspec import Meta

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.json.assembly import MAX_LATITUDE, MAX_LONGITUDE
from vrpcore.formats.json.values import Amount, NotNegative, Number, Skills, Whole, kind_of
from vrpcore.formats.sheets import units
from vrpcore.formats.sheets.headings import (
    AMOUNTS,
    FLEET_HEADINGS,
    MAX_NUMBERED,
    STOP_HEADINGS,
    Field,
    Reads,
    Vocabulary,
    family,
    normal,
    numbered,
    written,
)
from vrpcore.formats.sheets.ride_headings import AXES, RideVocabulary
from vrpcore.formats.sheets.table import Faults, SheetTable
from vrpcore.instance.attributes import Measure, attributes_of
from vrpcore.instance.clock import read_clock, read_dated
from vrpcore.instance.constraints import VISIT_NUMBERS, Constraints
from vrpcore.instance.vehicle_types import VehicleType


def _field(reads: Reads, kind: Any, about: str, quantity: units.Quantity | None = None) -> Field:
    own = {"time": units.TIME_OF_DAY, "window": units.TIME_OF_DAY, "span": units.SPAN}
    return Field(reads, kind, about, quantity or own.get(reads))


# How a number is read; of other units, as it is.
_READS: Mapping[Measure, Reads] = {"time": "time", "span": "span", "count": "integer"}
_QUANTITIES: Mapping[Measure, units.Quantity] = {
    "length": units.LENGTH,
    "speed": units.SPEED,
    "per_length": units.PER_LENGTH,
    "per_time": units.PER_TIME,
}


def _declared(kind: type) -> dict[str, Field]:
    return {
        each.column: _field(
            _READS.get(each.unit, "number"),
            kind_of(each),
            "",
            _QUANTITIES.get(each.unit),
        )._replace(also=each.headings, with_unit=each.with_unit)
        for each in attributes_of(kind)
        if each.column
    }


_HINT = {"hint": "; are lat and lon exchanged?"}
_Latitude = Annotated[float, Meta(ge=-MAX_LATITUDE, le=MAX_LATITUDE, extra=_HINT)]
_Depots = Annotated[list[str], Meta(extra={"of": "ids of depots"})]
_Longitude = Annotated[float, Meta(ge=-MAX_LONGITUDE, le=MAX_LONGITUDE)]
_PLACE = {
    "lat": _field("number", _Latitude, "Latitude in degrees; or `x` and `y`."),
    "lon": _field("number", _Longitude, "Longitude in degrees."),
    "x": _field("number", Number, "Plane coordinate.", units.COORDINATE),
    "y": _field("number", Number, "Plane coordinate.", units.COORDINATE),
}
_HOURS = {
    "open": _field("time", Number, "When service may begin, or a shift begins, at the earliest."),
    "close": _field("time", Number, "When service may begin, or a shift ends, at the latest."),
    "window": _field("window", str, "Both in one cell: `08:00-10:00`, `08:00 to 10:00`, `-10:00`."),
}
_STOPS: Mapping[str, Field] = {
    "id": _field("text", str, "Unique. Default: 1, 2, ..."),
    "name": _field("text", str, "What people call it, beside the id."),
    **_PLACE,
    "demand": _field("number", Amount, "What is delivered. Default 0."),
    "pickup": _field("number", Amount, "What is taken back to the depot. Default 0."),
    **_HOURS,
    **_declared(Constraints),
    "skills": _field(
        "words", Skills, "What the vehicle must be able to do, between `,` `;` or `|`."
    ),
    "split": _field("text", str, "`yes`: several trips may each serve a part of it. Default no."),
    "only_vehicle": _field("text", str, "Id in the fleet: no other vehicle may serve it."),
    "one_of": _field("text", str, "A name that alternatives share: one of them is served."),
    "before_stop": _field("text", str, "Id of a stop that the same vehicle serves later."),
    "type": _field(
        "text", str, "`customer` (default), `depot`, or of a shipment `pickup`, `delivery`."
    ),
    "shipment": _field("text", str, "The same in both rows of a shipment."),
}
_NUMBERS = _declared(VehicleType)
_SPEED = "On straight lines: km/h with `lat` and `lon`. Default: `--speed`."
_FLEET: Mapping[str, Field] = {
    "id": _field("text", str, "Default: 1, 2, ..."),
    "count": _field("count", Whole, "How many there are; `any`: as many as needed. Default 1."),
    "capacity": _field("number", Amount, "Most on board. Default: unlimited."),
    "initial_load": _field("number", Amount, "On board from the start to the first reload."),
    "reload": _field("words", _Depots, "Where it may load again: `yes` (its depot), `no`, or ids."),
    "loading": _field("text", str, "`lifo`: what was loaded last is unloaded first, or `any`."),
    "lost": _field("text", str, "`yes`: it has broken down; only with `--freeze`."),
    "start": _field("text", str, "Id of a depot, or `none`. Default: the first."),
    "end": _field("text", str, "Id of a depot, or `none`. Default: `start`."),
    **_PLACE,
    **_HOURS,
    **_NUMBERS,
    "speed": _NUMBERS["speed"]._replace(about=_SPEED),
    "cost_per_hour": _field(
        "number", NotNegative, "As `duration_cost`, where times are minutes.", units.PER_HOUR
    ),
    "break_start": _field("time", Number, "When a rest begins at the earliest."),
    "break_end": _field("time", Number, "When it is over."),
    "break_duration": _field("span", NotNegative, "Its length. Default: from start to end."),
    "skills": _field("words", Skills, "What it can do, as of stops."),
}
# An amount, or what is meant as one: `12`, `1.250,5`, `12 kg`.
_LIKE_AMOUNT = re.compile(r"[+-]?[\d\s.,'\u2019]*\d\s?[^\W\d_]{0,8}\.?")
STOPS, FLEET = Vocabulary(_STOPS, STOP_HEADINGS), Vocabulary(_FLEET, FLEET_HEADINGS)
# In each end of a ride, and in a stop that is none.
OF_VISITS = [*_PLACE, *_HOURS, *(each.column for each in VISIT_NUMBERS if each.column)]
RIDES = RideVocabulary(_STOPS, STOP_HEADINGS, OF_VISITS)

IGNORE = "ignore"  # what is given for a column that is not to be read
# What an answer adds behind the columns of the stops.
PLAN = (
    "instance", "route", "stop", "type", "vehicle", "customer", "arrival", "begin", "late",
    "ride", "departure", "return", "late_return", "start", "end", "distance", "duration",
    "overtime", "route_load", "route_cost", "status", "reason", "detail", "cost", "balance", "gap",
    "warnings", "code", "error",
)  # fmt: skip
PART = "part"  # behind these where stops have the column split: what a visit brings or takes


def heading_kind(rows: Iterable[Sequence[str]]) -> Literal["stops", "fleet"] | None:
    """Return whether a heading is that of stops or of vehicles; None: neither.

    Ids do not count: what a file calls its rows says least of what they are.

    Args:
        rows: What the heading may be: its cells by each separator.
    """
    rows = list(rows)
    stops, fleet = (
        max(sum(kind.meaning(cell)[0] not in (None, "id") for cell in cells) for cells in rows)
        for kind in (RIDES, FLEET)
    )
    return None if stops == fleet == 0 else "fleet" if fleet > stops else "stops"


class Columns:
    """Which column of a table says what; each is read where no given one means the same.

    Args:
        table: With a header.
        vocabulary: `STOPS`, `RIDES` or `FLEET`.
        faults: Takes it where two columns mean the same.
        ignored: Names of columns that are not to be read, as `normal` has them.
        given: What columns mean, by heading: names of fields, with units; `IGNORE`.

    Attributes:
        of: Column of each field; `open2` and `close2` are those of the second window, and so
            with breaks; `demand_kg` is that of the load dimension `kg`. Those of a window in one
            column are that column.
        endings: Units with which the names of fields end.
        titles: What says the meaning of each column: its heading, or what is given for it.
        given: Columns whose meaning is given.
        twice: Columns that mean the same as another, which is read.
        unused: Columns that mean nothing here, and are not ignored by name.
    """

    def __init__(
        self,
        table: SheetTable,
        vocabulary: Vocabulary,
        faults: Faults,
        ignored: Collection[str] = (),
        given: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.table, self.vocabulary, self.faults = table, vocabulary, faults
        self.titles = [given.get(name, name) for name in table.header]
        self.given = {column for column, name in enumerate(table.header) if name in given}
        self.of: dict[str, int] = {}
        self.endings: dict[str, units.Measure] = {}
        self.twice: dict[int, int] = {}
        self.unused: list[int] = []
        self._spare: list[int] = []  # names of stops that have ids
        for column in sorted(
            vocabulary.by_rank(self.titles), key=lambda each: each not in self.given
        ):
            left = column in self.given and self.titles[column] == IGNORE
            if not left and normal(table.header[column] or table.shown[column]) not in ignored:
                self._take(column)
        if "name" in vocabulary.fields:
            self._find_name()
        for load in filter(self.of.__contains__, AMOUNTS):
            own = self.dimensions(load)
            is_less = self.of[load] not in self.given and self.given & set(own.values())
            # Else demand says it all.
            weaker = [load] if is_less else [f"{load}_{name}" for name in own]
            self.unused += [self.of.pop(each) for each in weaker]
        self.unused.sort()

    def has(self, field: str) -> bool:
        """Return whether there are columns of a field, be they of several load dimensions."""
        return any(family(each) == field for each in self.of)

    def dimensions(self, load: str) -> dict[str, int]:
        """Columns of an amount by the name of the load dimension; none: it has a single one."""
        start, own = f"{load}_", self.of.items()
        return {name.removeprefix(start): column for name, column in own if name.startswith(start)}

    def several(self, *fields: str) -> dict[int, list[str]]:
        """Fields of the first, second, ... window or break, where there is a column of one."""
        named = {n: [numbered(field, n) for field in fields] for n in range(1, MAX_NUMBERED + 1)}
        return {n: own for n, own in named.items() if self.of.keys() & set(own)}

    def _take(self, column: int) -> None:
        title, is_given = self.titles[column], column in self.given
        field, unit = self.vocabulary.meaning(title)
        load, dimension = dimension_of(title, self.vocabulary.fields)
        if field is None and load and (is_given or _may_be_amounts(self.table, column)):
            field = f"{load}_{dimension}"
        if field == "id" and field in self.of and normal(title).endswith("name"):
            self._spare.append(column)
        elif field is None and is_given:
            why = "only a sheet of rides has"
            if self.vocabulary is RIDES:
                why = "a sheet of rides does not have: what goes to the depot is a ride to it"
            message = f"{describe(self.table.header[column])} is given as {title}, which {why}"
            self.faults.add(fault(self.table.head_place, message, "COLUMN"))
        elif field is None or (field in self.of and field in ("id", "name")):
            self.unused.append(column)
        elif taken := [each for each in _parts(field) if each in self.of]:
            first = self.of[taken[0]]
            if first in self.given and not is_given:
                self.unused.append(column)
            else:
                self.twice[column] = first
                self.faults.add(_twice(self.table, taken[0], first, column))
        else:
            if is_given and unit is None:
                unit = self._unit_of_heading(column, family(field))
            self.of |= dict.fromkeys(_parts(field), column)
            self.endings |= dict.fromkeys(_parts(field), unit) if unit else {}

    def _unit_of_heading(self, column: int, field: str) -> units.Measure | None:
        """The unit that the heading says where what is given for it says none."""
        quantity, heading = self.vocabulary.fields[field].quantity, self.table.header[column]
        if quantity is None or units.without_units(self.titles[column]) != self.titles[column]:
            return None
        self.titles[column] = heading
        unit = units.UNITS.get(units.last_word(units.without_units(heading)))
        return unit if unit is not None and quantity.takes(unit) else None

    def _find_name(self) -> None:
        """Takes the first of spare names where there is none, and numbers for none."""
        if self._spare and "name" not in self.of:
            self.of["name"] = self._spare.pop(0)
        self.unused += self._spare
        if (name := self.of.get("name")) is None or name in self.given:
            return
        texts = [text for row in self.table.rows if (text := row.cells[name])]
        if texts and all(re.fullmatch(r"[\d\s.,]+", text) for text in texts):
            self.unused.append(self.of.pop("name"))  # a number of something: French `Nombre`


def _may_be_amounts(table: SheetTable, column: int) -> bool:
    """Return whether a cell may be an amount, or all are empty; never of `pickup_time`."""
    texts = [text for row in table.rows if (text := row.cells[column])]
    return not texts or any(
        _LIKE_AMOUNT.fullmatch(text) and not read_clock(text) and not read_dated(text)
        for text in texts
    )


def _parts(field: str) -> list[str]:
    """A field, and the two that a window in one column holds."""
    if not family(field).endswith("window"):
        return [field]
    return [field.replace("window", name) for name in ("open", "close", "window")]


def dimension_of(name: str, fields: Mapping[str, Field]) -> tuple[str | None, str]:
    """Field and load dimension of `demand_weight` or `demand1`; None for other names."""
    plain = re.sub(r"[\W_]+", "_", units.without_units(name)).strip("_").casefold()
    for load in AMOUNTS:
        found = re.fullmatch(rf"{load}(?:_(.+)|(\d+))", plain)
        if found and load in fields and not (load == "pickup" and found[1] in AXES):
            return load, found[1] or found[2]
    return None, ""


def _twice(table: SheetTable, field: str, first: int, second: int) -> InstanceError:
    message = f"{describe(table.header[first])} and {describe(table.header[second])} both mean "
    message += f"{written(field)}; rename one of them"
    if field in AMOUNTS:
        message += f", or both: {field}_a and {field}_b are two load dimensions"
    if normal(table.header[first]) != normal(table.header[second]):
        message += f"; or leave one out: {ignore_columns([table.shown[second]])}"
    return fault(table.head_place, message, "COLUMN")


def ignore_columns(names: Sequence[str]) -> str:
    """The option that leaves columns of these names out, as it is written."""
    text = ",".join(re.sub(r"\s*,\s*", " ", name) for name in names)
    return (
        f"--ignore-columns {text}"
        if re.fullmatch(r"[\w,]+", text)
        else f'--ignore-columns "{text}"'
    )
