"""Problems in VROOM's JSON: this project beside VROOM, at equal wall time.

python -m tests.bench.vroom_documents [--count 200] [--sizes 10 500] [--levels 1 5] [--limit 5]
       [--overloaded | --shipments] [--seed 0] [-o RECORD]

Needs pyvroom (pip install pyvroom). Random documents of all features that readers here take; their
numbers of tasks are spread evenly, by ratio, between the two sizes. VROOM solves each at an
exploration level on one thread, in at most `limit` seconds, then this project gets as many seconds
by the clock for its whole call, on one core. Reading the document and writing the answer count for
neither. Every answer passes the referee of VROOM's documents. With `--overloaded`, the last vehicle
is taken out of each document until VROOM leaves 5 to 15 % of its tasks out; a document that has no
such number of vehicles gives way to the next. With `--shipments`, each document has only these, a
fixed cost of vehicles and a break in each; half of them have windows.

By level: in how many documents this project serves more, the same or less, by VROOM's order: the
sum of priorities, then the number of tasks; where both serve the same, the mean of our cost /
VROOM's, and in how many ours is lower, equal or higher. VROOM's seconds are those of the median
document. Priorities come first, so more and fewer tasks are counted separately.
"""

import json
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.records import Column, PageRecord, origin
from tests.bench.arguments import OUTPUT, arguments, show
from tests.vrpcore.vroom_oracle import check_vroom
from tests.vrpcore.vroom_problems import FEATURES, vroom_problem
from vrpcore.api import Solver, read_instances
from vrpcore.formats.vroom.vroom_answer import answer_to_dict

FURTHER = 1_000_000  # seeds, to the next document of the same size
LEFT_OUT = (0.05, 0.15)  # share of the tasks that an overloaded document has no room for


class Pair(NamedTuple):
    """Both answers to a document, and VROOM's seconds."""

    own: dict
    theirs: dict
    seconds: float

    @property
    def served(self):
        """By how much this project's answer serves more, by VROOM's order."""
        keys = [
            (answer["summary"]["priority"], -answer["summary"]["unassigned"])
            for answer in (self.own, self.theirs)
        ]
        return (keys[0] > keys[1]) - (keys[0] < keys[1])

    @property
    def tasks(self):
        """How many more tasks this project's answer serves."""
        return self.theirs["summary"]["unassigned"] - self.own["summary"]["unassigned"]

    @property
    def cost_ratio(self):
        """Our cost / VROOM's; None where they serve others, or VROOM's costs nothing."""
        costs = self.own["summary"]["cost"], self.theirs["summary"]["cost"]
        return None if self.served or not costs[1] else costs[0] / costs[1]


def vroom_answer(document, level, limit):
    """VROOM's answer, and the seconds of its search, which `limit` bounds."""
    import vroom

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "problem.json"
        path.write_text(json.dumps(document))
        model = vroom.Input.from_json(path, geometry=False)
    # As VROOM's own program does, which the package does only for matrices of its own making.
    matrices = document.get("matrices", {}).values()
    model._distances = bool(matrices) and all("distances" in each for each in matrices)
    started = time.perf_counter()
    found = model.solve(level, nb_threads=1, timeout=timedelta(seconds=limit))
    return found.to_dict(), time.perf_counter() - started


def overloaded(document, limit):
    """The document with as few vehicles as leave 5 to 15 % of its tasks out; None if none do."""
    for count in range(len(document["vehicles"]), 0, -1):
        fewer = document | {"vehicles": document["vehicles"][:count]}
        answer, _ = vroom_answer(fewer, 1, limit)
        tasks = len(fewer.get("jobs", ())) + 2 * len(fewer.get("shipments", ()))
        share = answer["summary"]["unassigned"] / tasks
        if share >= LEFT_OUT[0]:
            return fewer if share <= LEFT_OUT[1] else None
    return None


def drawn(seed, size, limit, full):
    """A random document, overloaded if asked, and the seed that gave it."""
    # VROOM refuses steps that break limits.
    features = [name for name in FEATURES if name != "steps"]
    while True:
        document = vroom_problem(seed, size, features)
        if not full or (document := overloaded(document, limit)):
            return document, seed
        seed += FURTHER


def shipments_with_breaks(seed, size):
    """A document of shipments, with a quarter as many vehicles, which have a break each."""
    draw = np.random.default_rng(seed)
    count = max(1, size // 2)
    places = draw.uniform(0, 2000, (2 * count + 1, 2))
    durations = np.rint(np.linalg.norm(places[:, None] - places, axis=2)).astype(int)
    long, windows = int(draw.choice([20_000, 30_000])), draw.random() < 0.5

    def end(number, place, first):
        found = {"id": number, "location_index": place, "service": 200}
        if windows and draw.random() < 0.5:
            opens = first + int(draw.integers(0, long // 2))
            found["time_windows"] = [[opens, opens + long // 3]]
        return found

    return {
        "vehicles": [
            {
                "id": number, "start_index": 0, "end_index": 0, "capacity": [20],
                "time_window": [0, long], "costs": {"fixed": 3600},
                "breaks": [
                    {"id": number, "time_windows": [[2 * long // 5, long // 2]], "service": 1800}
                ],
            }
            for number in range(1, max(2, count // 4) + 1)
        ],
        "shipments": [
            {
                "amount": [int(draw.integers(1, 5))],
                "pickup": end(number, 2 * number - 1, 0),
                "delivery": end(number, 2 * number, long // 6),
            }
            for number in range(1, count + 1)
        ],
        "matrices": {"car": {"durations": durations.tolist()}},
    }  # fmt: skip


def own_answer(solver, document, seconds):
    """This project's."""
    items = read_instances(document)
    (solution,) = solver.solve(items, time_limit=seconds, workers=1, threads=1)
    return answer_to_dict(items[0], solution)


def compared(solver, document, level, limit):
    """Both answers, checked."""
    theirs, seconds = vroom_answer(document, level, limit)
    own = own_answer(solver, document, seconds)
    for name, answer in (("VROOM", theirs), ("vrp", own)):
        if problems := check_vroom(document, answer):
            raise SystemExit(f"{name}: {problems[0]}")
    return Pair(own, theirs, seconds)


def row(level, pairs):
    served = [pair.served for pair in pairs]
    tasks = [pair.tasks for pair in pairs]
    ratios = [pair.cost_ratio for pair in pairs if pair.cost_ratio is not None]
    cheaper, dearer = (sum(ratio < 1 for ratio in ratios), sum(ratio > 1 for ratio in ratios))
    return [
        level,
        float(np.median([pair.seconds for pair in pairs])),
        [served.count(each) for each in (1, 0, -1)],
        float(np.mean(ratios)) if ratios else "-",
        [cheaper, len(ratios) - cheaper - dearer, dearer],
        [sum(each > 0 for each in tasks), sum(each < 0 for each in tasks)],
    ]


COLUMNS = (
    Column("VROOM's level"),
    Column("its seconds (median)", "{:.2f}"),
    Column("we serve more / the same / less", "{} / {} / {}"),
    Column("cost where both serve the same: ours / VROOM's", "{:.3f}"),
    Column("cheaper / equal / dearer", "{} / {} / {}"),
    Column("more / fewer tasks", "{} / {}"),
)


def main():
    args = arguments(
        __doc__,
        count={"type": int, "default": 200, "help": "documents"},
        sizes={"type": int, "nargs": 2, "default": (10, 500), "help": "tasks"},
        levels={"type": int, "nargs": "+", "default": (1, 5), "help": "of exploration"},
        overloaded={"action": "store_true", "help": "not everybody can be served"},
        shipments={"action": "store_true", "help": "only shipments, with breaks and fixed costs"},
        limit={"type": float, "default": 5.0, "help": "seconds a document, at most"},
        seed=0,
        output=OUTPUT,
    )
    sizes = np.rint(np.geomspace(*args.sizes, args.count)).astype(int).tolist()
    documents, seeds = zip(
        *(
            (shipments_with_breaks(args.seed + place, size), args.seed + place)
            if args.shipments
            else drawn(args.seed + place, size, args.limit, args.overloaded)
            for place, size in enumerate(sizes)
        ),
        strict=True,
    )
    solver = Solver(device="cpu")
    # Whoever loads something does so now.
    compared(solver, documents[0], min(args.levels), args.limit)
    rows = []
    for level in args.levels:
        pairs = []
        for place, document in enumerate(documents):
            pairs.append(compared(solver, document, level, args.limit))
            if pairs[-1].served < 0:
                which = f"seed {seeds[place]}, {sizes[place]} tasks"
                print(f"level {level}: VROOM serves more: {which}", file=sys.stderr)
        rows.append(row(level, pairs))
        print(rows[-1], file=sys.stderr, flush=True)
    asked = f"--count {args.count} --sizes {' '.join(map(str, args.sizes))} --seed {args.seed}"
    asked += f" --levels {' '.join(map(str, args.levels))} --limit {args.limit:g}"
    if args.overloaded:
        asked += " --overloaded"
    if args.shipments:
        asked += " --shipments"
    record = PageRecord(
        **origin(f"python -m tests.bench.vroom_documents {asked}"), columns=COLUMNS, rows=rows
    )
    show(record, args.output)


if __name__ == "__main__":
    main()
