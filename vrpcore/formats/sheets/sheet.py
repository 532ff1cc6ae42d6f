"""Stops and vehicles from spreadsheets to one instance, by way of a JSON document."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.files import ByteReader
from vrpcore.formats.json.plain_json import build_instance
from vrpcore.formats.sheets.cells import Cells, Notation, Reading
from vrpcore.formats.sheets.column_file import read_as
from vrpcore.formats.sheets.questions import ask_for_colons, ask_for_degrees
from vrpcore.formats.sheets.sheet_columns import heading_kind
from vrpcore.formats.sheets.sheet_options import SheetOptions
from vrpcore.formats.sheets.sheet_places import ROOT, Places
from vrpcore.formats.sheets.sheet_tables import Tables, open_tables
from vrpcore.formats.sheets.stops import Document, Stops, read_stops
from vrpcore.formats.sheets.table import Row, Table
from vrpcore.formats.sheets.terms import METRES, Terms, find_terms
from vrpcore.formats.sheets.ties import Ties, read_ties
from vrpcore.formats.sheets.vehicles import Fleet, read_fleet
from vrpcore.instance.instance import CustomerId, Instance, InvalidInstance
from vrpcore.instance.origin import InKind, Origin

_MINUTE_DECIMALS = 1  # of times that are minutes


@dataclass(frozen=True, slots=True)
class Sheet(Origin):
    """The spreadsheet that an instance comes from, to answer in kind.

    Attributes:
        table: Of the stops.
        marked: Answers in CSV begin with a byte order mark.
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
    table: Table
    marked: bool
    readings: Mapping[int, Reading]
    columns: Mapping[str, int]
    rows: Sequence[Row]
    called: Mapping[CustomerId, str]
    depots: Sequence[str]
    notation: Notation
    distance: float
    timed: bool
    notes: Sequence[str]
    read_as: Sequence[str]

    @property
    def geographic(self) -> bool:
        """Whether it has latitudes and longitudes, so that its times are minutes."""
        return self.distance == METRES

    @property
    def in_minutes(self) -> bool:
        """Whether the unit of its times is the minute."""
        return self.timed and (self.geographic or self.notation.has_colons)

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
        return f"{value:g} min" if self.in_minutes else f"{value:g}"

    def check_places(self) -> None:
        """See `Origin`."""
        if not self.geographic:
            message = "x and y, but roads need columns lat and lon"
            raise fault(self.table.head_place, message, "NO_PLACES")


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
    tables = open_tables(reader, options, fleet)
    try:
        return _Build(tables, options, roads=roads).instance(name)
    except InstanceError as error:
        header = tables.stops.table.header
        if heading_kind([header]) != "fleet":
            raise
        message = "these are columns of vehicles; give a file of stops, and this one with --fleet"
        place = tables.stops.table.head_place
        raise InstanceError(f"{place}: {message}\n{error}", code=error.code) from None


class _Build:
    """Puts the tables together."""

    def __init__(self, tables: Tables, options: SheetOptions, *, roads: bool) -> None:
        self._tables, self._options, self._roads = tables, options, roads
        self._stops, self._fleet, self._faults = tables.stops, tables.fleet, tables.faults
        self._notation = tables.settled(options)

    def instance(self, name: str) -> Instance:
        try:
            terms = find_terms(
                self._stops, self._fleet, self._options, self._faults, roads=self._roads
            )
        except InstanceError as error:
            self._faults.add(error)
            self._faults.check()
            raise
        stops = read_stops(self._stops, terms)
        depots = self._depots(stops, terms)
        fleet = Fleet([], [], [], [])
        if self._fleet is not None:
            fleet = read_fleet(self._fleet, terms, depots)
        self._check_depots([*depots, *fleet.depots])
        self._check_ids(stops, fleet)
        ties = read_ties(self._stops, stops, None if self._fleet is None else fleet.vehicles)
        self._ask(terms)
        self._faults.check()
        document = self._document(terms, stops, [*depots, *fleet.depots], fleet)
        tied = {"groups": ties.groups, "relations": ties.relations}
        document |= {key: value for key, value in tied.items() if value}
        try:
            instance = build_instance(document, ROOT, name)
        except InstanceError as error:
            message = self._places(stops, fleet, ties).translated(str(error))
            raise InstanceError(message, code=error.code) from None
        sheet = Sheet(
            self._stops.table,
            self._tables.marked,
            self._stops.readings,
            self._stops.columns.of,
            stops.rows,
            self._names(instance, stops),
            self._depot_places(stops, fleet),
            replace(self._notation, decimals=_MINUTE_DECIMALS if terms.geographic else None),
            terms.distance,
            terms.timed,
            [*self._tables.notes, *self._notes(terms)],
            [*map(read_as, self._tables.cells)],
        )
        return replace(instance, origin=sheet)

    def _ask(self, terms: Terms) -> None:
        """Notes a question about times that look like others."""
        has_hours = terms.hour != 1.0 or terms.speed is not None
        if not terms.geographic and has_hours and (asked := ask_for_degrees(self._stops)):
            self._faults.add(asked)
        for cells in self._tables.cells if terms.geographic and terms.timed else ():
            if asked := ask_for_colons(cells):
                self._faults.add(asked)

    def _depots(self, stops: Stops, terms: Terms) -> list[Document]:
        """Those of the stops, or the one that an option says."""
        if self._options.depot is None:
            return stops.depots
        for row in stops.depot_rows[:1]:
            self._stops.wrong(row, "a depot in addition to --depot; give one or the other", "type")
        first, second = self._options.depot
        x, y = (second, first) if terms.geographic else (first, second)
        return [{"x": x, "y": y}]

    def _check_depots(self, depots: Sequence[Document]) -> None:
        label, options = self._stops.table.label, self._options
        if not depots and self._fleet is None:
            message = "no depot: give --depot, or a row of type depot"
            self._faults.add(fault(label, message, "NO_DEPOT"))
        if len(depots) > 1 and self._fleet is None:
            message = f"{len(depots)} depots: --fleet must say where vehicles start"
            self._faults.add(fault(label, message, "NO_FLEET"))
        if options.capacity is not None and self._fleet is not None:
            message = "given with --fleet, which has a column for it"
            self._faults.add(fault("--capacity", message, "CONFLICTING_OPTIONS"))

    def _document(
        self, terms: Terms, stops: Stops, depots: Sequence[Document], fleet: Fleet
    ) -> Document:
        found: Document = {"customers": stops.customers}
        if terms.geographic:
            found["metric"] = "haversine"
        if terms.hour != 1.0:  # of a vehicle whose own speed is 1 an hour
            found["speed"] = terms.distance / terms.hour
        if stops.shipments:
            found["shipments"] = stops.shipments
        if (balance := self._options.balance) is not None:
            a_unit = {"distance": terms.distance}
            found["balance"] = {key: price / a_unit.get(key, 1.0) for key, price in balance.items()}
        if self._fleet is not None:
            return {**found, "depots": depots, "vehicles": fleet.vehicles}
        capacity = self._options.capacity
        if not terms.geographic and terms.hour == 1.0 and capacity is not None:
            return {**found, **self._short_form(terms, depots[0], capacity)}
        vehicle: Document = {"id": "vehicle"}
        if capacity is not None:
            vehicle["capacity"] = _amount(capacity, terms)
        if terms.speed is not None:
            vehicle["speed"] = terms.speed
        if terms.distance != 1.0:
            vehicle["distance_cost"] = 1.0 / terms.distance
        return {**found, "depots": depots, "vehicles": [vehicle]}

    def _short_form(self, terms: Terms, depot: Document, capacity: tuple[float, ...]) -> Document:
        """One capacity; plain, where nothing else is asked for."""
        found: Document = {"capacity": _amount(capacity, terms)}
        if terms.speed is not None:
            found["speed"] = terms.speed
        plain = depot.keys() <= {"id", "x", "y"}
        return {**found, "depot": [depot["x"], depot["y"]] if plain else depot}

    def _places(self, stops: Stops, fleet: Fleet, ties: Ties) -> Places:
        rows: dict[str, list[tuple[Cells, Row] | None]] = {
            "customers": [(self._stops, row) for row in stops.customer_rows],
            "shipments": [(self._stops, pair[0]) for pair in stops.shipment_rows],
            "depots": [(self._stops, row) for row in stops.depot_rows],
            "groups": [(self._stops, row) for row in ties.group_rows],
            "relations": [(self._stops, row) for row in ties.relation_rows],
        }
        if self._options.depot is not None:
            rows["depots"] = [None]
        if self._fleet is not None:
            rows["depots"] += [(self._fleet, row) for row in fleet.depot_rows]
            rows["vehicles"] = [(self._fleet, row) for row in fleet.rows]
        options = {key: f"--{key}" for key in ("capacity", "depot", "speed", "balance")}
        return Places(rows, options, self._stops.table.label)

    def _names(self, instance: Instance, stops: Stops) -> dict[CustomerId, str]:
        """The names of stops that are not their ids."""
        cells = (
            (id_, self._stops.text(row, "name"))
            for id_, row in zip(instance.ids, stops.rows, strict=True)
        )
        return {id_: name for id_, name in cells if name and name != str(id_)}

    def _depot_places(self, stops: Stops, fleet: Fleet) -> list[str]:
        found = [f"{self._stops.table.place(row)} (depot)" for row in stops.depot_rows]
        if self._options.depot is not None:
            found = ["the depot"]
        if self._fleet is not None:
            found += [f"{self._fleet.table.place(row)} (depot)" for row in fleet.depot_rows]
        return found

    def _notes(self, terms: Terms) -> list[str]:
        """What the author of the tables should know."""
        notes = [*terms.notes]
        amounts = {"demand", "pickup"} & {*self._stops.columns.of, *self._stops.columns.amounts}
        if not amounts and (self._options.capacity or self._capacity_column()):
            notes.append(f"{self._stops.table.label}: no column demand, so capacities do not count")
        if terms.by_road and self._fleet is not None:
            speeds = (self._fleet.text(row, "speed") for row in self._fleet.table.rows)
            if any(speeds):
                label = self._fleet.table.label
                notes.append(f"{label}: column speed is not used: matrices give the durations")
        calendar = self._notation.calendar
        if calendar is not None and (offset := calendar.form.offset):
            message = f"times have the offset {offset} from UTC; they are read as they are there"
            notes.append(f"{self._stops.table.label}: {message}, and answers have it, too")
        if not terms.timed:
            message = "nothing concerns time and no speed is given, so only lengths count"
            notes.append(f"{self._stops.table.label}: {message}")
        return notes

    def _check_ids(self, stops: Stops, fleet: Fleet) -> None:
        """Notes ids that are there twice."""
        kinds = [(self._stops, stops.customer_rows), (self._stops, stops.depot_rows)]
        kinds += [] if self._fleet is None else [(self._fleet, fleet.rows)]
        for cells, rows in kinds:
            first: dict[str, Row] = {}
            for row in rows:
                if not (name := cells.text(row, "id")):
                    continue
                if name in first:
                    message = f"duplicate id {describe(name)}, also in row {first[name].number}"
                    place = cells.table.place(row, cells.columns.of["id"])
                    self._faults.add(fault(place, message, "DUPLICATE_ID"))
                first.setdefault(name, row)

    def _capacity_column(self) -> bool:
        return self._fleet is not None and "capacity" in {
            *self._fleet.columns.of,
            *self._fleet.columns.amounts,
        }


def _amount(capacity: tuple[float, ...], terms: Terms) -> object:
    return list(capacity) if terms.dimensions else capacity[0]
