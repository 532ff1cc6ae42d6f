"""Names of the columns of rides: a pickup and a delivery in one row, in the eight languages."""

import re
from collections.abc import Iterator, Mapping

from vrpcore.formats.sheets.headings import Field, Vocabulary, family
from vrpcore.formats.sheets.units import Measure, without_accents

ENDS = ("pickup", "delivery")
# Before or behind what is said of an end, without accents; `_` stands for what separates words.
_WORDS: Mapping[str, str] = {
    "pickup": """pick_up origin orig source collect collection abhol abholung abholort enlevement
        ramassage depart origine recogida origen ritiro prelievo partenza ophaal ophalen afhaal
        vertrek herkomst coleta recolha embarque origem odbior poczatek""",
    "delivery": """deliver delivery drop_off drop destination dest target liefer lieferung lieferort
        zustell zustellung ziel zielort livraison depose arrivee entrega destino consegna
        destinazione arrivo aflever levering bestemming dostawa cel""",
}
# Words that other names have, too, so that they mean an end of places alone.
_OF_PLACES: Mapping[str, str] = {
    "pickup": "from von van desde skad",
    "delivery": "to nach naar hasta dokad",
}
_LONGEST = 100  # characters of a name that speaks of an end: patterns take their square
AXES = ("lat", "lon", "x", "y")
_PLACES = (AXES[:2], AXES[2:])


def _either(words: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Finds a word before and behind the rest of a name."""
    longest_first = sorted(words.split(), key=len, reverse=True)
    found = f"(?>{'|'.join(longest_first)})".replace("_", r"[\W_]*")
    return re.compile(rf"{found}[\W_]*(?P<rest>.+)"), re.compile(rf"(?P<rest>.+?)[\W_]*{found}")


_PATTERNS = [
    (end, pattern, only_places)
    for words, only_places in ((_WORDS, False), (_OF_PLACES, True))
    for end in ENDS
    for pattern in _either(words[end])
]


class RideVocabulary(Vocabulary):
    """Meanings of names where rows may be rides: `pickup.lat` is the latitude of the pickup.

    Args:
        fields: Those of stops.
        headings: Of stops.
        of_ends: Names of the fields that both ends have.
    """

    def __init__(
        self, fields: Mapping[str, Field], headings: Mapping[str, str], of_ends: list[str]
    ) -> None:
        ends = {
            f"{end}.{name}": fields[name]._replace(also="", with_unit=())
            for end in ENDS
            for name in of_ends
        }
        # `pickup_zip` is no amount, nor is `pickup`: goods for the depot stand in other sheets.
        stops = {name: field for name, field in fields.items() if name != "pickup"}
        super().__init__({**stops, **ends}, headings)

    def meaning(self, name: str) -> tuple[str | None, Measure | None]:
        """The field that a name means, and the unit with which it ends; None: no such."""
        for end, rest, only_places in _ends(name):
            field, unit = super().meaning(rest)
            known = field is not None and f"{end}.{family(field)}" in self.fields
            if known and (field in AXES or not only_places):
                return f"{end}.{field}", unit
        return super().meaning(name)

    def end_of(self, name: str) -> str:
        """Return `pickup_` or `delivery_` if a name speaks of this end, else an empty text."""
        text = without_accents(name[:_LONGEST].casefold())
        found = (
            f"{end}_" for end, word, of_place in _PATTERNS if not of_place and word.search(text)
        )
        return next(found, "")

    def has_rides(self, names: Iterator[str]) -> bool:
        """Return whether a heading of these names has the places of both ends."""
        found = {self.meaning(name)[0] for name in names}
        return any(
            found.issuperset(f"{end}.{axis}" for end in ENDS for axis in axes) for axes in _PLACES
        )


def _ends(name: str) -> Iterator[tuple[str, str, bool]]:
    """The end that a name may speak of, the rest of the name, and whether it must be a place."""
    text = without_accents(name.casefold()).strip() if len(name) <= _LONGEST else ""
    for end, pattern, only_places in _PATTERNS:
        if found := pattern.fullmatch(text):
            yield end, found["rest"], only_places
