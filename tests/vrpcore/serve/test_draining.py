import signal

import pytest
import uvicorn

from tests.vrpcore.serve.process import SOON, until
from vrpcore.serve.draining import DrainingServer, Phase


def made(drain_s):
    started = []
    config = uvicorn.Config(lambda: None, log_config=None)
    return DrainingServer(config, drain_s, lambda: started.append(True)), started


def test_it_goes_on_for_a_while_and_ends():
    server, started = made(0.3)
    server.handle_exit(signal.SIGTERM, None)
    assert started == [True]
    assert not server.should_exit
    until(lambda: server.should_exit)


@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_it_at_once(second):
    server, started = made(SOON)
    server.handle_exit(signal.SIGTERM, None)
    server.handle_exit(second, None)
    assert server.should_exit
    assert started == [True]


@pytest.mark.parametrize(("drain_s", "first"), [(0.0, signal.SIGTERM), (SOON, signal.SIGINT)])
def test_without_a_wait_it_ends_at_once(drain_s, first):
    server, started = made(drain_s)
    server.handle_exit(first, None)
    assert server.should_exit
    assert started == [True]


def test_it_is_ready_from_warm_to_stopping():
    phase = Phase()
    assert not phase.ready
    phase.warm.set()
    assert phase.ready
    phase.stopping.set()
    assert not phase.ready
