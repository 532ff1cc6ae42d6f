"""Stops and vehicles from spreadsheets to one instance, by way of a JSON document."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.files import ByteReader
from vrpcore.formats.json.plain_json import build_instance
from vrpcore.formats.options import SheetOptions
from vrpcore.formats.sheets.cells import CellReading, Notation
from vrpcore.formats.sheets.questions import ask_for_colons, ask_for_degrees
from vrpcore.formats.sheets.sheet_columns import heading_kind
from vrpcore.formats.sheets.sheet_places import ROOT, Document, PlaceParts
from vrpcore.formats.sheets.sheet_tables import Tables, read_as
from vrpcore.formats.sheets.stops import read_stops, read_ties
from vrpcore.formats.sheets.table import SheetRow, SheetTable
from vrpcore.formats.sheets.terms import METRES, find_terms
from vrpcore.formats.sheets.vehicles import read_fleet
from vrpcore.instance.clock import read_dated
from vrpcore.instance.instance import CustomerId, Instance, InvalidInstance
from vrpcore.instance.origin import InKind, Origin

_MINUTE_DECIMALS = 1  # of times that are minutes
# In messages, what are flags of a command are keys here; there are no roads.
_ROADS = re.compile(r"; or roads with --matrix| \(vrp columns .*? writes it to be corrected\)")
_FLAG = re.compile(
    r"--(fleet|depot|capacity|speed|ignore-columns|columns|decimal|balance)\b(?: FILE)?"
)


@dataclass(frozen=True, slots=True)
class Sheet(Origin):
    """The spreadsheet that an instance comes from, to answer in kind.

    Attributes:
        table: Of the stops.
        readings: How its columns are read, by their number; others are not.
        columns: Which column says what, by field.
        rows: The row of each stop 1..N.
        called: See `Origin.names`.
        depots: Where each depot was found, in words.
        notation: How it writes numbers and times.
        distance: Units of the instance in one of the answer: 1000 metres a kilometre.
        timed: Times mean something; else answers have none.
        notes: See `Origin`; so has `read_as`.
    """

    kind: ClassVar[InKind] = "csv"
    words: ClassVar[str] = "a spreadsheet with lat and lon"
    road_units: ClassVar[tuple[Literal["min"], Literal["km"]]] = ("min", "km")
    is_typed: ClassVar[bool] = True
    table: SheetTable
    readings: Mapping[int, CellReading]
    columns: Mapping[str, int]
    rows: Sequence[SheetRow]
    called: Mapping[CustomerId, str]
    depots: Sequence[str]
    notation: Notation
    distance: float
    timed: bool
    notes: Sequence[str]
    read_as: Sequence[str]

    @property
    def geographic(self) -> bool:
        """Return whether it has latitudes and longitudes, so that its times are minutes."""
        return self.distance == METRES

    @property
    def label(self) -> str:
        """See `Origin`."""
        return self.table.label

    @property
    def names(self) -> Mapping[CustomerId, str]:
        """See `Origin`."""
        return self.called

    @property
    def clock(self) -> Literal["min"] | None:
        """See `Origin`."""
        return "min" if self.notation.clock else None

    @property
    def time_text(self) -> Callable[[float], str]:
        """See `Origin`; with dates where there are several."""
        calendar = self.notation.calendar
        one_day = calendar is None or calendar.has_one_day
        return self.notation.time_of_day if one_day else self.notation.time

    def node_in_words(self, instance: Instance, node: int) -> str:
        """See `Origin`; with the row."""
        if node < instance.num_depots:
            return self.depots[node]
        stop = node - instance.num_depots
        return f"{self.table.place(self.rows[stop])} ({instance.ids[stop]})"

    def length_in_words(self, value: float) -> str:
        """See `Origin`; in kilometres, where it has latitudes and longitudes."""
        return f"{value / METRES:g} km" if self.geographic else f"{value:g}"

    def time_in_words(self, value: float) -> str:
        """See `Origin`."""
        in_minutes = self.timed and (self.geographic or self.notation.has_colons)
        return f"{value:g} min" if in_minutes else f"{value:g}"

    @property
    def has_ids(self) -> bool:
        """See `Origin`."""
        return "id" in self.columns

    def rounding(self, latest: float) -> float:
        """See `Origin`."""
        return self.notation.rounding(latest)

    def dated_time(self, text: str) -> float | None:
        """See `Origin`."""
        if (calendar := self.notation.calendar) is None:
            return None
        if dated := read_dated(text):
            try:
                return calendar.minutes(dated)
            except ValueError as error:
                raise fault("freeze", f"{text}: {error}", "FREEZE") from None
        if calendar.has_one_day:
            return None
        message = f"{text}: the times of this instance are of several days, so give the date, too"
        raise fault("freeze", f"{message}, e.g. {calendar.text(580, 'HH:MM')}", "FREEZE")

    def check_places(self) -> None:
        """See `Origin`."""
        if not self.geographic:
            message = "x and y, but roads need columns lat and lon"
            raise fault(self.table.head_place, message, "MISSING")


def sheet_of(item: Instance | InvalidInstance) -> Sheet | None:
    """The spreadsheet that an instance came as; None: it came as something else."""
    origin = item.origin if isinstance(item, Instance) else None
    return origin if isinstance(origin, Sheet) else None


def read_sheet(
    reader: ByteReader,
    name: str,
    options: SheetOptions,
    *,
    roads: bool = False,
    fleet: ByteReader | None = None,
) -> Instance:
    """One file of stops, and the fleet that the options name.

    Args:
        reader: At the header of the stops.
        name: Of the instance.
        options: What the file does not say.
        roads: Durations between latitudes and longitudes will come by road, in minutes.
        fleet: At the header of the vehicles, in place of a file that the options name.

    Raises:
        InstanceError: Something in the files is not what it should be; a line for each error.
        OutputError: The fleet cannot be read.
        MissingExtraError: A workbook needs the extra `sheets`.
    """
    words: Callable[[str], str] = in_keys if reader.sent else str
    message = ""
    try:
        tables = Tables(reader, options, fleet)
        table = tables.stops.table
        if heading_kind([table.header]) == "fleet":
            message = f"{table.head_place}: these are columns of vehicles; give a file of stops, "
            message += "and this one with --fleet\n"
        return _Build(tables, options, words, roads=roads).instance(name)
    except InstanceError as error:
        raise InstanceError(words(f"{message}{error}"), code=error.code) from None


def in_keys(message: str) -> str:
    """An error of spreadsheets in words of an object's keys, not of a command's flags."""
    return _FLAG.sub(lambda flag: flag[1].replace("-", "_"), _ROADS.sub("", message))


class _Build:
    def __init__(
        self, tables: Tables, options: SheetOptions, words: Callable[[str], str], *, roads: bool
    ) -> None:
        self._tables, self._options, self._words = tables, options, words
        self._stops, self._fleet, self._faults = tables.stops, tables.fleet, tables.faults
        self._notation, self._parts = tables.settled(), PlaceParts()
        try:
            self._terms = find_terms(self._stops, self._fleet, options, self._faults, roads=roads)
        except InstanceError as error:
            self._faults.add(error)
            self._faults.check()
            raise

    def instance(self, name: str) -> Instance:
        stops, fleet, terms, parts = self._stops, self._fleet, self._terms, self._parts
        read_stops(stops, terms, parts)
        self._add_depot()
        if fleet is not None:
            read_fleet(fleet, terms, parts)
        self._check()
        read_ties(stops, parts, has_fleet=fleet is not None)
        self._ask()
        self._faults.check()
        try:
            instance = build_instance(self._document(), ROOT, name)
        except InstanceError as error:
            message = parts.translated(str(error), stops.table.label)
            raise InstanceError(message, code=error.code) from None
        rows = [stop.row for stop in parts.stops]
        sheet = Sheet(
            stops.table,
            stops.readings,
            stops.columns.of,
            rows,
            self._names(instance, rows),
            [
                f"{place[0].table.place(place[1])} (depot)" if place else "the depot"
                for place in parts.rows["depots"]
            ],
            replace(self._notation, decimals=_MINUTE_DECIMALS if terms.geographic else None),
            terms.distance,
            terms.timed,
            [*map(self._words, (*self._tables.notes, *terms.notes, *self._notes()))],
            [self._words(read_as(each)) for each in self._tables.all],
        )
        return replace(instance, origin=sheet)

    def _add_depot(self) -> None:
        if self._options.depot is None:
            return
        for _, row in filter(None, self._parts.rows["depots"][:1]):
            message = "a depot in addition to --depot; give one or the other"
            self._stops.wrong(row, message, "type")
        self._parts.lists["depots"], self._parts.rows["depots"] = [], []
        first, second = self._options.depot
        x, y = (second, first) if self._terms.geographic else (first, second)
        self._parts.add("depots", {"x": x, "y": y})

    def _check(self) -> None:
        """Notes what is wrong with depots, with options, and with ids that are there twice."""
        depots, label = len(self._parts.lists["depots"]), self._stops.table.label
        if self._fleet is not None and self._options.capacity is not None:
            message = "given with --fleet; give the fleet a column capacity instead"
            self._faults.add(fault("--capacity", message, "CONFLICT"))
        if self._fleet is None and not depots:
            message = "no depot: give --depot, or a row of type depot"
            self._faults.add(fault(label, message, "UNKNOWN"))
        if self._fleet is None and depots > 1:
            message = f"{depots} depots: --fleet must say where vehicles start"
            self._faults.add(fault(label, message, "MISSING"))
        for key in ("customers", "depots", "vehicles"):
            first: dict[str, SheetRow] = {}
            for cells, row in filter(None, self._parts.rows[key]):
                if not (name := cells.text(row, "id")) or (
                    key == "depots" and cells != self._stops
                ):
                    continue
                if name in first:
                    message = f"duplicate id {describe(name)}, also in row {first[name].number}"
                    place = cells.table.place(row, cells.columns.of["id"])
                    self._faults.add(fault(place, message, "DUPLICATE"))
                first.setdefault(name, row)

    def _ask(self) -> None:
        """Notes a question about places and times that look like others."""
        terms = self._terms
        has_hours = terms.hour != 1.0 or terms.speed is not None
        if not terms.geographic and has_hours and (asked := ask_for_degrees(self._stops)):
            self._faults.add(asked)
        for cells in self._tables.all if terms.geographic and terms.timed else ():
            if asked := ask_for_colons(cells):
                self._faults.add(asked)

    def _document(self) -> Document:
        terms, lists = self._terms, self._parts.lists
        found: Document = {"customers": lists["customers"]}
        found |= {key: lists[key] for key in ("shipments", "groups", "relations") if lists[key]}
        if terms.geographic:
            found["metric"] = "haversine"
        if terms.hour != 1.0:  # of a vehicle whose own speed is 1 an hour
            found["speed"] = terms.distance / terms.hour
        if (balance := self._options.balance) is not None:
            a_unit = {"distance": terms.distance}
            found["balance"] = {key: price / a_unit.get(key, 1.0) for key, price in balance.items()}
        if self._fleet is not None:
            return {**found, "depots": lists["depots"], "vehicles": lists["vehicles"]}
        one: Document = {"speed": terms.speed}
        if (capacity := self._options.capacity) is not None:
            one["capacity"] = list(capacity) if terms.dimensions else capacity[0]
        vehicle = {key: value for key, value in one.items() if value is not None}
        by_type = terms.geographic or terms.hour != 1.0
        if capacity is None or by_type or self._has_more_than(capacity):
            cost = {} if terms.distance == 1.0 else {"distance_cost": 1.0 / terms.distance}
            found["vehicles"] = [{"id": "vehicle", **vehicle, **cost}]
            return {**found, "depots": lists["depots"]}
        (depot,) = lists["depots"]  # plain, where nothing else is asked for
        plain = depot.keys() <= {"id", "x", "y"}
        return {**found, **vehicle, "depot": [depot["x"], depot["y"]] if plain else depot}

    def _has_more_than(self, capacity: Sequence[float]) -> bool:
        """Return whether some order is more than a vehicle carries; the short form refuses it."""
        lists = self._parts.lists
        whole = [each for each in lists["customers"] if not each.get("split")]
        amounts = [each[key] for each in whole for key in ("demand", "pickup") if key in each]
        amounts += [each["amount"] for each in lists["shipments"]]
        return bool((np.reshape(amounts, (-1, len(capacity))) > capacity).any())

    def _names(self, instance: Instance, rows: Sequence[SheetRow]) -> dict[CustomerId, str]:
        """The names of stops that are not their ids."""
        named = (
            (id_, self._stops.text(row, "name"))
            for id_, row in zip(instance.ids, rows, strict=True)
        )
        return {id_: name for id_, name in named if name and name != str(id_)}

    def _notes(self) -> Iterator[str]:
        label, fleet = self._stops.table.label, self._fleet
        has_demand = self._stops.columns.has("demand") or self._stops.columns.has("pickup")
        has_capacity = fleet is not None and fleet.columns.has("capacity")
        if not has_demand and (self._options.capacity or has_capacity):
            yield f"{label}: no column demand, so capacities do not count"
        speeds = [fleet.text(row, "speed") for row in fleet.table.rows] if fleet else []
        if self._terms.by_road and fleet and any(speeds):
            message = "column speed is not used: matrices give the durations"
            yield f"{fleet.table.label}: {message}"
        calendar = self._notation.calendar
        if calendar is not None and (offset := calendar.form.offset):
            message = f"times have the offset {offset} from UTC; they are read as they are there"
            yield f"{label}: {message}, and answers have it, too"
        if not self._terms.timed:
            message = "nothing concerns time and no speed is given, so only lengths count"
            yield f"{label}: {message}"
