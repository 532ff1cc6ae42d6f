"""Split deliveries: gaps to best known values of the DIMACS challenge's files, one core.

python -m tests.bench.splits [--seconds 1 5 20] [--every 1] [-o RECORD]

The files are in VRP_TEST_DATA; lengths are rounded to whole numbers, as the best known values are.
The time is that of the search, without reading and the check, which every answer passes.
"""

import csv
import os
import statistics
import time
from pathlib import Path

from benchmarks.records import Column, PageRecord, origin
from tests.bench.arguments import OUTPUT, arguments, show
from vrpcore.api import read_instances
from vrpcore.search.effort import Effort
from vrpcore.search.search import search_instance
from vrpcore.solve.answer import planned

# How names of files begin, by set.
SETS = {"SD": ("SD",), "S": ("S1", "S5", "S7"), "p": ("p",), "eil": ("eil",), "all": ("",)}


def known_values(folder):
    """Files and best known values, by name."""
    with (folder / "bks.csv").open() as file:
        return {row["name"]: float(row["value"]) for row in csv.DictReader(file)}


def gap(file, value, seconds):
    """The gap of an answer, in percent."""
    (instance,) = read_instances(file, rounding="round")
    plan = search_instance(instance, [], Effort(end=time.perf_counter() + seconds))
    answer = planned(instance, plan, [])  # checked
    if answer.status != "solved":
        raise SystemExit(f"{file}: {answer.status}")
    return 100 * (answer.cost / value - 1)


def main():
    given = arguments(__doc__, seconds=[1.0, 5.0, 20.0], every=1, output=OUTPUT)
    folder = Path(os.environ["VRP_TEST_DATA"]) / "variants" / "sdvrp"
    known = known_values(folder)
    names = list(known)[:: given.every]
    gap(folder / f"{names[0]}.sd", known[names[0]], 0.2)  # warms up
    found = {name: [] for name in names}
    for name in names:
        for seconds in given.seconds:
            found[name].append(gap(folder / f"{name}.sd", known[name], seconds))
        print(name, *(f"{each:.2f}" for each in found[name]), flush=True)
    rows = []
    for title, begins in SETS.items():
        own = [found[name] for name in names if name.startswith(begins)]
        if own:
            cells = [[statistics.mean(each), max(each)] for each in zip(*own, strict=True)]
            rows.append([f"{title} ({len(own)})", *cells])
    columns = [
        Column("set (files)"),
        *(Column(f"{s:g} s", "{:.2f} ({:.2f})") for s in given.seconds),
    ]
    here = origin("python -m tests.bench.splits" + f" --every {given.every}" * (given.every > 1))
    show(PageRecord(**here, columns=columns, rows=rows), given.output, gaps=found)


if __name__ == "__main__":
    main()
