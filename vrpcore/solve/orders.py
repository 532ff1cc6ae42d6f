"""Orders of many callers, and whose turn it is."""

import heapq
import itertools
import math
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from vrpcore.errors import VrpError
from vrpcore.instance.solution import Solution
from vrpcore.solve.construct import SIZE_SPREAD
from vrpcore.solve.job import Job
from vrpcore.solve.options import SolveOptions

# An instance from here on is large: at least one worker is never busy with these.
LARGE_CUSTOMERS = 200


class OverloadedError(VrpError):
    """There is no room for an order now.

    Attributes:
        retry_s: Seconds after which there should be.
    """

    default_code = "OVERLOADED"

    def __init__(self, message: str, retry_s: float) -> None:
        super().__init__(message)
        self.retry_s = retry_s


@dataclass(slots=True, eq=False)
class Order:
    """Instances that somebody waits for together.

    Attributes:
        options: How they are solved.
        end: By the clock, when the answers must be there; None: no limit.
        due: Whose turn it is: the earliest goes first.
        answers: Those that are there, in the order of the instances.
        left: How many are not.
        future: Gets all of them at once; cancelling it takes the order back.
    """

    options: SolveOptions
    end: float | None
    due: float
    answers: list[Solution | None]
    left: int = 0
    future: Future[list[Solution]] = field(default_factory=Future)


@dataclass(slots=True, eq=False)
class Ticket:
    """One instance of an order."""

    order: Order
    job: Job

    @property
    def size(self) -> int:
        """N."""
        return self.job.size

    @property
    def large(self) -> bool:
        """Whether others should not wait behind it."""
        return self.job.size >= LARGE_CUSTOMERS


class Bucket(NamedTuple):
    """What instances of one batch have in common.

    Attributes:
        large: At least `LARGE_CUSTOMERS`.
        size_class: Of sizes that differ by `SIZE_SPREAD` at most.
        options: Those of their orders, without times.
    """

    large: bool
    size_class: int
    options: SolveOptions


class Queue:
    """Tickets by whose turn it is, in buckets of like sizes and options."""

    def __init__(self) -> None:
        self._count = itertools.count()  # equal turns: first come, first served
        self._buckets: dict[Bucket, list[tuple[float, int, Ticket]]] = {}

    def add(self, ticket: Ticket) -> None:
        """Puts it in its place."""
        heap = self._buckets.setdefault(_bucket_of(ticket), [])
        heapq.heappush(heap, (ticket.order.due, next(self._count), ticket))

    def first(self, *, large_too: bool) -> Ticket | None:
        """Takes out whose turn it is."""
        allowed = [
            (heap[0][:2], bucket)
            for bucket, heap in self._buckets.items()
            if large_too or not bucket.large
        ]
        return self._take(min(allowed)[1]) if allowed else None

    def company(self, ticket: Ticket, most: int) -> list[Ticket]:
        """Takes out others of its bucket, those whose turn is next, at most so many."""
        bucket = _bucket_of(ticket)
        taken: list[Ticket] = []
        while bucket in self._buckets and len(taken) < most:
            other = self._take(bucket)
            taken.append(other)
        return taken

    def __iter__(self) -> Iterator[Ticket]:
        for heap in self._buckets.values():
            yield from (entry[2] for entry in heap)

    def _take(self, bucket: Bucket) -> Ticket:
        heap = self._buckets[bucket]
        ticket = heapq.heappop(heap)[2]
        if not heap:
            del self._buckets[bucket]
        return ticket


def _bucket_of(ticket: Ticket) -> Bucket:
    options = replace(ticket.order.options, time_limit_s=None, time_per_instance_s=None)
    size_class = int(math.log(ticket.size) / math.log(SIZE_SPREAD))
    return Bucket(ticket.large, size_class, options)
