"""docs/serving/ray_serve.py, with a stand-in for Ray Serve, which is not installed."""

import importlib
import json
import sys
from types import SimpleNamespace

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

BODY = json.dumps({"depot": [0, 0], "capacity": 9, "customers": [{"x": 3, "y": 4, "demand": 1}]})


@pytest.fixture
def client(monkeypatch):
    def deployment(**_):
        def decorate(kind):
            kind.bind = classmethod(lambda cls: cls())
            return kind

        return decorate

    serve = SimpleNamespace(deployment=deployment)
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(serve=serve))
    replica = importlib.import_module("docs.serving.ray_serve").app

    async def answer(request):
        return await replica(request)

    yield TestClient(Starlette(routes=[Route("/", answer, methods=["POST"])]))
    replica.requests.session.close(wait=True)
    del sys.modules["docs.serving.ray_serve"]


def test_a_replica_answers_and_refuses(client):
    reply = client.post("/?time_limit=0.1", content=BODY)
    assert reply.status_code == 200
    assert reply.json()["solutions"][0]["cost"] == 10
    assert client.post("/?time_limit=soon", content=BODY).status_code == 422
    assert client.post("/", content="{").status_code == 422
    refused = client.post("/?improve=deep", content=BODY)
    assert (refused.status_code, "unknown key 'improve'" in refused.text) == (422, True)
    assert client.post("/", content=" " * (32 * 2**20 + 1)).status_code == 413
