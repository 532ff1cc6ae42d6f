"""Solutions of one instance side by side."""

from collections.abc import Iterable, Sequence

from vrpcore.errors import ShapeError
from vrpcore.improve.savings import Routes


def signature(routes: Routes, directed: bool = False) -> frozenset[tuple[int, ...]]:
    """What makes two solutions the same: their routes, in any order and either direction.

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

    Starts and symmetries of a trained policy often end in the same routes; searching
    from the same place twice is wasted.

    Args:
        solutions: Cheapest first where no costs are given: later ones are then only
            looked at until `count` are found.
        count: How many at most.
        costs: Of each solution.
        directed: Lengths differ by direction.

    Returns:
        At most `count` of the solutions, cheapest first; equal costs keep their order.

    Raises:
        ShapeError: As many costs as solutions were expected.
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
