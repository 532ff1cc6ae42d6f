"""This project beside PyVRP on eight of the literature's variants, at equal time: paired.

python -m tests.bench.variant_equal_time [--sizes 50 100] [--ms 20 50 100 500] [--count 128]

The instances of `variant_starts`, each a call of its own, in turn, one thread. The whole call of
this project, reading apart, is held to the time; PyVRP has as much for its search alone, behind
making its model and its first solution. Printed for each variant and time: how much longer PyVRP's
routes are, in percent, with the standard error of the paired differences, where both serve
everybody; of how many instances one of them does not, ours and PyVRP's; and the mean milliseconds
of whole calls, ours and PyVRP's. Every answer is costed by this project's timelines.
"""

import numpy as np
import torch

from benchmarks.contender import judge
from benchmarks.pyvrp_model import pyvrp_constraints_solver
from tests.bench.arguments import arguments
from tests.bench.variant_starts import NAMES, drawn
from vrpcore.api import Solver
from vrpcore.bench.timing import timed
from vrpcore.referee.referee import check_solution


def own(solver, instance, seconds):
    """Cost, infinite where somebody is left out, and seconds of the whole call."""
    options = {"time_per_instance": seconds, "workers": 1, "threads": 1}
    found = timed(lambda: solver.solve([instance], **options))
    (solution,) = found.result
    if solution.status != "solved":
        return np.inf, found.wall_s
    problems = check_solution(instance, solution).problems
    if problems:
        raise SystemExit(f"{instance.name}: {problems[0]}")
    return solution.cost, found.wall_s


def pyvrps(instance, seconds):
    """The same of PyVRP."""
    found = timed(lambda: pyvrp_constraints_solver(seconds, 0)(instance))
    cost, _ = judge(instance, found.result.routes)
    return np.inf if cost is None else cost, found.wall_s


def main():
    """Prints a line for each variant and size."""
    args = arguments(__doc__, sizes=[50, 100], ms=[20.0, 50, 100, 500], names=NAMES, count=128)
    torch.set_num_threads(1)
    solver = Solver(device="cpu")
    for size in args.sizes:
        for name in args.names:
            instances = drawn(name, size, args.count)
            own(solver, instances[0], 0.1)  # warms up
            cells = [compared(solver, instances, ms / 1e3) for ms in args.ms]
            print(f"| {name} | {size} | " + " | ".join(cells) + " |", flush=True)


def compared(solver, instances, seconds):
    """A cell: the paired difference, who is left out, whole calls."""
    ours, theirs = [], []
    for turn, instance in enumerate(instances):
        for contender in (0, 1) if turn % 2 else (1, 0):
            if contender:
                theirs.append(pyvrps(instance, seconds))
            else:
                ours.append(own(solver, instance, seconds))
    (costs, took), (others, its) = (np.array(each).T for each in (ours, theirs))
    both = np.isfinite(costs) & np.isfinite(others)
    longer = 100 * (others[both] / costs[both] - 1)
    error = np.std(longer, ddof=1) / np.sqrt(len(longer))
    left_out = f"{np.isinf(costs).sum()}, {np.isinf(others).sum()} left out"
    whole = f"{1e3 * took.mean():.0f}, {1e3 * its.mean():.0f} ms"
    return f"{np.mean(longer):+.2f} ± {error:.2f}; {left_out}; {whole}"


if __name__ == "__main__":
    main()
