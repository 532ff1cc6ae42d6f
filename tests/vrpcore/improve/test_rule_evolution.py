"""Runs and children of a search with constraints: what each gets, and what comes out."""

import time

import pytest

from tests.vrpcore.improve.mixed import fault, mixed_instance
from vrpcore.cost.timeline import Timeline
from vrpcore.improve import native_rules, rule_evolution
from vrpcore.improve.constrained import RuleProblem, search_plan
from vrpcore.improve.native_rules import RuleSearch
from vrpcore.improve.search import Effort

pytestmark = pytest.mark.skipif(not native_rules.is_built(), reason="the search was not built")
DEEP = Effort("deep")


class Recorded(RuleSearch):
    """Notes what it is asked for."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.calls = []

    def anneal(self, iterations, temperature, seconds=-1.0):
        self.calls.append(("anneal", iterations, temperature))
        return super().anneal(iterations, temperature, seconds)

    def cross(self, first, second):
        self.calls.append(("cross", first.value, second.value))
        super().cross(first, second)


def evolved(seed, size, effort, **options):
    search = Recorded(RuleProblem(mixed_instance(seed, size)).rules)
    search.construct(0)
    options = {"children": True} | options
    return search, rule_evolution.evolve(search, size, effort, 7, **options)


def test_deep_makes_four_runs_and_children_within_its_iterations():
    search, found = evolved(1, 10, DEEP)
    runs = [call for call in search.calls[:4] if call[0] == "anneal"]
    assert [call[1] for call in runs] == [4000] * 4
    children = search.calls[4:]
    assert [call[0] for call in children] == ["cross", "anneal"] * 96
    assert {call[1] for call in children[1::2]} == {250}
    assert sum(call[1] for call in search.calls if call[0] == "anneal") == 40_000
    assert found.value <= min(call[1] for call in children[::2])


def test_fast_is_one_run():
    search, _ = evolved(1, 10, Effort("fast"))
    assert search.calls == [("anneal", 4000, (4.0, 0.02))]


def test_without_children_there_is_one_run():
    search, _ = evolved(1, 10, DEEP, children=False)
    assert search.calls == [("anneal", 40_000, (4.0, 0.02))]


def test_nothing_is_searched_without_effort():
    for effort in (Effort("none"), Effort("fast", time.perf_counter() - 1.0)):
        search, found = evolved(1, 10, effort)
        assert search.calls == []
        assert found.value == search.found().value


def test_equal_seeds_give_equal_plans():
    first, second = (evolved(2, 14, DEEP)[1] for _ in range(2))
    assert first.value == second.value
    assert first.numbers.tolist() == second.numbers.tolist()


def test_a_time_limit_ends_runs_and_children():
    search, _ = evolved(3, 12, Effort("fast", time.perf_counter() + 0.4))
    assert [call[0] for call in search.calls[:5]] == ["anneal"] * 4 + ["cross"]


@pytest.mark.parametrize("size", [1, 2, 7, 25])
def test_every_limit_holds(size):
    for seed in range(6):
        instance = mixed_instance(100 * size + seed, size)
        timeline = Timeline(instance)
        routes = search_plan(RuleProblem(instance), DEEP, seed).routes
        assert [fault(instance, timeline, route) for route in routes] == [None] * len(routes)
