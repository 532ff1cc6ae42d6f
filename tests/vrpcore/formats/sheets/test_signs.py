import pytest

from tests.vrpcore.formats.sheets.days import faults, read
from vrpcore.formats.sheets.cells import spelled

HERE = {"depot": (0, 0), "capacity": (9999,)}


def sheet(demands, head="demand", sep=";", x="10"):
    """Stops with these demands; a separator in a cell is quoted."""
    cells = [f'"{each}"' if sep in each else each for each in demands]
    lines = [f"{n}{sep}{x}{sep}5{sep}{cell}" for n, cell in enumerate(cells, start=1)]
    return "\n".join([sep.join(["id", "x", "y", head]), *lines, ""])


@pytest.mark.parametrize(
    ("text", "decimal", "number"),
    [
        ("1.200", ",", "1200"), ("1.200", ".", "1.200"), ("-1.234.567,5", ",", "-1234567.5"),
        ("1,234.5", ".", "1234.5"), ("1 200", ".", "1200"), ("1\u202f200,5", ",", "1200.5"),
        ("1'234'567", ".", "1234567"), (",5", ",", ".5"), ("1e3", ".", "1e3"),
        ("12.34,5", ",", None), ("2.5", ",", None), ("0.250", ",", None), ("1.2000", ",", None),
        ("1.200 300", ",", None), ("1 20", ".", None), ("", ".", None), ("1" * 401, ".", None),
    ],
)  # fmt: skip
def test_numbers_are_spelled_as_python_does(text, decimal, number):
    assert spelled(text, decimal) == number


@pytest.mark.parametrize(
    ("demands", "sep", "x", "expected"),
    [
        # Two signs in a number show thousands.
        (["1.200.000", "1.200"], ";", "10", [1200000, 1200]),
        (["1.234,5", "1.200"], ";", "10", [1234.5, 1200]),
        # So do decimal commas elsewhere: in the column, or in another one.
        (["1.200", "1,5"], ";", "10", [1200, 1.5]),
        (["1.200", "3"], ";", "2,5", [1200, 3]),
        # In a file separated by comma, it stands nowhere else.
        (["1,200", "850"], ",", "2.5", [1200, 850]),
        (["1,200", "850"], ",", "10", [1200, 850]),
        # Fractions elsewhere show fractions.
        (["1.200", "0.250"], ";", "10", [1.2, 0.25]),
        (["1.200", "3.5"], ",", "10", [1.2, 3.5]),
        (["12,500", "3"], ";", "2,5", [12.5, 3]),
        (["1,200", "0,250"], "\t", "10", [1.2, 0.25]),
        (["12.500", "3.250"], ",", "2.5", [12.5, 3.25]),
    ],
)
def test_what_cells_show(demands, sep, x, expected):
    found = read(sheet(demands, sep=sep, x=x), depot=(0, 0), capacity=(1e7,))
    assert found.demand[1:].tolist() == expected
    assert found.origin.notes == []


@pytest.mark.parametrize(
    ("other", "sep", "x"),
    [
        ("2.400", ";", "10"),  # thousands of Germans, or kilograms of a database
        ("5", ";", "10"),
        ("850", ";", "10"),
        ("850", ",", "10"),
        ("850", ";", "2.5"),  # places are often written otherwise
        ("2,400", ";", "10"),
    ],
)
def test_what_nothing_shows_is_asked(other, sep, x):
    found = faults(sheet(["1.200", other], sep=sep, x=x), **HERE)
    assert found[0] == (
        "input: row 2, column demand: '1.200' may be 1200 or 1.2; say --decimal \",\" if it is "
        '1200, --decimal "." if it is 1.2'
    )


def test_the_author_answers():
    text = sheet(["1.200", "2.400"])
    assert read(text, **HERE, decimal=",").demand[1:].tolist() == [1200, 2400]
    assert read(text, **HERE, decimal=".").demand[1:].tolist() == [1.2, 2.4]
    assert read(text, **HERE, decimal=",").origin.notes == []
    quoted = sheet(["2,5", "1,5"], sep=",")
    assert "a decimal comma needs cells" in faults(quoted, **HERE)[0]
    assert read(quoted, **HERE, decimal=",").demand[1:].tolist() == [2.5, 1.5]
    assert "decimal point" in faults(sheet(["2,5"]), **HERE, decimal=".")[0]


def test_the_fleet_is_read_as_the_stops():
    fleet = "id;x;y;capacity\nv;0;0;3.500\n"
    found = read(sheet(["1.200,5", "850"]), fleet)
    assert found.capacity == 3500
    assert "may be 3500 or 3.5" in faults(sheet(["12", "8"]), fleet)[0]


def test_degrees_are_never_thousands():
    text = "id;lat;lon;Menge\n1;52.520;13.405;1.200\n2;52.530;13.415;850,5\n"
    found = read(text, depot=(52.5, 13.4), capacity=(9999,))
    assert found.coords[1].tolist() == [13.405, 52.52]
    assert found.demand[1:].tolist() == [1200, 850.5]
    assert found.origin.notation.decimal == ","


def test_a_count_is_not_read_with_a_fraction():
    stops = "id,x,y,priority\n1,1,1,1.000\n2,1,1,100\n"
    assert "'1.000' may be 1000 or 1; say" in faults(stops, depot=(0, 0))[0]


def test_times_with_points_show_no_fractions():
    text = "id;x;y;demand;von\n1;1;1;1.200;8.30\n2;1;1;900;\n"
    assert "'1.200' may be 1200 or 1.2" in faults(text, **HERE)[0]
