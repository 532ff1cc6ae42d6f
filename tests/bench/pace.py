"""Microseconds of one iteration of the compiled searches, one thread.

python -m tests.bench.pace [--kinds plain vrptw hfvrp pdp vrpmb mdvrpltw] [--sizes 50 200]
    [--rounds 5]

Random instances (seed 5), annealed from savings or insertion; the fastest of some rounds, in the
mean of three instances. Another checkout in PYTHONPATH is measured in its place: take turns.
"""

from functools import partial

import numpy as np

from tests.bench.arguments import arguments
from vrpcore.bench.timing import timed
from vrpcore.cost.distance import distance_matrix
from vrpcore.instance.generator import as_instances, random_problems
from vrpcore.instance.variant_generator import VARIANTS, variant_instances
from vrpcore.search.evolution import Evolution
from vrpcore.search.hgs_library import Annealer, Problem
from vrpcore.search.rich_library import RichSearch
from vrpcore.search.rich_problem import RichProblem

KINDS = ["plain", "vrptw", "hfvrp", "pdp", "vrpmb", "mdvrpltw"]


def plain_rounds(instance, iterations, rounds):
    """What anneals a plain instance, once for each round."""
    problem = Problem(instance, distance_matrix(instance))
    routes = problem.savings()
    temperatures = Evolution(instance, problem, [routes], 1).temperatures(iterations)
    annealer = Annealer(problem, min(len(routes) + 3 + len(routes) // 10, instance.num_customers))
    for seed in range(rounds):
        annealer.begin(routes, seed)
        yield partial(annealer.anneal, iterations, temperatures)


def rich_rounds(instance, iterations, rounds):
    """What anneals an instance with constraints, once for each round."""
    search = RichSearch(RichProblem(instance))
    for seed in range(rounds):
        search.begin(seed)
        search.construct()
        yield partial(search.anneal, iterations, (1.0, 0.02))


def main():
    args = arguments(__doc__, kinds=KINDS, sizes=[50, 200], rounds=5)
    for kind in args.kinds:
        for size in args.sizes:
            rng = np.random.default_rng(5)
            problems = random_problems("uniform", (3, size), "by_size", rng)
            if kind == "plain":
                instances, rounds = as_instances(problems, "pace"), plain_rounds
            else:
                instances = variant_instances(VARIANTS[kind], problems, kind, rng)
                rounds = rich_rounds
            iterations = 20_000 + 2_000_000 // size
            found = [
                min(timed(anneal).cpu_s for anneal in rounds(each, iterations, args.rounds))
                for each in instances
            ]
            print(f"{kind} {size}: {1e6 * np.mean(found) / iterations:.2f} us", flush=True)


if __name__ == "__main__":
    main()
