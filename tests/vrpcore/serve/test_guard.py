import asyncio
import base64
import json

import pytest

from tests.vrpcore.serve.doubles import HERE, submitted
from tests.vrpcore.serve.process import GOOD
from vrpcore.serve.guard import Guard, error_response
from vrpcore.serve.metrics import Metrics
from vrpcore.serve.settings import ServeSettings


def test_a_key_is_asked_for_everywhere_but_at_health(serving):
    server = serving(api_key="k" * 16)
    for path in ("/", "/docs", "/docs/swagger-ui.css", "/metrics", "/openapi.json", "/nowhere"):
        answer = server.client.get(path)
        assert answer.status_code == 401, path
        assert answer.headers["www-authenticate"].startswith("Basic")  # a browser asks for it
    assert server.client.get("/v1/jobs").status_code == 401
    assert server.client.get("/v2/health/live").status_code == 200
    assert server.client.get("/v2/health/ready").status_code == 200
    assert server.solve([GOOD]).status_code == 401
    basic = "Basic " + base64.b64encode(b"any:" + b"k" * 16).decode()
    for headers in (
        {"X-API-Key": "k" * 16},
        {"Authorization": "Bearer " + "k" * 16},
        {"Authorization": basic},  # what a browser sends once its user was asked
    ):
        assert server.client.get("/metrics", headers=headers).status_code == 200
    for headers in (
        {"X-API-Key": "k" * 15},
        {"Authorization": "Basic " + "k" * 16},
        {"Authorization": "Basic ="},
        {"Authorization": basic, "X-API-Key": "wrong"},
    ):
        answer = server.client.get("/metrics", headers=headers)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Basic")
    # What the page sends itself must not make the browser ask its user once more.
    assert server.solve([GOOD]).headers["www-authenticate"].startswith("Bearer")


def test_every_answer_carries_the_headers_that_protect_a_browser(server):
    for answer in (server.solve([GOOD]), server.client.get("/nowhere"), server.solve(b"x")):
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("host", [None, "https://tile.example.org"])
def test_images_come_from_the_host_of_the_tiles_and_from_nowhere_else(serving, host):
    more = {} if host is None else {"tiles": f"{host}/{{z}}/{{x}}/{{y}}.png"}
    server = serving(**more)
    answer = server.client.get("/page/streets.json")
    policy = answer.headers["content-security-policy"]
    images = f"img-src 'self' data: blob:{f' {host}' if host else ''}; connect-src 'self';"
    assert images in policy and policy.count("https:") == (host is not None)
    said = "\N{COPYRIGHT SIGN} OpenStreetMap contributors"
    assert answer.json() == {"tiles": more.get("tiles"), "attribution": said}


def test_a_query_that_is_no_text_is_refused_and_logged(caplog):
    said = []

    async def send(message):
        said.append(message)

    guard = Guard(None, ServeSettings(), Metrics())  # refused before anybody else is asked
    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"a=\xff", "headers": []}
    with caplog.at_level("INFO", "vrp.serve"):
        asyncio.run(guard(scope, None, send))
    assert said[0]["status"] == 400
    error = {"code": "QUERY", "message": "the query is not UTF-8"}
    fields = caplog.records[-1].fields
    assert json.loads(said[1]["body"]) == {"error": error, "request_id": fields.pop("id")}
    assert 0 < fields.pop("ms") < 1000
    assert (fields.pop("received"), fields.pop("sent")) == (0, len(said[1]["body"]))
    assert fields == {"method": "GET", "route": "other", "status": 400}


def test_a_request_keeps_its_id_in_answer_error_and_log(server, caplog):
    given = "trace-7/a:b=c"
    body = json.dumps([GOOD])
    with caplog.at_level("INFO", "vrp.serve"):
        answer = server.client.post("/v1/solve", content=body, headers={"X-Request-ID": given})
        wrong = server.client.get("/v1/jobs/x", headers={"X-Request-ID": given})
    assert answer.headers["x-request-id"] == wrong.headers["x-request-id"] == given
    assert wrong.json()["request_id"] == given
    first, second = [record.fields for record in caplog.records if record.msg == "request"]
    assert first["id"] == second["id"] == given
    assert (first["received"], first["sent"]) == (len(body), len(answer.content))
    assert (second["received"], second["sent"]) == (0, len(wrong.content))


def test_an_id_that_could_not_stand_in_a_log_is_replaced(server):
    found = set()
    for given in ("", "a b", "x" * 129, 'a"b'):
        own = server.client.get("/v2/health/live", headers={"X-Request-ID": given})
        found.add(own.headers["x-request-id"])
    found.add(server.client.get("/v2/health/live").headers["x-request-id"])
    assert len(found) == 5
    assert all(len(each) == 16 and each.isalnum() for each in found)


def test_pages_of_another_origin_are_answered_where_it_is_allowed(server, serving):
    own, asked = "https://app.example", {"access-control-request-method": "POST"}
    assert "access-control-allow-origin" not in server.solve([GOOD]).headers
    other = serving(api_key="k" * 16, cors=own)
    may = other.client.options("/v1/solve", headers={"origin": own, **asked})
    assert (may.status_code, may.headers["access-control-allow-origin"]) == (200, own)
    may = other.client.options("/v1/solve", headers={"origin": "https://x.example", **asked})
    assert may.status_code == 400
    refused = other.client.get("/v1/jobs", headers={"origin": own})  # the page sees why
    assert refused.status_code == 401
    assert refused.headers["access-control-allow-origin"] == own
    assert "X-Request-ID" in refused.headers["access-control-expose-headers"]


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "10.0.0.1", "localhost.evil.example", "[::1", ""]
)
def test_without_a_key_no_other_name_of_this_machine_is_answered(server, host):
    """As a page has it that lets its own name lead here (DNS rebinding)."""
    answer = server.client.get("/v1/jobs", headers={"host": host})
    told = answer.json()["error"]
    assert (answer.status_code, told["code"]) == (403, "FORBIDDEN")
    words = "expected localhost or a loopback address, as the server has no key; set VRP_API_KEY"
    assert told["message"] == f"host: {host!r}, {words}"
    assert server.client.get("/v2/health/ready", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["localhost", "LocalHost:8000", "127.0.0.1", "127.8.8.8", "[::1]:8000"]
)
def test_this_machine_has_several_names(server, host):
    assert server.client.get("/v1/jobs", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("origin", ["https://evil.example", "http://127.0.0.1:3000", "null"])
def test_without_a_key_pages_of_others_send_nothing(server, origin):
    """Browsers ask nobody before they send plain text."""
    headers = {"origin": origin, "content-type": "text/plain"}
    answer = server.client.post("/v1/jobs", content=json.dumps([GOOD]), headers=headers)
    words = "expected this server's own, as it has no key; --cors allows pages of another"
    told = {"code": "FORBIDDEN", "message": f"origin: {origin!r}, {words}"}
    assert (answer.status_code, answer.json()["error"]) == (403, told)
    assert server.store.counts() == {}
    own = {**headers, "origin": HERE}
    answer = server.client.post("/v1/jobs", content=json.dumps([GOOD]), headers=own)
    assert answer.status_code == 202


@pytest.mark.parametrize(
    ("settings", "host"),
    [
        ({"cors": "https://app.example"}, "localhost"),
        ({"cors": "*"}, "localhost"),
        ({"api_key": "k" * 16}, "vrp.example"),
    ],
)
def test_where_pages_are_allowed_or_a_key_is_needed_it_is_not_looked_at(serving, settings, host):
    other = serving(**settings)
    headers = {"origin": "https://app.example", "host": host, "x-api-key": "k" * 16}
    assert other.client.get("/v1/jobs", headers=headers).status_code == 200


BASIC = {"authorization": "Basic " + base64.b64encode(b"any:" + b"k" * 16).decode()}


def test_no_other_page_uses_the_password_that_a_browser_knows(serving):
    other = serving(api_key="k" * 16)
    origin = {"origin": "https://evil.example", "content-type": "text/plain"}

    def submitted(**headers):
        own = {**origin, **{name.replace("_", "-"): each for name, each in headers.items()}}
        return other.client.post("/v1/jobs", content=b"[]", headers=own)

    answer = submitted(**BASIC)
    words = "expected this server's own, as browsers send the key by themselves"
    words = f"origin: 'https://evil.example', {words}; --cors allows pages of another"
    told = {"code": "FORBIDDEN", "message": words}
    assert (answer.status_code, answer.json()["error"]) == (403, told)
    assert submitted(**BASIC, sec_fetch_site="cross-site").status_code == 403
    assert other.store.counts() == {}
    # Its own page, also behind a proxy by another name.
    assert submitted(**BASIC, origin=HERE).status_code == 202
    assert submitted(**BASIC, sec_fetch_site="same-origin").status_code == 202
    assert submitted(x_api_key="k" * 16).status_code == 202  # no browser adds that
    link = BASIC | {"sec-fetch-site": "cross-site"}
    assert other.client.get("/", headers=link).status_code == 200
    allowing = serving(api_key="k" * 16, cors="https://evil.example")
    answer = allowing.client.post("/v1/jobs", content=b"[]", headers=origin | BASIC)
    assert answer.status_code == 202


@pytest.mark.parametrize(
    ("status", "headers", "read"),
    [
        (401, {"content-length": "30"}, 3),
        (413, {"transfer-encoding": "chunked"}, 3),
        (413, {"content-length": "3000", "expect": "100-continue"}, 0),  # it sends nothing
        (413, {"content-length": "3000"}, 4),  # so much is not waited for
        (200, {"content-length": "30"}, 0),
    ],
)
def test_a_body_is_read_before_it_is_refused(status, headers, read):
    """A client that still sends would only see that the connection is closed."""
    settings = ServeSettings(max_body_bytes=10)
    count, sent = int(headers.get("content-length", 30)) // 10, []

    async def answering(scope, receive, send):
        await error_response(status, "X", "no")(scope, receive, send)

    async def receive():
        received.append(1)
        return {"type": "http.request", "body": b" " * 10, "more_body": len(received) < count}

    async def send(message):
        sent.append((message["type"], len(received)))

    received = []
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "POST", "path": "/v1/solve", "query_string": b""}
    guard = Guard(answering, settings, Metrics())
    asyncio.run(guard({**scope, "headers": raw}, receive, send))
    assert sent == [("http.response.start", read), ("http.response.body", read)]


@pytest.mark.parametrize("prefix", ["", "/vrp"])  # a proxy may pass it on
def test_behind_a_proxy_all_places_have_its_prefix(serving, prefix):
    server = serving(root_path="/vrp")
    job = server.post(f"{prefix}/v1/jobs", [GOOD])
    assert (job.status_code, job.headers["location"]) == (202, f"jobs/{job.json()['id']}")
    place = job.request.url.join(job.headers["location"])
    assert server.client.get(place).json()["id"] == job.json()["id"]
    described = server.client.get(f"{prefix}/openapi.json").json()
    assert described["servers"] == [{"url": "/vrp"}]
    moved = server.client.get(f"{prefix}/v1/jobs/", follow_redirects=False)
    assert (moved.status_code, moved.headers["location"]) == (307, f"{HERE}/vrp/v1/jobs")
    express = server.client.post(f"{prefix}/", content="{}")
    assert (express.status_code, express.json()["code"]) == (400, 2)
    assert server.client.put(f"{prefix}/v1/jobs").headers["allow"] == "GET, HEAD, POST"
    assert server.client.get(f"{prefix}/v2/health/ready").status_code == 200
    assert server.client.get("/vrpx").status_code == 404


@pytest.mark.parametrize("path", ["/", "/health", "/v2/health/live", "/v2/health/ready", "/docs"])
def test_head_is_answered_as_get_without_the_body(server, path):
    head, get = (server.client.request(method, path) for method in ("HEAD", "GET"))
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers.get("content-length") == get.headers.get("content-length")


def test_head_of_events_does_not_wait_for_them(server):
    job = submitted(server, GOOD)
    sent, gone = [], asyncio.Event()

    async def receive():
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)
        if message["type"] == "http.response.body":
            gone.set()

    scope = {"type": "http", "path": f"/v1/jobs/{job}/events", "query_string": b"", "headers": []}
    asyncio.run(server.app({**scope, "method": "HEAD"}, receive, send))
    assert [each.get("body", b"") for each in sent] == [b"", b""]


def test_an_error_by_hand():
    answer = error_response(429, "FULL", "come again", {"retry-after": "3"}, answer=[1])
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "3")
    expected = {"error": {"code": "FULL", "message": "come again"}, "answer": [1]}
    assert json.loads(answer.body) == expected
