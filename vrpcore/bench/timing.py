"""Medians of variants that take turns, so that a slow moment hits all of them."""

import statistics
import time
from collections.abc import Callable, Mapping

import torch

Work = Callable[[], object]

_TURN_S = 1e-3
_MAX_CALLS = 200


def alternate(work: Mapping[str, Work], repeats: int) -> dict[str, float]:
    """Times the variants in turn, after untimed calls of each.

    Every other round runs backwards, so that none always follows the same neighbour. A
    turn of a short variant is many calls, so that neither the clock nor the caches that
    the neighbour left behind are what is measured.

    Args:
        work: What to time, by name.
        repeats: Rounds, at least 1.

    Returns:
        Median wall time of one call in seconds, by name in the given order.
    """
    counts = {name: _calls_a_turn(call) for name, call in work.items()}
    times: dict[str, list[float]] = {name: [] for name in work}
    forth = list(work)
    for turn in range(repeats):
        for name in forth if turn % 2 == 0 else reversed(forth):
            times[name].append(_seconds(work[name], counts[name]))
    return {name: statistics.median(values) for name, values in times.items()}


def _calls_a_turn(call: Work) -> int:
    """Warms up; says how many calls fill a turn, at least 1."""
    call()
    # The better of two: one of them may have been interrupted.
    seconds = min(_seconds(call, 1), _seconds(call, 1))
    return max(1, min(_MAX_CALLS, int(_TURN_S / max(seconds, 1e-9))))


def _seconds(call: Work, count: int) -> float:
    started = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - started) / count


def waited(work: Mapping[str, Work], device: torch.device) -> dict[str, Work]:
    """The same work, each call returning only when the device has finished it."""
    if device.type != "cuda":
        return dict(work)

    def until_done(call: Work) -> Work:
        def run() -> None:
            call()
            torch.cuda.synchronize(device)

        return run

    return {name: until_done(call) for name, call in work.items()}
