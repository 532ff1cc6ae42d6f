import pytest

from tests.vrpcore.formats.sheets.days import faults, read
from vrpcore.formats.sheets.sheet_columns import PLAN
from vrpcore.instance.instance import Instance

HERE = {"depot": (0, 0), "capacity": (99,)}


def sheet(*columns):
    """Stops with these columns: a heading, then a cell for each of three rows."""
    whole = [["x", 1, 2, 3], ["y", 1, 1, 2], *columns]
    return "\n".join(";".join(map(str, row)) for row in zip(*whole, strict=True)) + "\n"


def asked(text, fleet=None, **options):
    """The rows of the question's table: heading, first values, what it may be."""
    first, *rows, _ = faults(text, fleet, **options)
    assert first == "input: columns that nothing reads, and that look as if they mattered:"
    return [[part.strip() for part in row.split("  ") if part] for row in rows[1:]]


def test_there_is_one_question_for_both_tables():
    text = sheet(["demand", 1, 1, 1], ["Anlage , Werk", 4, 2, 7], ["Termin", "8:00", "", "9:30"])
    fleet = "id;x;y;capacity;Anfahrt\nv;0;0;9;12,50 EUR\n"
    said = faults(text, fleet)
    assert said == [
        "input: columns that nothing reads, and that look as if they mattered:",
        "  column          first values  what it may be",
        "  Anlage , Werk   4, 2, 7       demand, service, ...",
        "  Termin          8:00, 9:30    open, close or window",
        "  fleet: Anfahrt  12,50 EUR     capacity, a limit, a cost, ...",
        "say what they mean with --columns FILE (vrp columns input --fleet vans.csv -o FILE writes "
        "it to be corrected), or that they mean nothing with --ignore-columns "
        '"Anlage Werk,Termin,Anfahrt" (all: rest)',
    ]
    for names in (("Anlage Werk", "Termin", "Anfahrt"), ("rest",)):
        found = read(text, fleet, ignore_columns=names)
        assert found.demand.tolist() == [0, 1, 1, 1]
    means = {"stops": {"Anlage , Werk": "demand_kg", "Termin": "open", "demand": "ignore"}}
    means["fleet"] = {"Anfahrt": "ignore", "capacity": "capacity_kg"}
    found = read(text, fleet, columns=means, speed=1)
    assert found.own_constraints.delivery.ravel().tolist() == [4, 2, 7]
    assert found.own_constraints.windows[:, 0, 0].tolist() == [480, float("-inf"), 570]


MAY_MATTER = {
    "demand, service, ...": [
        ["stuff", 4, 2, 7], ["stuff", "4,5", "2", ""], ["stuff", "", "", 4],
        ["stuff", 1200, 1500, 1350], ["stuff", "12 kg", "3 kg", "8 kg"],
        ["stuff", "20 min", "30 min", "n/a"], ["stuff", 4, "yes", 5], ["", 4, 2, 7],
        ["order_amount", 12, 8, 9], ["delivered", 12, 8, 9], ["stuff", -4, 3, 5],
        ["stuff", "3x", "10'", "1/2"],
    ],
    "prize or priority, if a stop may be left out": [
        ["stuff", "", "", "x"], ["Must be visited?", "yes", "no", "yes"],
    ],
    "demand": [
        ["demnad", 4, 2, 7], ["Weight of goods", 400, 12, 70], ["cargo kg", 1200, 1500, 1350],
        ["items_count", 10001, 10002, 10003], ["Masse in kg", 3, 3, 3], ["Preis pro kg", 12, 8, 9],
        ["drop kg", 12, 8, 9],
    ],
    "prize": [["skip cost", 12, 8, 9]],
    "open, close or window": [
        ["pickup_time", "8:00", "9:00", ""], ["Termin", "8:00-10:00", "9:00 \u2013 12:00", ""],
        ["Termin", "8-10", "9-12", ""], ["Termin", "0800", "0930", ""],
        ["Order time", "8:00", "9:30", ""], ["stuff", "8:00 \u00e0 10:00", "9:00 / 12:00", ""],
        ["customer day", "2026-11-27T08:00", "2026-11-27T09:00", ""],
        ["stuff", "08.00-10.00", "9.15 - 12.30", ""], ["stuff", "after 10:00", "before 8h30", ""],
        ["stuff", "8:00", "8:00", "8:00"],
    ],
    "pickup": [["collection stuff", 3, 2, 3]],
    "service": [["installation_time", 15, 15, 15], ["minutes", 15, 20, 15]],
    "demand, max_...": [["max_weight", 15, 20, 15]],
    "prize or priority": [["Must be visited", "Must be", "May be", "Don't"]],
    "skills": [["Qualifikation", "kalt", "", "kalt"]],
    "max_late or late_cost": [["Verspätung", 5, 10, 5]],
    "a day: write it before the times, or split the file": [
        ["delivery day", "2026-11-27", "2026-11-28", ""], ["Datum", "27.11.2026", "28.11.2026", ""],
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("column", "may_be"), [(column, each) for each, own in MAY_MATTER.items() for column in own]
)
def test_columns_that_may_matter(column, may_be):
    text = sheet(column, ["demand", 1, 2, 1])
    ((heading, _, found),) = asked(text, **HERE)
    assert (heading, found) == (column[0] or "number 3", may_be)
    assert isinstance(read(text, **HERE, ignore_columns=(heading,)), Instance)


@pytest.mark.parametrize(
    "column",
    [
        ["Telefon", 301234, 40987, 8912], ["Handy", "0171123", "0172456", "0173789"],
        ["anything", 3012345678, 409871234, 8912], ["Code", 301234, 40987, 89],
        ["unnamed", "0301", "0402", "0503"], ["PLZ", 1067, 10115, 99999],
        ["Ort (Nord)", 10115, 10117, 10119], ["Preis", "12,50", 8, 99], ["Betrag EUR", 12, 8, 99],
        ["anything", "12,50 €", "8 €", "9 €"], ["Delivery cost", 12, 8, 9],
        ["Invoice amount", 12, 8, 99], ["Hausnummer", 12, 8, 99], ["Hausnr.", 12, 8, 99],
        ["house", "12a", "8b", "9"], ["Kundennr", 12, 8, 99], ["Artikel-ID", 12, 8, 99],
        ["order", 12, 8, 99], ["Etage", 1, 4, 2], ["Tour", 1, 1, 2], ["anything", 1, 2, 3],
        ["anything", 0, 1, 2], ["", 0, 1, 2], ["", 3, 4, 9], ["anything", 4, 4, 4],
        ["active", "yes", "yes", "yes"], ["paid", "yes", "no", "yes"], ["anything", 0, 0, 0],
        ["anything", "", "", ""], ["anything", "-", "n/a", ""],
        ["Load remarks", "fragile", "", "heavy"], ["Bemerkung", "8:00", "", "12"],
        ["Address", "Main Street 8", "High Street 3", "1 Mill Lane"],
        ["order_date", "2026-11-20", "2026-11-21", "2026-11-21"],
        ["Created at", "2026-11-20 14:03", "2026-11-21 08:00", ""],
        ["delivery day", "2026-11-27", "2026-11-27", "2026-11-27"], ["distance", 4, 2, 7],
    ],
)  # fmt: skip
def test_columns_that_are_harmless(column):
    text = sheet(["id", 7, 5, 8], column, ["demand", 1, 2, 1])
    found = read(text, **HERE)
    assert isinstance(found, Instance), found
    assert f"not used: {column[0]}" in found.origin.read_as[0] or not column[0]


@pytest.mark.parametrize(
    ("heading", "cell", "may_be"),
    [
        ("Zeitlimit", 20, "max_duration, max_travel_time, open or close, max_..."),
        ("max_hours", 8, "max_duration, max_travel_time, open or close, max_..."),
        ("startup_cost", 20, "capacity, a limit, a cost, ..."),
        ("Einsatz", "8:00-16:00", "open, close or window"),
        ("Kosten Anfahrt", 20, "capacity, a limit, a cost, ..."),
        ("Fähigkeit", "kalt", "skills"),
        ("Rate", "120 EUR/day", "capacity, a limit, a cost, ..."),
        ("Fermate", 1, "capacity, a limit, a cost, ..."),
    ],
)
def test_columns_of_a_fleet_that_may_matter(heading, cell, may_be):
    fleet = f"id;x;y;{heading}\nv;0;0;{cell}\n"
    assert asked(sheet(), fleet) == [[f"fleet: {heading}", str(cell), may_be]]


def test_ids_of_the_fleet_in_a_column_of_the_stops_may_matter():
    fleet = "id;x;y\nVan 1;0;0\nvan 2;0;0\n"
    assert asked(sheet(["assigned", "van 1", "", "Van 2"]), fleet) == [
        ["assigned", "van 1, Van 2", "only_vehicle"]
    ]


@pytest.mark.parametrize(
    ("heading", "cell"), [("Baujahr", 2019), ("phone", 171), ("driver", "Eva")]
)
def test_columns_of_a_fleet_that_are_harmless(heading, cell):
    assert isinstance(read(sheet(), f"id;x;y;{heading}\nv;0;0;{cell}\n"), Instance)


def test_columns_of_an_answer_are_harmless_where_it_is_one():
    own = [["route", 1, 2, 1], ["arrival", "8:00", "9:00", "9:30"], ["distance", 4, 2, 7]]
    assert asked(sheet(own[1]), **HERE)
    more = [["cost", 7, 7, 7], ["status", "solved", "solved", "solved"]]
    assert isinstance(read(sheet(*own, *more), **HERE), Instance)


def test_an_answer_in_place_of_stops_is_asked_about():
    heading = ",".join((*PLAN, "input_id", "lat", "lon"))
    row = "," * len(PLAN) + "7,52.5,13.4"
    (said,) = faults(f"{heading}\n{row}\n", depot=(52, 13))
    assert said.startswith("input: row 1: the heading of an answer: are these stops to plan? Give ")
    assert "or say --ignore-columns instance,route,stop,type,vehicle,customer," in said
    found = read(f"{heading}\n{row}\n", depot=(52, 13), ignore_columns=(*PLAN, "input_id"))
    assert found.num_customers == 1
