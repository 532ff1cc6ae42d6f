"""The Python interface of the compiled search: memory, arguments, and rules for threads.

The library is built when the package is installed (`vrpcore.native`). It works on
memory that the objects here own, and releases the interpreter's lock.
"""

import ctypes
import math
import threading
import time
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vrpcore.cost.tour_routes import Routes, tour_to_routes
from vrpcore.errors import MissingSearchError
from vrpcore.instance.instance import Float64, Instance
from vrpcore.native.library import HGS, Functions, open_search
from vrpcore.search.effort import Effort
from vrpcore.search.scaling import is_directed, places_of, whole_demand
from vrpcore.search.watch import Watch
from vrpcore.threads import side_by_side

Array = NDArray[Any]

END = -1  # after the last node of a tour
# Up to so many customers the cheapest routes of all are found, within two milliseconds.
MOST_EXACT = 10
_ALIGNMENT = 64
_pointer, _int, _int64, _double = (
    ctypes.c_void_p,
    ctypes.c_int,
    ctypes.c_int64,
    ctypes.c_double,
)
_FUNCTIONS: Functions = {
    "vrp_problem_bytes": (_int64, (_int, _int)),
    "vrp_problem_work_numbers": (_int64, (_int,)),
    "vrp_problem_make": (
        None,
        (_pointer, _int, _int, _pointer, _pointer, _int64, _pointer),
    ),
    "vrp_places_bytes": (_int64, (_int,)),
    "vrp_near_places_bytes": (_int64, (_int,)),
    "vrp_places_make": (
        None,
        (_pointer, _int, _pointer, _double, _double, _int, _pointer, _int64, _pointer),
    ),
    "vrp_watch": (None, (_pointer, _pointer, _double)),
    "vrp_is_over": (_int, (_pointer,)),
    "vrp_savings_bytes": (_int64, (_pointer,)),
    "vrp_savings": (None, (_pointer, _pointer, _pointer)),
    "vrp_exact_bytes": (_int64, (_pointer, _int)),
    "vrp_exact": (_int, (_pointer, _pointer, _int, _pointer, _pointer)),
    "vrp_annealer_bytes": (_int64, (_pointer, _int, _int)),
    "vrp_annealer_make": (None, (_pointer, _pointer, _int, _int)),
    "vrp_begin": (_int64, (_pointer, _pointer, ctypes.c_uint64)),
    "vrp_anneal": (_int64, (_pointer, _int64, _double, _double, _double)),
    "vrp_regions_bytes": (_int64, (_pointer, _int)),
    "vrp_regions_make": (None, (_pointer, _pointer, _int)),
    "vrp_regions_begin": (_int64, (_pointer, _pointer, ctypes.c_uint64)),
    "vrp_divide": (_int, (_pointer, _int)),
    "vrp_search_region": (_int64, (_pointer, _int, _double, _double, _double)),
    "vrp_join": (_int64, (_pointer,)),
    "vrp_regions_best": (None, (_pointer, _pointer)),
    "vrp_educator_bytes": (_int64, (_pointer, _int)),
    "vrp_educator_make": (None, (_pointer, _pointer, _int)),
    "vrp_breeding_bytes": (_int64, (_pointer, _int, _int)),
    "vrp_breeding_make": (None, (_pointer, _pointer, _int, _int, ctypes.c_uint64)),
    "vrp_admit": (None, (_pointer, _pointer)),
    "vrp_breed": (_int64, (_pointer, _pointer, _int64, _int, _double)),
    "vrp_expect": (None, (_pointer, _int64, _int)),
    "vrp_stop": (_int64, (_pointer,)),
    "vrp_all_begun": (_int, (_pointer,)),
    "vrp_next": (_pointer, (_pointer,)),
    "vrp_educate": (None, (_pointer, _pointer)),
    "vrp_deliver": (None, (_pointer, _pointer)),
    "vrp_best": (_int64, (_pointer, _pointer)),
    "vrp_tours_bytes": (_int64, (_pointer,)),
    "vrp_tours_improve": (None, (_pointer, _pointer, _int64)),
    "vrp_order_bytes": (_int64, (_int, _int)),
    "vrp_order_write": (None, (_pointer, _int, _int, _pointer, _int64, _int, _pointer)),
}


def is_built() -> bool:
    """Return whether the compiled search is installed and can be loaded.

    That for constraints is a library of its own: see `rich_library`.
    """
    try:
        load_library()
    except MissingSearchError:
        return False
    return True


@cache
def load_library(path: Path = HGS.file) -> ctypes.CDLL:
    """Loads the library of the search without constraints.

    Args:
        path: Another build, for tests.

    Raises:
        MissingSearchError: It was not built, or not for this machine.
    """
    return open_search(path, HGS.source, _FUNCTIONS)


class Memory:
    """Uninitialized memory, aligned as the library needs it."""

    def __init__(self, num_bytes: int) -> None:
        self._owner = np.empty(num_bytes + _ALIGNMENT, np.uint8)
        address = self._owner.ctypes.data
        self.address = address + -address % _ALIGNMENT


class Problem:
    """An instance in whole numbers; threads may share it.

    Args:
        instance: At least two customers.
        matrix: Its `distance_matrix`, [M, M] float64: 4 bytes * N^2, twice that where lengths
            differ by direction. None: lengths are computed from the coordinates where they are
            needed, which only `RegionSearch` and `savings` can; 500 bytes * N.
    """

    def __init__(self, instance: Instance, matrix: Float64 | None) -> None:
        self._library, self._watch = load_library(), Watch()
        demand, limit = whole_demand(instance)
        self.num_nodes, self.directed = len(demand), is_directed(instance)
        # The most customers that fit into one vehicle.
        self.longest = int(np.searchsorted(np.cumsum(np.sort(demand[1:])), limit, "right"))
        if matrix is None:
            self._make_places(instance, demand, limit)
            return
        shape = (self.num_nodes, int(self.directed))
        self._memory = Memory(self._library.vrp_problem_bytes(*shape))
        work = np.empty(self._library.vrp_problem_work_numbers(self.num_nodes))
        self._library.vrp_problem_make(
            self.address,
            *shape,
            np.ascontiguousarray(matrix).ctypes.data,
            demand.ctypes.data,
            limit,
            work.ctypes.data,
        )

    @property
    def address(self) -> int:
        """The address of the problem in memory."""
        return self._memory.address

    @property
    def is_over(self) -> bool:
        """Return whether the watcher of its searches has ended them."""
        return bool(self._library.vrp_is_over(self.address))

    def watched(self, effort: Effort) -> None:
        """Lets the effort's watch see all searches of this problem, and its end stop them."""
        if effort.watch is None and (effort.end is None or not effort.is_counted):
            return
        self._watch = effort.watch or self._watch  # lives as long as the problem
        seconds = effort.time_left if effort.is_counted else math.inf
        self._library.vrp_watch(self.address, self._watch.address, clock(seconds))

    def _make_places(self, instance: Instance, demand: NDArray[np.int64], limit: int) -> None:
        library = self._library
        self._memory = Memory(library.vrp_places_bytes(self.num_nodes))
        work = Memory(library.vrp_near_places_bytes(self.num_nodes))
        places, factor, curve = places_of(instance)
        library.vrp_places_make(
            self.address,
            self.num_nodes,
            places.ctypes.data,
            factor,
            curve,
            instance.metric == "ceil_2d",
            demand.ctypes.data,
            limit,
            work.address,
        )

    def savings(self) -> Routes:
        """Routes by savings on the whole numbers.

        See `savings_routes`; there are at least two customers.
        """
        work = Memory(self._library.vrp_savings_bytes(self.address))
        tour = np.empty(2 * self.num_nodes, np.int32)
        self._library.vrp_savings(self.address, work.address, tour.ctypes.data)
        return read_tour(tour)

    def exact(self, matrix: Float64, vehicles: int) -> Routes | None:
        """The cheapest routes of all, on the lengths as read.

        Args:
            matrix: As for the problem. Time grows with 3^N and memory with 2^N: for at most
                `MOST_EXACT` customers.
            vehicles: R, most routes.

        Returns:
            None where customers do not fit into so many vehicles.
        """
        work = Memory(self._library.vrp_exact_bytes(self.address, vehicles))
        tour = np.empty(self.num_nodes + vehicles, np.int32)
        lengths = np.ascontiguousarray(matrix)
        found = self._library.vrp_exact(
            self.address, lengths.ctypes.data, vehicles, work.address, tour.ctypes.data
        )
        return read_tour(tour) if found else None


class Breeding:
    """A population of solutions, and the making of their children.

    Args:
        problem: The problem.
        vehicles: R, most routes of a solution.
        width: Children in progress at once, and the most cores that help. It changes the
            answer; the number of cores does not.
        seed: Seed of its random numbers.
    """

    def __init__(self, problem: Problem, vehicles: int, width: int, seed: int) -> None:
        self._library = load_library()
        self._problem, self._vehicles, self._width = problem, vehicles, width
        shape = (problem.address, vehicles, width)
        self._memory = Memory(self._library.vrp_breeding_bytes(*shape))
        self.address = self._memory.address
        self._library.vrp_breeding_make(self.address, *shape, seed)
        self._educators = [self._new_educator()]
        self._failed = False
        self._tour = np.empty(problem.num_nodes + vehicles, np.int32)

    def admit(self, annealer: "Annealer") -> None:
        """Admits an annealer's best solution."""
        self._library.vrp_admit(self.address, annealer.address)

    def breed(
        self, children: int, orders: int = 0, seconds: float = math.inf, cores: int = 1
    ) -> int:
        """Makes children.

        Args:
            children: How many.
            orders: How many of them, the first ones, are built from random orders; more
                if there are not two parents.
            seconds: No child begins after these.
            cores: Threads that improve them.

        Returns:
            The number of children made.
        """
        cores = min(cores, self._width)
        if cores == 1:
            educator = self._educators[0].address
            end = clock(seconds)
            return int(self._library.vrp_breed(self.address, educator, children, orders, end))
        while len(self._educators) < cores:
            self._educators.append(self._new_educator())
        self._library.vrp_expect(self.address, children, orders)
        turn, end = threading.Condition(), time.perf_counter() + seconds
        crew = [partial(self._educate, educator, turn, end) for educator in self._educators]
        side_by_side(crew[:cores], cores)
        return int(self._library.vrp_stop(self.address))

    def best(self) -> Routes:
        """The routes of the best solution; unserved customers are in none."""
        self._library.vrp_best(self.address, self._tour.ctypes.data)
        return read_tour(self._tour)

    def _educate(self, educator: Memory, turn: threading.Condition, end: float) -> None:
        """The work of one thread: improves child after child until all have begun."""
        try:
            while (child := self._next(turn, end)) is not None:
                self._library.vrp_educate(educator.address, child)
                with turn:
                    self._library.vrp_deliver(self.address, child)
                    turn.notify_all()
        except BaseException:
            with turn:  # or others would wait for this thread's child
                self._failed = True
                turn.notify_all()
            raise

    def _next(self, turn: threading.Condition, end: float) -> int | None:
        """The next child, once it can begin; None: all have begun, or a thread has failed."""
        library = self._library
        with turn:
            if time.perf_counter() >= end:
                library.vrp_stop(self.address)
            while not self._failed:
                if child := library.vrp_next(self.address):
                    return int(child)
                if library.vrp_all_begun(self.address):
                    turn.notify_all()
                    break
                turn.wait()
        return None

    def _new_educator(self) -> Memory:
        shape = (self._problem.address, self._vehicles)
        memory = Memory(self._library.vrp_educator_bytes(*shape))
        self._library.vrp_educator_make(memory.address, *shape)
        return memory


class Annealer:
    """A solution that annealing changes, and the best one found.

    Args:
        problem: The problem.
        vehicles: R, most routes of the solution.
    """

    def __init__(self, problem: Problem, vehicles: int) -> None:
        self._library = load_library()
        self.problem, self.vehicles = problem, vehicles
        shape = (problem.address, vehicles, problem.longest + 2)
        self._memory = Memory(self._library.vrp_annealer_bytes(*shape))
        self.address = self._memory.address
        self._library.vrp_annealer_make(self.address, *shape)

    def begin(self, routes: Routes, seed: int) -> int:
        """Loads routes: of more than R, those with most customers; inserts the other customers.

        Returns:
            The routes' cost in whole numbers.
        """
        tour = tour_of(routes, self.vehicles)
        return int(self._library.vrp_begin(self.address, tour.ctypes.data, seed))

    def anneal(
        self, iterations: int, temperature: tuple[float, float], seconds: float = math.inf
    ) -> int:
        """Anneals the solution, from the first temperature to the last.

        Returns:
            The number of iterations.
        """
        end = clock(seconds)
        return int(self._library.vrp_anneal(self.address, iterations, end, *temperature))


def tour_of(routes: Routes, vehicles: int) -> NDArray[np.int32]:
    """A tour of at most so many routes: of more, those with most customers."""
    kept = routes
    if len(routes) > vehicles:
        kept = sorted(routes, key=len, reverse=True)[:vehicles]
    return np.array([node for route in kept for node in (*route, 0)] + [END], np.int32)


def clock(seconds: float) -> float:
    """Seconds as the library expects them: below 0 without a time limit."""
    return -1.0 if math.isinf(seconds) else max(0.0, seconds)


def read_tour(tour: Array) -> Routes:
    """The routes of a tour, customers 1..N."""
    nodes = tour.tolist()
    return tour_to_routes(tour[: nodes.index(END)])
