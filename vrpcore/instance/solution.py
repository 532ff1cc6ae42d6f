"""Answers: routes with their costs, or the reason why there are none."""

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
