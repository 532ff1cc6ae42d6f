"""What 10^6 and 10^9 instances cost: measured per unit here, the rest worked out.

python -m tests.bench.scale_cost [--size 100] [--cores 64 1024 16384] [--price 0.045]

Measured: instances a second of one core (`--improve none` and `fast`), bytes of an instance
and of its answer as JSON Lines and Parquet, seconds of the process that hands out chunks.
Worked out: core hours, money, traffic. Simulated: chunks taken by cores that are lost now
and then (a chunk is begun again elsewhere), for the time until the last answer.
"""

import heapq
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from tests.bench.arguments import arguments
from vrpcore.api import Solver, read_instances
from vrpcore.bench.timing import timed
from vrpcore.cluster.chunks import chunk_bytes, plan_chunks
from vrpcore.cluster.ray_engine import write_part

_COUNT = 300
_HOURS_BETWEEN_LOSSES = 200.0  # of one core: spot machines are taken away about that often
_START_S = 12.0  # a new actor: interpreter, model, search
_FIRST_CHUNKS_S = 2e-3  # of the scheduler for each chunk


def measured(size, folder):
    """Rates and bytes of one core on this machine."""
    command = [sys.executable, "-m", "vrpcore.cli", "generate", "--n", str(size)]
    source = folder / "in.jsonl"
    subprocess.run([*command, "--count", str(_COUNT), "-q", "-o", str(source)], check=True)
    instances, solver = read_instances(source), Solver(device="cpu")
    rates, answers = {}, []
    for improve in ("none", "fast"):
        solver.solve(instances[:20], improve=improve, workers=1, threads=1)
        solved = timed(partial(solver.solve, instances, improve=improve, workers=1, threads=1))
        answers, rates[improve] = solved.result, len(instances) / solved.cpu_s
    write_part(folder / "out.jsonl", answers)
    write_part(folder / "out.parquet", answers)
    sizes = {
        "in": source.stat().st_size / _COUNT,
        "out": (folder / "out.jsonl").stat().st_size / _COUNT,
        "parquet": (folder / "out.parquet").stat().st_size / _COUNT,
    }
    large = folder / "large.jsonl"
    large.write_bytes(source.read_bytes() * 200)
    planned = timed(lambda: sum(chunk.count for chunk in plan_chunks([str(large)])))
    return rates, sizes, planned.wall_s / planned.result


def until_the_last(chunks, seconds, cores, rng):
    """Wall seconds of chunks on cores that are lost now and then, and how often one was."""
    free = [_START_S] * cores
    heapq.heapify(free)
    handed, lost, end = 0.0, 0, 0.0
    waiting = [seconds] * chunks
    while waiting:
        begun = max(heapq.heappop(free), handed)
        handed = max(handed, begun - 1.0) + _FIRST_CHUNKS_S
        work = waiting.pop()
        died = rng.exponential(3600 * _HOURS_BETWEEN_LOSSES)
        if died < work:
            lost += 1
            waiting.append(work)
            heapq.heappush(free, begun + died + _START_S)
            continue
        end = max(end, begun + work)
        heapq.heappush(free, begun + work)
    return end, lost


def main():
    args = arguments(
        __doc__,
        size=100,
        cores=[64, 1024, 16384],
        price={"type": float, "default": 0.045, "help": "of a core hour"},
    )
    with tempfile.TemporaryDirectory() as name:
        rates, sizes, planning_s = measured(args.size, Path(name))
    print(
        f"{os.cpu_count()} cores, N={args.size}: {rates['none']:.1f} and {rates['fast']:.1f} "
        f"instances a core second without and with search; {sizes['in']:.0f} bytes in, "
        f"{sizes['out']:.0f} out ({sizes['parquet']:.0f} as Parquet); planned "
        f"{1 / planning_s:.0f} a second"
    )
    rng = np.random.default_rng(0)
    for count in (10**6, 10**9):
        total = count * sizes["in"]
        per_chunk = chunk_bytes(int(total)) / sizes["in"]
        chunks = int(np.ceil(count / per_chunk))
        print(
            f"{count:.0e} instances: {chunks} chunks of {per_chunk:.0f}, {total / 1e9:.3g} GB in, "
            f"{count * sizes['out'] / 1e9:.3g} GB out, planned in {count * planning_s:.3g} s"
        )
        for improve, rate in rates.items():
            hours = count / rate / 3600
            print(
                f"  {improve}: {hours:.4g} core hours, {args.price * hours:.4g} "
                f"({args.price * hours / count * 1e6:.3g} a million)"
            )
            for cores in args.cores:
                end, lost = until_the_last(chunks, per_chunk / rate, cores, rng)
                print(
                    f"    {cores:>6} cores: {end / 3600:8.3f} h, "
                    f"{hours * 3600 / cores / end:.0%} busy, {lost} chunks begun again, "
                    f"{total / end / 1e6:.3g} MB/s read"
                )


if __name__ == "__main__":
    main()
