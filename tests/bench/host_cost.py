"""Cost of 128 tours on the host: this project, and a plain loop over distance matrices.

python tests/bench/host_cost.py

The plain loop is the predecessor's way: a distance matrix an instance, legs added one by
one in Python. Alternating, medians.
"""

import statistics
import time

import numpy as np

from vrpcore.bench.tours import loop_cost
from vrpcore.cost.cost import tour_cost


def timed(work):
    """Milliseconds of one call."""
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1e3


def main():
    rng = np.random.default_rng(0)
    for size in (10, 20, 50, 100):
        coords = rng.random((128, size + 1, 2))
        tours = np.zeros((128, 1, size + size // 4 + 2), np.int64)
        for row in range(128):
            tours[row, 0, : size + size // 4] = np.insert(
                rng.permutation(size) + 1, np.arange(4, size + 1, 4)[: size // 4], 0
            )
        matrices = [np.linalg.norm(c[:, None] - c, axis=-1).tolist() for c in coords]
        lists = tours[:, 0].tolist()
        assert np.allclose(loop_cost(matrices, lists), tour_cost(coords, tours)[:, 0])
        ours, loop = [], []
        for _ in range(201):
            ours.append(timed(lambda c=coords, t=tours: tour_cost(c, t)))
            loop.append(timed(lambda m=matrices, t=lists: loop_cost(m, t)))
        ours_ms, loop_ms = statistics.median(ours), statistics.median(loop)
        print(f"N={size:<4} tour_cost {ours_ms:.4f} ms  loop {loop_ms:.4f} ms  "
              f"ratio {loop_ms / ours_ms:.1f}")  # fmt: skip


if __name__ == "__main__":
    main()
