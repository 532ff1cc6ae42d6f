"""Runs and children of a search with constraints: what each gets, and what comes out."""

import math
import time

import pytest

from tests.build import constrained, mixed_instance, on_a_line
from tests.vrpcore.search.mixed import constructed, fault
from vrpcore.cost.timeline import Timeline
from vrpcore.instance.plan import Route
from vrpcore.search import rich_evolution
from vrpcore.search.effort import FAST, Effort
from vrpcore.search.rich_library import RichSearch
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.rich_search import search_plan
from vrpcore.search.watch import Watch


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


def started(instance, **options):
    return constructed(instance, kind=Recorded, **options)


def evolved(seed, size, iterations, effort=FAST, **options):
    search = started(mixed_instance(seed, size), **options)
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


@pytest.mark.parametrize(("room", "calls"), [(4, [("anneal", 40_000, (1.0, 0.02))]), (99, None)])
def test_where_vehicles_reload_there_is_one_run_that_begins_less_warm(room, calls):
    """Where they only may, there are several runs."""
    customers = on_a_line(*range(1, 11), demand=[2] * 10)
    vehicles = [{"count": 1, "capacity": room, "reloads": ["0"]}]
    search = started(constrained(customers=customers, vehicles=vehicles))
    rich_evolution.evolve(search, 4000 * search.size, FAST, 7)
    assert search.calls == calls or (calls is None and len(search.calls) > 4)


def test_nothing_is_searched_without_effort():
    for effort in (Effort("none"), Effort("fast", time.perf_counter() - 1.0)):
        search, found = evolved(1, 10, 4000, effort)
        assert search.calls == []
        assert found.value == search.found().value


@pytest.mark.parametrize("size", [14, rich_evolution.WIDE])
def test_the_number_of_cores_changes_nothing_without_a_time_limit(size):
    plans = [evolved(2, size, 150, Effort(cores=cores))[1] for cores in (1, 2, 8)]
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
    search = started(mixed_instance(3, 12))
    search.problem.watched(effort)
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
    search, timeline = started(instance, fewest_vehicles=fewest), Timeline(instance)
    before, end = search.found(), time.perf_counter() + seconds
    found = rich_evolution.evolve(search, search.size, Effort("fast", end, cores=3), 7)
    assert time.perf_counter() < end + 1.0
    assert search.rank(found) <= search.rank(before)
    assert all(fault(instance, timeline, route) is None for route in found.plan().routes)


def test_an_error_in_one_thread_ends_all(monkeypatch):
    class Broken(Recorded):
        def cross(self, first, second):
            raise ValueError("no")

    monkeypatch.setattr(Recorded, "another", lambda self: Broken(self.problem))
    with pytest.raises(ValueError, match="no"):
        evolved(5, 12, 4000, Effort(cores=3))


@pytest.mark.parametrize("size", [1, 2, 7, 25])
def test_every_limit_holds(size):
    for seed in range(2):
        instance = mixed_instance(100 * size + seed, size)
        timeline = Timeline(instance)
        routes = search_plan(RichProblem(instance), Effort("deep"), seed).routes
        assert [fault(instance, timeline, route) for route in routes] == [None] * len(routes)


def two_routes(**keys):
    """Two customers, each with a vehicle of its own; one vehicle has room for both."""
    customers, vehicle = on_a_line(3, 5, demand=[2, 2]), {"count": 2, "fixed_cost": 100, **keys}
    search = Recorded(RichProblem(constrained(customers=customers, vehicles=[vehicle])))
    search.begin(0)
    search.start([Route(0, (1,)), Route(0, (2,))])
    return search


@pytest.mark.parametrize(
    ("keys", "spares"),
    [
        ({}, True),
        ({"fixed_cost": 0}, False),
        ({"fixed_cost": 0.1}, False),  # 0.2 of 16.2
        ({"capacity": 4}, True),
        ({"capacity": 3}, False),
        ({"capacity": 3, "reloads": [0]}, True),
    ],
)
def test_a_vehicle_is_spared_that_costs_something_where_its_load_fits_elsewhere(keys, spares):
    search = two_routes(**keys)
    assert len(search.found().plan().routes) == 2
    assert rich_evolution.could_spare(search.problem, search.found()) == spares


def test_the_last_vehicle_is_not_spared():
    search = two_routes()
    search.start([Route(0, (1, 2))])
    assert not rich_evolution.could_spare(search.problem, search.found())


@pytest.mark.parametrize(("spared", "iterations"), [(True, [42] * 5), (False, [300])])
def test_a_search_for_fewer_vehicles_goes_on_from_what_is_found(spared, iterations, monkeypatch):
    made = []

    def recorded(*args, **options):
        made.append(Recorded(*args, **options))
        return made[-1]

    answers = iter([True, spared])
    monkeypatch.setattr(rich_evolution, "could_spare", lambda *_: next(answers))
    monkeypatch.setattr(rich_evolution, "RichSearch", recorded)
    search = two_routes()
    found = rich_evolution.evolve(search, 1000, FAST, 7)
    assert [each.fewest_vehicles for each in made] == [spared]
    assert [call[:2] for call in search.calls] == [("anneal", 700)]
    assert made[0].calls == [("anneal", each, (0.3, 0.02)) for each in iterations]
    assert found.value == (0, 110.0)


def test_fewer_vehicles_that_cost_more_are_not_taken(monkeypatch):
    """The long way round costs more than a vehicle."""
    monkeypatch.setattr(rich_evolution, "could_spare", lambda *_: True)
    customers = on_a_line(-60, 60)
    vehicles = [{"count": 2, "fixed_cost": 10, "end": None}]
    search = started(constrained(customers=customers, vehicles=vehicles))
    found = rich_evolution.evolve(search, 1000, FAST, 7)
    assert (found.value, found.num_vehicles) == ((0, 140.0), 2)


@pytest.mark.parametrize("cores", [1, 3])
def test_a_time_limit_holds_where_vehicles_are_spared(cores, monkeypatch):
    monkeypatch.setattr(rich_evolution, "could_spare", lambda *_: True)
    search = started(mixed_instance(4, 60))
    before, end = search.found(), time.perf_counter() + 0.3
    found = rich_evolution.evolve(search, 1, Effort("fast", end, cores=cores), 7)
    assert time.perf_counter() < end + 1.0
    assert found.value <= before.value


def test_where_vehicles_are_spared_the_number_of_cores_changes_nothing(monkeypatch):
    monkeypatch.setattr(rich_evolution, "could_spare", lambda *_: True)
    plans = [evolved(2, 14, 700, Effort(cores=cores))[1] for cores in (1, 3)]
    assert plans[0].numbers.tolist() == plans[1].numbers.tolist()
