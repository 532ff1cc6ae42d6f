"""Second trips and alternatives beside PyVRP 0.14, at equal time: gaps to best known values.

python -m tests.bench.trips_and_groups [--seconds 0.5 2 10] [--count 16] [-o RECORD]

PyVRP's own sets MTVRPTWR (reloads, windows, release times) and GVRP (one of each group), in
VRP_TEST_DATA. One thread each, in turns. PyVRP reads the files itself and has the time for its
search alone; of this project, the whole call behind reading is held to it. Answers of this project
pass its referee; PyVRP's costs are its own, of routes that it calls feasible.
"""

import os
import statistics
from importlib import import_module

from benchmarks.records import Column, PageRecord, origin
from tests.bench.arguments import OUTPUT, arguments, show
from tests.bench.variant_files import FAMILIES, read_family
from vrpcore.api import Solver
from vrpcore.bench.timing import timed
from vrpcore.referee.referee import check_solution

SETS = {
    "pyvrp_mtvrptwr": ("MTVRPTWR", "dimacs", 10),
    "pyvrp_gvrp": ("GVRP", "round", 1),
}


def own(solver, known, seconds):
    """The gap of this project's answer, None where somebody is left out; and its seconds."""
    options = {"time_per_instance": seconds, "workers": 1, "threads": 1}
    found = timed(lambda: solver.solve([known.instance], **options))
    (solution,) = found.result
    problems = check_solution(known.instance, solution).problems
    if problems:
        raise SystemExit(f"{known.file}: {problems[0]}")
    gap = 100 * (solution.cost / known.cost - 1) if solution.status == "solved" else None
    return gap, found.wall_s


def pyvrps(data, known, seconds, scale):
    """The same of PyVRP."""
    pyvrp = import_module("pyvrp")
    stop = import_module("pyvrp.stop").MaxRuntime(seconds)
    found = timed(lambda: pyvrp.solve(data, stop, seed=0, display=False))
    if not found.result.is_feasible():
        return None, found.wall_s
    return 100 * (found.result.cost() / scale / known.cost - 1), found.wall_s


def cell(gaps):
    """Mean gap, and how many have no answer."""
    there = [gap for gap in gaps if gap is not None]
    missing = len(gaps) - len(there)
    return f"{statistics.mean(there):.2f}" + (f" ({missing} failed)" if missing else "")


def main():
    given = arguments(__doc__, seconds=[0.5, 2.0, 10.0], count=16, output=OUTPUT)
    folder, solver, rows = os.environ["VRP_TEST_DATA"], Solver(device="cpu"), []
    read = import_module("pyvrp").read
    for name, (title, rounding, scale) in SETS.items():
        items = list(read_family(folder, name, given.count))
        unit = 1 if FAMILIES[name].rounding == "auto" else scale
        problems = [read(each.file, round_func=rounding) for each in items]
        own(solver, items[0], 0.2)  # warms up
        cells = []
        for seconds in given.seconds:
            ours, theirs = [], []
            for turn, (known, data) in enumerate(zip(items, problems, strict=True)):
                for contender in (0, 1) if turn % 2 else (1, 0):
                    if contender:
                        theirs.append(pyvrps(data, known, seconds, unit)[0])
                    else:
                        ours.append(own(solver, known, seconds)[0])
            cells.append(f"**{cell(ours)}** / {cell(theirs)}")
            print(title, seconds, cells[-1], flush=True)
            for known, mine, its in zip(items, ours, theirs, strict=True):
                print("   ", known.file.stem, mine, its, flush=True)
        rows.append([f"{title} ({len(items)})", *cells])
    columns = [Column("set (instances)"), *(Column(f"{each:g} s") for each in given.seconds)]
    here = origin(f"python -m tests.bench.trips_and_groups --count {given.count}")
    show(PageRecord(**here, columns=columns, rows=rows), given.output)


if __name__ == "__main__":
    main()
