"""`vrp bench readme`: the measurements behind the README's figures."""

from dataclasses import replace
from pathlib import Path

from vrpcore.bench.bks import read_reference_files
from vrpcore.bench.problem_set import (
    KOOL_SIZES,
    SEED,
    ProblemSet,
    generated_set,
    read_sets,
)
from vrpcore.bench.throughput import POLICY, SEARCH, Modes
from vrpcore.errors import OutputError
from vrpcore.search.hgs_library import is_built

_SEARCH = "vrp solve"
_NAMES = {"x8": "only the policy, 8 symmetries", "multistart": "only the policy"}
_CVRPLIB, _CVRPLIB_LARGEST, _CVRPLIB_MOST = ("A", "B", "P", "X"), 400, 1000


# Instances of each of the literature's sets at most (of CVRPLIB all), and rounds of their solves.
FULL, QUICK = (256, 3), (16, 1)


def field_sets(count: int) -> list[ProblemSet]:
    """The literature's test sets as far as their reference costs are known.

    Args:
        count: Of each at most.
    """
    found = []
    for size in KOOL_SIZES:
        drawn = generated_set(f"kool{size}", count, SEED)
        known = sum(reference is not None for reference in drawn.references)
        found.append(
            replace(drawn, instances=drawn.instances[:known], references=drawn.references[:known])
        )
    return found


def cvrplib_sets(folder: Path) -> list[ProblemSet]:
    """CVRPLIB's sets A, B and P, and X up to 400 customers.

    Args:
        folder: With `index.csv` (columns `name` and `bks`, `free_fleet_best` or `cost`) and
            the folders `A`, `B`, `P`, `X` of `.vrp` files, as many of them as there are.

    Raises:
        OutputError: None of the folders is there.
        InstanceError: A file is not what it should be.
    """
    folders = [folder / name for name in _CVRPLIB if (folder / name).is_dir()]
    if not folders:
        raise OutputError(f"{folder}: has none of the folders {', '.join(_CVRPLIB)}")
    known = read_reference_files([folder / "index.csv"])
    found = []
    for problems in read_sets(folders, known, _CVRPLIB_MOST):
        kept = [
            (instance, cost)
            for instance, cost in zip(problems.instances, problems.references, strict=True)
            if instance.num_customers <= _CVRPLIB_LARGEST
        ]
        if kept:
            instances, costs = zip(*kept, strict=True)
            found.append(replace(problems, instances=instances, references=costs))
    return found


def solve_mode() -> Modes:
    """The default solve; the policy's own where the search is not installed."""
    return {_SEARCH: SEARCH["fast"] if is_built() else POLICY["multistart"]}


def readme_modes(size: int) -> Modes:
    """The default solve, and only the policy from all first customers.

    Args:
        size: N.
    """
    unsearched = {_NAMES[name]: POLICY[name] | {"starts": size} for name in _NAMES}
    return dict(solve_mode()) | unsearched
