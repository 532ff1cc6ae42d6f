"""How soon a search with constraints ends, by a clock that goes on whenever it is read."""

import ctypes

import pytest

from tests.build import constrained, mixed_instance, on_a_line
from vrpcore.instance.plan import Route
from vrpcore.search.effort import Effort
from vrpcore.search.rich_library import RichSearch
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.watch import Watch

ANY_NUMBER, TEMPERATURE, ROUND = 10**9, (0.5, 0.05), 20
STOPS = 40


def started(problem, *limits):
    search = RichSearch(problem)
    search.begin(1, *limits)
    return search


def served(search):
    return sum(len(route.stops) for route in search.found().plan().routes)


def late_stops(**keys):
    """One vehicle; each position is judged as a whole route."""
    customers = [{**each, "late_cost": 1} for each in on_a_line(*range(1, STOPS + 1))]
    windows = [{**each, "window": [0, 9]} for each in customers]
    return RichProblem(constrained(customers=windows, vehicles=[{"count": 1}], **keys))


@pytest.mark.parametrize("seconds", [5, 12])
def test_a_limit_is_looked_at_before_each_iteration(inside, seconds):
    """Where positions are quick to judge, nothing else within it looks at the clock."""
    search = started(RichProblem(mixed_instance(4, 30)))
    search.construct()
    done = search.anneal(ANY_NUMBER, TEMPERATURE, seconds)
    assert 0 < done < seconds < ROUND


def test_patience_is_looked_at_before_each_iteration(inside):
    problem = RichProblem(mixed_instance(4, 30))
    watch = Watch(no_improvement=7)
    search = started(problem)
    search.construct()
    problem.watched(Effort(watch=watch))
    done = search.anneal(ANY_NUMBER, (1e-9, 1e-9))
    assert watch.stopped
    assert 0 < done < ROUND


def test_a_gain_renews_patience_at_once(inside):
    """From an empty plan, the first iterations find better ones."""
    problem = late_stops()
    search = started(problem, 0.0)
    search.construct()
    problem.watched(Effort(watch=Watch(no_improvement=3)))
    assert 3 < search.anneal(ANY_NUMBER, TEMPERATURE) < ROUND


def test_a_limit_ends_an_iteration_whose_positions_take_long(inside):
    search = started(late_stops())
    search.construct()
    before = search.found()
    assert search.anneal(ANY_NUMBER, TEMPERATURE, 4) == 1
    assert search.found().value <= before.value


def test_a_limit_ends_insertion_after_one_more_stop(inside):
    """The clock is read when it begins, and before each stop."""
    search = started(late_stops(), 10.0)
    search.construct()
    assert served(search) == 9
    search.begin(1, 10.0)
    search.start([Route(0, (3, 2, 1))])
    assert served(search) == 3 + 9


def test_insertion_always_ends_where_positions_are_quick_to_judge(inside):
    problem = RichProblem(mixed_instance(4, 30))
    hurried, patient = started(problem, 0.0), started(problem, 0.0, 1000.0)
    for search in (hurried, patient):
        search.construct()
    assert served(hurried) == served(patient) > 0


def test_insertion_has_its_seconds_whatever_the_limit(inside):
    search = started(late_stops(), 10.0, 20.0)
    search.construct()
    assert served(search) == 19
    search.begin(1, 10.0, 1000.0)
    search.construct()
    assert served(search) == STOPS


def test_a_stop_ends_insertion_as_a_limit_does(inside):
    problem, watch = late_stops(), Watch()
    problem.watched(Effort(watch=watch))
    watch.stop()
    search = started(problem)
    search.construct()
    assert served(search) == 0
    search.begin(1, whole_s=20.0)
    search.construct()
    assert served(search) == 19


def test_a_plan_that_is_cut_is_not_dearer_than_none(inside):
    """All are inserted first, and there is no time to drop those who are not worth the way."""
    late = {"window": [0, 0.5], "late_cost": 1}
    customers = [{**each, **late, "prize": 0.5} for each in on_a_line(1, 2)]
    problem = RichProblem(constrained(customers=customers, vehicles=[{}]))
    for seconds in (3.0, 100.0):
        search = started(problem, seconds)
        search.construct()
        assert served(search) == 0


def groups(*sizes):
    """Alternatives side by side, each group far from the others."""
    places = [100 * group + at for group, size in enumerate(sizes) for at in range(size)]
    numbers = iter(range(1, sum(sizes) + 1))
    members = [[next(numbers) for _ in range(size)] for size in sizes]
    return constrained(
        customers=on_a_line(*(place + 1 for place in places)),
        vehicles=[{}],
        groups=[{"members": each} for each in members],
    )


def address(search):
    return ctypes.c_void_p(search.address)


def test_who_has_been_missing_least_loses_the_route_also_among_alternatives(inside):
    search = started(RichProblem(groups(2, 1)))
    assert inside.inside_freed(address(search), 1, 2) == 2


def test_of_alternatives_that_are_near_one_counts(inside):
    """Of many who are left out, an iteration tries eight."""
    search = started(RichProblem(groups(*[8] * 30)))
    assert inside.inside_inserted(address(search), 0) == 8
