"""Good routes for random instances, as labels for imitation."""

import dataclasses
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Route
from vrpcore.search import rich_library
from vrpcore.search.effort import Effort
from vrpcore.search.hgs_library import load_library
from vrpcore.search.hgs_search import improve_instance
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.rich_search import search_plan
from vrpcore.threads import num_cores


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
    with ThreadPoolExecutor(workers or num_cores()) as pool:
        tasks = [pool.submit(_label, instance, seconds, seed) for instance in instances]
        try:
            for task in tasks:
                yield task.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def label_plans(
    instances: Sequence[Instance], seconds: float, seed: int = 0, workers: int | None = None
) -> Iterator[list[Route]]:
    """Good routes of instances with constraints; arguments as of `label_instances`.

    Yields:
        The routes of each, in order.

    Raises:
        MissingSearchError: The compiled search was not built.
    """

    def plan(instance: Instance) -> list[Route]:
        problem, end = RichProblem(instance), time.perf_counter() + seconds
        return search_plan(problem, Effort("deep", end), seed).routes

    rich_library.load_library()
    with ThreadPoolExecutor(workers or num_cores()) as pool:
        try:
            yield from pool.map(plan, instances)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _label(instance: Instance, seconds: float, seed: int) -> Instance:
    routes = improve_instance(instance, [], Effort("deep", time.perf_counter() + seconds), seed)
    return dataclasses.replace(instance, routes=tuple(tuple(route) for route in routes))
