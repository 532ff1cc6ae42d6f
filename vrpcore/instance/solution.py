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


def summarise(
    solutions: Sequence[Solution], seconds: float, improve: str
) -> dict[str, str | int | float]:
    """The `summary` of a document of solutions.

    Args:
        solutions: All of them.
        seconds: Wall clock from the first byte read to the last answer found.
        improve: The host search that was used.
    """
    count = Counter(solution.status for solution in solutions)
    costs = [solution.cost for solution in solutions if solution.cost is not None]
    return {
        "instances": len(solutions),
        "solved": count["solved"],
        "invalid": count["invalid"],
        "infeasible": count["infeasible"],
        "cost": sum(costs) if all(isinstance(cost, int) for cost in costs) else math.fsum(costs),
        "seconds": round(seconds, 6),
        "instances_per_second": round(len(solutions) / seconds, 3) if seconds > 0 else 0.0,
        "improve": improve,
    }
