"""Independent tasks on several cores."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, wait
from typing import TypeVar, cast

T = TypeVar("T")


def side_by_side(
    tasks: Sequence[Callable[[], T]], cores: int, pool: Executor | None = None
) -> list[T]:
    """Runs tasks that do not depend on each other.

    Compiled code releases the GIL, so threads run on different cores. The caller's thread
    works, too: it has a core already, and threads that all wake at once may share one.

    Args:
        tasks: Each is called once.
        cores: At most so many run at a time; with 1, all in the caller's thread.
        pool: Where the other threads come from; None: started for this call.

    Returns:
        What each returned, in order.

    Raises:
        BaseException: What a task raised, once no other is running.
    """
    helpers = min(cores, len(tasks)) - 1
    if helpers < 1:
        return [task() for task in tasks]
    if pool is None:
        with ThreadPoolExecutor(helpers, "work") as own:
            return side_by_side(tasks, cores, own)
    found: list[T | None] = [None] * len(tasks)
    numbers = iter(range(len(tasks)))

    def work() -> None:
        for number in numbers:
            found[number] = tasks[number]()

    others = [pool.submit(work) for _ in range(helpers)]
    try:
        work()
    finally:
        wait(others)
    for other in others:
        other.result()
    return cast(list[T], found)


def num_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
