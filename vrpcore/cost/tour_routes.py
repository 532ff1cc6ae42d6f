"""Tours of the decoder as routes, and the cost of single routes."""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vrpcore.cost.cost import Tours
from vrpcore.cost.distance import path_lengths
from vrpcore.instance.instance import Instance

Routes = list[list[int]]  # customers 1..N of each


def tour_to_routes(tour: Tours) -> Routes:
    """One tour cut at its depot visits.

    Args:
        tour: [T] integers, 0 = depot and padding.

    Returns:
        Lists of customer numbers 1..N, none of them empty.
    """
    routes: Routes = []
    route: list[int] = []
    for node in tour.tolist():
        if node:
            route.append(node)
        elif route:
            routes.append(route)
            route = []
    return [*routes, route] if route else routes


def routes_to_tour(routes: Iterable[Sequence[int]], size: int) -> NDArray[np.int64]:
    """Routes joined by depot visits and padded with them.

    Args:
        routes: Customer numbers 1..N.
        size: T, at least customers + routes - 1.

    Returns:
        [size] int64.
    """
    tour = np.zeros(size, np.int64)
    position = 0
    for route in routes:
        tour[position : position + len(route)] = route
        position += len(route) + 1
    return tour


def visits_once(
    tours: Tours, customers: NDArray[np.bool_], num_depots: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return whether each tour visits its customers once, and no others.

    Args:
        tours: [R, T] integers, nodes.
        customers: [R, M] bool.
        num_depots: [R] int64; the nodes before that may be visited as often as wanted.

    Returns:
        [R] bool.

    Raises:
        IndexError: There is no such node.
    """
    visits = np.zeros(customers.shape, np.int64)
    np.add.at(visits, (np.arange(len(tours))[:, None], tours), 1)
    is_depot = np.arange(customers.shape[1]) < num_depots[:, None]
    found: NDArray[np.bool_] = (is_depot | (visits == customers)).all(axis=1)
    return found


def largest_load(tours: Tours, demand: NDArray[Any]) -> NDArray[Any]:
    """The largest sum of demands between two visits to the depot.

    Args:
        tours: [R, T] integers, 0 = depot.
        demand: [R, M], the depot's is 0.

    Returns:
        [R], as `demand`.
    """
    total = np.take_along_axis(demand, tours, axis=1).cumsum(axis=1)
    before = np.maximum.accumulate(np.where(tours == 0, total, 0), axis=1)
    found: NDArray[Any] = (total - before).max(axis=1)
    return found


def route_costs(instance: Instance, routes: Sequence[Sequence[int]]) -> list[float]:
    """Lengths of depot - customers - depot, by the instance's metric or matrix.

    Args:
        instance: The instance.
        routes: Customer numbers 1..N of each; an empty one costs 0.

    Returns:
        Float64 in the instance's unit; whole numbers for `euc_2d` and `ceil_2d`.
    """
    nodes = [node for route in routes for node in (0, *route)]
    legs = path_lengths(instance, np.array([*nodes, 0]))
    ends = itertools.accumulate(len(route) + 1 for route in routes)
    return [
        float(legs[end - len(route) - 1 : end].sum()) if route else 0.0
        for route, end in zip(routes, ends, strict=True)
    ]
