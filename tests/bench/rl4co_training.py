"""Training steps a second and peak memory beside RL4CO, alternating, one thread each.

python tests/bench/rl4co_training.py --rl4co PYTHON [--rounds 3] [--variants]

PYTHON is the interpreter of an environment with rl4co 0.7.0. Both train 6 layers of width
128 from all starts with batches of 64, 64 and 16 from random weights: instances, rollouts,
loss, gradients, clipping, optimizer. --variants: its MTVRP (16 variants mixed) beside the 48 here.
Every measurement is a process of its own; seconds
are its processor's, so that other work on the machine counts less. As on a processor
without AVX-512: ATEN_CPU_CAPABILITY=avx2 MKL_ENABLE_INSTRUCTIONS=AVX2 ONEDNN_MAX_CPU_ISA=AVX2
in the environment.
"""

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from vrpcore.bench.decoding import WORKER
from vrpcore.bench.timing import in_turn

CASES = ((20, 64), (50, 64), (100, 16))


def ours(size, batch, settings, steps):
    """One process of this file's `--child`: instances a second and peak memory."""
    command = [sys.executable, __file__, "--child", str(size), str(batch), str(steps), *settings]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def child(size, batch, steps, settings):
    """Times single steps after one that warms up; the median counts."""
    import torch

    from vrpcore.config.reader import load_config
    from vrpcore.train.trainer import Trainer

    torch.set_num_threads(1)
    config = load_config("train", [
        f"problem.num_customers={size}", "problem.capacity=by_size", f"train.batch_size={batch}",
        f"train.starts={size}", f"train.steps={steps + 1}", *settings,
        "train.validate_every=0", "train.log_every=1", "train.save_every=100000",
    ])  # fmt: skip
    times = []
    with tempfile.TemporaryDirectory() as folder:
        trainer = Trainer(config, Path(folder), torch.device("cpu"))
        trainer.run(lambda _: times.append(time.process_time()), lambda: False)
        lines = (Path(folder) / "metrics.jsonl").read_text().splitlines()
    seconds = [later - earlier for earlier, later in itertools.pairwise(times)]
    print(json.dumps({
        "instances_per_second": batch / statistics.median(seconds),
        "memory_mb": json.loads(lines[-1])["peak_memory_mb"],
    }))  # fmt: skip


def rl4co(python, size, batch, steps, variants):
    """RL4CO's own figure, and the largest resident memory of its process."""
    command = [python, str(WORKER), "train", *map(str, (size, batch, 1, steps, 1))]
    command += ["variants"] if variants else []
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0, command
        output.seek(0)
        line = json.loads(output.read().splitlines()[-1])
    return {"instances_per_second": batch / line["cpu_s"], "memory_mb": usage.ru_maxrss / 1024}


def main():
    """Prints a table of medians over the rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rl4co", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--variants", action="store_true")
    args = parser.parse_args()
    names = ("rl4co", "auto", "fp32")
    print("| N, batch | who | instances/s | ratio | MB | ratio |\n|---|---|---|---|---|---|")
    for size, batch in CASES:
        kind = ["policy.variants=true", "problem.variants=all"] if args.variants else []
        turns = {"rl4co": partial(rl4co, args.rl4co, size, batch, args.steps, args.variants)} | {
            precision: partial(
                ours, size, batch, [f"train.precision={precision}", *kind], args.steps
            )
            for precision in names[1:]
        }
        median = {
            name: {
                key: statistics.median(result[key] for result in results)
                for key in ("instances_per_second", "memory_mb")
            }
            for name, results in in_turn(turns, args.rounds).items()
        }
        for name in names:
            rate, memory = median[name].values()
            faster = rate / median["rl4co"]["instances_per_second"]
            share = memory / median["rl4co"]["memory_mb"]
            print(f"| {size}, {batch} | {name} | {rate:.1f} | {faster:.2f} | {memory:.0f} | "
                  f"{share:.2f} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(*map(int, sys.argv[2:5]), sys.argv[5:])
    else:
        main()
