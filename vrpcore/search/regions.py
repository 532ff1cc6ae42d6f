"""The search of large plain instances: annealing in regions of one plan."""

import math
import time
from functools import partial

import numpy as np

from vrpcore.cost.tour_routes import Routes
from vrpcore.search import hgs_library
from vrpcore.search.effort import Effort
from vrpcore.search.hgs_library import Memory, Problem, clock, read_tour, tour_of
from vrpcore.threads import side_by_side

# Customers and routes of a region, about: at least so many of both.
REGION_SIZE, REGION_ROUTES = 1000, 25
# Temperatures, in mean legs of the start: the highest and the lowest first one, and the last one.
# The first is higher for longer searches, and for longer routes, where the start is worse.
WARMEST, LEAST_WARM, COOLEST = 1.0, 0.03, 0.01
# Iterations per customer times customers of a route, for a first temperature of 1.
WARMTH = 22_500
# Iterations of a slice, per customer.
SLICE = 1.0


class RegionSearch:
    """A plan of one instance that annealing improves, in regions side by side.

    Only one caller at a time may use an object. Equal calls with a number of iterations give equal
    routes, whatever the number of cores.

    Args:
        problem: The instance in whole numbers.
        start: What it begins with. Of more than R routes, those with most customers count; the
            search inserts the other customers.
        vehicles: R, most routes.
        seed: >= 0.
    """

    def __init__(self, problem: Problem, start: Routes, vehicles: int, seed: int) -> None:
        self._library = hgs_library.load_library()
        self._problem = problem
        shape = (problem.address, vehicles)
        self._memory = Memory(self._library.vrp_regions_bytes(*shape))
        self.address = self._memory.address
        self._library.vrp_regions_make(self.address, *shape)
        self._tour = np.empty(problem.num_nodes + vehicles, np.int32)
        tour, routes = tour_of(start, vehicles), min(len(start), vehicles)
        cost = self._library.vrp_regions_begin(self.address, tour.ctypes.data, seed)
        self._customers = problem.num_nodes - 1
        self._unit = max(1.0, cost / (self._customers + routes))
        self._route_size = self._customers / routes
        self._size = max(REGION_SIZE, int(REGION_ROUTES * self._route_size))

    def run(self, iterations: float, cores: int = 1) -> None:
        """Searches for a number of iterations per customer."""
        slices = max(1, round(iterations / SLICE))
        warmest = self._warmest(iterations)
        for index in range(slices):
            if self._problem.is_over:
                return
            temperature = temperature_at(index / slices, warmest)
            self.anneal(temperature, iterations / slices, math.inf, cores)

    def run_until(self, effort: Effort) -> None:
        """Searches until an effort is over, by a clock; a first slice shows its pace.

        It cools down once. Where a watch does not wait so long for better plans, it cools in less
        time, and again and again, each time from where it is.
        """
        end, cores = math.inf if effort.end is None else effort.end, effort.cores
        left = math.inf
        if effort.is_counted:
            left = effort.total(self._customers) / self._customers
        began = cool = time.perf_counter()
        self.anneal(COOLEST, SLICE, end, cores)
        pace, warmest = SLICE / max(1e-9, time.perf_counter() - began), COOLEST
        whole, by_count = left, False
        while (now := time.perf_counter()) < end and not self._problem.is_over:
            if (left := left - SLICE) <= 0.0:
                break
            if now >= cool:
                began, cool, whole = now, min(end, now + effort.run_s), left
                warmest = self._warmest(min(left, pace * (cool - began)))
                # Where iterations end it before that, the temperature goes by them.
                by_count = now + left / pace < cool
                cool = math.inf if by_count else cool
            share = 1.0 - left / whole if by_count else (now - began) / (cool - began)
            temperature = temperature_at(share, warmest)
            self.anneal(temperature, min(SLICE, left), end, cores)

    def best(self) -> Routes:
        """The routes of the best plan; unserved customers are in none."""
        self._library.vrp_regions_best(self.address, self._tour.ctypes.data)
        return read_tour(self._tour)

    def _warmest(self, iterations: float) -> float:
        """The first temperature of a search with so many iterations per customer."""
        return min(max(iterations * self._route_size / WARMTH, LEAST_WARM), WARMEST)

    def anneal(self, temperature: float, iterations: float, end: float, cores: int) -> None:
        """Divides the plan, and searches its regions at one temperature."""
        regions = self._library.vrp_divide(self.address, self._size)

        def search(region: int) -> None:
            seconds = clock(end - time.perf_counter())
            warmth = self._unit * temperature
            self._library.vrp_search_region(self.address, region, iterations, seconds, warmth)

        side_by_side([partial(search, region) for region in range(regions)], cores)
        self._library.vrp_join(self.address)


def temperature_at(share: float, warmest: float) -> float:
    """The temperature when a share of a search is over: it falls in equal ratios."""
    return float(warmest * (COOLEST / warmest) ** share)
