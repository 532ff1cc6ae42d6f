"""crossover.hpp against the same in plain Python."""

import itertools

import numpy as np
import pytest

from tests.vrpcore.native.hgs.model.randomness import Random
from tests.vrpcore.native.hgs.trials import Trial, placed
from vrpcore.search.pool import signature
from vrpcore.search.scaling import is_directed

SEEDS = range(40)


def shuffled(random, numbers):
    numbers = list(numbers)
    for left in range(len(numbers), 1, -1):
        other = random.below(left)
        numbers[left - 1], numbers[other] = numbers[other], numbers[left - 1]
    return numbers


def parents(case, seed):
    """The routes of the case, and others of the same customers."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(case.order).tolist()
    cuts = sorted(rng.choice(np.arange(1, len(order)), 1 + seed % 3, replace=False).tolist())
    return case.routes, [order[a:b] for a, b in itertools.pairwise([0, *cuts, len(order)])]


def crossed(random, mother, father):
    """A piece of the first order; from behind it on, the others as the second one has them."""
    size = len(mother)
    start, length = random.below(size), 1 + random.below(size)
    order = [0] * size
    for place in range(start, start + length):
        order[place % size] = mother[place % size]
    free = start + length
    for place in range(free, free + size):
        if father[place % size] not in order:
            order[free % size] = father[place % size]
            free += 1
    return order


def with_region(case, random, mother, father, lanes):
    """Routes around a customer give way to the father's of whom most is missing."""
    routes = [*map(list, mother), *[[] for _ in range(lanes - len(mother))]]
    half = 1 + random.below(max(1, len(mother) // 2))
    wanted = max(1, min(len(mother) - 1, half))
    seed, dropped = 1 + random.below(len(case.order)), []
    for customer in (seed, *case.windows.problem(case.problem)[2][seed]):
        lane = next((lane for lane, route in enumerate(routes) if customer in route), None)
        if lane is not None and len(dropped) < wanted:
            routes[lane] = []
            dropped.append(lane)

    def missing(route):
        return [customer for customer in route if not any(customer in each for each in routes)]

    shares = [1000 * len(missing(route)) // len(route) for route in father]
    for lane in dropped:
        most = shares.index(max(shares))
        if shares[most]:
            routes[lane] = missing(father[most])
            shares[most] = 0
    for customer in shuffled(random, missing(range(1, len(case.order) + 1))):
        ways = [
            [*routes[:lane], changed, *routes[lane + 1 :]]
            for lane, route in enumerate(routes)
            for changed in placed(route, customer)
        ]
        routes = min(ways, key=case.price)
    return routes


@pytest.fixture(params=[False, True])
def case(windows, request):
    return Trial(windows, 5, request.param, 3.7)


def test_any_order(case):
    for seed in SEEDS:
        found = case.windows.cross_orders(case.problem, seed)
        assert found == shuffled(Random(seed), range(1, 10)), seed


def test_orders(case):
    for seed in SEEDS:
        both = parents(case, seed)
        found = case.windows.cross_orders(case.problem, seed, *both)
        assert found == crossed(
            Random(seed), *(list(itertools.chain(*routes)) for routes in both)
        ), seed


def test_regions(case):
    for seed in SEEDS:
        for vehicles in (4, 5):
            mother, father = parents(case, seed)
            if seed % 2:
                mother, father = father, mother
            args = (case.problem, vehicles, case.rate, seed, mother, father)
            found = case.windows.cross_regions(*args)
            expected = with_region(case, Random(seed), mother, father, vehicles)
            one_way = is_directed(case.instance)
            assert signature(found, one_way) == signature(expected, one_way), seed
