"""The columns of spreadsheets, by the names that people use."""

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from vrpcore.errors import SHOWN_CHARACTERS, InstanceError, describe, fault
from vrpcore.formats.keys import BREAK, CUSTOMER, VEHICLE
from vrpcore.formats.schema import NUMBER, TEXT, Kind
from vrpcore.formats.sheets.table import Faults, Table
from vrpcore.instance.constraints import MAX_BREAKS, MAX_WINDOWS

Reads = Literal["text", "number", "integer", "time", "span", "words", "count"]

_NEAR = 0.8  # how alike names are that may be meant
_LEAST_NEAR = 4  # letters
_UNIT = re.compile(r"[(\[].*?[)\]]")
_NUMBERED = re.compile(r"(\D+?)(\d{1,2})(\D*)")


class Field(NamedTuple):
    """What a column may hold.

    Attributes:
        reads: How its cells are read; `span` is a length of time.
        kind: What JSON's key of the same meaning may hold.
        also: Other names, without blanks. Of several for an id, the first is meant.
    """

    reads: Reads
    kind: Kind
    also: tuple[str, ...] = ()


def _field(reads: Reads, kind: Kind, also: str = "") -> Field:
    return Field(reads, kind, tuple(also.split()))


_PLACE = {
    "lat": _field("number", NUMBER, "latitude"),
    "lon": _field("number", NUMBER, "lng long longitude"),
    "x": _field("number", NUMBER, "xcoord xcoordinate easting"),
    "y": _field("number", NUMBER, "ycoord ycoordinate northing"),
}
_OPEN = "opens opening opensat openfrom ready readytime earliest from after notbefore windowstart "
_OPEN += "windowopen timewindowstart twstart timefrom"
_CLOSE = "closes closing closesat opento openuntil due duetime duedate latest until to before "
_CLOSE += "notafter deadline windowend windowclose timewindowend twend timeto"
STOPS: Mapping[str, Field] = {
    "id": _field(
        "text", TEXT,
        "stopid customerid orderid ordernumber orderno order customer custno no nr number "
        "reference ref",
    ),
    **_PLACE,
    "demand": _field(
        "number", CUSTOMER["demand"].kind,
        "demands quantity qty amount load weight volume units size parcels packages pallets items "
        "deliver delivery deliveries",
    ),
    "pickup": _field("number", CUSTOMER["pickup"].kind, "pickups collect collection returns"),
    "open": _field("time", NUMBER, f"{_OPEN} start starttime begin"),
    "close": _field("time", NUMBER, f"{_CLOSE} end endtime"),
    "service": _field(
        "span", CUSTOMER["service"].kind,
        "servicetime serviceduration servicemin serviceminutes stoptime dwell dwelltime handling "
        "handlingtime unloading unloadingtime duration",
    ),
    "release": _field("time", NUMBER, "releasetime available availablefrom"),
    "prize": _field("number", CUSTOMER["prize"].kind, "reward penalty profit"),
    "priority": _field("integer", CUSTOMER["priority"].kind, "prio importance"),
    "skills": _field("words", CUSTOMER["skills"].kind, "skill requires requirements needs"),
    "type": _field("text", TEXT, "kind stoptype"),
    "shipment": _field("text", TEXT, "shipmentid"),
}  # fmt: skip
FLEET: Mapping[str, Field] = {
    "id": _field(
        "text", TEXT,
        "vehicleid vehicle vehicletype van vanid truck name type",
    ),
    "count": _field("count", VEHICLE["count"].kind, "number available quantity qty vehicles"),
    "capacity": _field(
        "number", VEHICLE["capacity"].kind, "cap load maxload payload maxweight volume weight"
    ),
    "start": _field("text", TEXT, "startdepot depot from"),
    "end": _field("text", TEXT, "enddepot to"),
    **_PLACE,
    "open": _field("time", NUMBER, "shiftstart shiftbegin starttime earliest worksfrom"),
    "close": _field("time", NUMBER, "shiftend endtime latest worksuntil"),
    "speed": _field("number", VEHICLE["speed"].kind, "speedkmh kmh averagespeed"),
    "fixed_cost": _field("number", VEHICLE["fixed_cost"].kind, "fixed costfixed costperday"),
    "distance_cost": _field(
        "number", VEHICLE["distance_cost"].kind, "costdistance costperkm kmcost perkm"
    ),
    "duration_cost": _field("number", VEHICLE["duration_cost"].kind, "costduration costpermin"),
    "cost_per_hour": _field("number", VEHICLE["duration_cost"].kind, "hourlycost perhour wage"),
    "travel_cost": _field("number", VEHICLE["travel_cost"].kind, "costtravel"),
    "max_duration": _field("span", VEHICLE["max_duration"].kind, "maxtime maxshift"),
    "max_travel_time": _field("span", VEHICLE["max_travel_time"].kind, "maxdrivingtime maxdriving"),
    "max_distance": _field("number", VEHICLE["max_distance"].kind, "maxkm range"),
    "max_stops": _field(
        "integer", VEHICLE["max_customers"].kind, "maxcustomers maxorders maxtasks"
    ),
    "break_start": _field("time", NUMBER, "breakbegin breakfrom breakopen lunchstart pausestart"),
    "break_end": _field("time", NUMBER, "breakuntil breakto breakclose lunchend pauseend"),
    "break_duration": _field(
        "span", BREAK["duration"].kind,
        "break breaklength breakmin breakminutes lunch lunchbreak lunchduration pause "
        "pauseduration",
    ),
    "skills": _field("words", VEHICLE["skills"].kind, "skill equipment features"),
}  # fmt: skip
# Fields that there may be several of, by number.
_SEVERAL = {
    "open": MAX_WINDOWS, "close": MAX_WINDOWS,
    "break_start": MAX_BREAKS, "break_end": MAX_BREAKS, "break_duration": MAX_BREAKS,
}  # fmt: skip
_AMOUNTS = ("demand", "pickup", "capacity")


class Columns(NamedTuple):
    """Which column says what.

    Attributes:
        of: Column of each field; `open2` and `close2` are those of the second window, and so
            with breaks.
        amounts: Columns of amounts in several load dimensions, by field and name of the
            dimension.
        unused: Columns that mean nothing here.
        notes: What of them the author may have meant to be read, in words.
    """

    of: Mapping[str, int]
    amounts: Mapping[str, Mapping[str, int]]
    unused: Sequence[int]
    notes: Sequence[str]


def normal(name: str) -> str:
    """A name without units in brackets, case, blanks and punctuation."""
    return re.sub(r"[\W_]", "", _UNIT.sub("", name)).casefold()


def known(cells: Sequence[str], fields: Mapping[str, Field]) -> int:
    """How many of these names mean something."""
    names = _names(fields)
    return sum(normal(cell) in names for cell in cells)


def find_columns(table: Table, fields: Mapping[str, Field], faults: Faults) -> Columns:
    """Finds out what the columns of a table mean.

    Args:
        table: With a header.
        fields: Those that it may have.
        faults: Takes it where two columns mean the same.
    """
    names = _names(fields)
    of: dict[str, int] = {}
    amounts: dict[str, dict[str, int]] = {}
    unused: list[int] = []
    for column in _by_rank(table, names):
        name = table.header[column]
        field = names.get(normal(name)) or _numbered(normal(name), names)
        family, dimension = _dimension(name, fields)
        if field is None and family is not None:
            amounts.setdefault(family, {}).setdefault(dimension, column)
        elif field is None or (field in of and field == "id"):
            unused.append(column)
        elif field in of:
            faults.add(_twice(table, field, of[field], column))
        else:
            of[field] = column
    for family in [each for each in amounts if each in of]:  # demand says it all
        unused += amounts.pop(family).values()
    unused = sorted(column for column in unused if table.header[column])
    notes = [note for column in unused if (note := _meant(table, column, names))]
    return Columns(of, amounts, unused, notes)


def _names(fields: Mapping[str, Field]) -> dict[str, str]:
    """Field of each name as `normal` makes it."""
    found = {normal(field): field for field in fields}
    for field, declared in fields.items():
        for also in declared.also:
            found.setdefault(also, field)
    return found


def _by_rank(table: Table, names: Mapping[str, str]) -> list[int]:
    """Columns in the order in which their names are preferred."""
    ranks = {name: rank for rank, name in enumerate(names)}
    return sorted(
        range(len(table.header)), key=lambda column: ranks.get(normal(table.header[column]), -1)
    )


def _numbered(name: str, names: Mapping[str, str]) -> str | None:
    """`open2` for `open2` and `break_start2` for `break2start`; None for other names."""
    found = _NUMBERED.fullmatch(name)
    field = names.get(found[1] + found[3]) if found else None
    if found is None or field is None or not 1 <= int(found[2]) <= _SEVERAL.get(field, 0):
        return None
    return numbered(field, int(found[2]))


def numbered(field: str, number: int) -> str:
    """What `Columns.of` calls the field of the first, second, ... window or break."""
    return field if number == 1 else f"{field}{number}"


def _dimension(name: str, fields: Mapping[str, Field]) -> tuple[str | None, str]:
    """Field and load dimension of `demand_weight` or `demand1`; None for other names."""
    plain = re.sub(r"[\W_]+", "_", _UNIT.sub("", name)).strip("_").casefold()
    for family in _AMOUNTS:
        found = re.fullmatch(rf"{family}(?:_(.+)|(\d+))", plain)
        if found and family in fields:
            return family, found[1] or found[2]
    return None, ""


def _twice(table: Table, field: str, first: int, second: int) -> InstanceError:
    message = f"{describe(table.header[first])} and {describe(table.header[second])} both mean "
    message += f"{field}; rename one of them"
    if field in _AMOUNTS:
        message += f", or both: {field}_a and {field}_b are two load dimensions"
    return fault(table.head_place, message, "DUPLICATE_COLUMN")


def _meant(table: Table, column: int, names: Mapping[str, str]) -> str | None:
    """A question, where a name that means nothing looks like one that does."""
    text = normal(table.header[column])
    if len(text) < _LEAST_NEAR:
        return None
    near = difflib.get_close_matches(text[:SHOWN_CHARACTERS], names, n=1, cutoff=_NEAR)
    if not near:
        return None
    found = describe(table.header[column])
    return f"{table.label}: column {found} means nothing here; did you mean {names[near[0]]}?"
