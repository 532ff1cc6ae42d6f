import json

import pytest

from tests.vrpcore.roads.standin import Standin
from tests.vrpcore.serve.process import GOOD
from vrpcore.serve.query import from_text, to_text
from vrpcore.solve.solve_options import SolveOptions


@pytest.mark.parametrize(
    "query",
    [
        {"improve": "magic"},
        {"fewest_vehicles": "perhaps"},
        {"fewest_vehicles": "true", "improve": "none"},
        {"time_limit": "-1"},
        {"time_limit": "1e9"},
        {"time_limit": "nan"},
        {"time_limit": "soon"},
        {"freeze": "soon"},
        {"timelimit": "2"},
        {"time_limit": ["1", "2"]},
        {"both": ["true", "true"]},
    ],
)
def test_a_wrong_query_is_refused(server, query):
    answer = server.solve([GOOD], **query)
    assert answer.status_code == 400
    assert next(iter(query)) in answer.json()["error"]["message"]


def test_no_request_makes_the_server_ask_a_routing_service(server):
    server.backend.gate.set()
    with Standin() as standin:
        source = f"osrm={standin.url}"
        types = [{"capacity": 9, "matrix": "bike"}]
        bodies = [GOOD, GOOD | {"matrix": source}]
        bodies += [{**GOOD, "vehicles": types, "capacity": None}, {**bodies[0], "name": source}]
        assert server.solve(bodies, matrix=source).status_code == 400
        answers = server.solve(bodies).json()["solutions"]
        assert standin.paths == []
    assert [each["status"] for each in answers] == ["solved", "invalid", "invalid", "solved"]
    assert answers[2]["code"] == "UNKNOWN"


def test_a_plan_goes_on_from_the_time_of_the_query(server):
    server.backend.gate.set()
    customers = [{"id": each, "x": each, "y": 0} for each in (2, 4, -3)]
    vans = [{"id": "van", "capacity": 9}]
    day = {"vehicles": vans, "depot": [0, 0], "customers": customers, "routes": [[2, 4]]}
    (answer,) = server.solve([day], freeze="2.5", improve="none").json()["solutions"]
    assert {route["customers"][0]: route["frozen"] for route in answer["routes"]} == {2: 1}
    (answer,) = server.solve([day], freeze="9:40").json()["solutions"]
    assert answer["code"] == "FREEZE"


def test_options_are_kept_as_the_query_names_them():
    options = SolveOptions(
        improve="deep", keep_cost=3.0, freeze="9:40", lost="2", goods="any", time_limit=2.5
    )
    kept = {
        "improve": "deep", "fewest_vehicles": False, "keep_cost": 3.0, "freeze": "9:40",
        "lost": "2", "goods": "any", "time_limit": 2.5,
    }  # fmt: skip
    assert json.loads(to_text(options)) == kept
    for each in (options, SolveOptions(improve="none"), SolveOptions(fewest_vehicles=True)):
        assert from_text(to_text(each)) == each
    before = {"improve": "deep", "fewest_vehicles": False, "time_limit": 2.5}
    assert from_text(json.dumps(before)) == SolveOptions(improve="deep", time_limit=2.5)


def test_the_longest_time_limit_is_the_servers(serving):
    server = serving(max_time_limit_s=2.0)
    assert server.solve([GOOD], time_limit="2.0").status_code == 200
    answer = server.solve([GOOD], time_limit="2.1")
    assert answer.status_code == 400
    words = "time_limit: '2.1': Input should be less than or equal to 2"
    assert answer.json()["error"]["message"] == words
