"""The policy where no search follows, and what savings and short searches do in its place.

python -m tests.bench.policy_only [--sets kool20 ... uniform200] [--count 200] [-o RECORD]

One thread; CPU milliseconds of an instance, whole solves with their checks, 50 instances a call.
The ways take turns; medians of the calls. A search begins with savings, and its iterations are
chosen so that it takes a given time. References are the best of all ways, of a search with 4000
iterations a customer, and what is known. A GPU's times are those of two stored records.
"""

import json
import statistics
from functools import partial

import numpy as np

from benchmarks.records import RECORDS, Column, PageRecord, origin
from tests.bench.arguments import OUTPUT, arguments, show
from vrpcore.api import Solver
from vrpcore.bench.problem_set import generated_set
from vrpcore.bench.timing import in_turn, timed
from vrpcore.solve import order

SETS = ("kool20", "kool50", "kool100", "uniform200")
SEED = 31337
CALL = 50  # instances
POLICY = {"only the policy": 1, "only the policy, 8 symmetries": 8}
ASKS = order.asks_policy
SEARCHES = ("as long a search", "a search of 7 ms", "a search of 1 ms a customer")


def solved(solver, instances, *, policy=True, **options):
    """Costs, and CPU milliseconds of an instance."""
    order.asks_policy = ASKS if policy else lambda *_: False
    found = timed(partial(solver.solve, instances, threads=1, workers=1, **options))
    costs = [answer.cost for answer in found.result]
    return np.array(costs), 1e3 * found.cpu_s / len(instances)


def iterations_of(solver, instances, milliseconds):
    """As many iterations of a search from savings as take a time, at least one."""
    few, many = (40 * instances[0].num_customers * factor for factor in (1, 5))
    (_, low), (_, high) = (
        solved(solver, instances, policy=False, iterations=each) for each in (few, many)
    )
    each = (high - low) / (many - few)
    return max(1, round(few + (milliseconds - low) / each))


def ways_of(solver, instances):
    """The ways to solve a set, by name."""
    size = instances[0].num_customers
    unsearched = {
        name: partial(solved, solver, improve="none", augment=copies)
        for name, copies in POLICY.items()
    }
    some = instances[:CALL]
    _, policy_ms = unsearched["only the policy"](some)
    searches = {
        name: partial(
            solved, solver, policy=False, iterations=iterations_of(solver, some, milliseconds)
        )
        for name, milliseconds in zip(SEARCHES, (policy_ms, 7, size), strict=True)
    }
    others = {
        "only savings": partial(solved, solver, policy=False, time_limit=0),
        "`vrp solve`": partial(solved, solver),
    }
    return others | unsearched | searches


def cells_of(solver, name, count):
    """Mean gap in percent, its standard error and CPU milliseconds, by way; single gaps."""
    drawn = generated_set(name, count, SEED)
    ways, found = ways_of(solver, drawn.instances), {}
    for turn, first in enumerate(range(0, count, CALL)):
        part = drawn.instances[first : first + CALL]
        calls = {way: partial(call, part) for way, call in ways.items()}
        calls = dict(sorted(calls.items(), reverse=turn % 2 == 1))
        for way, (result,) in in_turn(calls, 1).items():
            found.setdefault(way, []).append(result)
    costs = {way: np.concatenate([each[0] for each in found[way]]) for way in ways}
    long, _ = solved(solver, drawn.instances, improve="deep")
    known = np.array([np.inf if each is None else each for each in drawn.references])
    best = np.minimum.reduce([*costs.values(), long, known])
    cells, gaps = {}, {}
    for way, each in costs.items():
        gaps[way] = 100 * (each / best - 1)
        error = gaps[way].std(ddof=1) / count**0.5
        cpu_ms = statistics.median(milliseconds for _, milliseconds in found[way])
        cells[way] = [gaps[way].mean(), error, cpu_ms]
        print(name, way, "{:.3f} ± {:.3f} % {:.3g} ms".format(*cells[way]), flush=True)
    return cells, {way: each.round(4).tolist() for way, each in gaps.items()}


def of_device():
    """What one launch takes on an H200, as text by N."""
    whole = json.loads((RECORDS / "accelerator-self-test.json").read_text())["rows"]
    bare = json.loads((RECORDS / "accelerator-decode.json").read_text())["rows"]
    rates = {20: whole[0][2], 50: whole[1][2], 100: whole[2][2]}
    rates |= {row[1]: row[5] for row in bare if row[:2] == ["plain", 200]}
    return {size: f"{1e3 / rate:.2g} ms" for size, rate in rates.items()}


def main():
    given = arguments(__doc__, sets=list(SETS), count=200, output=OUTPUT)
    solver = Solver(device="cpu")
    for call in ways_of(solver, generated_set("kool20", 2, SEED).instances).values():
        call(generated_set("kool20", 2, SEED).instances)  # opens the model, fills caches
    measured = {name: cells_of(solver, name, given.count) for name in given.sets}
    sizes = [generated_set(name, 1, SEED).instances[0].num_customers for name in measured]
    ways = ["only savings", *POLICY, *SEARCHES, "`vrp solve`"]
    rows = [[way, *(cells[way] for cells, _ in measured.values())] for way in ways]
    rows.insert(3, ["only the policy, on an H200", *(of_device()[size] for size in sizes)])
    columns = [Column(f"N={size}", "{:.2f} ± {:.2f} % · {:.2g} ms") for size in sizes]
    model = f"{solver.model.name} {solver.model.sha256[:12]}"
    record = PageRecord(
        **origin("python -m tests.bench.policy_only"),
        model=model,
        columns=[Column(""), *columns],
        rows=rows,
    )
    show(record, given.output, gaps={name: gaps for name, (_, gaps) in measured.items()})


if __name__ == "__main__":
    main()
