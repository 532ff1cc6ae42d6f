"""What each part of the search with constraints is worth at equal time: it is left out.

python -m tests.bench.rich_ablation [--size 60] [--seconds 0.3] [--count 200] [-o RECORD]

Random instances of ten variants (seed 815), one thread; every part is left out in turns, instance
by instance. A gap is relative to the best cost of any run. The difference to the complete search is
a mean of pairs, with its standard error. Parts inside the library are left out by compiling it
again with other constants.
"""

import shutil
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.records import Column, Record, origin
from tests.bench.arguments import OUTPUT, arguments, show
from vrpcore.instance.generator import random_problems
from vrpcore.instance.variant_generator import VARIANTS, variant_instances
from vrpcore.native.compiler import build_library
from vrpcore.native.library import RICH
from vrpcore.search import rich_evolution, rich_library
from vrpcore.search.effort import Effort
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.rich_search import search_plan

NAMES = ("vrptw", "ovrptw", "vrpbl", "vrpmbtw", "mdvrptw", "hfvrp", "hfvrptw", "pcvrptw", "pdp",
         "pdptw")  # fmt: skip
# Without a part: what is set in the module, or the text that replaces another in a header.
PYTHON = {
    "one run, no children": {"MOST_RUNS": 1},
    "one temperature for short and long runs": {"WARMEST": (1.0, 1.0)},
    "insertion only": None,
}
COMPILED = {
    "no known places": ("insertion_cache.hpp", "kFewestKnown = 21", "kFewestKnown = 1 << 30"),
    "random order only": ("rich_recreate.hpp", "{4, 4, 2, 1, 2, 1, 1}", "{15, 0, 0, 0, 0, 0, 0}"),
    "no orders by windows": ("rich_recreate.hpp", "{4, 4, 2, 1, 2, 1, 1}", "{6, 6, 2, 1, 0, 0, 0}"),
    "no skipped places": (
        "scan_base.hpp",
        "kSkipPosition = (std::uint64_t{1} << 32) / 100",
        "kSkipPosition = 0",
    ),
    "waiting does not count in nearness": (
        "rich_input.hpp",
        "kWaitingShare = 0.2",
        "kWaitingShare = 0.0",
    ),
    "no other vehicles for ruined routes": (
        "rich_search.hpp",
        "kRetyped = 0.3",
        "kRetyped = 0.0",
    ),
    "fixed costs never by share": ("rich_recreate.hpp", "kByShare = 0.2", "kByShare = 0.0"),
}


def builds(folder):
    """The library, and one without each compiled part, by name."""
    sources = {path.name: path.read_text() for path in RICH.source.parent.glob("*.[hc]pp")}
    found = {"complete": RICH.file}
    for name, (header, old, new) in COMPILED.items():
        native = Path(folder, name.replace(" ", "_"))
        shutil.copytree(RICH.source.parents[1] / "shared", native / "shared")
        place = native / "rich"
        place.mkdir()
        assert sources[header].count(old) == 1, (name, header)
        for file, text in sources.items():
            (place / file).write_text(text.replace(old, new) if file == header else text)
        found[name] = place / RICH.file.name
        build_library(found[name], RICH._replace(source=place / RICH.source.name))
    return {name: rich_library.load_library(file) for name, file in found.items()}


def searched(instance, seconds, name, libraries):
    """(what is missing, cost) after `seconds` without a part."""
    settings = PYTHON.get(name, {})
    usual = {key: getattr(rich_evolution, key) for key in settings or {}}
    library = libraries.get(name, libraries["complete"])
    load, rich_library.load_library = rich_library.load_library, lambda *_: library
    try:
        for key, value in (settings or {}).items():
            setattr(rich_evolution, key, value)
        level = "none" if settings is None else "fast"
        end = time.perf_counter() + seconds
        plan = search_plan(RichProblem(instance), Effort(level, end), 1)
    finally:
        rich_library.load_library = load
        for key, value in usual.items():
            setattr(rich_evolution, key, value)
    return plan.missing, plan.cost


def compared(gaps, parts, args):
    """The record of gaps in percent, by instance and part."""
    options = f"--size {args.size} --seconds {args.seconds:g} --count {args.count}"
    rows = []
    for column, part in enumerate(parts):
        pairs = gaps[:, column] - gaps[:, 0]
        error = pairs.std(ddof=1) / np.sqrt(len(pairs))
        difference = [float(pairs.mean()), float(error)] if column else None
        rows.append([part, float(gaps[:, column].mean()), difference])
    return Record(
        **origin(f"python -m tests.bench.rich_ablation {options}"),
        columns=[
            Column(f"{len(gaps)} instances, N={args.size}, {args.seconds:g} s"),
            Column("gap", "{:.2f} %"),
            Column("difference", "{:+.2f} ± {:.2f}"),
        ],
        rows=rows,
    )


def main():
    args = arguments(__doc__, size=60, seconds=0.3, count=200, output=OUTPUT)
    rng = np.random.default_rng(815)
    instances = []
    for name in NAMES:
        shape = (args.count // len(NAMES), args.size)
        problems = random_problems("uniform", shape, "by_size", rng)
        instances += variant_instances(VARIANTS[name], problems, name, rng)
    parts = ["complete", *PYTHON, *COMPILED]
    with tempfile.TemporaryDirectory() as folder:
        libraries = builds(folder)
        costs = np.empty((len(instances), len(parts)))
        for row, instance in enumerate(instances):
            for column in np.random.default_rng(row).permutation(len(parts)).tolist():
                missing, cost = searched(instance, args.seconds, parts[column], libraries)
                assert missing == 0, (instance.name, parts[column])
                costs[row, column] = cost
    gaps = 100 * (costs / costs.min(axis=1, keepdims=True) - 1)
    record = compared(gaps, parts, args)
    show(record, args.output)


if __name__ == "__main__":
    main()
