"""Instances in, answers out in the same order, with a bounded number of them in between."""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue

from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.solution import Solution
from vrpcore.solve.budget import Clock
from vrpcore.solve.order import ROUNDING, Order, Task
from vrpcore.solve.own_options import own_options
from vrpcore.solve.session import Session
from vrpcore.solve.solve_options import SolveOptions
from vrpcore.solve.stage import Improvement, Stage

# A window is read and constructed as a whole, so that instances of like sizes meet in it;
# three in flight keep all threads busy while the oldest one's last search ends.
WINDOWS_IN_FLIGHT = 3
WINDOW_INSTANCES = 2048
WINDOW_CUSTOMERS = 2**16
KEEPING_S = 1.0  # may be spent on answers of what is not searched, when it is interrupted
LOOKING_S = 0.1  # from one look at the searches to the next
FIRST_WINDOW = 256  # each next one is twice as large: work begins soon after reading does
READING_S = 2.0  # of a window: where instances come slowly, neither work nor answers wait for many
# Entries of matrices that weigh as much memory as a customer with its candidates.
_ENTRIES_PER_CUSTOMER = 64


class Stream:
    """Solves a stream of instances in one session, which it closes at its end.

    Args:
        session: For this stream only.
        options: How to solve.
        report: Called with progress and with better plans as they are found, in the caller's
            thread; if it returns True for a plan, the search that found it ends.
        end: When everything must be written, by the session's clock; None: no limit.
        thorough: Where it is interrupted, it waits for what its searches have by then, however long
            that takes, and answers all instances if it can; else what it can within a second.
    """

    def __init__(
        self,
        session: Session,
        options: SolveOptions,
        report: Callable[[Stage], object],
        end: float | None = None,
        *,
        thorough: bool = False,
    ) -> None:
        self._session, self._options, self._report = session, options, report
        self._thorough, self._improvements = thorough, Improvements(session.clock)
        self._clock, self._end = session.clock, end
        self._look = time.perf_counter() + LOOKING_S  # when searches are looked at next
        self._orders: deque[Order] = deque()
        self._events: SimpleQueue[Stage | Future[list[Solution]]] = SimpleQueue()

    def answers(
        self,
        instances: Iterable[Instance | InvalidInstance],
        warm_starts: Iterable[Solution | None] = (),
    ) -> Generator[Solution, None, None]:
        """One solution for each instance, in order, as soon as it and all before it are there.

        Without a time limit, only some thousand instances are in memory at a time, and
        nothing is read or begun while the caller does not ask for the next answer. An answer that
        is ready waits while the next instances are read, for `READING_S` or one of them; the first
        answer for three times that.

        Args:
            instances: Any number of them.
            warm_starts: Earlier solutions by position; missing ones are None.

        Raises:
            BaseException: Whatever stopped a thread of the session.
        """
        entries = self._session.admit(instances, warm_starts, options=self._options)
        cut = windows(entries, self._clock, whole=self._end is not None)
        position, ready = 0, dict[int, Solution]()
        try:
            while True:
                while len(self._orders) < WINDOWS_IN_FLIGHT and (window := next(cut, None)):
                    ready.update(self._begin(window, position))
                if not self._orders:
                    return
                while position not in ready:
                    ready.update(self._next_answers())
                answer, before = ready.pop(position), self._clock()
                yield answer
                self._written(answer, self._clock() - before)
                if position == self._orders[0].last:
                    self._orders.popleft()
                position += 1
        except GeneratorExit:
            raise
        except BaseException:  # interrupted: what is found or constructed is an answer, too
            self._interrupted()
            raise
        finally:
            self._session.close(wait=False)

    def _interrupted(self) -> None:
        """Ends the searches, and reports answers: what they have, then what is not searched."""
        end, orders = time.perf_counter() + KEEPING_S, list(self._orders)
        for order in orders:
            order.stop()
        while any(order.searched for order in orders):
            left = math.inf if self._thorough else end - time.perf_counter()
            if not self._report_next(min(left, KEEPING_S)) and left <= 0.0:
                break
        while self._report_next(0.0):
            pass
        kept = dict[int, Solution]()

        def collect() -> None:
            with suppress(BaseException):  # what ended the run is its error
                for order in orders:
                    kept.update(order.unsearched(all_of_them=self._thorough))

        collecting = threading.Thread(target=collect, name="keep", daemon=True)
        collecting.start()
        collecting.join(max(KEEPING_S / 2, end - time.perf_counter()))
        found = dict(kept)
        self._report_stage(Stage("finish", len(found), found))

    def _report_next(self, seconds: float) -> bool:
        """Reports what has happened; False if nothing does within these seconds."""
        try:
            event = self._events.get(timeout=max(0.0, seconds))
        except Empty:
            return False
        if isinstance(event, Stage):
            self._report_stage(event)
        return True

    def _begin(self, window: list[Task | Solution], position: int) -> dict[int, Solution]:
        """Orders a window, in parts of equal options; returns the answers that need no work."""
        first = self._orders[-1].last + 1 if self._orders else position
        settled = dict[int, Solution]()
        for options, part in by_options(window, self._options):
            settled |= self._ordered(Order(part, options, first, self._end, self._events.put))
            first += len(part)
        return settled

    def _ordered(self, order: Order) -> dict[int, Solution]:
        """Hands an order over; returns the answers that need no work."""
        order.future.add_done_callback(self._events.put)
        for note in (note for task in order.tasks.values() for note in task.notes):
            self._report(Stage("note", 0, note=note))
        settled = dict(order.answers)
        if settled:
            self._report_stage(Stage("finish", len(settled), settled))
        self._orders.append(order)
        self._session.take(order)
        return settled

    def _next_answers(self) -> dict[int, Solution]:
        """Answers of the next event, which may have none; better plans are reported meanwhile."""
        if time.perf_counter() >= self._look:
            self._look = time.perf_counter() + LOOKING_S
            for found in self._improvements.searched(self._orders):
                if self._report(Stage("improve", 0, improvement=found)) is True:
                    for order in self._orders:
                        order.end_search(found.position)
        try:
            event = self._events.get(timeout=LOOKING_S)
        except Empty:
            return {}
        if isinstance(event, Future):
            event.result()  # raises what stopped it
            return {}
        self._report_stage(event)
        return dict(event.answers)

    def _report_stage(self, stage: Stage) -> None:
        """Reports progress, then the answers that are better than what was found before."""
        self._report(stage)
        for found in self._improvements.finished(stage.answers):
            self._report(Stage("improve", 0, improvement=found))

    def _written(self, answer: Solution, seconds: float) -> None:
        """The caller took so long with an answer of the oldest window."""
        if (budget := self._orders[0].budget) is not None:
            budget.written(sum(len(route.customers) for route in answer.routes), seconds)


class Improvements:
    """Better plans of instances, as they are found; it looks at searches from time to time.

    Args:
        clock: Returns seconds.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock, self._started = clock, clock()
        self._told: dict[int, tuple[int, float | None]] = {}

    def searched(self, orders: Iterable[Order]) -> Iterator[Improvement]:
        """The best plan of each search that found one since the last look."""
        for task, seen in (found for order in orders for found in order.incumbents()):
            gains, iterations, cost = seen
            if gains != self._told.get(task.position, (0, None))[0]:
                self._told[task.position] = gains, cost
                if cost is not None:
                    task.note(cost)
                yield self._improvement(task.position, task.instance.name, cost, iterations)

    def finished(self, answers: Mapping[int, Solution]) -> Iterator[Improvement]:
        """The answers that are better than what was told of their instances before."""
        for position, answer in answers.items():
            _, before = self._told.pop(position, (0, None))
            if answer.status != "solved" or answer.cost is None:
                continue
            if before is not None and answer.cost >= before - ROUNDING * abs(before):
                continue
            yield self._improvement(position, answer.name, answer.cost, answer.iterations)

    def _improvement(
        self, position: int, name: str, cost: float | None, iterations: int
    ) -> Improvement:
        seconds = self._clock() - self._started
        return Improvement(position, name, cost, None, iterations, seconds)


def by_options(
    entries: Iterable[Task | Solution], options: SolveOptions
) -> Iterator[tuple[SolveOptions, list[Task | Solution]]]:
    """Cuts a window where the options of instances change.

    Args:
        entries: Tasks, or answers where nothing has to be done, which have no options.
        options: Of instances that bring none.
    """
    part: list[Task | Solution] = []
    current: SolveOptions | None = None
    for entry in entries:
        own = own_options(entry.instance, options) if isinstance(entry, Task) else current
        if part and current is not None and own != current:
            yield current, part
            part = []
        part.append(entry)
        current = own
    if part:
        yield current or options, part


def windows(
    entries: Iterable[Task | Solution], clock: Clock, *, whole: bool = False
) -> Iterator[list[Task | Solution]]:
    """Cuts a stream into windows, bounded in number, in size and in the time that reading takes.

    Args:
        entries: Tasks, or answers where nothing has to be done.
        clock: Returns seconds.
        whole: One window for everything.
    """
    window: list[Task | Solution] = []
    weight, limit, started = 0, FIRST_WINDOW, clock()
    for entry in entries:
        window.append(entry)
        if isinstance(entry, Task):
            weight += _weight(entry.instance)
        full = len(window) >= limit or weight >= WINDOW_CUSTOMERS
        if not whole and (full or clock() - started >= READING_S):
            yield window
            window, weight, limit, started = [], 0, min(2 * limit, WINDOW_INSTANCES), clock()
    if window:
        yield window


def _weight(instance: Instance) -> int:
    entries = sum(matrix.size for matrix in instance.matrices)
    return instance.num_customers + entries // _ENTRIES_PER_CUSTOMER
