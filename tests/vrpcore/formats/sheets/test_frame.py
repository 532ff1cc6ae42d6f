import pytest

from vrpcore.errors import InstanceError
from vrpcore.formats.options import SheetOptions
from vrpcore.formats.read import read_instances
from vrpcore.formats.sheets.opened import frame_reader

pandas = pytest.importorskip("pandas", reason="needs the extra frame")

STOPS = {"id": ["a", "b"], "x": [3, 0], "y": [4, 1.2345], "demand": [2, None], "Name": ["é", None]}
ALONE = SheetOptions(depot=(0, 0), capacity=(5,))


def text_of(frame):
    return frame_reader(frame, "stops").rest().decode()


def test_an_index_with_a_name_is_a_column():
    frame = pandas.DataFrame(STOPS)[["id", "x"]]
    assert text_of(frame.set_index("id")) == "id,x\na,3\nb,0\n"
    assert text_of(frame.set_index(["x", "id"]).assign(y=1)).startswith("x,id,y\n3,a,1\n")


def test_a_frame_and_its_file_are_the_same_instance(tmp_path):
    frame = pandas.DataFrame(STOPS)
    file = tmp_path / "instance-0.csv"
    frame.to_csv(file, index=False)
    (read,) = read_instances(frame, sheet=ALONE)
    (expected,) = read_instances(file, sheet=ALONE)
    assert (read.name, read.ids, read.constraints) == (expected.name, ("a", "b"), None)
    assert read.coords.tolist() == expected.coords.tolist() == [[0, 0], [3, 4], [0, 1.2345]]
    assert read.demand.tolist() == expected.demand.tolist()


def test_numbers_of_a_frame_never_have_thousands():
    (read,) = read_instances(
        pandas.DataFrame({"x": [1.234, 850], "y": [1, 2], "demand": [1, 2]}), sheet=ALONE
    )
    assert read.coords.tolist() == [[0, 0], [1.234, 1], [850, 2]]


def test_a_frame_may_have_lengths_of_time():
    stay = pandas.to_timedelta([8, 90], unit="min")
    frame = pandas.DataFrame({"id": [1, 2], "x": [1, 2], "y": [0, 0], "service": stay})
    (item,) = read_instances(frame, sheet=SheetOptions(depot=(0, 0), speed=1))
    assert item.own_constraints.service.tolist() == [8, 90]


def test_the_fleet_may_be_a_frame_too():
    fleet = pandas.DataFrame({"id": ["van", "bike"], "capacity": [5, 2], "count": [1, None]})
    (read,) = read_instances(pandas.DataFrame(STOPS), sheet=SheetOptions(fleet=fleet, depot=(0, 0)))
    assert [each.id for each in read.constraints.vehicles] == ["van", "bike"]


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (pandas.DataFrame(), "DataFrame: no columns, expected some such as id, lat, lon, demand"),
        (
            pandas.DataFrame([[1]], columns=pandas.MultiIndex.from_tuples([("a", "b")])),
            "DataFrame: 2 levels of columns, expected one; flatten them",
        ),
        (pandas.DataFrame({"id": [1]}), "DataFrame: row 1: no columns lat and lon, or x and y"),
        (
            pandas.DataFrame({**STOPS, "demand": ["two", 1]}),
            "DataFrame: row 2, column demand: 'two' is not a number",
        ),
    ],
)
def test_what_is_wrong_is_said_as_of_a_file(frame, said):
    (found,) = read_instances(frame, sheet=ALONE)
    assert found.error.startswith(said)
    assert found.kind == "csv"


def test_what_is_missing_is_named_as_python_does():
    (found,) = read_instances(pandas.DataFrame(STOPS))
    assert "give depot" in found.error
    assert "--" not in found.error


def test_a_fleet_without_columns():
    with pytest.raises(InstanceError, match="fleet: no columns"):
        frame_reader(pandas.DataFrame(), "fleet")
