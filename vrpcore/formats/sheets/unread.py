"""Columns that nothing reads: harmless by what they hold, or asked about, all at once."""

import itertools
import re
import shlex
from collections.abc import Collection, Iterator, Sequence

from vrpcore.errors import SHOWN_CHARACTERS, InstanceError, fault, nearest, visible
from vrpcore.formats.sheets.cells import NOTHING, Cells, spelled
from vrpcore.formats.sheets.headings import AMOUNTS, OF_AMOUNTS, normal, written
from vrpcore.formats.sheets.sheet_columns import PLAN, RIDES, STOPS, ignore_columns
from vrpcore.formats.sheets.table import Formula
from vrpcore.formats.sheets.units import UNITS, plain
from vrpcore.instance.attributes import attributes_of
from vrpcore.instance.clock import read_clock, read_dated
from vrpcore.instance.constraints import Constraints
from vrpcore.instance.vehicle_types import VehicleType

REST = "rest"  # in place of names: all columns that would be asked about


def _words(parts: str, whole: str = "") -> re.Pattern[str]:
    own = rf"|\b(?:{'|'.join(whole.split())})\b" if whole else ""
    return re.compile("|".join(parts.split()) + own)


# Words of headings that hint at a meaning, in eight languages.
_HINTS = {
    "demand": _words(
        """weight gewicht poids peso waga massa volum quantit cantidad hoeveelheid quantid ilosc
        menge anzahl aantal liczba nombrede demand bedarf ladung cargo carga pallets palett kisten
        karton cartons cajas caisses colis bultos dozen parcels packages boxes items units crates
        pieces stuck tonn kilo litre liter""",
        "kg kgs qty qte cant g t l lb lbs m3 cbm pcs stk mass",
    ),
    "service": _words(
        """duration dauer duree durac durat duur czas minut stunden hours time zeit temps tiempo
        tempo tijd""",
        "min mins h hrs std",
    ),
    "open, close or window": _words(
        """window fenster opening offn earliest latest deadline termin appointment creneau ventana
        fruhest spatest""",
        "open opens close closes slot frist due",
    ),
    "max_...": _words("limit grenz maxim minim hochst", "max min"),
    "prize or priority": _words(
        """mandator required optional pflicht obligat penalty bonus priorit urgent eilig
        dringend""",
        "must muss prio",
    ),
    "max_late or late_cost": _words(
        "delay verspat retard retras ritard atras opozn toleran", "late"
    ),
    "skills": _words(
        """skill anforder requis requir benotigt vereist wymag feature equip uitrust dotazione
        wyposaz qualif fahigkeit kompeten competen habilid vaardigh umiejetn certif ausrust
        ausstatt"""
    ),
}
_OF_FLEET = {
    "demand": "capacity",
    "service": "max_duration, max_travel_time, open or close",
    "open, close or window": "open, close or window (the shift)",
    "prize or priority": "",
}
# Words of what is delivered or done: they hint, but `delivery date` is a date.
_WEAK = _words(
    """deliver liefer livr entreg conseg lever dostaw pickup collect abhol return retour drop servic
    visit besuch unload install shipment amount"""
)
_SHIFTS = ("open, close or window", "open, close or window (the shift)")
_CHOICE = "prize or priority"  # what few different words may say
_ELSE = _words(
    r"""phone telef mobil handy fax postal postcode postleit zip hausn house numm numb numer code
    codi[cg] digicode mail barcode beleg invoice rechn factur fattur faktur artikel article kunde
    custom client klant klient rating bewertung evaluat valorac valutaz beoordel avaliac ocena
    geburt birth naissance nacimiento nasc geboorte urodz jahr year annee anterior scorso vorig
    zeszl etage stockwerk planta piano verdieping pietro altitud elevation accuracy temperat
    kennzeichen plate index mileage odometer kilometerst signature newsletter bezahlt (?<!un)paid
    paye pagad pagat betaald oplac ^not(?:a|e|es)\b remark comment bemerk hinweis anmerk notiz
    observ opmerk uwagi deliverynote contract vertrag konto account civico building apartment
    salesrep population loyalty turnover ^\w*(?:nr|plz|tel)\b""",
    """id ids nr no n num tel fon plz cp year age row zeile lfd pos seq sequence sort key sku ean
    ref floor andar tour route kod temp region zone version ano anno rok pago""",
)
# Money, and distances: in a fleet, they are costs and limits.
_MONEY = _words(
    r"""preis price prix prec prez betrag bedrag kosten cost umsatz euro rabat discount remise
    descue descont sconto korting warenwert tax mwst steuer distan entfern ^\w*fee\b cena prijs
    importe importo montant valor kwota zaplat ordertotal orderval bestellwert auftragswert""",
    "eur usd chf gbp pln vat iva tva btw",
)
_PAST = _words(
    """creat creado cree criado erfass angelegt aangemaakt utworz bestel order ordine pedido
    commande encomend zamow eingang updat geandert chang modif letzt last call anruf stamp"""
)
_YEARS = (1930, 2035)
_COUNT = _words("numb numer numm mileage", "no n nr num")
_SMALL = 100  # no id of a fleet
_DUE = re.compile("due|fallig|faellig")
_BRACKETS = re.compile(r"[(\[](.*?)[)\]]")
# Words of other programs.
_SAID = {
    word: each.column
    for kind in (VehicleType, Constraints)
    for each in attributes_of(kind)
    for word in each.words.split()
    if each.column
}
_FRACTION = re.compile(r"^[1-9]\s?/\s?[2-9]$")
_SIGN = re.compile(r"[€$£¥]|\b(?:EUR|USD|CHF|GBP|PLN)\b")
_QUANTITY = re.compile(
    r"([+-]?[\d.,'\u2019\u00a0\u202f ]*\d)\s?([^\W\d]{1,12}3?|[%'\u2032])?\.?(?:\s?/\s?\w{1,12})?"
)
_TO = re.compile(r"\s*(?:-|\u2013|\bto\b|\bbis\b)\s*", re.IGNORECASE)
# A time of day among other words; with a point, only one of two.
_CLOCK = re.compile(r"(?<![\d.,:])(?:[01]?\d|2[0-4])(?::|\s?h\s?)[0-5]\d(?![\d.,])", re.IGNORECASE)
_POINTED = re.compile(r"(?:[01]?\d|2[0-4])\.[0-5]\d(?![\d.,])")
_HOURS = re.compile(r"\d{1,2}\s?(?:-|\u2013)\s?\d{1,2}")
_HHMM = re.compile(r"(?:[01]\d|2[0-3])[0-5][05]")
_YES_NO = re.compile(
    "yes|no|y|n|true|false|ja|nein|j|oui|non|si|sim|nao|nee|tak|nie|x|\u2713|\u2714", re.IGNORECASE
)
# Behind a number.
_OF_NUMBERS = {*UNITS, *OF_AMOUNTS, "", "std", "stunden", "minuten", "pal", "x"}
_LONGEST = 60  # characters of a window
_ALIKE = 5  # digits that postcodes and ids have alike
_LONG = 9  # digits of phone numbers
_MOST = 1e6  # of an amount
_FEW = 4  # different words of a choice
_OF_PLANS = ("vehicle", "driver", "group")  # headings that say what was planned
_OWN = 4  # columns of an answer, where it is one
_VALUES, _WIDTH = 3, 24  # shown of a column, and characters of each


class _UnreadColumn:
    """A column that nothing reads; `vehicles`: the fleet's ids, of a column of the stops.

    Attributes:
        texts: Its cells that say something.
        heading: As far as it is judged.
        shown: The same in messages.
        hints: What the heading hints at, in words of the documentation.
    """

    def __init__(self, cells: Cells, index: int, vehicles: Collection[str]) -> None:
        rows, vocabulary = cells.table.rows, cells.vocabulary
        texts = (row.cells[index] for row in rows)
        self.texts = [text for text in texts if text and text.casefold() not in NOTHING]
        self.index, self.shown = index, cells.table.shown[index]
        self.heading = cells.table.header[index][:SHOWN_CHARACTERS]
        self.is_stops, self._fields = "demand" in vocabulary.fields, vocabulary.fields
        self._rides = vocabulary is RIDES
        self._end = RIDES.end_of(self.heading) if self._rides else ""
        self._name, self._is_full = plain(self.heading), len(self.texts) == len(rows)
        spaced = re.sub(r"(?<=[^\W\d_A-Z])(?=[A-Z])", " ", self.heading)
        words = [plain(word) for word in re.findall(r"[^\W_]+", spaced)]
        self._said = " ".join((self._name, *words))
        self._known = {word: vocabulary.names[word] for word in words if word in vocabulary.names}
        self._is_id = vocabulary.meaning(self.heading)[0] == "id"
        self.hints = [field for field, found in _HINTS.items() if found.search(self._said)]
        own = {field for word, field in self._known.items() if not _WEAK.search(word)}
        if own & set(AMOUNTS) and "demand" not in self.hints:
            self.hints.insert(0, "demand")
        self.hints += [_SAID[self._name]] if self._name in _SAID else []
        if not self.is_stops:
            self.hints = [_OF_FLEET.get(each, each) for each in self.hints]
        self._names_vehicles = (
            bool(vehicles)
            and normal(self.heading) not in _OF_PLANS
            and set(map(str.casefold, self.texts)) <= set(vehicles)
        )

    @property
    def may_be(self) -> str:
        if self._names_vehicles:
            return "only_vehicle"
        if any(map(_is_times, self.texts)):
            return f"{self._end}open, {self._end}close or {self._end}window"
        if any(map(read_dated, self.texts)):
            return "a day: write it before the times, or split the file"
        if self.is_stops and 2 * len(_yes_no(self.texts)) >= len(self.texts):
            return "prize or priority, if a stop may be left out"
        if "pickup" in self._fields and re.search("pickup|collect|abhol|return|retour", self._name):
            return "pickup"
        otherwise = "demand, service, ..." if self.is_stops else "capacity, a limit, a cost, ..."
        if self._rides and STOPS.meaning(self.heading)[0] == "pickup":
            return "rides to the depot, in rows of their own"
        near = written(nearest(self.heading, self._fields) or "")
        found = dict.fromkeys((near, *self.hints))
        return ", ".join(filter(None, found)) or otherwise

    @property
    def values(self) -> str:
        cut = map(visible, self.texts[:_VALUES])
        return ", ".join(
            text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..." for text in cut
        )

    @property
    def is_harmless(self) -> bool:
        """Return whether its heading or its cells say that it has no meaning here."""
        texts = self.texts
        if self._names_vehicles:
            return False
        numbers = [number for text in texts if (number := _number(text)) is not None]
        times = [text for text in texts if _is_times(text)]
        if 2 * len([text for text in texts if read_dated(text)]) >= len(texts):
            return self._are_other_days(timed=bool(times))
        if 2 * (len(numbers) + len(times) + len(_yes_no(texts))) < len(texts):
            few = len(set(map(str.casefold, texts))) <= _FEW
            return not ("skills" in self.hints or (few and _CHOICE in self.hints))
        is_money = self.is_stops and any(map(_SIGN.search, texts))
        if self.hints and not (is_money and set(self.hints) <= {*_SHIFTS, "service"}):
            return False
        if self._is_other(numbers):
            return True
        if self._is_weak() and not is_money:
            return False
        constant = len(set(texts)) == 1 and self._is_full and len(texts) > 1
        if self.is_stops and ((constant and not times) or is_money):
            return True
        if len(numbers) < len(texts):
            return False
        rises = all(before < after for before, after in itertools.pairwise(numbers))
        if self.is_stops and not self.heading and rises and all(map(str.isdigit, texts)):
            return True  # the index of a data frame
        return _are_ids(texts, numbers, rows=self.is_stops)

    def _are_other_days(self, *, timed: bool) -> bool:
        """Return whether dates are not the plan's: of orders or births, or one without times."""
        is_due = _DUE.search(self._name) or set(self.hints) & set(_SHIFTS)
        if _PAST.search(self._name) and not is_due:
            return True
        is_else = _ELSE.search(self._said) and not self._is_weak()
        return not timed and bool(len(set(self.texts)) == 1 or is_else)

    def _is_weak(self) -> bool:
        """Return whether the heading has a word of what is done, or of some meaning."""
        return bool(
            set(self._known.values()) - {"id", "name", "type"}
            or UNITS.keys() & set(map(plain, _BRACKETS.findall(self.heading)))
            or _WEAK.search(self._name)
            or _DUE.search(self._name)
            or nearest(self.heading, self._fields)
        )

    def _is_other(self, numbers: Sequence[float]) -> bool:
        """Return whether the heading names something else: a phone, an id, money in stops."""
        if not (self._is_id or _ELSE.search(self._said)):
            return self.is_stops and bool(_MONEY.search(self._said))
        # Small numbers of a fleet may count vehicles, or be a rate: `Nº de vehículos`.
        counts = _COUNT.search(self._said) and max(numbers, default=0) <= _SMALL
        return self.is_stops or not counts


def unread_columns(cells: Cells, vehicles: Collection[str] = ()) -> Iterator[_UnreadColumn]:
    """Columns of a table that nothing reads and that look as if they had a meaning.

    Of stops, `vehicles` are the ids of the fleet, in lower case.
    """
    own = set(cells.table.header) & set(PLAN)
    for index in cells.columns.unused:
        column = _UnreadColumn(cells, index, vehicles)
        is_plan = len(own) >= _OWN and cells.table.header[index] in own
        if column.texts and not is_plan and not column.is_harmless:
            yield column


def question(tables: Sequence[Cells]) -> InstanceError | None:
    """One question about all columns of all tables that nothing reads; None: there are none."""
    stops, *fleet = tables
    vehicles = {cells.text(row, "id").casefold() for cells in fleet for row in cells.table.rows}
    found = [*unread_columns(stops, vehicles)]
    found += [column for cells in fleet for column in unread_columns(cells)]
    if not found:
        return None
    lines = [("column", "first values", "what it may be")]
    for column in found:
        of = "" if column.is_stops else "fleet: "
        lines.append((f"{of}{column.shown}", column.values, column.may_be))
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    rows = ("  ".join(map(str.ljust, cells, widths)).rstrip() for cells in lines)
    label, others = stops.table.label, [each.table.label for each in fleet]
    command = ["vrp", "columns", label, *(f"--fleet {shlex.quote(each)}" for each in others)]
    names = list(dict.fromkeys(column.shown for column in found))
    advice = f"say what they mean with --columns FILE ({' '.join(command)} -o FILE writes it to be"
    advice += f" corrected), or that they mean nothing with {ignore_columns(names)} (all: {REST})"
    message = "columns that nothing reads, and that look as if they mattered:\n  "
    return fault(label, message + "\n  ".join(rows) + f"\n{advice}", "COLUMN")


def _is_times(text: str) -> bool:
    """Return whether a cell is a time of day, or a window of two."""
    if dated := read_dated(text):
        return dated.time is not None
    if len(text) > _LONGEST:
        return False
    parts = _TO.split(text)
    clocks = len(parts) <= 2 and any(parts) and all(not part or read_clock(part) for part in parts)
    said = _CLOCK.search(text) or len(_POINTED.findall(text)) > 1
    return clocks or bool(said or _HOURS.fullmatch(text))


def _are_ids(texts: Sequence[str], numbers: Sequence[float], *, rows: bool) -> bool:
    """Return whether numbers look like ids, postcodes or phone numbers, and not like amounts.

    1, 2, 3 are some if `rows` may be counted.
    """
    digits = [text for text in texts if text.isdigit()]
    if any(re.match(r"\+|0\d", text) for text in texts):
        return not all(map(_HHMM.fullmatch, texts))
    if all(_YEARS[0] <= number <= _YEARS[1] for number in numbers) and len(numbers) > 1:
        return True
    if min(numbers) < 0:
        return False
    if not 0 < max(numbers) <= _MOST or any(len(text) >= _LONG for text in digits):
        return True
    if len(digits) < len(texts) or len(texts) < 2:
        return False
    steps = {after - before for before, after in itertools.pairwise(numbers)}
    if rows and steps == {1.0} and not 1 < numbers[0] < 100:  # it counts the rows
        return True
    lengths = set(map(len, digits))
    return len(lengths) == 1 and min(lengths) >= _ALIKE and any(n % 10 for n in numbers)


def _number(text: str) -> float | None:
    """A number, also with a unit or a sign of money behind it; a formula counts as one."""
    if isinstance(text, Formula):
        return 1.0
    found = _QUANTITY.fullmatch(_FRACTION.sub("1", _SIGN.sub("", text)).strip())
    if not found or (found[2] and plain(found[2]) not in _OF_NUMBERS):
        return None
    # What a sign means is not settled in columns that are not read.
    number = spelled(found[1], ".") or spelled(found[1], ",")
    return None if number is None else float(number)


def _yes_no(texts: Sequence[str]) -> list[str]:
    return [text for text in texts if _YES_NO.fullmatch(text)]
