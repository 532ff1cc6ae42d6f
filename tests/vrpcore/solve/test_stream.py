import dataclasses
import time

import numpy as np
import pytest

from tests.build import plain
from tests.vrpcore.solve.doubles import (
    SOON,
    VROOM,
    Clock,
    NearestFirst,
    Pairs,
    Searcher,
    Timed,
    cheapest,
    problems,
    streamed,
    tasks,
)
from vrpcore.cost.tour_routes import route_costs
from vrpcore.errors import ModelError
from vrpcore.formats.read import read_instances
from vrpcore.instance.constraints import NamedMatrices
from vrpcore.instance.instance import InvalidInstance, with_constraints
from vrpcore.instance.plan import Plan
from vrpcore.instance.solution import RouteReport, Solution
from vrpcore.referee.referee import check_solution
from vrpcore.search.savings import savings_routes
from vrpcore.search.watch import Watch
from vrpcore.solve import stream
from vrpcore.solve.construct import WORK_S, policy_work
from vrpcore.solve.memory_limit import SessionLimits
from vrpcore.solve.order import Task
from vrpcore.solve.session import Session
from vrpcore.solve.solve_options import SolveOptions
from vrpcore.solve.stream import Improvements, Stream, by_options, windows


def solve(instances, search=None, **settings):
    return list(streamed(instances, search, **settings))


def test_order_and_places_are_kept():
    invalid = InvalidInstance(name="bad", code="CAPACITY", error="instances[1].capacity: no")
    empty = plain([[0, 0]])
    first, second = problems([9, 4])
    reports = []
    answers = solve([first, invalid, second, empty], reports=reports)
    assert [answer.status for answer in answers] == ["solved", "invalid", "solved", "solved"]
    assert answers[1].error == "instances[1].capacity: no"
    assert answers[3].cost == 0
    assert answers[3].routes == ()
    done = {"construct": 2, "finish": 4}
    for name, count in done.items():
        assert sum(stage.done for stage in reports if stage.name == name) == count
    told = {row: answer for stage in reports for row, answer in stage.answers.items()}
    assert [told[row] for row in sorted(told)] == answers


def test_search_gets_the_candidates_and_gives_the_answer():
    seen = {}

    def search(task, end, cores):
        assert end is None
        seen[task.instance.name] = task.starts
        return Plan.of([node] for node in range(task.instance.num_customers, 0, -1))

    (problem,) = problems([5])
    (answer,) = solve([problem], search)
    assert seen["p-0"]
    assert [route.customers for route in answer.routes] == [(5,), (4,), (3,), (2,), (1,)]


@pytest.mark.parametrize("count, cores", [(1, {6}), (2, {3, 6}), (6, {1, 2, 3, 6})])
@pytest.mark.parametrize("limit", [None, 60.0])
def test_few_instances_share_the_cores(count, cores, limit):
    seen = []

    def search(task, end, cores):
        seen.append(cores)
        return task.starts[0]

    solve(problems([5] * count), search, workers=6, time_limit=limit)
    assert len(seen) == count
    assert set(seen) <= cores
    assert min(seen) == min(cores)


def test_sizes_the_policy_does_not_know_are_marked():
    answers = solve(problems([9, 31, 1001]), improve="none")
    assert [each.warnings for each in answers] == [
        (),
        ("SIZE_OUT_OF_TRAINING",),
        ("POLICY_SKIPPED",),
    ]
    assert [each.constructor for each in answers] == [answers[0].constructor] * 2 + ["savings"]
    assert answers[-1].status == "solved"


def test_nobody_is_warned_of_a_policy_that_was_not_asked():
    def search(task, end, cores):
        problem = task.instance
        return Plan.of(savings_routes(problem))

    answers = solve(problems([1001]), search)
    assert [each.warnings for each in answers] == [()]
    assert [each.constructor for each in answers] == ["savings"]


def test_a_wrong_answer_never_leaves():
    (problem,) = problems([5])
    (answer,) = solve([problem], lambda *_: Plan.of([[1, 2], [3, 4]]))
    assert "fails its check" in answer.fault
    assert check_solution(problem, answer).ok


@pytest.fixture
def small_windows(monkeypatch):
    monkeypatch.setattr(stream, "FIRST_WINDOW", 2)
    monkeypatch.setattr(stream, "WINDOW_INSTANCES", 4)


def cut(entries, clock=None, **how):
    return list(windows(entries, clock or Clock(), **how))


def test_windows_grow_and_hold_everything_in_order(small_windows):
    entries = tasks([5] * 13)
    found = cut(entries)
    assert [len(window) for window in found] == [2, 4, 4, 3]
    assert [task for window in found for task in window] == entries


def test_a_window_may_be_the_whole_or_nothing(small_windows):
    entries = tasks([5] * 13)
    assert cut(entries, whole=True) == [entries]
    assert cut([], whole=True) == []


def test_windows_count_what_needs_no_work(small_windows):
    done = Solution(name="x", status="invalid")
    assert [len(window) for window in cut([done, *tasks([5, 5]), done])] == [2, 2]


def test_large_instances_fill_a_window_and_matrices_weigh_more(monkeypatch):
    monkeypatch.setattr(stream, "WINDOW_CUSTOMERS", 100)
    assert [len(window) for window in cut(tasks([60, 40, 60, 1]))] == [2, 2]
    matrix = plain(demand=[0] * 80, distances=np.zeros((81, 81)))
    heavy = [Task(position=0, instance=matrix), Task(position=1, instance=matrix)]
    assert [len(window) for window in cut(heavy)] == [1, 1]


@pytest.mark.parametrize("key", ["durations", "costs", "matrices"])
def test_matrices_of_constraints_weigh_as_much(monkeypatch, key):
    monkeypatch.setattr(stream, "WINDOW_CUSTOMERS", 100)
    matrix = np.ones((81, 81))
    named = {"van": NamedMatrices(distances=None, durations=matrix)}
    instance = with_constraints(plain([[0, 0]] * 81))
    constraints = dataclasses.replace(
        instance.own_constraints, **{key: named if key == "matrices" else matrix}
    )
    heavy = dataclasses.replace(instance, constraints=constraints)
    light, heavy = (
        [Task(position=row, instance=each) for row in range(2)] for each in (instance, heavy)
    )
    assert [[len(window) for window in cut(each)] for each in (light, heavy)] == [[2], [1, 1]]


def test_a_window_that_is_read_slowly_is_begun():
    clock, entries = Clock(), tasks([5] * 5)

    class Slow(list):
        def __iter__(self):
            for number, entry in enumerate(super().__iter__()):
                clock.now += stream.READING_S / 2 if number < 3 else 0.0
                yield entry

    assert [len(window) for window in cut(Slow(entries), clock)] == [2, 3]
    assert [len(window) for window in cut(Slow(entries), clock, whole=True)] == [5]


def test_a_window_is_cut_where_options_change():
    (asks,) = read_instances({**VROOM, "options": {"t": 2, "l": 3}})
    entries = tasks([5, 5, 5])
    entries[1].instance = asks
    done = Solution(name="x", status="invalid")
    given = SolveOptions()
    found = list(by_options([done, *entries[:2], done, entries[2]], given))
    assert [part for _, part in found] == [[done, entries[0]], [entries[1], done], [entries[2]]]
    own = dataclasses.replace(given, workers=2, time_per_instance=3)
    assert [options for options, _ in found] == [given, own, given]
    assert list(by_options([done], given)) == [(given, [done])]
    assert list(by_options([], given)) == []


def test_a_stream_gives_the_answers_of_single_calls(small_windows):
    instances = problems([9, 4, 1001, 7, 7, 30, 5, 6, 8, 9, 12, 4, 3, 11, 6])
    whole = [solve([instance], backend=Pairs())[0] for instance in instances]
    assert solve(iter(instances), backend=Pairs()) == whole
    assert solve(instances, backend=Pairs(), threads=4, workers=4) == whole


def test_nothing_runs_ahead_of_a_caller_that_stops_asking(small_windows):
    taken = []

    def entries():
        for instance in problems([5] * 60):
            taken.append(instance)
            yield instance

    answers = streamed(entries(), cheapest)
    assert taken == []
    for count, _ in enumerate(answers, start=1):
        assert len(taken) <= count + 3 * 4
        assert count > 2 or len(taken) == 2 + 4 + 4
    assert count == 60


def test_answers_do_not_wait_for_many_instances_that_come_slowly():
    backend, taken = Timed(Clock()), []

    def entries():
        for instance in problems([5] * 9):
            backend.clock.now += stream.READING_S
            taken.append(instance)
            yield instance

    answers = streamed(entries(), backend=backend)
    read = [len(taken) for _ in answers]
    assert read == [3, 4, 5, 6, 7, 8, 9, 9, 9]


def test_a_stream_that_is_dropped_leaves_its_threads(small_windows):
    answers = streamed(problems([5] * 60))
    next(answers)
    answers.close()
    assert list(answers) == []


def test_an_error_of_the_backend_ends_the_stream():
    class Broken(NearestFirst):
        def construct(self, batch, starts, temperature, seed):
            raise ModelError("broken")

    with pytest.raises(ModelError, match="broken"):
        solve(problems([5]), backend=Broken())


def test_warm_starts_go_with_their_positions(small_windows):
    instances = [dataclasses.replace(item, capacity=1000.0) for item in problems([6] * 7)]
    plain = solve(instances)
    joined = RouteReport(customers=(1, 2, 3, 4, 5, 6), load=0.0, cost=0.0)
    warm = [None] * 3 + [
        dataclasses.replace(plain[3], routes=(joined,)),
        dataclasses.replace(plain[4], routes=(joined, joined)),
    ]
    reports = []
    found = solve(instances, warm_starts=warm, reports=reports)
    assert found[:3] + found[5:] == plain[:3] + plain[5:]
    assert [found[3].cost] <= route_costs(instances[3], [joined.customers])
    assert found[3].cost < plain[3].cost
    assert found[4].warnings == ("WARM_START_REPAIRED",)
    assert [found[4].cost] <= route_costs(instances[4], [joined.customers])
    (note,) = [stage.note for stage in reports if stage.note]
    assert "warm start repaired: routes[1][0]: customer 1 is visited twice" in note


def test_time_per_instance_begins_with_each_search():
    ends = []

    def search(task, end, cores):
        ends.append(end - search.clock.now)
        search.clock.now += 1
        return task.starts[0]

    search.clock = Clock()
    solve(problems([5, 5, 5]), search, time_per_instance=10)
    assert ends == [10, 10, 10]


def limited(instances, seconds, search, backend=None, **options):
    """How late the answers of a list with a time limit were there."""
    end = search.clock.now + seconds
    backend = backend or Timed(search.clock)
    answers = solve(instances, search, backend=backend, time_limit=seconds, **options)
    assert [answer.status for answer in answers] == ["solved"] * len(instances)
    return search.clock.now - end


def test_one_instance_is_searched_until_the_end():
    search = Searcher(Clock())
    assert limited(problems([9]), 10.0, search) == pytest.approx(0, abs=1e-3)
    assert len(search.seconds) == 1


def test_one_pass_over_all_uses_the_time_up():
    search = Searcher(Clock())
    late = limited(problems([9] * 20), 10.0, search)
    assert late == pytest.approx(0, abs=1e-2)
    assert search.seconds == pytest.approx([0.5] * 20, rel=0.05)


def test_larger_instances_are_searched_longer():
    search = Searcher(Clock())
    limited(problems([10, 40, 10]), 10.0, search)
    assert search.seconds[1] == pytest.approx(4 * search.seconds[0], rel=0.01)
    assert search.seconds[2] == pytest.approx(search.seconds[0], rel=0.01)


def test_time_left_over_is_shared_anew():
    search = Searcher(Clock(), part=0.5)
    limited(problems([9] * 5), 10.0, search)
    assert search.seconds == sorted(search.seconds)
    assert search.seconds[-1] > 2 * search.seconds[0]


def test_without_any_time_all_are_constructed_and_none_is_searched():
    search = Searcher(Clock())
    backend = Timed(search.clock)
    limited(problems([9] * 20 + [1001]), 0.0, search, backend)
    assert search.seconds == []
    assert backend.rows == 0


def test_a_slow_backend_is_left_as_soon_as_it_is_known():
    search = Searcher(Clock())
    backend = Timed(search.clock, rate=100 * WORK_S)
    instances = problems([9] * 40)
    seconds = 40 * WORK_S * policy_work(9, SolveOptions()) * 8
    late = limited(instances, seconds, search, backend, batch=4)
    assert 0 < backend.rows < 10
    assert late < seconds


def test_customers_alone_are_not_searched():
    search = Searcher(Clock())
    limited(problems([1, 1]), 10.0, search)
    assert search.seconds == []


def test_an_instance_has_no_more_than_its_own_time():
    search = Searcher(Clock())
    late = limited(problems([9] * 4), 10.0, search, time_per_instance=0.5)
    assert search.seconds == [0.5] * 4
    assert late < -7


def test_a_slow_caller_leaves_less_for_search():
    search = Searcher(Clock())
    clock = search.clock
    end = clock.now + 10.0
    answers = []
    backend = Timed(clock)
    for answer in streamed(problems([9] * 10), search, backend=backend, time_limit=10.0):
        answers.append(answer)
        clock.now += 0.25
    assert len(answers) == 10
    # The first answers were handed out while others were searched, or all of them after.
    assert clock.now <= end + 2.5


def test_answers_keep_their_order_and_places():
    search = Searcher(Clock())
    instances = [
        dataclasses.replace(problem, name=f"p-{row}")
        for row, problem in enumerate(problems([9, 3, 7, 5, 8]))
    ]
    answers = solve(instances, search, backend=Timed(search.clock), time_limit=1.0, workers=2)
    assert [answer.name for answer in answers] == [f"p-{k}" for k in range(5)]
    assert solve([], search, time_limit=1.0) == []


@pytest.mark.parametrize(
    ("sizes", "limit", "said"), [([9, 1, 30], 0.0, 1), ([1], 0.0, 0), ([9, 30], 60.0, 0)]
)
def test_a_time_limit_without_any_search_is_said_once(sizes, limit, said):
    reports, search = [], Searcher(Clock())
    found = solve(problems(sizes), search, reports=reports, time_limit=limit, workers=2)
    assert [answer.status for answer in found] == ["solved"] * len(sizes)
    words = "the time limit was over before any search could begin: a longer one gives better plans"
    assert [stage.note for stage in reports if stage.name == "note"] == [words] * said
    reports.clear()
    solve(problems(sizes), reports=reports, time_limit=limit)  # nobody asks for a search
    assert not any(stage.note for stage in reports)


@pytest.fixture
def looked():
    """Two tasks of which the first is searched, and who looks at them."""
    clock = Clock()
    first, _ = tasks([5, 6])
    first.watch = Watch()
    improvements = Improvements(clock)
    clock.now += 2.5
    return first, improvements, [first.order]


def solved(cost, status="solved"):
    return Solution(name="p", status=status, cost=cost)


def test_the_best_plan_of_each_search_is_seen_as_often_as_one_looks(looked):
    task, _, (order,) = looked
    task.watch.note(9.0)
    assert [(found.position, seen.cost) for found, seen in order.incumbents()] == [(0, 9.0)]
    assert len(list(order.incumbents())) == 1


def test_better_plans_are_told_once(looked):
    task, improvements, orders = looked
    assert list(improvements.searched(orders)) == []
    task.watch.note(9.0)
    (found,) = improvements.searched(orders)
    assert (found.position, found.name, found.cost) == (0, task.instance.name, 9.0)
    assert (found.gap, found.iterations, found.seconds) == (None, 0, 2.5)
    assert list(improvements.searched(orders)) == []
    task.watch.note(8.0)
    task.watch.note(7.0)
    assert [each.cost for each in improvements.searched(orders)] == [7.0]
    assert [cost for _, cost in task.trace] == [9.0, 7.0]
    assert task.trace == sorted(task.trace)


def test_answers_are_told_where_they_are_better(looked):
    task, improvements, orders = looked
    task.watch.note(9.0)
    list(improvements.searched(orders))
    assert list(improvements.finished({0: solved(9.0 - 1e-9)})) == []
    task.watch.note(8.0)
    list(improvements.searched(orders))
    found = improvements.finished({0: solved(7.0), 1: solved(3.0)})
    assert [(each.position, each.cost) for each in found] == [(0, 7.0), (1, 3.0)]


def test_what_is_not_solved_is_no_improvement(looked):
    _, improvements, _ = looked
    answers = {0: solved(None, "invalid"), 1: solved(4.0, "partial")}
    assert list(improvements.finished(answers)) == []


def test_better_plans_are_reported_while_searches_run_and_others_end():
    reports, ended = [], []

    def told():
        found = [stage.improvement for stage in reports if stage.name == "improve"]
        return [each.cost for each in found if each.position == 0]

    def search(task, end, cores):
        if task.position:
            time.sleep(0.02)
            ended.append(task)
            return task.starts[-1]
        task.watch.note(5.0)
        deadline = time.monotonic() + SOON
        while not told():
            assert time.monotonic() < deadline
            time.sleep(0.005)
        assert len(ended) < 60
        return task.starts[-1]

    session = Session(NearestFirst(), SessionLimits(workers=2, threads=1), search)
    answering = Stream(session, SolveOptions(workers=2), reports.append)
    answer, *_ = answering.answers(problems([40, *[9] * 60]))
    assert told()[0] == 5.0
    assert answer.status == "solved"
    assert "INTERNAL" not in str(answer.warnings)
