"""Gaps of a model, alone and with search, on every set that the shipped model is judged by.

VRP_TEST_DATA=... python -m tests.bench.model_gaps [--model FILE] [--sets n10 ... X] [--count 32]
    [-o RECORD]

Sets: n10 to n100, the literature's usual ones; n200 and xstyle100, generated, with
references of `tests.bench.references`; CVRPLIB's, X up to 400 customers. Multi-start is
from all customers. A line a set and decode: mean gap, CPU milliseconds an instance.
"""

import json
import os
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.records import Column, Headline, PageRecord, origin
from tests.bench.arguments import OUTPUT, arguments, show
from tests.bench.references import FILE, SEED
from vrpcore.api import Solver
from vrpcore.bench.evaluation import model_text
from vrpcore.bench.problem_set import generated_set
from vrpcore.bench.readme import cvrplib_sets, field_sets
from vrpcore.bench.timing import timed

GENERATED = {"n200": "uniform200", "xstyle100": "xstyle100"}
CVRPLIB = ("A", "B", "P", "X")
SETS = ("n10", "n20", "n50", "n100", "n200", "xstyle100", *CVRPLIB)
NAMES = {f"n{size}": f"N={size}" for size in (10, 20, 50, 100, 200)} | {
    "xstyle100": "X-style 100", "A": "CVRPLIB A", "B": "CVRPLIB B", "P": "CVRPLIB P",
    "X": "CVRPLIB X, N <= 400",
}  # fmt: skip
# Of the policy without search, with eight symmetries; in percent.
GOALS = {"n20": 0.3, "n50": 1.0, "n100": 1.8, "n200": 3.2, "xstyle100": 2.0, "X": 3.7}


def problems(name, count):
    """Instances of a set and their reference costs."""
    if name in GENERATED:
        known = json.loads(FILE.read_text())
        drawn = generated_set(GENERATED[name], count, SEED).instances
        instances = [instance for instance in drawn if instance.name in known]
        return instances, np.array([known[instance.name] for instance in instances])
    sets = field_sets(count)
    if name in CVRPLIB:
        sets = cvrplib_sets(Path(os.environ["VRP_TEST_DATA"]) / "cvrplib")
    (found,) = (each for each in sets if each.name in (name, f"kool{name[1:]}"))
    return found.instances[:count], np.array(found.references[:count])


def record(found, model):
    """The table of gaps in percent and CPU milliseconds, by (set, decode), with counts."""
    columns = [Column("set"), Column("instances")]
    for title in ("`vrp solve`", "policy, 8 symmetries", "policy"):
        columns += [Column(f"{title}: gap", "{:.2f} %"), Column("CPU ms", "{:g}")]
    columns.insert(6, Column("goal", "{} %"))
    rows = []
    for name in dict.fromkeys(name for name, _ in found):
        row = [NAMES[name], found[name, "fast"][0]]
        for mode in ("fast", "x8", "x1"):
            _, gap, milliseconds = found[name, mode]
            row += [round(gap, 4), float(f"{milliseconds:.3g}")]
        row.insert(6, GOALS.get(name))
        rows.append(row)
    sizes = [name for name in ("n10", "n20", "n50", "n100") if (name, "fast") in found]

    def joined(mode, at, form):
        return " / ".join(form.format(found[name, mode][at]) for name in sizes)

    said = f"N = {' / '.join(name[1:] for name in sizes)}"
    headlines = [
        Headline(f"`vrp solve`, {said}: gap", f"{joined('fast', 1, '{:.2f}')} %",
                 "goal 0 / 0.03 / 0.4 / 1.2 %"),
        Headline("its CPU ms per instance", joined("fast", 2, "{:.3g}"),
                 "goal 15 / 50 / 150 from N = 20"),
        Headline(f"policy without search, 8 symmetries, {said}: gap",
                 f"{joined('x8', 1, '{:.2f}')} %",
                 "goal 0.30 / 1.0 / 1.8 % from N = 20 (**missed**)"),
    ]  # fmt: skip
    if "X" in {name for name, _ in found}:
        claim = "`vrp solve`, CVRPLIB X, N <= 400: gap; CPU ms per instance"
        _, gap, milliseconds = found["X", "fast"]
        headlines.append(Headline(claim, f"{gap:.2f} %; {milliseconds:.0f}", "goal 3 %"))
    command = "VRP_TEST_DATA=FOLDER python -m tests.bench.model_gaps --count 256"
    return PageRecord(
        **origin(command), model=model, columns=columns, rows=rows,
        headlines=headlines if len(sizes) == 4 else (),
    )  # fmt: skip


def main():
    args = arguments(
        __doc__,
        model={},
        sets={"nargs": "+", "default": SETS, "choices": SETS},
        count=128,
        modes=["x1", "x8", "fast"],
        output=OUTPUT,
    )
    solver = Solver(args.model, "cpu")
    model, found = model_text(solver.model), {}
    print(f"model {model} ({solver.model.backend})")
    solver.solve(problems(args.sets[0], 1)[0], improve="none")  # opens the model
    for name in args.sets:
        instances, reference = problems(name, args.count)
        for mode in args.modes:
            options = {"improve": "fast"}
            if mode != "fast":
                most = max(instance.num_customers for instance in instances)
                options = {"improve": "none", "augment": int(mode[1:]), "starts": most}
            solved = timed(partial(solver.solve, instances, **options))
            gap = np.array([answer.cost for answer in solved.result]) / reference - 1
            milliseconds = 1000 * solved.cpu_s / len(gap)
            found[name, mode] = len(gap), max(0.0, 100 * gap.mean()), milliseconds
            print(
                f"{name:<10} {len(gap):>4} {mode:<5} gap {gap.mean():8.4%}  worst {gap.max():.3%}  "
                f"{milliseconds:8.2f} CPU-ms",
                flush=True,
            )
    if args.output:
        show(record(found, model), args.output)


if __name__ == "__main__":
    main()
