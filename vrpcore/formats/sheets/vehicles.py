"""Rows of a fleet as vehicle types and depots of a JSON document."""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, get_args

from vrpcore.errors import describe
from vrpcore.formats.json.fleet_json import check_shift
from vrpcore.formats.json.stop_rows import LATENESS
from vrpcore.formats.sheets.cells import NO, YES, Cells
from vrpcore.formats.sheets.headings import normal, numbered
from vrpcore.formats.sheets.sheet_places import Document, PlaceParts
from vrpcore.formats.sheets.table import SheetRow
from vrpcore.formats.sheets.terms import Terms
from vrpcore.formats.sheets.units import plain
from vrpcore.instance.attributes import Attribute, attributes_of
from vrpcore.instance.vehicle_types import Loading, VehicleType

_NOWHERE = frozenset({"none", "open", "-"})  # of a start or an end that no depot has
_TIME = re.compile(r"\d{1,2}:\d\d(:\d\d)?")
_TOTALS = re.compile(
    "(?:sub|grand)?totals?|total[ei]s?|totaux|totaal|totais|sums?|summen?|suma|som[ma]a?|somme|"
    "(?:ins)?gesamt(?:summe)?|razem|lacznie"
)
_COLUMNS = [each for each in attributes_of(VehicleType) if each.column]


def read_fleet(cells: Cells, terms: Terms, parts: PlaceParts) -> None:
    """Adds the vehicles of a table, and depots at their own places, to those of the stops.

    What is wrong in the rows is noted by the cells.
    """
    if not cells.table.rows:
        cells.wrong(SheetRow(cells.table.first_row, []), "no vehicle below this row")
    for row in cells.table.rows[-1:]:
        if _TOTALS.fullmatch(plain(cells.text(row, "id"))):
            message = "is it a row of totals? Delete it; a vehicle needs another id"
            cells.wrong(row, message, "id")
    _ask_for_count(cells)
    reader = _VehiclesReader(cells, terms, parts)
    for row in cells.table.rows:
        parts.add("vehicles", reader.vehicle(row), (cells, row))


def _ask_for_count(cells: Cells) -> None:
    """Notes a question where counts may be numbers of vehicles: `Number` with 1, 2, 3."""
    rows, of = cells.table.rows, cells.columns.of
    texts = [cells.text(row, "count") for row in rows]
    if "id" in of or len(rows) < 2 or texts != [str(row) for row in range(1, len(rows) + 1)]:
        return
    if normal(cells.columns.titles[of["count"]]) != "count":
        message = "1, 2, ...: how many there are, or numbers of vehicles?"
        cells.wrong(rows[0], f"{message} Call the column count, or id", "count")


class _VehiclesReader:
    def __init__(self, cells: Cells, terms: Terms, parts: PlaceParts) -> None:
        self._cells, self._terms, self._parts = cells, terms, parts
        self._depots = [*parts.lists["depots"]]  # of the stops
        self._breaks_of = cells.columns.several("break_start", "break_end", "break_duration")

    def vehicle(self, row: SheetRow) -> Document:
        cells = self._cells
        name = cells.get(row, "id") or str(row.number - cells.table.first_row)
        values: Document = {
            "id": name,
            "count": cells.get(row, "count") if cells.text(row, "count") else 1,
            "capacity": self._amount(row, "capacity"),
            "initial_load": self._amount(row, "initial_load"),
            "window": cells.window(row, check_shift, "open", "close"),
            **{each.key: self._number(row, each) for each in _COLUMNS},
            "skills": cells.get(row, "skills"),
        }
        if cells.text(row, "cost_per_hour"):
            values["duration_cost"] = self._per_hour(row)
        found = {key: value for key, value in values.items() if value is not None}
        if values["window"] is None or values["window"][1] is None:  # it is never late
            found = {key: value for key, value in found.items() if key not in LATENESS}
        if breaks := list(self._breaks(row, values["window"])):
            found["breaks"] = breaks
        found |= self._ends(row, name)
        if (lost := cells.is_said(row, "lost")) is not None:
            found["lost"] = lost
        if said := cells.text(row, "loading").casefold():
            found["loading"] = said if said in get_args(Loading) else "any"
            if said != found["loading"]:
                cells.wrong(row, f"{describe(said)}, expected lifo or any", "loading")
        if cells.text(row, "reload"):
            found |= self._reloads(row, found)
        return found

    def _reloads(self, row: SheetRow, found: Document) -> Document:
        """The depots where a vehicle reloads: those that are named, or its own."""
        words = [word for word in self._cells.get(row, "reload") or () if word]
        known = self._parts.depot_ids()
        named = {depot.get("id") for depot in self._parts.lists["depots"]}
        if len(words) == 1 and words[0] not in named:  # 0 is no, unless a depot is called so
            said = words[0].casefold()
            if said in NO:
                found.pop("max_reloads", None)  # of trips that it does not make
                return {}
            if said in YES:
                start = found.get("start", known[0] if known else None)
                place = found.get("end") if start is None else start
                return {"reloads": known if place is None else [place]}
        for word in words:
            if word not in known:
                message = f"{describe(word)} is no depot; write yes, no, or ids of depots"
                self._cells.wrong(row, message, "reload")
        return {"reloads": words}

    def _number(self, row: SheetRow, each: Attribute) -> Any:
        """A number of a vehicle in the units of the document; None where nothing is given."""
        cells, terms, found = self._cells, self._terms, self._cells.get(row, each.column)
        if each.unit == "speed":
            if terms.by_road:
                return None
            found = terms.speed if found is None else found
            needed = terms.hour != 1.0 and each.column in cells.columns.of
            if needed and found is None:  # without such a column, that is said once for all
                cells.wrong(row, "empty; give a speed here, or --speed", each.column)
        elif each.unit == "per_length" and terms.distance != 1.0:
            return (1.0 if found is None else found) / terms.distance
        elif each.unit == "length" and found is not None:
            return found * terms.distance
        return found

    def _amount(self, row: SheetRow, field: str) -> Any:
        """A number, or one for each load dimension; None where nothing is given."""
        found = self._cells.amount(row, field, self._terms.dimensions)
        if not self._terms.dimensions:
            return found
        if field == "initial_load" and any(found):
            return [each or 0.0 for each in found]
        if not any(each is None for each in found):
            return found
        if any(each is not None for each in found):
            self._cells.wrong(row, f"{field} in only some load dimensions; write a large number")
        return None

    def _breaks(self, row: SheetRow, shift: Any) -> Iterator[Document]:
        """Breaks of a vehicle, each between its start and its end."""
        cells = self._cells
        opens, closes = shift or (None, None)
        for number, fields in self._breaks_of.items():
            given = [field for field in fields if cells.text(row, field)]
            begins, ends, lasts = values = [cells.get(row, field) for field in fields]
            wrong = len(given) > len(values) - values.count(None)  # which is noted already
            if wrong or not given or lasts == 0:
                continue
            if lasts is None and (begins is None or ends is None):
                cells.wrong(row, "how long is the break? Give its duration, too", *given)
                continue
            lasts = ends - begins if lasts is None else lasts
            earliest = max(-math.inf if each is None else each for each in (begins, opens))
            latest = min(math.inf if each is None else each for each in (ends, closes))
            if lasts <= 0 or latest - earliest < lasts:
                cells.wrong(row, self._no_room(row, fields), *given)
                continue
            found: Document = {"id": numbered("break ", number).strip(), "duration": lasts}
            if begins is not None or ends is not None:
                until = None if ends is None else max(ends - lasts, earliest)
                found["window"] = [begins, until]
            yield found

    def _no_room(self, row: SheetRow, fields: Sequence[str]) -> str:
        """Why a break cannot be taken, in the words of the table."""
        begins, ends, lasts, opens, closes = (
            self._cells.text(row, field) for field in (*fields, "open", "close")
        )
        message = f"a break{f' of {lasts}' if lasts else ''} has no room"
        message += f" from {begins}" if begins else ""
        message += f" to {ends}" if ends else ""
        if opens or closes:
            message += f" in the shift, {opens or '0'} to {closes or 'any time'}"
        return f"{message}; leave it out if the vehicle takes none"

    def _per_hour(self, row: SheetRow) -> Any:
        cost = self._cells.get(row, "cost_per_hour")
        if self._cells.text(row, "duration_cost"):
            message = "both say what time costs; leave one empty"
            self._cells.wrong(row, message, "cost_per_hour", "duration_cost")
        if self._terms.hour == 1.0:
            message = "the unit of time is not known here: no place has lat and lon, and no time "
            self._cells.wrong(row, f"{message}is HH:MM; use duration_cost", "cost_per_hour")
        return None if cost is None else cost / self._terms.hour

    def _ends(self, row: SheetRow, name: str) -> Document:
        """`start` and `end`, as far as they are not the default ones."""
        cells, found, axes = self._cells, Document(), self._terms.axes
        if cells.columns.of.keys() >= set(axes) and any(cells.text(row, axis) for axis in axes):
            if cells.text(row, "start"):
                cells.wrong(row, "with a location of its own; leave one empty", "start")
            found["start"] = self._own_depot(row, name)
        elif not self._depots and not cells.text(row, "start"):
            message = f"no place to start: give {axes[1]} and {axes[0]}, a row of type depot"
            cells.wrong(row, f"{message} among the stops, or --depot")
        for key in ("start", "end"):
            text = cells.text(row, key)
            if _TIME.fullmatch(text):
                message = f"{describe(text)} is no depot; a shift has the columns open and close"
                cells.wrong(row, message, key)
            if text:
                found.setdefault(key, None if text.casefold() in _NOWHERE else text)
        return found

    def _own_depot(self, row: SheetRow, name: str) -> str:
        """The depot of the stops at a vehicle's own place; where there is none, one of its own."""
        x, y = (self._cells.require(row, axis) for axis in self._terms.axes)
        for index, depot in enumerate(self._depots):
            if (depot["x"], depot["y"]) == (x, y):
                return str(depot.get("id", index))
        taken, own = set(self._parts.depot_ids()), name
        while own in taken:
            own += " depot"
        self._parts.add("depots", {"id": own, "x": x, "y": y}, (self._cells, row))
        return own
