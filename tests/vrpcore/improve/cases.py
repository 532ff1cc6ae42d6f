"""Instances and checks that the tests of the search share."""

import numpy as np

from vrpcore.cost.routes import route_cost
from vrpcore.instance.instance import Instance


def random_instance(seed, size, capacity=30.0, integer=True, **fields):
    """Random customers on [0, 100]^2 unless `fields` say otherwise."""
    rng = np.random.default_rng(seed)
    demand = rng.integers(0, 10, size + 1).astype(float) if integer else rng.random(size + 1) * 9
    demand[0] = 0.0
    fields.setdefault("coords", rng.random((size + 1, 2)) * 100)
    return Instance(
        name="i", capacity=capacity, demand=demand, ids=tuple(range(1, size + 1)), **fields
    )


def total(instance, routes):
    """Cost of routes."""
    return sum(route_cost(instance, route) for route in routes)


def check(instance, routes):
    """Every customer once, no route empty or over the limit."""
    visits = sorted(customer for route in routes for customer in route)
    assert visits == list(range(1, instance.num_customers + 1))
    assert all(route and instance.load(tuple(route)) <= instance.load_limit for route in routes)
