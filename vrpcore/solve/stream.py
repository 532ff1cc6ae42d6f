"""Instances in, answers out in the same order, with a bounded number of them in between."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from queue import SimpleQueue
from types import MappingProxyType
from typing import NamedTuple

from vrpcore.instance.instance import Instance
from vrpcore.instance.solution import Solution
from vrpcore.solve.job import Job

# A window is read and constructed as a whole, so that instances of like sizes meet in it;
# three in flight keep all threads busy while the oldest one's last search ends.
WINDOWS_IN_FLIGHT = 3
WINDOW_INSTANCES = 2048
WINDOW_CUSTOMERS = 2**16
FIRST_WINDOW = 256  # each next one is twice as large: work begins soon after reading does
# Entries of a distance matrix that weigh as much memory as a customer with its candidates.
_ENTRIES_PER_CUSTOMER = 64


class Stage(NamedTuple):
    """Progress: so many instances have passed a stage.

    Attributes:
        name: `construct`, `finish` for searched and checked, or `note`.
        done: Instances through it since the last report.
        answers: Of `finish`: solutions by position, so that an interrupted caller can
            keep them.
        note: Of `note`: what the user should know, in words.
    """

    name: str
    done: int
    answers: Mapping[int, Solution] = MappingProxyType({})
    note: str = ""


Report = Callable[[Stage], None]


@dataclass(slots=True)
class Window:
    """Consecutive instances that are read and constructed together.

    Attributes:
        end: Position after its last one.
        jobs: What has to be done.
        settled: Answers that needed no work, by position.
    """

    end: int = 0
    jobs: list[Job] = field(default_factory=list)
    settled: dict[int, Solution] = field(default_factory=dict)


class Crew:
    """Threads that construct and threads that search, and the queue of what they report.

    Args:
        threads: That construct.
        workers: That search.

    Attributes:
        closed: True where nobody waits for answers any more.
    """

    def __init__(self, threads: int, workers: int) -> None:
        self.threads, self.workers, self.closed = threads, workers, False
        self.events: SimpleQueue[Stage | BaseException] = SimpleQueue()
        self._lock, self._open = threading.Lock(), 0
        self._constructors = ThreadPoolExecutor(threads, "construct")
        self._searchers = ThreadPoolExecutor(workers, "search")

    def construct(self, work: Callable[[], None], *, quick: bool) -> None:
        """Has a constructing thread do some work; what it raises reaches the queue.

        Args:
            work: The work.
            quick: It takes less time than a thread needs to start: the caller does it.
        """
        if quick:
            self._guarded(work)
        else:
            self._constructors.submit(self._guarded, work)

    def search(self, work: Callable[[], None]) -> None:
        """Has a searching thread do some work; what it raises reaches the queue."""
        self._searchers.submit(self._guarded, work)

    def expect(self, count: int) -> None:
        """So many more instances will be reported as finished."""
        with self._lock:
            self._open += count

    def cores_for_one(self) -> int:
        """Cores that one search may use now: few instances share all."""
        return max(1, self.workers // max(1, self._open))

    def say(self, stage: Stage) -> None:
        """Reports from any thread."""
        if stage.name == "finish":
            self.expect(-stage.done)
        self.events.put(stage)

    def close(self) -> None:
        """Drops what has not begun."""
        self.closed = True
        for pool in (self._constructors, self._searchers):
            pool.shutdown(wait=False, cancel_futures=True)

    def _guarded(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            self.events.put(error)


def windows(entries: Iterable[Job | Solution], *, whole: bool = False) -> Iterator[Window]:
    """Cuts a stream into windows, bounded in number and in size.

    Args:
        entries: Jobs, or answers where nothing has to be done, in order of position.
        whole: One window for everything.
    """
    window, weight, limit = Window(), 0, FIRST_WINDOW
    for position, entry in enumerate(entries):
        window.end = position + 1
        if isinstance(entry, Solution):
            window.settled[position] = entry
        else:
            window.jobs.append(entry)
            weight += _weight(entry.instance)
        count = len(window.jobs) + len(window.settled)
        if not whole and (count >= limit or weight >= WINDOW_CUSTOMERS):
            yield window
            window, weight, limit = Window(), 0, min(2 * limit, WINDOW_INSTANCES)
    if window.end:
        yield window


def in_order(
    cut: Iterator[Window], begin: Callable[[list[Job]], None], crew: Crew, report: Report
) -> Iterator[Solution]:
    """Answers in the order of the instances, at most `WINDOWS_IN_FLIGHT` windows behind.

    Nothing is read or begun while the caller does not ask for the next answer.

    Args:
        cut: From `windows`.
        begin: Starts the work on the jobs of a window.
        crew: Whose reports bring the answers.
        report: Told of each.

    Raises:
        BaseException: Whatever a thread of the crew raised.
    """
    ends: deque[int] = deque()
    ready: dict[int, Solution] = {}
    position = 0
    while True:
        while len(ends) < WINDOWS_IN_FLIGHT and (window := next(cut, None)) is not None:
            ends.append(window.end)
            if window.settled:
                ready.update(window.settled)
                report(Stage("finish", len(window.settled), window.settled))
            crew.expect(len(window.jobs))
            begin(window.jobs)
        if not ends:
            return
        if position in ready:
            answer = ready.pop(position)
            position += 1
            if position == ends[0]:
                ends.popleft()
            yield answer
            continue
        event = crew.events.get()
        if isinstance(event, BaseException):
            raise event
        ready.update(event.answers)
        report(event)


def _weight(instance: Instance) -> int:
    entries = 0 if instance.distances is None else instance.distances.size
    return instance.num_customers + entries // _ENTRIES_PER_CUSTOMER
