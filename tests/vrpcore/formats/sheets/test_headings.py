import pytest

from vrpcore.formats.sheets.headings import AMOUNTS, FLEET_HEADINGS, STOP_HEADINGS, normal, words
from vrpcore.formats.sheets.sheet_columns import FLEET, STOPS

TABLES = [(STOPS, STOP_HEADINGS), (FLEET, FLEET_HEADINGS)]


def test_braces_stand_for_each_of_their_parts():
    assert words("a{b,c}d x{,y}\n zäx") == ["abd", "acd", "x", "xy", "zax", "zaex"]


@pytest.mark.parametrize(("vocabulary", "headings"), TABLES)
def test_each_word_means_its_field_and_no_other(vocabulary, headings):
    found = [
        (word, name)
        for name, field in vocabulary.fields.items()
        for word in (normal(name), *words(f"{field.also} {headings.get(name, '')}"))
    ]
    assert len({word for word, _ in found}) == len(found)
    for word, field in found:
        assert normal(word) == word
        assert vocabulary.meaning(word)[0] == field


def test_no_word_is_a_load_dimension():
    # `demand_a` is one, and not the Spanish word.
    found = [word for _, own in TABLES for text in own.values() for word in words(text)]
    plural = {"demands", "pickups"}
    assert not [word for word in found if word.startswith(AMOUNTS) and word not in plural]


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
        ("Kundennummer;Numéro client;Número de pedido", ["id", "id", None]),
        ("Nº pedido;Numero ordine;Klantnummer;Nr zamówienia", ["id"] * 4),
        ("Telefon;PLZ;Preis;Hausnummer;Straße;Ort", [None] * 6),
        ("Téléphone;Code postal;Prix;Adresse", [None] * 4),
        ("location_latitude;partner_latitude;gps_lat;delivery_latitude;lat_deg", ["lat"] * 5),
        ("wgs84_lat;address_lat;geo latitude;point.lat;geogr. Breite", ["lat"] * 4 + [None]),
        ("coord_x;POINT_X;x pos", ["x"] * 3),
        ("total_weight;Total qty;total_pallets;gross weight kg;Peso total", ["demand"] * 5),
        ("visit_duration;job duration;unload_min;time on site;site time", ["service"] * 5),
        ("delivery_amount;Delivery Amount;Pickup amount", ["demand", "demand", None]),
        ("order_amount;total amount;order price;total", [None] * 4),
        ("volume m3;Qty pcs;kg;price_kg;demand_kg;due day", ["demand"] * 2 + [None] * 4),
    ],
)
def test_headings_in_eight_languages(header, fields):
    found = [STOPS.meaning(name)[0] for name in header.split(";")]
    assert found[: len(fields)] == fields


@pytest.mark.parametrize(
    ("heading", "field"),
    [
        ("Number of vehicles", "count"),
        ("Starting depot", "start"),
        ("startup_cost", None),  # a cost, and a question
        ("Fixkosten", "fixed_cost"),
        ("Tagessatz", None),
    ],
)
def test_headings_of_a_fleet(heading, field):
    assert FLEET.meaning(heading)[0] == field


def test_names_are_compared_without_case_blanks_accents_and_units():
    assert normal(" Time-Window Start (hh:mm) ") == normal("time_window_start") == "timewindowstart"
    assert normal("Öffnungszeiten (Mo)") == "offnungszeiten"
    assert normal("O\u0308ffnungszeiten") == "offnungszeiten"
    assert normal("Długość") == "dlugosc"
