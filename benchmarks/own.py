"""Points of this project: the policy without search, and with it."""

from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.contender import Attempt, Contender, Routes, plain_only
from vrpcore.bench.evaluation import model_text
from vrpcore.bench.throughput import POLICY, SEARCH
from vrpcore.bench.timing import timed
from vrpcore.instance.instance import Instance
from vrpcore.instance.solution import Solution
from vrpcore.search.hgs_library import is_built
from vrpcore.solve.solve_options import IMPROVES
from vrpcore.solve.solver import Solver
from vrpcore.version import VERSION

OWN = "vrp"
TIMED_ONLY = "measured only with time limits where there are constraints"
TIMED, BATCHED = f"{OWN} timed", f"{OWN} batched"
_LIMIT = "time_limit"


def own_contenders(
    solver: Solver, budgets: Sequence[float], seed: int, fewest_vehicles: bool = False
) -> tuple[list[Contender], list[str]]:
    """All points of this project, with one thread.

    `vrp policy` is the policy without search, `vrp` its search as far as its own counts go,
    `vrp timed` the most thorough search with a time limit for the whole call, policy
    included; `vrp batched` gets all instances in one call, as users have them.

    Args:
        solver: This project's.
        budgets: Time limits per instance in seconds, ascending.
        seed: Source of all randomness.
        fewest_vehicles: With constraints, fewer vehicles come before cost.

    Returns:
        The contenders, and what cannot be measured here, in words.
    """
    curves = {f"{OWN} policy": POLICY}
    notes = []
    if is_built():
        deepest = {"improve": IMPROVES[-1]}
        limited = {f"{budget:g} s": deepest | {_LIMIT: budget} for budget in budgets}
        curves |= {OWN: SEARCH, TIMED: limited, BATCHED: POLICY | SEARCH}
    else:
        curves |= {BATCHED: POLICY}
        notes.append(f"{OWN} with search: not measured (vrp doctor says why)")
    info = solver.model
    version = f"{VERSION}, model {model_text(info)} ({info.backend}), seed {seed}"
    common = {"workers": 1, "threads": 1, "seed": seed}
    found = [
        Contender(
            method=method,
            setting=setting,
            version=version,
            solve=_solve_with(solver, common | options, fewest_vehicles),
            together=method == BATCHED,
            refuses=_REFUSALS.get(method, plain_only),
        )
        for method, curve in curves.items()
        for setting, options in curve.items()
    ]
    return found, notes


def _timed_only(instance: Instance) -> str | None:
    return None if instance.constraints is None else TIMED_ONLY


_REFUSALS: dict[str, Callable[[Instance], str | None]] = {
    OWN: _timed_only,
    BATCHED: _timed_only,
    TIMED: lambda _instance: None,
}


def _solve_with(
    solver: Solver, options: dict[str, Any], fewest_vehicles: bool
) -> Callable[[Sequence[Instance]], list[Attempt]]:
    with_constraints = {name: value for name, value in options.items() if name != _LIMIT}
    if _LIMIT in options:
        with_constraints["time_per_instance"] = options[_LIMIT]
        with_constraints["fewest_vehicles"] = fewest_vehicles

    def solve(instances: Sequence[Instance]) -> list[Attempt]:
        plain = all(instance.constraints is None for instance in instances)
        chosen = options if plain else with_constraints
        solved = timed(lambda: solver.solve(instances, **chosen))
        solver_s = solved.cpu_s / max(1, len(instances))
        return [
            Attempt(_routes(instance, answer), solver_s)
            for instance, answer in zip(instances, solved.result, strict=True)
        ]

    return solve


def _routes(instance: Instance, answer: Solution) -> Routes | Solution | None:
    if answer.status != "solved" or answer.fault is not None:
        return None
    if instance.constraints is not None:
        return answer
    number = instance.numbers
    return [[number[customer] for customer in route.customers] for route in answer.routes]
