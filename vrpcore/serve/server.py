"""Starts, warms up, serves and stops."""

import asyncio
import json
import logging
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import closing, contextmanager

import uvicorn
from starlette.types import ASGIApp

from vrpcore.errors import OutputError
from vrpcore.instance.generator import as_instances, kool_problems
from vrpcore.roads.road_matrices import Roads
from vrpcore.serve.app import build_app
from vrpcore.serve.connections import BATCH, Connections
from vrpcore.serve.draining import QUEUE, DrainingServer, Phase
from vrpcore.serve.jobs import JobStore
from vrpcore.serve.metrics import Metrics
from vrpcore.serve.requests import Requests
from vrpcore.serve.runner import JobRunner
from vrpcore.serve.settings import ServeSettings
from vrpcore.solve.session import Session
from vrpcore.solve.solve_options import SolveOptions
from vrpcore.solve.solver import Solver

_GRACE_S = 600  # for what was accepted, once asked to stop
_WARM_SIZES = (10, 20, 50)
_log = logging.getLogger("vrp.serve")


class JsonLines(logging.Formatter):
    """A line of JSON for each record; never a word of a request's content."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        content = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            # Without its message, which may tell what an instance holds.
            content["error"] = record.exc_info[0].__name__
            content["traceback"] = "".join(traceback.format_tb(record.exc_info[2]))
        return json.dumps(content)


@contextmanager
def _logging_to_stderr() -> Iterator[None]:
    """Writes what is logged as JSON Lines; afterwards, it goes where it went before."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    before = []
    for name, level in (
        ("vrp", logging.INFO),
        ("uvicorn", logging.WARNING),
        ("asyncio", logging.WARNING),
    ):
        logger = logging.getLogger(name)
        before.append((logger, logger.handlers, logger.propagate, logger.level))
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)
    try:
        yield
    finally:
        for logger, handlers, propagate, level in before:
            logger.handlers, logger.propagate = handlers, propagate
            logger.setLevel(level)


@_logging_to_stderr()
def serve(
    settings: ServeSettings,
    solver: Solver,
    say: Callable[[str], None],
    roads: Roads | None = None,
) -> None:
    """Serves until SIGINT or SIGTERM; what was accepted by then is still answered.

    Args:
        settings: Limits and places.
        solver: With the model that serves.
        say: Called when requests can come.
        roads: As for `Requests`.

    Raises:
        VrpError: The address or the jobs' file cannot be used, the model cannot be warmed up, or
            the device is lost: only another process can open it again.
    """
    metrics, phase = Metrics(), Phase()
    failures: list[Exception] = []
    with (
        closing(JobStore(settings.jobs)) as store,
        listen(settings) as listener,
        solver.session(settings.workers, settings.room) as session,
    ):

        def fail(error: Exception) -> None:
            failures.append(error)
            phase.stopping.set()
            server.should_exit = True

        requests = Requests(session, solver.models, settings, roads, fail)
        runner = JobRunner(requests, store, phase)

        def drain() -> None:
            phase.stopping.set()
            if settings.drain_s:
                said = {"extra": {"fields": {"seconds": settings.drain_s}}}
                # In another thread: a signal may come while this one writes a line.
                threading.Thread(target=_log.info, args=("draining",), kwargs=said).start()

        app = build_app(requests, store, metrics, phase)
        connections = Connections(settings)
        server = DrainingServer(_config(app, connections), settings.drain_s, drain)

        def prepare() -> None:
            try:
                _warm_up(session)
            except CancelledError:  # the server was asked to stop before
                return
            except Exception as error:
                fail(error)
                return
            phase.warm.set()
            runner.start()
            address = listener.getsockname()
            place = _place(settings.host, address[1])
            say(f"serving on http://{place} (model {solver.model.name})")

        # In a thread of its own, so that health is answered meanwhile.
        preparing = threading.Thread(target=prepare, name="warm-up")
        preparing.start()
        try:
            asyncio.run(_run(server, listener, connections))
        finally:
            phase.stopping.set()
            runner.stop()
            session.close(wait=False)  # nobody waits for what is left,
            session.close(wait=True)  # but its threads should not be cut off
            preparing.join()
    if failures:
        raise failures[0]


async def _run(server: DrainingServer, listener: socket.socket, connections: Connections) -> None:
    asyncio.get_running_loop().set_exception_handler(connections.on_error)
    await server.serve(sockets=[listener])


def _config(app: ASGIApp, connections: Connections) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=connections.opened,  # type: ignore[arg-type]
        backlog=BATCH,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_S,
        h11_max_incomplete_event_size=2**16,
    )


def _warm_up(session: Session) -> None:
    """Solves a few instances, so that the first request finds everything loaded."""
    for size in _WARM_SIZES:
        instances = as_instances(kool_problems(2, size, 1), "warm")
        session.submit(instances, SolveOptions()).future.result()


def _place(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def listen(settings: ServeSettings) -> socket.socket:
    """Open the socket that the settings name.

    Raises:
        OutputError: The address is taken or not of this machine.
    """
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # With the protocol named: only then asyncio sends small answers at once (TCP_NODELAY),
    # instead of 40 ms later.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # else a restart must wait
    try:
        listener.bind((settings.host, settings.port))
        listener.listen(QUEUE)
    except OSError as error:
        listener.close()
        raise OutputError(
            f"{_place(settings.host, settings.port)}: cannot listen on this address: "
            f"{error.strerror}"
        ) from None
    return listener
