"""The columns of spreadsheets, by the names that people use."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from vrpcore.errors import InstanceError, describe, fault, show
from vrpcore.formats.json.key_schema import (
    MAX_LATITUDE,
    MAX_LONGITUDE,
    NUMBER,
    TEXT,
    Keys,
    Kind,
    check_number,
    list_of,
)
from vrpcore.formats.json.keys import BREAK, CUSTOMER, VEHICLE
from vrpcore.formats.sheets.clock import read_clock
from vrpcore.formats.sheets.dates import read_dated
from vrpcore.formats.sheets.languages import FLEET_ABROAD, STOPS_ABROAD
from vrpcore.formats.sheets.table import Faults, Table, head_text, split_head
from vrpcore.formats.sheets.units import (
    COORDINATE,
    LENGTH,
    PER_HOUR,
    PER_LENGTH,
    PER_TIME,
    SPAN,
    SPEED,
    TIME_OF_DAY,
    Quantity,
    Unit,
    without_units,
)
from vrpcore.formats.sheets.vocabulary import AMOUNTS, Field, Reads, Vocabulary, family, normal
from vrpcore.instance.attributes import Measure, attributes_of
from vrpcore.instance.constraints import Constraints
from vrpcore.instance.vehicle_types import VehicleType


def _field(
    reads: Reads,
    kind: Kind,
    also: str = "",
    quantity: Quantity | None = None,
    with_unit: tuple[str, ...] = (),
) -> Field:
    if quantity is None:
        quantity = {"time": TIME_OF_DAY, "window": TIME_OF_DAY, "span": SPAN}.get(reads)
    return Field(reads, kind, tuple(also.split()), quantity, with_unit)


# How a number is read; of other units, as it is.
_READS: Mapping[Measure, Reads] = {"time": "time", "span": "span", "count": "integer"}
_QUANTITIES: Mapping[Measure, Quantity] = {
    "length": LENGTH,
    "speed": SPEED,
    "per_length": PER_LENGTH,
    "per_time": PER_TIME,
}


def _declared(kind: type, keys: Keys) -> dict[str, Field]:
    """The columns of the numbers that stops or vehicle types have; `keys`: those of JSON."""
    return {
        each.column: _field(
            _READS.get(each.unit, "number"),
            keys[each.key].kind,
            each.headings,
            _QUANTITIES.get(each.unit),
            each.with_unit,
        )
        for each in attributes_of(kind)
        if each.column
    }


def _within(limit: float) -> Kind:
    def read(value: object, place: str) -> float:
        number = check_number(value, place)
        if abs(number) > limit:
            message = f"{show(number)}, expected -{limit} to {limit}"
            message += "; are lat and lon exchanged?" if limit == MAX_LATITUDE else ""
            raise fault(place, message, "OUT_OF_RANGE")
        return number

    return Kind({"type": "number", "minimum": -limit, "maximum": limit}, read)


_PLACE = {
    "lat": _field("number", _within(MAX_LATITUDE), "latitude"),
    "lon": _field("number", _within(MAX_LONGITUDE), "lng long longitude"),
    "x": _field("number", NUMBER, "xcoord xcoordinate easting", COORDINATE),
    "y": _field("number", NUMBER, "ycoord ycoordinate northing", COORDINATE),
}
_OPEN = "opens opening opensat openfrom opentime openingtime earliest earliesttime earlieststart "
_OPEN += "earliestarrival windowstart windowfrom windowopen timewindowstart timewindowfrom "
_OPEN += "timewindowopen twstart twopen twfrom "
_CLOSE = "closes closing closesat closetime closingtime opento openuntil latest latesttime "
_CLOSE += "latestarrival windowend windowto windowclose timewindowend timewindowto "
_CLOSE += "timewindowclose twend twclose twto "
_WINDOW = "hours timewindow timewindows tw"
RELOADS = list_of(TEXT, "ids of depots")
_STOPS: Mapping[str, Field] = {
    "id": _field(
        "text", TEXT,
        "stopid stopno stopnumber stopname customerid customerno customernumber orderid "
        "ordernumber orderno order customer custno custid clientid client siteid site jobid job "
        "no nr number reference ref stop customername",
    ),
    "name": _field(
        "text", TEXT,
        "placename locationname label title company companyname firm recipient consignee",
    ),
    **_PLACE,
    "demand": _field(
        "number", CUSTOMER["demand"].kind,
        "demands quantity qty amount load weight volume units size parcels packages pallets items "
        "boxes ordersize orderquantity orderqty orderweight ordervolume deliver delivery "
        "deliveries deliveryquantity deliveryqty deliverysize",
    ),
    "pickup": _field("number", CUSTOMER["pickup"].kind, "pickups collect collection returns"),
    "open": _field(
        "time", NUMBER,
        f"{_OPEN} ready readytime from fromtime timefrom after notbefore start starttime begin "
        "begintime arrivalfrom arriveafter arrivalstart deliverfrom deliveryfrom deliverystart "
        "deliverywindowstart deliverywindowfrom startwindow slotstart timeslotstart",
    ),
    "close": _field(
        "time", NUMBER,
        f"{_CLOSE} due duetime duedate duedatetime until to totime timeto timeuntil before "
        "notafter deadline end endtime arrivalto arrivaluntil arrivalend arriveby arrivebefore "
        "deliverto deliverby deliverbefore deliveryto deliveryby deliveryend deliverywindowend "
        "deliverywindowto endwindow slotend timeslotend lateststart",
    ),
    "window": _field(
        "window", TEXT,
        f"{_WINDOW} deliverywindow deliverytimewindow slot timeslot deliveryslot "
        "openinghours deliveryhours",
    ),
    **_declared(Constraints, CUSTOMER),
    "skills": _field("words", CUSTOMER["skills"].kind, "skill requires requirements needs"),
    "only_vehicle": _field("text", TEXT, "onlyvehicles"),
    "one_of": _field("text", TEXT, "alternativeof alternatives"),
    "before_stop": _field("text", TEXT, "beforestops"),
    "type": _field("text", TEXT, "kind stoptype"),
    "shipment": _field("text", TEXT, "shipmentid"),
}  # fmt: skip
_FLEET: Mapping[str, Field] = {
    "id": _field(
        "text", TEXT,
        "vehicleid vehicleno vehiclenumber vehiclename vehicle vehicletype van vanid vanname "
        "truckid truck name type",
    ),
    "count": _field("count", VEHICLE["count"].kind, "number available quantity qty vehicles"),
    "capacity": _field(
        "number", VEHICLE["capacity"].kind,
        "cap load maxload payload maxweight maxvolume volume weight maxcapacity vehiclecapacity",
    ),
    "initial_load": _field("number", VEHICLE["initial_load"].kind, "startload onboard"),
    "reload": _field("words", RELOADS, "reloads reloadat reloaddepot reloaddepots"),
    "lost": _field("text", TEXT, "brokendown"),
    "start": _field("text", TEXT, "startdepot depot from"),
    "end": _field("text", TEXT, "enddepot to"),
    **_PLACE,
    "open": _field(
        "time", NUMBER,
        f"{_OPEN} shiftstart shiftbegin shiftfrom shiftopen startshift starttime fromtime timefrom "
        "worksfrom workstart workbegin workfrom workingfrom workstarts availablefrom dutystart",
    ),
    "close": _field(
        "time", NUMBER,
        f"{_CLOSE} shiftend shiftto shiftuntil shiftclose endshift endtime totime timeto "
        "worksuntil worksto workend workto workuntil workinguntil workingto workends availableto "
        "availableuntil dutyend",
    ),
    "window": _field("window", TEXT, f"{_WINDOW} shift shifthours workinghours workhours"),
    **_declared(VehicleType, VEHICLE),
    "cost_per_hour": _field(
        "number", VEHICLE["duration_cost"].kind, "hourlycost perhour wage", PER_HOUR
    ),
    "break_start": _field(
        "time", NUMBER,
        "breakbegin breakfrom breakopen lunchstart lunchbegin lunchfrom pausestart pausebegin "
        "pausefrom",
    ),
    "break_end": _field(
        "time", NUMBER,
        "breakuntil breakto breakclose lunchend lunchuntil lunchto pauseend pauseuntil pauseto",
    ),
    "break_duration": _field(
        "span", BREAK["duration"].kind,
        "break breaklength lunch lunchbreak lunchduration pause pauseduration",
    ),
    "skills": _field("words", VEHICLE["skills"].kind, "skill equipment features"),
}  # fmt: skip
# An amount, or what is meant as one: `12`, `1.250,5`, `12 kg`.
_LIKE_AMOUNT = re.compile(r"[+-]?[\d\s.,'\u2019]*\d\s?[^\W\d_]{0,8}\.?")
STOPS, FLEET = Vocabulary(_STOPS, STOPS_ABROAD), Vocabulary(_FLEET, FLEET_ABROAD)

# What an answer adds behind the columns of the stops.
PLAN = (
    "instance", "route", "stop", "type", "vehicle", "customer", "arrival", "begin", "late",
    "departure", "return", "late_return", "start", "end", "distance", "duration", "overtime",
    "route_load", "route_cost", "status", "reason", "detail", "cost", "balance", "gap", "warnings",
    "code", "error",
)  # fmt: skip


def table_kind(head: bytes) -> Literal["stops", "fleet"] | None:
    """Tells by the columns whether a CSV file lists stops or vehicles; None: neither.

    Ids do not count: what a file calls its rows says least of what they are.

    Args:
        head: How it begins.
    """
    return heading_kind(split_head(head_text(head)).values())


def heading_kind(rows: Iterable[Sequence[str]]) -> Literal["stops", "fleet"] | None:
    """The same of a heading, or of the readings of one; see `table_kind`."""
    rows = list(rows)
    stops, fleet = (
        max(sum(kind.meaning(cell)[0] not in (None, "id") for cell in cells) for cells in rows)
        for kind in (STOPS, FLEET)
    )
    return None if stops == fleet == 0 else "fleet" if fleet > stops else "stops"


class Columns(NamedTuple):
    """Which column says what.

    Attributes:
        of: Column of each field; `open2` and `close2` are those of the second window, and so
            with breaks. Those of a window in one column are that column.
        endings: Units with which the names of fields end.
        amounts: Columns of amounts in several load dimensions, by field and name of the
            dimension.
        unused: Columns that mean nothing here.
        notes: What of them the author may have meant to be read, in words.
    """

    of: Mapping[str, int]
    endings: Mapping[str, Unit]
    amounts: Mapping[str, Mapping[str, int]]
    unused: Sequence[int]
    notes: Sequence[str]


def find_columns(
    table: Table, vocabulary: Vocabulary, faults: Faults, ignored: Collection[str] = ()
) -> Columns:
    """Finds out what the columns of a table mean.

    Args:
        table: With a header.
        vocabulary: `STOPS` or `FLEET`.
        faults: Takes it where two columns mean the same.
        ignored: Names of columns that are not to be read, as `normal` has them.
    """
    of: dict[str, int] = {}
    units: dict[str, Unit] = {}
    amounts: dict[str, dict[str, int]] = {}
    unused: list[int] = []
    spare: list[int] = []  # names of stops that have ids
    for column in vocabulary.by_rank(table.header):
        if normal(table.header[column]) in ignored:
            continue
        field, unit = vocabulary.meaning(table.header[column])
        load, dimension = _dimension(table.header[column], vocabulary.fields)
        if field is None and load is not None and _may_be_amounts(table, column):
            amounts.setdefault(load, {}).setdefault(dimension, column)
        elif field == "id" and field in of and normal(table.header[column]).endswith("name"):
            spare.append(column)
        elif field is None or (field in of and field in ("id", "name")):
            unused.append(column)
        else:
            parts = _parts(field)
            if taken := [each for each in parts if each in of]:
                faults.add(_twice(table, taken[0], of[taken[0]], column))
                continue
            of |= dict.fromkeys(parts, column)
            units |= dict.fromkeys(parts, unit) if unit else {}
    if "name" in vocabulary.fields:
        unused += _without_name(table, of, spare)
    for load in [each for each in amounts if each in of]:  # demand says it all
        unused += amounts.pop(load).values()
    unused = sorted(column for column in unused if table.header[column])
    notes = [note for column in unused if (note := vocabulary.meant(table, column, of))]
    return Columns(of, units, amounts, unused, notes)


def _without_name(table: Table, of: dict[str, int], spare: Sequence[int]) -> list[int]:
    """Takes the first of spare names where there is none, and numbers for none.

    Returns:
        Columns that are no names after all.
    """
    found = list(spare)
    if found and "name" not in of:
        of["name"] = found.pop(0)
    if "name" in of and _are_numbers(table, of["name"]):
        found.append(of.pop("name"))  # a number of something: `Nombre` in French
    return found


def _are_numbers(table: Table, column: int) -> bool:
    texts = [text for row in table.rows if (text := row.cells[column])]
    return bool(texts) and all(re.fullmatch(r"[\d\s.,]+", text) for text in texts)


def _may_be_amounts(table: Table, column: int) -> bool:
    """Whether a cell may be an amount, or all are empty; `pickup_time` and the like have none."""
    texts = [text for row in table.rows if (text := row.cells[column])]
    return not texts or any(
        _LIKE_AMOUNT.fullmatch(text) and not read_clock(text) and not read_dated(text)
        for text in texts
    )


def _parts(field: str) -> list[str]:
    """A field, and the two that a window in one column holds."""
    if family(field) != "window":
        return [field]
    number = field.removeprefix("window")
    return [f"open{number}", f"close{number}", field]


def _dimension(name: str, fields: Mapping[str, Field]) -> tuple[str | None, str]:
    """Field and load dimension of `demand_weight` or `demand1`; None for other names."""
    plain = re.sub(r"[\W_]+", "_", without_units(name)).strip("_").casefold()
    for load in AMOUNTS:
        found = re.fullmatch(rf"{load}(?:_(.+)|(\d+))", plain)
        if found and load in fields:
            return load, found[1] or found[2]
    return None, ""


def _twice(table: Table, field: str, first: int, second: int) -> InstanceError:
    message = f"{describe(table.header[first])} and {describe(table.header[second])} both mean "
    message += f"{field}; rename one of them"
    if field in AMOUNTS:
        message += f", or both: {field}_a and {field}_b are two load dimensions"
    if normal(table.header[first]) != normal(table.header[second]):
        message += f"; or leave one out: {ignore_columns(table, [second])}"
    return fault(table.head_place, message, "DUPLICATE_COLUMN")


def ignore_columns(table: Table, columns: Sequence[int]) -> str:
    """The option that leaves columns out, as it is written."""
    names = ",".join(re.sub(r"\s*,\s*", " ", table.shown[each]) for each in columns)
    return (
        f"--ignore-columns {names}"
        if re.fullmatch(r"[\w,]+", names)
        else f'--ignore-columns "{names}"'
    )
