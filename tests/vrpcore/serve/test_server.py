import json
import logging
import socket
import sys

import pytest

from vrpcore.errors import OutputError
from vrpcore.serve.server import JsonLines, listen, serve
from vrpcore.serve.settings import ServeSettings


def test_small_answers_are_sent_at_once(tmp_path):
    settings = ServeSettings(port=0, jobs=tmp_path / "jobs.sqlite")
    with listen(settings) as listener:
        assert listener.proto == socket.IPPROTO_TCP  # asyncio sets TCP_NODELAY by it


def test_an_address_that_is_taken_is_reported(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        settings = ServeSettings(port=port, jobs=tmp_path / "jobs.sqlite")
        with pytest.raises(OutputError, match=rf"127\.0\.0\.1:{port}: cannot listen on this addr"):
            listen(settings)


def test_an_address_of_version_6_stands_in_brackets(tmp_path, monkeypatch):
    monkeypatch.setenv("VRP_API_KEY", "k" * 16)
    settings = ServeSettings(host="2001:db8::1", jobs=tmp_path / "jobs.sqlite")  # nobody has it
    with pytest.raises(OutputError, match=r"^\[2001:db8::1\]:8000: cannot listen on this address"):
        listen(settings)


def test_a_record_is_a_line_of_json():
    record = logging.LogRecord("vrp.serve", logging.INFO, "", 0, "request", None, None)
    record.fields = {"status": 200, "ms": 1.5}
    line = json.loads(JsonLines().format(record))
    assert line.pop("time").startswith("20")
    assert line == {"level": "info", "event": "request", "status": 200, "ms": 1.5}
    stop = "Smith"
    try:
        raise ValueError(f"stop {stop}\nis not here")
    except ValueError:
        record.exc_info = sys.exc_info()
    text = JsonLines().format(record)
    assert "\n" not in text
    assert "Smith" not in text  # of a request
    line = json.loads(text)
    assert (line["error"], "test_server.py" in line["traceback"]) == ("ValueError", True)


def test_afterwards_logs_go_where_they_went_before(tmp_path):
    def state():
        loggers = [logging.getLogger(name) for name in ("vrp", "uvicorn")]
        return [(list(each.handlers), each.propagate, each.level) for each in loggers]

    before = state()
    with pytest.raises(OutputError, match="cannot be used as the job database"):
        serve(ServeSettings(port=0, jobs=tmp_path), None, print)
    assert state() == before
