"""One large instance with time windows: seconds, memory and cost of `vrp solve`.

python -m tests.bench.large_windows [--count 10000] [--seed 1] [--time-limit 60] [-o RECORD]

Customers lie in clusters and half are scattered, as in Gehring and Homberger's RC instances; each
can be served alone. A line for insertion only and one for search with a time limit; memory is the
largest resident of the process.
"""

import json
import math
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.records import Column, Record, origin
from tests.bench.arguments import OUTPUT, arguments, show
from tests.bench.stream_and_resume import VRP, finished

SERVICE, CAPACITY = 10, 1000
HALF_WIDTHS = (15, 120)
COLUMNS = (
    Column("options"),
    Column("s", "{:.1f}"),
    Column("MB"),
    Column("status"),
    Column("routes"),
    Column("cost", "{:.1f}"),
)


def document(count, seed):
    """The JSON document, in the compact form.

    Args:
        count: Customers.
        seed: Of the draw.
    """
    draw = np.random.default_rng(seed)
    side = 50 * math.sqrt(count / 100)  # as dense as the published ones
    centres = draw.uniform(0, side, (max(1, count // 60), 2))
    near = centres[draw.integers(len(centres), size=count)] + draw.normal(0, 4, (count, 2))
    scattered = draw.random(count) < 0.5
    points = np.where(scattered[:, None], draw.uniform(0, side, (count, 2)), near).round(1)
    ways = np.hypot(*(points - side / 2).T)
    horizon = math.ceil(6 * side)
    middle = ways + draw.random(count) * (horizon - 2 * ways - SERVICE)
    half = draw.uniform(*HALF_WIDTHS, count)
    opens = np.maximum(0.0, middle - half).round(1)
    closes = np.minimum(horizon - ways - SERVICE, middle + half).round(1) - 0.1
    return {
        "name": f"windows-{count}-{seed}",
        "capacity": CAPACITY,
        "depot": {"x": side / 2, "y": side / 2, "window": [0, horizon]},
        "coords": points.tolist(),
        "demands": draw.integers(5, 46, count).tolist(),
        "windows": np.stack((np.minimum(opens, closes), closes), axis=1).tolist(),
        "services": [SERVICE] * count,
    }


def main():
    args = arguments(
        __doc__,
        count={"type": int, "default": 10_000, "help": "customers"},
        seed=1,
        time_limit={"type": float, "default": 60.0, "help": "seconds, of the search"},
        output=OUTPUT,
    )
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder, "in.json"), Path(folder, "out.json")
        file.write_text(json.dumps(document(args.count, args.seed)))
        limited = ["--improve", "fast", "--time-limit", f"{args.time_limit:g}"]
        for options in (["--improve", "none"], limited):
            command = [*VRP, "solve", str(file), "-o", str(out), "-q", "--device", "cpu"]
            seconds, megabytes = finished([*command, *options])
            (answer,) = json.loads(out.read_text())["solutions"]
            found = [seconds, math.ceil(megabytes), answer["status"], len(answer["routes"])]
            rows.append([f"`{' '.join(options)}`", *found, answer["cost"]])
    asked = f"--count {args.count} --seed {args.seed} --time-limit {args.time_limit:g}"
    record = Record(
        **origin(f"python -m tests.bench.large_windows {asked}"), columns=COLUMNS, rows=rows
    )
    show(record, args.output)


if __name__ == "__main__":
    main()
