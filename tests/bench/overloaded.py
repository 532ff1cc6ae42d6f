"""Days on which not everybody can be served: how many are, and at what cost.

python -m tests.bench.overloaded [--count 96] [--level fast] [--save FILE] [--against FILE]

100 customers and eight vans, with too little room (a third of the days) or too little time, with
windows or without. One search thread. `--save` writes how many are left out and the cost of each
day; `--against` compares with such a file of another version, in pairs.
"""

import json
import random
import statistics
from pathlib import Path

from tests.bench.arguments import arguments
from vrpcore.api import Solver, read_instances

CUSTOMERS, VANS = 100, 8
SHIFTS = (2000, 330, 300)


def day(seed):
    """A document; by its seed there is too little room, or too little time at two speeds."""
    draw, kind = random.Random(seed), seed % 3
    customers = [
        {
            "id": number, "x": draw.randint(0, 1000), "y": draw.randint(0, 1000),
            "demand": draw.randint(1, 9), "service": 10,
        }
        for number in range(1, CUSTOMERS + 1)
    ]  # fmt: skip
    for each in customers:
        if kind and draw.random() < 0.6:
            opens = draw.randint(0, 6) * 60
            each["window"] = [opens, opens + draw.choice([60, 120, 240])]
    load = sum(each["demand"] for each in customers)
    van = {
        "id": "van",
        "count": VANS,
        "capacity": int(load * (1.3 if kind else 0.9) / VANS),
        "window": [0, SHIFTS[kind]],
    }
    speed = 9 if kind == 1 else 12
    return {"depot": [500, 500], "speed": speed, "vehicles": [van], "customers": customers}


def compared(mine, others):
    """How two versions differ: in words."""
    pairs = list(zip(mine, others, strict=True))
    change = [
        100 * (cost / other - 1)
        for (left_out, cost), (missing, other) in pairs
        if left_out == missing
    ]
    error = statistics.stdev(change) / len(change) ** 0.5
    fewer = sum(own[0] < other[0] for own, other in pairs)
    more = sum(own[0] > other[0] for own, other in pairs)
    return (
        f"as many served on {len(change)} days, cost {statistics.mean(change):+.2f} "
        f"± {error:.2f} %; more served on {fewer}, fewer on {more}"
    )


def main():
    """Prints means, and what changed."""
    given = arguments(__doc__, count=96, level="fast", save="", against="")
    solver, found = Solver(device="cpu"), []
    for seed in range(given.count):
        instance = read_instances(day(seed))[0]
        (answer,) = solver.solve([instance], improve=given.level, workers=1)
        found.append([len(answer.unserved), answer.cost])
    left_out, costs = zip(*found, strict=True)
    print(f"left out {statistics.mean(left_out):.2f}, cost {statistics.mean(costs):.1f}")
    if given.save:
        Path(given.save).write_text(json.dumps(found), encoding="utf-8")
    if given.against:
        print(compared(found, json.loads(Path(given.against).read_text(encoding="utf-8"))))


if __name__ == "__main__":
    main()
