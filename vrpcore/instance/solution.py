"""Answers: routes with their costs, or the reason why there are none."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from vrpcore.instance.instance import CustomerId

Status = Literal["solved", "invalid", "infeasible", "not_found"]


@dataclass(frozen=True, slots=True)
class Route:
    """One vehicle's customers, depot omitted.

    Attributes:
        customers: The author's customer identifiers in visiting order.
        load: Exactly rounded sum of their demands, in demand units.
        cost: Length of depot - customers - depot, in the instance's own unit.
    """

    customers: tuple[CustomerId, ...]
    load: float
    cost: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """The answer to one instance.

    Attributes:
        name: The instance's name.
        status: `solved`, `invalid`, `infeasible` or `not_found`.
        cost: Sum of the routes' costs where solved, else None.
        routes: Where solved; may be empty (an instance without customers).
        gap: (cost - reference) / reference where a reference was given.
        warnings: Codes such as `SIZE_OUT_OF_TRAINING`.
        code: Stable identifier of the reason where not solved.
        error: The reason in words where not solved.
    """

    name: str
    status: Status
    cost: float | None = None
    routes: tuple[Route, ...] = ()
    gap: float | None = None
    warnings: tuple[str, ...] = ()
    code: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The `summary` of a document of solutions, in this order.

    Attributes:
        instances: All of them.
        solved: Of these.
        invalid: Of these.
        infeasible: Of these.
        cost: Exactly rounded sum over all solutions; an integer if all costs are.
        seconds: Wall clock from the first byte read to the last answer found.
        instances_per_second: 0 where no time passed.
        improve: The host search that was used.
    """

    instances: int
    solved: int
    invalid: int
    infeasible: int
    cost: float
    seconds: float
    instances_per_second: float
    improve: str

    @classmethod
    def of(cls, status: Counter[Status], cost: float, seconds: float, improve: str) -> "Summary":
        """From the number of answers of each status."""
        return cls(
            instances=status.total(),
            solved=status["solved"],
            invalid=status["invalid"],
            infeasible=status["infeasible"],
            cost=cost,
            seconds=round(seconds, 6),
            instances_per_second=round(status.total() / seconds, 3) if seconds > 0 else 0.0,
            improve=improve,
        )


def summarise(solutions: Sequence[Solution], seconds: float, improve: str) -> Summary:
    """The summary of solutions that are all known."""
    costs = [solution.cost for solution in solutions if solution.cost is not None]
    cost = sum(costs) if all(isinstance(cost, int) for cost in costs) else math.fsum(costs)
    return Summary.of(Counter(solution.status for solution in solutions), cost, seconds, improve)
