"""Questions to the author of spreadsheets: of places, and of numbers that look like times."""

import re
from collections.abc import Collection

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.json.assembly import MAX_LATITUDE
from vrpcore.formats.sheets.cells import Cells, spelled
from vrpcore.formats.sheets.headings import normal
from vrpcore.formats.sheets.sheet_columns import PLAN, ignore_columns
from vrpcore.formats.sheets.table import SheetTable
from vrpcore.formats.sheets.units import plain
from vrpcore.instance.clock import DAY, write_clock

_NUMBER = r"[+-]?\d{1,3}[.,]\d{1,20}"
_BOTH = re.compile(
    rf"\(?{_NUMBER}(?:\s*[,;/]\s*|\s+){_NUMBER}\)?|(?:SRID=\d+;)?POINT\s?\(.*\)", re.IGNORECASE
)
_OF_PLACE = re.compile(
    "lat|lon|lng|breite|lange|laenge|szerok|dlugo|coord|koord|gps|geo|east|north|^[xy]|[xy]$"
)
_AXIS = r"_?(?:lat|lon|lng|x$|y$|coord)"
_TAKEN = re.compile(rf"(?:pick_?up|from|orig\w*?|start|source|collect\w*?|abhol\w*?){_AXIS}")
_BROUGHT = re.compile(rf"(?:drop_?(?:off)?|deliver\w*?|to|dest\w*?|end|ziel|liefer\w*?){_AXIS}")
_ROUND = 180.0  # degrees
_REGION = 5.0  # degrees
_AWAY = 20.0  # degrees from the origin, at least in one direction
_LEAST = 2  # stops
_DECIMALS = re.compile(r".*[.,]\d{2,}")
_HHMM = re.compile(r"(\d{1,2})([0-5]\d)")
_DOTTED = re.compile(r"(\d{1,2})[.,]([0-5]\d)")
_HOURS = re.compile(r"(\d{1,2})(?:[.,](0|00|5|50|25|75))?")
_QUARTER = 15  # minutes
_LATEST = 3 * DAY  # of times that are numbers
_PART = re.compile(r"0|0?[.,]\d{1,20}")  # of a day


def refuse_plan(table: SheetTable, ignored: Collection[str]) -> None:
    """Refuses stops that are headed like an answer, unless some of its columns are ignored.

    Raises:
        InstanceError: They are (code COLUMN): an answer says what was planned.
    """
    if not set(table.header) >= set(PLAN) or set(map(normal, PLAN)) & set(ignored):
        return
    own = [name for name in table.shown if name in PLAN]
    message = "the heading of an answer: are these stops to plan? Give the file that it answers, "
    message += f"or say {ignore_columns(own)}; with --warm-start it is a plan"
    raise fault(table.head_place, message, "COLUMN")


def refuse_rides(table: SheetTable, left: Collection[str]) -> None:
    """Refuses rows that have two places each, unless these columns are left to the author.

    Raises:
        InstanceError: They have (code MISSING).
    """
    names = [(name, re.sub(r"[\W_]+", "_", name).casefold()) for name in table.header]
    first, second = (
        [name for name, text in names if pattern.match(text) and normal(name) not in left]
        for pattern in (_TAKEN, _BROUGHT)
    )
    if first and second:
        message = f"{' and '.join(map(describe, (first[0], second[0])))}: two places in one row; a "
        message += "ride has pickup_lat, pickup_lon, delivery_lat and delivery_lon: rename the "
        message += "columns, or say so with --columns FILE"
        raise fault(table.head_place, message, "MISSING")


def no_places(stops: Cells) -> InstanceError:
    """The error for stops without places, which names what may be some."""
    table, message = stops.table, "no columns lat and lon, or x and y"
    texts = {each: [row.cells[each] for row in table.rows] for each in stops.columns.unused}
    both = [each for each in texts if any(map(_BOTH.fullmatch, texts[each]))]
    named = (each for each in texts if _OF_PLACE.search(plain(table.header[each])))
    near = [each for each in named if any(texts[each])]
    if both:
        message += f"; {describe(table.shown[both[0]])} has both in one cell, write two columns"
    elif near:
        names = " and ".join(describe(table.shown[each]) for each in near[:2])
        message += f"; {names} may be, rename them or say so with --columns FILE"
    else:
        message += "; addresses cannot be looked up"
    return fault(table.head_place, message, "MISSING")


def ask_for_degrees(stops: Cells) -> InstanceError | None:
    """A question where x and y look like degrees of a region; None: they do not, or are given."""
    before = "" if "x" in stops.columns.of else "pickup."
    columns = [stops.columns.of[f"{before}{axis}"] for axis in ("x", "y")]
    if set(columns) & stops.columns.given or len(stops.table.rows) < _LEAST:
        return None
    texts = [[row.cells[column] for row in stops.table.rows] for column in columns]
    try:
        values = [[float(text.replace(",", ".")) for text in own] for own in texts]
    except ValueError:
        return None
    exact = sum(bool(_DECIMALS.fullmatch(text)) for own in texts for text in own)
    low, high = sorted(max(map(abs, own)) for own in values)
    is_small = low <= MAX_LATITUDE and high <= _ROUND and exact >= len(stops.table.rows)
    is_one = all(max(own) - min(own) <= _REGION for own in values)
    if not (is_small and is_one and any(min(map(abs, own)) > _AWAY for own in values)):
        return None
    one, other = (describe(stops.table.shown[column]) for column in columns)
    message = f"{one} and {other} look like degrees; call them lon and lat if they are, or say "
    message += "with --columns FILE that they are x and y"
    return fault(stops.table.head_place, message, "AMBIGUOUS")


def ask_for_colons(cells: Cells) -> InstanceError | None:
    """A question where numbers that are minutes look like times of day, or are days; else None."""
    rows = [] if cells.notation.clock else cells.table.rows
    named = [
        field
        for field, column in cells.columns.of.items()
        if cells.is_time(field) and column not in cells.scales
    ]
    texts = {cells.text(row, field) for row in rows for field in named} - {"", "0"}
    times = {text: float(spelled(text, cells.decimal) or 0.0) for text in texts}
    latest = max(times, key=times.__getitem__, default="")
    if colons := _without_colon(times):
        time, clock = colons
        wrong = f"{time} looks like {clock}"
    elif times and times[latest] > _LATEST:
        wrong, clock = f"{latest} would be {times[latest] / DAY:.0f} days after it", "08:30"
    else:
        return None
    message = f"numbers are minutes after midnight here, and {wrong};"
    message += f" write {clock}, or name the unit in the heading: open (min)"
    return fault(cells.table.label, message, "AMBIGUOUS")


def _without_colon(times: Collection[str]) -> tuple[str, str] | None:
    """A time that is a number but looks like one of day, and this; None: there is none.

    All look like 930 or 1730, and are quarters of an hour or beyond a day; or all look like 9.30
    or 17.30; or all are hours, such as 8 or 17.5; or all are parts of a day, as spreadsheets count.
    """
    for pattern, unit in ((_PART, DAY), (_HHMM, 0), (_DOTTED, 0), (_HOURS, 60)):
        found = [match for text in times if (match := pattern.fullmatch(text))]
        if not times or len(found) < len(times):
            continue
        if unit:
            number, text = max((float(text.replace(",", ".")), text) for text in times)
            if number * unit <= 2 * DAY:
                return (text, write_clock(number * unit, "HH:MM")) if number > 0 else None
            continue
        latest = max(found, key=lambda match: (int(match[1]), match[2]))
        quarters = all(int(match[2]) % _QUARTER == 0 for match in found)
        if int(latest[1]) * 60 > DAY:
            continue
        if pattern is _DOTTED or quarters or int(latest[0]) > DAY:
            return latest[0], f"{latest[1]}:{latest[2]}"
    return None
