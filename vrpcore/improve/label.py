"""Good routes for random instances: what an imitator learns from."""

import dataclasses
import os
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from vrpcore.improve.local_search import LocalSearch
from vrpcore.improve.savings import savings_routes
from vrpcore.instance.instance import Instance

_SHAKES = 1000  # of one line of search; what is left of the time goes to further lines


def label_instances(
    instances: Iterable[Instance], seconds: float, seed: int, workers: int | None
) -> Iterator[Instance]:
    """Attaches routes found by iterated local search (PyVRP's moves).

    Args:
        instances: Without routes, or with routes that are replaced.
        seconds: Wall clock of each instance on its core.
        seed: Source of all randomness; the clock makes labels differ all the same.
        workers: Threads; None: one a core. The search works outside Python's lock.

    Yields:
        The instances in order, with `routes`.

    Raises:
        MissingExtraError: PyVRP is not installed.
    """
    with ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool:
        tasks = [pool.submit(_label, instance, seconds, seed) for instance in instances]
        try:
            for task in tasks:
                yield task.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _label(instance: Instance, seconds: float, seed: int) -> Instance:
    end = time.perf_counter() + seconds

    def is_over() -> bool:
        return time.perf_counter() >= end

    search = LocalSearch(instance, seed)
    routes = savings_routes(instance)
    while not is_over():
        routes = search.iterate(routes, _SHAKES, is_over)
    return dataclasses.replace(instance, routes=tuple(tuple(route) for route in routes))
