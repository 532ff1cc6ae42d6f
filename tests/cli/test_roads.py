"""Roads through the commands: `vrp solve`, `check` and `plot` with `--matrix`."""

import json
import subprocess
import sys

import pytest

from tests.cli.runs import lines, names, vrp
from tests.vrpcore.roads.standin import PACE, Standin, metres, seconds, status
from vrpcore.improve import native, native_rules

built = native.is_built() and native_rules.is_built()
pytestmark = pytest.mark.skipif(not built, reason="the search was not built")

DEPOT = [8.1, 49.0]
STOPS = [[8.2, 49.1], [8.3, 49.0], [8.15, 48.95]]
TIMED = {
    "name": "timed",
    "capacity": 9,
    "depot": DEPOT,
    "coords": STOPS,
    "demands": [2, 3, 4],
    "windows": [[0, 120], None, [10, 90]],
}
TYPED = {
    "name": "typed",
    "depots": [{"x": DEPOT[0], "y": DEPOT[1]}],
    "coords": STOPS,
    "demands": [2, 3, 4],
    "vehicles": [
        {"id": "van", "count": 1, "capacity": 5, "duration_cost": 1},
        {"id": "cargo", "capacity": 5, "matrix": "bike", "duration_cost": 1},
    ],
}
MINUTES = ["--matrix-time", "min", "--matrix-distance", "km"]


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path_factory):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "ORS_API_KEY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def standin():
    with Standin() as server:
        yield server


def table(measure, *more):
    places = [tuple(place) for place in (DEPOT, *STOPS)]
    return [[measure(start, end, *more) for end in places] for start in places]


def with_tables():
    """The same instances with the stand-in's matrices, in minutes and kilometres."""

    def minutes(name):
        return [[value / 60 for value in row] for row in table(seconds, name)]

    lengths = [[value / 1000 for value in row] for row in table(metres)]
    bike = {"bike": {"durations": minutes("bike"), "distances": lengths}}
    own = {"durations": minutes("car"), "distances": lengths}
    return [{**TIMED, **own}, {**TYPED, **own, "matrices": bike}]


@pytest.mark.parametrize("service", ["osrm", "valhalla", "ors"])
def test_answers_are_those_of_the_same_matrices_in_the_file(standin, tmp_path, service):
    assert PACE["bike"] > 1
    asked, given = tmp_path / "asked.jsonl", tmp_path / "given.jsonl"
    asked.write_text(lines([TIMED, TYPED]))
    given.write_text(lines(with_tables()))
    roads = ["--matrix", f"{service}={standin.url}", *MINUTES]
    shown = vrp("solve", asked, "--format", "jsonl", *roads).stdout
    assert shown == vrp("solve", given, "--format", "jsonl").stdout
    assert all(json.loads(line)["status"] == "solved" for line in shown.splitlines())


def test_check_takes_the_same_options_and_asks_nothing_again(standin, tmp_path):
    source, out = tmp_path / "in.jsonl", tmp_path / "out.json"
    source.write_text(lines([TIMED, TYPED]))
    roads = ["--matrix", f"osrm={standin.url}", *MINUTES]
    vrp("solve", source, "-o", out, *roads)
    asked = len(standin.paths)
    assert asked == 2  # both instances have the same places
    assert "2 checked, 0 wrong" in vrp("check", source, out, *roads).stderr
    assert len(standin.paths) == asked
    without = vrp("check", source, out, code=6).stdout.splitlines()
    assert without[0].startswith("WRONG")
    assert "'bike' is none of the instance's matrices" in without[1]
    pytest.importorskip("matplotlib")
    vrp("plot", source, out, "-o", tmp_path / "map.png")
    assert (tmp_path / "map.png").stat().st_size > 10_000


def test_great_circles_are_those_of_the_metric_and_its_speed(tmp_path):
    source, known = tmp_path / "in.json", tmp_path / "known.json"
    source.write_text(json.dumps(TIMED | {"windows": [[0, 3000], None, [0, 2000]]}))
    known.write_text(
        json.dumps(
            TIMED | {"windows": [[0, 3000], None, [0, 2000]], "metric": "haversine", "speed": 12.5}
        )
    )
    (one,) = json.loads(vrp("solve", source, "--matrix", "haversine", "--speed", "45").stdout)[
        "solutions"
    ]
    (other,) = json.loads(vrp("solve", known).stdout)["solutions"]
    assert one["cost"] == pytest.approx(other["cost"])
    assert [route["customers"] for route in one["routes"]] == [
        route["customers"] for route in other["routes"]
    ]


def test_an_instance_without_roads_is_invalid_among_the_others(standin, tmp_path):
    source = tmp_path / "in.jsonl"
    standin.islands.add(tuple(STOPS[1]))
    source.write_text(lines([TIMED, TIMED | {"coords": [[8.2, 49.1], [8.4, 49.0], [8.15, 48.95]]}]))
    roads = ["--matrix", f"osrm={standin.url}", *MINUTES]
    result = vrp("solve", source, "--format", "jsonl", *roads, code=4)
    bad, good = map(json.loads, result.stdout.splitlines())
    assert (bad["status"], bad["code"]) == ("invalid", "ROADS_UNROUTABLE")
    assert bad["error"] == (
        "no road leads from the depot to stop 2, nor between 5 other pairs; stop 2 is in 6 of them"
    )
    assert good["status"] == "solved"


def test_a_service_that_fails_ends_the_run_and_resume_goes_on(standin, tmp_path):
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    many = [TIMED | {"name": f"i{k}", "depot": [8.1, 49.0 + k / 1000]} for k in range(300)]
    source.write_text(lines(many))
    command = ["solve", source, "-o", out, "--matrix", f"osrm={standin.url}", *MINUTES]
    command += ["--improve", "none"]
    standin.faults.extend([None] * 290 + [status(404)])
    result = vrp(*command, code=9)
    assert f"osrm at {standin.url}: answers with status 404" in result.stderr
    asked = len(standin.paths)
    assert asked == 291
    result = vrp(*command, "--resume")
    assert "solved  300 of 300" in result.stderr
    assert len(standin.paths) == 301  # the others were in the cache, or answered
    assert names(tmp_path) == ["in.jsonl", "out.jsonl"]
    assert len(out.read_text().splitlines()) == 300


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--matrix", "osrm"], "matrix: 'osrm', expected osrm=URL, valhalla=URL, ors=URL"),
        (["--matrix", "osrm=ftp://x"], "expected http://HOST or https://HOST"),
        (["--matrix", "haversine"], "matrix: haversine needs a speed in km/h"),
        (["--speed", "50"], "speed: needs matrix"),
        (["--matrix-cache", "x"], "matrix_cache: needs matrix"),
    ],
)
@pytest.mark.parametrize("command", ["solve", "check"])
def test_wrong_options(tmp_path, command, arguments, message):
    source = tmp_path / "in.json"
    source.write_text(json.dumps(TIMED))
    files = [source] if command == "solve" else [source, source]
    assert message in vrp(command, *files, *arguments, code=3).stderr


def test_a_cache_that_cannot_be_written(standin, tmp_path):
    source = tmp_path / "in.json"
    source.write_text(json.dumps(TIMED))
    roads = ["--matrix", f"osrm={standin.url}", "--matrix-cache", source]
    message = vrp("solve", source, *roads, code=8).stderr
    assert "choose another --matrix-cache, or none" in " ".join(message.split())


def test_who_asks_for_no_roads_loads_no_client():
    code = "import sys, vrpcore.cli.solve_run, vrpcore.api; print('httpx2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
