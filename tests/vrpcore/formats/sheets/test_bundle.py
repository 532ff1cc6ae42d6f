import pytest

from vrpcore.formats.read import read_instances
from vrpcore.formats.sheets.sheet import Sheet
from vrpcore.formats.spreadsheets import TEMPLATE
from vrpcore.formats.write import instance_to_dict
from vrpcore.instance.instance import InvalidInstance
from vrpcore.instance.relations import Balance

STOPS = "id,x,y,demand\n1,1,1,2\n2,3,4,1\n"


def read(**keys):
    (item,) = read_instances([keys])
    return item


def test_texts_are_the_files(tmp_path):
    stops, vans = (TEMPLATE[name] for name in ("stops.csv", "vans.csv"))
    (tmp_path / "vans.csv").write_text(vans)
    from vrpcore.api import SheetOptions

    options = SheetOptions(fleet=str(tmp_path / "vans.csv"))
    (expected,) = read_instances(stops.encode(), sheet=options)
    found = read(name="today", stops=stops, fleet=vans)
    assert isinstance(found.origin, Sheet)
    assert found.name == "today"
    assert instance_to_dict(found) | {"name": ""} == instance_to_dict(expected) | {"name": ""}
    assert found.origin.notation == expected.origin.notation
    assert found.origin.rows == expected.origin.rows


def test_what_the_stops_do_not_say():
    found = read(stops=STOPS, depot=[5, 6], capacity=9, speed=2)
    assert found.coords[0].tolist() == [5, 6]
    assert (found.capacity, found.own_constraints.speed, found.name) == (9, 2, "instance-0")
    found = read(stops=STOPS.replace("x,y", "lat,lon"), depot=[0, 0], capacity=9, speed=60,
                 balance={"duration": 2, "distance": 3, "load": 4})  # fmt: skip
    assert found.own_constraints.balance == Balance(duration=2, distance=0.003, load=4)
    found = read(stops="\ufeff\n" + STOPS.replace("demand", "demand1,demand2"), depot=[5, 6])
    assert (found.kind, type(found)) == ("csv", InvalidInstance) or found.origin.table.marked
    assert read(stops="\ufeff" + STOPS, depot=[5, 6], capacity=3).origin.table.marked
    assert not read(stops=STOPS, depot=[5, 6], capacity=3).origin.table.marked


def test_by_road_its_speed_does_not_count():
    globe = {"stops": "id,lat,lon,service\n1,52,13,5\n", "depot": [52, 13], "capacity": 3}
    for given in (globe, globe | {"speed": 30}):
        (found,) = read_instances([given], roads=True)
        assert [vehicle.speed for vehicle in found.own_constraints.vehicles] == [1]


@pytest.mark.parametrize(
    ("keys", "code", "said"),
    [
        ({"stops": STOPS}, "MISSING", "give capacity, or the fleet a column capacity"),
        ({"stops": STOPS, "capacity": 3}, "UNKNOWN", "stops: no depot: give depot, or a row"),
        (
            {"stops": "id,lat,lon,service\n1,52,13,5\n", "depot": [52, 13]}, "MISSING",
            "between the stops: give speed, or the fleet a column speed",
        ),
        ({"stops": 3}, "WRONG_TYPE", "instances[0].stops: 3, expected the text of a CSV file"),
        ({"stops": []}, "WRONG_TYPE", "a list of 0, expected the text of a CSV file; stops in"),
        ({"stops": " "}, "EMPTY", "instances[0].stops: empty, expected the text of a CSV file"),
        ({"stops": "PK\x03\x04 xl/"}, "FORMAT", "stops: a workbook that cannot be read"),
        ({"stops": "UEsDBBQA"}, "FORMAT", "instances[0].stops: an archive, but no whole work"),
        ({"stops": STOPS, "fleet": ""}, "EMPTY", "instances[0].fleet: empty"),
        ({"stops": STOPS, "fleet": "tint"}, "MISSING", "fleet: row 1: no column is known"),
        ({"stops": STOPS, "depot": "5,5"}, "SHAPE", "instances[0].depot: '5,5', expected [x, y]"),
        ({"stops": STOPS, "balance": {"work": 2}}, "UNKNOWN", "balance: unknown key 'work'"),
        ({"stops": STOPS, "vans": ""}, "UNKNOWN", "unknown key 'vans'"),
        (
            {"stops": STOPS.replace("4", "?"), "depot": [0, 0], "capacity": 3},
            "CELL", "stops: row 3, column y: '?' is not a number",
        ),
    ],
)  # fmt: skip
def test_errors_name_their_place(keys, code, said):
    found = read(**keys)
    assert (found.kind, type(found)) == ("csv", InvalidInstance)
    assert found.code == code and said in found.error
    assert "--" not in found.error and "roads" not in found.error


def test_columns_may_be_given_a_meaning_but_no_file():
    stops = STOPS.replace("demand", "stuff")
    keys = {"stops": stops, "depot": [0, 0], "capacity": 9}
    error = read(**keys).error
    said = "say what they mean with columns, or that they mean nothing with ignore_columns stuff"
    assert said in error
    found = read(**keys, columns={"stops": {"stuff": "demand"}})
    assert found.demand.tolist() == [0, 2, 1]
    assert read(**keys, columns="mine.yaml").error.endswith("expected an object")
    error = read(**keys, columns={"stops": {"stuff": 3}}).error
    assert error == "columns.stops['stuff']: 3, expected what the column means, or ignore"
