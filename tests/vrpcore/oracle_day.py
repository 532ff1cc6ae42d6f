"""The cheapest routes to serve each set of units, where groups, relations and balance tie them.

Nothing of the product is imported.
"""

import itertools
import math
import operator

from tests.vrpcore.oracle_routes import Routes
from tests.vrpcore.plain_problem import get

EVEN = {
    "duration": lambda route: route.times.duration,
    "distance": lambda route: route.distance,
    "customers": lambda route: len(route.stops),
    "load": lambda route: route.served,
}


class Day:
    """All answers to a problem: of each set of units, those that may be the cheapest.

    Sets are numbers with a bit a unit. What a set of routes is worth is a tuple: the cost, then
    the largest value of any route for each that `balance` prices.
    """

    def __init__(self, problem):
        """Looks at all routes of all vehicle types."""
        self.problem = problem
        balance = get(problem.document, "balance", {})
        self.prices = {key: get(balance, key, 0) for key in EVEN if get(balance, key, 0)}
        units = len(problem.units)
        types = problem.vehicles
        self.counts = tuple(min(get(row, "count", units), units) for row in types)
        self.routes = [self._worth(Routes(problem, i).all().values()) for i in range(len(types))]
        self.tied = [
            _mask(problem.stops[number].unit for number in relation.stops)
            for relation in problem.relations
            if relation.kind != "apart"
        ]
        self.known = {}

    def cost(self, served):
        """The least cost to serve a set, its balance included; infinite where it cannot be."""
        if any((served & _mask(group.members)).bit_count() > 1 for group in self.problem.groups):
            return math.inf
        if self.tied:
            self.known = {}
        ties = [mask & served for mask in self.tied]
        found = self._answers(served, self.counts, ties)
        return min((each[0] + self._balance(each[1:]) for each in found), default=math.inf)

    def _balance(self, largest):
        return sum(price * most for price, most in zip(self.prices.values(), largest, strict=True))

    def _worth(self, routes):
        """Of each set, what its best routes are worth."""
        found = {}
        for route in routes:
            worth = (route.cost, *(EVEN[key](route) for key in self.prices))
            units = (self.problem.stops[number].unit for number in route.stops)
            found.setdefault(_mask(units), []).append(worth)
        return {mask: _best(worths) for mask, worths in found.items()}

    def _answers(self, left, counts, ties):
        """What the best sets of routes are worth that serve a set."""
        if not left:
            return [(0.0,) * (1 + len(self.prices))]
        key = (left, counts)
        if key not in self.known:
            first, found = left & -left, []
            for row, routes in enumerate(self.routes):
                if not counts[row]:
                    continue
                fewer = (*counts[:row], counts[row] - 1, *counts[row + 1 :])
                for mask, worths in routes.items():
                    if mask & first and not mask & ~left and _keeps(mask, ties):
                        others = self._answers(left & ~mask, fewer, ties)
                        found += itertools.starmap(_joined, itertools.product(worths, others))
            self.known[key] = _best(found)
        return self.known[key]


def _keeps(mask, ties):
    """Whether a route has all or none of each set that is to be in one route."""
    return all(mask & tie in (0, tie) for tie in ties)


def _joined(one, other):
    return (one[0] + other[0], *map(max, one[1:], other[1:]))


def _best(worths):
    """Those that no other is as good as in everything."""
    found = []
    for worth in sorted(set(worths)):
        if not any(all(map(operator.le, own, worth)) for own in found):
            found.append(worth)
    return found


def _mask(units):
    found = 0
    for unit in units:
        found |= 1 << unit
    return found
