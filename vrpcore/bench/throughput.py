"""Instances a second of whole solves on this machine: `vrp bench solve`."""

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from vrpcore.bench.problem_set import ProblemSet
from vrpcore.bench.timing import in_turn, timed
from vrpcore.errors import InfeasibleError, InternalError
from vrpcore.instance.solution import Solution
from vrpcore.search.hgs_library import is_built
from vrpcore.solve.solve_options import IMPROVES
from vrpcore.solve.solver import Solver

FORMAT = "vrp-bench-solve/1"
SIZES, QUICK_SIZES = (20, 50, 100, 200), (20, 50)
REPEATS, QUICK_REPEATS = 3, 1
Modes = Mapping[str, Mapping[str, Any]]
POLICY: dict[str, dict[str, Any]] = {
    "multistart": {"improve": "none"},
    "x8": {"improve": "none", "augment": 8},
}
SEARCH: dict[str, dict[str, Any]] = {
    level: {"improve": level} for level in IMPROVES if level != "none"
}
_LARGEST_COUNT, _SMALLEST_COUNT, _CUSTOMERS = 256, 16, 12_800
_QUICK_COUNT = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Throughput:
    """One way to solve one set, all instances in one call.

    Attributes:
        name: Of the set.
        mode: Its name.
        instances: How many in the call.
        wall_s: Median seconds of the call.
        cpu_s: Median CPU seconds of the call, all threads of this process.
        cost: Mean cost.
        gap: Mean of the gaps to the set's references; None where they are not known.
    """

    name: str
    mode: str
    instances: int
    wall_s: float
    cpu_s: float
    cost: float
    gap: float | None

    @property
    def instances_per_second(self) -> float:
        """By wall clock."""
        return self.instances / self.wall_s

    @property
    def cpu_ms(self) -> float:
        """CPU milliseconds of an instance."""
        return 1e3 * self.cpu_s / self.instances


def usual_count(size: int, *, quick: bool) -> int:
    """Return the number of instances of a size that keeps one call busy for some seconds."""
    if quick:
        return _QUICK_COUNT
    return max(_SMALLEST_COUNT, min(_LARGEST_COUNT, _CUSTOMERS // size))


def modes_here() -> tuple[Modes, list[str]]:
    """The modes that can be measured, each with its options, and what cannot."""
    if is_built():
        return POLICY | {"fast": SEARCH["fast"]}, []
    return POLICY, ["fast: not measured (vrp doctor says why)"]


def measure_throughput(
    solver: Solver, problems: ProblemSet, modes: Modes, repeats: int, threads: int | None
) -> list[Throughput]:
    """Times all modes in turn, forth and back, after untimed calls of each.

    Args:
        solver: With the model loaded.
        problems: What to solve.
        modes: Options of a solve by name.
        repeats: Rounds, at least 1.
        threads: Of construction and of search; None: one per core.

    Raises:
        InfeasibleError: An instance was not solved.
        InternalError: A bug changed or cost an answer.
    """
    options = {name: {"threads": threads, "workers": threads, **modes[name]} for name in modes}
    on_host = solver.model.device == "cpu"
    for name in modes:
        # A device records a shape when it meets it for the second time, and then replays it.
        for _ in range(1 if on_host else 2):
            solver.solve(problems.instances[:2] if on_host else problems.instances, **options[name])
    solves = {name: partial(solver.solve, problems.instances, **options[name]) for name in modes}
    found = in_turn({name: partial(timed, solve) for name, solve in solves.items()}, repeats)
    costs = {
        name: [_cost(problems.name, answer) for answer in found[name][-1].result] for name in modes
    }
    return [
        Throughput(
            name=problems.name,
            mode=name,
            instances=len(problems.instances),
            wall_s=statistics.median(call.wall_s for call in found[name]),
            cpu_s=statistics.median(call.cpu_s for call in found[name]),
            cost=statistics.fmean(costs[name]),
            gap=_gap(costs[name], problems.references),
        )
        for name in modes
    ]


def _cost(place: str, answer: Solution) -> float:
    if answer.fault is not None:
        raise InternalError(f"{place}: {answer.name}: {answer.fault}")
    if answer.status != "solved" or answer.cost is None:
        raise InfeasibleError(f"{place}: {answer.name}: {answer.status}: {answer.error}")
    return float(answer.cost)


def _gap(costs: Sequence[float], references: Sequence[float | None]) -> float | None:
    gaps = [
        cost / reference - 1
        for cost, reference in zip(costs, references, strict=True)
        if reference is not None and reference > 0
    ]
    return statistics.fmean(gaps) if len(gaps) == len(costs) else None


def throughput_to_json(rows: Iterable[Throughput], environment: Mapping[str, object]) -> str:
    """The figures as a JSON document."""
    found = [
        asdict(row) | {"instances_per_second": row.instances_per_second, "cpu_ms": row.cpu_ms}
        for row in rows
    ]
    document = {"format": FORMAT, "environment": dict(environment), "rows": found}
    return json.dumps(document, indent=1) + "\n"
