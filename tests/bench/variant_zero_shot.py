"""The policy on instances unlike those it learned from: Solomon's, and Cordeau's with depots.

python -m tests.bench.variant_zero_shot DATA [--model variants] [--seconds 0.1] [-o RECORD]

Solomon's first 50 customers and all 100 (distances and times cut to a tenth, as DIMACS does),
and Cordeau's MDVRP that policies cover. Greedy from all first customers in 8 symmetries: gaps of
the policy alone, to the best known values; of the first 50 customers, to the better of ten
seconds of search with two seeds. Behind it the search, begun with the policy's tours, for as many
seconds, and the same without them.
"""

import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.records import Column, PageRecord, origin
from tests.bench.arguments import OUTPUT, arguments, show
from tests.bench.variant_files import read_family
from tests.bench.variant_policy import gaps_of
from vrpcore.api import read_instances
from vrpcore.arrays.coverage import why_not_covered
from vrpcore.bench.evaluation import model_text
from vrpcore.cost.timeline import Timeline
from vrpcore.search.effort import Effort
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.rich_search import search_plan
from vrpcore.solve.construct import construct
from vrpcore.solve.models import open_backend
from vrpcore.solve.solve_options import SolveOptions

HEADING, TEN_SECONDS = 9, 10.0
MDVRP = "Cordeau's MDVRP that policies cover, 50 to 360 customers"
COLUMNS = (
    ("policy without search", "{:.1f} %"),
    ("search with its tours", "{:.2f} %"),
    ("search with insertion", "{:.2f} %"),
)


def first_50(known):
    """The same instance with its first fifty customers."""
    lines = known.file.read_text().splitlines()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / known.file.name
        path.write_text("\n".join(lines[: HEADING + 1 + 50]) + "\n")
        (instance,) = read_instances(path, rounding="dimacs")
    assert instance.num_customers == 50
    return instance


def searched(instance, seconds, starts, seed):
    """Cost of the best plan; infinite where somebody is left out."""
    problem, timeline = RichProblem(instance), Timeline(instance)
    end = time.perf_counter() + seconds
    plan = search_plan(problem, Effort("deep", end), seed, starts=starts)
    if plan.missing:
        return np.inf
    return sum(timeline.schedule(route).cost for route in plan.routes)


def sets(data):
    """Name, instances and references of each set."""
    solomon = list(read_family(data, "solomon"))
    small = [first_50(known) for known in solomon]
    best = [min(searched(each, TEN_SECONDS, (), seed) for seed in (1, 2)) for each in small]
    yield "Solomon, first 50 customers", small, best
    yield (
        "Solomon, 100 customers",
        [each.instance for each in solomon],
        [each.cost for each in solomon],
    )
    cordeau = [
        each for each in read_family(data, "cordeau_mdvrp") if not why_not_covered(each.instance)
    ]
    yield MDVRP, [each.instance for each in cordeau], [each.cost for each in cordeau]


def main():
    args = arguments(__doc__, data=Path, model="variants", seconds=0.1, output=OUTPUT)
    backend, rows = open_backend(args.model, "cpu").variants, []
    for name, instances, references in sets(args.data):
        alone, missing, helped, plain, took = [], 0, [], [], []
        for instance, reference in zip(instances, references, strict=True):
            options = SolveOptions(improve="none", augment=8, starts=instance.num_customers)
            gaps, _ = gaps_of(backend, [instance], [reference], options)
            alone += gaps
            missing += not gaps
            quick = SolveOptions(starts=16)
            began = time.process_time()
            (tours,) = construct([instance], backend, quick)
            took.append(time.process_time() - began)
            began = time.perf_counter()
            left = max(args.seconds - took[-1], 0.01)
            helped.append(searched(instance, left, tours, 1) / reference - 1)
            plain.append(searched(instance, args.seconds, (), 1) / reference - 1)
            assert time.perf_counter() - began < 10 * args.seconds + 1
        helped, plain = ([gap for gap in each if np.isfinite(gap)] for each in (helped, plain))
        print(
            f"{name}: {len(instances)} instances; policy alone {100 * np.mean(alone):.2f} % "
            f"({missing} without a feasible tour); search with it {100 * np.mean(helped):.2f} % "
            f"of {len(helped)} ({1e3 * np.mean(took):.0f} ms of it the policy's), without "
            f"{100 * np.mean(plain):.2f} % of {len(plain)}",
            flush=True,
        )
        means = (100 * np.mean(each) for each in (alone, helped, plain))
        rows.append([name, len(instances), *means])
    columns = [Column(""), Column("instances"), *(Column(name, form) for name, form in COLUMNS)]
    record = PageRecord(
        **origin("python -m tests.bench.variant_zero_shot DATA"),
        model=model_text(backend.info),
        columns=columns,
        rows=rows,
    )
    show(record, args.output)


if __name__ == "__main__":
    main()
