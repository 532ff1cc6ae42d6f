"""Assignment of routes to vehicles with as many stops in common as possible."""

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from vrpcore.instance.plan import ANY_VEHICLE, Route


def match_routes(
    routes: Sequence[Collection[int]], vehicles: Sequence[Collection[int]]
) -> list[int]:
    """Gives each route a vehicle of its own, so that most stops keep theirs.

    Where nothing is in common, routes and vehicles go together in their order.

    Args:
        routes: The stops of each.
        vehicles: The stops that each had before, at least as many vehicles as routes.

    Returns:
        For each route, the index of its vehicle.

    Source:
        Kuhn 1955, "The Hungarian method for the assignment problem", Naval Research Logistics
        Quarterly 2, as shortest augmenting paths.
    """
    had: dict[int, list[int]] = {}
    for vehicle, stops in enumerate(vehicles):
        for stop in stops:
            had.setdefault(stop, []).append(vehicle)
    common = np.zeros((len(routes), len(vehicles)), np.int64)
    for route, stops in enumerate(routes):
        for stop in stops:
            common[route, had.get(stop, [])] += 1
    return _assign(-common) if common.any() else list(range(len(routes)))


def kept_stops(routes: Sequence[Route], known: Sequence[Route]) -> tuple[int, int]:
    """Count the stops that stay with their vehicle and those that move, where most stay.

    Each known route is matched with at most one route, of the same type where it names one. Stops
    that only one of the plans serves count neither way.

    Args:
        routes: Of a plan.
        known: Earlier routes; a stop belongs to the first that has it.
    """
    had: dict[int, int] = {}
    for row, route in enumerate(known):
        for stop in route.stops:
            had.setdefault(stop, row)
    common, both = np.zeros((len(routes), max(len(routes), len(known))), np.int64), 0
    for row, route in enumerate(routes):
        for stop in route.stops:
            if (earlier := had.get(stop)) is None:
                continue
            both += 1
            common[row, earlier] += known[earlier].vehicle in (ANY_VEHICLE, route.vehicle)
    kept = int(common[range(len(routes)), _assign(-common)].sum())
    return kept, both - kept


def _assign(costs: NDArray[np.int64]) -> list[int]:
    """The column of each row in the cheapest assignment."""
    rows, columns = costs.shape
    free = columns  # a column that begins each path
    owner = np.full(columns + 1, -1)
    row_price, column_price = np.zeros(rows + 1, np.int64), np.zeros(columns + 1, np.int64)
    most = np.iinfo(np.int64).max // 2
    for row in range(rows):
        owner[free], at = row, free
        least, before = np.full(columns, most), np.full(columns, free)
        used = np.zeros(columns + 1, np.bool_)
        while owner[at] >= 0:
            used[at] = True
            there = costs[owner[at]] - row_price[owner[at]] - column_price[:-1]
            nearer = ~used[:-1] & (there < least)
            least[nearer], before[nearer] = there[nearer], at
            at = int(np.argmin(np.where(used[:-1], most, least)))
            step = least[at]
            row_price[owner[used]] += step
            column_price[used] -= step
            least[~used[:-1]] -= step
        while at != free:
            owner[at], at = owner[before[at]], int(before[at])
    found = [0] * rows
    for column in range(columns):
        if owner[column] >= 0:
            found[owner[column]] = column
    return found
