"""The policy alone beside RL4CO's decoding: instances a second, alternating, one thread.

python tests/bench/rl4co_decoding.py --rl4co PYTHON --script rl4co_bench.py [--rounds 3]

PYTHON is the interpreter of an environment with rl4co 0.7.0; the script's `decode` mode
prints one JSON line. Both decode greedily from all N first customers, 6 layers of width
128, without and with the 8 symmetries, from batches that are ready, to the cost of the
best tour of each instance. Here the shipped ONNX model and the host's float64 costs are
timed, with the pieces that `vrp solve` runs. Every measurement is a process of its own;
CPU seconds count, which other processes disturb less than wall seconds.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time


def ours(size, batch, augment, steps):
    """One process of this file's `--child`."""
    arguments = [str(value) for value in (size, batch, augment, steps)]
    return result([sys.executable, __file__, "--child", *arguments])


def rl4co(python, script, size, batch, augment, steps):
    """RL4CO's own figure."""
    command = [python, script, "decode", "--n", str(size), "--batch", str(batch)]
    command += ["--augment", str(augment), "--steps", str(steps), "--threads", "1"]
    return result(command)


def result(command):
    """The last line that a process prints, as milliseconds an instance."""
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    line = json.loads(done.stdout.splitlines()[-1])
    return {
        "cpu": 1000 * line["cpu_seconds"] / line["batch"],
        "wall": 1000 * line["seconds"] / line["batch"],
    }


def child(size, batch, augment, steps):
    """Times whole decodings after one that warms up; the medians count."""
    import numpy as np

    from vrpcore.cost.cost import tour_cost
    from vrpcore.instance.batch import Batch
    from vrpcore.instance.generator import random_problems
    from vrpcore.instance.symmetry import symmetric
    from vrpcore.solve.construct import construct_rows
    from vrpcore.solve.models import open_backend

    backend = open_backend("base", "cpu")
    problems = random_problems("uniform", (batch, size), "by_size", np.random.default_rng(1))
    coords = problems.coords.astype(np.float32)
    rows = augment * batch
    starts = np.tile(np.arange(1, size + 1), (rows, 1))
    seed = np.zeros(rows, np.int64)

    def decode():
        copies = [symmetric(coords, copy) if copy else coords for copy in range(augment)]
        ready = Batch(
            coords_unit=np.concatenate(copies),
            demand=np.tile(problems.demand.astype(np.float32), (augment, 1)),
            capacity=np.tile(problems.capacity.astype(np.float32), augment),
            valid=np.ones((rows, size + 1), bool),
        )
        tours = construct_rows(backend, ready, starts, 0.0, seed)
        tours = (
            tours.reshape(augment, batch, size, -1)
            .swapaxes(0, 1)
            .reshape(batch, augment * size, -1)
        )
        return tour_cost(problems.coords, tours).min(axis=1)

    decode()
    wall, cpu = [], []
    for _ in range(steps):
        began, used = time.perf_counter(), time.process_time()
        decode()
        wall.append(time.perf_counter() - began)
        cpu.append(time.process_time() - used)
    print(json.dumps({
        "batch": batch,
        "seconds": statistics.median(wall),
        "cpu_seconds": statistics.median(cpu),
    }))  # fmt: skip


def main():
    """Prints a table of medians over the rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rl4co", required=True)
    parser.add_argument("--script", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sizes", type=int, nargs="+", default=[20, 50, 100])
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 32, 256])
    parser.add_argument("--augments", type=int, nargs="+", default=[1, 8])
    args = parser.parse_args()
    print("| N | batch | symmetries | RL4CO ms | here ms | instances/s | ratio | wall |")
    print("|---|---|---|---|---|---|---|---|")
    cases = [(n, a, b) for n in args.sizes for a in args.augments for b in args.batches]
    for size, augment, batch in cases:
        steps = max(1, min(5, 40_000 // (size * batch * augment)))
        theirs, own = [], []
        for _ in range(args.rounds):
            theirs.append(rl4co(args.rl4co, args.script, size, batch, augment, steps))
            own.append(ours(size, batch, augment, max(3, steps)))
        other, here = (
            {key: statistics.median(found[key] for found in results) for key in ("cpu", "wall")}
            for results in (theirs, own)
        )
        print(f"| {size} | {batch} | {augment} | {other['cpu']:.2f} | {here['cpu']:.2f} | "
              f"{1000 / here['cpu']:.1f} | {other['cpu'] / here['cpu']:.2f} | "
              f"{other['wall'] / here['wall']:.2f} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(*(int(value) for value in sys.argv[2:6]))
    else:
        main()
