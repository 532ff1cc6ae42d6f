"""What one step of an education is compared with: all that it could have done."""

import itertools

import numpy as np

from tests.build import random_instance
from vrpcore.search.hgs_library import Problem


class Trial:
    """Routes, some of them over the limit, one vehicle left; whole lengths up to 999.

    Args:
        windows: The library.
        seed: Of the lengths, the demands and the routes.
        directed: Lengths differ by direction.
        rate: Price of a unit of load over the limit.
        shortest: No way round is shorter.
    """

    def __init__(self, windows, seed, directed, rate, shortest=False):
        size, limit = 9, 15
        rng = np.random.default_rng([seed, directed, size])
        matrix = rng.integers(1, 1000, (size + 1, size + 1))
        matrix = matrix if directed else np.maximum(matrix, matrix.T)
        np.fill_diagonal(matrix, 0)
        for way in range(size + 1 if shortest else 0):
            matrix = np.minimum(matrix, matrix[:, way, None] + matrix[way])
        self.instance = random_instance(
            seed, size, float(limit), coords=None, distances=matrix.astype(float)
        )
        self.windows, self.rate, self.matrix, self.limit = windows, rate, matrix.tolist(), limit
        self.demand = self.instance.demand.astype(int).tolist()
        self.problem = Problem(self.instance, self.instance.distances)
        order = (rng.permutation(size) + 1).tolist()
        cuts = sorted(rng.choice(np.arange(1, size), 2, replace=False).tolist())
        self.routes = [order[a:b] for a, b in itertools.pairwise([0, *cuts, size])]
        self.order = order
        assert windows.problem(self.problem)[0] == self.matrix

    def length(self, route):
        return sum(self.matrix[a][b] for a, b in itertools.pairwise([0, *route, 0]))

    def price(self, routes, rate=None):
        """Lengths and penalties."""
        rate = self.rate if rate is None else rate
        excess = [max(0, sum(self.demand[c] for c in route) - self.limit) for route in routes]
        return sum(map(self.length, routes)) + sum(int(each * rate) for each in excess)

    def step(self, kind, *places):
        found = self.windows.step(self.problem, 4, self.rate, kind, places, self.routes)
        assert sorted(itertools.chain(*found)) == sorted(self.order)
        return found

    def others(self, *changed):
        return [route for route in self.routes if route not in changed]


def placed(route, customer):
    """The route with a customer at each of its places."""
    return [[*route[:at], customer, *route[at:]] for at in range(len(route) + 1)]
