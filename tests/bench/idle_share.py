"""How long an accelerator idles in training, and what crosses the bus.

vrp train --set train.profile=true --set train.steps=20 --out RUN ...
python -m tests.bench.idle_share RUN...

From the traces of three steps that `train.profile` writes: the share of their time in which the
device does nothing, and for each step the kernels, and the copies with their bytes.
"""

import json
from pathlib import Path

from tests.bench.arguments import arguments

STEP = "ProfilerStep"
BUSY = ("kernel", "gpu_memcpy", "gpu_memset")


def busy_us(events, begin, end):
    """Microseconds between two times in which at least one event runs."""
    total, reached = 0.0, begin
    for event in sorted(events, key=lambda event: event["ts"]):
        first = max(reached, event["ts"])
        last = min(end, event["ts"] + event["dur"])
        total += max(0.0, last - first)
        reached = max(reached, last)
    return total


def read(path):
    """Idle share, kernels, and copies with their bytes, of a step of a trace."""
    events = [event for event in json.loads(path.read_text())["traceEvents"] if "dur" in event]
    steps = [
        event for event in events
        if event.get("cat") == "user_annotation" and event["name"].startswith(STEP)
    ]  # fmt: skip
    begin = min(step["ts"] for step in steps)
    end = max(step["ts"] + step["dur"] for step in steps)
    found = [event for event in events if event.get("cat") in BUSY]
    copies = [event for event in found if event["cat"] == "gpu_memcpy"]
    idle = 1 - busy_us(found, begin, end) / (end - begin)
    kernels = sum(event["cat"] == "kernel" for event in found)
    line = f"{path.parent.name}: {(end - begin) / len(steps) / 1e3:.2f} ms a step, idle {idle:.1%}"
    line += f", {kernels / len(steps):.0f} kernels"
    for way in ("HtoD", "DtoH", "DtoD"):
        own = [event["args"].get("bytes", 0) for event in copies if way in event["name"]]
        line += f", {len(own) / len(steps):.1f} copies {way} of {sum(own) / len(steps):.0f} bytes"
    return line


def main():
    for run in arguments(__doc__, runs=[Path]).runs:
        print(read(run / "profile-trace.json"), flush=True)


if __name__ == "__main__":
    main()
