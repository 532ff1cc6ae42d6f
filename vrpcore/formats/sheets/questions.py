"""Questions to the author of spreadsheets: of places, and of numbers that look like times."""

import re
from collections.abc import Collection, Sequence

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.json.key_schema import MAX_LATITUDE
from vrpcore.formats.sheets.cells import Cells
from vrpcore.formats.sheets.clock import DAY, write_clock
from vrpcore.formats.sheets.headings import family, normal
from vrpcore.formats.sheets.sheet_columns import PLAN, ignore_columns
from vrpcore.formats.sheets.table import Table
from vrpcore.formats.sheets.units import plain

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
_PART = re.compile(r"0|0?[.,]\d{1,20}")  # of a day


def refuse_plan(table: Table, ignored: Collection[str]) -> None:
    """Refuses a table that is headed like an answer, unless some of its columns are ignored.

    Args:
        table: Of the stops.
        ignored: Names of columns that are not to be read, as `normal` has them.

    Raises:
        InstanceError: It is (code UNREAD_COLUMN): an answer says what was planned.
    """
    if not set(table.header) >= set(PLAN) or set(map(normal, PLAN)) & set(ignored):
        return
    own = [name for name in table.shown if name in PLAN]
    message = "the heading of an answer: are these stops to plan? Give the file that it answers, "
    message += f"or say {ignore_columns(own)}; with --warm-start it is a plan"
    raise fault(table.head_place, message, "UNREAD_COLUMN")


def refuse_rides(table: Table, left: Collection[str]) -> None:
    """Refuses rows that have two places each.

    Args:
        table: Of the stops.
        left: Names of columns that are not to be read, or have a given meaning, as `normal` has
            them.

    Raises:
        InstanceError: They have (code NO_PLACES).
    """
    names = [(name, re.sub(r"[\W_]+", "_", name).casefold()) for name in table.header]
    first, second = (
        [name for name, text in names if pattern.match(text) and normal(name) not in left]
        for pattern in (_TAKEN, _BROUGHT)
    )
    if first and second:
        message = f"{' and '.join(map(describe, (first[0], second[0])))}: two places in one row; a "
        message += "shipment takes two rows with the same text in the column shipment, and pickup "
        message += "and delivery in the column type"
        raise fault(table.head_place, message, "NO_PLACES")


def no_places(stops: Cells) -> InstanceError:
    """The error for stops without places, which names what may be some."""
    table, message = stops.table, "no columns lat and lon, or x and y"
    texts = {each: [row.cells[each] for row in table.rows] for each in stops.columns.unused}
    both = [each for each in texts if any(map(_BOTH.fullmatch, texts[each]))]
    near = [
        each
        for each in texts
        if _OF_PLACE.search(plain(table.header[each])) and any(map(str.strip, texts[each]))
    ]
    if both:
        message += f"; {describe(table.shown[both[0]])} has both in one cell, write two columns"
    elif near:
        names = " and ".join(describe(table.shown[each]) for each in near[:2])
        message += f"; {names} may be, rename them or say so with --columns FILE"
    else:
        message += "; addresses cannot be looked up"
    return fault(table.head_place, message, "NO_PLACES")


def ask_for_degrees(stops: Cells) -> InstanceError | None:
    """A question where x and y look like degrees of a region; None: they do not, or are given."""
    columns = [stops.columns.of[axis] for axis in ("x", "y")]
    if set(columns) & set(stops.columns.given) or len(stops.table.rows) < _LEAST:
        return None
    texts = [[row.cells[column] for row in stops.table.rows] for column in columns]
    try:
        x, y = ([float(text.replace(",", ".")) for text in own] for own in texts)
    except ValueError:
        return None
    exact = sum(bool(_DECIMALS.fullmatch(text)) for own in texts for text in own)
    sizes = sorted(max(map(abs, own)) for own in (x, y))
    if exact < len(x) or sizes[0] > MAX_LATITUDE or sizes[1] > _ROUND:
        return None
    if not (_is_small(x) and _is_small(y) and (_is_away(x) or _is_away(y))):
        return None
    one, other = (describe(stops.table.shown[column]) for column in columns)
    message = (
        f"{one} and {other} look like degrees; call them lon and lat if they are, or say with "
    )
    message += "--columns FILE that they are x and y"
    return fault(stops.table.head_place, message, "AMBIGUOUS_PLACES")


def _is_small(values: Sequence[float]) -> bool:
    return max(values) - min(values) <= _REGION


def _is_away(values: Sequence[float]) -> bool:
    return min(map(abs, values)) > _AWAY


def ask_for_colons(cells: Cells) -> InstanceError | None:
    """A question where numbers look like times of day, and are minutes; None: they do not."""
    if (found := _without_colon(cells)) is None:
        return None
    time, clock = found
    message = f"numbers are minutes after midnight here, and {time} looks like {clock};"
    message += f" write {clock}, or name the unit in the heading: open (min)"
    return fault(cells.table.label, message, "AMBIGUOUS_TIME")


def _without_colon(cells: Cells) -> tuple[str, str] | None:
    """A time that is a number but looks like one of day, and this; None: there is none.

    All look like 930 or 1730, and are quarters of an hour or beyond a day; or all look like 9.30
    or 17.30; or all are hours, such as 8 or 17.5; or all are parts of a day, as spreadsheets count.
    """
    named = [
        (field, column)
        for field, column in cells.columns.of.items()
        if cells.fields[family(field)].reads == "time" and column not in cells.scales
    ]
    times = {cells.text(row, field) for row in cells.table.rows for field, _ in named} - {""}
    if times and all(map(_PART.fullmatch, times)):
        share, text = max((float(text.replace(",", ".")), text) for text in times)
        return (text, write_clock(share * DAY, "HH:MM")) if share > 0 else None
    for pattern in (_HHMM, _DOTTED, _HOURS):
        found = [match for text in times if (match := pattern.fullmatch(text))]
        latest = max(found, key=lambda match: (int(match[1]), match[2] or ""), default=None)
        if latest is None or len(found) < len(times) or int(latest[1]) * 60 > DAY:
            continue
        if pattern is _HOURS:
            hours = float(latest[0].replace(",", "."))
            return (latest[0], write_clock(hours * 60, "HH:MM")) if hours else None
        quarters = all(int(match[2]) % _QUARTER == 0 for match in found)
        if pattern is _DOTTED or quarters or int(latest[0]) > DAY:
            return latest[0], f"{latest[1]}:{latest[2]}"
    return None
