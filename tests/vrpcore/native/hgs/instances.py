"""Instances of every kind that the search may meet."""

import numpy as np

from tests.build import plain
from vrpcore.cost.distance import distance_matrix

KINDS = (
    "plain",
    "fractions",
    "grid",
    "equal points",
    "one way",
    "one way, few lengths",
    "no triangle",
    "huge",
    "tight",
)


def draw(kind, seed, size):
    """An instance of `size` customers, and the vehicles to search it with."""
    rng = np.random.default_rng([KINDS.index(kind), seed, size])
    nodes = size + 1
    fields = {"coords": rng.random((nodes, 2)) * rng.choice([1.0, 100.0, 5000.0])}
    demand = rng.integers(0, 10, nodes).astype(float)
    capacity = float(rng.choice([9, 15, 30, 100]))
    if kind == "fractions":
        demand = np.where(rng.random(nodes) < 0.2, 0.0, rng.random(nodes) * 9)
    elif kind == "grid":
        fields = {"coords": rng.integers(0, 4, (nodes, 2)).astype(float), "metric": "ceil_2d"}
    elif kind == "equal points":
        fields["coords"] = fields["coords"][rng.integers(0, 1 + nodes // 4, nodes)]
        if seed % 5 == 0:
            fields["coords"][:] = 1.0
    elif kind.startswith("one way"):
        few = kind.endswith("few lengths")
        shape = (nodes, nodes)
        lengths = rng.integers(0, 6, shape).astype(float) if few else rng.random(shape)
        fields = {"coords": None, "distances": lengths}
    elif kind == "no triangle":
        lengths = np.triu(rng.random((nodes, nodes)) ** 8 * 1e4, 1)
        fields = {"coords": None, "distances": lengths + lengths.T}
    elif kind == "huge":
        lengths = np.triu(rng.random((nodes, nodes)), 1)
        lengths = np.where(rng.random(lengths.shape) < 0.3, 1e9, lengths * 1e7)
        lengths = np.triu(lengths, 1)
        fields = {"coords": None, "distances": lengths + lengths.T}
        demand, capacity = demand * 2.0**37, capacity * 2.0**37
    demand[0] = 0.0
    if fields.get("distances") is not None:
        np.fill_diagonal(fields["distances"], 0.0)
    return _instance(kind, capacity, demand, fields), _vehicles(kind, rng, demand, capacity)


def _vehicles(kind, rng, demand, capacity):
    """Enough of them or, for tight fleets, so few that somebody may be left unserved."""
    fewest = max(1, int(np.ceil(demand.sum() / capacity)))
    if kind == "tight":
        return max(1, fewest - int(rng.integers(0, 2)))
    return min(len(demand) - 1, fewest + int(rng.integers(0, len(demand))))


def _instance(kind, capacity, demand, fields):
    instance = plain(demand=demand[1:], capacity=capacity, name=kind, **fields)
    assert np.isfinite(distance_matrix(instance)).all()
    return instance


def starts(problem, seed):
    """Routes to begin from: savings, one vehicle a customer, some routes left out."""
    routes = problem.savings()
    alone = [[customer] for customer in range(1, problem.num_nodes)]
    return (routes, alone, routes[1:])[seed % 3]
