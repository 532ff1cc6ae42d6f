import itertools
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import plain, random_instance
from tests.vrpcore.search.cases import check, rounded_up, total
from vrpcore.cost.tour_routes import route_costs
from vrpcore.instance.instance import METRICS
from vrpcore.search import hgs_search
from vrpcore.search.effort import Effort
from vrpcore.search.hgs_search import improve_instance
from vrpcore.search.pool import signature
from vrpcore.search.savings import savings_routes
from vrpcore.search.watch import Watch


def alone(instance):
    return [[customer] for customer in range(1, instance.num_customers + 1)]


def optimum(instance):
    """Cheapest cost by trying every order and every cut (small N only)."""
    best = np.inf
    for order in itertools.permutations(range(1, instance.num_customers + 1)):
        cheapest = [0.0]
        for end in range(1, len(order) + 1):
            cheapest.append(
                min(
                    cheapest[start] + route_costs(instance, [order[start:end]])[0]
                    for start in range(end)
                    if instance.load(order[start:end]) <= instance.load_limit
                )
            )
        best = min(best, cheapest[-1])
    return best


@pytest.mark.parametrize("seed", range(5))
def test_small_instances_are_solved_to_optimality(seed):
    instance = random_instance(seed, 6, 15.0)
    found = improve_instance(instance, [alone(instance)])
    assert total(instance, found) == pytest.approx(optimum(instance))


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), size=st.integers(1, 25), metric=st.sampled_from(METRICS))
def test_feasible_complete_and_never_dearer(seed, size, metric):
    instance = random_instance(seed, size, metric=metric)
    candidates = [savings_routes(instance), alone(instance)]
    found = improve_instance(instance, candidates)
    check(instance, found)
    assert total(instance, found) <= total(instance, candidates[0]) * (1 + 1e-12)


def test_without_candidates_savings_are_searched():
    instance = random_instance(1, 30)
    found = improve_instance(instance, [])
    check(instance, found)
    assert total(instance, found) <= total(instance, savings_routes(instance))


def test_no_customers_and_no_search():
    assert improve_instance(random_instance(0, 0), []) == []
    instance = random_instance(0, 5)
    assert improve_instance(instance, [alone(instance)], Effort("none")) == alone(instance)
    assert improve_instance(instance, [], Effort("none")) == savings_routes(instance)


def test_seed_decides_alone():
    instance, other = random_instance(2, 40), random_instance(3, 40)
    first = improve_instance(instance, [], seed=5)
    improve_instance(other, [], seed=5)
    assert improve_instance(instance, [], seed=5) == first


def test_time_already_up_returns_the_cheapest_start():
    instance = random_instance(4, 50)
    found = improve_instance(instance, [alone(instance)], Effort(end=0.0))
    assert signature(found) == signature(savings_routes(instance))


def test_one_way_matrix():
    matrix = np.random.default_rng(5).random((21, 21))
    np.fill_diagonal(matrix, 0.0)
    instance = random_instance(5, 20, coords=None, distances=matrix)
    found = improve_instance(instance, [alone(instance)])
    check(instance, found)
    assert total(instance, found) <= total(instance, savings_routes(instance)) * (1 + 1e-12)


@pytest.mark.parametrize(
    ("seed", "size", "capacity", "vehicles", "demand"),
    [
        (6, 20, 60.0, 2, 5.0),
        (12, 12, 26.0, 3, np.arange(1, 13)),  # 78 = 3 * 26: every vehicle is full to the brim
    ],
    ids=["room to spare", "none"],
)
def test_vehicle_limit_comes_before_cost(seed, size, capacity, vehicles, demand):
    instance = random_instance(seed, size, capacity, max_vehicles=vehicles)
    instance.demand[1:] = demand
    found = improve_instance(instance, [alone(instance)])
    check(instance, found)
    assert len(found) == vehicles


@pytest.mark.parametrize("fields", [{}, {"max_vehicles": 400}])
def test_large_instances_are_searched_in_regions(monkeypatch, fields):
    monkeypatch.setattr(hgs_search, "LARGEST_BRED", 100)
    instance = random_instance(7, 240, **fields)
    routes = savings_routes(instance)
    found = improve_instance(instance, [routes])
    check(instance, found)
    assert total(instance, found) < 0.995 * total(instance, routes)
    hurried = improve_instance(instance, [routes], Effort(end=0.0))
    check(instance, hurried)
    assert total(instance, hurried) <= total(instance, routes)


def test_a_clock_ends_the_search():
    instance = random_instance(10, 40)
    whole = improve_instance(instance, [], Effort(end=time.perf_counter() + 0.1))
    check(instance, whole)
    assert total(instance, whole) < total(instance, savings_routes(instance))


def test_deep_is_no_worse_than_fast():
    instance = random_instance(11, 60)
    deep, fast = (improve_instance(instance, [], Effort(level)) for level in ("deep", "fast"))
    assert total(instance, deep) <= total(instance, fast) * (1 + 1e-12)


@pytest.mark.parametrize("fields", [{}, {"max_vehicles": 90}])
def test_the_number_of_cores_changes_nothing(fields):
    def solved(cores):
        return improve_instance(instance, [], Effort(cores=cores), seed=3)

    instance = random_instance(13, 150, **fields)
    assert solved(1) == solved(2) == solved(5) == solved(30)


def test_cores_keep_the_clock():
    instance = random_instance(14, 150)
    started = time.perf_counter()
    found = improve_instance(instance, [], Effort(end=started + 0.2, cores=4))
    check(instance, found)
    assert 0.1 < time.perf_counter() - started < 5


def test_routes_that_fit_only_before_demands_are_rounded_up():
    instance, routes = rounded_up()
    found = improve_instance(instance, [routes], Effort(iterations=3000))
    check(instance, found)
    assert len(found) == 16
    assert total(instance, found) <= total(instance, routes)


def test_far_customers_are_searched_where_most_are_at_one_place():
    """A tower of 75, whose legs are metres, and 25 on a road of 150 km, there and back."""
    rng = np.random.default_rng(2)
    road = rng.permutation(np.arange(6.0, 151.0, 6.0))
    places = np.concatenate([rng.normal(0, 0.002, (76, 2)), np.stack([road, 0 * road], axis=1)])
    instance = plain(coords=places, capacity=25.0)
    watch = Watch(target_cost=200.0)
    found = improve_instance(instance, [alone(instance)], Effort(watch=watch))
    assert total(instance, found) == pytest.approx(300, abs=1)
    assert not watch.stopped


def test_the_time_limit_holds_for_counted_iterations_that_nobody_watches():
    instance = random_instance(15, 40)
    effort = Effort(end=time.perf_counter() + 0.1, iterations=10**12)
    check(instance, improve_instance(instance, [], effort))
