"""Costs and CPU seconds of each level of search in two checkouts, family by family.

python -m tests.bench.levels FOLDER [--levels none fast deep] [--count 4] [--largest 200]
       [-o RECORD]

FOLDER is the other checkout, with its libraries built; the instances are those of VRP_TEST_DATA,
evenly spread over the files with at most so many customers. Each solve is a process of one thread.
Cells: the change of cost, its mean and standard error, where both answers serve everybody, and the
ratio of the CPU seconds of all processes.
"""

import json
import os
import statistics
import tempfile
from pathlib import Path

from benchmarks.records import Column, PageRecord, origin
from tests.bench.arguments import OUTPUT, arguments, show
from tests.bench.checkouts import ONE, ROOT, cpu_s
from tests.bench.variant_files import FAMILIES, read_family
from vrpcore.bench.problem_set import evenly
from vrpcore.cli.console import EXIT_INFEASIBLE

# Of files that are read under two conventions, one is enough.
LEFT_OUT = {"gehring_homberger_400", "gehring_homberger_600_to_1000"}


def solved(checkout, folder, known, rounding, level):
    """Cost of an answer, None where somebody is left out, and its CPU seconds."""
    command = ["solve", str(known.file), "--round", rounding, "--improve", level, *ONE]
    seconds = cpu_s(checkout, folder, command, codes=(0, EXIT_INFEASIBLE))
    (answer,) = json.loads((folder / "out.json").read_text())["solutions"]
    return answer.get("cost") if answer["status"] == "solved" else None, seconds


def compared(checkouts, folder, items, rounding, level):
    """One cell of the table."""
    changes, spent = [], [0.0, 0.0]
    for turn, known in enumerate(items):
        costs = [None, None]
        for side in (0, 1) if turn % 2 else (1, 0):
            costs[side], used = solved(checkouts[side], folder, known, rounding, level)
            spent[side] += used
        if None not in costs:
            changes.append(100 * (costs[1] / costs[0] - 1))
    error = statistics.stdev(changes) / len(changes) ** 0.5 if len(changes) > 1 else 0.0
    mean = statistics.mean(changes) if changes else 0.0
    return f"{mean:+.2f} ± {error:.2f} ({len(changes)}); {spent[1] / spent[0]:.2f}"


def main():
    levels = ["none", "fast", "deep"]
    given = arguments(__doc__, folder=Path, levels=levels, count=4, largest=200, output=OUTPUT)
    checkouts, rows = (given.folder.resolve(), ROOT), []
    with tempfile.TemporaryDirectory() as name:
        for family, described in FAMILIES.items():
            every = read_family(os.environ["VRP_TEST_DATA"], family)
            small = [each for each in every if each.instance.num_customers <= given.largest]
            if family in LEFT_OUT or not small:
                continue
            items = evenly(small, given.count)
            row = [f"{family} ({len(items)})"]
            for level in given.levels:
                row.append(compared(checkouts, Path(name), items, described.rounding, level))
            rows.append(row)
            print(*row, sep=" | ", flush=True)
    columns = [Column("cost, %; CPU seconds, now / before"), *map(Column, given.levels)]
    levels = " ".join(given.levels)
    program = f"python -m tests.bench.levels FOLDER --levels {levels} --count {given.count}"
    show(PageRecord(**origin(program), columns=columns, rows=rows), given.output)


if __name__ == "__main__":
    main()
