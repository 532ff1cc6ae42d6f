"""Each example does what its text says, by the commands in its text."""

import csv
import json
import re
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tests.examples.sections import EXAMPLES, PICTURES, README, commands, run, sections

if not shutil.which("bash"):
    pytest.skip("the commands of the examples need bash", allow_module_level=True)

MOST_BYTES = 120_000  # of a picture
OK, BUSY, WRONG = 200, 429, 422


def read(folder, name="plan.json"):
    """A JSON file of an example."""
    return json.loads((folder / name).read_text(encoding="utf-8"))


def plan(folder):
    """The only answer in plan.json."""
    (answer,) = read(folder)["solutions"]
    return answer


def reasons(answer):
    """Why somebody is not served, by id."""
    return {item["id"]: item["reason"] for item in answer["unserved"]}


def vehicles(answer):
    """The vehicle of each route, sorted."""
    return sorted(route["vehicle"] for route in answer["routes"])


def stops(answer):
    """All who are served, route by route."""
    return [stop for route in answer["routes"] for stop in route["customers"]]


def run_example(name, folder):
    """Runs it; the folder with what it wrote, all of it found right by the referee."""
    place, said = run(name, folder)
    assert re.search(r"^\d+ checked, 0 wrong$", said, re.MULTILINE), said
    picture = (place / f"{name}.svg").read_bytes()
    assert picture.startswith(b"<?xml")
    assert len(picture) < MOST_BYTES
    return place


def test_every_example_has_its_text_and_its_picture():
    folders = {path.name for path in EXAMPLES.iterdir() if path.is_dir()}
    assert set(sections()) == folders
    assert {path.stem for path in PICTURES.iterdir()} == folders
    for name, text in sections().items():
        assert f"](../docs/examples/{name}.svg)" in text
        assert f"{name}.svg" in commands(name) or name == "milk"
        assert (PICTURES / f"{name}.svg").stat().st_size < MOST_BYTES


def test_the_table_and_the_links_lead_somewhere():
    heads = re.findall(r"^## (.*)$", README, re.MULTILINE)
    anchors = ["#" + re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads]
    assert re.findall(r"\((#[^)]*)\)", README) == anchors
    for link in re.findall(r"\]\((\.\./[^)#]*)", README):
        assert (EXAMPLES / link).exists(), link


def test_flowers(tmp_path):
    answer = plan(run_example("flowers", tmp_path))
    assert [route["load"] for route in answer["routes"]] == [12] * 4


@pytest.mark.slow
def test_bakery(tmp_path):
    answer = plan(run_example("bakery", tmp_path))
    assert vehicles(answer) == ["van"] * 3
    begins = {
        stop: begin
        for route in answer["routes"]
        for stop, begin in zip(route["customers"], route["begins"], strict=True)
    }
    assert len(begins) == 20
    assert 4 * 60 + 45 <= begins["station-kiosk"] <= 5 * 60 + 15
    assert begins["school-canteen"] >= 6 * 60 + 40


@pytest.mark.slow
def test_parcels(tmp_path):
    folder = run_example("parcels", tmp_path)
    answer = plan(folder)
    assert vehicles(answer) == ["bike-south"] * 2 + ["van-north"] + ["van-south"] * 2
    parcels = read(folder, "parcels.json")["customers"]
    old_town = {parcel["id"] for parcel in parcels if "skills" in parcel}
    bikes = [route for route in answer["routes"] if route["vehicle"] == "bike-south"]
    assert len(old_town) == 10
    assert old_town <= {stop for route in bikes for stop in route["customers"]}


@pytest.mark.slow
def test_furniture(tmp_path):
    answer = plan(run_example("furniture", tmp_path))
    assert len(answer["routes"]) == 3
    for route in answer["routes"]:
        collects = [stop.startswith("return-") for stop in route["customers"]]
        assert collects == sorted(collects)
        assert not all(collects)


@pytest.mark.slow
def test_samples(tmp_path):
    answer = plan(run_example("samples", tmp_path))
    assert vehicles(answer) == ["courier"] * 2
    assert {route["end"] for route in answer["routes"]} == {None}
    assert "surgery-07:pickup" in stops(answer)


@pytest.mark.slow
def test_rides(tmp_path):
    answer = plan(run_example("rides", tmp_path))
    assert vehicles(answer) == ["minibus"] * 2 + ["van"]
    (van,) = (route["customers"] for route in answer["routes"] if route["vehicle"] == "van")
    aboard = []
    for stop in van:
        name, end = stop.split(":")
        if end == "pickup":
            aboard.append(name)
        else:
            assert aboard.pop() == name
    assert 20 < max(max(route.get("rides") or [0]) for route in answer["routes"]) <= 25


@pytest.mark.slow
def test_sales(tmp_path):
    answer = plan(run_example("sales", tmp_path))
    assert answer["status"] == "solved"
    assert len(answer["routes"][0]["customers"]) == 13
    assert set(reasons(answer).values()) == {"PRIZE"}


@pytest.mark.slow
def test_storm(tmp_path):
    answer = plan(run_example("storm", tmp_path))
    rows = re.findall(r"^\| `(.*)` \| `(.*)` \| (.*) \|$", sections()["storm"], re.MULTILINE)
    assert [(item["id"], item["reason"], item["detail"]) for item in answer["unserved"]] == rows
    assert len(rows) == 4
    assert {"hospital", "school"} <= set(stops(answer))


@pytest.mark.slow
def test_care(tmp_path):
    answer = plan(run_example("care", tmp_path))
    assert vehicles(answer) == ["anna", "ben", "cleo"]
    for route in answer["routes"]:
        (rest,) = route["breaks"]
        assert 11 * 60 + 30 <= rest["begin"] <= 13 * 60


@pytest.mark.slow
def test_oil(tmp_path):
    answer = plan(run_example("oil", tmp_path))
    assert vehicles(answer) == ["tanker"] * 2
    assert len(stops(answer)) == 20
    assert sum(1 + len(route.get("reloads", ())) for route in answer["routes"]) == 5


@pytest.mark.slow
def test_splits(tmp_path):
    folder = run_example("splits", tmp_path)
    answer = plan(folder)
    assert [route["load"] for route in answer["routes"]] == [10] * 12
    parts = {}
    for route in answer["routes"]:
        for stop, amount in zip(route["customers"], route["amounts"], strict=True):
            parts.setdefault(stop, []).append(amount)
    orders = read(folder, "orders.json")["customers"]
    assert {stop: sum(own) for stop, own in parts.items()} == {
        row["id"]: row["demand"] for row in orders
    }
    assert parts["bolte"] == [6]


@pytest.mark.slow
def test_lockers(tmp_path):
    folder = run_example("lockers", tmp_path)
    document, answer = read(folder, "parcels.json"), plan(folder)
    served = set(stops(answer))
    members = [group["members"] for group in document["groups"]]
    assert all(len(served.intersection(own)) == 1 for own in members)
    boxed = {own[0] for own in members}
    assert {stop for stop in served if stop.startswith("home")}.isdisjoint(boxed)


@pytest.mark.slow
def test_repairs(tmp_path):
    answer = plan(run_example("repairs", tmp_path))
    late = [time for route in answer["routes"] for time in route["late"] if time > 0]
    assert vehicles(answer) == ["technician"] * 2
    assert len(late) == 1
    assert late[0] == pytest.approx(2.28, abs=0.01)


@pytest.mark.slow
def test_breakdown(tmp_path):
    folder = run_example("breakdown", tmp_path)
    (before,) = read(folder, "planned.json")["solutions"]
    (after,) = read(folder, "rest.json")["solutions"]
    assert vehicles(before) == [f"van-{number}" for number in range(1, 6)]
    assert vehicles(after) == ["hired", *vehicles(before)]
    assert (after["kept"] + after["moved"], after["status"]) == (39, "solved")
    assert 9 <= after["moved"] <= 14
    assert {"new-1", "new-2", "new-3"} <= set(stops(after))
    earlier = {route["vehicle"]: route for route in before["routes"]}
    for route in after["routes"]:
        begins = earlier.get(route["vehicle"], {"begins": ()})["begins"]
        assert route["frozen"] == sum(begin < 580 for begin in begins)
        assert all(begin >= 580 for begin in route["begins"][route["frozen"] :])
    (lost,) = (route for route in after["routes"] if "lost" in route)
    left = {each["id"] for each in lost["loaded"]} - {*lost["customers"]}
    loaded = {"order-4", "order-7", "order-13", "order-16", "order-32"}
    assert (lost["vehicle"], left) == ("van-3", loaded)
    assert loaded <= {*stops(after)}
    # What the lost van had on board is loaded anew at the depot before it is delivered.
    for route in after["routes"]:
        for position in (at for at, stop in enumerate(route["customers"]) if stop in loaded):
            reloads = (each["begin"] for each in route["reloads"] if each["after"] <= position)
            assert max(route["departure"], *reloads, 0) >= 580


@pytest.mark.slow
def test_vroom(tmp_path):
    answer = read(run_example("vroom", tmp_path), "solution.json")
    assert answer["code"] == 0
    assert len(answer["routes"]) == 2
    (left,) = answer["unassigned"]
    assert (left["description"], left["reason"]) == ("solar roof", "SKILLS")
    for route in answer["routes"]:
        assert "break" in [step["type"] for step in route["steps"]]


@pytest.mark.slow
def test_grocery(tmp_path):
    folder = run_example("grocery", tmp_path)
    orders, rows = (
        list(csv.DictReader((folder / name).read_text(encoding="utf-8").splitlines()))
        for name in ("stops.csv", "routes.csv")
    )
    assert sorted(row["order no"] for row in rows) == [row["order no"] for row in orders]
    assert all(row["from"] <= row["begin"] <= row["to"] for row in rows)
    assert all(row["vehicle"] == "cooled" for row in rows if row["needs"] == "cooling")


@pytest.mark.slow
def test_milk(tmp_path):
    (answer,) = read(run_example("milk", tmp_path))
    (small,) = [route for route in answer["routes"] if route["vehicle"] == "small"]
    assert {"Glaserhof", "Fohrenhof"} < set(small["customers"])
    assert (len(answer["routes"]), len(small["customers"])) == (2, 6)


@pytest.mark.slow  # docs/interface/http.md begins with such a program
def test_server(tmp_path):
    answers = read(run_example("server", tmp_path))
    assert [answer["name"] for answer in answers] == ["monday", "tuesday", "wednesday"]
    assert {answer["status"] for answer in answers} == {"solved"}


@pytest.fixture
def stand_in():
    """A server that says what it is told to; its address, and what it was asked."""
    asked, replies = [], []

    class Handler(BaseHTTPRequestHandler):
        def reply(self, status, document):
            self.send_response(status)
            self.send_header("Retry-After", "0")
            self.end_headers()
            self.wfile.write(json.dumps(document).encode())

        def do_GET(self):
            self.reply(OK, {})

        def do_POST(self):
            name = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["name"]
            asked.append(name)
            status = replies.pop(0) if replies else OK
            self.reply(status, {"solutions": [{"name": name, "status": "solved"}]})

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked, replies
    server.shutdown()
    thread.join()
    server.server_close()


def ask(address, folder):
    """Runs the client with two days."""
    (folder / "days.json").write_text('[{"name": "a"}, {"name": "b"}]')
    client = EXAMPLES / "server" / "client.py"
    words = [sys.executable, client, address, folder / "days.json", folder / "out.json"]
    return subprocess.run(words, capture_output=True, text=True, timeout=120)


def test_the_client_asks_again_where_there_is_no_room(stand_in, tmp_path):
    address, asked, replies = stand_in
    replies += [BUSY, BUSY, BUSY]
    found = ask(address, tmp_path)
    assert found.returncode == 0, found.stderr
    assert [answer["name"] for answer in read(tmp_path, "out.json")] == ["a", "b"]
    assert len(asked) == 5
    assert found.stderr.count("no room, again in 0 s") == 3


def test_the_client_tells_other_errors(stand_in, tmp_path):
    address, _, replies = stand_in
    replies += [WRONG, WRONG]
    found = ask(address, tmp_path)
    assert found.returncode == 1
    assert "a: 422" in found.stderr
    assert not (tmp_path / "out.json").exists()


@pytest.mark.slow
def test_javascript(tmp_path):
    if not shutil.which("node"):
        pytest.skip("Node is not installed")
    (answer,) = read(run_example("javascript", tmp_path))
    assert len(answer["routes"]) == 4


@pytest.mark.slow
def test_training(tmp_path):
    folder = run_example("training", tmp_path)
    assert read(folder)["model"]["name"] == "lunch"
    best = [sys.executable, "-m", "vrpcore.cli", "solve", folder / "today.json", "-q"]
    found = subprocess.run(best, capture_output=True, text=True, check=True, timeout=120)
    (searched,) = json.loads(found.stdout)["solutions"]
    assert plan(folder)["cost"] < 1.1 * searched["cost"]
