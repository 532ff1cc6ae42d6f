"""The search of one instance: lines of annealing from its starts, then their children."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from vrpcore.improve.arrays import (
    COST,
    NUM_ABSENT,
    Problem,
    make_line,
    make_population,
    make_problem,
    make_scratch,
    read_tour,
    write_tour,
)
from vrpcore.improve.compiled import load_kernel
from vrpcore.improve.savings import Routes, instance_rng
from vrpcore.instance.instance import Float64, Instance

# Warmth: how much dearer a solution may become, in mean lengths of the start's edges.
CHILD_WARMTH = (0.08, 0.025)
LINE_WARMTH = (0.1, 1.2)  # least and most at a line's start
LINE_END_WARMTH = (0.05, 0.1)
# With fewer iterations a customer there is one line and no children.
SHORT = 150
MOST_LINES = 24
ITERATIONS_PER_LINE = 60  # a customer; so many more of them make one line more
LINES_SHARE = 0.5  # of all iterations
SMALL, SMALL_LINES_SHARE = 50, 0.75  # below so many customers
CHILD_ITERATIONS = (50, 500)
# By the clock, a new line follows when more children than planned and than this were bred.
CHILDREN_PER_LINE = 200
SLICE_S = 0.002  # between two looks at the clock
PACE_ITERATIONS = 200  # are timed to plan by the clock


@dataclass(frozen=True, slots=True)
class Plan:
    """How a number of iterations is spent.

    Attributes:
        lines: Lines of annealing, each from a start.
        iterations: Of each line.
        children: Solutions made from two others.
        child_iterations: Of each child.
    """

    lines: int
    iterations: int
    children: int
    child_iterations: int


def plan_for(size: int, iterations: int) -> Plan:
    """Spends iterations on an instance of `size` customers.

    Few go into one line; from `SHORT` a customer on, half of them go into lines (three
    quarters below `SMALL` customers), the others into children.
    """
    child = min(max(5 * size, CHILD_ITERATIONS[0]), CHILD_ITERATIONS[1])
    if iterations < SHORT * size:
        return Plan(1, iterations, 0, child)
    lines = min(MOST_LINES, max(2, iterations // (ITERATIONS_PER_LINE * size)))
    share = SMALL_LINES_SHARE if size < SMALL else LINES_SHARE
    each = int(share * iterations / lines)
    return Plan(lines, each, (iterations - lines * each) // child, child)


class Evolution:
    """A population of solutions of one instance, and what works on it.

    One object is for one thread; different objects run on different cores, because the
    compiled loops let go of Python's interpreter lock. Equal calls give equal routes.

    Args:
        instance: At least two customers; memory is about 8 bytes * N^2.
        starts: Solutions, cheapest first, at least one; customers of routes beyond
            `max_vehicles` are inserted elsewhere.
        seed: >= 0; joined with the instance's own numbers.
        matrix: The instance's `distance_matrix`.

    Raises:
        MissingExtraError: numba is not installed.
    """

    def __init__(
        self, instance: Instance, starts: Sequence[Routes], seed: int, matrix: Float64
    ) -> None:
        self._kernel = load_kernel()
        self._size = instance.num_customers
        self._starts = starts
        self._problem: Problem = make_problem(instance, matrix)
        most = max(map(len, starts))
        vehicles = min(instance.max_vehicles or self._size, most + 3 + most // 10, self._size)
        self._line = make_line(
            self._problem, vehicles, int(instance_rng(instance, seed).integers(2**32))
        )
        self._scratch = make_scratch(self._line)
        self._population = make_population(MOST_LINES, self._line)
        self._begin(0)
        edges = self._size + int((self._line.length > 0).sum())
        cost = int(self._line.status[COST]) if not self._line.status[NUM_ABSENT] else 0
        self._unit = max(1.0, (cost or float(self._problem.distance.mean()) * edges) / edges)

    def run(self, iterations: int) -> None:
        """Searches by a count: the same count gives the same routes."""
        plan = plan_for(self._size, iterations)
        for index in range(plan.lines):
            self._grow(index, plan.iterations)
        if plan.children and self._population.size[0] > 1:
            self._breed(plan.children, plan.child_iterations)

    def run_until(self, end: float) -> None:
        """Searches until `time.perf_counter()` reaches `end`."""
        self._begin(0)
        self._anneal(self._size, self._warmth(self._size))
        began = time.perf_counter()
        self._anneal(PACE_ITERATIONS, self._warmth(self._size))
        pace = max(1e-8, (time.perf_counter() - began) / PACE_ITERATIONS)
        self._kernel.admit(self._population, self._line)

        def is_over() -> bool:
            return time.perf_counter() >= end

        plan = plan_for(self._size, max(1, int((end - time.perf_counter()) / pace)))
        for index in range(plan.lines):
            self._grow(index, plan.iterations, pace, is_over)
        children = max(1, int(SLICE_S / (pace * plan.child_iterations)))
        line, bred = plan.lines, 0
        while not is_over():
            if self._population.size[0] > 1:
                self._breed(children, plan.child_iterations)
                bred += children
            # A population that was bred for long holds one family: new blood.
            if bred >= max(plan.children, CHILDREN_PER_LINE) or self._population.size[0] == 1:
                self._grow(line, plan.iterations, pace, is_over)
                line, bred = line + 1, 0

    def best(self) -> Routes | None:
        """The cheapest solution; None where every one leaves customers without a vehicle."""
        count = int(self._population.size[0])
        tour = self._population.tour[int(self._population.cost[:count].argmin())]
        routes = read_tour(tour)
        return routes if sum(map(len, routes)) == self._size else None

    def _begin(self, index: int) -> None:
        write_tour(self._line, self._starts[index % len(self._starts)])
        self._kernel.begin(self._problem, self._line, self._scratch)

    def _warmth(self, iterations: int) -> tuple[float, float]:
        """Of a line: the longer it is, and the smaller the instance, the warmer."""
        warmest = 0.37 * math.sqrt(iterations) / self._size
        warmest = min(max(warmest, LINE_WARMTH[0]), LINE_WARMTH[1])
        coolest = min(max(warmest / 4, LINE_END_WARMTH[0]), LINE_END_WARMTH[1])
        return warmest, coolest

    def _grow(
        self,
        index: int,
        iterations: int,
        pace: float | None = None,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        """A line from a start into the population; `pace`: seconds an iteration."""
        self._begin(index)
        self._kernel.admit(self._population, self._line)
        step = iterations if pace is None else max(1, int(SLICE_S / pace))
        start, finish = self._warmth(iterations)
        for done in range(0, iterations, step):
            if is_over():
                break
            todo = min(step, iterations - done)
            warmth = (
                start * (finish / start) ** (done / iterations),
                start * (finish / start) ** ((done + todo) / iterations),
            )
            self._anneal(todo, warmth)
        self._kernel.admit(self._population, self._line)

    def _anneal(self, iterations: int, warmth: tuple[float, float]) -> None:
        schedule = np.array([iterations, *(self._unit * value for value in warmth)])
        self._kernel.anneal(self._problem, self._line, self._scratch, schedule)

    def _breed(self, children: int, iterations: int) -> None:
        warmth = (self._unit * value for value in CHILD_WARMTH)
        schedule = np.array([children, iterations, *warmth])
        self._kernel.breed(self._problem, self._line, self._scratch, self._population, schedule)
