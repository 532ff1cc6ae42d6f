"""Microseconds of one iteration of the compiled search, one thread.

python -m tests.bench.search_pace [--sizes 20 50 100 200 1000] [--rounds 6]

Uniform instances of its own (seed 5), annealed from savings; the fastest of some rounds, in
the mean of three instances.
"""

from functools import partial

import numpy as np

from tests.bench.arguments import arguments
from vrpcore.bench.timing import timed
from vrpcore.cost.distance import distance_matrix
from vrpcore.instance.generator import as_instances, random_problems
from vrpcore.search.evolution import Evolution
from vrpcore.search.hgs_library import Annealer, Problem


def pace(instance, iterations, rounds):
    """Seconds of an iteration."""
    problem = Problem(instance, distance_matrix(instance))
    routes = problem.savings()
    temperatures = Evolution(instance, problem, [routes], 1).temperatures(iterations)
    annealer = Annealer(problem, min(len(routes) + 3 + len(routes) // 10, instance.num_customers))
    seconds = []
    for seed in range(rounds):
        annealer.begin(routes, seed)
        anneal = partial(annealer.anneal, iterations, temperatures)
        seconds.append(timed(anneal).cpu_s / iterations)
    return min(seconds)


def main():
    args = arguments(__doc__, sizes=[20, 50, 100, 200, 1000], rounds=6)
    rng = np.random.default_rng(5)
    for size in args.sizes:
        problems = random_problems("uniform", (3, size), "by_size", rng)
        iterations = 20_000 + 2_000_000 // size
        found = [pace(one, iterations, args.rounds) for one in as_instances(problems, "pace")]
        print(f"N={size}: {1e6 * np.mean(found):.2f} us", flush=True)


if __name__ == "__main__":
    main()
