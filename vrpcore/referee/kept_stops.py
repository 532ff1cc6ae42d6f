"""The referee's count of the stops that stay with their vehicle of a known plan.

Plain loops, as in the rest of the referee.
"""

from collections.abc import Iterator, Sequence

from vrpcore.errors import describe
from vrpcore.instance.plan import ANY_VEHICLE, Plan, Route
from vrpcore.instance.solution import Solution

_Shares = dict[tuple[int, int], int]  # stops that a known route and a route have in common


def unfit_counts(known: Plan, routes: Sequence[Route], solution: Solution) -> Iterator[str]:
    """Stated numbers of stops that stay, or do not, that are not the right ones; in words.

    Args:
        known: The plan that was to be kept.
        routes: Of the answer.
        solution: The answer.
    """
    kept, moved = kept_and_moved(known.routes, routes)
    for key, stated, expected in (("kept", solution.kept, kept), ("moved", solution.moved, moved)):
        if stated != expected:
            yield f"{key}: {describe(stated)}, expected {expected}"


def kept_and_moved(known: Sequence[Route], routes: Sequence[Route]) -> tuple[int, int]:
    """How many stops stay and how many do not, where the routes are matched for the most to stay.

    Each known route is matched with at most one route, of the same type where it names one. Stops
    that only one of the plans serves count neither way.

    Args:
        known: The plan that was to be kept; a stop belongs to the first that has it.
        routes: Of the answer.
    """
    served = {stop: row for row, route in enumerate(routes) for stop in route.stops}
    shares: _Shares = {}
    counted: set[int] = set()
    for row, route in enumerate(known):
        for stop in route.stops:
            if stop in served and stop not in counted:
                counted.add(stop)
                pair = row, served[stop]
                shares[pair] = shares.get(pair, 0) + 1
    fitting = {
        (row, other): number
        for (row, other), number in shares.items()
        if known[row].vehicle in (ANY_VEHICLE, routes[other].vehicle)
    }
    kept = sum(_most(part) for part in _parts(fitting))
    return kept, len(counted) - kept


def _parts(shares: _Shares) -> list[_Shares]:
    """Pairs that have no route in common with the pairs of other parts."""
    leader: dict[tuple[str, int], tuple[str, int]] = {}

    def first(item: tuple[str, int]) -> tuple[str, int]:
        while leader.setdefault(item, item) != item:
            leader[item] = leader[leader[item]]
            item = leader[item]
        return item

    for row, other in shares:
        leader[first(("known", row))] = first(("own", other))
    parts: dict[tuple[str, int], _Shares] = {}
    for (row, other), number in shares.items():
        parts.setdefault(first(("known", row)), {})[row, other] = number
    return list(parts.values())


def _most(shares: _Shares) -> int:
    """The largest sum of shares of pairs of which no two have a route in common.

    Adds one known route after the other along the path that gains most (successive shortest
    paths; Ahuja, Magnanti and Orlin 1993, section 12.4).
    """
    match: dict[int, int] = {}  # of a route, the known route that it is matched with
    edges: dict[int, dict[int, int]] = {}
    for (row, other), number in shares.items():
        edges.setdefault(row, {})[other] = number
    total = 0
    for row in sorted(edges):
        gain, path = _best_path(edges, match, row)
        total += gain
        for known, other in path:
            match[other] = known
    return total


def _best_path(
    edges: dict[int, dict[int, int]], match: dict[int, int], row: int
) -> tuple[int, list[tuple[int, int]]]:
    """What one more known route gains, and the pairs that change then."""
    best = {row: (0, list[tuple[int, int]]())}  # of a known route that is free: gain and pairs
    waiting, found = [row], (0, list[tuple[int, int]]())
    while waiting:
        free = waiting.pop(0)
        gain, path = best[free]
        for other, number in edges[free].items():
            loser = match.get(other)
            more, longer = gain + number, [*path, (free, other)]
            if loser is None:
                if more > found[0]:
                    found = more, longer
            elif loser != free:
                more -= edges[loser][other]
                if loser not in best or more > best[loser][0]:
                    best[loser] = more, longer
                    waiting.append(loser)
    for loser, (gain, path) in best.items():
        if loser != row and gain > found[0]:
            found = gain, path
    return found
