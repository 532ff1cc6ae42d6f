"""The default solve with and without the model's start, at equal time limits.

python -m tests.bench.model_pays [--cases 200:0.5 500:2 1000:6] [--count 100] [--jobs 2] [-o RECORD]

Cases are N:SECONDS; N:0 has no time limit, but the iterations of a default solve, and the first two
ways only. Every instance is solved three times on one core with that time limit: as by
default, where the limit decides how the policy is asked; with a start of savings only; and with
one greedy tour of the policy besides savings, whatever the limit. Half of the instances are
uniform, half of the kind of X, none of a test set. Seconds are CPU seconds of a solve. Differences
are of costs, in percent of those without the model, paired, with their standard errors.
"""

import dataclasses
import functools
import itertools
import multiprocessing
import os
import statistics

import numpy as np

from benchmarks.records import Column, PageRecord, origin
from tests.bench.arguments import OUTPUT, arguments, show
from vrpcore.api import Solver
from vrpcore.bench.timing import timed
from vrpcore.instance.generator import as_instances, random_problems
from vrpcore.solve import budget, order
from vrpcore.solve.solve_options import SolveOptions

SEED = 9173  # of no test set
WAYS = ("as by default", "savings only", "one tour of the policy")
BY_LIMIT, BY_SIZE = budget.Budget.construction, order.asks_policy
COLUMNS = (
    Column("N"), Column("instances"), Column("limit, s", "{:g}"), Column("start"),
    Column("CPU s", "{:.2f}"), Column("difference, %"), Column("policy asked", "{:.0%}"),
)  # fmt: skip


def instance_of(size, index):
    """A random instance."""
    rng = np.random.default_rng([SEED, size, index])
    kind = ("uniform", "xstyle")[index % 2]
    return as_instances(random_problems(kind, (1, size), "by_size", rng), kind)[0]


class Forced:
    """Replaces how a budget constructs, and counts when the policy is asked."""

    def __init__(self):
        self.asked, self.way, self.by_limit = 0, WAYS[0], BY_LIMIT

    def __call__(self, own, *given):
        found = self.by_limit(own, *given)
        if self.way == WAYS[1]:
            found = None
        elif self.way == WAYS[2]:
            found = dataclasses.replace(SolveOptions(), decode="greedy")
        self.asked += found is not None
        return found


@functools.cache
def opened():
    """A process's solver, with the model loaded."""
    solver = Solver(device="cpu")
    solver.solve([instance_of(50, 0)], improve="none")
    return solver


def costs(job):
    """Costs, CPU seconds and whether the policy was asked, by way."""
    size, seconds, index, core = job
    os.sched_setaffinity(0, {core})
    instance, solver, forced = instance_of(size, index), opened(), Forced()
    budget.Budget.construction = lambda *given: forced(*given)
    found = {}
    ways = WAYS if seconds else WAYS[:2]
    for way in itertools.islice(itertools.cycle(ways), index % 3, index % 3 + len(ways)):
        forced.way, forced.asked = way, 0
        order.asks_policy = BY_SIZE if seconds or way == WAYS[0] else lambda *_: False
        solved = timed(lambda: solver.solve([instance], time_limit=seconds or None, workers=1)[0])
        asked = forced.asked if seconds else way == WAYS[0]
        found[way] = solved.result.cost, solved.cpu_s, asked
    print(size, index, found, flush=True)
    return found


def main():
    given = arguments(
        __doc__, cases=["200:0.5", "500:2", "1000:6"], count=100, jobs=2, output=OUTPUT
    )
    cores = sorted(os.sched_getaffinity(0))[: given.jobs]
    rows, runs = [], []
    with multiprocessing.get_context("spawn").Pool(given.jobs) as pool:
        for case in given.cases:
            size, seconds = int(case.split(":")[0]), float(case.split(":")[1])
            jobs = [(size, seconds, i, cores[i % given.jobs]) for i in range(given.count)]
            results = pool.map(costs, jobs, chunksize=1)
            runs += [{"N": size, "s": seconds, "found": each} for each in results]
            for way in results[0]:
                own, cpu_s, asked = zip(*(each[way] for each in results), strict=True)
                base = [each[WAYS[1]][0] for each in results]
                off = [100 * (one / other - 1) for one, other in zip(own, base, strict=True)]
                error = statistics.stdev(off) / len(off) ** 0.5
                words = "" if way == WAYS[1] else f"{statistics.mean(off):+.2f} ± {error:.2f}"
                share = sum(each > 0 for each in asked) / len(asked)
                rows.append([size, len(own), seconds, way, statistics.mean(cpu_s), words, share])
    chosen = f"--cases {' '.join(given.cases)} --count {given.count} --jobs {given.jobs}"
    here = origin(f"python -m tests.bench.model_pays {chosen}")
    record = PageRecord(**here, model=Solver(device="cpu").model.name, columns=COLUMNS, rows=rows)
    show(record, given.output, runs=runs)


if __name__ == "__main__":
    main()
