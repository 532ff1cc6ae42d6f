"""Classical solvers with one thread, one instance at a time, each by its own defaults.

They are optional: those that are not installed are left out.
"""

import importlib.metadata
import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks import ortools_model, plain_rivals, pyvrp_model, vroom_model
from benchmarks.contender import Attempt, Contender, SolveOne, one_by_one, plain_only
from benchmarks.whole import CannotExpressError, fewest_first
from vrpcore.instance.instance import Instance

SMALL_POPULATION = 3
# Its exploration levels, and up to how many customers each is measured: the highest takes
# 19 s for 200. Its own time limit is no way out: cut short, higher levels find less.
VROOM_LEVELS = {0: None, 1: None, 2: 400, 3: 400, 4: 200, 5: 200}
NO_LIMIT = "with constraints and without a time limit it may search for hours"
Refusal = Callable[[Instance], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """Another project's solver.

    Attributes:
        name: For readers.
        module: What is imported.
        package: What is installed.
    """

    name: str
    module: str
    package: str

    @property
    def installed(self) -> bool:
        """Return whether it can be imported."""
        return importlib.util.find_spec(self.module) is not None

    @property
    def version(self) -> str:
        """Package and version."""
        return f"{self.package} {importlib.metadata.version(self.package)}"


HGS = Rival(name="HGS", module="hygese", package="hygese")
PYVRP = Rival(name="PyVRP", module="pyvrp", package="pyvrp")
VROOM = Rival(name="VROOM", module="vroom", package="pyvroom")
ORTOOLS = Rival(name="OR-Tools", module="ortools", package="ortools")
RIVALS = (HGS, PYVRP, VROOM, ORTOOLS)


def rival_contenders(
    budgets: Sequence[float], seed: int, fewest_vehicles: bool = False
) -> tuple[list[Contender], list[str]]:
    """All points of all rivals that are installed.

    Args:
        budgets: Seconds of an instance, ascending.
        seed: Of the rivals that draw random numbers.
        fewest_vehicles: With constraints, vehicles cost more than any route saves.

    Returns:
        The contenders, and a sentence for each rival that is missing.
    """
    found: list[Contender] = []

    def add(rival: Rival, setting: str, solve: SolveOne, refuses: Refusal, **more: Any) -> None:
        found.append(_contender(rival, setting, seed, solve, refuses=refuses, **more))

    if HGS.installed:
        for suffix, mu in (("", None), (f" mu={SMALL_POPULATION}", SMALL_POPULATION)):
            for budget in budgets:
                solve = plain_rivals.hgs_solver(budget, seed, mu)
                add(HGS, f"{budget:g} s", solve, plain_only, suffix=suffix)
    if PYVRP.installed:
        refuses = _refusal(pyvrp_model.check_expressible)
        for budget in budgets:
            solve = _pyvrp_either(budget, seed, fewest_vehicles)
            add(PYVRP, f"{budget:g} s", solve, refuses)
    if VROOM.installed:
        refuses = _refusal(vroom_model.check_expressible)
        for level, most in VROOM_LEVELS.items():
            solve = _either(
                plain_rivals.vroom_solver(level),
                vroom_model.vroom_constraints_solver(level),
                fewest_vehicles,
            )
            add(VROOM, f"level {level}", solve, refuses, most_customers=most)
    if ORTOOLS.installed:
        add(ORTOOLS, "first solution", plain_rivals.ortools_solver(None), _plain_without_limit)
        refuses = _refusal(ortools_model.check_expressible)
        for budget in budgets:
            constraints_solver = ortools_model.ortools_constraints_solver(budget)
            solve = _either(
                plain_rivals.ortools_solver(budget), constraints_solver, fewest_vehicles
            )
            add(ORTOOLS, f"{budget:g} s", solve, refuses)
    return found, [
        f"{rival.name}: not measured, {rival.package} is not installed (pip install -e '.[bench]')"
        for rival in RIVALS
        if not rival.installed
    ]


def reference_contenders(
    seconds: float, seed: int, fewest_vehicles: bool = False
) -> list[Contender]:
    """Longer runs for the best known costs, the better first: HGS and PyVRP where installed."""
    pyvrp = _pyvrp_either(seconds, seed, fewest_vehicles)
    found: tuple[tuple[Rival, SolveOne, Refusal], ...] = (
        (HGS, plain_rivals.hgs_solver(seconds, seed, None), plain_only),
        (PYVRP, pyvrp, _refusal(pyvrp_model.check_expressible)),
    )
    return [
        Contender(
            method=f"reference ({rival.name})",
            setting=f"{seconds:g} s",
            version=f"{rival.version}, seed {seed}",
            solve=one_by_one(solve),
            hidden=True,
            refuses=refuses,
        )
        for rival, solve, refuses in found
        if rival.installed
    ]


def _contender(
    rival: Rival, setting: str, seed: int, solve: SolveOne, *, suffix: str = "", **more: Any
) -> Contender:
    return Contender(
        method=rival.name + suffix,
        setting=setting,
        version=f"{rival.version}, seed {seed}",
        solve=one_by_one(solve),
        **more,
    )


def _pyvrp_either(budget: float, seed: int, fewest_vehicles: bool) -> SolveOne:
    constraints_solver = pyvrp_model.pyvrp_constraints_solver(budget, seed)
    return _either(plain_rivals.pyvrp_solver(budget, seed), constraints_solver, fewest_vehicles)


def _either(plain: SolveOne, constraints_solver: SolveOne, fewest_vehicles: bool) -> SolveOne:
    """A solver of plain instances and one of instances with constraints as one."""

    def solve(instance: Instance) -> Attempt:
        if instance.constraints is None:
            return plain(instance)
        return constraints_solver(fewest_first(instance) if fewest_vehicles else instance)

    return solve


def _refusal(check: Callable[[Instance], None]) -> Refusal:
    """Return the message of a check that raises."""

    def refuses(instance: Instance) -> str | None:
        if instance.constraints is None:
            return None
        try:
            check(instance)
        except CannotExpressError as error:
            return f"cannot express {error}"
        return None

    return refuses


def _plain_without_limit(instance: Instance) -> str | None:
    return None if instance.constraints is None else NO_LIMIT
