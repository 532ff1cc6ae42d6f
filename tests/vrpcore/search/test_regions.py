"""The search of large instances, on small ones with small regions."""

import itertools
import math
import time
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import random_instance
from tests.vrpcore.native.hgs.instances import KINDS, draw
from tests.vrpcore.search.cases import check, total
from vrpcore.cost.distance import distance_matrix
from vrpcore.instance.instance import METRICS
from vrpcore.search import regions
from vrpcore.search.effort import Effort
from vrpcore.search.evolution import most_routes
from vrpcore.search.hgs_library import Problem
from vrpcore.search.regions import RegionSearch
from vrpcore.search.savings import savings_routes
from vrpcore.search.watch import Watch


@pytest.fixture
def small_regions(monkeypatch):
    monkeypatch.setattr(regions, "REGION_SIZE", 100)
    monkeypatch.setattr(regions, "REGION_ROUTES", 3)


def search_of(instance, start=None, vehicles=None, seed=1):
    problem = Problem(instance, instance.distances)
    start = start or problem.savings()
    return RegionSearch(problem, start, vehicles or most_routes(instance, [start]), seed)


def found_by(iterations, instance, *start_and_vehicles, cores=1, seed=1):
    """The routes that a search finds."""
    search = search_of(instance, *start_and_vehicles, seed=seed)
    search.run(iterations, cores)
    return search.best()


@pytest.mark.parametrize("metric", METRICS)
def test_all_metrics_get_better(small_regions, metric):
    instance = random_instance(1, 400, 30.0, metric=metric)
    start = savings_routes(instance)
    found = found_by(120, instance, start)
    check(instance, found)
    assert total(instance, found) < 0.99 * total(instance, start)


@settings(max_examples=25, deadline=None)
@given(kind=st.sampled_from(KINDS), seed=st.integers(0, 1000), size=st.integers(2, 40))
def test_all_kinds_stay_within_their_limits(kind, seed, size):
    """Matrices of all kinds, too; nothing is lost, and nothing becomes worse than the start."""
    instance, _ = draw(kind, seed, size)
    start = savings_routes(instance)
    found = found_by(30, instance, start)
    check(instance, found)
    assert total(instance, found) <= total(instance, start) * (1 + 1e-6)


@pytest.mark.parametrize("directed", [False, True])
def test_a_matrix_and_places_of_it_are_about_as_good(directed):
    instance = random_instance(2, 150, 40.0)
    matrix = distance_matrix(instance)
    if directed:
        matrix = matrix * np.random.default_rng(0).uniform(1.0, 1.2, matrix.shape)
    by_matrix = random_instance(2, 150, 40.0, distances=matrix)
    found = found_by(200, by_matrix)
    check(by_matrix, found)
    start = savings_routes(by_matrix)
    assert total(by_matrix, found) < 0.98 * total(by_matrix, start)


def test_the_number_of_cores_changes_nothing(small_regions):
    found = partial(found_by, 6, random_instance(3, 500, 30.0))
    assert found(cores=1) == found(cores=2) == found(cores=5)
    assert found() != found(seed=2)


def test_customers_without_a_vehicle_get_one_where_there_is_room():
    """Of 78 units of demand, 3 vehicles of 26 hold all, full to the brim."""
    instance = random_instance(12, 12, 26.0, max_vehicles=3)
    instance.demand[1:] = np.arange(1, 13)
    start = [[customer] for customer in range(1, 13)]
    found = found_by(2000, instance, start, 3)
    check(instance, found)
    assert len(found) == 3


def test_many_without_a_vehicle(small_regions):
    instance = random_instance(4, 400, 30.0)
    needed = int(np.ceil(instance.demand.sum() / 30.0))
    start = savings_routes(instance)[: needed // 2]
    check(instance, found_by(100, instance, start, needed + 8))


def test_where_not_all_fit_the_rest_is_left_out():
    instance = random_instance(5, 120, 30.0)
    found = found_by(50, instance, None, 5)
    served = [customer for route in found for customer in route]
    assert len(found) <= 5 and len(served) == len(set(served)) < 120
    assert all(instance.load(route) <= instance.load_limit for route in found)


def test_a_clock_ends_the_search(small_regions):
    instance = random_instance(6, 600, 30.0)
    search = search_of(instance)
    started = time.perf_counter()
    search.run_until(Effort(end=started + 0.3, cores=2))
    assert 0.25 < time.perf_counter() - started < 5
    check(instance, search.best())


class Recorded(RegionSearch):
    """Notes the temperature of each slice; the first takes a millisecond, others `slice_s`."""

    def __init__(self, *args, slice_s, wait):
        super().__init__(*args)
        self.slices, self._seconds, self._wait = [], slice_s, wait

    def anneal(self, temperature, iterations, end, cores):
        self._wait(self._seconds if self.slices else 0.001)
        self.slices.append((temperature, iterations))


@pytest.fixture
def slices(monkeypatch):
    """The slices of a search by a clock of its own, which begins at 0."""
    now = [0.0]

    def wait(seconds):
        now[0] += seconds

    def searched(slice_s=0.001, **options):
        problem = Problem(random_instance(6, 60, 30.0), None)
        search = Recorded(problem, problem.savings(), 30, 1, slice_s=slice_s, wait=wait)
        monkeypatch.setattr(time, "perf_counter", lambda: now[0])
        search.run_until(Effort(**options))
        return search.slices

    return searched


def falls(temperatures):
    """How often a search cooled down: its temperatures, divided where it is warmer again."""
    runs = [[]]
    for before, after in itertools.pairwise([math.inf, *temperatures]):
        if after > before:
            runs.append([])
        runs[-1].append(after)
    return runs


def test_by_a_clock_it_cools_once(slices):
    first, *rest = slices(end=0.3)
    assert first == (regions.COOLEST, regions.SLICE)
    assert len(falls([temperature for temperature, _ in rest])) == 1


def test_it_cools_within_the_patience_of_its_watch_and_again(slices):
    _, *rest = slices(end=1.0, watch=Watch(no_improvement=0.2))
    runs = falls([temperature for temperature, _ in rest])
    assert len(runs) > 3
    assert all(run[-1] < 2 * regions.COOLEST for run in runs[:-1])


@pytest.mark.parametrize("slice_s", [0.001, 0.1])
def test_with_patience_a_number_of_iterations_still_ends_it(slices, slice_s):
    found = slices(slice_s, iterations=570, watch=Watch(no_improvement=1000.0))
    assert [iterations for _, iterations in found] == [1.0] * 9 + [0.5]
    temperatures = [temperature for temperature, _ in found[1:]]
    assert temperatures == sorted(temperatures, reverse=True)


def test_everyone_at_one_place():
    coords = np.ones((61, 2))
    coords[0] = 0.0
    instance = random_instance(7, 60, 30.0, coords=coords)
    check(instance, found_by(20, instance))


@pytest.mark.parametrize("places", [1, 3])
@pytest.mark.parametrize("matrix", [False, True])
def test_many_at_one_place_share_vehicles(places, matrix):
    """More than there are near customers, at each of a few places."""
    size = 450
    coords = np.zeros((size + 1, 2))
    coords[1:, 0] = 1.0 + np.arange(size) % places
    instance = random_instance(7, size, 5.0, coords=coords)
    instance.demand[1:] = 1.0
    if matrix:
        instance = random_instance(7, size, 5.0, distances=distance_matrix(instance))
        instance.demand[1:] = 1.0
    found = found_by(20, instance)
    check(instance, found)
    assert len(found) == size // 5


def test_a_position_next_to_the_depot_is_looked_at():
    """On a line, a customer between the depot and a route's first customer costs nothing."""
    coords = np.array([[0.0, 0.0], [100.0, 0.0], [10.0, 0.0], [-10.0, 0.0], [-11.0, 0.0]])
    instance = random_instance(7, 4, 2.0, coords=coords)
    instance.demand[1:] = 1.0
    found = found_by(200, instance, [[1], [3, 4], [2]], 3)
    assert sorted(map(sorted, found)) == [[1, 2], [3, 4]]
