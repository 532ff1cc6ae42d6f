"""One large instance: seconds, memory and cost against savings and PyVRP in the same time.

python -m tests.bench.large_instances [--sizes 1000 5000 10000] [--distribution uniform]

`vrp solve` is a process of its own, from start to file; PyVRP (extra `bench`) gets the wall
seconds that it took, beside which its model is built for nothing.
"""

import json
import math
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.contender import judge
from benchmarks.plain_rivals import pyvrp_solver
from tests.bench.arguments import arguments
from tests.bench.stream_and_resume import VRP, finished
from vrpcore.formats.json.jsonio import read_instances
from vrpcore.formats.json.writer import write_instances
from vrpcore.instance.generator import as_instances, random_problems
from vrpcore.search.savings import savings_routes


def solve_process(file, out, extra):
    """Wall seconds and largest resident megabytes of `vrp solve`, and its cost."""
    command = [*VRP, "solve", str(file), "-o", str(out), "-q", "--device", "cpu", *extra]
    seconds, megabytes = finished(command)
    return seconds, megabytes, json.loads(out.read_text())["solutions"][0]["cost"]


def main():
    args = arguments(
        __doc__,
        sizes=[1000, 5000, 10_000],
        distribution="uniform",
        extra={"flags": ("extra",), "nargs": "*"},
    )
    print("| N | routes | s | MB | against savings | PyVRP against savings |")
    with tempfile.TemporaryDirectory() as folder:
        for size in args.sizes:
            rng = np.random.default_rng(size)
            problems = random_problems(args.distribution, (1, size), "by_route_length", rng)
            file, out = Path(folder, "in.json"), Path(folder, "out.json")
            write_instances(file, as_instances(problems, f"large-{size}"))
            (instance,) = read_instances(file)
            seconds, megabytes, cost = solve_process(file, out, args.extra)
            routes = savings_routes(instance)
            base, fault = judge(instance, routes)
            assert fault is None
            rival, problem = judge(instance, pyvrp_solver(seconds, 1)(instance).routes)
            shown = problem if rival is None else f"{rival / base - 1:+.2%}"
            print(
                f"| {size} | {len(routes)} | {seconds:.1f} | {math.ceil(megabytes)} "
                f"| {cost / base - 1:+.2%} | {shown} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
