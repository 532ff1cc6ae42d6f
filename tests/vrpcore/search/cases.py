"""Instances and checks that the tests of the search share."""

from dataclasses import replace

import numpy as np

from tests.build import plain
from vrpcore.arrays.batch import plain_batch
from vrpcore.cost.tour_routes import route_costs, routes_to_tour


def total(instance, routes):
    """Cost of routes."""
    return sum(route_costs(instance, routes))


def check(instance, routes):
    """Every customer once, no route empty or over the limit."""
    visits = sorted(customer for route in routes for customer in route)
    assert visits == list(range(1, instance.num_customers + 1))
    assert all(route and instance.load(tuple(route)) <= instance.load_limit for route in routes)


def known_problems(sizes, seed=0, capacity=20):
    """Random instances of these numbers of customers, padded; places, and one tour of each."""
    rng = np.random.default_rng(seed)
    shape = (len(sizes), max(sizes) + 1)
    num_nodes = np.array(sizes) + 1
    demand = rng.integers(1, 10, shape)
    demand[:, 0] = 0
    demand[np.arange(shape[1]) >= num_nodes[:, None]] = 0
    tours = np.zeros((shape[0], 2 * shape[1]), np.int64)
    for row, size in enumerate(sizes):
        routes = [[]]
        for customer in (1 + rng.permutation(size)).tolist():
            if demand[row, [*routes[-1], customer]].sum() > capacity:
                routes.append([])
            routes[-1].append(customer)
        tours[row] = routes_to_tour(routes, tours.shape[1])
    coords = rng.random((*shape, 2))
    return plain_batch(coords, demand, np.full(len(sizes), capacity), num_nodes - 1), coords, tours


def full_fleet(seed, capacities=(50, 100, 200, 1000)):
    """A fleet that must be filled to the brim, and routes that do it.

    20 to 60 customers, 3 to 6 vehicles; what each vehicle carries is cut into pieces. Pieces
    of 1 and 2 lie far away from the depot, where a search that looks at lengths comes last.
    """
    rng = np.random.default_rng(seed)
    vehicles, capacity = int(rng.integers(3, 7)), int(rng.choice(capacities))
    size = int(rng.integers(max(20, 3 * vehicles), 61))
    routes = [
        list(map(int, route + 1)) for route in np.array_split(rng.permutation(size), vehicles)
    ]
    demand = np.zeros(size + 1)
    angle, radius = rng.random(size + 1) * 2 * np.pi, rng.random(size + 1) * 60
    for route in routes:
        small = int(rng.integers(1, max(2, len(route) // 3)))
        demand[route[:small]] = rng.integers(1, 3, small)
        left = capacity - int(demand[route].sum())
        cuts = np.sort(rng.choice(np.arange(1, left), len(route) - small - 1, replace=False))
        demand[route[small:]] = np.diff([0, *cuts, left])
        radius[route[:small]] = 200 + 100 * rng.random(small)
    coords = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    coords[0] = 0.0
    return plain(coords, demand[1:], capacity, max_vehicles=vehicles), routes


def rounded_up():
    """Sixteen vehicles, and routes of ten for each that fit, but not with demands rounded up."""
    instance = plain(demand=[0.1000000000999999] * 160, capacity=1.0, max_vehicles=16)
    instance = replace(instance, coords=np.random.default_rng(1).random((161, 2)))
    return instance, np.arange(1, 161).reshape(16, 10).tolist()
