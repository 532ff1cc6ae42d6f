"""The search of large plain instances: annealing in regions of one plan."""

import math
import time
from functools import partial

import numpy as np

from vrpcore.search import hgs_library
from vrpcore.search.hgs_library import END, Memory, Problem, clock, read_tour
from vrpcore.search.savings import Routes
from vrpcore.threads import side_by_side

# Customers and routes of a region, about: at least so many of both.
REGION_SIZE, REGION_ROUTES = 1000, 25
# First and last temperature, in mean legs of the start.
WARMEST, COOLEST = 1.0, 0.01
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
        kept = start
        if len(start) > vehicles:
            kept = sorted(start, key=len, reverse=True)[:vehicles]
        tour = np.array([node for route in kept for node in (*route, 0)] + [END], np.int32)
        cost = self._library.vrp_regions_begin(self.address, tour.ctypes.data, seed)
        customers = problem.num_nodes - 1
        self._unit = max(1.0, cost / (customers + len(kept)))
        self._size = max(REGION_SIZE, REGION_ROUTES * customers // len(kept))

    def run(self, iterations: float, cores: int = 1) -> None:
        """Searches for a number of iterations per customer."""
        slices = max(1, round(iterations / SLICE))
        for index in range(slices):
            self._slice(index / slices, iterations / slices, math.inf, cores)

    def run_until(self, end: float, cores: int = 1) -> None:
        """Searches until `time.perf_counter()` reaches `end`."""
        began = time.perf_counter()
        while (now := time.perf_counter()) < end:
            self._slice((now - began) / (end - began), SLICE, end, cores)

    def best(self) -> Routes:
        """The routes of the best plan; unserved customers are in none."""
        self._library.vrp_regions_best(self.address, self._tour.ctypes.data)
        return read_tour(self._tour)

    def _slice(self, share: float, iterations: float, end: float, cores: int) -> None:
        """Divides the plan, and searches its regions at one temperature."""
        temperature = self._unit * WARMEST * (COOLEST / WARMEST) ** share
        regions = self._library.vrp_divide(self.address, self._size)

        def search(region: int) -> None:
            seconds = clock(end - time.perf_counter())
            self._library.vrp_search_region(self.address, region, iterations, seconds, temperature)

        side_by_side([partial(search, region) for region in range(regions)], cores)
        self._library.vrp_join(self.address)
