"""The search of one instance: annealing runs from its starts, then children."""

import math
import time
import zlib
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from vrpcore.cost.tour_routes import Routes
from vrpcore.instance.instance import Float64, Instance
from vrpcore.search.hgs_library import Annealer, Breeding, Problem
from vrpcore.threads import side_by_side

# Temperatures: typical accepted increase in cost, in mean edge lengths of the start.
RUN_TEMPERATURE = (0.1, 1.2)  # lowest and highest at a run's start
RUN_END_TEMPERATURE = (0.05, 0.1)
# Runs from different starts; together they take at most this share of the iterations.
RUNS = 2
RUN_SHARE = 0.4
RUN_ITERATIONS = 10  # of each run at most, per customer
# Up to this many customers two runs get half of all iterations; otherwise the search missed
# 4 of 11 000 optima.
SMALL = 15
# A single start makes all parents alike. The first children are then built from random orders:
# at most this many, and, because they take longer, at most one per N / 20 children.
ORDERS = 8
ORDERS_SHARE = 20
# From this many customers on, this many children are in progress at once, so a search can use
# this many cores. A child's parents come from a population without the last few children.
WIDE = 100
WIDTH = 8
# A child takes about as long as this many iterations per customer.
CHILD_ITERATIONS = 1.0
# While no solution serves all customers, up to this many runs follow, each of all iterations.
FLEET_RUNS = 6
_ANY_NUMBER = 2**62


class Allocation(NamedTuple):
    """The division of a number of iterations among phases.

    Attributes:
        runs: Annealing runs, each from a start.
        iterations: Iterations of each run.
        children: Children that a local search improves.
        orders: How many of them, the first ones, are built from random orders.
    """

    runs: int
    iterations: int
    children: int
    orders: int


def allocate(size: int, starts: int, iterations: int) -> Allocation:
    """Divides the iterations of an instance.

    Short runs turn the starts into parents; the rest goes into children.

    Args:
        size: N.
        starts: Number of different starts.
        iterations: Iterations in all.
    """
    if size <= SMALL:
        runs, each = RUNS, iterations // (2 * RUNS)
    else:
        runs = min(RUNS, starts)
        each = min(RUN_ITERATIONS * size, int(RUN_SHARE * iterations / runs))
    children = int((iterations - runs * each) / (CHILD_ITERATIONS * size))
    orders = min(ORDERS, ORDERS_SHARE * children // size) if starts == 1 else 0
    return Allocation(runs, each, children, orders)


class Evolution:
    """A population of solutions of one instance, with the search that improves it.

    Only one caller at a time may use an object. Equal calls give equal routes, whatever the
    number of cores.

    Args:
        instance: At least two customers.
        problem: The same instance in whole numbers.
        starts: Solutions, cheapest first; customers of routes beyond `max_vehicles` are
            inserted elsewhere.
        seed: >= 0; combined with the instance's own numbers.

    Attributes:
        num_customers: N.
    """

    def __init__(
        self, instance: Instance, problem: Problem, starts: Sequence[Routes], seed: int
    ) -> None:
        self.num_customers = instance.num_customers
        self._problem, self._starts = problem, starts
        vehicles = most_routes(instance, starts)
        self._annealers = [Annealer(problem, vehicles) for _ in range(RUNS)]
        self._seed, self._started = seed_of(instance, seed), 0
        width = width_of(self.num_customers)
        self._breeding = Breeding(problem, vehicles, width, self._seed)
        cost = self._begin(self._annealers[0], 0)
        edges = self.num_customers + len(starts[0])
        self._unit = max(1.0, cost / edges)

    def run(self, iterations: int, cores: int = 1) -> None:
        """Searches for a number of iterations: the same number gives the same routes."""
        shares = allocate(self.num_customers, len(self._starts), iterations)
        self._admit_starts()
        self._anneal(range(shares.runs), shares.iterations, cores=cores)
        self._breeding.breed(shares.children, shares.orders, cores=cores)
        for index in range(FLEET_RUNS):
            if self.best() is not None:
                break
            self._anneal([shares.runs + index], iterations)

    def run_until(self, end: float, cores: int = 1) -> None:
        """Searches until `time.perf_counter()` reaches `end`."""
        self._admit_starts()
        few = self.num_customers
        began = time.perf_counter()
        self._anneal([0], few)
        pace = max(1e-8, (time.perf_counter() - began) / few)

        def left() -> float:
            return 0.0 if self._problem.is_over else end - time.perf_counter()

        shares = allocate(few, len(self._starts), max(1, int(left() / pace)))
        if left() > 0:
            seconds = min(left(), shares.iterations * pace)
            self._anneal(range(shares.runs), shares.iterations, seconds, cores)
        if left() > 0:
            self._breeding.breed(_ANY_NUMBER, shares.orders, left(), cores)

    def best(self) -> Routes | None:
        """The best solution; None if every solution leaves a customer unserved."""
        routes = self._breeding.best()
        return routes if sum(map(len, routes)) == self.num_customers else None

    def _admit_starts(self) -> None:
        """Admits all starts to the population, as parents."""
        for index in range(len(self._starts)):
            self._begin(self._annealers[0], index)
            self._breeding.admit(self._annealers[0])

    def _begin(self, annealer: Annealer, index: int) -> int:
        """Loads a start into an annealer, each time with new random numbers."""
        self._started += 1
        seed = (self._seed + self._started) % 2**64
        return annealer.begin(self._starts[index % len(self._starts)], seed)

    def temperatures(self, iterations: int) -> tuple[float, float]:
        """Return the first and the last temperature of a run, in units of cost.

        Args:
            iterations: Of the run.
        """
        warmest, coolest = run_temperatures(self.num_customers, iterations)
        return self._unit * warmest, self._unit * coolest

    def _anneal(
        self, starts: Sequence[int], iterations: int, seconds: float = math.inf, cores: int = 1
    ) -> None:
        """Anneals from at most `RUNS` starts and admits the results to the population."""
        annealers = self._annealers[: len(starts)]
        for annealer, start in zip(annealers, starts, strict=True):
            self._begin(annealer, start)
        most = iterations if math.isinf(seconds) else _ANY_NUMBER
        temperature = self.temperatures(iterations)
        side_by_side(
            [partial(each.anneal, most, temperature, seconds) for each in annealers], cores
        )
        for annealer in annealers:
            self._breeding.admit(annealer)


def width_of(size: int) -> int:
    """Return the number of children in progress at once, of an instance with N customers."""
    return WIDTH if size >= WIDE else 1


def run_temperatures(size: int, iterations: int) -> tuple[float, float]:
    """Return the first and the last temperature of a run, in mean edge lengths of its start.

    They are higher for longer runs and smaller instances.

    Args:
        size: N.
        iterations: Of the run.
    """
    warmest = 0.37 * math.sqrt(iterations) / size
    warmest = min(max(warmest, RUN_TEMPERATURE[0]), RUN_TEMPERATURE[1])
    coolest = min(max(warmest / 4, RUN_END_TEMPERATURE[0]), RUN_END_TEMPERATURE[1])
    return warmest, coolest


def most_routes(instance: Instance, starts: Sequence[Routes]) -> int:
    """R, the most routes of a plan that a search from these starts may have."""
    size = instance.num_customers
    return min(instance.max_vehicles or size, routes_beyond(max(map(len, starts)), size))


def routes_beyond(num_routes: int, size: int) -> int:
    """R of N customers where the number of vehicles has no limit: some more than a start has."""
    return min(num_routes + 3 + num_routes // 10, size)


def seed_of(instance: Instance, seed: int) -> int:
    """A number that depends only on the instance, not on its place in a batch.

    Args:
        instance: Its demands and positions (or first matrix row) enter the number.
        seed: The user's seed, >= 0.
    """
    place = instance.coords if instance.distances is None else instance.distances[0]
    return (seed << 32) + digest(instance.demand, place)


def digest(demand: Float64, place: Float64 | None) -> int:
    """A number below 2^32 of an instance: its demands, and where they are."""
    found = zlib.crc32(np.ascontiguousarray(demand).tobytes())
    return found if place is None else zlib.crc32(np.ascontiguousarray(place).tobytes(), found)
