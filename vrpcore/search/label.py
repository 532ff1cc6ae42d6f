"""Good routes for random instances, as labels for imitation."""

import dataclasses
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Plan, Route
from vrpcore.search import rich_library
from vrpcore.search.effort import Effort
from vrpcore.search.hgs_library import load_library
from vrpcore.search.hgs_search import improve_instance
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.rich_search import search_plan
from vrpcore.search.watch import Watch
from vrpcore.threads import num_cores

Label = TypeVar("Label")


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
        The instances in order, with a `plan`.

    Raises:
        MissingSearchError: The compiled search was not built.
    """
    load_library()

    def label(instance: Instance, watch: Watch) -> Instance:
        routes = improve_instance(instance, [], _effort(seconds, watch), seed)
        return dataclasses.replace(instance, plan=Plan.of(routes))

    yield from _in_order(label, instances, workers)


def label_plans(
    instances: Iterable[Instance], seconds: float, seed: int = 0, workers: int | None = None
) -> Iterator[list[Route]]:
    """Good routes of instances with constraints; arguments as of `label_instances`.

    Yields:
        The routes of each, in order.

    Raises:
        MissingSearchError: The compiled search was not built.
    """
    rich_library.load_library()

    def plan(instance: Instance, watch: Watch) -> list[Route]:
        problem = RichProblem(instance)
        return search_plan(problem, _effort(seconds, watch), seed).routes

    yield from _in_order(plan, instances, workers)


def _effort(seconds: float, watch: Watch) -> Effort:
    return Effort("deep", time.perf_counter() + seconds, watch=watch)


def _in_order(
    label: Callable[[Instance, Watch], Label], instances: Iterable[Instance], workers: int | None
) -> Iterator[Label]:
    """Yield the labels of instances as soon as they are ready; closing it ends the searches."""
    pairs = [(instance, Watch()) for instance in instances]
    with ThreadPoolExecutor(workers or num_cores()) as pool:
        tasks = [pool.submit(label, *pair) for pair in pairs]
        try:
            for task in tasks:
                yield task.result()
        finally:
            for _, watch in pairs:
                watch.stop()
            pool.shutdown(wait=False, cancel_futures=True)
