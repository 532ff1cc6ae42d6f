"""Orders of many callers, solved in shared batches as they come."""

import itertools
import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, InvalidStateError
from contextlib import suppress

from vrpcore.errors import BUG, InternalError, log_internal
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.plan import Plan
from vrpcore.instance.solution import Solution
from vrpcore.search.watch import Watch
from vrpcore.solve.admission import admit
from vrpcore.solve.backend import Backend
from vrpcore.solve.budget import Clock
from vrpcore.solve.checked import several
from vrpcore.solve.construct import MAX_POLICY_CUSTOMERS
from vrpcore.solve.construction import Construction
from vrpcore.solve.memory_limit import CustomerRate, OverloadedError, SessionLimits
from vrpcore.solve.order import Order, Task
from vrpcore.solve.own_options import shared_options
from vrpcore.solve.queue import Queue, batch_of, by_order, is_large
from vrpcore.solve.searching import search_task, usable_options
from vrpcore.solve.solve_options import SolveOptions, changed
from vrpcore.solve.stage import Stage

PATIENCE_S = 2.0
# Of construction in one go, where others wait: long enough to be efficient, short to wait for.
_BATCH_S = 0.02
# One batch is copied to a device, one runs, the tours of one are weighed; one alone where a
# time limit needs to know how long a batch takes.
_DEVICE_THREADS = 3
_AT_ONCE = 64  # tasks that are not searched and are answered in one go
ENDING_S = 5.0  # for threads to end once all orders have
LOOK_S = 1.0  # from one look for overdue orders to the next
_NO_TIME = "the time limit was over before any search could begin: a longer one gives better plans"

# A plan for a task, the time at which its search ends, by the session's clock, or None where counts
# end it, and the cores that it may use.
Search = Callable[[Task, float | None, int], Plan]
_Act = Callable[[list[Task]], None]
_Work = tuple[list[Task], _Act, bool]  # and whether others should not wait behind it


class Session:
    """Solves orders from any thread; tasks of different orders share batches.

    A free thread first searches instances that are already constructed. New instances gather
    meanwhile, and the next free thread constructs all similar ones in one batch. No order
    waits for a timer, and batches grow with the load. The order whose time limit ends first
    has priority.

    Args:
        backend: What constructs.
        capacity: What it may use.
        search: Searches a task.
        clock: Returns seconds.
        named: The caller named the model, and without a search wants its plans.

    Attributes:
        clock: The same.
    """

    def __init__(
        self,
        backend: Backend,
        capacity: SessionLimits,
        search: Search = search_task,
        clock: Clock = time.perf_counter,
        *,
        named: bool = False,
    ) -> None:
        self._backend, self._search_task, self._named = backend, search, named
        self._capacity, self.clock = capacity, clock
        self._changed, self._checking = threading.Condition(), threading.Lock()
        self._waiting = Queue(batch_of)
        self._ready = Queue(lambda task: (task.order, task.instance.constraints is None))
        self._orders: set[Order] = set()
        self._open = self._load = self._limited = 0
        self._in_hand: list[_Work] = []
        self._throughput = CustomerRate()
        batch_s = _BATCH_S if capacity.shared else math.inf
        self._construction = Construction(backend, clock, batch_s)
        self._closed, self._over = False, threading.Event()
        self._ends_overdue = False
        self._threads: list[threading.Thread] = []

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
        options: SolveOptions | None = None,
        patience_s: float = PATIENCE_S,
        *,
        warm_starts: Iterable[Solution | None] = (),
        insists: bool = False,
    ) -> Order:
        """Takes instances as an order.

        Args:
            instances: Any number; invalid ones keep their place.
            options: `time_limit` counts from now; what problems of VROOM's say comes first.
            patience_s: Priority of an order without a time limit: that of one with this limit.
            warm_starts: As for `admit`.
            insists: Skip the limit on instances, because its caller has waited long enough.

        Raises:
            ConfigError: `options` are something else.
            MissingSearchError: They need the compiled search, which was not built.
            InstanceError: `instances` are something else, or ask for different options.
            OverloadedError: There is no room, or the session is closed.
        """
        items = list(several(instances))
        chosen = usable_options(shared_options(items, changed(options, {})))
        limit = chosen.time_limit
        end = None if limit is None else self.clock() + limit
        entries = list(self.admit(items, warm_starts, options=chosen))
        order = Order(entries, chosen, end=end)
        self.take(order, patience_s if limit is None else limit, insists=insists)
        return order

    def admit(
        self,
        instances: Iterable[Instance | InvalidInstance],
        warm_starts: Iterable[Solution | None] = (),
        *,
        options: SolveOptions | None = None,
    ) -> Iterator[Task | Solution]:
        """Turn each instance into a task, or answer it at once.

        Args:
            instances: As read.
            warm_starts: Earlier solutions by position; missing ones are None.
            options: How they are solved.
        """
        knows = self._backend.variants is not None
        warm = itertools.chain(warm_starts, itertools.repeat(None))
        for position, instance in enumerate(instances):
            yield admit(
                position,
                instance,
                next(warm),
                knows_variants=knows,
                named=self._named,
                options=options,
            )

    def take(self, order: Order, patience_s: float = PATIENCE_S, *, insists: bool = False) -> None:
        """Takes an order.

        Args:
            order: With all of its tasks.
            patience_s: Its priority: the turn of an order comes by its arrival and this.
            insists: As for `submit`.

        Raises:
            OverloadedError: There is no room, or the session is closed.
        """
        now = self.clock()
        order.due = now + patience_s
        if order.budget is not None:
            order.search_certain &= order.budget.prepares_all(now, self._capacity.workers)
        # The largest first: one that begins last would leave the other threads idle.
        tasks = sorted(order.tasks.values(), key=lambda task: -task.size)
        waiting = [task for task in tasks if task.asks_policy or task.needs_savings]
        simple = [task for task in tasks if not (task.asks_policy or task.needs_savings)]
        with self._changed:
            threads = self._let_in(order, insists=insists)
            for task in waiting:
                self._waiting.add(task)
            self._constructed(simple)
            self._changed.notify(len(tasks))
        order.future.add_done_callback(lambda _: self._forget(order))
        try:
            for thread in threads:  # now that there is work, and the lock is free
                thread.start()
        except BaseException:
            with self._changed:
                self._threads = [each for each in self._threads if each.is_alive()]
            order.stop()
            raise
        if simple:
            order.tell(Stage("construct", len(simple)))
        if not tasks:
            self._settle(order)

    def close(self, *, wait: bool) -> None:
        """Takes no more orders; with `wait`, returns when all are answered, else stops them."""
        with self._changed:
            self._closed, orders = True, list(self._orders)
            self._changed.notify_all()
        for order in () if wait else orders:
            order.stop()
        for order in orders:
            with suppress(CancelledError):
                order.future.exception()
        self._over.set()
        end = time.monotonic() + ENDING_S  # what nobody waits for now may hold a thread up
        for thread in self._threads if wait else ():
            if thread.is_alive():
                thread.join(max(0.0, end - time.monotonic()))

    def _let_in(self, order: Order, *, insists: bool) -> list[threading.Thread]:
        """Gives an order its room; returns the threads that it needs and that are to be started."""
        customers = sum(task.size for task in order.tasks.values())
        if self._closed:
            raise OverloadedError("the server is stopping", 1.0)
        if self._load and self._load + customers > self._capacity.room and not insists:
            raise OverloadedError(
                f"busy with {self._load} customers, {customers} more would exceed the limit",
                max(1.0, self._load / self._throughput.customers_per_s),
            )
        if not order.tasks:
            return []
        most = max(self._capacity.workers, self._capacity.threads)
        missing = range(len(self._threads), min(most, self._open + len(order.tasks)))
        threads = [_thread(self._serve, f"solve-{number}") for number in missing]
        self._threads += threads
        if order.budget is not None and not self._ends_overdue:
            self._ends_overdue = True
            threads.append(_thread(self._end_overdue, "overdue"))
        self._orders.add(order)
        self._open += len(order.tasks)
        self._load += customers
        self._limited += order.budget is not None
        return threads

    def _serve(self) -> None:
        while True:
            try:
                if (work := self._taken()) is None:
                    return
            except Exception as error:  # a bug here: nobody shall wait for ever
                log_internal(error)
                self._fail(list(self._orders), error)
                continue
            tasks, act, _ = work
            try:
                act(tasks)
            except BaseException as error:
                for task in tasks:
                    task.watch = None
                self._fail(by_order(tasks), error)
            with self._changed:
                self._in_hand.remove(work)
                self._changed.notify_all()

    def _taken(self) -> _Work | None:
        """Waits for work and takes it in hand; None: the session is closed, and there is none."""
        with self._changed:
            while (work := self._next()) is None:
                if not self._in_hand:  # then nothing is left to wait for
                    self._fail(list(self._orders), InternalError(BUG))
                if self._closed and not self._in_hand:  # else more may become ready
                    return None
                self._changed.wait()
            self._in_hand.append(work)
            return work

    def _end_overdue(self) -> None:
        """Ends orders long after their time limits: what they wait for may never come."""
        while not self._over.wait(LOOK_S):
            now, orders = self.clock(), list(self._orders)
            late = [each for each in orders if each.budget and now > each.budget.overdue]
            self._fail(late, InternalError(BUG))

    def _next(self) -> _Work | None:
        """The next tasks and what to do with them."""
        workers, acts = self._capacity.workers, [act for _, act, _ in self._in_hand]
        large = sum(each for _, _, each in self._in_hand)
        large_too = not self._capacity.shared or large < max(1, workers - 1)
        more = acts.count(self._search) < workers
        if more and (task := self._ready.first(large_too=large_too)) is not None:
            return [task], self._search, is_large(task)
        more = acts.count(self._construct) < self._constructors()
        if more and (task := self._waiting.first(large_too=large_too)) is not None:
            others = self._waiting.others(task, self._construction.batch_size(task) - 1)
            return [task, *others], self._construct, is_large(task)
        return None

    def _constructors(self) -> int:
        if self._construction.on_host:
            return self._capacity.threads
        return 1 if self._limited else _DEVICE_THREADS

    def _construct(self, tasks: list[Task]) -> None:
        self._construction.fill(tasks, self._constructors() / max(1, self._limited))
        for order, own in by_order(tasks).items():
            order.tell(Stage("construct", len(own)))
        with self._changed:
            self._constructed(tasks)
        if not self._capacity.shared and not self._limited and (note := self._backend.tune()):
            tasks[0].order.tell(Stage("note", 0, note=note))

    def _constructed(self, tasks: Sequence[Task]) -> None:
        """Puts tasks where searches find them; the lock is held."""
        for order, own in by_order(tasks).items():
            if order.dropped:
                continue
            order.held += own
            if order.budget is not None and order.searches:
                if len(order.held) < len(order.tasks):  # all of them share the time
                    continue
                # The first seconds gain most per second where instances are small.
                scarce = order.budget.scarce(self.clock(), self._workers_of_one())
                order.held.sort(key=lambda task: task.size if scarce else task.position)
            for task in order.held:
                self._ready.add(task)
            order.held = []

    def _search(self, tasks: list[Task]) -> None:
        (task,) = tasks
        order, found = task.order, None
        end, in_time = self._end_of(task)
        if order.searches and in_time and task.leaves_choice:
            cores = max(1, self._capacity.workers // max(1, self._open))
            cores = min(cores, order.options.workers or cores)
            watch = Watch(order.options.no_improvement, order.options.target_cost)
            task.watch = watch
            if order.stopped:  # meanwhile
                watch.stop()
            with task.contained():
                found = self._search_task(task, end, cores)
        if not (order.searches and in_time) and task.instance.constraints is None:
            with self._changed:  # nor are the others of this order searched
                tasks += self._ready.others(task, _AT_ONCE - 1)
        if order.searches and any(each.leaves_choice for each in tasks):
            order.in_time.add(in_time)
        self._answer(tasks, found)

    def _end_of(self, task: Task) -> tuple[float | None, bool]:
        """End of the search of a task, and whether there is time for one at all."""
        now, order, end = self.clock(), task.order, None
        if order.budget is not None:
            least = task.construct_s if task.size > MAX_POLICY_CUSTOMERS else 0.0
            end = order.budget.search_end(task.size, now, self._workers_of_one(), least)
            if end is None:
                return None, False
        if (own := order.options.time_per_instance) is not None:
            end = now + own if end is None else min(end, now + own)
        return end, True

    def _workers_of_one(self) -> float:
        """Workers that search for one order with a time limit."""
        return self._capacity.workers / max(1, self._limited)

    def _answer(self, tasks: Sequence[Task], found: Plan | None) -> None:
        """Answers tasks of one order; several of them are not searched."""
        order, customers = tasks[0].order, sum(task.size for task in tasks)
        for task in tasks if found is None else ():
            task.plan()
        # Checking is Python: threads that do it side by side wait for each other in every call.
        with self._checking:
            started = self.clock()
            answers = {task.position: task.answer(found) for task in tasks}
            seconds = self.clock() - started
        if order.budget is not None:
            order.budget.finished(customers, seconds)
        with self._changed:
            self._throughput.answered(customers, self.clock())
            for task in tasks:
                self._leave(task)
            last = not (order.tasks or order.dropped)
            if last and order.in_time == {False}:
                order.tell(Stage("note", 0, note=_NO_TIME))
            order.tell(Stage("finish", len(tasks), answers))
            order.answers.update(answers)  # its searches count as over only now
        if last:
            self._settle(order)

    def _settle(self, order: Order) -> None:
        with suppress(InvalidStateError):  # it failed, or was taken back
            order.future.set_result([order.answers[row] for row in sorted(order.answers)])

    def _fail(self, orders: Iterable[Order], error: BaseException) -> None:
        for order in orders:
            with suppress(InvalidStateError):
                order.future.set_exception(error)

    def _forget(self, order: Order) -> None:
        """Gives back the room of an order that is answered, failed or taken back."""
        with self._changed:
            if not order.tasks:
                return
            order.stop()
            self._waiting.drop(order)
            self._ready.drop(order)
            for task in list(order.tasks.values()):
                self._leave(task)

    def _leave(self, task: Task) -> None:
        """A task is out of the session, answered or not; the lock is held."""
        order = task.order
        if order.tasks.pop(task.position, None) is None:
            return
        self._open -= 1
        self._load -= task.size
        if not order.tasks:
            self._orders.discard(order)
            self._limited -= order.budget is not None


def _thread(target: Callable[[], None], name: str) -> threading.Thread:
    return threading.Thread(target=target, name=name, daemon=True)
