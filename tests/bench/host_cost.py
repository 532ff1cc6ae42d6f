"""Cost of 128 tours on the host: this project, and a plain loop over distance matrices.

python -m tests.bench.host_cost

The plain loop is the predecessor's way: a distance matrix an instance, legs added one by
one in Python. Alternating, medians.
"""

import numpy as np

from vrpcore.bench.timing import alternate
from vrpcore.cost.cost import tour_cost
from vrpcore.learn.bench.tours import loop_cost, random_tours


def main():
    for size in (10, 20, 50, 100):
        batch = random_tours(size, 128)
        coords, tours = batch.coords, batch.tours[:, None]
        matrices, lists = batch.matrices().tolist(), batch.tour_lists()
        assert np.allclose(loop_cost(matrices, lists), tour_cost(coords, tours)[:, 0])
        work = {
            "ours": lambda c=coords, t=tours: tour_cost(c, t),
            "loop": lambda m=matrices, t=lists: loop_cost(m, t),
        }
        ours, loop = alternate(work, 201).values()
        print(f"N={size:<4} tour_cost {1e3 * ours:.4f} ms  loop {1e3 * loop:.4f} ms  "
              f"ratio {loop / ours:.1f}")  # fmt: skip


if __name__ == "__main__":
    main()
