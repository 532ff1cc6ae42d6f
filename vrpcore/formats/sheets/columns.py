"""The columns of spreadsheets, by the names that people use."""

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from vrpcore.errors import SHOWN_CHARACTERS, InstanceError, describe, fault, show
from vrpcore.formats.keys import BREAK, CUSTOMER, VEHICLE
from vrpcore.formats.schema import (
    MAX_LATITUDE,
    MAX_LONGITUDE,
    NUMBER,
    TEXT,
    Kind,
    check_number,
)
from vrpcore.formats.sheets.table import Faults, Table
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
    endings,
    plain,
    without_units,
)

Reads = Literal["text", "number", "integer", "time", "span", "words", "count", "window"]

_NEAR = 0.8  # how alike names are that may be meant
_LEAST_NEAR = 4  # letters
_NUMBERED = re.compile(r"(\D+?)(\d{1,2})(\D*)")


class Field(NamedTuple):
    """What a column may hold.

    Attributes:
        reads: How its cells are read; `span` is a length of time.
        kind: What JSON's key of the same meaning may hold.
        also: Other names, without blanks. Of several for an id, the first is meant.
        quantity: What its numbers measure; None: they have no unit.
        with_unit: Names that mean it where a unit follows.
    """

    reads: Reads
    kind: Kind
    also: tuple[str, ...] = ()
    quantity: Quantity | None = None
    with_unit: tuple[str, ...] = ()


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


def _within(limit: float) -> Kind:
    def read(value: object, place: str) -> float:
        number = check_number(value, place)
        if abs(number) > limit:
            message = f"{show(number)}, expected -{limit} to {limit}"
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
_CLOSE += "lateststart latestarrival windowend windowto windowclose timewindowend timewindowto "
_CLOSE += "timewindowclose twend twclose twto "
_WINDOW = "hours timewindow timewindows tw"
_STOPS: Mapping[str, Field] = {
    "id": _field(
        "text", TEXT,
        "stopid stopno stopnumber stopname customerid customerno customernumber orderid "
        "ordernumber orderno order customer custno custid clientid client siteid site jobid job "
        "no nr number reference ref stop customername",
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
        "deliverywindowto endwindow slotend timeslotend",
    ),
    "window": _field(
        "window", TEXT,
        f"{_WINDOW} deliverywindow deliverytimewindow slot timeslot deliveryslot "
        "openinghours deliveryhours",
    ),
    "service": _field(
        "span", CUSTOMER["service"].kind,
        "servicetime serviceduration stoptime stopduration dwell dwelltime handling handlingtime "
        "unloading unloadingtime duration",
    ),
    "release": _field("time", NUMBER, "releasetime available availablefrom"),
    "prize": _field("number", CUSTOMER["prize"].kind, "reward penalty profit"),
    "priority": _field("integer", CUSTOMER["priority"].kind, "prio importance"),
    "skills": _field("words", CUSTOMER["skills"].kind, "skill requires requirements needs"),
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
    "speed": _field("number", VEHICLE["speed"].kind, "averagespeed avgspeed", SPEED, ("",)),
    "fixed_cost": _field("number", VEHICLE["fixed_cost"].kind, "fixed costfixed costperday"),
    "distance_cost": _field(
        "number", VEHICLE["distance_cost"].kind, "costdistance kmcost", PER_LENGTH, ("cost", "per")
    ),
    "duration_cost": _field(
        "number", VEHICLE["duration_cost"].kind, "costduration", PER_TIME, ("cost",)
    ),
    "cost_per_hour": _field(
        "number", VEHICLE["duration_cost"].kind, "hourlycost perhour wage", PER_HOUR
    ),
    "travel_cost": _field("number", VEHICLE["travel_cost"].kind, "costtravel", PER_TIME),
    "max_duration": _field("span", VEHICLE["max_duration"].kind, "maxtime maxshift"),
    "max_travel_time": _field("span", VEHICLE["max_travel_time"].kind, "maxdrivingtime maxdriving"),
    "max_distance": _field(
        "number", VEHICLE["max_distance"].kind, "range maxrange", LENGTH, ("max",)
    ),
    "max_stops": _field(
        "integer", VEHICLE["max_customers"].kind,
        "maxcustomers maxorders maxtasks maxdeliveries maxnumberofstops stoplimit",
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
MAX_NUMBERED = 10  # windows of a row, or breaks: tables with more columns are hardly filled in
# Fields that there may be several of, by number.
_SEVERAL = dict.fromkeys(
    ("open", "close", "window", "break_start", "break_end", "break_duration"), MAX_NUMBERED
)
_AMOUNTS = ("demand", "pickup", "capacity")


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


def normal(name: str) -> str:
    """A name without units in brackets, case, blanks and punctuation."""
    return plain(without_units(name))


def family(field: str) -> str:
    """`open` for `open2`: the field as it is declared."""
    return field.rstrip("0123456789")


def find_columns(table: Table, vocabulary: "Vocabulary", faults: Faults) -> Columns:
    """Finds out what the columns of a table mean.

    Args:
        table: With a header.
        vocabulary: `STOPS` or `FLEET`.
        faults: Takes it where two columns mean the same.
    """
    of: dict[str, int] = {}
    units: dict[str, Unit] = {}
    amounts: dict[str, dict[str, int]] = {}
    unused: list[int] = []
    for column in vocabulary.by_rank(table.header):
        field, unit = vocabulary.meaning(table.header[column])
        load, dimension = _dimension(table.header[column], vocabulary.fields)
        if field is None and load is not None:
            amounts.setdefault(load, {}).setdefault(dimension, column)
        elif field is None or (field in of and field == "id"):
            unused.append(column)
        else:
            parts = _parts(field)
            if taken := [each for each in parts if each in of]:
                faults.add(_twice(table, taken[0], of[taken[0]], column))
                continue
            of |= dict.fromkeys(parts, column)
            units |= dict.fromkeys(parts, unit) if unit else {}
    for load in [each for each in amounts if each in of]:  # demand says it all
        unused += amounts.pop(load).values()
    unused = sorted(column for column in unused if table.header[column])
    notes = [note for column in unused if (note := vocabulary.meant(table, column, of))]
    return Columns(of, units, amounts, unused, notes)


def _parts(field: str) -> list[str]:
    """A field, and the two that a window in one column holds."""
    if family(field) != "window":
        return [field]
    number = field.removeprefix("window")
    return [f"open{number}", f"close{number}", field]


class Vocabulary:
    """What names mean in one kind of table.

    Attributes:
        fields: Those that there may be, by name.
    """

    def __init__(self, fields: Mapping[str, Field]) -> None:
        self.fields = fields
        self._names = {normal(field): field for field in fields}
        for field, declared in fields.items():
            for also in declared.also:
                self._names.setdefault(also, field)
        self._before_units = {name: [field] for name, field in self._names.items()}
        for field, declared in fields.items():
            for name in declared.with_unit:
                self._before_units.setdefault(name, []).append(field)

    def known(self, cells: Sequence[str]) -> int:
        """How many of these names mean something."""
        return sum(self.meaning(cell)[0] is not None for cell in cells)

    def by_rank(self, header: Sequence[str]) -> list[int]:
        """Columns in the order in which their names are preferred."""
        ranks = {name: rank for rank, name in enumerate(self._names)}
        return sorted(range(len(header)), key=lambda column: ranks.get(normal(header[column]), -1))

    def meaning(self, name: str) -> tuple[str | None, Unit | None]:
        """The field that a name means, and the unit with which it ends; None: no such."""
        text = normal(name)
        whole = self._names.get(text) or self._numbered(text)
        for stem, unit in endings(without_units(name)):
            apart = len(text) == len(stem) + 1  # `open_s`, which is not `opens`
            if (apart or not whole) and (field := self._with_unit(stem, unit)):
                return field, unit
        return whole, None

    def _numbered(self, name: str) -> str | None:
        """`open2` for `open2` and `break_start2` for `break2start`; None for other names."""
        found = _NUMBERED.fullmatch(name)
        field = self._names.get(found[1] + found[3]) if found else None
        if found is None or field is None or not 1 <= int(found[2]) <= _SEVERAL.get(field, 0):
            return None
        return numbered(field, int(found[2]))

    def _with_unit(self, stem: str, unit: Unit) -> str | None:
        """The field that a name means before such a unit: `service` minutes, `cost per` km."""
        for name in dict.fromkeys((stem, stem.removesuffix("per"))):
            fields = self._before_units.get(name, [])
            fields = [*fields, field] if (field := self._numbered(name)) else fields
            for field in fields:
                quantity = self.fields[family(field)].quantity
                if quantity and quantity.takes(unit) and (name == stem or quantity.rate):
                    return field
        return None

    def meant(self, table: Table, column: int, of: Mapping[str, int]) -> str | None:
        """A question, where a name that means nothing looks like one that does, and is not read."""
        name = table.header[column][:SHOWN_CHARACTERS]
        text, field = normal(name), None
        if len(text) < _LEAST_NEAR:
            return None
        if near := difflib.get_close_matches(text, self._names, n=1, cutoff=_NEAR):
            field = self._names[near[0]]
        else:
            words = re.split(r"[\W_]+", without_units(name).casefold())
            fields = (self._names.get(word) for word in words if len(word) >= _LEAST_NEAR)
            field = next((each for each in fields if each is not None and each not in of), None)
        if field is None or field in of:
            return None
        found = describe(table.header[column])
        return f"{table.label}: column {found} means nothing here; did you mean {field}?"


STOPS, FLEET = Vocabulary(_STOPS), Vocabulary(_FLEET)


def numbered(field: str, number: int) -> str:
    """What `Columns.of` calls the field of the first, second, ... window or break."""
    return field if number == 1 else f"{field}{number}"


def _dimension(name: str, fields: Mapping[str, Field]) -> tuple[str | None, str]:
    """Field and load dimension of `demand_weight` or `demand1`; None for other names."""
    plain = re.sub(r"[\W_]+", "_", without_units(name)).strip("_").casefold()
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
