"""Roads through the commands: `vrp solve`, `check` and `plot` with `--matrix`."""

import csv
import json
import subprocess
import sys

import pytest

from tests.cli.runs import lines, names, vrp
from tests.vrpcore.roads.standin import PACE, metres, seconds, status

pytestmark = pytest.mark.usefixtures("alone")

DEPOT = [8.1, 49.0]
STOPS = [[8.2, 49.1], [8.3, 49.0], [8.15, 48.95]]
PLAIN = {"capacity": 9, "depot": DEPOT, "coords": STOPS, "demands": [2, 3, 4]}
TIMED = {"name": "timed", **PLAIN, "windows": [[0, 120], None, [10, 90]]}
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


@pytest.fixture
def day(tmp_path):
    """Words that name spreadsheets of the stops and two vans, one of them with a speed."""
    stops, vans = tmp_path / "stops.csv", tmp_path / "vans.csv"
    rows = [f"{lat},{lon}" for lon, lat in STOPS]
    windows = ["9:00,11:00", ",", "8:30,12:15"]
    text = [f"{i},{rows[i]},{i + 2},{windows[i]},0:05" for i in range(3)]
    stops.write_text("\n".join(["id,lat,lon,demand,open,close,service", *text, ""]))
    depot = f"{DEPOT[1]},{DEPOT[0]}"
    lines = [f"van,1,5,{depot},20,8:00,18:00,,12", f"big,1,9,{depot},50,7:30,,30,"]
    head = "id,count,capacity,lat,lon,fixed_cost,open,close,speed,cost_per_hour"
    vans.write_text("\n".join([head, *lines, ""]))
    return [stops, "--fleet", vans]


def same_day():
    """The same as JSON, in minutes and metres, with the stand-in's matrices."""
    windows = [[540, 660], None, [510, 735]]
    customers = [
        {"id": i, "x": x, "y": y, "demand": i + 2, "service": 5}
        | ({"window": windows[i]} if windows[i] else {})
        for i, (x, y) in enumerate(STOPS)
    ]
    van = {"id": "van", "capacity": 5, "window": [480, 1080], "duration_cost": 0.2}
    big = {"id": "big", "capacity": 9, "window": [450, None]}
    costs = [{"fixed_cost": 20}, {"fixed_cost": 50}]
    vehicles = [
        each | cost | {"count": 1, "distance_cost": 0.001}
        for each, cost in zip((van, big), costs, strict=True)
    ]
    return {
        "name": "stops",
        "depots": [{"id": "van", "x": DEPOT[0], "y": DEPOT[1]}],
        "customers": customers,
        "vehicles": vehicles,
        "distances": table(metres),
        "durations": [[value / 60 for value in row] for row in table(seconds)],
    }


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
    vrp("plot", source, out, "-o", tmp_path / "map.png")
    assert (tmp_path / "map.png").stat().st_size > 10_000


def test_great_circles_are_those_of_the_metric_and_its_speed(tmp_path):
    source, known = tmp_path / "in.json", tmp_path / "known.json"
    wide = TIMED | {"windows": [[0, 3000], None, [0, 2000]]}
    source.write_text(json.dumps(wide))
    known.write_text(json.dumps(wide | {"metric": "haversine", "speed": 12.5}))
    (one,), (other,) = (
        json.loads(vrp("solve", *words).stdout)["solutions"]
        for words in ([source, "--matrix", "haversine", "--speed", "45"], [known])
    )
    assert one["cost"] == pytest.approx(other["cost"])
    routes = [[route["customers"] for route in each["routes"]] for each in (one, other)]
    assert routes[0] == routes[1]


def test_whom_no_road_leads_to_is_not_served(standin, tmp_path):
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    standin.islands.add(tuple(STOPS[1]))
    source.write_text(lines([TIMED, PLAIN | {"capacity": 4, "demands": [1, 1, 1]}]))
    roads = ["--matrix", f"osrm={standin.url}", *MINUTES]
    vrp("solve", source, "-o", out, *roads, code=6)
    for answer in map(json.loads, out.read_text().splitlines()):
        assert (answer["status"], answer["code"]) == ("infeasible", "NO_ROAD")
        detail = "no road leads from the depot to 2"
        assert answer["error"] == f"2: no vehicle can serve it: {detail}"
        assert answer["unserved"] == [{"id": 2, "reason": "NO_ROAD", "detail": detail}]
        served = [each for route in answer["routes"] for each in route["customers"]]
        assert sorted(served) == [1, 3]
    vrp("check", source, out, *roads)
    wrong = [json.loads(line) for line in out.read_text().splitlines()]
    del wrong[0]["unserved"]
    wrong[0]["routes"][0]["customers"].append(2)
    out.write_text(lines(wrong))
    assert "no road leads from" in vrp("check", source, out, *roads, code=6).stdout


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
        (["--matrix", "osrm=http://x", "--speed", "50"], "speed: not with --matrix osrm=URL"),
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


@pytest.mark.parametrize("service", ["osrm", "valhalla", "ors"])
def test_a_spreadsheet_gets_minutes_and_kilometres(standin, day, tmp_path, service):
    roads = ["--matrix", f"{service}={standin.url}"]
    (tmp_path / "same.json").write_text(json.dumps(same_day()))
    known = json.loads(vrp("solve", tmp_path / "same.json").stdout)["solutions"]
    known[0]["routes"][0] |= {"start": "big", "end": "big"}  # each at a depot of its own name
    found = vrp("solve", *day, *roads)
    assert json.loads(found.stdout)["solutions"] == known
    assert "vans.csv: column speed is not used: matrices give the durations" in found.stderr
    vrp("solve", *day, *roads, *MINUTES, "-o", tmp_path / "routes.csv")
    with (tmp_path / "routes.csv").open(newline="") as file:
        first, *_ = csv.DictReader(file)
    route = next(each for each in known[0]["routes"] if str(each["customers"][0]) == first["id"])
    assert float(first["distance"]) == pytest.approx(route["distance"] / 1000)
    leg = seconds(tuple(DEPOT), tuple(STOPS[route["customers"][0]])) / 60
    hours, minutes = map(int, first["arrival"].split(":"))
    assert abs(hours * 60 + minutes - route["departure"] - leg) <= 0.5


def test_a_spreadsheet_is_checked_and_drawn_with_roads(standin, day, tmp_path):
    roads, out = ["--matrix", f"osrm={standin.url}"], tmp_path / "answer.json"
    vrp("solve", *day, *roads, "-o", out)
    files = [day[0], out, *day[1:]]
    assert "1 checked, 0 wrong" in vrp("check", *files, *roads).stderr
    day[2].write_text(day[2].read_text().replace(",speed,", ",,").replace(",30,", ",,"))
    words = "give --speed, or the fleet a column speed; or roads with --matrix"
    assert words in vrp("check", *files, code=6).stdout
    vrp("plot", *files, "-o", tmp_path / "day.png")
    assert (tmp_path / "day.png").stat().st_size > 10_000


def test_great_circles_of_a_spreadsheet_are_its_straight_lines(tmp_path):
    (tmp_path / "stops.csv").write_text("id,lat,lon,close\n1,49.1,8.2,10:00\n2,49,8.3,10:00\n")
    words = [tmp_path / "stops.csv", "--depot", "49,8.1", "--speed", "45"]
    (one,), (other,) = (
        json.loads(vrp("solve", *words, *more).stdout)["solutions"]
        for more in ([], ["--matrix", "haversine"])
    )
    assert one["cost"] == pytest.approx(other["cost"])
    for key in ("departure", "return", "distance", "duration"):
        values = [[route[key] for route in each["routes"]] for each in (one, other)]
        assert values[0] == pytest.approx(values[1])


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--matrix-time", "s"], 4, "stops.csv: --matrix-time s, but a spreadsheet with lat and "),
        (["--matrix-distance", "mi"], 4, "--matrix-distance mi, but a spreadsheet with lat and "),
        (["--speed", "30"], 3, "speed: not with --matrix osrm=URL, which has durations of its"),
    ],
)
def test_what_contradicts_a_spreadsheet_is_refused(standin, day, options, code, said):
    result = vrp("solve", *day, "--matrix", f"osrm={standin.url}", *options, code=code)
    assert said in result.stderr
    assert not standin.paths


def test_a_spreadsheet_with_x_and_y_has_no_roads(standin, tmp_path):
    (tmp_path / "stops.csv").write_text("id,x,y,close\n1,8.2,49.1,9:00\n")
    words = ["--depot", "8.1,49", "--matrix", f"osrm={standin.url}"]
    said = vrp("solve", tmp_path / "stops.csv", *words, code=4).stderr
    assert "stops.csv: row 1: x and y, but roads need columns lat and lon" in said


def vrooms(index=False):
    """A problem of VROOM's with two profiles: locations alone, or matrices in their place."""
    places = [tuple(place) for place in (DEPOT, *STOPS)]

    def at(row, key="location"):
        return {f"{key}_index": row} if index else {key: places[row]}

    vehicles = [
        {"id": 1, "capacity": [9], "max_tasks": 2, "costs": {"per_km": 50}},
        {"id": 2, "capacity": [9], "profile": "bike"},
    ]
    for each in vehicles:
        each |= at(0, "start") | at(0, "end")
    jobs = [{"id": row, "delivery": [2], "setup": 60, **at(row)} for row in (1, 2, 3)]
    jobs.append({"id": 4, "delivery": [1], "setup": 60, **at(1)})
    document = {"vehicles": vehicles, "jobs": jobs}
    if index:
        document["matrices"] = {
            profile: {
                "durations": [[round(each) for each in row] for row in table(seconds, profile)],
                "distances": [[round(each) for each in row] for row in table(metres)],
            }
            for profile in ("car", "bike")
        }
    return document


def without_places(answer):
    answer["summary"].pop("computing_times", None)
    for each in [*answer["unassigned"], *(s for r in answer["routes"] for s in r["steps"])]:
        each.pop("location", None)
        each.pop("location_index", None)
    return answer


@pytest.mark.parametrize("service", ["osrm", "valhalla", "ors"])
def test_a_problem_of_vrooms_with_locations_alone(standin, tmp_path, service):
    asked, given = tmp_path / "asked.json", tmp_path / "given.json"
    asked.write_text(json.dumps(vrooms()))
    given.write_text(json.dumps(vrooms(index=True)))
    roads = ["--matrix", f"{service}={standin.url}"]
    out = tmp_path / "answer.json"
    vrp("solve", asked, "-o", out, *roads)
    answer = json.loads(out.read_text())
    known = json.loads(vrp("solve", given).stdout)
    assert without_places(answer) == without_places(known)
    assert answer["summary"]["distance"] > 0
    count = len(standin.paths)
    assert count == 2  # one request a profile
    cost = answer["summary"]["cost"]
    assert vrp("check", asked, out, *roads).stdout == f"ok\tinstance-0\tcost {cost}\n"
    assert len(standin.paths) == count
    answer["routes"][0]["steps"][1]["duration"] += 1
    out.write_text(json.dumps(answer))
    assert "duration" in vrp("check", asked, out, *roads, code=6).stdout


def test_what_to_do_with_locations_alone_is_said(standin, tmp_path):
    source, out = tmp_path / "problem.json", tmp_path / "answer.json"
    source.write_text(json.dumps(vrooms()))
    found = json.loads(vrp("solve", source, code=4).stdout)
    assert found["code"] == 2
    assert "ask a routing engine with vrp solve --matrix" in found["error"]
    standin.islands.add(tuple(STOPS[1]))
    roads = ["--matrix", f"osrm={standin.url}"]
    found = json.loads(vrp("solve", source, *roads).stdout)
    (island,) = found["unassigned"]
    assert (found["code"], island["id"], island["reason"]) == (0, 2, "NO_ROAD")
    straight = ["--matrix", "haversine", "--speed", "50"]
    vrp("solve", source, "-o", out, *straight)
    assert "1 checked, 0 wrong" in vrp("check", source, out, *straight).stderr
    assert "--matrix" in vrp("check", source, out, code=6).stdout
    vrp("plot", source, out, "-o", tmp_path / "map.png")
    assert (tmp_path / "map.png").stat().st_size > 10_000
