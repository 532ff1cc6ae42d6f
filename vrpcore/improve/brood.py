"""Plans that are parents, and their children, made by several threads."""

import threading
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from vrpcore.improve.native_rules import Found

MOST_PLANS = 8  # that are kept


class Child(NamedTuple):
    """One that is to be made.

    Attributes:
        number: From 0, in the order of their parents' choice.
        first: A parent.
        second: Another one.
    """

    number: int
    first: Found
    second: Found


class Brood:
    """The best different plans, and children of pairs of them.

    A child's parents are drawn when all children that were begun `width` or more before it are
    in, and no later ones. So it does not matter how many threads make children, or how fast.

    Args:
        plans: The first parents, at least two.
        width: How many children are in progress at once.
        number: Children in all.
        seed: >= 0.
    """

    def __init__(self, plans: Sequence[Found], width: int, number: int, seed: int) -> None:
        self._plans, self._width, self._number = list(plans), width, number
        self._random = Random(seed)
        self._begun = self._admitted = 0
        self._born: dict[int, Found] = {}
        self._choice, self._birth = threading.Lock(), threading.Condition()

    def next(self) -> Child | None:
        """The next child to make; None if there are enough. May wait for another thread's."""
        with self._choice:
            while self._admitted <= self._begun - self._width:
                self._admit(self._wait_for(self._admitted))
            if self._begun >= self._number:
                return None
            first, second = self._random.sample(self._plans, 2)
            self._begun += 1
            return Child(self._begun - 1, first, second)

    def born(self, number: int, plan: Found) -> None:
        """A child is there."""
        with self._birth:
            self._born[number] = plan
            self._birth.notify()

    def stop(self) -> None:
        """No more children are begun."""
        self._number = 0

    def best(self) -> Found:
        """The best plan, once all children that were begun are there."""
        while self._admitted < self._begun:
            self._admit(self._wait_for(self._admitted))
        return min(self._plans, key=lambda plan: plan.value)

    def _wait_for(self, number: int) -> Found:
        with self._birth:
            self._birth.wait_for(lambda: number in self._born)
            return self._born.pop(number)

    def _admit(self, child: Found) -> None:
        self._admitted += 1
        if any(child.value == plan.value for plan in self._plans):
            return
        self._plans.append(child)
        self._plans.sort(key=lambda plan: plan.value)
        del self._plans[MOST_PLANS:]
