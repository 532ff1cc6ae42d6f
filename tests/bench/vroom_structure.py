"""Answers in VROOM's JSON: their keys and types beside those of VROOM's own answers.

python -m tests.bench.vroom_structure [--count 200] [--sizes 4 40] [--seed 0] [-o RECORD]

Needs pyvroom (pip install pyvroom). `vrp solve` and VROOM answer random documents of all features;
their numbers of tasks are spread evenly between the two sizes. Objects that are about the same
(a vehicle's route and its start, a task wherever it is served) are compared: which keys they have,
and of which types the values are. Then one document is made faulty in many ways, and the codes are
compared that both answer with.
"""

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from benchmarks.records import Column, Record, origin
from tests.bench.arguments import OUTPUT, arguments, show
from tests.bench.vroom_documents import vroom_answer
from tests.vrpcore.formats.vroom.told import KINDS, OURS, told
from tests.vrpcore.vroom_oracle import check_vroom
from tests.vrpcore.vroom_problems import ABSENT, FEATURES, replaced, vroom_problem

LEVEL, LIMIT = 5, 5.0  # of VROOM
CODES = {"VroomInternalException": 1, "VroomInputException": 2, "VroomRoutingException": 3}
NAMES = {
    "answer": "the answer",
    "job": "a step of a task",
    "unassigned": "an unassigned task",
    "route": "a route",
} | {kind: f"a step `{kind}`" for kind in ("start", "break", "end")}
COLUMNS = [
    Column(name)
    for name in ("object", "compared", "same keys and types", "only in ours", "only in VROOM's")
] + [Column("other types")]

# What is put where into a document of two jobs and a shipment.
SOUND = {
    "vehicles": [
        {
            "id": 1,
            "start_index": 0,
            "end_index": 0,
            "capacity": [4],
            "time_window": [0, 36000],
            "breaks": [{"id": 1, "time_windows": [[7200, 10800]], "service": 600}],
        }
    ],
    "jobs": [
        {"id": 1, "location_index": 1, "delivery": [1], "time_windows": [[0, 7200]]},
        {"id": 2, "location_index": 2, "pickup": [1], "skills": [1], "priority": 5},
    ],
    "shipments": [
        {
            "amount": [1],
            "pickup": {"id": 3, "location_index": 1},
            "delivery": {"id": 4, "location_index": 2},
        }
    ],
    "matrices": {"car": {"durations": [[0, 900, 800], [900, 0, 500], [800, 500, 0]]}},
}
FAULTS = (
    (("vehicles",), ABSENT),
    (("vehicles",), []),
    (("vehicles",), {}),
    (("vehicles", 0, "id"), ABSENT),
    (("vehicles", 0, "id"), "van"),
    (("vehicles", 0, "start_index"), 7),
    (("vehicles", 0, "start_index"), "home"),
    (("vehicles", 0, "profile"), "bike"),
    (("vehicles", 0, "capacity"), [4, 4]),
    (("vehicles", 0, "capacity"), 4),
    (("vehicles", 0, "time_window"), [36000, 0]),
    (("vehicles", 0, "time_window"), [0]),
    (("vehicles", 0, "speed_factor"), 0),
    (("vehicles", 0, "speed_factor"), "fast"),
    (("vehicles", 0, "max_tasks"), "all"),
    (("vehicles", 0, "max_travel_time"), "day"),
    (("vehicles", 0, "costs"), {"fixed": "free"}),
    (("vehicles", 0, "costs"), {"per_km": 100}),
    (("vehicles", 0, "skills"), ["a"]),
    (("vehicles", 0, "description"), 7),
    (("vehicles", 0, "breaks", 0, "id"), ABSENT),
    (("vehicles", 0, "breaks", 0, "time_windows"), []),
    (("vehicles", 0, "breaks", 0, "time_windows"), [[9000, 8000]]),
    (("vehicles", 0, "breaks", 0, "max_load"), [1, 1]),
    (("vehicles", 0, "steps"), [{"type": "lunch"}]),
    (("vehicles", 0, "steps"), [{"id": 1}]),
    (("jobs", 0, "id"), ABSENT),
    (("jobs", 0, "id"), 2),
    (("jobs", 0, "location_index"), ABSENT),
    (("jobs", 0, "location_index"), 3),
    (("jobs", 0, "location_index"), "shop"),
    (("jobs", 0, "service"), "long"),
    (("jobs", 0, "setup"), "long"),
    (("jobs", 0, "delivery"), [1, 1]),
    (("jobs", 0, "delivery"), ["one"]),
    (("jobs", 0, "delivery"), 1),
    (("jobs", 0, "priority"), 101),
    (("jobs", 0, "priority"), "high"),
    (("jobs", 0, "skills"), ["cold"]),
    (("jobs", 0, "time_windows"), []),
    (("jobs", 0, "time_windows"), [[7200, 0]]),
    (("jobs", 0, "time_windows"), [[0, 3600], [1800, 7200]]),
    (("jobs", 0, "time_windows"), [0, 3600]),
    (("shipments", 0, "pickup"), ABSENT),
    (("shipments", 0, "delivery", "id"), ABSENT),
    (("shipments", 0, "delivery", "location_index"), 9),
    (("shipments", 0, "amount"), [1, 1]),
    (("matrices", "car", "durations"), [[0, 900], [900, 0, 500], [800, 500, 0]]),
    (("matrices", "car", "durations"), [[0, 900, 800], [900, 0, "far"], [800, 500, 0]]),
    (("matrices", "car"), {}),
)


def said(path, value):
    """A fault in words."""
    place = ".".join(map(str, path))
    return f"`{place}` missing" if value is ABSENT else f"`{place}: {json.dumps(value)}`"


def own_answers(documents):
    """What `vrp solve` answers, a line each; faults are answers, too."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "problems.jsonl"
        file.write_text("".join(f"{json.dumps(each)}\n" for each in documents))
        words = ("solve", "--quiet", "--format", "vroom", file)
        done = subprocess.run(
            [sys.executable, "-m", "vrpcore.cli", *map(str, words)], capture_output=True, text=True
        )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(documents):
        raise SystemExit(f"{len(answers)} answers to {len(documents)} documents: {done.stderr}")
    return answers


def code_of(document):
    """VROOM's code for a document: 0, or that of what it raises."""
    try:
        vroom_answer(document, LEVEL, LIMIT)
    except Exception as error:  # what pyvroom raises has no base of its own
        if type(error).__name__ not in CODES:
            raise
        return CODES[type(error).__name__]
    return 0


class Differences:
    """What was compared of one kind of object, and what differed, by key."""

    def __init__(self):
        self.compared = self.same = 0
        self.ours, self.theirs, self.types = Counter(), Counter(), Counter()

    def add(self, own, other, without):
        """Compares two objects."""
        self.compared += 1
        self.same += {key: own[key] for key in own if key not in without} == other
        self.ours.update(own.keys() - other.keys())
        self.theirs.update(other.keys() - own.keys())
        self.types.update(key for key in own.keys() & other.keys() if own[key] != other[key])

    def row(self, name):
        """A row of the table."""
        differing = [
            ", ".join(f"`{key}` {number}" for key, number in sorted(each.items()))
            for each in (self.ours, self.theirs, self.types)
        ]
        return [name, self.compared, self.same, *differing]


def compared(documents):
    """A row for each kind of object, in the order of `KINDS`."""
    found = {kind: Differences() for kind in (*KINDS, "job")}
    for document, answer in zip(documents, own_answers(documents), strict=True):
        theirs, _ = vroom_answer(document, LEVEL, LIMIT)
        for each in (answer, theirs):
            if problems := check_vroom(document, each):
                raise SystemExit(problems[0])
        own, other = told(answer), told(theirs)
        for name in own.keys() & other.keys():
            found[name[0]].add(own[name], other[name], OURS.get(name[0], ()))
    return [each.row(NAMES.get(kind, f"`{kind}`")) for kind, each in found.items()]


def faults():
    """The row of faulty documents, and a sentence about each that has other codes."""
    documents = [replaced(SOUND, *each) for each in FAULTS]
    row, notes = Differences(), []
    row.compared = len(FAULTS)
    for fault, document, answer in zip(FAULTS, documents, own_answers(documents), strict=True):
        codes = answer["code"], code_of(document)
        row.same += codes[0] == codes[1]
        if codes[0] != codes[1]:
            row.types["code"] += 1
            notes.append(f"{said(*fault)} ({codes[0]}, {codes[1]})")
    return row.row("the code of a faulty document"), notes


def main():
    """Compares, and prints the table or writes it as a record."""
    args = arguments(
        __doc__,
        count={"type": int, "default": 200, "help": "documents"},
        sizes={"type": int, "nargs": 2, "default": (4, 40), "help": "tasks"},
        seed=0,
        output=OUTPUT,
    )
    sizes = np.rint(np.linspace(*args.sizes, args.count)).astype(int).tolist()
    # VROOM refuses steps that break limits.
    features = [name for name in FEATURES if name != "steps"]
    documents = [
        vroom_problem(args.seed + place, size, features) for place, size in enumerate(sizes)
    ]
    rows = compared(documents)
    row, other = faults()
    asked = f"--count {args.count} --sizes {' '.join(map(str, args.sizes))} --seed {args.seed}"
    record = Record(
        **origin(f"python -m tests.bench.vroom_structure {asked}"),
        columns=COLUMNS,
        rows=[*rows, row],
        notes=[f"Other codes (ours, VROOM's): {'; '.join(other)}."] if other else [],
    )
    show(record, args.output)


if __name__ == "__main__":
    main()
