"""Timing of calls in turn, and a description of the machine.

Variants take turns, so that a slow moment of the machine affects all of them.
"""

import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from vrpcore.version import VERSION

T = TypeVar("T")
Work = Callable[[], object]

_TURN_S = 1e-3
_MAX_CALLS = 200


class Timing(NamedTuple, Generic[T]):
    """A call's result and what it took.

    Attributes:
        wall_s: Seconds by the clock.
        cpu_s: CPU seconds of all threads of this process.
        result: What the call returned.
    """

    wall_s: float
    cpu_s: float
    result: T


def timed(call: Callable[[], T]) -> Timing[T]:
    """Calls once, with both clocks running."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = call()
    return Timing(time.perf_counter() - wall, time.process_time() - cpu, result)


def in_turn(calls: Mapping[str, Callable[[], T]], rounds: int) -> dict[str, list[T]]:
    """Call the variants in turn and return their results.

    Every other round runs backwards, so that none always follows the same neighbour.

    Args:
        calls: The variants by name.
        rounds: How often each is called.
    """
    results: dict[str, list[T]] = {name: [] for name in calls}
    for turn in range(rounds):
        for name in calls if turn % 2 == 0 else reversed(list(calls)):
            results[name].append(calls[name]())
    return results


def alternate(work: Mapping[str, Work], rounds: int) -> dict[str, float]:
    """Times short variants in turn, after untimed calls of each.

    A short variant is called many times per turn, so that neither the clock nor caches filled
    by the previous variant decide the result.

    Args:
        work: What to time, by name.
        rounds: At least 1.

    Returns:
        Median wall time of one call in seconds, by name in the given order.
    """
    turns = {name: partial(_seconds, call, _calls_a_turn(call)) for name, call in work.items()}
    return {name: statistics.median(found) for name, found in in_turn(turns, rounds).items()}


def _calls_a_turn(call: Work) -> int:
    """Warms up; returns how many calls fill a turn, at least 1."""
    call()
    # The better of two: one of them may have been interrupted.
    seconds = min(_seconds(call, 1), _seconds(call, 1))
    return max(1, min(_MAX_CALLS, int(_TURN_S / max(seconds, 1e-9))))


def _seconds(call: Work, count: int) -> float:
    started = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - started) / count


def machine() -> dict[str, object]:
    """Describe the machine that the figures depend on."""
    return {
        "vrp": VERSION,
        "python": platform.python_version(),
        "processor": _processor(),
        "cores": os.cpu_count(),
    }


def machine_text() -> str:
    """The processor and its number of cores, as records state them."""
    return f"{_processor()}, {os.cpu_count()} cores"


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except (OSError, UnicodeDecodeError):
        pass
    return platform.processor() or platform.machine()
