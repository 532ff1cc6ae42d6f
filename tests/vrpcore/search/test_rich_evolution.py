"""Runs and children of a search with constraints: what each gets, and what comes out."""

import math
import time

import pytest

from tests.build import mixed_instance
from tests.vrpcore.search.mixed import fault
from vrpcore.cost.timeline import Timeline
from vrpcore.search import rich_evolution, rich_library
from vrpcore.search.effort import FAST, Effort
from vrpcore.search.rich_library import RichSearch
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.rich_search import search_plan
from vrpcore.search.watch import Watch

pytestmark = pytest.mark.skipif(not rich_library.is_built(), reason="the search was not built")


class Recorded(RichSearch):
    """Notes what it is asked for."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.calls = []

    def anneal(self, iterations, temperature, seconds=math.inf):
        self.calls.append(("anneal", iterations, temperature))
        return super().anneal(iterations, temperature, seconds)

    def cross(self, first, second):
        self.calls.append(("cross", first.value, second.value))
        super().cross(first, second)


def begun(instance, **options):
    search = Recorded(RichProblem(instance).packed, **options)
    search.begin(0)
    search.construct()
    return search


def evolved(seed, size, iterations, effort=FAST, **options):
    search = begun(mixed_instance(seed, size), **options)
    return search, rich_evolution.evolve(search, iterations * search.size, effort, 7)


def test_four_runs_and_children_stay_within_their_iterations():
    search, found = evolved(1, 10, 4000)
    runs = [call for call in search.calls[:4] if call[0] == "anneal"]
    assert [call[1] for call in runs] == [4000] * 4
    children = search.calls[4:]
    assert [call[0] for call in children] == ["cross", "anneal"] * 96
    assert {call[1] for call in children[1::2]} == {250}
    assert sum(call[1] for call in search.calls if call[0] == "anneal") == 40_000
    assert found.value <= min(call[1] for call in children[::2])


def test_few_iterations_are_one_run():
    search, _ = evolved(1, 10, 400)
    assert search.calls == [("anneal", 4000, (4.0, 0.02))]


def test_where_fewer_vehicles_come_first_there_is_one_run():
    search, _ = evolved(1, 10, 4000, fewest_vehicles=True)
    assert search.calls == [("anneal", 40_000, (4.0, 0.02))]


def test_where_there_are_many_stops_there_is_one_run(monkeypatch):
    monkeypatch.setattr(rich_evolution, "MOST_STOPS", 9)
    search, _ = evolved(1, 10, 4000)
    assert search.calls == [("anneal", 40_000, (4.0, 0.02))]


def test_nothing_is_searched_without_effort():
    for effort in (Effort("none"), Effort("fast", time.perf_counter() - 1.0)):
        search, found = evolved(1, 10, 4000, effort)
        assert search.calls == []
        assert found.value == search.found().value


@pytest.mark.parametrize("size", [14, rich_evolution.WIDE])
def test_the_number_of_cores_changes_nothing_without_a_time_limit(size):
    plans = [evolved(2, size, 700, Effort(cores=cores))[1] for cores in (1, 1, 2, 3, 8)]
    assert {plan.value for plan in plans} == {plans[0].value}
    assert {tuple(plan.numbers.tolist()) for plan in plans} == {tuple(plans[0].numbers.tolist())}


def test_a_time_limit_ends_runs_and_children():
    search, _ = evolved(3, 12, 1, Effort("fast", time.perf_counter() + 0.4))
    assert [call[0] for call in search.calls[:5]] == ["anneal"] * 4 + ["cross"]


def test_with_patience_one_run_follows_the_other(monkeypatch):
    monkeypatch.setattr(rich_evolution, "MOST_STOPS", 9)
    effort = Effort(end=time.perf_counter() + 1.0, watch=Watch(no_improvement=0.2))
    search, _ = evolved(1, 10, 1, effort)  # nobody polls the watch, so that only the time ends it
    assert len(search.calls) > 3
    assert len({temperature for _, _, temperature in search.calls}) == 1


def test_runs_leave_patience_for_children():
    effort = Effort(end=time.perf_counter() + 1000.0, watch=Watch(no_improvement=0.4))
    search = begun(mixed_instance(3, 12))
    search.packed.watched(effort)
    rich_evolution.evolve(search, 1, effort, 7)
    assert effort.watch.stopped
    assert [call[0] for call in search.calls[:5]] == ["anneal"] * 4 + ["cross"]


def test_with_patience_a_number_of_iterations_is_spent_alike():
    patient = Effort(watch=Watch(no_improvement=10_000.0))
    assert evolved(1, 10, 4000, patient)[0].calls == evolved(1, 10, 4000)[0].calls


@pytest.mark.parametrize("fewest", [False, True])
@pytest.mark.parametrize("seconds", [0.02, 0.3])
def test_a_time_limit_holds_on_several_cores(seconds, fewest):
    instance = mixed_instance(4, 60)
    search, timeline = begun(instance, fewest_vehicles=fewest), Timeline(instance)
    before, end = search.found(), time.perf_counter() + seconds
    found = rich_evolution.evolve(search, search.size, Effort("fast", end, cores=3), 7)
    assert time.perf_counter() < end + 1.0
    assert search.rank(found) <= search.rank(before)
    assert all(fault(instance, timeline, route) is None for route in found.plan().routes)


def test_an_error_in_one_thread_ends_all(monkeypatch):
    class Broken(Recorded):
        def cross(self, first, second):
            raise ValueError("no")

    monkeypatch.setattr(Recorded, "another", lambda self: Broken(self.packed))
    with pytest.raises(ValueError, match="no"):
        evolved(5, 12, 4000, Effort(cores=3))


@pytest.mark.parametrize("size", [1, 2, 7, 25])
def test_every_limit_holds(size):
    for seed in range(6):
        instance = mixed_instance(100 * size + seed, size)
        timeline = Timeline(instance)
        routes = search_plan(RichProblem(instance), Effort("deep"), seed).routes
        assert [fault(instance, timeline, route) for route in routes] == [None] * len(routes)
