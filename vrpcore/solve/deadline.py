"""Sharing a time limit: what is constructed how, and how long each search may take.

All seconds are measured on the run itself; the constants here only stand in until
something has been measured, or say how costs grow with size.
"""

import dataclasses
import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from vrpcore.instance.instance import Instance
from vrpcore.solve.construct import WORK_S, asks_policy, policy_work
from vrpcore.solve.options import SolveOptions

Clock = Callable[[], float]

# Of the time that is left when construction begins, where search comes after it. Measured on
# one core with 100 customers and 10 ms to 1 s for each: the policy's 18 ms lower the final
# cost from 60 ms on (by 0.2 to 0.5 %), its eight symmetries from 1 s on (by 0.05 %); with
# less, savings and that much more search are better, by 2 % at 10 ms.
CONSTRUCT_SHARE = 0.15
# Seconds until measured: a customer to finish and to write.
FINISH_S, WRITE_S = 4e-6, 2e-6
# A search of N customers takes PREPARATION_S * N^1.5 to be prepared.
PREPARATION_S = 8e-7
_LINEAR_FROM = 1000
_PRIOR_CUSTOMERS = 200


class TimeLimit(NamedTuple):
    """When everything must be written, if there is such a time.

    Attributes:
        clock: Seconds.
        end: By the clock; None: there is no limit.
    """

    clock: Clock = time.perf_counter
    end: float | None = None


def savings_seconds(num_customers: int) -> float:
    """Seconds of savings routes on one core, roughly; one at a time, as they are Python's."""
    return 5e-5 + num_customers * min(num_customers, 2000) * 8e-8


def preparation_seconds(num_customers: int) -> float:
    """Seconds before a search begins on one core, roughly; its savings among them."""
    return PREPARATION_S * num_customers * math.sqrt(min(num_customers, _LINEAR_FROM))


def least_search_seconds(num_customers: int) -> float:
    """Seconds that a search is given if there are any to share."""
    return 3 * preparation_seconds(num_customers)


class Budget:
    """The time that there is for construction and search.

    That is the time until the end, less what finishing and writing what is left will take.

    Args:
        customers: Of all instances together.
        end: When everything must be written, by the clock.
    """

    def __init__(self, customers: int, end: float) -> None:
        self._lock, self._end = threading.Lock(), end
        self._unfinished = self._unwritten = customers
        # Sums of customers and seconds; the constants count as the first few of them.
        self._finished = (float(_PRIOR_CUSTOMERS), _PRIOR_CUSTOMERS * FINISH_S)
        self._written = (float(_PRIOR_CUSTOMERS), _PRIOR_CUSTOMERS * WRITE_S)

    def finished(self, customers: int, seconds: float) -> None:
        """Instances with so many customers were checked in so many seconds."""
        with self._lock:
            self._unfinished -= customers
            self._finished = (self._finished[0] + customers, self._finished[1] + seconds)

    def written(self, customers: int, seconds: float) -> None:
        """Their answers were taken by the caller, who came back after so many seconds."""
        with self._lock:
            self._unwritten -= customers
            self._written = (self._written[0] + customers, self._written[1] + seconds)

    def left(self, now: float) -> float:
        """Seconds from now on; finishing and writing take as long as measured so far."""
        with self._lock:
            finish = self._unfinished * self._finished[1] / self._finished[0]
            write = self._unwritten * self._written[1] / self._written[0]
        return self._end - now - finish - write


class Ladder:
    """How to construct each group, so that all of them are constructed in time.

    From dear to cheap: eight symmetries (where search follows), what the options ask for,
    one start, savings. Each group takes the first with which it and all that are left would
    be done within their share of the time.

    Args:
        instances: Everything that will be constructed.
        options: What was asked for.
        threads: That construct side by side.
        begin: When construction begins, by the clock.
        budget: The time that there is.
    """

    def __init__(
        self,
        instances: Sequence[Instance],
        options: SolveOptions,
        threads: int,
        begin: float,
        budget: Budget,
    ) -> None:
        self._lock = threading.Lock()
        self._threads, self._begin, self._budget = threads, begin, budget
        searched = options.improve != "none"
        self._share = CONSTRUCT_SHARE if searched else 1.0
        self._rungs = [options]
        if searched and options.decode == "multistart" and options.augment == 1:
            self._rungs.insert(0, dataclasses.replace(options, augment=8))
        cheap = dataclasses.replace(options, decode="greedy", augment=1)
        if cheap != options:
            self._rungs.append(cheap)
        sizes = [instance.num_customers for instance in instances]
        reached = [item for item in instances if asks_policy(item.num_customers, options)]
        self._beyond_s = sum(
            savings_seconds(size) for size in sizes if not asks_policy(size, options)
        )
        self._waiting = [self._work(reached, rung) for rung in self._rungs]
        self._measured = (0.0, 0.0)

    @property
    def rate(self) -> float:
        """Seconds of a unit of work, as measured on the last groups."""
        work, seconds = self._measured
        return seconds / work if work else WORK_S

    def choose(self, group: Sequence[Instance], now: float) -> SolveOptions | None:
        """How to construct this group, which begins now; None: savings.

        Args:
            group: Instances within the policy's reach.
            now: The clock.
        """
        left = self._budget.left(self._begin) - self._beyond_s
        with self._lock:
            waiting = self._waiting
            self._waiting = [
                most - self._work(group, rung)
                for most, rung in zip(waiting, self._rungs, strict=True)
            ]
            for most, rung in zip(waiting, self._rungs, strict=True):
                if now - self._begin + self.rate * most / self._threads <= self._share * left:
                    return rung
            cheapest = self._rungs[-1]
            policy = self.rate * self._work(group, cheapest) / self._threads
        savings = sum(savings_seconds(instance.num_customers) for instance in group)
        return None if savings < policy else cheapest

    def measured(self, group: Sequence[Instance], rung: SolveOptions, seconds: float) -> None:
        """A group took so many seconds; the last few groups count most."""
        with self._lock:
            work, spent = self._measured
            self._measured = (work / 2 + self._work(group, rung), spent / 2 + seconds)

    def _work(self, instances: Sequence[Instance], options: SolveOptions) -> float:
        return sum(policy_work(instance.num_customers, options) for instance in instances)


class Shares:
    """How long each search may take, so that one pass over all ends with the time.

    Each search gets its customers' part of the worker seconds that are left when it begins:
    what others leave over is shared anew. (Measured from 10 to 200 customers at 10 to 60 ms
    an instance: shares by N give the lowest cost and gap in the mean; N^0.5 favours small
    instances' gaps, N^1.5 and N^2 spend on large ones what small ones would use better.)

    Args:
        sizes: N of each instance to be searched.
        workers: That search side by side.
        budget: The time that there is.
    """

    def __init__(self, sizes: Sequence[int], workers: int, budget: Budget) -> None:
        self._lock = threading.Lock()
        self._workers, self._budget = workers, budget
        self._waiting = sum(sizes)
        self._least = sum(least_search_seconds(size) for size in sizes)
        self._unbegun, self._idle = len(sizes), workers

    def scarce(self, now: float) -> bool:
        """True where there is not enough time to search everything."""
        return self._budget.left(now) * self._workers < self._least

    def end_of(self, size: int, now: float, least: float = 0.0) -> float | None:
        """When the search of an instance that begins now has to end; None: none any more.

        Args:
            size: N.
            now: The clock.
            least: Seconds that its preparation alone is known to take.
        """
        useful = least_search_seconds(size)
        left = self._budget.left(now)
        with self._lock:
            # Whoever asks is idle; the others are, too, until each has begun once.
            alone = self._unbegun <= self._idle
            part = 1.0 if alone or self._waiting <= 0 else size / self._waiting
            self._waiting -= size
            self._unbegun -= 1
            self._idle = max(1, self._idle - 1)
        if left < max(least, preparation_seconds(size)):
            return None
        return now + min(left, max(left * self._workers * part, useful))
