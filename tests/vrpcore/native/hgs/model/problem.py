"""An instance in whole numbers."""

import itertools

import numpy as np

from tests.vrpcore.native.hgs.model.arithmetic import rounded
from vrpcore.search.scaling import is_directed, whole_demand

LARGEST_LENGTH = 1_000_000_000
MEDIAN_LENGTH, LEAST_MEDIAN = 1_000_000.0, 10_000.0
MEDIAN_SAMPLE = 10_000
MOST_NEAR = 100


def scale_of(lengths):
    """What a list of lengths is multiplied by."""
    largest = max(lengths)
    if largest == 0.0:
        return 1.0
    if largest <= LARGEST_LENGTH and all(length == rounded(length) for length in lengths):
        return 1.0
    step = max(1, len(lengths) // MEDIAN_SAMPLE)
    sample = [length for length in lengths[::step] if length > 0.0][: MEDIAN_SAMPLE + 1]
    if not sample:
        return MEDIAN_LENGTH / largest
    median = sorted(sample)[len(sample) // 2]
    return min(max(LARGEST_LENGTH / largest, LEAST_MEDIAN / median), MEDIAN_LENGTH / median)


class Problem:
    """Built from what `native.Problem` is built from."""

    def __init__(self, instance, matrix):
        demand, self.limit = whole_demand(instance)
        self.demand = demand.tolist()
        self.num_nodes = len(self.demand)
        self.directed = is_directed(instance)
        self.customers = range(1, self.num_nodes)
        scale = scale_of(np.ravel(matrix).tolist())
        self.length = [
            [
                0 if column == row else round(min(length * scale, LARGEST_LENGTH))
                for column, length in enumerate(lengths)
            ]
            for row, lengths in enumerate(matrix.tolist())
        ]
        self.near = [self.nearest(node) for node in range(self.num_nodes)]

    def nearest(self, node):
        """Customers by the way there and back, then by number."""
        others = [other for other in self.customers if other != node]
        others.sort(key=lambda other: self.length[node][other] + self.length[other][node])
        return others[: min(MOST_NEAR, self.num_nodes - 2)]

    def load(self, route):
        return sum(self.demand[customer] for customer in route)

    def route_cost(self, route):
        nodes = [0, *route, 0]
        return sum(self.length[a][b] for a, b in itertools.pairwise(nodes))
