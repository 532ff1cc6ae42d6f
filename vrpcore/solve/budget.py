"""Time limit of an order: how instances are constructed, and the time of each search.

All seconds are measured on the run itself; the constants here only stand in until
something has been measured, or say how costs grow with size.
"""

import dataclasses
import math
import threading
from collections.abc import Callable, Sequence

from vrpcore.solve.construct import WORK_S, asks_policy, policy_work
from vrpcore.solve.solve_options import SolveOptions

Clock = Callable[[], float]

# Of the time that is left when construction begins, where search comes after it. Measured on
# one core with 100 customers and 10 ms to 1 s for each: the policy's 18 ms lower the final
# cost from 60 ms on (by 0.2 to 0.5 %), its eight symmetries from 1 s on (by 0.05 %); with
# less, savings and that much more search are better, by 2 % at 10 ms.
CONSTRUCT_SHARE = 0.15
# Of the time that is left, the share of a first batch, which shows how fast the backend is.
_PROBE_SHARE = 0.02
# Seconds until measured: a customer to finish, without and with constraints, and to write.
FINISH_S, FINISH_CONSTRAINED_S, WRITE_S = 4e-6, 4e-5, 2e-6
# A search of N customers takes PREPARATION_S * N^1.5 to be prepared.
PREPARATION_S = 8e-7
_LINEAR_FROM = 1000
_PRIOR_CUSTOMERS = 200
_LEAST_RATE_S = 1e-12
# Seconds of a unit of `policy_work` on a device before any was measured: an estimate, but a CPU's
# would never let the policy be asked, and then nothing would ever be measured.
_DEVICE_WORK_S = 1e-8
# Seconds after its end when an order will never end: of any, and more a customer, as the cheapest
# construction has no limit, or 10 s an instance.
_OVERDUE_S, _OVERDUE_CUSTOMER_S = 30.0, 0.1
# Seconds of PyTorch, a device's context and its first kernels, until the first batch was made.
_LOADING_S = 8.0


def savings_seconds(num_customers: int) -> float:
    """Seconds of savings routes on one core, roughly."""
    return 5e-5 + num_customers * min(num_customers, 900) * 3e-8


def preparation_seconds(num_customers: int) -> float:
    """Seconds before a search begins on one core, roughly; its savings among them."""
    return PREPARATION_S * num_customers * math.sqrt(min(num_customers, _LINEAR_FROM))


def least_search_seconds(num_customers: int) -> float:
    """Seconds that a search is given if there are any to share."""
    return 3 * preparation_seconds(num_customers)


class Pace:
    """Seconds that a unit of `policy_work` takes; the last few batches count most.

    Args:
        on_host: The policy runs on the host's own cores, not on a device, whose first batch
            loads kernels and does not count.
    """

    def __init__(self, *, on_host: bool = True) -> None:
        self._work = self._seconds = 0.0
        self._prior_s, self._cold = (WORK_S, False) if on_host else (_DEVICE_WORK_S, True)

    @property
    def known(self) -> bool:
        """Return whether anything was measured."""
        return self._work > 0

    @property
    def rate_s(self) -> float:
        """Seconds of a unit of work, more than 0."""
        return max(self._seconds / self._work, _LEAST_RATE_S) if self._work else self._prior_s

    @property
    def loading_s(self) -> float:
        """Seconds that a first batch takes longer."""
        return _LOADING_S if self._cold else 0.0

    def measured(self, work: float, seconds: float) -> None:
        """Record that `work` units took `seconds`."""
        if self._cold:
            self._cold = False
            return
        self._work, self._seconds = self._work / 2 + work, self._seconds / 2 + seconds


class Budget:
    """The time of an order with a limit; safe to ask from several threads.

    Construction comes first: from dear to cheap, eight symmetries (where a search follows),
    what the options ask for, one start, savings. Each batch takes the first of these with
    which all that are left would be constructed within their share of the time.

    Then each search gets its customers' part of the worker seconds that are left when it
    begins: what others leave over is shared anew. (Measured from 10 to 200 customers at 10 to
    60 ms an instance: shares by N give the lowest cost and gap in the mean; N^0.5 favours
    small instances' gaps, N^1.5 and N^2 spend on large ones what small ones would use better.)

    Args:
        sizes: N of each plain instance.
        options: What was asked for.
        end: When the answers must be written, by the session's clock.
        constrained: N of each instance with constraints.
        covered: N of those among them that the policy constructs.

    Attributes:
        overdue: When what is not answered will never be.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        options: SolveOptions,
        end: float,
        constrained: Sequence[int] = (),
        covered: Sequence[int] = (),
    ) -> None:
        self._lock, self._end = threading.Lock(), end
        self._unfinished = self._unwritten = self._unsearched = sum(sizes) + sum(constrained)
        self.overdue = end + _OVERDUE_S + _OVERDUE_CUSTOMER_S * self._unfinished
        finish_s = sum(sizes) * FINISH_S + sum(constrained) * FINISH_CONSTRAINED_S
        # Sums of customers and seconds; the constants count as the first few of them.
        seconds = _PRIOR_CUSTOMERS * finish_s / max(1, self._unfinished)
        self._finished = (float(_PRIOR_CUSTOMERS), seconds)
        self._written = (float(_PRIOR_CUSTOMERS), _PRIOR_CUSTOMERS * WRITE_S)
        self._preparation_s = sum(map(preparation_seconds, (*sizes, *constrained)))
        self._waiting, self._started = len(sizes) + len(constrained), 0
        self._begin: float | None = None
        self._methods = _methods(options)
        self._share = 1.0 if options.improve == "none" else CONSTRUCT_SHARE
        reached = [*(size for size in sizes if asks_policy(size, options)), *covered]
        self._savings_s = sum(savings_seconds(s) for s in sizes if not asks_policy(s, options))
        self._work = [_work(reached, method) for method in self._methods]

    def finished(self, customers: int, seconds: float) -> None:
        """Instances with so many customers were checked in so many seconds."""
        with self._lock:
            self._unfinished -= customers
            self._finished = (self._finished[0] + customers, self._finished[1] + seconds)

    def written(self, customers: int, seconds: float) -> None:
        """Record how long the caller took to consume the answers of so many customers."""
        with self._lock:
            self._unwritten -= customers
            self._written = (self._written[0] + customers, self._written[1] + seconds)

    def left(self, now: float) -> float:
        """Seconds for construction and search: until the end, less finishing and writing."""
        with self._lock:
            finish = self._unfinished * self._finished[1] / self._finished[0]
            write = self._unwritten * self._written[1] / self._written[0]
        return self._end - now - finish - write

    def probe_seconds(self, now: float) -> float:
        """Seconds that a first batch may take while the pace of the backend is unknown."""
        return _PROBE_SHARE * (self._end - now)

    def prepares_all(self, now: float, workers: float) -> bool:
        """Return whether every search can at least be prepared."""
        return (self._end - now) * workers >= self._preparation_s

    def construction(
        self, sizes: Sequence[int], now: float, pace: Pace, threads: float
    ) -> SolveOptions | None:
        """Options to construct a batch that begins now; None: savings.

        Args:
            sizes: N of its instances, all within the policy's reach.
            now: The clock.
            pace: Of the backend.
            threads: That construct for this order, side by side.
        """
        rate_s, loaded = pace.rate_s, now + pace.loading_s
        if self._begin is None:
            self._begin = now
        left = self.left(self._begin) - self._savings_s
        with self._lock:
            waiting = self._work
            own = [_work(sizes, method) for method in self._methods]
            self._work = [most - part for most, part in zip(waiting, own, strict=True)]
        for most, method in zip(waiting, self._methods, strict=True):
            if loaded - self._begin + rate_s * most / threads <= self._share * left:
                return method
        policy = pace.loading_s + rate_s * own[-1] / threads
        savings = sum(map(savings_seconds, sizes))
        return None if savings < policy else self._methods[-1]

    def scarce(self, now: float, workers: float) -> bool:
        """True where there is not enough time to search everything."""
        return self.left(now) * workers < 3 * self._preparation_s

    def search_end(self, size: int, now: float, workers: float, least: float = 0.0) -> float | None:
        """End of the search of an instance that begins now; None: no time for it.

        Args:
            size: N.
            now: The clock.
            workers: That search for this order, side by side; below 1, one for several orders.
            least: Seconds that its preparation is known to take.
        """
        left = self.left(now)
        with self._lock:
            # The thread that asks is idle; the others are, too, until each has begun once.
            alone = self._waiting <= max(1, workers - self._started) or self._unsearched <= 0
            part = min(1.0, workers) if alone else workers * size / self._unsearched
            self._unsearched -= size
            self._waiting -= 1
            self._started += 1
        if left < max(least, preparation_seconds(size)):
            return None
        return now + min(left, max(left * part, least_search_seconds(size)))


def _methods(options: SolveOptions) -> list[SolveOptions]:
    """Ways to construct, from dear to cheap."""
    asked = options.untimed()
    methods = [asked]
    if asked.improve != "none" and asked.decode == "multistart" and asked.augment == 1:
        methods.insert(0, dataclasses.replace(asked, augment=8))
    cheap = asked.greedily()
    return methods if cheap == asked else [*methods, cheap]


def _work(sizes: Sequence[int], options: SolveOptions) -> float:
    return sum(policy_work(size, options) for size in sizes)
