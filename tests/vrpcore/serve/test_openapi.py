import json
import re

from tests.vrpcore.serve.doubles import BAD, finished
from tests.vrpcore.serve.process import GOOD
from tests.vrpcore.vroom_problems import vroom_problem
from vrpcore.serve.jobs import STATUSES
from vrpcore.serve.openapi import SCHEMAS
from vrpcore.solve.solve_options import IMPROVES

VROOM = vroom_problem(1, 5)


def test_the_description_names_what_is_there(server):
    described = server.client.get("/openapi.json").json()
    assert set(described["paths"]) == {
        "/", "/v1/solve", "/v1/instances", "/v1/tables", "/v1/jobs", "/v1/jobs/{job_id}",
        "/v1/jobs/{job_id}/events",
        "/health", "/v2/health/live", "/v2/health/ready", "/metrics",
    }  # fmt: skip
    assert "422" in described["paths"]["/v1/solve"]["post"]["responses"]


def test_answers_have_what_is_described(server):
    """The whole description is tried in test_description.py; here, its keys."""
    whole = server.client.get("/openapi.json").json()
    paths = whole["paths"]

    def named(schema):
        return whole["components"]["schemas"][schema["$ref"].rpartition("/")[2]]

    def described(path, method, status):
        content = paths[path][method]["responses"][status]["content"]
        return content["application/json"]["schema"]

    def fits(found, kind):
        kind = named(kind) if "$ref" in kind else kind
        return set(kind["required"]) <= set(found) <= set(kind["properties"])

    kind, vroom, _, both = described("/v1/solve", "post", "200")["anyOf"]
    answer = server.solve([GOOD, BAD]).json()
    assert fits(answer, kind)
    one = named(kind)["properties"]["solutions"]["items"]
    assert all(fits(each, one) for each in answer["solutions"])
    refused = server.solve([BAD]).json()
    assert fits(refused, described("/v1/solve", "post", "422")["anyOf"][0])
    for body in (VROOM, {**VROOM, "jobs": 5}):
        assert fits(server.solve(body, improve="none").json(), vroom)

    assert fits(server.solve([GOOD], both=True).json(), both)
    previews = named(described("/v1/instances", "post", "200"))
    valid, invalid = previews["properties"]["items"]["items"]["anyOf"]
    told = server.post("/v1/instances", [GOOD, BAD, VROOM]).json()
    assert [fits(*pair) for pair in zip(told["items"], (valid, invalid, valid), strict=True)]

    kind = named(described("/v1/jobs/{job_id}", "get", "200"))
    server.runner.start()
    accepted = server.post("/v1/jobs", [GOOD]).json()
    assert fits(accepted, kind)
    job = finished(server, accepted["id"])
    server.runner.stop()
    assert set(job) == set(kind["properties"]) - {"error", "age", "progress"}
    listed = server.client.get("/v1/jobs").json()
    assert fits(listed, described("/v1/jobs", "get", "200"))
    assert set(listed["jobs"][0]) == set(kind["properties"]) - {"error", "answer", "progress"}
    assert kind["properties"]["status"]["enum"] == sorted(STATUSES)
    assert kind["properties"]["improve"]["enum"] == sorted(IMPROVES)


def test_every_name_is_described_and_every_description_is_named(server):
    whole = server.client.get("/openapi.json").json()
    used = set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(whole)))
    assert "422" not in whole["paths"]["/v1/jobs"]["get"]["responses"]
    assert used == set(whole["components"]["schemas"]) == set(SCHEMAS)


def test_the_key_is_described_where_it_is_needed(server, serving):
    assert "securitySchemes" not in server.client.get("/openapi.json").json()["components"]
    other = serving(api_key="k" * 16)
    headers = {"X-API-Key": "k" * 16}
    whole = other.client.get("/openapi.json", headers=headers).json()
    assert set(whole["components"]["securitySchemes"]) == {"key", "bearer", "password"}
    assert {"key": []} in whole["security"]
    paths = whole["paths"].items()
    free = [path for path, methods in paths if '"security": []' in json.dumps(methods)]
    assert free == ["/health", "/v2/health/live", "/v2/health/ready"]
