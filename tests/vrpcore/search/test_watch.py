"""Searches that are watched, and ended early."""

import ctypes
import math
import random
import threading
import time
from dataclasses import replace

import pytest

from tests.build import constrained, mixed_instance, on_a_line, random_instance
from vrpcore.cost.tour_routes import route_costs
from vrpcore.search.effort import Effort
from vrpcore.search.search import search_instance
from vrpcore.search.watch import Watch, WatchFields

MOST_S = 60  # until a search has ended, however busy the machine is


def cost_of(instance, plan):
    if instance.constraints is not None:
        return plan.cost
    return math.fsum(route_costs(instance, [route.stops for route in plan.routes]))


def searched(instance, watch, **changes):
    options = {key: changes.pop(key) for key in ("fewest_vehicles",) if key in changes}
    effort = replace(Effort("fast", watch=watch), **changes)
    return search_instance(instance, [], effort, 7, **options)


INSTANCES = [
    random_instance(1, 40),
    random_instance(1, 120),
    random_instance(1, 520),
    mixed_instance(4, 30),
    mixed_instance(4, 110),
]
EACH = pytest.mark.parametrize("instance", INSTANCES, ids=lambda each: each.num_customers)


def test_fields_are_as_many_as_the_search_has():
    assert ctypes.sizeof(WatchFields) == 12 * 8


@EACH
def test_a_search_that_is_watched_finds_the_same(instance):
    watch = Watch()
    found = searched(instance, watch, iterations=30 * instance.num_customers)
    unwatched = searched(instance, None, iterations=30 * instance.num_customers)
    assert found == unwatched
    seen = watch.seen()
    assert not watch.stopped
    assert seen.gains > 0
    assert seen.iterations > 10 * instance.num_customers
    assert seen.cost == pytest.approx(cost_of(instance, found), rel=1e-6)


@EACH
@pytest.mark.parametrize("changes", [{}, {"cores": 2}, {"end": 1e9}, {"end": 1e9, "cores": 2}])
def test_a_stop_ends_a_search_that_would_take_hours(instance, changes):
    watch, found = Watch(), []
    if not changes.get("end"):
        changes = {**changes, "iterations": 10**9 * instance.num_customers}
    thread = threading.Thread(target=lambda: found.append(searched(instance, watch, **changes)))
    thread.start()
    deadline = time.monotonic() + MOST_S
    while not watch.seen().gains:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    watch.stop()
    thread.join(MOST_S)
    assert not thread.is_alive()
    served = [stop for route in found[0].routes for stop in route.stops]
    assert len(served) == len(set(served))
    assert served


@EACH
def test_a_target_ends_it_with_a_plan_that_reaches_it(instance):
    long = 400 * instance.num_customers
    short = searched(instance, None, iterations=60 * instance.num_customers)
    target = 1.005 * cost_of(instance, short)  # a longer run cools in another way
    watch = Watch(target_cost=target)
    found = searched(instance, watch, iterations=long)
    assert watch.stopped
    assert cost_of(instance, found) <= target * (1 + 1e-5)
    assert watch.seen().iterations < long


@pytest.mark.parametrize("cores", [1, 2])
@EACH
def test_it_ends_when_nothing_better_was_found_for_a_while(instance, cores):
    watch, started = Watch(no_improvement=0.05), time.monotonic()
    searched(instance, watch, iterations=10**9 * instance.num_customers, cores=cores)
    assert watch.stopped
    assert time.monotonic() - started > 0.05


def test_iterations_and_a_time_limit_end_it_whichever_comes_first():
    for instance in INSTANCES:
        started = time.perf_counter()
        watch = Watch()
        searched(instance, watch, iterations=10**9 * instance.num_customers, end=started + 0.1)
        assert time.perf_counter() - started < MOST_S
        assert not watch.stopped
    watch = Watch()
    searched(INSTANCES[0], watch, iterations=4000, end=time.perf_counter() + 1000)
    assert watch.seen().iterations <= 4000


@pytest.mark.parametrize("instance", [INSTANCES[0], INSTANCES[3]])
def test_fewest_vehicles_are_stopped_too(instance):
    watch = Watch()
    watch.stop()
    found = searched(instance, watch, fewest_vehicles=True)
    assert found.routes


def test_parts_are_noted_as_one_plan():
    watch = Watch(target_cost=5.0)
    watch.follow_parts()
    watch.note(9.0)
    watch.note(10.0)
    assert (watch.seen().gains, watch.seen().cost, watch.stopped) == (1, 9.0, False)
    watch.note(5.0)
    assert (watch.seen().gains, watch.seen().cost, watch.stopped) == (2, 5.0, True)


def test_fewer_vehicles_are_a_better_plan_whatever_it_costs():
    watch = Watch()
    watch.follow_parts()
    for cost, vehicles, gains in ((9.0, 3, 1), (12.0, 2, 2), (8.0, 3, 2), (11.0, 2, 3)):
        watch.note(cost, vehicles)
        assert watch.seen().gains == gains
    assert watch.seen().cost == 11.0


def test_costs_that_are_not_the_answers_are_not_shown():
    watch = Watch()
    watch.note(9.0)
    watch.hide_costs()
    assert watch.seen() == (1, 0, None)


@pytest.mark.parametrize("instance", INSTANCES[:4], ids=lambda each: each.num_customers)
def test_gains_of_parts_prolong_its_patience(instance):
    watch = Watch(no_improvement=1e9)
    watch.follow_parts()
    fields = WatchFields.from_address(watch.address)
    searched(instance, watch, iterations=0)
    started = fields.gained_at
    searched(instance, watch, iterations=3000)
    assert fields.gained_at > started
    assert watch.seen().gains == 0


def test_parts_that_are_cut_anew_do_not_prolong_it():
    watch = Watch(no_improvement=1e9)
    watch.follow_parts(gains=False)
    fields = WatchFields.from_address(watch.address)
    fields.gained_at = 1.0
    searched(mixed_instance(4, 30), watch, iterations=3000)
    assert fields.gained_at == 1.0
    watch.note(9.0)
    assert fields.gained_at != 1.0
    customers = [{**each, "demand": 7} for each in on_a_line(*range(1, 9))]
    split = constrained(
        customers=customers, vehicles=[{"capacity": 10, "max_distance": 90}], split=True
    )
    watch = Watch(no_improvement=0.1)
    started = time.perf_counter()
    searched(split, watch, end=started + 60)
    assert time.perf_counter() - started < 50


def test_a_search_for_fewer_vehicles_notes_only_costs():
    """Where vehicles have fixed costs, it follows another one."""
    draw = random.Random(0)
    fixed_cost, customers = draw.choice([30, 100, 300]), []
    for _ in range(60):
        place = {"x": draw.randint(0, 100), "y": draw.randint(0, 100), "demand": draw.randint(1, 6)}
        opens = draw.randint(60, 300)
        window = [opens, opens + draw.randint(60, 150)]
        customers.append({**place, "service": 3, "window": window})
    fleet = [{"capacity": 90, "fixed_cost": fixed_cost}]
    depots = [{"id": "d", "x": 50, "y": 50}]
    instance = constrained(customers=customers, vehicles=fleet, depots=depots)
    watch = Watch()
    found = search_instance(instance, [], Effort("fast", iterations=7200, watch=watch), 1)
    assert watch.seen().cost == pytest.approx(found.cost, abs=1e-6)


def test_a_search_that_a_rule_ended_is_followed_by_another():
    watch = Watch(no_improvement=0.0)
    searched(INSTANCES[0], watch, iterations=10**9)
    assert watch.stopped
    watch.seek_less_cost()
    assert not watch.stopped


def test_what_building_plans_takes_costs_no_patience():
    watch = Watch(no_improvement=1000.0)
    WatchFields.from_address(watch.address).stopped = 2  # as if building them had taken longer
    searched(mixed_instance(4, 30), watch, iterations=300)
    assert watch.seen().iterations >= 300


@pytest.mark.parametrize("noted", [1, 2])  # 2: its patience ended at the same time
def test_what_somebody_stopped_is_not_followed_by_another_search(noted):
    watch = Watch(no_improvement=0.0)
    watch.stop()
    WatchFields.from_address(watch.address).stopped = noted
    watch.seek_less_cost()
    assert watch.stopped


@pytest.mark.parametrize("instance", [INSTANCES[0], INSTANCES[2]])
def test_with_fewer_vehicles_every_plan_is_better_and_may_end_the_search(instance):
    watch = Watch()
    found = searched(instance, watch, iterations=20 * instance.num_customers)
    gains = watch.seen().gains
    watch.seek_fewer_vehicles(until_served=True)
    spare = replace(instance, max_vehicles=len(found.routes))  # stands for a smaller fleet
    searched(spare, watch, iterations=10**9 * instance.num_customers)
    assert watch.stopped
    assert watch.seen().gains == gains + 1
    watch.seek_less_cost()
    assert not watch.stopped
    before = watch.seen()
    searched(instance, watch, iterations=0)
    assert not watch.stopped
    assert watch.seen().cost <= before.cost
