"""Steps that all solving routes share: bodies in, roads, orders, answers out."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import TypeVar

from fastapi import Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from vrpcore.errors import InstanceError
from vrpcore.formats.archive import IN_TEXT, is_archive
from vrpcore.formats.files import HEAD_BYTES
from vrpcore.instance.solution import Solution
from vrpcore.roads.ways import asks_for_ways
from vrpcore.serve.held_memory import MEGABYTE
from vrpcore.serve.metrics import Metrics
from vrpcore.serve.requests import (
    Answered,
    Check,
    Given,
    NothingAnsweredError,
    Requests,
    SlowBodyError,
    TooLargeError,
    nothing_answered,
)
from vrpcore.serve.settings import ServeSettings
from vrpcore.solve.order import Order
from vrpcore.solve.solve_options import SolveOptions

# What comes of bodies from here on is done outside the event loop, which must go on answering:
# matrices for 8 kB take some 20 MB, those for 40 kB a gigabyte.
_LARGE_BODY = 2**13
_IN_TEXT = IN_TEXT.encode()
_FORM = "application/x-www-form-urlencoded"  # also what curl says of any file
_ANSWER_S = 0.005  # kept back for writing an answer and its way to the client

_Found = TypeVar("_Found")
_Act = Callable[[Check], _Found]


async def solve_body(
    request: Request, requests: Requests, options: SolveOptions, *, lone_vroom: bool = False
) -> tuple[Answered, bool]:
    """Reads the body of a request and solves what is in it.

    Args:
        request: Where the body comes from; if its client disconnects, the order is taken back.
        requests: Reads and solves.
        options: Their time limit counts from now, reading included.
        lone_vroom: The body must be one problem of VROOM's.

    Returns:
        The answers, and whether the body was large.

    Raises:
        ClientDisconnect: The client disconnected.
        VrpError: As of `Requests`.
    """
    started = time.perf_counter()
    (items, starts), large = await _given_in(request, requests, lone_vroom=lone_vroom)
    own = await _done(large, partial(requests.memory.num_bytes, items))
    with requests.memory.holding(own):
        if requests.lacks_roads(items):
            items = await _unless_gone(request, requests.asking, partial(requests.routed, items))
        if options.time_limit is not None:
            left = max(0.0, options.time_limit - (time.perf_counter() - started) - _ANSWER_S)
            options = replace(options, time_limit=left)
        order = await _done(large, partial(requests.submit, Given(items, starts), options))
        solutions = await answers_of(order, request)
        if any(map(asks_for_ways, items)):
            ask = partial(requests.with_ways, items, solutions)
            solutions = await _unless_gone(request, requests.asking, ask)
    seconds = time.perf_counter() - started
    return Answered(items, solutions, seconds, order.options.improve), large


async def _unless_gone(
    request: Request, turn: AbstractAsyncContextManager[None], act: _Act[_Found]
) -> _Found:
    """Call a function in a thread, when it is its turn, until the client disconnects."""
    gone = threading.Event()

    def check() -> None:
        if gone.is_set():
            raise ClientDisconnect

    async with _watching(request, gone.set), turn:
        return await run_in_threadpool(act, check)


@asynccontextmanager
async def _watching(request: Request, leave: Callable[[], object]) -> AsyncIterator[None]:
    """Calls a function if the client disconnects meanwhile."""

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        leave()

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()


async def _given_in(
    request: Request, requests: Requests, *, lone_vroom: bool
) -> tuple[Given, bool]:
    """The instances of a request, and whether its body was large, or may unpack to much."""
    chosen = requests.read_vroom if lone_vroom else requests.read
    async with body_of(request, requests) as body:
        large = len(body) >= _LARGE_BODY or _has_workbook(body)
        read = partial(chosen, body, requests.settings.max_instances)
        return (await in_turn(request, requests, body, read) if large else read()), large


def _has_workbook(body: bytes) -> bool:
    return is_archive(body) or _IN_TEXT in body


async def in_turn(request: Request, requests: Requests, body: bytes, read: _Act[_Found]) -> _Found:
    """Reads a body in a thread, when it is its turn, until the client disconnects.

    Reading may take much memory, also of a small body, and in Python two would be read no faster
    side by side. Workbooks, which unpack to much, wait with large bodies.

    Args:
        request: Where the body comes from.
        requests: Has the turns.
        body: What is read.
        read: Reads it; calls its last argument from time to time.
    """
    turn = requests.reading[len(body) >= MEGABYTE or _has_workbook(body)]
    return await _unless_gone(request, turn, read)


async def _done(large: bool, act: Callable[[], _Found]) -> _Found:
    """Return the result of a function, called in a thread where it has much to do."""
    return await run_in_threadpool(act) if large else act()


async def answer_response(
    found: Answered, requests: Requests, metrics: Metrics, *, large: bool, both: bool = False
) -> Response:
    """Writes the answers as one document, and counts them.

    Args:
        found: The answers.
        requests: Writes.
        metrics: Counts.
        large: There is much to write; views of a small body may be large, too.
        both: The document also holds the answers in the form of the request.

    Raises:
        NothingAnsweredError: Internal errors have cost all answers.
    """
    document = await _done(large or both, partial(requests.document, found, both=both))
    if nothing_answered(document.solutions):
        raise NothingAnsweredError(found.items, document.solutions)
    for answer in document.solutions:
        metrics.instances.labels(answer.status).inc()
    return Response(document.content, media_type="application/json")


@asynccontextmanager
async def body_of(
    request: Request, requests: Requests, *, rows: bool = True
) -> AsyncIterator[bytes]:
    """The body of a request, counted among what requests hold until it is left.

    Args:
        request: Where it comes from.
        requests: Know what is allowed.
        rows: A text needs more than one line.

    Raises:
        InstanceError: It was stripped of its line ends (code FORMAT).
        TooLargeError: It is larger than one body may be.
        OverloadedError: All requests together would hold too much.
        SlowBodyError: It takes too long.
        ClientDisconnect: It ends too early.
    """
    with requests.memory.holding() as more:
        body = await _received(request, requests.settings, more)
        form = request.headers.get("content-type", "").startswith(_FORM)
        if rows and form and _is_one_line(body):
            message = "there are no rows of stops: the body of the form is one line; "
            advice = "send the file with curl --data-binary @FILE, which keeps the ends of lines"
            raise InstanceError(message + advice, code="FORMAT")
        yield body


def _is_one_line(body: bytes) -> bool:
    """Return whether a body is a text of one line, and not JSON."""
    head = body[:HEAD_BYTES].strip()
    is_text = bool(head) and head[:1] not in b"{[" and b"\0" not in head
    return is_text and b"\n" not in body and b"\r" not in body


async def _received(
    request: Request, settings: ServeSettings, count: Callable[[int], None]
) -> bytes:
    """A body, never more than allowed, of which each part is counted as it comes."""
    most, seconds = min(settings.max_body_bytes, settings.max_memory_bytes), settings.body_timeout_s
    too_large = TooLargeError(f"the body is larger than {most} bytes")
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > most:
        raise too_large
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            async for part in request.stream():
                size += len(part)
                if size > most:
                    raise too_large
                count(len(part))
                parts.append(part)
        return b"".join(parts)
    except TimeoutError:
        raise SlowBodyError(
            f"{size} bytes of the body in {seconds:g} seconds; send it faster"
        ) from None
    finally:
        parts.clear()  # an error keeps this frame until it is answered


async def answers_of(order: Order, request: Request) -> list[Solution]:
    """Waits for an order; stops it if the client disconnects.

    Raises:
        ClientDisconnect: It did.
    """
    async with _watching(request, order.stop):
        try:
            return await asyncio.wrap_future(order.future)
        except asyncio.CancelledError:
            raise ClientDisconnect from None
