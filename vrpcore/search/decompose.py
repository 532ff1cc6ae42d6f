"""Cuts large solutions into groups of neighbouring routes, which are searched apart."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

import numpy as np

from vrpcore.cost.distance import Complex128
from vrpcore.search.effort import Effort
from vrpcore.threads import side_by_side

# Customers of a group of routes.
PART_SIZE = 1500
# Without a time limit: sweeps over the parts, and iterations of each, per customer.
SWEEPS = {"fast": 2, "deep": 20}
SWEEP_ITERATIONS = 100
# The cuts turn by this share of a full turn from sweep to sweep, and never coincide.
GOLDEN_TURN = (5**0.5 - 1) / 2
T = TypeVar("T")


def cut(
    sizes: Sequence[int], offsets: Complex128 | None, most: int, turn: float
) -> list[list[int]]:
    """Groups routes by their direction from the depot, about `most` customers to a group.

    Args:
        sizes: Number of customers of each of R routes.
        offsets: [R] complex128, x + iy of their centres as seen from the depot; None: the
            given order counts.
        most: Customers per group; a single route may exceed it.
        turn: Where the sweep starts, in turns 0..1, so that another sweep cuts elsewhere.

    Returns:
        The groups, as indices of routes; every route is in exactly one.
    """
    if offsets is None:
        first = int(turn * len(sizes))
        order = [*range(first, len(sizes)), *range(first)]
    else:
        angles = (np.angle(offsets) / (2 * np.pi) + turn) % 1.0
        order = np.argsort(angles, kind="stable").tolist()
    groups: list[list[int]] = []
    room = 0
    for index in order:
        if not groups or room < sizes[index]:
            groups.append([])
            room = most
        groups[-1].append(index)
        room -= sizes[index]
    return groups


def sweeps(effort: Effort) -> Iterator[tuple[int, float]]:
    """The number of each sweep over all parts, and the turn of its cuts, while effort is left."""
    number = 0
    while effort.left() > 0 and (effort.end is not None or number < SWEEPS[effort.level]):
        yield number, number * GOLDEN_TURN % 1.0
        number += 1


def sweep(
    sizes: Sequence[int], effort: Effort, most_s: float, search: Callable[[int, Effort], T]
) -> list[T]:
    """Searches all groups once, side by side.

    Args:
        sizes: Number of customers of each group.
        effort: The clock and the cores.
        most_s: With a time limit, seconds per customer at most.
        search: Takes the number of a group and its share of the effort, whose time may be over.

    Returns:
        What it found for each group.
    """
    at_a_time = max(1, min(effort.cores, len(sizes)))
    lock, todo = threading.Lock(), sum(sizes)

    def begin(group: int) -> T:
        nonlocal todo
        left, size = effort.left(), sizes[group]
        with lock:
            share = at_a_time * size / todo
            todo -= size
        seconds = min(left, left * share, most_s * size)
        end = None if effort.end is None else time.perf_counter() + seconds
        return search(group, replace(effort, end=end, cores=max(1, effort.cores // at_a_time)))

    return side_by_side([partial(begin, group) for group in range(len(sizes))], at_a_time)
