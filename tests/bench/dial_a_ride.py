"""Rides with a longest ride: gaps to the proven optima of Cordeau's and Ropke's instances.

python -m tests.bench.dial_a_ride [--seconds 1 5 20] [--files a2-16 b8-80] [-o RECORD]

Each second file of the sets a and b, in VRP_TEST_DATA, on one thread; answers pass the referee. An
answer is optimal where it costs no more than 0.01 above the optimum, which has two decimals.
"""

import csv
import os
import statistics
from pathlib import Path

from benchmarks.records import Column, PageRecord, origin
from tests.bench.arguments import OUTPUT, arguments, show
from tests.bench.trips_and_groups import own
from tests.bench.variant_files import Known, read_file
from vrpcore.api import Solver

MANY = 48  # requests, up to which the goal is the optimum
SETS = {"up to 48 requests": True, "56 to 84 requests": False}


def known_files(folder, names):
    """The instances with their optima."""
    with (folder / "bks.csv").open() as file:
        for row in csv.DictReader(file):
            file, cost = folder / f"{row['name']}.txt", float(row["value_4dec"] or row["value"])
            if not names or row["name"] in names:
                yield Known(file, read_file(file, "none"), cost, None)


def gap_of(solver, known, seconds):
    """The gap to the optimum in percent; 0 within its rounding."""
    gap, _ = own(solver, known, seconds)
    if gap is None:
        raise SystemExit(f"{known.file}: somebody is not served")
    return 0.0 if abs(gap) / 100 * known.cost <= 0.01 else gap


def cells_of(gaps):
    """How many are optimal, the mean gap and the largest."""
    optimal = sum(gap == 0.0 for gap in gaps)
    return f"{optimal} of {len(gaps)}; {statistics.mean(gaps):.2f}; {max(gaps):.2f}"


def main():
    given = arguments(__doc__, seconds=[1.0, 5.0, 20.0], files=[""], output=OUTPUT)
    folder, solver = Path(os.environ["VRP_TEST_DATA"], "variants", "darp"), Solver(device="cpu")
    items = list(known_files(folder, list(filter(None, given.files))))
    own(solver, items[0], 0.2)  # warms up
    gaps = {}
    for known in items:
        gaps[known.file.stem] = [gap_of(solver, known, each) for each in given.seconds]
        print(known.file.stem, *(f"{gap:.3f}" for gap in gaps[known.file.stem]), flush=True)
    rows = []
    for title, few in SETS.items():
        named = [name for name in gaps if (int(name.split("-")[1]) <= MANY) is few]
        if named:
            each = zip(*(gaps[name] for name in named), strict=True)
            rows.append([f"{title} ({len(named)})", *map(cells_of, each)])
    columns = [Column("files"), *(Column(f"{each:g} s") for each in given.seconds)]
    here = origin("python -m tests.bench.dial_a_ride")
    show(PageRecord(**here, columns=columns, rows=rows), given.output, gaps=gaps)


if __name__ == "__main__":
    main()
