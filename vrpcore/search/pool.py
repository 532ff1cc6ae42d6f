"""Comparison of solutions of one instance."""

from collections.abc import Iterable

from vrpcore.cost.tour_routes import Routes


def signature(routes: Routes, directed: bool = False) -> frozenset[tuple[int, ...]]:
    """A key that equal solutions share: their routes, in any order and either direction.

    Args:
        routes: Customers 1..N.
        directed: Lengths differ by direction, so direction counts.
    """
    return frozenset(
        tuple(route) if directed or route[0] <= route[-1] else tuple(route[::-1])
        for route in routes
        if route
    )


def best_different(solutions: Iterable[Routes], count: int, directed: bool = False) -> list[Routes]:
    """The first solutions that differ as sets of routes.

    A trained policy often gives the same routes from several starts and symmetries;
    searching from the same routes twice would waste time.

    Args:
        solutions: Cheapest first; read until `count` are found.
        count: The most solutions to return.
        directed: Lengths differ by direction.
    """
    seen: dict[frozenset[tuple[int, ...]], Routes] = {}
    for routes in solutions:
        if len(seen) >= count:
            break
        seen.setdefault(signature(routes, directed), routes)
    return list(seen.values())
