import pytest

from tests.vrpcore.formats.sheets.days import faults, read
from vrpcore.formats.sheets.columns import PLAN
from vrpcore.instance.instance import Instance

HERE = {"depot": (0, 0), "capacity": (99,)}


def sheet(*columns):
    """Stops with these columns: a heading, then a cell for each of three rows."""
    whole = [["x", 1, 2, 3], ["y", 1, 1, 2], *columns]
    return "\n".join(";".join(map(str, row)) for row in zip(*whole, strict=True)) + "\n"


def test_the_option_that_is_named_works_with_commas_in_a_heading():
    text = sheet(["Anlage , Werk", 4, 2, 7], ["Kolonne", 5, 1, 7])
    (said,) = faults(text, **HERE)
    option = "Anlage Werk,Kolonne"
    assert said.endswith(f'or say --ignore-columns "{option}" if not')
    found = read(text, **HERE, ignore_columns=tuple(option.split(",")))
    assert isinstance(found, Instance)


@pytest.mark.parametrize(
    "column",
    [
        ["Anlage", 4, 2, 7],
        ["Kolonne", "4,5", "2", ""],
        ["Weight of goods", 400, 12, 70],
        ["demnad", 4, 2, 7],
    ],
)
def test_a_column_that_may_be_the_demand_is_asked_about(column):
    (said,) = faults(sheet(column, ["Telefon", "030 1", "", "0171"]), **HERE)
    name = column[0]
    option = f'"{name}"' if " " in name else name
    assert said == (
        f"input: row 1: no column is read that says what is delivered, and '{name}' may; rename "
        f"it to demand, or say --ignore-columns {option} if not"
    )
    found = read(sheet(column), **HERE, ignore_columns=(name,))
    assert found.demand.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    "column",
    [
        ["Telefon", 301234, 40987, 8912],
        ["Handy", "0171123", "0172456", "0173789"],
        ["Code", 301234, 40987, 89],
        ["unnamed", "0301", "0402", "0503"],
        ["PLZ", 1067, 10115, 99999],
        ["Ort (Nord)", 10115, 10117, 10119],  # as long as each other
        ["Preis", "12,50", 8, 99],
        ["Betrag EUR", 12, 8, 99],
        ["Delivery cost", 12, 8, 9],
        ["Hausnummer", 12, 8, 99],
        ["Hausnr.", 12, 8, 99],
        ["Kundennr", 12, 8, 99],
        ["Artikel-ID", 12, 8, 99],
        ["Etage", 1, 4, 2],
        ["Tour", 1, 1, 2],
        ["anything", 1, 2, 3],  # which counts the rows
        ["anything", "", "", 4],
        ["anything", 0, 0, 0],
        ["anything", 4, "yes", 5],
        ["anything", -4, 3, 5],
        ["Load remarks", "fragile", "", "heavy"],
    ],
)
def test_other_columns_are_kept_without_a_question(column):
    assert isinstance(read(sheet(column), **HERE), Instance)


def test_nothing_is_asked_where_an_amount_is_read_or_nothing_is_limited(tmp_path):
    other = ["Anlage", 4, 2, 7]
    assert isinstance(read(sheet(["demand", 1, 1, 1], other), **HERE), Instance)
    assert isinstance(read(sheet(["pickup", 1, 1, 1], other), **HERE), Instance)
    assert isinstance(read(sheet(other), depot=(0, 0)), Instance)
    assert "'Anlage' may" in faults(sheet(other), "id;capacity;x;y\nv;9;0;0\n", tmp_path)[0]


@pytest.mark.parametrize("cells", [("08:00", "9:30", ""), ("8:00-10:00", "9:00 \u2013 12:00", "")])
def test_a_column_of_times_is_asked_about(cells):
    text = sheet(["Termin", *cells])
    (said,) = faults(text, depot=(0, 0))
    assert said == (
        "input: row 1: no column is read that says when a stop may be served, and 'Termin' may; "
        "rename it to window (08:00-10:00), open or close, or say --ignore-columns Termin if not"
    )
    assert isinstance(read(text, depot=(0, 0), ignore_columns=("termin",)), Instance)


@pytest.mark.parametrize(
    "columns",
    [
        [["Termin", "vormittags", "9:30", ""]],
        [["Order time", "8:00", "9:30", ""]],
        [["Ankunft gestern", "8:00", "9:30", ""]],
        [["Termin", "", "", ""]],
        [["open", "8:00", "", ""], ["Termin", "8:00", "9:30", ""]],
    ],
)
def test_other_times_are_kept_without_a_question(columns):
    assert isinstance(read(sheet(*columns), depot=(0, 0), speed=1), Instance)


def test_times_of_a_fleet_are_asked_about(tmp_path):
    fleet = "id;x;y;Einsatz\nv;0;0;8:00-16:00\n"
    (said,) = faults(sheet(), fleet, tmp_path)
    assert said.startswith(
        "vans.csv: row 1: no column is read that says when a vehicle works, and 'Einsatz' may;"
    )


def test_an_answer_in_place_of_stops_is_asked_about():
    heading = ",".join((*PLAN, "input_id", "lat", "lon"))
    row = "," * len(PLAN) + "7,52.5,13.4"
    (said,) = faults(f"{heading}\n{row}\n", depot=(52, 13))
    assert said.startswith("input: row 1: the heading of an answer: are these stops to plan? Give ")
    assert "or say --ignore-columns instance,route,stop,type,vehicle,customer," in said
    found = read(f"{heading}\n{row}\n", depot=(52, 13), ignore_columns=PLAN)
    assert found.num_customers == 1
