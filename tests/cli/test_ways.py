"""Ways along roads through the commands: `vrp solve --geometry`."""

import json

import pytest

from tests.cli.runs import one_line, vrp
from tests.vrpcore.roads.standin import way
from vrpcore.instance.polyline import decode_polyline

DEPOT = [8.1, 49.0]
STOPS = [[8.2, 49.1], [8.3, 49.0], [8.15, 48.95]]
PLAIN = {"capacity": 9, "depot": DEPOT, "coords": STOPS, "demands": [2, 3, 4]}


def test_ways_along_roads_in_both_formats(tmp_path, standin):
    file, out = tmp_path / "p.json", tmp_path / "answer.json"
    problem = {
        "vehicles": [{"id": 1, "start": DEPOT, "end": DEPOT}],
        "jobs": [{"id": number, "location": place} for number, place in enumerate(STOPS)],
    }
    source = ("--matrix", f"osrm={standin.url}")
    file.write_text(json.dumps(problem))
    assert "geometry" not in json.loads(vrp("solve", file, *source).stdout)["routes"][0]
    vrp("solve", file, *source, "--geometry", "-o", out)
    answer = json.loads(out.read_text())
    (route,) = answer["routes"]
    places = [tuple(step["location"]) for step in route["steps"]]
    assert decode_polyline(route["geometry"]) == way(places)
    assert answer["summary"]["distance"] == route["distance"] > 0
    assert vrp("check", file, out, *source).stdout.startswith("ok")
    file.write_text(json.dumps({**problem, "options": {"g": True}}))
    assert json.loads(vrp("solve", file, *source).stdout)["routes"] == answer["routes"]
    vrp("solve", file, *source, "--geometry", "-o", tmp_path / "map.geojson")
    line, *rest = json.loads((tmp_path / "map.geojson").read_text())["features"]
    found = [tuple(point) for point in line["geometry"]["coordinates"]]
    assert found == way(places)
    assert [each["properties"].get("stop") for each in rest] == [None, 1, 2, 3]


@pytest.mark.parametrize("ending", ["jsonl", "csv", "sol"])
def test_ways_need_a_format_that_holds_them(tmp_path, ending):
    file, asked = tmp_path / "p.json", ["--matrix", "haversine", "--speed", 50, "--geometry"]
    file.write_text(json.dumps(PLAIN))
    said = one_line(vrp("solve", file, *asked, "-o", tmp_path / f"a.{ending}", code=2).stderr)
    words = "needs --format vroom or geojson; other formats hold no ways"
    assert "--geometry" in said and words in said
    assert not list(tmp_path.glob("a.*"))
    said = one_line(vrp("solve", file, *asked, "-o", tmp_path / "a.json").stderr)
    assert f"--geometry: {words}" in said
