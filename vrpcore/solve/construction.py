"""Candidates of tasks: how many at once, by which method, in the memory there is."""

import math
import threading
from collections import defaultdict
from collections.abc import Sequence

from vrpcore.errors import is_internal, is_out_of_memory, log_internal
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Plan
from vrpcore.search.savings import savings_routes
from vrpcore.solve.backend import Backend
from vrpcore.solve.budget import Clock, Pace
from vrpcore.solve.construct import MAX_POLICY_CUSTOMERS, batch_limit, construct, policy_work
from vrpcore.solve.order import (
    SIZE_OUT_OF_TRAINING,
    Order,
    Task,
)
from vrpcore.solve.queue import by_order, size_of
from vrpcore.solve.solve_options import SolveOptions
from vrpcore.solve.stage import Stage

_SAVINGS_AT_ONCE = 64
_LATE_S = 0.5  # by which a policy may miss a time limit before its run is ended


class Construction:
    """Gives tasks their candidates.

    A batch that does not fit into memory is halved, and later ones of its size are split
    beforehand. A single instance that does not fit gets savings routes. If a batch ends in an
    internal error, its instances are constructed one by one, and one that fails by itself has no
    candidates.

    Args:
        backend: What runs the policy.
        clock: Returns seconds.
        batch_s: Most seconds of a batch on the host.

    Attributes:
        on_host: The policy runs on the host's own cores.
    """

    def __init__(self, backend: Backend, clock: Clock, batch_s: float = math.inf) -> None:
        self._backend, self._clock, self._batch_s = backend, clock, batch_s
        self.on_host = backend.info.device == "cpu"
        self._pace, self._lock = Pace(on_host=self.on_host), threading.Lock()
        self._most: dict[tuple[bool, int], int] = {}  # instances that fit, by size

    def batch_size(self, task: Task) -> int:
        """Number of tasks that are constructed together with this one, itself included."""
        if not task.asks_policy:
            return _SAVINGS_AT_ONCE if task.size <= MAX_POLICY_CUSTOMERS else 1
        order, seconds = task.order, self._batch_s
        most = order.options.batch or batch_limit(task.size, order.batch_options, self.on_host)
        if not self.on_host:  # there, a few take as long as many
            return most
        if order.budget is not None and not self._pace.known:
            seconds = min(seconds, order.budget.probe_seconds(self._clock()))
        each = self._pace.rate_s * policy_work(task.size, order.batch_options)
        return max(1, math.ceil(min(most, seconds / each)))

    def fill(self, tasks: Sequence[Task], threads: float) -> None:
        """Constructs a batch.

        Args:
            tasks: Of about one size; of any orders with equal `batch_options`.
            threads: That construct for one order with a time limit, side by side.
        """
        methods: defaultdict[SolveOptions | None, list[Task]] = defaultdict(list)
        for order, own in by_order(tasks).items():
            methods[self._method(order, own, threads)] += own
        for method, own in methods.items():
            if method is None:
                self._make_savings(own)
            else:
                self._ask_policy(own, method)

    def _method(self, order: Order, tasks: list[Task], threads: float) -> SolveOptions | None:
        """Options to construct tasks of an order; None: savings."""
        if not tasks[0].asks_policy:
            return None
        if order.budget is None:
            return order.batch_options
        sizes = [task.size for task in tasks]
        return order.budget.construction(sizes, self._clock(), self._pace, threads)

    def _make_savings(self, tasks: Sequence[Task]) -> None:
        for task in tasks:
            started = self._clock()
            with task.contained():
                task.take([Plan.of(savings_routes(task.instance))] if task.needs_savings else [])
            task.construct_s = self._clock() - started

    def _ask_policy(self, tasks: Sequence[Task], method: SolveOptions) -> None:
        started, done, tasks = self._clock(), 0, list(tasks)
        while done < len(tasks):
            rows = min(len(tasks) - done, self._most.get(size_of(tasks[done]), len(tasks)))
            if rows < len(tasks) - done and not self.on_host:
                rows = 1 << (rows.bit_length() - 1)  # a device's batches are powers of two
            part = tasks[done : done + rows]
            try:
                found = self._try(part, method)
            except TimeoutError:  # those that are over get savings; the others are asked again
                over = [task for task in part if self._over(task.order)]
                tasks[done : done + rows] = [*over, *(task for task in part if task not in over)]
                self._take(over, None, "were not constructed in time")
                rows = len(over)
            except Exception as error:
                if not is_internal(error):
                    raise
                self._ask_one_by_one(part, method, error)
            else:
                if found is None and rows > 1:
                    self._halve(part)
                    continue
                self._take(part, found)
            done += rows
        self._pace.measured(
            sum(policy_work(task.size, method) for task in tasks), self._clock() - started
        )

    def _ask_one_by_one(
        self, tasks: Sequence[Task], method: SolveOptions, error: Exception
    ) -> None:
        """Constructs a batch that failed again, so that it costs none but the one at fault."""
        if len(tasks) == 1:
            tasks[0].blame(error)
            return
        log_internal(error)
        name = type(error).__name__
        _note(tasks[0], f"{name} with {len(tasks)} instances per batch: continuing one by one")
        for task in tasks:
            self._ask_policy([task], method)

    def _over(self, order: Order) -> bool:
        """Return whether nobody waits for a policy any longer."""
        if order.dropped or order.budget is None:
            return order.dropped
        return order.budget.left(self._clock()) < -_LATE_S

    def _take(
        self,
        tasks: Sequence[Task],
        found: Sequence[Sequence[Plan]] | None,
        reason: str = "do not fit into memory",
    ) -> None:
        """Gives tasks what was found; None: savings, for a reason."""
        for row, task in enumerate(tasks):
            with task.contained():
                task.take(self._skipped(task, reason) if found is None else found[row])
                if found is not None:
                    self._note_model(task)

    def _note_model(self, task: Task) -> None:
        """Notes which model constructed a task; warns where it does not know the size."""
        info = self._backend_of(task.instance).info
        task.constructor = info.name
        low, high = info.train_sizes
        if not low <= task.size <= high:
            task.warnings.append(SIZE_OUT_OF_TRAINING)

    def _try(self, tasks: Sequence[Task], options: SolveOptions) -> Sequence[Sequence[Plan]] | None:
        """Candidates, None where memory ran out; by then the failed attempt's is free."""
        instances, orders = [task.instance for task in tasks], {task.order for task in tasks}
        backend = self._backend_of(instances[0])
        try:
            backend = backend.until(lambda: any(map(self._over, orders)))
            return construct(instances, backend, options)
        except Exception as error:
            if not is_out_of_memory(error):
                raise
            return None

    def _backend_of(self, instance: Instance) -> Backend:
        """The constructor of such instances."""
        variants = None if instance.constraints is None else self._backend.variants
        return variants or self._backend

    def _halve(self, tasks: Sequence[Task]) -> None:
        half, size = len(tasks) // 2, size_of(tasks[0])
        with self._lock:
            self._most[size] = min(self._most.get(size, half), half)
        _note(
            tasks[0], f"out of memory with {len(tasks)} instances per batch: continuing with {half}"
        )

    def _skipped(self, task: Task, reason: str) -> Sequence[Plan]:
        """The candidates of an instance that the policy cannot construct."""
        plain = task.instance.constraints is None
        _note(
            task,
            f"{task.instance.name}: {task.size} customers {reason}; "
            f"starting from {'savings' if plain else 'insertion'} instead of the policy",
        )
        task.skip_policy()
        return [Plan.of(savings_routes(task.instance))] if plain else []


def _note(task: Task, text: str) -> None:
    task.order.tell(Stage("note", 0, note=text))
