"""The policy where no search follows, and what savings and short searches do in its place.

python -m tests.bench.policy_only [--sets kool20 uniform200] [--count 200] [--jobs 1] [-o RECORD]

One thread; CPU milliseconds of an instance, whole solves with their checks, 50 instances a call.
The ways take turns, in every other call backwards; medians of the calls. A search begins with
savings and has a limit of time: what is left of the policy's in the same call, of 7 ms, or of
1 ms a customer. References are the best of all ways, of a search with 4000 iterations a customer,
and known costs. A GPU's times are those of two stored records.
"""

import functools
import json
import multiprocessing
import statistics
from functools import partial

import numpy as np

from benchmarks.records import RECORDS, Column, PageRecord, origin
from tests.bench.arguments import OUTPUT, arguments, show
from vrpcore.api import Solver
from vrpcore.bench.evaluation import model_text
from vrpcore.bench.problem_set import generated_set
from vrpcore.bench.timing import timed
from vrpcore.solve import order

SETS = ("kool20", "kool50", "kool100", "uniform200")  # the last takes as long as the others
SEED = 31337
CALL = 50  # instances
NOTE = "On an H200: [measured before](docs/results/speed.md#on-a-gpu), with copies and checks."
POLICY = {"only the policy": 1, "only the policy, 8 symmetries": 8}
ASKS = order.asks_policy
SEARCHES = ("as long a search", "a search of 7 ms", "a search of 1 ms a customer")


def solved(solver, instances, *, policy=True, **options):
    """Costs, and CPU milliseconds of an instance."""
    order.asks_policy = ASKS if policy else lambda *_: False
    found = timed(partial(solver.solve, instances, threads=1, workers=1, **options))
    costs = [answer.cost for answer in found.result]
    return np.array(costs), 1e3 * found.cpu_s / len(instances)


@functools.cache
def opened():
    """A process's solver, with the model loaded and caches filled."""
    solver = Solver(device="cpu")
    some = generated_set("kool20", 2, SEED).instances
    solved(solver, some, improve="none")
    solved(solver, some)
    return solver


def call_of(job):
    """Costs and CPU milliseconds of one call, by way, and the references."""
    name, turn = job
    drawn, part = generated_set(name, CALL * (turn + 1), SEED), slice(CALL * turn, None)
    instances, solver = drawn.instances[part], opened()
    solve, order_of = partial(solved, solver, instances), (list, reversed)[turn % 2]
    ways = {
        "only savings": partial(solve, policy=False, time_limit=0),
        "`vrp solve`": solve,
    } | {way: partial(solve, improve="none", augment=copies) for way, copies in POLICY.items()}
    found = {way: ways[way]() for way in order_of(ways)}
    limits = found["only the policy"][1], 7, instances[0].num_customers
    for way, limit in order_of(list(zip(SEARCHES, limits, strict=True))):
        seconds = (limit - found["only savings"][1]) / 1e3
        found[way] = solve(policy=False, time_per_instance=seconds)
    long, _ = solve(improve="deep")
    known = [np.inf if each is None else each for each in drawn.references[part]]
    costs = [costs for costs, _ in found.values()]
    print(name, turn, {way: round(each, 3) for way, (_, each) in found.items()}, flush=True)
    return found, np.minimum.reduce([*costs, long, np.array(known)])


def cells_of(calls):
    """Mean gap in percent, its standard error and CPU milliseconds, by way; single gaps."""
    best, cells, gaps = np.concatenate([each for _, each in calls]), {}, {}
    for way in calls[0][0]:
        costs = np.concatenate([found[way][0] for found, _ in calls])
        gap = 100 * (costs / best - 1)
        cpu_ms = statistics.median(found[way][1] for found, _ in calls)
        cells[way] = [gap.mean(), gap.std(ddof=1) / len(gap) ** 0.5, float(f"{cpu_ms:.2g}")]
        gaps[way] = gap.round(4).tolist()
    return cells, gaps


def of_device():
    """What one launch takes on an H200, as text by N."""
    whole = json.loads((RECORDS / "accelerator-self-test.json").read_text())["rows"]
    bare = json.loads((RECORDS / "accelerator-decode.json").read_text())["rows"]
    rates = {20: whole[0][2], 50: whole[1][2], 100: whole[2][2]}
    rates |= {row[1]: row[5] for row in bare if row[:2] == ["plain", 200]}
    return {size: f"{1e3 / rate:.2g}" for size, rate in rates.items()}


def main():
    given = arguments(__doc__, sets=list(SETS), count=200, jobs=1, output=OUTPUT)
    with multiprocessing.get_context("spawn").Pool(given.jobs) as pool:
        turns = range(given.count // CALL)
        jobs = [(name, turn) for name in given.sets for turn in turns]
        calls = pool.map(call_of, jobs, 1)
    measured = {
        name: cells_of(calls[len(turns) * row : len(turns) * (row + 1)])
        for row, name in enumerate(given.sets)
    }
    sizes = [generated_set(name, 1, SEED).instances[0].num_customers for name in measured]
    ways = ["only savings", *POLICY, *SEARCHES, "`vrp solve`"]
    rows = [[way, *(cells[way] for cells, _ in measured.values())] for way in ways]
    rows.append(["only the policy, on an H200", *(of_device()[size] for size in sizes)])
    columns = [Column(f"N={size}: %, ms", "{:.2f} ± {:.2f} · {:g}") for size in sizes]
    record = PageRecord(
        **origin("python -m tests.bench.policy_only"),
        model=model_text(Solver(device="cpu").model),
        columns=[Column(""), *columns],
        rows=rows,
        notes=[NOTE],
    )
    show(record, given.output, gaps={name: gaps for name, (_, gaps) in measured.items()})


if __name__ == "__main__":
    main()
