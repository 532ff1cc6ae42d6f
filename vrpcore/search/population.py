"""Plans that are parents, and their children, made by several threads."""

import threading
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from vrpcore.search.rich_library import PackedPlan

MOST_PLANS = 8  # that are kept


class Child(NamedTuple):
    """A child to be made.

    Attributes:
        number: From 0, in the order of their parents' choice.
        first: A parent.
        second: Another one.
    """

    number: int
    first: PackedPlan
    second: PackedPlan


class Population:
    """The best different plans, and children of pairs of them.

    A child's parents are drawn when all children that were begun `width` or more before it are
    in, and no later ones. So it does not matter how many threads make children, or how fast.

    Args:
        plans: The first parents, at least two.
        width: How many children are in progress at once.
        number: Children in all.
        seed: >= 0.
    """

    def __init__(self, plans: Sequence[PackedPlan], width: int, number: int, seed: int) -> None:
        self._plans = sorted(plans, key=lambda plan: plan.value)[:MOST_PLANS]
        self._width, self._number, self._stopped = width, number, False
        self._random = Random(seed)
        self._started = self._admitted = 0
        self._born: dict[int, PackedPlan] = {}
        self._choice, self._birth = threading.Lock(), threading.Condition()

    def next(self) -> Child | None:
        """The next child to make; None if there are enough. May wait for another thread's."""
        with self._choice:
            while self._admitted <= self._started - self._width and self._admit():
                pass
            if self._started >= self._number or self._stopped:
                return None
            first, second = self._random.sample(self._plans, 2)
            self._started += 1
            return Child(self._started - 1, first, second)

    def born(self, number: int, plan: PackedPlan) -> None:
        """A child is there."""
        with self._birth:
            self._born[number] = plan
            self._birth.notify()

    def stop(self) -> None:
        """No more children are begun, and no thread waits for those that were."""
        with self._birth:
            self._stopped = True
            self._birth.notify_all()

    def best(self) -> PackedPlan:
        """The best plan, once all children that were begun are there."""
        while self._admitted < self._started and self._admit():
            pass
        return self._plans[0]

    def _admit(self) -> bool:
        """Waits for the next child and keeps it if it is among the best; False after a stop."""
        with self._birth:
            self._birth.wait_for(lambda: self._admitted in self._born or self._stopped)
            child = self._born.pop(self._admitted, None)
        if child is None:
            return False
        self._admitted += 1
        if all(child.value != plan.value for plan in self._plans):
            self._plans = sorted([*self._plans, child], key=lambda plan: plan.value)[:MOST_PLANS]
        return True
