"""Requests: one connection, repetitions where they help, and errors in words."""

import contextlib
import json
import socket
import time

import pytest

from tests.vrpcore.roads.standin import changed, dripping, dropped, endless, half, slow, status
from vrpcore.errors import ConfigError, InstanceError, RoadsError
from vrpcore.roads.road_client import RoadClient
from vrpcore.roads.road_options import Address
from vrpcore.roads.services import ORS, OSRM, MatrixBlock

PIECE = MatrixBlock(((8.1, 49.0),), ((8.2, 49.0),))
ASK = OSRM.ask(PIECE, "driving")
LIMIT = 10_000


@pytest.fixture
def unhurried():
    """The pauses that a client makes, in seconds, without making them."""
    return []


@pytest.fixture
def connect(standin, unhurried):
    """Makes clients of a service, by default the stand-in; all are closed with the test."""
    with contextlib.ExitStack() as held:

        def make(service="osrm", timeout_s=5.0, url=standin.url):
            made = RoadClient(Address(service, url), timeout_s, unhurried.append)
            return held.enter_context(contextlib.closing(made))

        yield make


@pytest.fixture
def client(connect):
    return connect()


def fails(client, ask=ASK):
    """The message of an error that concerns the service."""
    with pytest.raises(RoadsError) as caught:
        client.ask(ask, LIMIT)
    assert caught.value.code == "ROADS"
    return str(caught.value)


def test_all_requests_share_one_connection(standin, client):
    for _ in range(5):
        assert client.ask(ASK, LIMIT)["code"] == "Ok"
    assert (len(standin.paths), standin.connections) == (5, 1)
    assert standin.paths[0] == ASK.path
    assert standin.headers["user-agent"].startswith("vrp/")
    assert "authorization" not in {name.lower() for name in standin.headers}


@pytest.mark.parametrize("fault", [status(500), status(502, b"<html>"), status(503), dropped, half])
def test_what_may_pass_is_asked_again(standin, client, unhurried, fault):
    standin.faults.extend([fault, fault])
    assert client.ask(ASK, LIMIT)["code"] == "Ok"
    assert unhurried == [0.5, 1.0]


def test_quotas_are_waited_for_up_to_a_minute(standin, client, unhurried):
    standin.faults.extend([status(429), status(503), status(429)])
    assert client.ask(ASK, LIMIT)["code"] == "Ok"
    assert unhurried == [5.0, 1.0, 40.0]
    standin.faults.extend([status(429)] * 4)
    assert fails(client).endswith("answers with status 429, in 4 attempts")
    assert unhurried[3:] == [5.0, 15.0, 40.0]


def test_a_service_may_say_how_long_to_wait(standin, client, unhurried):
    standin.faults.extend([status(429, retry_after="7"), status(503, retry_after="tomorrow")])
    assert client.ask(ASK, LIMIT)["code"] == "Ok"
    assert unhurried == [7.0, 1.0]
    standin.faults.append(status(429, b'{"error": "x"}', retry_after="3600"))
    assert "status 429, and asks to wait 3600 s; try again then" in fails(client)
    assert len(unhurried) == 2


def test_it_gives_up(standin, client, unhurried):
    standin.faults.extend([status(503, b'{"code": "Busy", "message": "later"}')] * 4)
    message = fails(client)
    assert message == (
        f"osrm at {standin.url}: answers with status 503: Busy: later, in 4 attempts"
    )
    assert unhurried == [0.5, 1.0, 2.0]
    standin.faults.extend([dropped] * 4)
    assert "the connection broke (" in fails(client)


def test_a_host_that_is_not_there(connect):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        assert f"osrm at {url}: cannot be reached (" in fails(connect(url=url))


@pytest.mark.parametrize("fault", [slow(0.5), dripping])
def test_no_answer_in_time(standin, connect, fault):
    standin.faults.extend([fault] * 4)
    started = time.monotonic()
    assert "no answer within 0.1 s, in 4 attempts" in fails(connect(timeout_s=0.1))
    assert time.monotonic() - started < 5.0


def test_what_was_asked_in_vain_is_not_asked_for_each_answer(standin, client, monkeypatch):
    later, now = [0.0], time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: now() + later[0])
    optional = ASK._replace(optional=True)
    standin.faults.extend([status(503)] * 4)
    words = fails(client, optional)
    assert words.endswith("answers with status 503, in 4 attempts")
    assert fails(client, optional) == words
    assert len(standin.paths) == 4
    assert client.ask(ASK, LIMIT)["code"] == "Ok"  # what is needed is asked for
    later[0] = 3600.0
    assert client.ask(optional, LIMIT)["code"] == "Ok"
    standin.faults.append(status(404))  # which costs no time
    assert fails(client, optional).endswith("answers with status 404")
    assert client.ask(optional, LIMIT)["code"] == "Ok"


def test_what_is_optional_does_not_wait_for_a_quota(standin, client):
    standin.faults.append(status(429))
    assert fails(client, ASK._replace(optional=True)).endswith("answers with status 429")
    assert len(standin.paths) == 1


def test_what_is_optional_is_waited_for_once(standin, connect):
    standin.faults.append(slow(0.5))
    said = fails(connect(timeout_s=0.1), ASK._replace(optional=True))
    assert said.endswith(": no answer within 0.1 s")
    assert len(standin.paths) == 1


def test_a_reply_beyond_the_limit_is_not_read(standin, client, unhurried):
    standin.faults.append(endless)
    assert "the reply has more than 10000 bytes" in fails(client)
    assert unhurried == []


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (status(200, b"<html>hello"), "the reply is not JSON (it begins with '<html>hello')"),
        (status(200, b""), "not JSON (it begins with '')"),
        (status(200, b"\xff\xfe"), "not JSON"),
        (status(200, b'{"durations": [[NaN]]}'), "not JSON"),
        (status(200, b"[" * 9000), "not JSON"),
        (status(200, b'{"durations": [[%s]]}' % (b"1" * 5000)), "not JSON"),
        (status(200, b"[1, 2]"), "the reply is no JSON object; is this the service's URL?"),
        (status(404, b"nothing here"), "answers with status 404"),
        (status(501), "answers with status 501"),
        (status(401), "access denied (401)"),
        (
            status(302, location="http://169.254.169.254/"),
            "redirects to 'http://169.254.169.254/'; give that URL if you trust it",
        ),
    ],
)
def test_what_is_no_answer_of_a_service(standin, client, unhurried, fault, message):
    standin.faults.append(fault)
    assert message in fails(client)
    assert len(standin.paths) == 1
    assert unhurried == []


def test_what_is_wrong_with_the_request_concerns_the_instance(standin, client):
    standin.faults.append(status(400, b'{"code": "TooBig", "message": "many\\u001b[31m"}'))
    with pytest.raises(InstanceError) as caught:
        client.ask(ASK, LIMIT)
    assert caught.value.code == "ROADS"
    assert str(caught.value) == f"osrm at {standin.url} refuses the request: TooBig: many [31m"
    standin.faults.append(changed(lambda _: {"code": "NoTable"}))  # whatever the status
    with pytest.raises(InstanceError, match="NoTable"):
        client.ask(ASK, LIMIT)


def test_a_key_goes_to_the_service_that_takes_one(standin, connect, monkeypatch):
    ask = ORS.ask(PIECE, "driving-car")
    monkeypatch.setenv("ORS_API_KEY", "a-key")
    assert "durations" in connect("ors").ask(ask, LIMIT)
    assert standin.headers["authorization"] == "a-key"
    connect("osrm").ask(ASK, LIMIT)
    assert "authorization" not in {name.lower() for name in standin.headers}
    monkeypatch.setenv("ORS_API_KEY", "wrong")
    client = connect("ors")
    message = fails(client, ask)
    assert message.endswith("access denied (403): Access to this API has been disallowed")
    monkeypatch.delenv("ORS_API_KEY")
    standin.faults.append(status(401, json.dumps({"error": "no key"}).encode()))
    assert fails(client, ask).endswith("no key; does it need a key? Set ORS_API_KEY")


def test_a_key_is_not_sent_in_the_open(connect, monkeypatch):
    monkeypatch.setenv("ORS_API_KEY", "a-key")
    with pytest.raises(ConfigError, match="would receive the key of ORS_API_KEY unencrypted"):
        connect("ors", url="http://ors.example.org")
    connect("ors", url="https://ors.example.org")
    connect("ors", url="http://127.8.8.8")
    monkeypatch.setenv("ORS_API_KEY", "a\r\nkey")
    with pytest.raises(ConfigError, match="ORS_API_KEY: contains characters that no key has"):
        connect("ors", url="https://ors.example.org")


def test_proxies_that_cannot_be_used(connect, monkeypatch):
    monkeypatch.setenv("ALL_PROXY", "nonsense://there")
    with pytest.raises(ConfigError, match="or the environment's proxy, cannot be used"):
        connect(url="http://osrm.example")


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "ALL_PROXY"])
def test_no_proxy_is_asked_for_what_is_on_this_machine(standin, connect, monkeypatch, variable):
    monkeypatch.setenv(variable, "http://127.0.0.1:9")  # where nobody answers
    monkeypatch.setenv("ORS_API_KEY", "right")
    connect("ors").ask(ORS.ask(PIECE, "driving-car"), LIMIT)
    assert standin.headers["authorization"] == "right"
