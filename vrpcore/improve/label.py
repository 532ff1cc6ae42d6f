"""Good routes for random instances, as labels for imitation."""

import dataclasses
import os
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from vrpcore.improve.effort import Effort
from vrpcore.improve.native import load_library
from vrpcore.improve.search import improve_instance
from vrpcore.instance.instance import Instance


def label_instances(
    instances: Iterable[Instance], seconds: float, seed: int, workers: int | None
) -> Iterator[Instance]:
    """Attaches routes that the search finds, starting from savings.

    Args:
        instances: Without routes, or with routes that are replaced.
        seconds: Wall clock of each instance on its core.
        seed: Source of all randomness; because of the clock, labels still differ from run to run.
        workers: Threads; None: one per core. The search releases the GIL.

    Yields:
        The instances in order, with `routes`.

    Raises:
        MissingSearchError: The compiled search was not built.
    """
    load_library()
    with ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool:
        tasks = [pool.submit(_label, instance, seconds, seed) for instance in instances]
        try:
            for task in tasks:
                yield task.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _label(instance: Instance, seconds: float, seed: int) -> Instance:
    routes = improve_instance(instance, [], Effort("deep", time.perf_counter() + seconds), seed)
    return dataclasses.replace(instance, routes=tuple(tuple(route) for route in routes))
