import json

from tests.vrpcore.serve.doubles import BAD, finished
from tests.vrpcore.serve.process import GOOD
from tests.vrpcore.vroom_problems import vroom_problem
from vrpcore.serve.jobs import DONE, FAILED, QUEUED, RUNNING
from vrpcore.solve.solve_options import IMPROVES

VROOM = vroom_problem(1, 5)


def test_the_description_names_what_is_there(server):
    described = server.client.get("/openapi.json").json()
    assert set(described["paths"]) == {
        "/v1/solve", "/v1/instances", "/v1/tables", "/v1/jobs", "/v1/jobs/{job_id}", "/metrics",
        "/v2/health/live", "/v2/health/ready",
    }  # fmt: skip
    assert "422" in described["paths"]["/v1/solve"]["post"]["responses"]


def test_answers_have_what_is_described(server):
    """The whole description is tried in test_description.py; here, its keys."""
    paths = server.client.get("/openapi.json").json()["paths"]

    def described(path, method, status):
        content = paths[path][method]["responses"][status]["content"]
        return content["application/json"]["schema"]

    def fits(found, kind):
        return set(kind["required"]) <= set(found) <= set(kind["properties"])

    kind, vroom, _, both = described("/v1/solve", "post", "200")["anyOf"]
    answer = server.solve([GOOD, BAD]).json()
    assert fits(answer, kind)
    one = kind["properties"]["solutions"]["items"]
    assert all(fits(each, one) for each in answer["solutions"])
    refused = server.solve([BAD]).json()
    assert fits(refused, described("/v1/solve", "post", "422")["anyOf"][0])
    for body in (VROOM, {**VROOM, "jobs": 5}):
        assert fits(server.solve(body, improve="none").json(), vroom)

    assert fits(server.solve([GOOD], both=True).json(), both)
    valid, invalid = described("/v1/instances", "post", "200")["properties"]["items"]["items"][
        "anyOf"
    ]
    told = server.client.post("/v1/instances", content=json.dumps([GOOD, BAD, VROOM])).json()
    assert [fits(*pair) for pair in zip(told["items"], (valid, invalid, valid), strict=True)]

    kind = described("/v1/jobs/{job_id}", "get", "200")
    server.runner.start()
    accepted = server.client.post("/v1/jobs", content=json.dumps([GOOD])).json()
    assert fits(accepted, kind)
    job = finished(server, accepted["id"])
    server.runner.stop()
    assert set(job) == set(kind["properties"]) - {"error"}
    assert kind["properties"]["status"]["enum"] == [QUEUED, RUNNING, DONE, FAILED]
    assert kind["properties"]["improve"]["enum"] == list(IMPROVES)
