"""Backends, clocks and searches in place of real ones, and small instances for them."""

import threading
import time

import numpy as np

from vrpcore.cost.tour_routes import routes_to_tour
from vrpcore.instance.generator import as_instances, random_problems
from vrpcore.instance.solution import RouteReport, Solution
from vrpcore.solve.admission import admit
from vrpcore.solve.backend import ModelInfo
from vrpcore.solve.construct import WORK_S, policy_work
from vrpcore.solve.memory_limit import SessionLimits
from vrpcore.solve.order import Order, Task
from vrpcore.solve.session import Session
from vrpcore.solve.solve_options import SolveOptions
from vrpcore.solve.stream import Stream

PLAIN, SEARCHED = SolveOptions(improve="none"), SolveOptions()
VROOM = {
    "vehicles": [{"id": 1, "start_index": 0}],
    "jobs": [{"id": 1, "location_index": 1}],
    "matrices": {"car": {"durations": [[0, 5], [5, 0]]}},
}
SOON = 20.0  # seconds within which anything here is done, however slow the machine


def problems(sizes, seed=0):
    rng = np.random.default_rng(seed)
    return [as_instances(random_problems("uniform", (1, n), 30, rng), "p")[0] for n in sizes]


def tasks(sizes, **options):
    """Tasks of one order."""
    made = [Task(position=row, instance=item) for row, item in enumerate(problems(sizes))]
    Order(made, SolveOptions(**options))
    return made


class NearestFirst:
    """A backend that needs no model: each start, then the others in order, one a route."""

    info = ModelInfo(name="t", sha256="", train_sizes=(1, 9), backend="test", device="cpu")
    variants = None

    def __init__(self):
        self.starts = []

    def construct(self, batch, starts, temperature, seed):
        self.starts.append(starts)
        count, num_nodes = batch.valid.shape
        tours = np.zeros((count, starts.shape[1], 2 * num_nodes), np.int64)
        for row, start in np.ndindex(*starts.shape):
            size = int(batch.valid[row].sum()) - 1
            order = np.roll(np.arange(1, size + 1), -int(starts[row, start]))
            tours[row, start] = routes_to_tour([[node] for node in order], 2 * num_nodes)
        return tours

    def until(self, over):
        return self

    def tune(self):
        return ""


class Pairs(NearestFirst):
    """A backend whose routes have two customers, so that each start costs something else."""

    def construct(self, batch, starts, temperature, seed):
        count, num_nodes = batch.valid.shape
        tours = np.zeros((count, starts.shape[1], 2 * num_nodes), np.int64)
        for row, start in np.ndindex(*starts.shape):
            order = np.roll(np.arange(1, batch.valid[row].sum()), -int(starts[row, start])).tolist()
            routes = [order[place : place + 2] for place in range(0, len(order), 2)]
            tours[row, start] = routes_to_tour(routes, 2 * num_nodes)
        return tours


class Small(Pairs):
    """A backend with memory for a few instances at once."""

    def __init__(self, most, error):
        super().__init__()
        self.most, self.error, self.tried = most, error, []

    def construct(self, batch, starts, temperature, seed):
        self.tried.append(len(batch.valid))
        if len(batch.valid) > self.most:
            raise self.error
        return super().construct(batch, starts, temperature, seed)


class Recording(NearestFirst):
    """A backend that remembers its batches and waits for a gate."""

    def __init__(self):
        super().__init__()
        self.batches, self.entered, self.gate = [], [], threading.Event()
        self.gate.set()

    def construct(self, batch, starts, temperature, seed):
        self.entered.append(len(batch.valid))
        assert self.gate.wait(SOON)
        self.batches.append(sorted(batch.valid.sum(axis=1) - 1))
        return super().construct(batch, starts, temperature, seed)


class Clock:
    """Time that moves where a test says so."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


class Timed(NearestFirst):
    """A backend that takes so many seconds a unit of work."""

    def __init__(self, clock, rate=WORK_S):
        super().__init__()
        self.clock, self.rate, self.rows = clock, rate, 0

    def construct(self, batch, starts, temperature, seed):
        self.rows += len(batch.valid)
        options = (
            SolveOptions(starts=starts.shape[1]) if starts[0, 0] else SolveOptions(decode="greedy")
        )
        size = batch.valid.shape[1] - 1
        self.clock.now += self.rate * len(batch.valid) * policy_work(size, options)
        return super().construct(batch, starts, temperature, seed)


class Searcher:
    """A search that takes all of its time, or a part of it."""

    def __init__(self, clock, part=1.0):
        self.clock, self.part, self.seconds = clock, part, []

    def __call__(self, task, end, cores):
        spent = end - self.clock.now
        self.seconds.append(spent)
        self.clock.now += self.part * spent
        return task.starts[0]


def cheapest(task, end, cores):
    """A search that finds nothing better."""
    return task.starts[0]


def streamed(instances, search=None, *, warm_starts=(), reports=None, backend=None, **options):
    """The answers of a stream with one thread, unless the options say otherwise.

    With a time limit, the clock is that of a `Searcher` or `Timed` backend.
    """
    options.setdefault("improve", "none" if search is None else "fast")
    asked = SolveOptions(**{"workers": 1, "threads": 1} | options)
    clock = getattr(search, "clock", None) or getattr(backend, "clock", None) or Clock()
    capacity = SessionLimits(workers=asked.workers, threads=asked.threads)
    session = Session(backend or NearestFirst(), capacity, search or no_search, clock)
    end = None if asked.time_limit is None else clock() + asked.time_limit
    said = [] if reports is None else reports
    return Stream(session, asked, said.append, end).answers(instances, warm_starts)


def earlier(problem, plan):
    """A solution with the routes of a plan."""
    found = tuple(
        RouteReport(tuple(problem.ids[stop - 1] for stop in route.stops), load=0.0, cost=0.0)
        for route in plan.routes
    )
    return Solution(name=problem.name, status="solved", cost=0.0, routes=found)


def ordered(instance, warm_start=None):
    """The task of an instance in an order of its own."""
    task = admit(0, instance, warm_start)
    Order([task], SolveOptions())
    return task


def no_search(task, end, cores):
    raise AssertionError(f"{task.instance.name} is searched")


def opened(backend, search=no_search, clock=time.perf_counter, **limits):
    capacity = SessionLimits(**{"workers": 2, "threads": 2, "shared": True} | limits)
    return Session(backend, capacity, search, clock)


def occupied(session, backend, options):
    """Orders that keep both workers at the gate."""
    orders = []
    for _ in range(2):
        before = len(backend.entered)
        orders.append(session.submit(problems([9]), options))
        while len(backend.entered) == before:
            time.sleep(0.001)
    return orders


def answers(order):
    return order.future.result(timeout=SOON)
