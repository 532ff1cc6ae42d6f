"""A plan that loses a van: who stays with whom, what it costs, and how long the answer takes.

python -m tests.bench.replanning [--days 100] [--prices 0 20 100 500] [--seed 1] [-o RECORD]

Each day has 60 stops with windows and five vans, whose room is hardly larger than the load; a plan
is made, one van breaks down at a third of the day, and one is hired that comes then and is dearer.
What has begun stays (`--freeze`); the rest is planned anew, and with the plan kept at several
prices a stop; a leg is about 100 long. A stop that nobody can serve any more costs a prize of
1000. One search thread; seconds are those of the whole solve. All answers pass the check.
"""

import math
import statistics
import time

import numpy as np

from benchmarks.records import Column, PageRecord, origin
from tests.bench.arguments import OUTPUT, arguments, show
from vrpcore.api import Solver, read_instances
from vrpcore.instance.matching import kept_stops
from vrpcore.solve.known_plans import known_plans

STOPS, VANS, SIDE = 60, 5, 1000
THIRD = 220
COLUMNS = (
    Column("re-planned"), Column("stops that stay", "{:.1f} %"),
    Column("cost above planning anew", "{:.2f} ± {:.2f} %"), Column("left out", "{:.2f}"),
    Column("seconds, median", "{:.2f}"), Column("longest", "{:.2f}"),
)  # fmt: skip


def documents(draw, day):
    """A day's instance in the morning and after a van has dropped out."""
    customers = [
        {
            "id": f"stop-{number}", "x": int(x), "y": int(y), "demand": int(draw.integers(1, 10)),
            "window": [begin := int(draw.integers(0, 8)) * 60, begin + 180], "service": 5,
            "prize": 1000,
        }
        for number, (x, y) in enumerate(draw.integers(0, SIDE, (STOPS, 2)), start=1)
    ]  # fmt: skip
    load = sum(each["demand"] for each in customers)
    van = {
        "count": 1,
        "capacity": math.ceil(1.1 * load / VANS),
        "window": [0, 660],
        "fixed_cost": 500,
    }
    vans = [{"id": f"van-{number}", **van} for number in range(1, VANS + 1)]
    lost = int(draw.integers(VANS))
    hired = {"id": "hired", **van, "window": [THIRD, 660], "fixed_cost": 1000}
    left = [*vans, hired]
    left[lost] = {**vans[lost], "window": [0, THIRD]}
    shared = {"name": f"day-{day}", "depot": [SIDE // 2, SIDE // 2], "speed": 20}
    shared["customers"] = customers
    return {**shared, "vehicles": vans}, {**shared, "vehicles": left}


def measured(solver, instance, plan, price):
    """An answer, the share of the plan's stops that stay, and its seconds."""
    started = time.perf_counter()
    (answer,) = solver.solve(
        [instance], workers=1, warm_starts=[plan], freeze=THIRD, keep_cost=price
    )
    seconds = time.perf_counter() - started
    assert answer.status == "solved", answer.error
    before, after = (known_plans(instance, each)[0][-1].routes for each in (plan, answer))
    kept, moved = kept_stops(after, before)
    assert answer.kept in (None, kept)
    return answer, kept / (kept + moved), seconds


def main():
    given = arguments(__doc__, days=100, prices=[0.0, 20.0, 100.0, 500.0], seed=1, output=OUTPUT)
    draw, solver = np.random.default_rng(given.seed), Solver(device="cpu")
    ways = {"`--freeze 220`": None} | {
        f"`--freeze 220 --keep {price:g}`": price for price in given.prices
    }
    found = {name: [] for name in ways}
    for day in range(given.days):
        morning, changed = (read_instances(each)[0] for each in documents(draw, day))
        (plan,) = solver.solve([morning], workers=1)
        anew = math.nan
        for name, price in ways.items():
            answer, share, seconds = measured(solver, changed, plan, price)
            anew = answer.cost if price is None else anew
            found[name].append((share, answer.cost / anew - 1, len(answer.unserved), seconds))
    rows = []
    for name, own in found.items():
        shares, above, missing, seconds = (np.array(each) for each in zip(*own, strict=True))
        error = 100 * above.std(ddof=1) / len(above) ** 0.5
        rows.append([
            name, float(100 * shares.mean()), [float(100 * above.mean()), float(error)],
            float(missing.mean()), statistics.median(seconds.tolist()), float(seconds.max()),
        ])  # fmt: skip
    options = f"--days {given.days} --seed {given.seed}"
    here = origin(f"python -m tests.bench.replanning {options}")
    show(PageRecord(**here, columns=COLUMNS, rows=rows), given.output)


if __name__ == "__main__":
    main()
