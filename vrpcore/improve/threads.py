"""Work of one search on several cores."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def side_by_side(tasks: Sequence[Callable[[], T]], cores: int) -> list[T]:
    """Runs tasks that do not depend on each other.

    The compiled search releases the GIL, so threads run on different cores.

    Args:
        tasks: Each is called once.
        cores: At most so many run at a time; with 1, all in the caller's thread.

    Returns:
        What each returned, in order.

    Raises:
        BaseException: Whatever the first task that failed raised.
    """
    if min(cores, len(tasks)) <= 1:
        return [task() for task in tasks]
    with ThreadPoolExecutor(min(cores, len(tasks)), "search") as pool:
        return list(pool.map(lambda task: task(), tasks))
