"""Instances of many callers, solved in shared batches as they come."""

import math
import threading
import time
from collections.abc import Callable, Sequence

from vrpcore.improve.savings import Routes
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.solve.backend import Backend
from vrpcore.solve.construct import WORK_S, asks_policy, batch_limit, policy_work
from vrpcore.solve.construction import Construction
from vrpcore.solve.deadline import Clock, least_search_seconds
from vrpcore.solve.job import Job, admit
from vrpcore.solve.options import SolveOptions
from vrpcore.solve.orders import Order, OverloadedError, Queue, Ticket
from vrpcore.solve.pipeline import Search

ROOM_CUSTOMERS = 200_000
PATIENCE_S = 2.0
_ANSWER_S = 0.005  # kept back for checking and for the way to the caller
_BATCH_S = 0.02  # of construction in one go: long enough to be efficient, short to wait for
_MEMORY = 0.8  # of what was measured before, at each measurement


class Session:
    """Solves orders from any thread; instances of different orders share batches.

    A free worker first searches instances that are already constructed. New instances gather
    meanwhile, and the next free worker constructs all similar ones in one batch. No order
    waits for a timer, and batches grow with the load. The order whose time limit ends first,
    counted from `submit`, has priority; one worker always stays free of large instances.

    Args:
        backend: What constructs.
        search: Returns the search for an order's options; None if they ask for none.
        workers: Threads, at least 2.
        room: Most customers, over all orders, waiting or being solved.
        clock: Returns seconds.
    """

    def __init__(
        self,
        backend: Backend,
        search: Callable[[SolveOptions], Search | None],
        workers: int,
        room: int = ROOM_CUSTOMERS,
        clock: Clock = time.perf_counter,
    ) -> None:
        self._backend, self._search, self._clock = backend, search, clock
        self._room, self._workers = room, max(2, workers)
        self._changed = threading.Condition()
        self._waiting, self._ready = Queue(), Queue()
        self._open = self._load = self._limited = self._large = 0
        self._rate_s, self._pace = WORK_S, _Pace()
        self._closed = False
        self._constructions: dict[str, Construction] = {}
        self._threads = [
            threading.Thread(target=self._serve, name=f"solve-{number}", daemon=True)
            for number in range(self._workers)
        ]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self.close(wait=kind is None)

    @property
    def load(self) -> int:
        """Customers waiting or being solved."""
        return self._load

    def submit(
        self,
        instances: Sequence[Instance | InvalidInstance],
        options: SolveOptions,
        patience_s: float = PATIENCE_S,
    ) -> Order:
        """Takes an order.

        Args:
            instances: Any number; invalid ones keep their place.
            options: `time_limit_s` counts from now, waiting included.
            patience_s: Priority of an order without a time limit: that of one with this limit.

        Raises:
            OverloadedError: There is no room, or the session is closed.
        """
        now = self._clock()
        end = None if options.time_limit_s is None else now + options.time_limit_s
        due = now + patience_s if end is None else end
        order = Order(options, end, due, [None] * len(instances))
        tickets = []
        for position, instance in enumerate(instances):
            entry = admit(position, instance, None, self._backend.info.train_sizes)
            if isinstance(entry, Job):
                tickets.append(Ticket(order, entry))
            else:
                order.answers[position] = entry
        order.left = len(tickets)
        with self._changed:
            self._let_in(tickets)
            for ticket in tickets:
                self._waiting.add(ticket)
            self._changed.notify(len(tickets))
        if not tickets:
            order.future.set_result([answer for answer in order.answers if answer])
        return order

    def close(self, *, wait: bool) -> None:
        """Takes no more orders; with `wait`, returns when all are answered, else drops them."""
        with self._changed:
            self._closed = True
            dropped = [] if wait else [*self._waiting, *self._ready]
            self._changed.notify_all()
        for ticket in dropped:
            ticket.order.future.cancel()
        for thread in self._threads if wait else ():
            thread.join()

    def _let_in(self, tickets: list[Ticket]) -> None:
        customers = sum(ticket.size for ticket in tickets)
        if self._closed:
            raise OverloadedError("the server is stopping", 1.0)
        if self._load and self._load + customers > self._room:
            raise OverloadedError(
                f"busy with {self._load} customers, {customers} more would exceed the limit",
                max(1.0, self._load / self._pace.customers_per_s),
            )
        self._open += len(tickets)
        self._load += customers
        self._limited += sum(ticket.order.end is not None for ticket in tickets)

    def _serve(self) -> None:
        while True:
            with self._changed:
                while (work := self._next()) is None:
                    if self._closed:
                        return
                    self._changed.wait()
                tickets, act = work
                large = tickets[0].large
                self._large += large
            try:
                act(tickets)
            except BaseException as error:
                self._fail(tickets, error)
            with self._changed:
                self._large -= large
                self._changed.notify_all()

    def _next(self) -> tuple[list[Ticket], Callable[[list[Ticket]], None]] | None:
        """Whose turn it is and what to do with them."""
        large_too = self._large < self._workers - 1
        while ticket := self._ready.first(large_too=large_too):
            if not ticket.order.future.done():
                return [ticket], self._improve
            self._leave(ticket)
        while ticket := self._waiting.first(large_too=large_too):
            if not ticket.order.future.done():
                return [ticket, *self._company(ticket)], self._construct
            self._leave(ticket)
        return None

    def _company(self, head: Ticket) -> list[Ticket]:
        """Who can be constructed together with the one whose turn it is."""
        options = head.order.options
        if not asks_policy(head.size, options):
            return []
        own = self._rate_s * policy_work(head.size, options)
        on_host = self._construction(options).on_host
        most = batch_limit(head.size, options, on_host)
        if on_host:
            most = min(most, math.ceil(_BATCH_S / own))
        return self._waiting.company(head, most - 1)

    def _construct(self, tickets: list[Ticket]) -> None:
        options = tickets[0].order.options
        construction = self._construction(options)
        work = sum(policy_work(ticket.size, options) for ticket in tickets)
        latest = self._clock() + self._rate_s * work + _ANSWER_S
        hurried = [ticket for ticket in tickets if (ticket.order.end or math.inf) < latest]
        others = [ticket for ticket in tickets if (ticket.order.end or math.inf) >= latest]
        if hurried:
            construction.fill([ticket.job for ticket in hurried], None)
        if others:
            begun = self._clock()
            construction.fill([ticket.job for ticket in others], options)
            if asks_policy(tickets[0].size, options):
                work = sum(policy_work(ticket.size, options) for ticket in others)
                self._rate_s = _blend(self._rate_s, (self._clock() - begun) / work)
        if self._search(options) is None:
            for ticket in tickets:
                self._answer(ticket, None, searched=False)
            return
        with self._changed:
            for ticket in tickets:
                self._ready.add(ticket)

    def _improve(self, tickets: list[Ticket]) -> None:
        (ticket,) = tickets
        search, found = self._search(ticket.order.options), None
        end, in_time = self._end_of(ticket)
        if search is not None and in_time:
            cores = max(1, self._workers // max(1, self._open))
            found = search(ticket.job.instance, ticket.job.candidates, end, cores)
        self._answer(ticket, found, searched=True)

    def _end_of(self, ticket: Ticket) -> tuple[float | None, bool]:
        """When its search ends, and whether there is time for one at all."""
        now, order = self._clock(), ticket.order
        end = order.end
        if end is not None:
            left = end - now - _ANSWER_S
            least = least_search_seconds(ticket.size)
            if left < least / 2:
                return None, False
            part = min(1.0, self._workers / max(1, self._limited))
            end = now + min(left, max(left * part, least))
        if (own := order.options.time_per_instance_s) is not None:
            end = now + own if end is None else min(end, now + own)
        return end, True

    def _answer(self, ticket: Ticket, found: Routes | None, *, searched: bool) -> None:
        answer = ticket.job.answer(found, searched=searched)
        order = ticket.order
        with self._changed:
            self._leave(ticket)
            self._pace.answered(ticket.size, self._clock())
            order.answers[ticket.job.position] = answer
            order.left -= 1
            last = order.left == 0
        if last and order.future.set_running_or_notify_cancel():
            order.future.set_result([each for each in order.answers if each is not None])

    def _fail(self, tickets: Sequence[Ticket], error: BaseException) -> None:
        for order in {ticket.order for ticket in tickets}:
            if not order.future.done() and order.future.set_running_or_notify_cancel():
                order.future.set_exception(error)
        with self._changed:
            for ticket in tickets:
                if ticket.order.answers[ticket.job.position] is None:
                    self._leave(ticket)

    def _leave(self, ticket: Ticket) -> None:
        """It is out of the session, answered or not; the lock is held."""
        self._open -= 1
        self._load -= ticket.size
        self._limited -= ticket.order.end is not None

    def _construction(self, options: SolveOptions) -> Construction:
        if options.improve not in self._constructions:
            made = Construction(self._backend, options, lambda _note: None)
            self._constructions[options.improve] = made
        return self._constructions[options.improve]


class _Pace:
    """Customers answered per second, over the last seconds that had any."""

    def __init__(self) -> None:
        self.customers_per_s = 1000.0
        self._since, self._customers = 0.0, 0

    def answered(self, customers: int, now: float) -> None:
        """So many more."""
        self._customers += customers
        if now - self._since >= 1.0:
            if now - self._since < 2.0:
                self.customers_per_s = self._customers / (now - self._since)
            self._since, self._customers = now, 0


def _blend(old: float, new: float) -> float:
    return _MEMORY * old + (1 - _MEMORY) * new
