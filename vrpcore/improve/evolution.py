"""The search of one instance: runs of annealing from its starts, then their children."""

import math
import time
import zlib
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from vrpcore.improve.native import Annealer, Breeding, Problem
from vrpcore.improve.savings import Routes
from vrpcore.instance.instance import Instance
from vrpcore.threads import side_by_side

# Temperatures: how much dearer a solution may become, in mean lengths of the start's edges.
RUN_TEMPERATURE = (0.1, 1.2)  # least and most at a run's start
RUN_END_TEMPERATURE = (0.05, 0.1)
# Runs of different starts; together they take at most this share of the iterations.
RUNS = 2
RUN_SHARE = 0.4
RUN_ITERATIONS = 10  # of each at most, per customer
# Up to so many customers two runs get half of all: 4 of 11 000 optima were missed without.
SMALL = 15
# A single start makes parents that are all alike. Then the first children are made of random
# orders: up to so many, and up to so many a child and customer, as they take longer.
ORDERS = 8
ORDERS_SHARE = 20
# From so many customers on, so many children are on their way at a time: each is born of a
# population that lacks the last few before it, and that many cores are of use.
WIDE = 100
WIDTH = 8
# A child takes about as long as this many iterations per customer.
CHILD_ITERATIONS = 1.0
# While no solution serves everybody, so many runs follow, each as long as the whole plan.
FLEET_RUNS = 6
_ANY_NUMBER = 2**62


class Plan(NamedTuple):
    """How a number of iterations is spent.

    Attributes:
        runs: Runs of annealing, each from a start.
        iterations: Of each run.
        children: Solutions that a local search educates.
        orders: So many of them, the first ones, are made of random orders.
    """

    runs: int
    iterations: int
    children: int
    orders: int


def plan_for(size: int, starts: int, iterations: int) -> Plan:
    """Spends iterations on an instance.

    Short runs make parents of the starts, and the rest goes into children.

    Args:
        size: N.
        starts: Different ones.
        iterations: In all.
    """
    if size <= SMALL:
        runs, each = RUNS, iterations // (2 * RUNS)
    else:
        runs = min(RUNS, starts)
        each = min(RUN_ITERATIONS * size, int(RUN_SHARE * iterations / runs))
    children = int((iterations - runs * each) / (CHILD_ITERATIONS * size))
    orders = min(ORDERS, ORDERS_SHARE * children // size) if starts == 1 else 0
    return Plan(runs, each, children, orders)


class Evolution:
    """A population of solutions of one instance, and what works on it.

    One object is for one caller at a time. Equal calls give equal routes, whatever the
    number of cores.

    Args:
        instance: At least two customers.
        problem: The same in whole numbers.
        starts: Solutions, cheapest first; customers of routes beyond `max_vehicles` are
            inserted elsewhere.
        seed: >= 0; joined with the instance's own numbers.

    Attributes:
        num_customers: N.
    """

    def __init__(
        self, instance: Instance, problem: Problem, starts: Sequence[Routes], seed: int
    ) -> None:
        self.num_customers = instance.num_customers
        self._starts = starts
        most = max(map(len, starts))
        vehicles = min(
            instance.max_vehicles or self.num_customers, most + 3 + most // 10, self.num_customers
        )
        self._annealers = [Annealer(problem, vehicles) for _ in range(RUNS)]
        self._seed, self._begun = seed_of(instance, seed), 0
        width = WIDTH if self.num_customers >= WIDE else 1
        self._breeding = Breeding(problem, vehicles, width, self._seed)
        cost = self._begin(self._annealers[0], 0)
        edges = self.num_customers + len(starts[0])
        self._unit = max(1.0, cost / edges)

    def run(self, iterations: int, cores: int = 1) -> None:
        """Searches by a count: the same count gives the same routes."""
        plan = plan_for(self.num_customers, len(self._starts), iterations)
        self._admit_starts()
        self._anneal(range(plan.runs), plan.iterations, cores=cores)
        self._breeding.breed(plan.children, plan.orders, cores=cores)
        for index in range(FLEET_RUNS):
            if self.best() is not None:
                break
            self._anneal([plan.runs + index], iterations)

    def run_until(self, end: float, cores: int = 1) -> None:
        """Searches until `time.perf_counter()` reaches `end`."""
        self._admit_starts()
        few = self.num_customers
        began = time.perf_counter()
        self._anneal([0], few)
        pace = max(1e-8, (time.perf_counter() - began) / few)

        def left() -> float:
            return end - time.perf_counter()

        plan = plan_for(few, len(self._starts), max(1, int(left() / pace)))
        if left() > 0:
            seconds = min(left(), plan.iterations * pace)
            self._anneal(range(plan.runs), plan.iterations, seconds, cores)
        if left() > 0:
            self._breeding.breed(_ANY_NUMBER, plan.orders, left(), cores)

    def best(self) -> Routes | None:
        """The best solution; None where every one leaves somebody unserved."""
        routes = self._breeding.best()
        return routes if sum(map(len, routes)) == self.num_customers else None

    def _admit_starts(self) -> None:
        """All starts are parents."""
        for index in range(len(self._starts)):
            self._begin(self._annealers[0], index)
            self._breeding.admit(self._annealers[0])

    def _begin(self, annealer: Annealer, index: int) -> int:
        """Lays out a start; every time with random numbers of its own."""
        self._begun += 1
        seed = (self._seed + self._begun) % 2**64
        return annealer.begin(self._starts[index % len(self._starts)], seed)

    def _temperature(self, iterations: int) -> tuple[float, float]:
        """Of a run: the longer it is, and the smaller the instance, the warmer."""
        warmest = 0.37 * math.sqrt(iterations) / self.num_customers
        warmest = min(max(warmest, RUN_TEMPERATURE[0]), RUN_TEMPERATURE[1])
        coolest = min(max(warmest / 4, RUN_END_TEMPERATURE[0]), RUN_END_TEMPERATURE[1])
        return self._unit * warmest, self._unit * coolest

    def _anneal(
        self, starts: Sequence[int], iterations: int, seconds: float = math.inf, cores: int = 1
    ) -> None:
        """Runs from starts into the population, at most `RUNS`."""
        annealers = self._annealers[: len(starts)]
        for annealer, start in zip(annealers, starts, strict=True):
            self._begin(annealer, start)
        most = iterations if math.isinf(seconds) else _ANY_NUMBER
        temperature = self._temperature(iterations)
        side_by_side(
            [partial(each.anneal, most, temperature, seconds) for each in annealers], cores
        )
        for annealer in annealers:
            self._breeding.admit(annealer)


def seed_of(instance: Instance, seed: int) -> int:
    """A number that belongs to one instance, wherever in a batch it stands.

    Args:
        instance: Its demands and positions (or first matrix row) enter the number.
        seed: The user's seed, >= 0.
    """
    place = instance.coords if instance.distances is None else instance.distances[0]
    digest = zlib.crc32(np.ascontiguousarray(instance.demand).tobytes())
    if place is not None:
        digest = zlib.crc32(np.ascontiguousarray(place).tobytes(), digest)
    return (seed << 32) + digest
