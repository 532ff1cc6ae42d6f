"""Works the jobs off, oldest first, while requests are served."""

import json
import logging
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from vrpcore.errors import BUG, DeviceError, InternalError, OutputError, VrpError, log_internal
from vrpcore.instance.instance import Instance
from vrpcore.instance.solution import Solution
from vrpcore.serve.draining import Phase
from vrpcore.serve.job_progress import JobProgress
from vrpcore.serve.jobs import DONE, FAILED, JobRecord, JobStore
from vrpcore.serve.query import from_text
from vrpcore.serve.requests import JOB_PATIENCE_S, Answered, Given, Items, Requests
from vrpcore.solve.memory_limit import NoMemoryError, OverloadedError
from vrpcore.solve.order import Order
from vrpcore.solve.own_options import shared_options
from vrpcore.solve.solve_options import SolveOptions

# Instances of a job that are with the session at a time: enough for full batches, few enough that
# requests find room, as there are two such parts.
_PART, _PART_OF_ROOM = 256, 0.25
_PAUSE_S = 0.2
_DISK_PAUSE_S = 1.0  # until a full disk may have room
_log = logging.getLogger("vrp.serve")


class _UnwantedError(Exception):
    """Nobody waits for the rest of a job now."""


class JobRunner:
    """A thread that runs one job after the other.

    Args:
        requests: Solves.
        store: Keeps jobs.
        phase: No more jobs begin once it is stopping; the one that is running goes on.
    """

    def __init__(self, requests: Requests, store: JobStore, phase: Phase) -> None:
        self._requests, self._store, self._phase = requests, store, phase
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="jobs", daemon=True)

    def start(self) -> None:
        """Begins, with what the last server left."""
        self._thread.start()

    def stop(self) -> None:
        """Ends soon; what was running is done again by the next server."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not (self._stopping.is_set() or self._phase.stopping.is_set()):
            try:
                if (taken := self._store.take()) is None:
                    self._stopping.wait(_PAUSE_S)
                    continue
                self._work(*taken)
            except OutputError as error:
                self._wait_for_disk(error)
            except Exception as error:  # the jobs after it go on
                log_internal(error)
                self._stopping.wait(_DISK_PAUSE_S)

    def _wait_for_disk(self, error: OutputError) -> None:
        _log.error("jobs", extra={"fields": {"error": str(error)}})
        self._stopping.wait(_DISK_PAUSE_S)

    def _work(self, record: JobRecord, body: bytes) -> None:
        progress = self._store.progress = JobProgress(record.id)
        try:
            self._keep(record.id, DONE, self._answer(record, body, progress))
        except _UnwantedError:
            self._store.release(record.id)
        except DeviceError:  # it ends the server: the job stays running, for the next one
            self._stopping.set()
        except Exception as error:  # a job must not take the others with it
            self._keep(record.id, FAILED, json.dumps(_failure(error)).encode())
        finally:
            self._store.progress = None
            for order in progress.waiting:
                order.stop()

    def _keep(self, job_id: str, status: str, answer: bytes) -> None:
        """Keeps an answer, which took long, as soon as the disk has room for it."""
        while True:
            try:
                self._store.finish(job_id, status, answer)
            except OutputError as error:
                self._wait_for_disk(error)
                if not self._stopping.is_set():
                    continue
            return

    def _answer(self, record: JobRecord, body: bytes, progress: JobProgress) -> bytes:
        """The document.

        Args:
            record: The job.
            body: Its instances.
            progress: Is told of the orders that are with the session.

        Raises:
            _UnwantedError: The server stops, or the job was deleted.
        """
        check = partial(self._check, record.id)
        items, starts = self._requests.read(body, self._requests.settings.max_job_instances)
        if self._requests.lacks_roads(items):
            items = self._requests.routed(items, check)
        options = shared_options(items, from_text(record.options))
        # A time limit is shared among all of them: they have to be with the session together.
        room = _PART_OF_ROOM * self._requests.settings.room
        parts = _parts(items, room) if options.time_limit is None else [items]
        solutions: list[Solution] = []
        first = 0
        for part in parts:
            given = Given(part, starts[first : first + len(part)])
            progress.begin(self._submit(given, options, progress))
            first += len(part)
            if len(progress.waiting) > 1:
                solutions += self._collected(progress)
        while progress.waiting:
            solutions += self._collected(progress)
        solutions = self._requests.with_ways(items, solutions, check)
        found = Answered(items, solutions, progress.seconds, options.improve)
        return self._requests.document(found).content

    def _check(self, job_id: str) -> None:
        """Raise _UnwantedError where nobody waits for a job now."""
        if self._stopping.is_set() or self._store.find(job_id) is None:
            raise _UnwantedError

    def _submit(self, given: Given, options: SolveOptions, progress: JobProgress) -> Order:
        """Waits until there is room, or long enough."""
        limit, started = options.time_limit, progress.seconds
        patience_s = JOB_PATIENCE_S if limit is None else min(JOB_PATIENCE_S, limit / 2)
        while True:
            if limit is not None:
                options = replace(options, time_limit=max(0.0, limit - progress.seconds))
            insists = progress.seconds - started >= patience_s
            try:
                return self._requests.submit(given, options, job=True, insists=insists)
            except OverloadedError:
                self._check(progress.job_id)
                self._stopping.wait(_PAUSE_S)

    def _collected(self, progress: JobProgress) -> list[Solution]:
        oldest = progress.waiting[0]
        while True:
            self._check(progress.job_id)
            try:
                solutions = oldest.future.result(timeout=_PAUSE_S)
            except TimeoutError:
                continue
            progress.end()
            return solutions


def _parts(items: Items, room: float) -> Iterator[Items]:
    """Instances, a few at a time: at least one, and no more than room for so many customers."""
    part, customers = Items(), 0
    for item in items:
        size = item.num_customers if isinstance(item, Instance) else 0
        if part and (len(part) == _PART or customers + size > room):
            yield part
            part, customers = [], 0
        part.append(item)
        customers += size
    if part:
        yield part


def _failure(error: Exception) -> dict[str, str]:
    """The message for the owner of a failed job; the log says nothing about a request's content."""
    if isinstance(error, MemoryError):
        error = NoMemoryError()
    if isinstance(error, VrpError):
        _log.warning("job failed", extra={"fields": {"code": error.code}})
    else:
        log_internal(error)
        error = InternalError(BUG)
    return {"code": error.code, "message": str(error)}
