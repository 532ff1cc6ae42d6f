"""This project's own points: the policy alone, and with its search."""

from collections.abc import Callable, Sequence
from typing import Any

from vrpcore.api import Solver
from vrpcore.bench.contender import Attempt, Contender
from vrpcore.bench.timing import timed
from vrpcore.improve.native import is_built
from vrpcore.instance.instance import Instance
from vrpcore.instance.solution import Solution
from vrpcore.solve.options import IMPROVES
from vrpcore.version import VERSION

OWN = "vrp"
TIMED, BATCHED = f"{OWN} timed", f"{OWN} batched"
POLICY: dict[str, dict[str, Any]] = {
    "multistart": {"improve": "none"},
    "x8": {"improve": "none", "augment": 8},
}
SEARCH: dict[str, dict[str, Any]] = {
    level: {"improve": level} for level in IMPROVES if level != "none"
}


def own_contenders(
    solver: Solver, budgets: Sequence[float], seed: int
) -> tuple[list[Contender], list[str]]:
    """All points of this project, with one thread.

    `vrp policy` is the policy alone, `vrp` its search as far as its own counts go,
    `vrp timed` the most thorough search with a time limit for the whole call, policy
    included; `vrp batched` gets all instances in one call, as users have them.

    Args:
        solver: This project's.
        budgets: Time limits per instance in seconds, ascending.
        seed: Source of all randomness.

    Returns:
        The contenders, and what cannot be measured here, in words.
    """
    curves = {f"{OWN} policy": POLICY}
    notes = []
    if is_built():
        deepest = {"improve": IMPROVES[-1]}
        limited = {f"{budget:g} s": deepest | {"time_limit_s": budget} for budget in budgets}
        curves |= {OWN: SEARCH, TIMED: limited, BATCHED: POLICY | SEARCH}
    else:
        curves |= {BATCHED: POLICY}
        notes.append(f"{OWN} with search: not measured (vrp doctor says why)")
    info = solver.model
    version = f"{VERSION}, model {info.name} {info.sha256[:12]} ({info.backend}), seed {seed}"
    found = [
        Contender(
            method=method,
            setting=setting,
            version=version,
            solve=_solve_with(solver, {"workers": 1, "threads": 1, "seed": seed} | options),
            together=method == BATCHED,
        )
        for method, curve in curves.items()
        for setting, options in curve.items()
    ]
    return found, notes


def _solve_with(
    solver: Solver, options: dict[str, Any]
) -> Callable[[Sequence[Instance]], list[Attempt]]:
    def solve(instances: Sequence[Instance]) -> list[Attempt]:
        solved = timed(lambda: solver.solve(instances, **options))
        solver_s = solved.cpu_s / max(1, len(instances))
        return [
            Attempt(_routes(instance, answer), solver_s)
            for instance, answer in zip(instances, solved.result, strict=True)
        ]

    return solve


def _routes(instance: Instance, answer: Solution) -> list[list[int]] | None:
    if answer.status != "solved":
        return None
    number = {identifier: place for place, identifier in enumerate(instance.ids, start=1)}
    return [[number[customer] for customer in route.customers] for route in answer.routes]
