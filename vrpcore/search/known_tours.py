"""Tours of many small instances, each improved by a short search, in one call of the library."""

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vrpcore.arrays.batch import Batch
from vrpcore.cost.distance import as_points, lengths
from vrpcore.cost.tour_routes import Routes
from vrpcore.instance.instance import Float64
from vrpcore.search import hgs_library
from vrpcore.search.evolution import allocate, digest, routes_beyond, run_temperatures, width_of
from vrpcore.search.hgs_library import read_tour, tour_of

Int64 = NDArray[np.int64]
# How each tour is searched: `KnownTour` in native/hgs/known_tours.hpp.
SEARCH = np.dtype(
    [
        *((name, np.int64) for name in ("limit", "iterations", "children")),
        ("seed", np.uint64),
        *((name, np.float64) for name in ("warmest", "coolest")),
        *((name, np.int32) for name in ("num_nodes", "vehicles", "longest")),
        *((name, np.int32) for name in ("runs", "orders", "width")),
    ]
)
_ARRAYS = ("search", "lengths", "demand", "tour", "better")


class TourArrays(ctypes.Structure):
    """Lay out a batch as the library reads it: addresses of arrays, then B, N and T."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in _ARRAYS),
        *((name, ctypes.c_int64) for name in ("count", "nodes", "length")),
    )


def improve_tours(batch: Batch, coords: Float64, tours: Int64, iterations: int) -> Int64:
    """Improves a tour of each instance as `Evolution` would, one after the other in this thread.

    The library works outside the interpreter's lock, so that threads may improve a batch side by
    side, some rows each. What else is in a call changes no tour. A call takes 24 M^2 bytes for each
    of its instances.

    Args:
        batch: B plain instances.
        coords: [B, M, 2] float64; lengths are straight lines.
        tours: [B, T] int64, customers, with 0 between routes and behind them. Each visits all of
            its customers once, and no route's load is above the capacity.
        iterations: Of the search, for each customer.

    Returns:
        [B, T] int64, written like the tours: see `written_like`. A tour itself where there are
        fewer than two customers, where the search cannot serve all of them, or where T has no room
        for them and a depot between routes.

    Raises:
        MissingSearchError: The search was not built.
    """
    library = hgs_library.load_library()
    search = _searches(batch, coords, tours, iterations)
    points = as_points(coords)
    between = lengths(points[:, :, None], points[:, None, :], "euclidean")
    demand, given = batch.demand.astype(np.int64, "C"), np.ascontiguousarray(tours)
    better = np.empty_like(given)
    largest = np.zeros(1, SEARCH)
    for name in ("num_nodes", "vehicles", "longest", "width"):
        largest[name] = search[name].max(initial=1)
    num_bytes = library.vrp_tours_bytes(largest.ctypes.data)
    memory = hgs_library.Memory(num_bytes)
    arrays = (search, between, demand, given, better)
    layout = TourArrays(*(array.ctypes.data for array in arrays), *demand.shape, given.shape[1])
    library.vrp_tours_improve(ctypes.byref(layout), memory.address, num_bytes)
    return better


def written_like(pattern: Int64, routes: Routes, *, turn: bool) -> Routes:
    """Routes in the order in which a tour visits their customers.

    Args:
        pattern: [T] int64, nodes; it visits those of all routes.
        routes: Nodes above 0, in at least one route.
        turn: Whether routes may be turned: they get the direction that agrees with more of it.
    """
    library = hgs_library.load_library()
    tour = tour_of(routes, len(routes))
    shape = (int(pattern.max()) + 1, len(routes))
    memory = hgs_library.Memory(library.vrp_order_bytes(*shape))
    given = np.ascontiguousarray(pattern)
    library.vrp_order_write(
        memory.address, *shape, given.ctypes.data, len(given), turn, tour.ctypes.data
    )
    return read_tour(tour)


def _searches(batch: Batch, coords: Float64, tours: Int64, iterations: int) -> NDArray[Any]:
    """The search of each tour, [B] of `SEARCH`."""
    customers = tours > 0
    ends = (customers[:, :-1] & ~customers[:, 1:]).sum(axis=1) + customers[:, -1]
    columns = (batch.num_customers + 1, batch.capacity.astype(np.int64), _longest(batch), ends)
    found = []
    for row, (nodes, limit, longest, routes) in enumerate(zip(*columns, strict=True)):
        size = max(1, int(nodes) - 1)
        shares = allocate(size, 1, iterations * size)
        demand = batch.demand[row, :nodes].astype(np.float64)
        seed = digest(demand, coords[row, :nodes])
        temperatures = run_temperatures(size, shares.iterations)
        shape = (nodes, routes_beyond(int(routes), size), longest)
        counts = (shares.runs, shares.orders, width_of(size))
        effort = (limit, shares.iterations, shares.children, seed)
        found.append((*effort, *temperatures, *shape, *counts))
    return np.array(found, SEARCH)


def _longest(batch: Batch) -> Int64:
    """[B] the most customers of each that fit into a vehicle."""
    limit = batch.capacity.astype(np.int64)[:, None]
    demand = np.where(batch.valid, batch.demand.astype(np.int64), limit + 1)[:, 1:]
    loads = np.sort(demand, axis=1).cumsum(axis=1)
    found: Int64 = (loads <= limit).sum(axis=1)
    return found
