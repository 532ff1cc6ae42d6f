"""Terms of all rows: axes, units and load dimensions, on which the tables must agree."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vrpcore.errors import fault
from vrpcore.formats.options import SheetOptions
from vrpcore.formats.sheets.cells import Cells
from vrpcore.formats.sheets.headings import AMOUNTS, OF_AMOUNTS, family
from vrpcore.formats.sheets.questions import no_places
from vrpcore.formats.sheets.ride_headings import ENDS
from vrpcore.formats.sheets.sheet_columns import ignore_columns
from vrpcore.formats.sheets.table import Faults, SheetRow
from vrpcore.formats.sheets.units import BRACKETS, SPEED, last_word, plain, without_units

METRES = 1000.0  # a kilometre
_MINUTES = 60.0  # an hour
_GEOGRAPHIC = ("lon", "lat")
_PLANE = ("x", "y")


class Terms(NamedTuple):
    """Terms that hold for all rows of the spreadsheets of an instance.

    Attributes:
        axes: The fields of x and y.
        dimensions: Names of the load dimensions; none: amounts are single numbers.
        distance: Units of the instance in one of the spreadsheets: 1000 metres a kilometre with
            latitudes and longitudes, else 1.
        hour: Units of time in an hour: 60 where the unit is the minute, else 1. With latitudes
            and longitudes it is 1 where nothing is said of time, so that only lengths count.
        speed: Of vehicles that say none: distance an hour.
        by_road: Durations come by road, so that no speed counts.
        notes: What the author should know of units, in words.
    """

    axes: tuple[str, str]
    dimensions: tuple[str, ...]
    distance: float
    hour: float
    speed: float | None
    by_road: bool
    notes: Sequence[str]

    @property
    def geographic(self) -> bool:
        """Return whether places are latitudes and longitudes."""
        return self.axes == _GEOGRAPHIC

    @property
    def timed(self) -> bool:
        """Return whether times mean something."""
        return not self.geographic or self.hour != 1.0


def find_terms(
    stops: Cells, fleet: Cells | None, options: SheetOptions, faults: Faults, *, roads: bool
) -> Terms:
    """Finds out what holds for all rows; what the tables do not agree on is noted.

    Raises:
        InstanceError: The stops have no places.
    """
    axes = _axes(stops, fleet, faults)
    geographic = axes == _GEOGRAPHIC
    minutes = geographic or stops.notation.has_colons
    tables = [each for each in (stops, fleet) if each is not None]
    notes = _agree_on_units(tables, faults, lengths=geographic, times=minutes)
    if (
        minutes
        and not roads
        and options.speed is None
        and not (fleet and fleet.columns.has("speed"))
    ):
        has_times = any(map(_concerns_time, tables)) or "duration" in (options.balance or {})
        minutes = has_times or not geographic
        message = "times are HH:MM, so x and y need a speed, in units of distance per hour"
        advice = "give --speed, or the fleet a column speed"
        if geographic:
            message = "lat and lon need a speed in km/h, for straight lines between the stops"
            advice += "; or roads with --matrix"
        if minutes:
            faults.add(fault(stops.table.label, f"{message}: {advice}", "MISSING"))
    by_road = geographic and roads
    return Terms(
        axes,
        _dimensions(stops, fleet, options, faults),
        METRES if geographic else 1.0,
        _MINUTES if minutes else 1.0,
        None if by_road else options.speed,
        by_road,
        notes,
    )


def _axes(stops: Cells, fleet: Cells | None, faults: Faults) -> tuple[str, str]:
    """The axes that the stops have; others of the fleet are noted."""
    ends = ("", *(f"{end}." for end in ENDS))  # of rides, each has both axes
    there = [
        axes
        for axes in (_GEOGRAPHIC, _PLANE)
        if any(all(stops.columns.has(f"{end}{axis}") for axis in axes) for end in ends)
    ]
    if len(there) > 1:
        message = "both lat and lon, and x and y; rename those that are not meant"
        raise fault(stops.table.head_place, message, "MISSING")
    if not there:
        raise no_places(stops)
    (axes,) = there
    if fleet is not None:
        place = fleet.table.head_place
        for name in filter(fleet.columns.has, _GEOGRAPHIC if axes == _PLANE else _PLANE):
            message = f"a column {name}, but the stops have {axes[0]} and {axes[1]}"
            faults.add(fault(place, message, "AMBIGUOUS"))
        own, missing = sorted(axes, key=fleet.columns.has, reverse=True)
        if fleet.columns.has(own) and not fleet.columns.has(missing):
            faults.add(fault(place, f"a column {own}, but no column {missing}", "MISSING"))
    return axes


def _agree_on_units(
    tables: Sequence[Cells], faults: Faults, *, lengths: bool, times: bool
) -> list[str]:
    """Sets the scales of columns by their units; where nothing is converted, all are alike.

    Lengths become kilometres, and times minutes, if so said.

    Returns:
        Which headings say the unit of others, in words.
    """
    kept = [what for what, real in (("length", lengths), ("time", times)) if not real]
    stated: dict[str, dict[str | None, str]] = {what: {} for what in kept}
    for cells in tables:
        fields = {column: field for field, column in cells.columns.of.items()}
        for column, field in sorted(fields.items()):
            if (quantity := cells.declared(field).quantity) is None:
                continue
            place = cells.table.place(SheetRow(cells.table.first_row, []), column)
            converted = bool((quantity.length and lengths) or (quantity.time and times))
            try:
                unit = cells.unit(field, converted=converted)
            except ValueError as error:
                faults.add(fault(place, str(error), "CELL"))
                continue
            if unit is not None:
                cells.scales[column] = quantity.factor(unit, lengths=lengths, times=times)
            for what in kept:
                if getattr(quantity, what):
                    stated[what].setdefault(getattr(unit, what, None), place)
    return [note for found in stated.values() for note in _alike(found, faults)]


def _alike(stated: dict[str | None, str], faults: Faults) -> Iterator[str]:
    """Notes that units differ; tells where one is that of columns without any, too.

    `stated` has a place with each unit, and one without.
    """
    bare = stated.pop(None, None)
    units = list(stated.items())
    if len(units) > 1:
        (first, there), (second, here) = units[:2]
        message = f"the unit {second}, but {first} in {there}"
        advice = "x and y have no units that these could become, so use one"
        faults.add(fault(here, f"{message}; {advice}", "CELL"))
    elif units and bare:
        ((unit, place),) = units
        yield f"{place}: the unit {unit}, so that of {bare}, too"


def _concerns_time(cells: Cells) -> bool:
    """Return whether some cell says something of time, other than a speed."""
    quantities = {field: cells.declared(field).quantity for field in cells.columns.of}
    fields = [field for field, own in quantities.items() if own and own.time and own != SPEED]
    return any(cells.text(row, field) for row in cells.table.rows for field in fields)


def _dimensions(
    stops: Cells, fleet: Cells | None, options: SheetOptions, faults: Faults
) -> tuple[str, ...]:
    """Names of the load dimensions, in the order of the demands' columns."""
    demands, pickups = map(stops.columns.dimensions, ("demand", "pickup"))
    capacities = {} if fleet is None else fleet.columns.dimensions("capacity")
    names = [*demands, *(each for each in pickups if each not in demands and each in capacities)]
    tables = [(stops, "demand"), (stops, "pickup")]
    tables += [] if fleet is None else [(fleet, "capacity"), (fleet, "initial_load")]
    for cells, field in tables:
        own = cells.columns.dimensions(field)
        if field in cells.columns.of and (names or capacities):
            message = f"a column {field}, but other amounts have names of load dimensions"
            advice = f"call it {field}_{names[0]}" if names else "name all or none"
            faults.add(fault(cells.table.head_place, f"{message}; {advice}", "SHAPE"))
        elif field == "capacity":
            missing = [(cells, f"capacity_{name}") for name in names if name not in own]
            missing += [(stops, f"demand_{name}") for name in own if name not in names]
            for where, column in missing:
                faults.add(fault(where.table.head_place, f"no column {column}", "SHAPE"))
        elif field != "demand":
            _check_names(names, cells, field, faults)
    if options.capacity is not None and len(options.capacity) != max(len(names), 1):
        message = f"{len(options.capacity)} numbers, but the stops have {len(names) or 1}"
        faults.add(fault("--capacity", f"{message} load dimensions", "SHAPE"))
    has_capacity = options.capacity is not None or (fleet and fleet.columns.has("capacity"))
    if any(map(stops.columns.has, ("demand", "pickup"))) and not has_capacity:
        message = "stops have demands, but vehicles no capacity"
        advice = f"give {'' if fleet else '--capacity, or '}the fleet a column capacity"
        faults.add(fault(stops.table.label, f"{message}: {advice}", "MISSING"))
    _compare_amounts(stops, fleet, names, faults)
    return tuple(names)


def _compare_amounts(
    stops: Cells, fleet: Cells | None, names: Sequence[str], faults: Faults
) -> None:
    """Notes headings of one load dimension that name different units, such as kg and t."""
    stated: dict[str, tuple[str, str]] = {}
    for cells in filter(None, (stops, fleet)):
        for field, column in cells.columns.of.items():
            title = cells.columns.titles[column]
            texts = [*BRACKETS.findall(title), last_word(without_units(title))]
            found = [unit for text in texts if (unit := OF_AMOUNTS.get(plain(text)))]
            if found and family(field) in AMOUNTS:
                place = cells.table.place(SheetRow(cells.table.first_row, []), column)
                load = field.removeprefix(f"{family(field)}_") if names else ""
                first, there = stated.setdefault(load, (found[0], place))
                if found[0] != first:
                    message = f"amounts in {found[0]}, but in {first} in {there}; convert one of"
                    faults.add(fault(place, f"{message} them, and call both alike", "CELL"))


def _check_names(names: Sequence[str], cells: Cells, field: str, faults: Faults) -> None:
    """Notes columns of a field whose load dimension no demand has; a single one may have none."""
    own = cells.columns.dimensions(field)
    if not names and len(own) == 1 and all(map(cells.vocabulary.is_amount, own)):
        return
    for name, column in own.items():
        if name not in names and any(row.cells[column] for row in cells.table.rows):
            message = f"a column {field}_{name}, but no column demand_{name}; call it "
            message += f"{field}_{names[0]}" if names else field
            message += f", or say {ignore_columns([cells.table.shown[column]])} if it is no amount"
            faults.add(fault(cells.table.head_place, message, "SHAPE"))
