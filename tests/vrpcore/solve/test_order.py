import dataclasses
from unittest.mock import ANY

import pytest

from tests.build import constrained, mixed_instance, on_a_line
from tests.vrpcore.solve.doubles import earlier, ordered, problems, tasks
from vrpcore.cost.tour_routes import route_costs
from vrpcore.instance.plan import ANY_VEHICLE, Plan, Route
from vrpcore.instance.solution import Solution
from vrpcore.search.effort import Effort
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.rich_search import search_plan
from vrpcore.search.watch import Watch
from vrpcore.solve.admission import admit
from vrpcore.solve.answer import rank_of
from vrpcore.solve.construct import MAX_POLICY_CUSTOMERS
from vrpcore.solve.order import POLICY_SKIPPED, Order, Task
from vrpcore.solve.solve_options import SolveOptions


def total(problem, plan):
    return sum(route_costs(problem, [route.stops for route in plan.routes]))


def one_each(problem):
    return Plan.of([node] for node in range(1, problem.num_customers + 1))


@pytest.mark.parametrize(
    ("options", "named", "warned"),
    [
        ({}, False, False),
        ({}, True, True),
        ({"augment": 2}, False, True),
        ({"improve": "none"}, False, True),
    ],
)
def test_a_policy_that_is_skipped_is_missed_where_it_was_asked_for(options, named, warned):
    instance = constrained(customers=on_a_line(1, 2), vehicles=[{}])
    covered, other = (
        admit(0, instance, None, knows_variants=knows, named=named) for knows in (True, False)
    )
    large = admit(0, problems([MAX_POLICY_CUSTOMERS + 1])[0], None, named=named)
    small = admit(0, problems([6])[0], None, named=named)
    tasks = [covered, other, large, small]
    Order(tasks, SolveOptions(**options))
    expected = [POLICY_SKIPPED] * warned
    assert [task.warnings for task in tasks] == [[], expected, expected, []]


def test_known_routes_are_candidates_by_their_cost():
    (problem,) = problems([6])
    own_plan = Plan.of([[1, 2], [3, 4], [5, 6]])
    with_routes = dataclasses.replace(problem, plan=own_plan, capacity=100.0)
    task = ordered(with_routes, earlier(with_routes, one_each(problem)))
    assert task.known == [own_plan, one_each(problem)]
    middle = Plan.of([[1], [2], [3, 4], [5, 6]])
    task.take([middle])
    cost = {str(plan): total(problem, plan) for plan in (own_plan, one_each(problem), middle)}
    assert [str(plan) for plan in task.candidates] == sorted(cost, key=cost.__getitem__)


def test_an_answer_is_never_dearer_than_what_was_known():
    (problem,) = problems([6])
    roomy = dataclasses.replace(problem, capacity=100.0)
    joined = Plan.of([[1, 2, 3, 4, 5, 6]])
    for known, found in ((joined, one_each(problem)), (one_each(problem), joined)):
        task = ordered(roomy, earlier(roomy, known))
        task.take([one_each(problem)])
        costs = [total(roomy, plan) for plan in (known, found)]
        answer = task.answer(found)
        assert answer.cost <= min(costs) * (1 + 1e-12)


def test_known_routes_stay_where_nothing_is_cheaper():
    (problem,) = problems([6])
    routes = [[1, 2, 3], [4, 5, 6]]
    known, turned = Plan.of(routes), Plan.of([[6, 5, 4], [3, 2, 1]])
    roomy = dataclasses.replace(problem, capacity=100.0)
    for constructed, found in ((turned, turned), (turned, None), (one_each(problem), turned)):
        task = ordered(roomy, earlier(roomy, known))
        task.take([constructed])
        answer = task.answer(found)
        assert [list(route.customers) for route in answer.routes] == routes


def test_too_many_routes_come_last_and_are_not_found():
    (problem,) = problems([6])
    limited = dataclasses.replace(problem, max_vehicles=5, capacity=1000.0)
    task = Task(position=0, instance=limited)
    Order([task], SolveOptions(improve="none"))
    task.take([one_each(problem)])
    answer = task.answer(None)
    assert (answer.status, answer.code) == ("partial", "TOO_MANY_ROUTES")
    assert "try --improve fast" in answer.error


@pytest.mark.parametrize(
    ("options", "kept"), [({"improve": "none"}, 1), ({}, 16), ({"improve": "deep"}, 32)]
)
def test_as_many_candidates_are_kept_as_are_searched(options, kept):
    (task,) = tasks([40], **options)
    task.take([one_each(task.instance)] * 40)
    assert len(task.candidates) == kept


def test_many_instances_keep_few_candidates():
    entries = [Task(position=row, instance=item) for row, item in enumerate(problems([9] * 4))]
    assert Order(entries, SolveOptions(), end=1.0).kept == 16
    (large,) = problems([1000])
    entries = [Task(position=row, instance=large) for row in range(4000)]
    assert Order(entries, SolveOptions(), end=1.0).kept == 2


def test_positions_begin_where_the_order_does():
    done = Solution(name="x", status="invalid")
    (instance,) = problems([5])
    order = Order([done, Task(position=8, instance=instance)], SolveOptions(), first=7)
    assert (sorted(order.answers), sorted(order.tasks), order.last) == ([7], [8], 8)


def test_a_search_that_may_not_come_needs_savings():
    small, large = tasks([9, 1001])
    assert not small.needs_savings and not large.needs_savings
    small.order.search_certain = False
    assert small.needs_savings and large.needs_savings


def test_what_is_constructed_can_be_answered():
    first, second = tasks([5, 6])
    first.order.stop()
    assert not list(first.order.unsearched(all_of_them=False))
    second.take([one_each(second.instance)])
    (kept,) = first.order.unsearched(all_of_them=False)
    assert (kept[0], kept[1].status, len(kept[1].routes)) == (1, "solved", 6)
    assert kept[1].warnings == ("INTERRUPTED",)
    found = dict(first.order.unsearched(all_of_them=True))
    assert [found[row].status for row in range(2)] == ["solved", "solved"]


def test_a_stop_ends_the_searches_and_the_waiting():
    first, second = tasks([5, 6])
    order = first.order
    assert order.searched == []
    first.watch, second.watch = Watch(), Watch()
    order.answers[1] = second.answer(None)
    assert order.searched == [first]
    order.stop()
    assert first.watch.stopped
    assert not second.watch.stopped
    assert order.dropped


def test_one_search_ends_by_its_position():
    first, second, third = tasks([5, 6, 7])
    first.watch, second.watch = Watch(), Watch()
    for position in (1, 2, 9):  # the last two are not searched
        first.order.end_search(position)
    assert [first.watch.stopped, second.watch.stopped, third.watch] == [False, True, None]
    assert not first.order.stopped


def test_a_trace_ends_with_the_answer():
    cost = tasks([5])[0].answer(None).cost
    for before, after in [
        ([(1.0, 2 * cost), (2.0, cost * (1 + 1e-9))], ((1.0, 2 * cost), (2.0, cost))),  # rounded
        ([(-1.0, 2 * cost)], ((-1.0, 2 * cost), ANY)),
        ([], (ANY,)),
    ]:
        (task,) = tasks([5])
        task.trace = before
        found = task.answer(None)
        assert found.trace == after
        assert (found.trace[-1][1], found.iterations) == (cost, 0)


def test_with_constraints_insertion_alone_also_counts_vehicles_first():
    def unsearched(instance, **options):
        task = admit(0, instance, None)
        Order([task], SolveOptions(**options))
        return task.answer(None)

    instances = [mixed_instance(seed, 12) for seed in range(40)]
    cheap = [unsearched(each) for each in instances]
    few = [unsearched(each, fewest_vehicles=True) for each in instances]
    assert [each.status for each in few] == [each.status for each in cheap]
    saved = [len(most.routes) - len(least.routes) for most, least in zip(cheap, few, strict=True)]
    assert min(saved) == 0
    assert max(saved) > 0


def test_fewer_routes_come_first_where_they_are_asked_for():
    (problem,) = problems([4])
    dear, cheap = Plan.of([[1, 2, 3, 4]]), one_each(problem)
    problem = dataclasses.replace(problem, capacity=100.0)
    cost = {plan.num_vehicles: rank_of(problem, plan)[-1] for plan in (dear, cheap)}
    assert rank_of(problem, dear) == (False, 0, cost[1])
    assert rank_of(problem, cheap, fewest_vehicles=True) == (False, 4, cost[4])
    assert rank_of(problem, dear, fewest_vehicles=True) < (False, 1, cost[1] + 1e-9)


def test_without_a_search_fewer_vehicles_come_first_where_they_are_asked_for():
    both = on_a_line(1, -1, prize=[None, None])
    instance = constrained(customers=both, vehicles=[{"end": None}])
    instance = dataclasses.replace(instance, plan=Plan([Route(ANY_VEHICLE, (1, 2))]))
    counts = []
    for fewest in (False, True):
        task = admit(0, instance, None)
        Order([task], SolveOptions(fewest_vehicles=fewest))
        counts.append(len(task.answer(None).routes))
    assert counts == [2, 1]
    assert len(search_plan(RichProblem(instance), Effort("none")).routes) == 2


@pytest.mark.parametrize(
    ("candidates", "named", "improve", "stops", "constructor", "warnings"),
    [
        (("dear", "dearer"), True, "none", "dear", "x", ()),
        (("dear", "dearer"), False, "none", "cheap", "insertion", ()),
        (("dear", "dearer"), True, "fast", "cheap", "insertion", ()),
        (("cheap",), False, "none", "cheap", "x", ()),
        (("late", "dear"), True, "none", "dear", "x", ()),
        (("late", "part"), True, "none", "cheap", "insertion", (POLICY_SKIPPED,)),
    ],
)
def test_who_names_the_model_gets_what_it_constructs(
    candidates, named, improve, stops, constructor, warnings
):
    """Others get the better of its plan and insertion's, and both are told whose it is."""
    plans = {
        "cheap": [(1, 2, 3)],
        "dear": [(1, 2), (3,)],
        "dearer": [(1,), (2,), (3,)],
        "late": [(3, 2, 1)],  # when 1 and 2 have closed
        "part": [(1, 2)],
    }
    places = on_a_line(1, 2, 3, window=[[0, 1], [0, 2], [0, 9]])
    instance = constrained(customers=places, vehicles=[{}])
    task = admit(0, instance, None, knows_variants=True, named=named)
    Order([task], SolveOptions(improve=improve, decode="greedy"))
    task.take([Plan.of(plans[each]) for each in candidates])
    task.constructor = "x"
    answer = task.answer(None)
    assert sorted(route.customers for route in answer.routes) == sorted(plans[stops])
    assert (answer.constructor, answer.warnings) == (constructor, warnings)


def test_what_is_stopped_may_be_answered_twice():
    task = ordered(problems([3])[0])
    task.take([Plan.of([[1], [2], [3]])])
    task.order.stop()
    assert task.answer(None).cost == task.answer(None).cost
    assert len(task.answer(None).routes) == 3
