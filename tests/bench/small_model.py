"""The small model beside the default one, policy alone, with 1 and 8 symmetries, one thread.

python -m tests.bench.small_model [--rounds 3] [-o RECORD]

Instances are drawn with a seed that nothing was trained or tuned on; references are a
search with 3000 iterations a customer. Both models solve each set in turns: mean gaps, medians
of the CPU milliseconds of an instance, and the difference of the gaps with its standard error.
"""

import statistics
from functools import partial

import numpy as np

from benchmarks.records import Column, PageRecord, origin
from tests.bench.arguments import OUTPUT, arguments, show
from vrpcore.api import Solver
from vrpcore.bench.evaluation import model_text
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


def row_of(solvers, instances, known, rounds, augment):
    """Gap in percent and CPU milliseconds of each model, and the gaps' difference."""
    starts = instances[0].num_customers
    options = {"improve": "none", "augment": augment, "starts": starts}
    solves = {
        model: partial(solver.solve, instances, **options, threads=1, workers=1)
        for model, solver in solvers.items()
    }
    calls = {model: partial(timed, solve) for model, solve in solves.items()}
    gaps, cells = [], []
    for found in in_turn(calls, rounds).values():
        gaps.append(100 * (np.array([each.cost for each in found[-1].result]) / known - 1))
        cpu_ms = 1e3 * statistics.median(call.cpu_s for call in found) / len(instances)
        cells.append([float(gaps[-1].mean()), float(f"{cpu_ms:.2g}")])
    more = gaps[1] - gaps[0]
    return [*cells, [float(more.mean()), float(more.std(ddof=1)) / len(more) ** 0.5]]


def main():
    args = arguments(__doc__, rounds=3, output=OUTPUT)
    solvers = {name: Solver(name, "cpu") for name in MODELS}
    rows = []
    for name, count in SETS:
        instances = generated_set(name, count, SEED).instances
        known = references(solvers["base"], instances)
        for augment in (1, 8):
            cells = row_of(solvers, instances, known, args.rounds, augment)
            rows.append([f"{name}, x{augment}" if augment > 1 else name, *cells])
            print(rows[-1], flush=True)
    record = PageRecord(
        **origin("python -m tests.bench.small_model"),
        model=model_text(*(solver.model for solver in solvers.values())),
        columns=[
            Column(""),
            *(Column(f"{name}: %, ms", "{:.2f} · {:g}") for name in MODELS),
            Column("difference, %", "{:+.2f} ± {:.2f}"),
        ],
        rows=rows,
    )
    show(record, args.output)


if __name__ == "__main__":
    main()
