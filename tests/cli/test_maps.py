"""Roads of a map through the commands: `--matrix osm=FILE`."""

import json
import signal

import pytest

from tests.cli.runs import vrp
from tests.vrpcore.roads.street_map import (
    ACROSS,
    OFF_MAP,
    POINTS,
    UP,
    needs_valhalla,
    write_map,
)
from tests.vrpcore.serve.process import ServerProcess

pytestmark = [
    needs_valhalla,
    pytest.mark.usefixtures("alone"),
]


@pytest.fixture
def day(tmp_path):
    """A problem with a truck and a bicycle, and the words that name its roads."""
    stops = [(2, "truck"), (4, "truck"), (7, "bike")]
    problem = {
        "name": "streets",
        "depot": POINTS[1],
        "customers": [
            {"id": f"at {number}", "x": POINTS[number][0], "y": POINTS[number][1], "demand": 1}
            | {"skills": [skill]}
            for number, skill in stops
        ],
        "vehicles": [
            {"id": name, "count": 1, "capacity": 9, "matrix": name, "skills": [name]}
            for name in ("truck", "bike")
        ],
    }
    file = write_map(tmp_path / "map.osm.pbf")
    (tmp_path / "day.json").write_text(json.dumps(problem))
    return tmp_path / "day.json", ["--matrix", f"osm={file}"]


def test_solve_and_check(day, tmp_path):
    source, roads = day
    out = tmp_path / "answer.json"
    said = vrp("solve", source, *roads, "-o", out).stderr
    assert "map.osm.pbf: preparing its roads once" in " ".join(said.split())
    (answer,) = json.loads(out.read_text())["solutions"]
    found = {route["vehicle"]: route for route in answer["routes"]}
    # By 2 and 5 to 4, and the long way back; the bicycle by the street that trucks may not take.
    assert found["truck"]["customers"] == ["at 4", "at 2"]
    assert found["truck"]["distance"] == pytest.approx(8 * ACROSS + 2 * UP, rel=5e-3)
    assert found["bike"]["distance"] == pytest.approx(4 * UP, rel=5e-3)
    checked = vrp("check", source, out, *roads).stderr
    assert checked == "1 checked, 0 wrong\n"


def test_check_says_what_takes_long(day, tmp_path):
    source, roads = day
    out = tmp_path / "answer.json"
    vrp("solve", source, "--matrix", "haversine", "--speed", "50", "-o", out)
    assert "preparing its roads once" in vrp("check", source, out, *roads, code=6).stderr


def test_geometry(day, tmp_path):
    source, roads = day
    out = tmp_path / "answer.geojson"
    vrp("solve", source, *roads, "--geometry", "-o", out)
    lines = [
        each["geometry"]["coordinates"]
        for each in json.loads(out.read_text())["features"]
        if each["geometry"]["type"] == "LineString"
    ]
    assert all(POINTS[3] in line for line in lines if POINTS[5] in line)
    assert sum(POINTS[5] in line for line in lines) == 1


def test_a_stop_off_the_map(day):
    source, roads = day
    problem = json.loads(source.read_text())
    problem["customers"][1] |= {"id": "far", "x": OFF_MAP[0], "y": OFF_MAP[1]}
    source.write_text(json.dumps(problem))
    answer = vrp("solve", source, *roads, code=4)
    assert "of coordinate 2 (stop 'far')" in answer.stdout


@pytest.mark.parametrize(
    ("content", "code", "message"),
    [
        (None, 8, "map.osm.pbf: cannot be read: No such file or directory"),
        (b"<osm/>", 9, "map.osm.pbf: no map; expected an extract of OpenStreetMap, .osm.pbf"),
    ],
)
def test_maps_that_are_none(day, tmp_path, content, code, message):
    source, roads = day
    (tmp_path / "map.osm.pbf").unlink()
    if content is not None:
        (tmp_path / "map.osm.pbf").write_bytes(content)
    for words in (("solve", source), ("check", source, source), ("serve",)):
        said = vrp(*words, *roads, code=code).stderr
        assert message in " ".join(said.split()), words


def test_the_server_has_the_same_roads(day, tmp_path):
    _, roads = day
    server = ServerProcess(tmp_path, *roads)
    document = {"name": "pair", "depot": POINTS[2], "coords": [POINTS[5]], "demands": [1]}
    answer = server.ask("/v1/solve?time_limit=1", [document | {"capacity": 1}])
    server.end(signal.SIGTERM)
    # There by the one-way street, back around it.
    assert answer["solutions"][0]["cost"] == pytest.approx(2 * ACROSS + 2 * UP, rel=5e-3)
    assert any("preparing its roads once" in line for line in server.lines)
