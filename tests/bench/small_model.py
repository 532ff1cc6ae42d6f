"""The small model beside the default one, policy alone, at rising effort, one thread.

python -m tests.bench.small_model [--rounds 5]

Instances are drawn with a seed that nothing was trained or tuned on; references are a
search with 3000 iterations a customer. Both models solve each set in turns; a line a set and
effort: mean gap and median CPU milliseconds of an instance of each.
"""

import statistics
from functools import partial

import numpy as np

from tests.bench.arguments import arguments
from vrpcore.api import Solver
from vrpcore.bench.problem_set import generated_set
from vrpcore.bench.timing import in_turn, timed
from vrpcore.search import effort

SETS = (("uniform10", 512), ("uniform20", 512), ("clustered20", 256), ("uniform30", 200))
SEED = 31337
MODELS = ("base", "small")


def references(solver, instances):
    """Costs of a long search."""
    usual = effort.ITERATIONS["fast"]
    effort.ITERATIONS["fast"] = 3000
    try:
        return np.array([answer.cost for answer in solver.solve(instances, improve="fast")])
    finally:
        effort.ITERATIONS["fast"] = usual


def main():
    args = arguments(__doc__, rounds=5)
    solvers = {name: Solver(name, "cpu") for name in MODELS}
    for name, count in SETS:
        instances = generated_set(name, count, SEED).instances
        size = instances[0].num_customers
        known = references(solvers["base"], instances)
        for augment, starts in ((1, size // 2), (1, size), (2, size), (4, size), (8, size)):
            options = {"improve": "none", "augment": augment, "starts": starts}
            solves = {
                model: partial(solver.solve, instances, **options, threads=1, workers=1)
                for model, solver in solvers.items()
            }
            calls = {model: partial(timed, solve) for model, solve in solves.items()}
            cells = []
            for model, found in in_turn(calls, args.rounds).items():
                gap = np.mean([answer.cost for answer in found[-1].result] / known - 1)
                cpu_ms = 1e3 * statistics.median(call.cpu_s for call in found) / count
                cells.append(f"{model} {gap:.3%} {cpu_ms:.2f} ms")
            print(f"{name} x{augment}, {starts} starts: {' | '.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
