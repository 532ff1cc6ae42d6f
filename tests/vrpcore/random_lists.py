"""Random lists of instances of every kind, random options of a solve, and what comes of them."""

import json
import random
import threading
import time

from tests.vrpcore.documents import detailed_document, mixed_document, plain_document
from tests.vrpcore.variants import drawn
from vrpcore.api import read_instances
from vrpcore.errors import ConfigError
from vrpcore.solve.solve_options import SolveOptions

STUCK_S = 60.0  # these searches take a few seconds
_SIZES = (1, 1, 2, 5, 12, 12, 40)
_VARIANTS = ("cvrp", "vrptw", "ovrpb", "mdovrptw")
_OPTIONS = {
    "fewest_vehicles": (True,),
    "keep_cost": (0.0, 2.0),
    "freeze": (0.0, 5.0),
    "time_per_instance": (0.0, 0.02),
    "iterations": (1, 100),
    "no_improvement": (0.0, 0.05),
    "target_cost": (0.0, 30.0),
    "decode": ("greedy", "sample"),
    "starts": (1, 3),
    "augment": (2, 8),
    "batch": (1, 2, 50),
    "workers": (1, 2, 3),
    "threads": (1, 2, 3),
}


def _plain(seed, size):
    draw = random.Random(seed)
    places = [{"id": row, "x": draw.random(), "y": draw.random(), "demand": 1 + row % 4}
              for row in range(size)]  # fmt: skip
    return {"capacity": draw.choice([3, 9]), "depot": [0, 0], "customers": places}  # 3: some do


_DRAWN = (plain_document, mixed_document, detailed_document, _plain, _plain)


def random_list(seed):
    """Some instances: plain, with constraints, with matrices, of variants, invalid, infeasible."""
    draw = random.Random(seed)
    documents = [
        draw.choice(_DRAWN)(seed + row, draw.choice(_SIZES)) for row in range(draw.randint(1, 4))
    ]
    documents += [{**_plain(seed, 3), "capacity": -1}] * draw.randint(0, 1)
    documents += [{**_plain(seed, 9), "capacity": 9, "max_vehicles": 1}] * draw.randint(0, 1)
    items = read_instances(json.dumps(documents).encode())
    items += drawn(draw.choice(_VARIANTS), draw.randint(0, 2), 6)
    draw.shuffle(items)
    return items


def random_options(seed):
    """Options that fit together; a limit in half of them."""
    draw = random.Random(~seed)
    limit = draw.choice([None, None, None, 0.0, 0.05, 0.5])
    while True:
        few = draw.sample(list(_OPTIONS), draw.randint(0, 4))
        chosen = {name: draw.choice(_OPTIONS[name]) for name in few}
        improve = draw.choice(["none", "none", "fast", "deep"])
        try:
            return SolveOptions(improve=improve, time_limit=limit, seed=seed % 1000, **chosen)
        except ConfigError:
            continue


def outcome(solver, session, seed):
    """Solves a random list: every other one in the session, whose caller leaves now and then.

    Args:
        solver: Of the others.
        session: Has nothing else to do.
        seed: Of the list and its options.

    Returns:
        Seconds above its time limit, 0 without one; and what is wrong, None if nothing is.
    """
    items, options, answers = random_list(seed), random_options(seed), []
    leaves = seed % 10 == 1

    def solve():
        if seed % 2 == 0:
            answers.extend(solver.solve(items, options))
            return
        order = session.submit(items, options)
        if leaves:
            order.stop()
        else:
            answers.extend(order.future.result())

    started, limit = time.perf_counter(), options.time_limit
    solving = threading.Thread(target=solve, daemon=True)
    solving.start()
    solving.join(STUCK_S)
    late = 0.0 if limit is None else max(0.0, time.perf_counter() - started - limit)
    found = None
    if solving.is_alive():
        found = "it never ends"
    elif session.load:
        found = f"{session.load} customers keep their room"
    elif not leaves and len(answers) != len(items):
        found = f"{len(answers)} answers"
    elif any(answer.fault for answer in answers):
        found = "an internal error"
    return late, found and f"list {seed} of {len(items)}, {options}: {found}"
