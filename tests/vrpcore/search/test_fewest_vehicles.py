"""Plain instances: the number of routes before their cost."""

import dataclasses
import time

import numpy as np
import pytest

from tests.build import plain, random_instance
from tests.vrpcore.search.cases import check, full_fleet, total
from vrpcore.cost.vehicle_bound import fewest_vehicles
from vrpcore.instance.instance import Instance
from vrpcore.search import fewest_vehicles as smallest_fleet
from vrpcore.search.effort import Effort
from vrpcore.search.fewest_vehicles import search_smallest_fleet
from vrpcore.search.hgs_search import improve_instance
from vrpcore.search.savings import savings_routes
from vrpcore.search.watch import Watch


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


def pairs() -> Instance:
    """Seven vehicles by the sum of the loads, but only two customers fit into each: ten."""
    rng = np.random.default_rng(5)
    return plain(coords=rng.random((21, 2)), demand=[34.0] * 20, capacity=100.0)


def test_a_fleet_that_is_too_small_does_not_end_the_search():
    instance, watch = pairs(), Watch(no_improvement=0.5)
    found = search_smallest_fleet(instance, [], Effort("deep", watch=watch))
    check(instance, found)
    assert len(found) == 10
    assert total(instance, found) < total(instance, savings_routes(instance))


def test_of_fleets_that_are_too_small_only_the_largest_is_searched():
    instance, watch, one = pairs(), Watch(), Watch()
    assert fewest_vehicles(instance) == 7
    search_smallest_fleet(instance, [], Effort(watch=watch))
    improve_instance(dataclasses.replace(instance, max_vehicles=9), [], Effort(watch=one))
    most = one.seen().iterations + Effort().total(instance.num_customers)
    assert 0 < watch.seen().iterations <= most


def test_a_stopped_search_tries_no_fleet():
    watch = Watch()
    watch.stop()
    found = search_smallest_fleet(pairs(), [], Effort(watch=watch))
    check(pairs(), found)
    assert watch.seen().iterations == 0


@pytest.fixture
def searches(monkeypatch):
    """The fleets and ends of searches; one for the cost uses 14 vehicles, 12 are the fewest."""
    seen = []

    def improve(instance, candidates, effort, seed):
        seen.append((instance.max_vehicles, effort.end, len(candidates[0])))
        fleet = instance.max_vehicles
        return [[1]] * (14 if fleet is None else max(fleet, 12))

    monkeypatch.setattr(smallest_fleet, "improve_instance", improve)
    return seen


def test_fleets_are_tried_downwards_from_what_is_found(searches):
    found = search_smallest_fleet(pairs(), [[[1]] * 20])
    assert len(found) == 12
    assert searches == [(None, None, 20), (13, None, 14), (12, None, 13), (11, None, 12)]


def test_what_is_left_of_the_time_goes_into_the_cost_of_the_smallest_fleet(searches):
    end = time.perf_counter() + 1000.0
    assert len(search_smallest_fleet(pairs(), [[[1]] * 20], Effort(end=end))) == 12
    assert [fleet for fleet, _, _ in searches] == [None, 13, 12, 11, 12]
    ends = [each for _, each, _ in searches]
    assert ends[0] < ends[1] < end == ends[-1]


def test_a_fleet_that_is_given_comes_before_smaller_ones(searches):
    given = dataclasses.replace(pairs(), max_vehicles=13)
    assert len(search_smallest_fleet(given, [[[1]] * 20])) == 12
    assert [fleet for fleet, _, _ in searches] == [13, 12, 11]
    searches.clear()
    given = dataclasses.replace(pairs(), max_vehicles=11)  # which no search finds routes for
    assert len(search_smallest_fleet(given, [[[1]] * 20])) == 12
    assert [fleet for fleet, _, _ in searches] == [11, 11]
