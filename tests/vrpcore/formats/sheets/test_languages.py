import pytest

from vrpcore.formats.sheets.columns import FLEET, STOPS
from vrpcore.formats.sheets.languages import FLEET_ABROAD, STOPS_ABROAD
from vrpcore.formats.sheets.vocabulary import AMOUNTS, normal

TABLES = [(STOPS, STOPS_ABROAD), (FLEET, FLEET_ABROAD)]


@pytest.mark.parametrize(("vocabulary", "abroad"), TABLES)
def test_each_word_means_its_field_and_one_alone(vocabulary, abroad):
    words = [(word, field) for field, text in abroad.items() for word in text.split()]
    assert len({word for word, _ in words}) == len(words)
    for word, field in words:
        assert normal(word) == word
        assert vocabulary.meaning(word) == (field, None)


def test_no_word_is_a_load_dimension():
    # `demand_a` is one, and not the Spanish word.
    words = [word for _, abroad in TABLES for text in abroad.values() for word in text.split()]
    assert not [word for word in words for load in AMOUNTS if word.startswith(load)]


@pytest.mark.parametrize(
    ("header", "fields"),
    [
        ("Kunde;Längengrad;Breitengrad;Menge;von;bis", ["name", "lon", "lat", "demand", "open"]),
        ("Gewicht kg;Öffnungszeiten;Standzeit", ["demand", "window", "service"]),
        ("QTÉ;Créneau horaire;Durée", ["demand", "window", "service"]),
        ("Cantidad;Desde;Hasta", ["demand", "open", "close"]),
        ("quantità;Orario", ["demand", "window"]),
        ("Hoeveelheid;Tijdvak", ["demand", "window"]),
        ("Ilość;Szerokość geograficzna", ["demand", "lat"]),
        ("Telefon;PLZ;Preis;Hausnummer;Straße;Ort", [None] * 6),
        ("Téléphone;Code postal;Prix;Adresse", [None] * 4),
    ],
)
def test_headings_of_other_languages(header, fields):
    found = [STOPS.meaning(name)[0] for name in header.split(";")]
    assert found[: len(fields)] == fields


def test_words_of_other_languages_are_told_from_english_ones():
    assert STOPS.is_abroad("Menge [kg]")
    assert not any(map(STOPS.is_abroad, ("demand", "pallets", "Telefon")))
