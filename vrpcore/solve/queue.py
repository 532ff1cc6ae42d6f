"""Priority queue of tasks."""

import heapq
import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence

from vrpcore.search.effort import Effort
from vrpcore.solve.construct import SIZE_SPREAD
from vrpcore.solve.order import Order, Task

# Others should not wait behind an instance of so many customers, nor behind a search of so long.
LARGE_CUSTOMERS = 200
_LARGE_S = 1.0
# Of an iteration on one core, roughly: plain, and with constraints (breaks take three times that).
_PLAIN_S, _CONSTRAINED_S = 1.5e-6, 8e-6


def batch_of(task: Task) -> Hashable:
    """Tasks with equal values fit into one batch: about one size, the same options."""
    return *size_of(task), task.order.batch_options


def size_of(task: Task) -> tuple[bool, int]:
    """Tasks with equal values are of one kind and about one size."""
    size = int(math.log(task.size) / math.log(SIZE_SPREAD))
    return task.instance.constraints is None, size


def is_large(task: Task) -> bool:
    """Return whether others should not wait behind a task.

    A search that a time limit ends counts by its size only: others have time limits as well.
    """
    order, constrained = task.order, task.instance.constraints is not None
    if task.size >= LARGE_CUSTOMERS:
        return True
    if order.budget is not None or not order.searches:
        return False
    options = order.options
    effort = Effort(options.improve, iterations=options.iterations)
    seconds = effort.total(task.size) * (_CONSTRAINED_S if constrained else _PLAIN_S)
    return min(seconds, options.time_per_instance or math.inf) >= _LARGE_S


def by_order(tasks: Sequence[Task]) -> dict[Order, list[Task]]:
    """Tasks of several orders, apart."""
    found: defaultdict[Order, list[Task]] = defaultdict(list)
    for task in tasks:
        found[task.order].append(task)
    return found


class Queue:
    """Tasks in the order of their due times; equal ones in the order of their arrival.

    Args:
        together: Tasks with equal values can be taken out together.
    """

    def __init__(self, together: Callable[[Task], Hashable]) -> None:
        self._together = together
        self._count = itertools.count()
        self._buckets: dict[tuple[bool, Hashable], list[tuple[float, int, Task]]] = {}

    def add(self, task: Task) -> None:
        """Puts a task in its place."""
        heap = self._buckets.setdefault(self._bucket(task), [])
        heapq.heappush(heap, (task.order.due, next(self._count), task))

    def first(self, *, large_too: bool) -> Task | None:
        """Takes out the task whose turn it is."""
        allowed = [
            (heap[0][:2], bucket)
            for bucket, heap in self._buckets.items()
            if large_too or not bucket[0]
        ]
        return self._take(min(allowed)[1]) if allowed else None

    def others(self, task: Task, most: int) -> list[Task]:
        """Takes out up to `most` tasks that can be taken together with this one."""
        bucket = self._bucket(task)
        taken: list[Task] = []
        while bucket in self._buckets and len(taken) < most:
            taken.append(self._take(bucket))
        return taken

    def drop(self, order: Order) -> None:
        """Takes out all tasks of an order."""
        for bucket, heap in list(self._buckets.items()):
            kept = [entry for entry in heap if entry[2].order is not order]
            if not kept:
                del self._buckets[bucket]
            elif len(kept) < len(heap):
                heapq.heapify(kept)
                self._buckets[bucket] = kept

    def _bucket(self, task: Task) -> tuple[bool, Hashable]:
        return is_large(task), self._together(task)

    def _take(self, bucket: tuple[bool, Hashable]) -> Task:
        heap = self._buckets[bucket]
        task = heapq.heappop(heap)[2]
        if not heap:
            del self._buckets[bucket]
        return task
