"""A stream of instances: speed, memory, and what a kill costs.

python -m tests.bench.stream_and_resume [--count 100000] [--improve none] [--kills 3]

Solves JSON Lines once in peace and once killed (SIGKILL) at random moments and resumed;
both outputs must be the same, byte for byte.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.arguments import arguments
from vrpcore.bench.timing import timed

VRP = [sys.executable, "-m", "vrpcore.cli"]


def finished(command):
    """Wall seconds and largest resident megabytes of a process."""
    ended = timed(lambda: os.wait4(subprocess.Popen(command).pid, 0))
    _, status, usage = ended.result
    if status:
        raise SystemExit(f"{command[3]} ended with {os.waitstatus_to_exitcode(status)}")
    return ended.wall_s, usage.ru_maxrss / 1024


def main():
    args = arguments(__doc__, count=100_000, improve="none", kills=3)
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        file, calm, hurt = (Path(folder, name) for name in ("in.jsonl", "a.jsonl", "b.jsonl"))
        shape = ["--n", "20", "--count", str(args.count), "-o", str(file), "-q"]
        subprocess.run([*VRP, "generate", *shape], check=True)
        solve = [*VRP, "solve", str(file), "-q", "--device", "cpu", "--improve", args.improve]
        seconds, megabytes = finished([*solve, "-o", str(calm)])
        rate = args.count / seconds
        print(f"{args.count} instances: {seconds:.1f} s, {rate:.0f} a second, {megabytes:.0f} MB")
        resume = [*solve, "-o", str(hurt), "--resume"]
        for _ in range(args.kills):
            process = subprocess.Popen(resume)
            time.sleep(seconds * draw.uniform(0.1, 0.9) / args.kills)
            process.send_signal(signal.SIGKILL)
            process.wait()
            part = Path(f"{hurt}.part")
            kept = part.read_bytes().count(b"\n") if part.exists() else 0
            print(f"killed; {kept} lines are kept")
        finished(resume)
        print("the same" if calm.read_bytes() == hurt.read_bytes() else "DIFFERENT")


if __name__ == "__main__":
    main()
