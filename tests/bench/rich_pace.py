"""Thousands of iterations a second of the compiled search with constraints, one thread.

python -m tests.bench.rich_pace [--variants vrptw hfvrp pdp vrpmb mdvrpltw] [--sizes 50 200]
       [--rounds 5] [--iterations 30000]

Random instances of the variants (seed 5), annealed from insertion; the median of four instances
in each round. Another checkout in PYTHONPATH is measured in its place: take turns.
"""

import time

import numpy as np

from tests.bench.arguments import arguments
from vrpcore.instance.generator import random_problems
from vrpcore.instance.variant_generator import VARIANTS, variant_instances
from vrpcore.search.rich_library import RichSearch
from vrpcore.search.rich_problem import RichProblem

NAMES = ["vrptw", "hfvrp", "pdp", "vrpmb", "mdvrpltw"]
COUNT = 4


def pace(instance, iterations):
    """Iterations a second."""
    search = RichSearch(RichProblem(instance).packed)
    search.begin(1)
    search.construct()
    begun = time.process_time()
    done = search.anneal(iterations, (1.0, 0.02))
    return done / (time.process_time() - begun)


def main():
    args = arguments(__doc__, variants=NAMES, sizes=(50, 200), rounds=5, iterations=30_000)
    for name in args.variants:
        for size in args.sizes:
            rng = np.random.default_rng(5)
            problems = random_problems("uniform", (COUNT, size), "by_size", rng)
            instances = variant_instances(VARIANTS[name], problems, name, rng)
            rounds = [
                np.median([pace(instance, args.iterations) for instance in instances]) / 1e3
                for _ in range(args.rounds)
            ]
            print(f"{name} {size}: {' '.join(f'{rate:.1f}' for rate in rounds)}", flush=True)


if __name__ == "__main__":
    main()
