"""Columns that are not read and may be what a plan needs: questions to their author."""

import itertools
import re
from collections.abc import Callable, Collection, Sequence

from vrpcore.errors import describe, fault
from vrpcore.formats.sheets.cells import Cells
from vrpcore.formats.sheets.clock import read_clock
from vrpcore.formats.sheets.columns import PLAN, ignore_columns
from vrpcore.formats.sheets.dates import read_dated
from vrpcore.formats.sheets.signs import spelled
from vrpcore.formats.sheets.table import Faults, Table
from vrpcore.formats.sheets.units import plain
from vrpcore.formats.sheets.vocabulary import normal

_AMOUNTS = ("demand", "pickup")
_TIMES = ("open", "close", "window")
# What names have in them that are no amounts, in several languages.
_NO_AMOUNT = re.compile(
    "phone|telef|mobil|handy|fax|postal|postcode|zip|plz|preis|price|prix|prec|prez|betrag|kosten|"
    "cost|wert|value|umsatz|summe|total|rechnung|invoice|factur|fattur|faktur|euro|brutto|netto|"
    "rabatt|discount|hausn|house|numm|numb|numer|nummer|code|kunde|custom|client|auftrag|order|"
    "bestell|artikel|article|barcode|beleg|liefersch|jahr|year|etage|floor|stock|tour|route|"
    "position|index|distan|entfern|temp|datum|date|monat|month|woche|week|rating|bewertung|alter"
)
_NO_AMOUNT_WORDS = {  # as whole words
    "id", "ids", "nr", "no", "num", "tel", "fon", "cp", "cap", "kw", "eur", "usd", "chf", "gbp",
    "vat", "mwst", "iva", "tva", "day", "tag", "age", "km", "rank", "rang", "prio", "row",
    "zeile", "lfd", "pos", "seq", "sort", "key", "sku", "ean", "ref", "kod",
}  # fmt: skip
_NO_TIME = re.compile(
    "creat|erfasst|bestell|order|eingang|updat|geandert|chang|arriv|ankunft|abfahrt|depart|plan|"
    "letzt|last|call|anruf|eta"
)
_TO = re.compile(r"\s*(?:-|\u2013|\bto\b|\bbis\b)\s*", re.IGNORECASE)
_LEAST_ALIKE = 4  # digits that postcodes, years and ids have alike
_MOST = 1e6  # of an amount


def ask_for_amounts(cells: Cells, *, limited: bool, faults: Faults) -> None:
    """Notes a question where no column of the stops is read as an amount, and one may be.

    Args:
        cells: Of the stops.
        limited: Capacities are stated, so that any column of numbers may be meant.
        faults: Takes the question.
    """
    if {*cells.columns.of, *cells.columns.amounts} & {*_AMOUNTS}:
        return

    def may_be(column: int) -> bool:
        name, rows = cells.table.header[column], cells.table.rows
        texts = [text for row in rows if (text := row.cells[column])]
        # What a sign means is not settled in columns that are not read.
        numbers = [spelled(text, ".") or spelled(text, ",") for text in texts]
        if not _are_amounts(numbers, len(rows)):
            return False
        words = {plain(word) for word in re.findall(r"[^\W_]+", name)}
        other = bool(words & _NO_AMOUNT_WORDS) or bool(_NO_AMOUNT.search(plain(name)))
        other = other or plain(name).endswith(("nr", "plz", "tel"))
        hinted = cells.vocabulary.hint(name, cells.columns.of) in _AMOUNTS
        return (hinted or limited) and not other

    _ask(cells, "what is delivered", "demand", may_be, faults)


def ask_for_plan(table: Table, ignored: Collection[str]) -> None:
    """Refuses a table that is headed like an answer, unless some of its columns are ignored.

    Args:
        table: Of the stops.
        ignored: Names of columns that are not to be read, as `normal` has them.

    Raises:
        InstanceError: It is (code UNREAD_COLUMN): an answer says what was planned.
    """
    if not set(table.header) >= set(PLAN) or set(map(normal, PLAN)) & set(ignored):
        return
    own = [column for column, name in enumerate(table.header) if name in PLAN]
    message = "the heading of an answer: are these stops to plan? Give the file that it answers, "
    message += f"or say {ignore_columns(table, own)}; with --warm-start it is a plan"
    raise fault(table.head_place, message, "UNREAD_COLUMN")


def ask_for_times(cells: Cells, what: str, faults: Faults) -> None:
    """Notes a question where no column is read as a window, and one has nothing but times.

    Args:
        cells: Of stops or vehicles.
        what: Windows would say, in words.
        faults: Takes the question.
    """
    if cells.columns.of.keys() & {*_TIMES}:
        return

    def may_be(column: int) -> bool:
        name = cells.table.header[column]
        texts = [text for row in cells.table.rows if (text := row.cells[column])]
        if not texts or not all(map(_is_times, texts)):
            return False
        hinted = cells.vocabulary.hint(name, cells.columns.of) in _TIMES
        return hinted or not _NO_TIME.search(plain(name))

    _ask(cells, what, "window (08:00-10:00), open or close", may_be, faults)


def _ask(
    cells: Cells, what: str, names: str, may_be: Callable[[int], bool], faults: Faults
) -> None:
    found = [column for column in cells.columns.unused if may_be(column)]
    if not found:
        return
    table = cells.table
    which = " or ".join(describe(table.header[column]) for column in found)
    message = f"no column is read that says {what}, and {which} may; rename it to {names}"
    option = ignore_columns(table, found)
    faults.add(fault(table.head_place, f"{message}, or say {option} if not", "UNREAD_COLUMN"))


def _are_amounts(numbers: Sequence[str | None], rows: int) -> bool:
    """Whether cells look like amounts, and not like ids, postcodes or phone numbers."""
    texts = [text for text in numbers if text is not None]
    if not texts or len(texts) < len(numbers) or 2 * len(texts) < rows:
        return False
    if any(re.match(r"[-+]|0\d", text) for text in texts):
        return False
    values = [float(text) for text in texts]
    alike = len(set(map(len, texts))) == 1 and len(texts[0]) >= _LEAST_ALIKE
    if (alike and all(map(str.isdigit, texts)) and len(texts) > 1) or not 0 < max(values) <= _MOST:
        return False
    steps = {after - before for before, after in itertools.pairwise(values)}
    return steps != {1.0}  # 1, 2, 3: it counts the rows


def _is_times(text: str) -> bool:
    """Whether a cell is a time of day, or a window of two."""
    if dated := read_dated(text):
        return dated.time is not None
    parts = _TO.split(text)
    return len(parts) <= 2 and any(parts) and all(not part or read_clock(part) for part in parts)
