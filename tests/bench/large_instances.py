"""One large instance: seconds, memory and cost against savings.

python -m tests.bench.large_instances [--sizes 1000 10000 30000 100000] [--distribution uniform]
                                      [--extra ...] [-o RECORD]

`vrp solve` is a process of its own, from start to file: first with savings only
(`--improve none`), then as `--extra` says.
"""

import json
import math
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.records import Column, PageRecord, origin
from tests.bench.arguments import OUTPUT, arguments, show
from tests.bench.stream_and_resume import VRP, finished
from vrpcore.formats.write import write_instances
from vrpcore.instance.generator import as_instances, random_problems


def solve_process(file, out, extra):
    """Wall seconds and largest resident megabytes of `vrp solve`, and its answer."""
    command = [*VRP, "solve", str(file), "-o", str(out), "-q", "--device", "cpu", *extra]
    seconds, megabytes = finished(command)
    return seconds, math.ceil(megabytes), json.loads(out.read_text())["solutions"][0]


def main():
    args = arguments(
        __doc__,
        sizes=[1000, 10_000, 30_000, 100_000],
        distribution="uniform",
        extra={"flags": ("--extra",), "nargs": "*", "default": []},
        output=OUTPUT,
    )
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for size in args.sizes:
            rng = np.random.default_rng(size)
            problems = random_problems(args.distribution, (1, size), "by_route_length", rng)
            file, out = Path(folder, "in.json"), Path(folder, "out.json")
            write_instances(file, as_instances(problems, f"large-{size}"))
            first_s, first_mb, first = solve_process(file, out, ["--improve", "none"])
            seconds, megabytes, found = solve_process(file, out, args.extra)
            change = 100 * (found["cost"] / first["cost"] - 1)
            routes = len(found["routes"])
            rows.append([size, routes, [first_s, first_mb], [seconds, megabytes], change])
            print(rows[-1], flush=True)
    words = "".join(f" {word}" for word in args.extra)
    here = origin(f"python -m tests.bench.large_instances{words and ' --extra' + words}")
    columns = [
        Column("N"),
        Column("routes"),
        Column("savings", "{:.1f} s, {} MB"),
        Column("whole solve", "{:.1f} s, {} MB"),
        Column("cost against savings", "{:+.2f} %"),
    ]
    show(PageRecord(**here, columns=columns, rows=rows), args.output)


if __name__ == "__main__":
    main()
