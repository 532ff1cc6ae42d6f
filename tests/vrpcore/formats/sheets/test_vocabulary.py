from vrpcore.formats.sheets.sheet_columns import FLEET, STOPS
from vrpcore.formats.sheets.vocabulary import family, normal, numbered


def test_names_are_compared_without_accents():
    assert normal("Öffnungszeiten (Mo)") == "offnungszeiten"
    assert normal("O\u0308ffnungszeiten") == "offnungszeiten"
    assert normal("Długość") == "dlugosc"


def test_fields_have_numbers():
    assert [numbered("open", 1), numbered("open", 2)] == ["open", "open2"]
    assert family("break_start2") == "break_start"


def test_amounts_may_end_with_what_they_are_in():
    for name in ("weight_kg", "Weight kg", "volume m3", "Qty pcs"):
        assert STOPS.meaning(name) == ("demand", None)
    assert FLEET.meaning("payload_kg") == ("capacity", None)
    # A load dimension, a name that is no amount, and one without anything before it.
    assert {STOPS.meaning(name)[0] for name in ("demand_kg", "price_kg", "kg")} == {None}
