"""How many of RouteFinder's references are late, or longer than their limit.

python -m tests.bench.routefinder_late DATA [--count 16]

DATA is the folder with the `.npz` files; the first instances of each count. PyVRP found the
references with rounded numbers.
"""

from pathlib import Path

import numpy as np

from tests.bench.arguments import arguments
from vrpcore.bench.problem_set import read_sets
from vrpcore.cost.timeline import Timeline
from vrpcore.instance.plan import Route

_TOLERANCE = 1e-9


def routes_of(tour, depots):
    """Routes of a reference tour, in which the depot before a route is where it starts."""
    found, home, stops = [], 0, []
    for node in [*tour.tolist(), 0]:
        if node >= depots:
            stops.append(node - depots + 1)
            continue
        if stops:
            found.append(Route(home, tuple(stops)))
        home, stops = node, []
    return found


def is_late(instance, routes):
    """Whether a route misses a window, or is too long."""
    timeline = Timeline(instance)
    for route in routes:
        times = timeline.schedule(route)
        limit = instance.own_constraints.vehicles[route.vehicle].max_distance
        if times is None or times.distance > limit + _TOLERANCE:
            return True
    return False


def main():
    args = arguments(__doc__, data=Path, count=16)
    total, late = 0, {}
    for file in sorted(args.data.glob("*.npz")):
        arrays = dict(np.load(file))
        for row, instance in enumerate(read_sets([file], {}, args.count)[0].instances):
            total += 1
            if instance.constraints is None:
                continue
            routes = routes_of(arrays["pyvrp_tour"][row], int(arrays["num_depots"]))
            late[file.stem] = late.get(file.stem, 0) + is_late(instance, routes)
    print(f"{sum(late.values())} of {total}: { ({k: v for k, v in late.items() if v}) }")


if __name__ == "__main__":
    main()
