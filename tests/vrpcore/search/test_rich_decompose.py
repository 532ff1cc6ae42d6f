"""Large plans with constraints in groups of routes."""

import dataclasses
import itertools
import random
import time
from collections import Counter

import pytest

from tests.build import constrained, mixed_instance, on_a_line
from tests.vrpcore.search.mixed import fault, value
from vrpcore.cost.timeline import Timeline
from vrpcore.instance.plan import Plan, Route
from vrpcore.search import rich_decompose
from vrpcore.search import rich_search as whole
from vrpcore.search.effort import Effort
from vrpcore.search.rich_decompose import groups_of, search_parts
from vrpcore.search.rich_library import RichSearch
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.rich_search import search_plan

SIZE = 60


@pytest.fixture
def small_parts(monkeypatch):
    """Sixty stops are many, and three groups."""
    monkeypatch.setattr(whole, "LARGEST_WHOLE", SIZE - 1)
    monkeypatch.setattr(rich_decompose, "PART_SIZE", SIZE // 3)


def limited(seed):
    """A random instance with enough vehicles of each type, but not any number."""
    instance = mixed_instance(seed, SIZE)
    vehicles = tuple(
        dataclasses.replace(each, count=SIZE - row)
        for row, each in enumerate(instance.own_constraints.vehicles)
    )
    constraints = dataclasses.replace(instance.own_constraints, vehicles=vehicles)
    return dataclasses.replace(instance, constraints=constraints)


def plan_of(instance, *args, **options):
    return search_plan(RichProblem(instance), *args, **options)


def test_groups_have_each_stop_once_and_shipments_whole():
    for seed in range(20):
        instance = limited(seed)
        plan = plan_of(instance, Effort("none"))
        for number in range(3):
            groups = groups_of(instance, plan.routes, 20, 0.3 * number, number)
            assert sorted(stop for group in groups for stop in group.stops) == list(
                range(1, SIZE + 1)
            )
            assert sorted(route for group in groups for route in group.routes) == sorted(
                plan.routes
            )
            for group in groups:
                own = set(group.stops)
                partners = {instance.own_constraints.partner(stop) for stop in own} - {None}
                assert partners <= own


def test_groups_share_the_vehicles_that_are_left():
    turned = 0
    for seed in range(20):
        instance = limited(seed)
        plan = plan_of(instance, Effort("none"))
        shares = []
        for number in range(3):
            groups = groups_of(instance, plan.routes, 20, 0.0, number)
            for vehicle, kind in enumerate(instance.own_constraints.vehicles):
                assert sum(group.counts[vehicle] for group in groups) == kind.count
                for group in groups:
                    used = Counter(route.vehicle for route in group.routes)
                    assert group.counts[vehicle] >= used[vehicle]
            shares.append([group.counts for group in groups])
        turned += shares[0] != shares[1]
    assert turned > 10


def test_groups_by_hand():
    instance = constrained(
        customers=on_a_line(1, -2, 3, -4, 5),
        vehicles=[{"count": 4}, {}],
    )
    routes = [Route(0, (1,)), Route(1, (2,)), Route(0, (3, 5)), Route(1, (4,))]
    east, west = groups_of(instance, routes, 3, 0.25, 0)
    assert (east.routes, east.counts) == ([routes[0], routes[2]], [3, None])
    assert (west.routes, west.counts) == ([routes[1], routes[3]], [1, None])


def complete(count):
    """Instances whose first plans serve all required stops, and those plans."""
    instances = map(limited, range(100))
    planned = ((each, plan_of(each, Effort("none"))) for each in instances)
    found = list(itertools.islice((pair for pair in planned if not pair[1].missing), count))
    assert len(found) == count
    return found


@pytest.mark.parametrize("fewest", [False, True])
def test_parts_keep_all_limits_and_are_no_worse(small_parts, fewest):
    better = 0
    for instance, first in complete(5):
        timeline, constraints = Timeline(instance), instance.own_constraints
        found = search_parts(instance, first.routes, Effort("fast"), 1, fewest_vehicles=fewest)
        assert all(fault(instance, timeline, route) is None for route in found.routes)
        used = Counter(route.vehicle for route in found.routes)
        assert all(used[row] <= kind.count for row, kind in enumerate(constraints.vehicles))
        stops = [stop for route in found.routes for stop in route.stops]
        assert len(stops) == len(set(stops))
        assert value(instance, timeline, found.routes)[:2] == (0, 0)
        assert found.cost == pytest.approx(value(instance, timeline, found.routes)[2])
        if fewest:
            assert len(found.routes) <= len(first.routes)
        else:
            assert found.cost <= first.cost + 1e-9
        better += sorted(found.routes) != sorted(first.routes)
    assert better > 2


def test_what_is_on_board_for_somebody_in_another_part_stays_there(small_parts):
    draw = random.Random(1)
    places = [{"x": draw.randint(-50, 50), "y": draw.randint(-50, 50)} for _ in range(SIZE - 6)]
    given = [
        {"id": f"s{number}", "amount": 3, "on_board": f"v{number}", "prize": 0.001,
         "delivery": {"x": draw.randint(-90, 90), "y": draw.randint(-90, 90)}}
        for number in range(6)
    ]  # fmt: skip
    instance = constrained(
        customers=[{**each, "demand": 1} for each in places],
        vehicles=[{"id": f"v{number}", "count": 1, "capacity": 13} for number in range(6)],
        shipments=given,
    )
    timeline = Timeline(instance)
    first = plan_of(instance, Effort("none"))
    assert not first.missing
    found = search_parts(instance, first.routes, Effort("fast"), 1)
    assert all(fault(instance, timeline, route) is None for route in found.routes)


def test_the_number_of_cores_changes_nothing(small_parts):
    for instance, first in complete(1):
        plans = [
            search_parts(instance, first.routes, Effort("fast", cores=cores), 1)
            for cores in (1, 2, 5)
        ]
        assert plans[1:] == plans[:1] * 2


def test_parts_end_in_time(small_parts):
    ((instance, first),) = complete(1)
    end = time.perf_counter() + 0.3
    found = search_parts(instance, first.routes, Effort("deep", end, cores=2), 1)
    assert time.perf_counter() < end + 1.0
    assert found.cost <= first.cost + 1e-9


def test_a_large_instance_is_searched_in_parts(small_parts, monkeypatch):
    ((instance, _),) = complete(1)
    found = []
    monkeypatch.setattr(whole, "search_parts", lambda *_, **__: found.append(1) or Plan([]))
    for cores, seconds, parts in ((1, 0.1, 0), (4, None, 0), (4, 0.1, 1)):
        end = None if seconds is None else time.perf_counter() + seconds
        plan_of(instance, Effort("fast", end, cores))
        assert len(found) == parts


def test_a_route_that_is_too_long_stays(small_parts, monkeypatch):
    monkeypatch.setattr(rich_decompose, "LARGEST_WHOLE", 3)
    monkeypatch.setattr(rich_decompose, "evolve", None)
    instance = constrained(customers=on_a_line(*range(1, SIZE + 1)), vehicles=[{}])
    first = plan_of(instance, Effort("none"))
    found = search_parts(instance, first.routes, Effort("fast"), 1)
    assert [len(route.stops) for route in found.routes] == [SIZE]


def test_where_somebody_is_missing_all_are_searched_together(small_parts, monkeypatch):
    monkeypatch.setattr(whole, "search_parts", None)
    instance = constrained(
        customers=on_a_line(*range(1, SIZE + 1)), vehicles=[{"count": 1, "max_customers": 9}]
    )
    end = time.perf_counter() + 0.1
    assert plan_of(instance, Effort("fast", end, 4)).missing > 0


def test_parts_in_which_a_stop_would_not_stay_are_left_as_they_are(small_parts, monkeypatch):
    class Stricter(RichSearch):
        def start(self, routes):
            return super().start(routes) - 1

    monkeypatch.setattr(rich_decompose, "RichSearch", Stricter)
    monkeypatch.setattr(rich_decompose, "evolve", None)
    ((instance, first),) = complete(1)
    found = search_parts(instance, first.routes, Effort("fast"), 1)
    assert sorted(found.routes) == sorted(first.routes)
