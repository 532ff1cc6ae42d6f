"""Training steps a second and peak memory beside RL4CO, alternating.

python -m tests.bench.rl4co_training --rl4co PYTHON [--rounds 3] [--variants]
    [--device cuda] [--cases 20:64 50:64 100:16] [-o RECORD]

PYTHON is the interpreter of an environment with rl4co 0.7.0. Both train 6 layers of width
128 from all starts with batches (N:BATCH) from random weights: instances, rollouts, loss,
gradients, clipping, optimizer. --variants: its MTVRP (16 variants mixed) beside the 48 here.
Every measurement is a process of its own. On a CPU, both have one thread, and seconds are its
processor's, so that other work on the machine counts less; on CUDA they are the clock's, and
memory the device's. As on a processor without AVX-512: ATEN_CPU_CAPABILITY=avx2
MKL_ENABLE_INSTRUCTIONS=AVX2 ONEDNN_MAX_CPU_ISA=AVX2 in the environment.
"""

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
from typing import NamedTuple

from benchmarks.decoding import WORKER
from benchmarks.records import Column, Headline, PageRecord, origin
from tests.bench.arguments import OUTPUT, arguments, show
from vrpcore.bench.timing import in_turn


class How(NamedTuple):
    """How steps are timed on a kind of device.

    Attributes:
        clock: Seconds.
        together: Steps between two looks at it; each waits for the device.
        first: Looks that warm up: compilers work there.
        settings: Of the variants of this project, by name.
    """

    clock: str
    together: int
    first: int
    settings: dict[str, list[str]]


FP32 = ["train.precision=fp32"]
ON_CPU = How("process_time", 1, 1, {"auto": [], "fp32": FP32})
ON_CUDA = How("perf_counter", 5, 4, {
    "auto": [], "bf16": ["train.precision=bf16"],
})  # fmt: skip


def how(device):
    """`How` of a device by its name."""
    return ON_CPU if device == "cpu" else ON_CUDA


def ours(case, looks, device, settings):
    """One process of this file's `--child`: instances a second and peak memory."""
    command = [
        sys.executable,
        "-m",
        "tests.bench.rl4co_training",
        "--child",
        device,
        *map(str, (*case, looks)),
        *settings,
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def child(device, size, batch, looks, settings):
    """Times steps after those that warm up; the median counts."""
    import torch

    from vrpcore.config.reader import load_config
    from vrpcore.learn.train.trainer import Trainer

    if device == "cpu":
        torch.set_num_threads(1)
    clock, together, first, _ = how(device)
    config = load_config("train", [
        f"problem.num_customers={size}", "problem.capacity=by_size", f"train.batch_size={batch}",
        f"train.starts={size}", f"train.steps={(looks + first) * together}", *settings,
        "train.validate_every=0", f"train.log_every={together}", "train.save_every=100000",
    ])  # fmt: skip
    times = []
    with tempfile.TemporaryDirectory() as folder:
        trainer = Trainer(config, Path(folder), torch.device(device))
        trainer.run(lambda _: times.append(getattr(time, clock)()), lambda: False)
        lines = (Path(folder) / "metrics.jsonl").read_text().splitlines()
    seconds = [later - earlier for earlier, later in itertools.pairwise(times[first - 1 :])]
    print(json.dumps({
        "instances_per_second": batch * together / statistics.median(seconds),
        "memory_mb": json.loads(lines[-1])["peak_memory_mb"],
    }))  # fmt: skip


def rl4co(python, case, looks, device, variants):
    """RL4CO's own figure, and the largest memory of its process or on the device."""
    steps = looks * how(device).together
    command = [python, str(WORKER), "train", *map(str, (*case, 1, steps, 1)), device]
    command += ["variants"] if variants else []
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0, command
        output.seek(0)
        line = json.loads(output.read().splitlines()[-1])
    seconds = line["cpu_s" if device == "cpu" else "wall_s"]
    memory = line["memory_mb"] or usage.ru_maxrss / 1024
    return {"instances_per_second": case[1] / seconds, "memory_mb": memory}


def case_of(text):
    """N and batch of `N:BATCH`."""
    size, _, batch = text.partition(":")
    return int(size), int(batch)


def medians(results):
    """Instances a second and megabytes of several results of one contender."""
    return [
        statistics.median(result[key] for result in results)
        for key in ("instances_per_second", "memory_mb")
    ]


def row_of(case, measured):
    """A row of the record: rates and memory of RL4CO, then with the ratio of each setting."""
    (rate, memory), *own = (medians(results) for results in measured.values())
    return [
        f"{case[0]}, {case[1]}",
        round(rate, 1),
        *([round(each, 1), round(each / rate, 2)] for each, _ in own),
        round(memory),
        *([round(each), round(each / memory, 2)] for _, each in own),
    ]


def headlines(rows, kind):
    """What the front page says: the ratios of the first setting."""
    own = (len(rows[0]) - 3) // 2
    sizes = " / ".join(row[0].partition(",")[0] for row in rows)
    rates, memory = (" / ".join(f"{row[at][1]:.2f}" for row in rows) for at in (2, 3 + own))
    return (
        Headline(f"training {kind}against RL4CO, N = {sizes}", f"{rates} times"),
        Headline(f"training memory {kind}against RL4CO", memory),
    )


def main():
    args = arguments(
        __doc__,
        rl4co={"required": True},
        rounds=3,
        looks=5,
        variants=False,
        device="cpu",
        cases={"nargs": "+", "type": case_of, "default": [(20, 64), (50, 64), (100, 16)]},
        output=OUTPUT,
    )
    kind = ["policy.variants=true", "problem.variants=all"] if args.variants else []
    settings, rows = how(args.device).settings, []
    for case in args.cases:
        turns = {
            "rl4co": partial(rl4co, args.rl4co, case, args.looks, args.device, args.variants)
        } | {
            name: partial(ours, case, args.looks, args.device, [*each, *kind])
            for name, each in settings.items()
        }
        rows.append(row_of(case, in_turn(turns, args.rounds)))
        print(*rows[-1], flush=True)
    columns = [
        Column("N, batch"),
        Column("RL4CO"),
        *(Column(f"here, {name}", "{} ({:.2f} times)") for name in settings),
        Column("memory RL4CO", "{} MB"),
        *(Column(f"here, {name}", "{} MB ({:.2f})") for name in settings),
    ]
    command = "python -m tests.bench.rl4co_training --rl4co PYTHON"
    command += f"{' --variants' if args.variants else ''} --rounds {args.rounds}"
    record = PageRecord(
        **origin(command),
        columns=columns,
        rows=rows,
        headlines=headlines(rows, "of variants " if args.variants else ""),
    )
    show(record, args.output)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], *map(int, sys.argv[3:6]), sys.argv[6:])
    else:
        main()
