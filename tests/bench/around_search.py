"""Milliseconds around a short search: whole call without it, its preparation, the check.

python -m tests.bench.around_search [--sizes 20 50 100 200] [--rounds 300] [--limit 0.002]

One plain instance a size (seed 5), one core; the least of many rounds in turns. The search of a
call ends after the limit, which its preparation is part of; preparation is a search of one
iteration. Another checkout in PYTHONPATH is measured in its place: take turns.
"""

from functools import partial

import numpy as np

from tests.bench.arguments import arguments
from vrpcore.api import Solver
from vrpcore.bench.timing import in_turn, timed
from vrpcore.instance.generator import as_instances, random_problems
from vrpcore.referee.referee import check_solution
from vrpcore.search.effort import Effort
from vrpcore.search.search import search_instance


def least_ms(solver, size, limit, rounds):
    """Least milliseconds of a whole call without the limit, of preparation and of the check."""
    problems = random_problems("uniform", (1, size), "by_size", np.random.default_rng(5))
    (instance,) = as_instances(problems, "around")
    solve = partial(solver.solve, [instance], time_per_instance=limit, workers=1)
    (answer,) = solve()
    calls = {
        "around": solve,
        "preparation": partial(search_instance, instance, [], Effort(iterations=1)),
        "check": partial(check_solution, instance, answer),
    }
    found = in_turn({name: partial(timed, call) for name, call in calls.items()}, rounds)
    least = {name: min(each.wall_s for each in turns) for name, turns in found.items()}
    least["around"] -= limit
    return [1e3 * each for each in least.values()]


def main():
    args = arguments(__doc__, sizes=[20, 50, 100, 200], rounds=300, limit=0.002)
    solver = Solver(device="cpu")
    print("| N | around | preparation | check |\n|---|---|---|---|")
    for size in args.sizes:
        found = least_ms(solver, size, args.limit, args.rounds)
        print(f"| {size} | {' | '.join(f'{each:.2f}' for each in found)} |")


if __name__ == "__main__":
    main()
