"""Progress of the running job."""

import threading
import time
from collections import deque
from collections.abc import Iterator
from typing import Any

from vrpcore.solve.order import Order

LOOK_S = 0.5  # from one look at the searches to the next, however many ask


class JobProgress:
    """Progress of a job: its runner reports begins and ends, any thread reads it.

    Nothing is noted of the searches; they are looked at when somebody asks.

    Args:
        job_id: The job, which begins now.
    """

    def __init__(self, job_id: str) -> None:
        self.job_id, self._started = job_id, time.perf_counter()
        self._lock = threading.Lock()
        self._waiting: deque[Order] = deque()
        self._collected = 0
        self._looked, self._shown = -LOOK_S, dict[str, Any]()

    @property
    def seconds(self) -> float:
        """Seconds since the job began."""
        return time.perf_counter() - self._started

    @property
    def waiting(self) -> list[Order]:
        """The orders that are with the session, the oldest first."""
        with self._lock:
            return list(self._waiting)

    def begin(self, order: Order) -> None:
        """The next instances of the job are with the session."""
        with self._lock:
            self._waiting.append(order)

    def end(self) -> None:
        """The oldest order is answered."""
        with self._lock:
            self._collected += self._waiting.popleft().last + 1

    def shown(self) -> dict[str, Any]:
        """The progress, at most `LOOK_S` seconds old.

        Returns:
            `seconds` since it began, `finished` instances, and `searched`: of each instance that
            is being searched `position` in the job, `name`, `cost` of the best plan (None: none
            yet that serves all who must be served, or the search counts other costs than the
            answer) and `iterations`.
        """
        with self._lock:
            seconds = self.seconds
            if seconds - self._looked >= LOOK_S:
                self._looked, self._shown = seconds, self._look(seconds)
            return self._shown

    def _look(self, seconds: float) -> dict[str, Any]:
        finished = self._collected + sum(len(order.answers) for order in self._waiting)
        searched = list(self._searched())
        return {"seconds": round(seconds, 3), "finished": finished, "searched": searched}

    def _searched(self) -> Iterator[dict[str, Any]]:
        first = self._collected
        for order in self._waiting:
            for task, seen in order.incumbents():
                yield {
                    "position": first + task.position,
                    "name": task.instance.name,
                    "cost": seen.cost,
                    "iterations": seen.iterations,
                }
            first += order.last + 1
