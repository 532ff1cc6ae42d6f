"""Independent tasks on several cores."""

import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, wait
from functools import cache
from pathlib import Path, PurePosixPath
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


def num_cores(groups: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")) -> int:
    """Cores that this process may use, at least 1.

    By its affinity, and on Linux by the share of time that a container or service may take:
    more threads would only be halted for the rest of each period.

    Args:
        groups: Where control groups (version 2) are mounted; the process's and those above it
            have `cpu.max`, microseconds of each period and the period, or `max`.
        own: The file that names the process's group. Both are read once.
    """
    affinity = hasattr(os, "sched_getaffinity")  # far quicker than the count
    cores = len(os.sched_getaffinity(0)) if affinity else os.cpu_count() or 1
    return max(1, min([cores, *_shares(groups, own)]))


@cache
def _shares(groups: Path, own: Path) -> Sequence[int]:
    """The CPU limit of each control group, in whole cores."""
    try:
        names = [line[3:] for line in own.read_text().splitlines() if line.startswith("0::/")]
    except OSError:  # not Linux
        return ()
    shares = []
    for name in names:
        group = PurePosixPath(name)
        for each in (group, *group.parents):
            try:
                quota, period = (groups / each.relative_to("/") / "cpu.max").read_text().split()
            except (OSError, ValueError):  # the topmost has none
                continue
            if quota != "max":
                shares.append(math.ceil(int(quota) / int(period)))
    return shares
