"""Tours of the literature's variants, with several depots and open ends: lengths and routes."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from vrpcore.cost.cost import Tours
from vrpcore.cost.distance import as_points
from vrpcore.instance.instance import Float64
from vrpcore.instance.plan import Route

# Sides of the square that a customer counts who is in no route: a round trip, and more.
MISSING_LENGTH = 3.0


def variant_tour_length(
    coords: Float64, tours: Tours, num_depots: Tours, open_end: NDArray[np.bool_]
) -> Float64:
    """Length of every tour; each route ends at the depot where it began, or where it is.

    Args:
        coords: [B, M, 2] float64, depots first.
        tours: [B, S, T] integers, nodes; a depot before each route, and depots as padding.
        num_depots: [B] int64.
        open_end: [B] bool.

    Returns:
        [B, S] float64 in the coordinates' unit.
    """
    closed = np.concatenate((tours, np.zeros((*tours.shape[:2], 1), tours.dtype)), axis=2)
    is_depot = closed < num_depots[:, None, None]
    position = np.where(is_depot, np.arange(closed.shape[2]), 0)
    home = np.take_along_axis(closed, np.maximum.accumulate(position, axis=2), axis=2)[..., :-1]
    before, after = closed[..., :-1], closed[..., 1:]
    # What comes behind a customer is the next customer, or the leg home.
    target = np.where(is_depot[..., 1:], home, after)
    points = as_points(coords)
    row = np.arange(len(coords))[:, None, None]
    legs = np.abs(points[row, before] - points[row, target])
    ends = is_depot[..., 1:] & ~is_depot[..., :-1]
    legs[is_depot[..., :-1] & is_depot[..., 1:]] = 0.0
    legs[ends & open_end[:, None, None]] = 0.0
    length: Float64 = legs.sum(axis=2)
    return length


def num_missing(tours: Tours, num_customers: Tours, num_depots: Tours) -> Tours:
    """[B, S] int64: customers that are in no route.

    Args:
        tours: [B, S, T] integers.
        num_customers: [B] int64.
        num_depots: [B] int64.
    """
    served = (tours >= num_depots[:, None, None]).sum(axis=2)
    missing: Tours = num_customers[:, None] - served
    return missing


def variant_tour_cost(
    coords: Float64,
    tours: Tours,
    num_depots: Tours,
    open_end: NDArray[np.bool_],
    num_customers: Tours,
) -> Float64:
    """Lengths, and `MISSING_LENGTH` for each customer who is in no route.

    Args:
        coords: [B, M, 2] float64 in sides of the square, depots first.
        tours: [B, S, T] integers, as `variant_tour_length` takes them.
        num_depots: [B] int64.
        open_end: [B] bool.
        num_customers: [B] int64.

    Returns:
        [B, S] float64 in sides of the square.
    """
    length = variant_tour_length(coords, tours, num_depots, open_end)
    found: Float64 = length + MISSING_LENGTH * num_missing(tours, num_customers, num_depots)
    return found


def variant_routes(tour: Tours, num_depots: int) -> list[Route]:
    """Routes of a tour; the depot before a route is its vehicle type.

    Args:
        tour: [T] integers, nodes.
        num_depots: D.
    """
    parts = [part.tolist() for part in route_nodes(tour, num_depots)]
    return [Route(part[0], tuple(node - num_depots + 1 for node in part[1:])) for part in parts]


def variant_tour(routes: Iterable[Route], num_depots: int, size: int) -> Tours:
    """The inverse: routes as one tour, padded with depots.

    Args:
        routes: Stops 1..N.
        num_depots: D.
        size: T, at least customers + routes.

    Returns:
        [size] int64.
    """
    nodes = [
        node
        for route in routes
        for node in (route.vehicle, *(num_depots - 1 + stop for stop in route.stops))
    ]
    tour = np.zeros(size, np.int64)
    tour[: len(nodes)] = nodes
    return tour


def route_nodes(tour: Tours, num_depots: int) -> list[Tours]:
    """The nodes of each route of a tour, its depot first; no empty ones."""
    firsts = np.flatnonzero(tour < num_depots)
    return [part for part in np.split(tour, firsts) if len(part) > 1]
