"""Whether the policy's tours help the search with constraints: paired, at equal CPU time.

python -m tests.bench.variant_starts [--model variants] [--sizes 50 100] [--ms 20 50 100 500]
    [--count 128] [--starts 16] [--augment 1]

Random instances of eight variants, one thread. One search begins with insertion alone, the other
with the policy's tours, too, and has so much less time as the policy took for an instance in
batches of 32. Printed is how much shorter the second's routes are, in percent, with the standard
error of the paired differences; above 0 the policy pays. Two seeds of the search, by their mean.
"""

import time

import numpy as np
import torch

from tests.bench.arguments import arguments
from vrpcore.cost.timeline import Timeline
from vrpcore.instance.generator import random_problems
from vrpcore.instance.variant_generator import VARIANTS, variant_instances
from vrpcore.search.effort import Effort
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.rich_search import search_plan
from vrpcore.solve.construct import construct
from vrpcore.solve.models import open_backend
from vrpcore.solve.solve_options import SolveOptions

NAMES = ("vrptw", "ovrp", "vrpl", "vrpb", "ovrptw", "vrpmbtw", "mdvrptw", "mdovrpmbltw")
SEED, SEEDS, AT_ONCE = 4711, 2, 32


def drawn(name, size, count):
    """Uniform instances that no test set and no training run contains."""
    rng = np.random.default_rng([SEED, size])
    problems = random_problems("uniform", (count, size), "by_size", rng)
    return variant_instances(VARIANTS[name], problems, name, rng)


def constructed(backend, instances, options):
    """The policy's tours of each, as a search takes them, and its seconds for each."""
    found, began = [], time.process_time()
    for at in range(0, len(instances), AT_ONCE):
        found += construct(instances[at : at + AT_ONCE], backend, options)
    return found, (time.process_time() - began) / len(instances)


def searched(instance, seconds, starts, seed):
    """Cost of the best plan; infinite where somebody is left out."""
    problem, timeline = RichProblem(instance), Timeline(instance)
    end = time.perf_counter() + seconds
    plan = search_plan(problem, Effort("deep", end), seed, starts=starts)
    if plan.missing:
        return np.inf
    return sum(timeline.schedule(route).cost for route in plan.routes)


def main():
    """Prints a line for each variant, size and budget."""
    args = arguments(
        __doc__,
        model="variants",
        sizes=[50, 100],
        ms=[20.0, 50, 100, 500],
        names=NAMES,
        count=128,
        starts=16,
        augment=1,
    )
    torch.set_num_threads(1)
    backend = open_backend(args.model, "cpu").variants
    options = SolveOptions(starts=args.starts, augment=args.augment, threads=1)
    for size in args.sizes:
        for name in args.names:
            instances = drawn(name, size, args.count)
            constructed(backend, instances[:AT_ONCE], options)  # warms up
            starts, own = constructed(backend, instances, options)
            cells = []
            for ms in args.ms:
                left = ms / 1e3 - own
                if left <= 0:
                    cells.append("-")
                    continue
                gains = []
                for instance, tours in zip(instances, starts, strict=True):
                    alone, helped = (
                        np.mean([searched(instance, *how, seed) for seed in range(SEEDS)])
                        for how in ((ms / 1e3, ()), (left, tours))
                    )
                    gains.append(100 * (alone / helped - 1))
                error = np.std(gains, ddof=1) / np.sqrt(len(gains))
                cells.append(f"{np.mean(gains):+.2f} ± {error:.2f}")
            print(f"| {name} | {size} | {1e3 * own:.1f} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
