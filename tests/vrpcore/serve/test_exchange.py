"""Roads that the server asks for, for who sends only locations."""

import asyncio
import json
import threading
from functools import partial

import pytest

from tests.vrpcore.roads.standin import status
from tests.vrpcore.serve.doubles import Server, finished
from tests.vrpcore.solve.doubles import SOON
from vrpcore.formats.json.jsonio import read_instances
from vrpcore.formats.polyline import decode_polyline
from vrpcore.referee.vroom_referee import check_vroom
from vrpcore.roads.instances import ways_between, with_matrices
from vrpcore.roads.road_matrices import Roads
from vrpcore.roads.road_options import RoadOptions
from vrpcore.search import rich_library
from vrpcore.serve.exchange import in_turn
from vrpcore.serve.requests import Requests
from vrpcore.serve.settings import ServeSettings

pytestmark = pytest.mark.skipif(not rich_library.is_built(), reason="the search was not built")
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
def routing(tmp_path, roads):
    server = Server(tmp_path, roads, max_routed=3)
    yield server
    server.close()


@pytest.mark.parametrize("path", ["/", "/v1/solve"])
def test_a_problem_without_matrices_gets_them(routing, standin, roads, path):
    answer = routing.client.post(path, content=json.dumps(PROBLEM))
    assert answer.status_code == 200
    (item,) = read_instances(PROBLEM, roads=True)
    ways = ways_between(with_matrices(item, roads))
    assert check_vroom(PROBLEM, answer.json(), ways) == []
    assert answer.json()["summary"]["distance"] > 0
    asked = len(standin.paths)
    assert routing.client.post(path, content=json.dumps(GIVEN)).status_code == 200
    assert len(standin.paths) == asked  # who brings matrices needs no roads


def test_a_problem_may_ask_for_ways(routing, standin):
    wants = json.dumps({**PROBLEM, "options": {"g": True, "x": 0}})
    answer = routing.client.post("/", content=wants).json()
    assert len(decode_polyline(answer["routes"][0]["geometry"])) > len(PLACES)
    standin.faults += [None, status(501)]
    answer = routing.client.post("/", content=wants).json()
    words = f"NO_GEOMETRY: osrm at {standin.url}: answers with status 501"
    assert answer["warnings"] == ["POLICY_SKIPPED", words]
    assert "geometry" not in answer["routes"][0]
    given = json.dumps({**GIVEN, "options": {"g": True, "x": 0}})
    answer = routing.client.post("/", content=given).json()
    assert answer["warnings"] == ["POLICY_SKIPPED", "NO_GEOMETRY: locations have no coordinates"]


def test_a_job_gets_them_as_well(routing):
    routing.runner.start()
    job = routing.client.post("/v1/jobs?improve=none", content=json.dumps(PROBLEM)).json()["id"]
    assert finished(routing, job)["answer"]["code"] == 0
    routing.runner.stop()


def test_a_service_that_is_down_costs_its_own_request_alone(routing, standin):
    standin.faults += [status(501)] * 2  # one of those that are not asked again
    answer = routing.client.post("/v1/solve", content=json.dumps(PROBLEM))
    assert answer.status_code == 502
    assert answer.json()["error"]["code"] == "ROADS"
    words = f"osrm at {standin.url}: answers with status 501"
    assert answer.json()["error"]["message"] == words
    in_kind = routing.client.post("/", content=json.dumps(PROBLEM))
    assert (in_kind.status_code, in_kind.json()) == (500, {"code": 3, "error": words})
    assert routing.client.post("/", content=json.dumps(PROBLEM)).status_code == 200


def test_a_service_that_is_not_there_costs_its_own_request_alone(tmp_path):
    options = RoadOptions(matrix="osrm=http://127.0.0.1:9", matrix_cache="none")
    with Roads(options) as nowhere:
        server = Server(tmp_path, nowhere)
        try:
            answer = server.client.post("/v1/solve", content=json.dumps(PROBLEM))
            assert answer.status_code == 502
            assert "cannot be reached" in answer.json()["error"]["message"]
            assert server.client.post("/", content=json.dumps(GIVEN)).status_code == 200
        finally:
            server.close()


def test_locations_that_the_service_refuses(routing):
    sea = {**PROBLEM, "jobs": [{"id": 1, "location": [0, 0]}]}
    answer = routing.client.post("/v1/solve", content=json.dumps(sea))
    assert (answer.status_code, answer.json()["code"]) == (422, 3)
    assert "(job 1)" in answer.json()["error"]
    answer = routing.client.post("/", content=json.dumps(sea))
    assert (answer.status_code, answer.json()["code"]) == (500, 3)


def test_roads_of_too_many_stops_are_not_asked_for(routing, standin):
    jobs = [{"id": number, "location": [13 + number / 10, 52]} for number in range(4)]
    answer = routing.client.post("/", content=json.dumps({**PROBLEM, "jobs": jobs}))
    assert (answer.status_code, answer.json()["code"]) == (413, 4)
    words = "instance-0: 4 stops without matrices, this server asks for the roads of at most 3; "
    assert words.partition(": ")[2] in answer.json()["error"]
    assert standin.paths == []


def test_large_bodies_are_read_one_after_the_other(tmp_path):
    requests = Requests(None, [], ServeSettings(jobs=tmp_path / "jobs.sqlite"))
    entered, go, large = [], threading.Event(), b" " * 2**16

    def read(name):
        entered.append(name)
        assert go.wait(SOON)
        return name

    async def main():
        first = asyncio.create_task(in_turn(requests, large, partial(read, "first")))
        while not entered:
            await asyncio.sleep(0.001)
        second = asyncio.create_task(in_turn(requests, large, partial(read, "second")))
        await in_turn(requests, b" ", partial(entered.append, "small"))
        assert entered == ["first", "small"]
        go.set()
        assert [await first, await second] == ["first", "second"]

    asyncio.run(main())
    assert entered == ["first", "small", "second"]
