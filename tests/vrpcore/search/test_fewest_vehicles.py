"""Plain instances: the number of routes before their cost."""

import dataclasses
import time

import numpy as np
import pytest

from tests.build import plain, random_instance
from tests.vrpcore.search.cases import check, full_fleet, total
from vrpcore.cost.vehicle_bound import fewest_vehicles
from vrpcore.instance.instance import Instance
from vrpcore.search import hgs_library
from vrpcore.search.effort import Effort
from vrpcore.search.fewest_vehicles import search_smallest_fleet
from vrpcore.search.hgs_search import improve_instance
from vrpcore.search.savings import savings_routes
from vrpcore.search.watch import Watch

pytestmark = pytest.mark.skipif(not hgs_library.is_built(), reason="the search was not built")


def two_sides() -> Instance:
    """Three customers on each of two sides, and two fit into a vehicle; changing sides is dear."""
    side = np.array([0, 1, 1, 1, 2, 2, 2])
    lengths = np.where(side[:, None] == side[None, :], 0.1, 100.0)
    lengths[0] = lengths[:, 0] = 1.0
    np.fill_diagonal(lengths, 0.0)
    return plain(demand=[4] * 6, distances=lengths)


@pytest.mark.parametrize("end", [None, 0.2])
def test_fewer_routes_come_before_their_cost(end):
    instance = two_sides()
    effort = Effort("fast", None if end is None else time.perf_counter() + end)
    cheapest, fewest = improve_instance(instance, []), search_smallest_fleet(instance, [], effort)
    check(instance, fewest)
    assert (len(cheapest), total(instance, cheapest)) == (4, pytest.approx(8.2))
    assert (len(fewest), total(instance, fewest)) == (3, pytest.approx(106.2))


def test_a_bound_that_cannot_be_reached_is_passed():
    demand = np.array([0.0, 3.4, 3.4, 3.4, 3.4, 3.4, 3.0])  # two vehicles carry 20 if not cut
    instance = dataclasses.replace(two_sides(), demand=demand)
    assert fewest_vehicles(instance) == 2
    found = search_smallest_fleet(instance, [])
    check(instance, found)
    assert len(found) == 3


@pytest.mark.parametrize("seed", range(3))
def test_full_fleets_are_found_without_being_told(seed):
    instance, routes = full_fleet(seed)
    free = dataclasses.replace(instance, max_vehicles=None)
    found = search_smallest_fleet(free, [])
    check(free, found)
    assert len(found) == len(routes)


def test_a_search_without_time_still_answers():
    instance = random_instance(1, 30)
    found = search_smallest_fleet(instance, [], Effort("fast", time.perf_counter() - 1.0))
    check(instance, found)


def test_a_fleet_that_is_too_small_does_not_end_the_search():
    """Seven vehicles by the sum of the loads, but only two customers fit into each: ten."""
    rng = np.random.default_rng(5)
    instance = plain(coords=rng.random((21, 2)), demand=[34.0] * 20, capacity=100.0)
    watch = Watch(no_improvement=0.5)
    found = search_smallest_fleet(instance, [], Effort("deep", watch=watch))
    check(instance, found)
    assert len(found) == 10
    assert total(instance, found) < total(instance, savings_routes(instance))
