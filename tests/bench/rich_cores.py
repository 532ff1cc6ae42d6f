"""Several cores on one instance with constraints: wall seconds without a time limit.

python -m tests.bench.rich_cores [--cores 2] [--rounds 3]

One random `vrptw` of each size, in turns; the answers are compared. Beyond 2000 customers the
instance is one of `tests.bench.large_windows`, searched in parts.
"""

import json
import statistics
import time

import numpy as np

from tests.bench.arguments import arguments
from tests.bench.large_windows import document
from vrpcore.formats.read import read_instances
from vrpcore.instance.generator import random_problems
from vrpcore.instance.variant_generator import VARIANTS, variant_instances
from vrpcore.search.effort import Effort
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.rich_search import search_plan

SEARCHES = (("deep", 50), ("deep", 100), ("deep", 200), ("fast", 4000))


def instance_of(size):
    """A random instance."""
    if size > 2000:
        (found,) = read_instances(json.dumps(document(size, 1)).encode())
        return found
    rng = np.random.default_rng(size)
    problems = random_problems("uniform", (1, size), "by_size", rng)
    return variant_instances(VARIANTS["vrptw"], problems, "w", rng)[0]


def main():
    args = arguments(__doc__, cores=2, rounds=3)
    for level, size in SEARCHES:
        problem = RichProblem(instance_of(size))
        seconds = {1: [], args.cores: []}
        costs = set()
        for _ in range(args.rounds):
            for cores, own in seconds.items():
                begun = time.perf_counter()
                costs.add(search_plan(problem, Effort(level, cores=cores)).cost)
                own.append(time.perf_counter() - begun)
        assert len(costs) == 1, costs
        one, more = (statistics.median(own) for own in seconds.values())
        print(f"{level}, N={size}: {one:.2f} s, {args.cores} cores {more:.2f} s, {one / more:.2f}")


if __name__ == "__main__":
    main()
