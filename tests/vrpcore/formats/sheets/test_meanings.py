import pytest

from tests.vrpcore.formats.sheets.books import xlsx
from tests.vrpcore.formats.sheets.days import faults, read
from vrpcore.errors import OutputError
from vrpcore.formats.files import ByteReader
from vrpcore.formats.options import SheetOptions
from vrpcore.formats.read import read_instances
from vrpcore.formats.sheets.sheet_tables import columns_file

STOPS = "Nummer,X,Y,Last,Dauer,PLZ\n7,1,2,4,0.5,10115\n8,2,3,5,0.25,10117\n"
MINE = """\
stops:
  "Last": demand
  "Dauer": service (h)
  "PLZ": ignore
decimal: "."
dates: dmy
"""
HERE = {"depot": (0, 0), "capacity": (9,), "speed": 1}


@pytest.fixture
def day(tmp_path):
    """A file of stops, and one of what its columns mean."""
    (tmp_path / "stops.csv").write_text(STOPS)
    (tmp_path / "mine.yaml").write_text(MINE)
    return tmp_path


def solved(path, **options):
    (found,) = read_instances(path, sheet=SheetOptions(**HERE, **options))
    return found


def test_a_file_says_what_columns_mean(day):
    found = solved(day / "stops.csv", columns=day / "mine.yaml")
    assert found.demand.tolist() == [0, 4, 5]
    assert found.own_constraints.service.tolist() == [0.5, 0.25]  # x and y: any unit of time
    assert found.origin.read_as == [
        f"{day}/stops.csv: id = Nummer, x, y, demand = Last, service = Dauer; not used: PLZ"
    ]
    assert "Last    4, 5          demand" in solved(day / "stops.csv").error


def test_a_unit_of_the_meaning_is_that_of_the_column():
    text = "id,lat,lon,Dauer,Halt (s)\n1,52,13,0.5,\n2,52,13,0.25,\n"
    means = {"stops": {"Dauer": "service (h)", "Halt (s)": "ignore"}}
    found = read(text, depot=(52, 13), speed=30, columns=means)
    assert found.own_constraints.service.tolist() == [30, 15]
    means = {"stops": {"Dauer": "ignore", "Halt (s)": "service"}}
    found = read(text.replace("5,\n", "5,90\n"), depot=(52, 13), speed=30, columns=means)
    assert found.own_constraints.service.tolist() == [1.5, 1.5]


def test_a_file_beside_the_stops_is_used_where_it_fits(day):
    (day / "mine.yaml").rename(day / "stops.columns.yaml")
    found = solved(day / "stops.csv")
    assert found.demand.tolist() == [0, 4, 5]
    assert f"{day}/stops.columns.yaml says what columns mean" in found.origin.notes
    (day / "stops.csv").write_text(STOPS.replace("Last", "demand").replace("Dauer", "service"))
    found = solved(day / "stops.csv")
    assert found.demand.tolist() == [0, 4, 5]
    said = f"{day}/stops.columns.yaml: no column 'Last' in {day}/stops.csv; the file is not used"
    assert said in found.origin.notes
    assert solved((day / "stops.csv").read_bytes()).origin.notes == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("stops: {Last: demnad}", "stops['Last']: 'demnad' is no meaning of a column; did you"),
        ("stops: {Last: weight}", "stops['Last']: 'weight' is no meaning of a column; known are"),
        ("stops: {Last: }", "stops['Last']: null, expected what the column means, or ignore"),
        ("stops: {7: id}", "stops[7]: no text; write the heading in quotes"),
        ("stops: [Last]", "stops: a list of 1, expected an object"),
        ("stop: {}", "unknown key 'stop'; did you mean 'stops'?"),
        ("dates: ymd", "dates: 'ymd', expected one of dmy, mdy"),
        ("decimal: ;", "decimal: ';', expected one of ,, ."),
        ("stops: {Lst: demand}", "no column 'Lst' in "),
        ("stops: {Last: demand, Last: ignore}", "not YAML: 'Last' is there twice"),
        ("stops: {", "not YAML: while parsing"),
        ("stops: {Last: demand (kn)}", None),  # brackets mean nothing there
    ],
)
def test_what_is_wrong_in_such_a_file(day, text, said):
    (day / "mine.yaml").write_text(text)
    found = solved(day / "stops.csv", columns=str(day / "mine.yaml"))
    assert said is None or said in found.error.replace(f"{day}/", ""), found.error


def test_files_that_cannot_be_read(day):
    (day / "mine.yaml").write_bytes(b"stops: {M\xe4: id}")
    assert solved(day / "stops.csv", columns=day / "mine.yaml").error.endswith(
        "save it as UTF-8 text"
    )
    (day / "mine.yaml").write_bytes(b"#" * (2**20 + 1))
    assert "larger than 1048576 bytes" in solved(day / "stops.csv", columns=day / "mine.yaml").error
    with pytest.raises(OutputError, match=r"none\.yaml: cannot be read"):
        solved(day / "stops.csv", columns="none.yaml")


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_no_heading_need_be_known(tmp_path, form):
    fleet, rows = tmp_path / f"vans.{form}", [["Wagen;1", "Platz"], ["a", "9"], ["b", "8"]]
    if form == "csv":
        fleet.write_text("Wagen;1,Platz\na,9\nb,8\n")
    else:
        pytest.importorskip("xlsxwriter", reason="needs the extra sheets")
        fleet.write_bytes(xlsx(rows))
    stops = "id,x,y,demand\n1,1,1,5\n2,1,2,6\n"
    means = {"fleet": {"Wagen;1": "id", "Platz": "capacity"}}
    (unknown,), (known,) = (
        read_instances(stops.encode(), sheet=SheetOptions(depot=(0, 0), fleet=str(fleet), **more))
        for more in ({}, {"columns": means})
    )
    assert "or say with --columns what" in unknown.error
    found = known.own_constraints.vehicles
    assert [(each.id, each.capacity) for each in found] == [("a", (9,)), ("b", (8,))]
    reader = ByteReader(iter([stops.encode()]), "stops.csv", "stops")
    assert '  "Wagen;1": ignore' in columns_file(reader, SheetOptions(fleet=str(fleet)))


def test_a_meaning_is_not_guessed_over():
    text = "id,x,y,weight,Last\n1,1,1,5,2\n2,1,1,6,3\n"
    options = {"depot": (0, 0), "capacity": (9,), "columns": {"stops": {"Last": "demand"}}}
    assert "weight  5, 6" in faults(text, **options)[2]
    found = read(text, **options, ignore_columns=("rest",))
    assert found.demand.tolist() == [0, 2, 3]
    numbers = "id,x,y,Firma\n1,1,1,5\n2,1,1,6\n"
    options = {"depot": (0, 0), "columns": {"stops": {"Firma": "name"}}}
    assert read(numbers, **options).origin.names == {1: "5", 2: "6"}
