"""What names of columns mean."""

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from vrpcore.errors import SHOWN_CHARACTERS, describe
from vrpcore.formats.json.key_schema import Kind
from vrpcore.formats.sheets.table import Table
from vrpcore.formats.sheets.units import Quantity, Unit, endings, plain, without_units

Reads = Literal["text", "number", "integer", "time", "span", "words", "count", "window"]

_NEAR = 0.8  # how alike names are that may be meant
_LEAST_NEAR = 4  # letters
_NUMBERED = re.compile(r"(\D+?)(\d{1,2})(\D*)")

MAX_NUMBERED = 10  # windows of a row, or breaks: tables with more columns are hardly filled in
# Fields that there may be several of, by number.
_SEVERAL = dict.fromkeys(
    ("open", "close", "window", "break_start", "break_end", "break_duration"), MAX_NUMBERED
)
AMOUNTS = ("demand", "pickup", "capacity", "initial_load")
# Behind other names of amounts, as in `weight_kg`.
_OF_AMOUNTS = (
    "kg", "kgs", "g", "t", "lb", "lbs", "l", "ltr", "litre", "litres", "liter", "m3", "cbm", "pcs",
    "stk", "stck",
)  # fmt: skip


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


def normal(name: str) -> str:
    """A name without units in brackets, case, blanks and punctuation."""
    return plain(without_units(name))


def family(field: str) -> str:
    """`open` for `open2`: the field as it is declared."""
    return field.rstrip("0123456789")


def numbered(field: str, number: int) -> str:
    """What `Columns.of` calls the field of the first, second, ... window or break."""
    return field if number == 1 else f"{field}{number}"


class Vocabulary:
    """What names mean in one kind of table.

    Attributes:
        fields: Those that there may be, by name.
    """

    def __init__(self, fields: Mapping[str, Field], abroad: Mapping[str, str]) -> None:
        self.fields = fields
        self._names = {normal(field): field for field in fields}
        for field, declared in fields.items():
            for also in declared.also:
                self._names.setdefault(also, field)
        self._abroad = {name for names in abroad.values() for name in names.split()}
        self._abroad -= self._names.keys()
        for field, names in abroad.items():
            for also in names.split():
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
        return whole or self._amount(name), None

    def is_amount(self, word: str) -> bool:
        """Whether a word says what an amount is in: `kg`, `pallets`, `qty`."""
        return plain(word) in _OF_AMOUNTS or self._names.get(plain(word)) in AMOUNTS

    def is_abroad(self, name: str) -> bool:
        """Whether a name that means something is not an English one."""
        return normal(name) in self._abroad

    def _amount(self, name: str) -> str | None:
        """The field of `weight_kg`; `demand_kg` is a load dimension."""
        words = re.findall(r"[^\W_]+", without_units(name))
        if len(words) < 2 or plain(words[-1]) not in _OF_AMOUNTS:
            return None
        stem = plain("".join(words[:-1]))
        field = self._names.get(stem)
        return field if field in AMOUNTS and stem not in map(plain, AMOUNTS) else None

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
        field = self.hint(table.header[column], of)
        if field is None or field in of:
            return None
        found = describe(table.header[column])
        return f"{table.label}: column {found} means nothing here; did you mean {field}?"

    def hint(self, heading: str, of: Mapping[str, int]) -> str | None:
        """The field whose name a heading resembles, or has in it.

        Args:
            heading: One that means nothing.
            of: Fields that have a column.
        """
        name = heading[:SHOWN_CHARACTERS]
        text = normal(name)
        if len(text) < _LEAST_NEAR:
            return None
        if near := difflib.get_close_matches(text, self._names, n=1, cutoff=_NEAR):
            return self._names[near[0]]
        words = map(plain, re.split(r"[\W_]+", without_units(name)))
        fields = (self._names.get(word) for word in words if len(word) >= _LEAST_NEAR)
        return next((each for each in fields if each is not None and each not in of), None)
