import numpy as np

from tests.vrpcore.serve.doubles import TOO_LATE
from tests.vrpcore.vroom_problems import vroom_problem
from vrpcore.formats.read import read_instances
from vrpcore.formats.spreadsheets import TEMPLATE
from vrpcore.instance.instance import Instance
from vrpcore.serve import preview
from vrpcore.serve.preview import COUNTS_TWICE, MATRICES, previews

PLAIN = {"name": "a", "capacity": 3, "depot": [0, 0], "coords": [[1, 1]], "demands": [2]}
BAD = {**PLAIN, "name": "b", "capacity": -1}
SHEETS = {"stops": TEMPLATE["stops.csv"], "fleet": TEMPLATE["vans.csv"], "name": "c"}
MATRIX = [[0, 1, 2], [1, 0, 3], [2, 3, 0]]


def test_items_by_kind():
    items = read_instances([PLAIN, BAD, SHEETS, vroom_problem(1, 4), {"vehicles": [], "jobs": []}])
    found = previews(items)
    assert [each["in_kind"] for each in found] == [None, None, "csv", "vroom", "vroom"]
    assert [item.kind for item in items] == [each["in_kind"] for each in found]
    assert found[0] == {
        "in_kind": None, "instance": PLAIN, "clock": None, "notes": [], "names": {},
        "far": [], "left_out": [],
    }  # fmt: skip
    assert {"name": "b", "code": "OUT_OF_RANGE"}.items() <= found[1].items()
    assert found[2]["clock"] == 60 and "phone" in found[2]["notes"][0]
    assert found[3]["clock"] == 1
    assert "instance" not in found[4] and found[4]["error"]


def test_what_json_cannot_say_is_not_shown():
    found = previews(read_instances([TOO_LATE, PLAIN]))
    assert (found[0]["code"], "instance" in found[1]) == ("NOT_WRITABLE", True)


def test_names_of_spreadsheets_are_told_by_id():
    stops = "id,name,lat,lon\n7,Bakery,52.5,13.4\n8,,52.6,13.4\n"
    (found,) = previews(read_instances([{"stops": stops, "depot": [52.5, 13.3]}]))
    assert found["names"] == {"7": "Bakery"}
    assert [each["id"] for each in found["instance"]["customers"]] == [7, 8]


def test_what_is_told_is_the_instance():
    """Of documents with all features, but for what is said to be left out."""
    for seed in range(40):
        (item,) = read_instances([vroom_problem(seed, 12)])
        (found,) = previews([item])
        assert set(found["left_out"]) <= {COUNTS_TWICE}
        (again,) = read_instances([found["instance"]])
        assert isinstance(again, Instance), again
        assert again.ids == item.ids
        for name in ("delivery", "pickup", "shipment", "windows", "service", "priority"):
            assert np.array_equal(
                getattr(again.own_constraints, name), getattr(item.own_constraints, name)
            ), name
        for one, other in zip(
            again.own_constraints.vehicles, item.own_constraints.vehicles, strict=True
        ):
            assert (one.id, one.window, one.breaks) == (other.id, other.window, other.breaks)


def test_matrices_beyond_the_limit_are_left_out_and_said_to_be(monkeypatch):
    one = {"customers": [{"id": 1, "demand": 1}, {"id": 2, "demand": 1}], "capacity": 3}
    rows = [{**one, "distances": MATRIX}] * 3 + [{**one, "durations": MATRIX}]
    monkeypatch.setattr(preview, "MAX_NUMBERS", 20)
    found = previews(read_instances(rows))
    assert [each["left_out"] for each in found] == [[], [], [MATRICES], [MATRICES]]
    assert "distances" in found[1]["instance"] and "distances" not in found[2]["instance"]


def test_tables_by_vehicle_beyond_the_limit_are_refused(monkeypatch):
    times = {"service_by_vehicle": {"0": 3}}
    rows = [{"id": index, "x": 1, "y": index, **times} for index in range(3)]
    many = {"depot": [0, 0], "vehicles": [{}, {}], "customers": rows}
    monkeypatch.setattr(preview, "MAX_NUMBERS", 8)
    first, second, third = previews(read_instances([many, many, PLAIN]))
    assert "instance" in first and "instance" in third
    assert (second["code"], second["name"]) == ("TOO_LARGE", "instance-1")


def test_keys_that_are_ignored_are_reported():
    (item,) = read_instances([{**vroom_problem(1, 4), "extra": {"g": True}}])
    assert previews([item])[0]["notes"] == ["keys that are not VROOM's are ignored: extra"]


def test_notes_of_spreadsheets_name_keys_and_no_flags():
    stops = "id;x;y;demand\na;1;1;850\nb;2;2;1.200\n"
    (item,) = read_instances([{"stops": stops, "depot": [0, 0], "capacity": 9000}])
    assert "say decimal" in item.error and "--" not in item.error
    (item,) = read_instances(
        [{"stops": stops.replace("1.200", "1"), "depot": [0, 0], "capacity": 900}]
    )
    assert previews([item])[0]["notes"] == ["stops: id, x, y, demand"]
