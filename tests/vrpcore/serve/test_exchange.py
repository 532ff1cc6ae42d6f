"""Roads that the server asks for, for who sends only locations."""

import asyncio
import json
import threading
import time
from functools import partial

import pytest
from fastapi import Request
from starlette.requests import ClientDisconnect

from tests.vrpcore.roads.standin import status
from tests.vrpcore.serve.doubles import asking, finished, submitted
from tests.vrpcore.serve.process import GOOD
from tests.vrpcore.solve.doubles import SOON
from tests.vrpcore.vroom_oracle import check_vroom, ways_between
from vrpcore.formats.read import read_instances
from vrpcore.instance.polyline import decode_polyline
from vrpcore.roads.instances import with_matrices
from vrpcore.roads.road_matrices import Roads
from vrpcore.roads.road_options import RoadOptions
from vrpcore.serve.exchange import in_turn, solve_body
from vrpcore.serve.held_memory import MEGABYTE
from vrpcore.serve.requests import Requests
from vrpcore.serve.settings import ServeSettings
from vrpcore.solve.solve_options import SolveOptions

PLACES = [[13.06, 52.40], [13.70, 52.40], [13.40, 52.60]]
PROBLEM = {
    "vehicles": [{"id": 1, "start": [13.4, 52.52], "end": [13.4, 52.52]}],
    "jobs": [{"id": number, "location": place} for number, place in enumerate(PLACES, start=1)],
    "options": {"x": 0},
}
MATRIX = {"car": {"durations": [[0, 5], [5, 0]]}}
GIVEN = {
    "vehicles": [{"id": 1, "start_index": 0}],
    "jobs": [{"id": 1, "location_index": 1}],
    "matrices": MATRIX,
}


@pytest.fixture
def roads(standin):
    with Roads(RoadOptions(matrix=f"osrm={standin.url}", matrix_cache="none"), None, 4) as made:
        yield made


@pytest.fixture
def routing(serving, roads):
    return serving(roads, max_routed=3)


@pytest.mark.parametrize("path", ["/", "/v1/solve"])
def test_a_problem_without_matrices_gets_them(routing, standin, roads, path):
    answer = routing.post(path, PROBLEM)
    assert answer.status_code == 200
    (item,) = read_instances(PROBLEM, roads=True)
    ways = ways_between(with_matrices(item, roads))
    assert check_vroom(PROBLEM, answer.json(), ways) == []
    assert answer.json()["summary"]["distance"] > 0
    asked = len(standin.paths)
    assert routing.post(path, GIVEN).status_code == 200
    assert len(standin.paths) == asked  # who brings matrices needs no roads


def test_a_problem_may_ask_for_ways(routing, standin):
    wants = {**PROBLEM, "options": {"g": True, "x": 0}}
    answer = routing.post("/", wants).json()
    assert len(decode_polyline(answer["routes"][0]["geometry"])) > len(PLACES)
    standin.faults += [None, status(501)]
    answer = routing.post("/", wants).json()
    words = f"NO_GEOMETRY: osrm at {standin.url}: answers with status 501"
    assert answer["warnings"] == ["POLICY_SKIPPED", words]
    assert "geometry" not in answer["routes"][0]
    answer = routing.post("/", {**GIVEN, "options": {"g": True, "x": 0}}).json()
    assert answer["warnings"] == ["POLICY_SKIPPED", "NO_GEOMETRY: locations have no coordinates"]


def test_a_job_gets_them_as_well(routing):
    routing.runner.start()
    job = submitted(routing, PROBLEM, improve="none")
    assert finished(routing, job)["answer"]["code"] == 0


def test_a_service_that_is_down_costs_its_own_request_alone(routing, standin):
    standin.faults += [status(501)] * 2  # one of those that are not asked again
    answer = routing.post("/v1/solve", PROBLEM)
    assert answer.status_code == 502
    assert answer.json()["error"]["code"] == "ROADS"
    words = f"osrm at {standin.url}: answers with status 501"
    assert answer.json()["error"]["message"] == words
    in_kind = routing.post("/", PROBLEM)
    assert (in_kind.status_code, in_kind.json()) == (500, {"code": 3, "error": words})
    assert routing.post("/", PROBLEM).status_code == 200


def test_a_service_that_is_not_there_costs_its_own_request_alone(serving):
    options = RoadOptions(matrix="osrm=http://127.0.0.1:9", matrix_cache="none")
    with Roads(options) as nowhere:
        server = serving(nowhere)
        answer = server.post("/v1/solve", PROBLEM)
        assert answer.status_code == 502
        assert "cannot be reached" in answer.json()["error"]["message"]
        assert server.post("/", GIVEN).status_code == 200


def test_locations_that_the_service_refuses(routing):
    sea = {**PROBLEM, "jobs": [{"id": 1, "location": [0, 0]}]}
    answer = routing.post("/v1/solve", sea)
    assert (answer.status_code, answer.json()["code"]) == (422, 3)
    assert "(job 1)" in answer.json()["error"]
    answer = routing.post("/", sea)
    assert (answer.status_code, answer.json()["code"]) == (500, 3)


def test_roads_of_too_many_stops_are_not_asked_for(routing, standin):
    jobs = [{"id": number, "location": [13 + number / 10, 52]} for number in range(4)]
    answer = routing.post("/", {**PROBLEM, "jobs": jobs})
    assert (answer.status_code, answer.json()["code"]) == (413, 4)
    words = "instance-0: 4 stops without matrices, this server asks for the roads of at most 3; "
    assert words.partition(": ")[2] in answer.json()["error"]
    assert standin.paths == []


@pytest.mark.parametrize("question", ["routed", "with_ways"])
def test_no_more_roads_are_asked_for_once_the_client_is_gone(routing, monkeypatch, question):
    asked, body = [], json.dumps({**PROBLEM, "options": {"g": True, "x": 0}}).encode()

    def slow(*given):
        check = given[-1]
        end = time.monotonic() + SOON
        while time.monotonic() < end:
            asked.append(1)
            check()
            time.sleep(0.01)

    async def receive():
        await asyncio.sleep(0.001)
        if first:
            return first.pop()
        while not asked:
            await asyncio.sleep(0.001)
        return {"type": "http.disconnect"}

    async def main():
        request = Request({"type": "http", "headers": []}, receive)
        with pytest.raises(ClientDisconnect):
            await solve_body(request, routing.requests, SolveOptions())
        assert not routing.requests.asking.locked()

    first = [{"type": "http.request", "body": body, "more_body": False}]
    monkeypatch.setattr(routing.requests, question, slow)
    asyncio.run(main())


def test_bodies_are_read_one_after_the_other(tmp_path):
    requests = Requests(None, [], ServeSettings(jobs=tmp_path / "jobs.sqlite"))
    entered, go = [], threading.Event()

    def read(name, _):
        entered.append(name)
        assert go.wait(SOON)
        return name

    def reading(body, name):
        request = Request({"type": "http", "headers": []}, asyncio.Event().wait)
        return asyncio.create_task(in_turn(request, requests, body, partial(read, name)))

    async def main():
        large = b" " * MEGABYTE
        first = [reading(large, "large"), reading(b" ", "small")]
        while len(entered) < len(first):
            await asyncio.sleep(0.001)
        later = [reading(b'{"stops": "UEsDB"}', "large, later"), reading(b" ", "small, later")]
        await asyncio.sleep(0.05)
        assert sorted(entered) == ["large", "small"]  # the small one does not wait for the large
        go.set()
        await asyncio.gather(*first, *later)

    asyncio.run(main())
    assert sorted(entered[2:]) == ["large, later", "small, later"]


@pytest.mark.parametrize("path", ["/v1/instances", "/v1/jobs", "/v1/solve"])
def test_nothing_more_is_read_once_the_client_is_gone(server, monkeypatch, path):
    read, gone = [], threading.Event()

    def counted(items):
        read.append(items)
        gone.wait(SOON)
        time.sleep(0.1)  # until the server has heard it
        return 0

    async def receive():
        if sent:
            return sent.pop()
        while not read:
            await asyncio.sleep(0.001)
        gone.set()
        return {"type": "http.disconnect"}

    body = json.dumps([{**GIVEN, "name": "x" * 9000}] * 3).encode()
    sent = [{"type": "http.request", "body": body, "more_body": False}]
    scope = {"type": "http", "method": "POST", "path": path, "query_string": b""}
    scope["headers"] = [(b"host", b"localhost")]
    monkeypatch.setattr(server.requests.memory, "num_bytes", counted)
    statuses = []

    async def send(message):
        statuses.append(message.get("status"))

    asyncio.run(server.app(scope, receive, send))
    assert (len(read), statuses[0]) == (1, 499)


@pytest.mark.parametrize("path", ["/v1/instances", "/v1/jobs", "/v1/solve", "/"])
def test_small_bodies_that_become_large_are_read_in_turn(serving, path):
    """Their matrices take a thousand times as much memory as they."""
    server, busy, most = serving(), [], []
    read_all = server.requests.read_all

    def read(*arguments):
        busy.append(path)
        most.append(len(busy))
        time.sleep(0.01)
        busy.remove(path)
        return read_all(*arguments)

    server.requests.read_all = read
    profiles = {f"p{number}": {"durations": [[0]]} for number in range(20)}
    vans = [{"id": row, "profile": name, "start_index": 0} for row, name in enumerate(profiles)]
    jobs = [{"id": number, "location_index": 0} for number in range(300)]
    problem = json.dumps(
        {"vehicles": vans, "jobs": jobs, "matrices": profiles, "options": {"x": 0}}
    )

    async def main():
        async with asking(server) as client:
            return await asyncio.gather(*[client.post(path, content=problem) for _ in range(4)])

    statuses = {answer.status_code for answer in asyncio.run(main())}
    assert statuses <= {200, 202}
    assert most == [1] * 4


def test_bodies_that_wait_for_their_turn_are_counted(serving):
    server = serving(max_memory_bytes=2 * MEGABYTE)
    body = json.dumps([GOOD]).encode() + b" " * (MEGABYTE + 2**19)

    async def main():
        async with asking(server) as client:
            async with server.requests.reading[True]:
                first = asyncio.create_task(client.post("/v1/instances", content=body))
                await asyncio.sleep(0.05)
                second = await client.post("/v1/instances", content=body)
            return second, await first, await client.post("/v1/instances", content=body)

    second, first, later = asyncio.run(main())
    words = "busy with requests of 2 MB, 2 MB more would exceed the limit"
    told = {"code": "OVERLOADED", "message": words}
    assert (second.status_code, second.json()["error"]) == (429, told)
    assert (first.status_code, later.status_code) == (200, 200)


def test_no_body_is_larger_than_the_memory(serving):
    server = serving(max_memory_bytes=MEGABYTE)
    answer = server.solve(b" " * (MEGABYTE + 1))
    told = {"code": "TOO_LARGE", "message": "the body is larger than 1048576 bytes"}
    assert (answer.status_code, answer.json()["error"]) == (413, told)


FORM = {"content-type": "application/x-www-form-urlencoded"}  # what curl says of all files


@pytest.mark.parametrize("path", ["/v1/solve", "/v1/jobs", "/v1/instances", "/"])
@pytest.mark.parametrize("text", ["id,lat,lon,demanda,52.55,13.40,2", "NAME : aTYPE : CVRP", "a=1"])
def test_a_form_without_line_ends_is_told_how_to_send_them(server, path, text):
    told = server.client.post(path, content=text, headers=FORM).json()["error"]
    words = "there are no rows of stops: the body of the form is one line; send the file with "
    words += "curl --data-binary @FILE, which keeps the ends of lines"
    assert told == (words if path == "/" else {"code": "FORMAT", "message": words})


@pytest.mark.parametrize("body", [json.dumps(GOOD), f" [{json.dumps(GOOD)}]"])
def test_curl_may_strip_json(server, body):
    server.backend.gate.set()
    assert server.client.post("/v1/solve", content=body, headers=FORM).status_code == 200
    table = server.client.post("/v1/tables", content="id,lat,lon", headers=FORM)
    assert table.json() == {"tables": ["stops"]}
    packed = server.client.post("/v1/solve", content=b"\x1f\x8b\x08\0", headers=FORM)
    assert packed.json()["error"]["message"] == "the body is gzipped; send it uncompressed"


def test_a_body_that_comes_too_slowly_is_refused_and_not_held(serving):
    server = serving(body_timeout_s=0.2, max_memory_bytes=2 * MEGABYTE)
    most = 3 * MEGABYTE // 2

    async def slow():
        yield b" " * most
        await asyncio.sleep(SOON)

    async def main():
        async with asking(server) as client:
            late = await client.post("/v1/instances", content=slow())
            kind = await client.post("/", content=slow())
            return late, kind, await client.post("/v1/instances", content=b"[]" + b" " * most)

    late, kind, later = asyncio.run(main())
    words = f"{most} bytes of the body in 0.2 seconds; send it faster"
    told = {"code": "TIMEOUT", "message": words}
    assert (late.status_code, late.json()["error"]) == (408, told)
    assert (kind.status_code, kind.json()) == (408, {"code": 1, "error": words})
    assert later.status_code == 200
