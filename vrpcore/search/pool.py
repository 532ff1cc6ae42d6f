"""Comparison of solutions of one instance."""

from collections.abc import Iterable, Sequence

from vrpcore.errors import ShapeError
from vrpcore.search.savings import Routes


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


def best_different(
    solutions: Iterable[Routes],
    count: int,
    costs: Sequence[float] | None = None,
    directed: bool = False,
) -> list[Routes]:
    """The cheapest solutions that differ as sets of routes.

    A trained policy often gives the same routes from several starts and symmetries;
    searching from the same routes twice would waste time.

    Args:
        solutions: Cheapest first if no costs are given: only the first ones are then read,
            until `count` are found.
        count: The most solutions to return.
        costs: The cost of each solution.
        directed: Lengths differ by direction.

    Returns:
        At most `count` of the solutions, cheapest first; equal costs keep their order.

    Raises:
        ShapeError: There are not as many costs as solutions.
    """
    if costs is not None:
        solutions = list(solutions)
        if len(costs) != len(solutions):
            raise ShapeError(
                f"best_different: {len(costs)} costs for {len(solutions)} solutions; "
                "give one cost per solution"
            )
        solutions = [solutions[index] for index in sorted(range(len(costs)), key=costs.__getitem__)]
    seen: dict[frozenset[tuple[int, ...]], Routes] = {}
    for routes in solutions:
        if len(seen) >= count:
            break
        seen.setdefault(signature(routes, directed), routes)
    return list(seen.values())
