"""Better plans of the instances that are being searched, as they are found."""

from collections.abc import Iterable, Iterator, Mapping

from vrpcore.instance.solution import Solution
from vrpcore.search.watch import Seen
from vrpcore.solve.budget import Clock
from vrpcore.solve.order import ROUNDING, Order, Task
from vrpcore.solve.stage import Improvement


def incumbents(order: Order) -> Iterator[tuple[Task, Seen]]:
    """The findings so far of each running search of an order."""
    for task in order.searched:
        if (watch := task.watch) is not None:  # else it failed meanwhile
            yield task, watch.seen()


class Improvements:
    """Looks at searches from time to time.

    Args:
        clock: Returns seconds.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock, self._started = clock, clock()
        self._told: dict[int, tuple[int, float | None]] = {}

    def searched(self, orders: Iterable[Order]) -> Iterator[Improvement]:
        """The best plan of each search that found one since the last look."""
        for task, seen in (found for order in orders for found in incumbents(order)):
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
