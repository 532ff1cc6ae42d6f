"""What names of columns mean."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from vrpcore.formats.json.key_schema import Kind
from vrpcore.formats.sheets.headings import words
from vrpcore.formats.sheets.units import Quantity, Unit, endings, plain, without_units

Reads = Literal["text", "number", "integer", "time", "span", "words", "count", "window"]

_NUMBERED = re.compile(r"(\D+?)(\d{1,2})(\D*)")

MAX_NUMBERED = 10  # windows of a row, or breaks: tables with more columns are hardly filled in
# Fields that there may be several of, by number.
_SEVERAL = dict.fromkeys(
    ("open", "close", "window", "break_start", "break_end", "break_duration"), MAX_NUMBERED
)
AMOUNTS = ("demand", "pickup", "capacity", "initial_load")
# Behind other names of amounts, as in `weight_kg`.
OF_AMOUNTS = (
    "kg", "kgs", "g", "t", "lb", "lbs", "l", "ltr", "litre", "litres", "liter", "m3", "cbm", "pcs",
    "stk", "stck",
)  # fmt: skip


class Field(NamedTuple):
    """What a column may hold.

    Attributes:
        reads: How its cells are read; `span` is a length of time.
        kind: What JSON's key of the same meaning may hold.
        quantity: What its numbers measure; None: they have no unit.
        also: Other names, without blanks. Of several for an id, the first is meant.
        with_unit: Names that mean it where a unit follows.
    """

    reads: Reads
    kind: Kind
    quantity: Quantity | None = None
    also: Sequence[str] = ()
    with_unit: Sequence[str] = ()


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
        names: The field of each name, as `normal` has it; the preferred ones first.
    """

    def __init__(self, fields: Mapping[str, Field], headings: Mapping[str, str]) -> None:
        self.fields = {
            name: field._replace(also=(*field.also, *words(headings.get(name, ""))))
            for name, field in fields.items()
        }
        self.names = {normal(name): name for name in fields}
        for name, field in self.fields.items():
            for also in field.also:
                self.names.setdefault(also, name)
        self._before_units = {name: [field] for name, field in self.names.items()}
        for name, field in fields.items():
            for stem in field.with_unit:
                self._before_units.setdefault(stem, []).append(name)

    def known(self, cells: Sequence[str]) -> int:
        """How many of these names mean something."""
        return sum(self.meaning(cell)[0] is not None for cell in cells)

    def by_rank(self, header: Sequence[str]) -> list[int]:
        """Columns in the order in which their names are preferred."""
        ranks = {name: rank for rank, name in enumerate(self.names)}
        return sorted(range(len(header)), key=lambda column: ranks.get(normal(header[column]), -1))

    def meaning(self, name: str) -> tuple[str | None, Unit | None]:
        """The field that a name means, and the unit with which it ends; None: no such."""
        text = normal(name)
        whole = self.names.get(text) or self._numbered(text)
        for stem, unit in endings(without_units(name)):
            apart = len(text) == len(stem) + 1  # `open_s`, which is not `opens`
            if (apart or not whole) and (field := self._with_unit(stem, unit)):
                return field, unit
        return whole or self._amount(name), None

    def is_amount(self, word: str) -> bool:
        """Whether a word says what an amount is in: `kg`, `pallets`, `qty`."""
        return plain(word) in OF_AMOUNTS or self.names.get(plain(word)) in AMOUNTS

    def _amount(self, name: str) -> str | None:
        """The field of `weight_kg`; `demand_kg` is a load dimension."""
        parts = re.findall(r"[^\W_]+", without_units(name))
        if len(parts) < 2 or plain(parts[-1]) not in OF_AMOUNTS:
            return None
        stem = plain("".join(parts[:-1]))
        field = self.names.get(stem)
        return field if field in AMOUNTS and stem not in map(plain, AMOUNTS) else None

    def _numbered(self, name: str) -> str | None:
        """`open2` for `open2` and `break_start2` for `break2start`; None for other names."""
        found = _NUMBERED.fullmatch(name)
        field = self.names.get(found[1] + found[3]) if found else None
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
