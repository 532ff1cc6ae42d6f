"""Reading of instances beside `json.loads`, and writing of answers: process time of one core.

With `--before`, an older checkout reads and writes the same in turns.

python -m tests.bench.reading [-o docs/results/records/reading.json] [--before FOLDER] [--rounds 5]
"""

import json
import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.records import Column, PageRecord, origin
from tests.bench.arguments import OUTPUT, arguments, show

LABELS = {
    "plain": "2000 plain instances of 100 customers",
    "windows": "1000 instances of 100 customers with windows",
    "vroom": "60 documents of VROOM's, 100 jobs and their matrix",
    "writing": "1000 answers of 100 customers, written",
}


def documents():
    """The texts of each case."""
    draw = random.Random(1)

    def spot(number):
        x, y = draw.random(), draw.random()
        return {"id": f"c{number}", "x": x, "y": y, "demand": draw.randint(1, 9)}

    plain = [
        {
            "name": f"i{k}",
            "capacity": 50,
            "depot": [0.5, 0.5],
            "customers": [*map(spot, range(100))],
        }
        for k in range(2000)
    ]
    windows = [
        {
            "name": f"i{k}",
            "depots": [{"id": "d", "x": 0.5, "y": 0.5}],
            "vehicles": [{"id": "v", "capacity": 50, "window": [0, 10]}],
            "customers": [{**spot(j), "window": [0, 6], "service": 0.1} for j in range(100)],
        }
        for k in range(1000)
    ]
    vroom = [
        {
            "vehicles": [{"id": 1, "start_index": 0, "end_index": 0, "capacity": [100]}],
            "jobs": [
                {
                    "id": job,
                    "location_index": job,
                    "service": 300,
                    "delivery": [1],
                    "time_windows": [[0, 30000]],
                }
                for job in range(1, 101)
            ],
            "matrices": {
                "car": {
                    "durations": [[draw.randint(1, 5000) for _ in range(101)] for _ in range(101)]
                }
            },
        }
        for _ in range(60)
    ]
    return {
        "plain": {"format": "vrp-instances/1", "instances": plain},
        "windows": {"format": "vrp-instances/1", "instances": windows},
        "vroom": vroom,
    }


# Runs in a process of its own, of either checkout: only what both call alike.
WORKER = """
import json, sys, time
from vrpcore.api import read_instances
from vrpcore.instance.solution import RouteReport, Solution
from vrpcore.formats.answers.solution_json import solution_to_line
found = {}
for name in ("plain", "windows", "vroom"):
    data = open(f"{sys.argv[1]}/{name}.json", "rb").read()
    start = time.process_time(); json.loads(data); between = time.process_time()
    items = read_instances(data); end = time.process_time()
    assert not any(hasattr(item, "error") for item in items)
    found[name] = [between - start, end - between]
    if name == "plain":
        answers = []
        for item in items[:1000]:
            routes = [item.ids[first : first + 10] for first in range(0, 100, 10)]
            reports = tuple(RouteReport(customers=r, cost=1.25, load=7.0) for r in routes)
            answers.append(Solution(name=item.name, status="solved", cost=12.5, routes=reports))
        start = time.process_time(); [*map(solution_to_line, answers)]
        found["writing"] = [0, time.process_time() - start]
print(json.dumps(found))
"""


def measured(folder, checkout):
    """Of each case the seconds of `json.loads` and of this project, in one process."""
    env = dict(os.environ, PYTHONPATH=str(checkout)) if checkout else os.environ
    said = subprocess.run(
        [sys.executable, "-c", WORKER, str(folder)],
        env=env,
        cwd=checkout or Path.cwd(),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(said.stdout.splitlines()[-1])


def main() -> None:
    args = arguments(__doc__, output=OUTPUT, before="", rounds=5)
    checkouts = {"now": None} | ({"before": args.before} if args.before else {})
    times = {name: [] for name in checkouts}
    with TemporaryDirectory() as folder:
        for name, document in documents().items():
            Path(folder, f"{name}.json").write_text(json.dumps(document))
        for _ in range(args.rounds):
            for name, checkout in checkouts.items():
                times[name].append(measured(folder, checkout))
                time.sleep(0.1)
    rows = []
    for case, label in LABELS.items():
        row = [label]
        for name in ("before", "now"):
            own = times.get(name, [])
            row.append(statistics.median(each[case][1] for each in own) if own else None)
            loads = case != "writing" and own
            row.append(statistics.median(e[case][1] / e[case][0] for e in own) if loads else None)
        rows.append(row)
    record = PageRecord(
        **origin("python -m tests.bench.reading --before FOLDER"),
        columns=[
            Column(""),
            Column("before", "{:.2f} s"),
            Column("of json.loads", "{:.1f}"),
            Column("now", "{:.2f} s"),
            Column("of json.loads, now", "{:.2f}"),
        ],
        rows=rows,
    )
    show(record, args.output)


if __name__ == "__main__":
    main()
