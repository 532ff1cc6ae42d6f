"""Jobs over HTTP: refused at once, listed page by page; how they are worked off: test_runner.py."""

import asyncio
import json
from functools import partial

import pytest

from tests.vrpcore.serve.doubles import asking, submitted
from tests.vrpcore.serve.process import GOOD
from tests.vrpcore.vroom_problems import vroom_problem


def test_a_job_that_cannot_be_parsed_is_refused_at_once(server):
    assert server.client.post("/v1/jobs", content=b"{").status_code == 422
    assert server.store.counts() == {}


def test_only_so_many_jobs_are_kept(serving):
    server = serving(max_jobs=2)
    codes = [server.client.post("/v1/jobs", content=b"[]").status_code for _ in range(3)]
    assert codes == [202, 202, 429]


@pytest.mark.parametrize("status", ["done", "failed"])
def test_a_job_that_is_deleted_while_it_is_looked_at(server, monkeypatch, status):
    """What is shown is of one moment."""
    name = server.store.add(b"[]", "{}", 0)
    server.store.take()
    server.store.finish(name, status, b'{"code": "X"}')

    def deleting(look, job_id):
        seen = look(job_id)
        server.store.remove(job_id)
        return seen

    for method in ("find", "find_answered"):
        look = getattr(server.store, method)
        monkeypatch.setattr(server.store, method, partial(deleting, look))
    answer = server.client.get(f"/v1/jobs/{name}")
    key = "answer" if status == "done" else "error"
    assert (answer.status_code, answer.json()[key]) == (200, {"code": "X"})
    assert server.client.get(f"/v1/jobs/{name}").status_code == 404


def done(store, answer, status="done"):
    """The id of a job with this answer."""
    name = store.add(b"[]", "{}", 0)
    store.take()
    store.finish(name, status, answer)
    return name


def test_an_answer_counts_as_held_until_its_client_has_it(serving):
    server = serving(max_memory_bytes=1000)
    answer = json.dumps({"text": "x" * 600})
    name = done(server.store, answer.encode())
    scope = {
        "type": "http", "method": "GET", "path": f"/v1/jobs/{name}", "query_string": b"",
        "headers": [(b"host", b"localhost")],
    }  # fmt: skip

    async def statuses():
        taken, reached, sent = asyncio.Event(), asyncio.Event(), []

        async def send(message):
            sent.append(message)
            if len(message.get("body", b"")) > 600:
                reached.set()
                await taken.wait()

        client = asking(server)
        slow = asyncio.create_task(server.app(scope, asyncio.Event().wait, send))
        await reached.wait()
        meanwhile = await client.get(f"/v1/jobs/{name}")
        taken.set()
        await slow
        after = await client.get(f"/v1/jobs/{name}")
        whole = b"".join(message.get("body", b"") for message in sent)
        assert after.content == whole and json.loads(whole)["answer"] == json.loads(answer)
        assert int(after.headers["content-length"]) == len(whole)
        return meanwhile.status_code, after.status_code

    assert asyncio.run(statuses()) == (429, 200)
    larger = done(server.store, json.dumps("x" * 2000).encode())  # than all may be: it goes alone
    assert server.client.get(f"/v1/jobs/{larger}").json()["answer"] == "x" * 2000


def test_jobs_are_listed_page_by_page_the_newest_first(server):
    def submit():
        return submitted(server, GOOD, improve="none")

    def page(query=""):
        found = server.client.get(f"/v1/jobs{query}").json()
        return [each["id"] for each in found["jobs"]], found["next"]

    assert page() == ([], None)
    names = [submit() for _ in range(5)][::-1]
    assert page() == (names, None)
    assert page("?limit=5") == (names, None)
    found, following = page("?limit=2")
    assert found == names[:2]
    server.client.delete(f"/v1/jobs/{names[1]}")  # the last of the page before
    found, following = page(f"?limit=2&before={following}")
    assert found == names[2:4]
    assert page(f"?limit=2&before={following}") == (names[4:], None)
    (one,) = server.client.get("/v1/jobs?limit=1").json()["jobs"]
    assert (one["status"], one["instances"], one["improve"]) == ("queued", 1, "none")
    assert 0 <= one["age"] < 60
    assert "answer" not in one


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("limit=0", "limit: '0': Input should be greater than or equal to 1"),
        ("limit=1001", "limit: '1001': Input should be less than or equal to 1000"),
        ("limit=1&limit=1", "limit: given 2 times, expected once"),
        ("before=x", "before: 'x': Input should be a valid integer"),
        ("after=1", "unknown key 'after'; known are limit, before"),
    ],
)
def test_a_wrong_query_of_the_list_is_refused(server, query, words):
    answer = server.client.get(f"/v1/jobs?{query}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "QUERY")
    assert answer.json()["error"]["message"].startswith(words)


def test_a_job_of_different_options_is_refused_at_once(server):
    bodies = [{**vroom_problem(1, 4), "options": {"x": level}} for level in (1, 5)]
    answer = server.post("/v1/jobs", bodies)
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "CONFLICT"
    assert server.store.counts() == {}
