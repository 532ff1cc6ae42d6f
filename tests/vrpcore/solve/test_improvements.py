import time

import pytest

from tests.vrpcore.solve.doubles import SOON, Clock, NearestFirst, problems, tasks
from vrpcore.instance.solution import Solution
from vrpcore.search.watch import Watch
from vrpcore.solve.improvements import Improvements, incumbents
from vrpcore.solve.memory_limit import SessionLimits
from vrpcore.solve.session import Session
from vrpcore.solve.solve_options import SolveOptions
from vrpcore.solve.stream import Stream


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
    assert [(found.position, seen.cost) for found, seen in incumbents(order)] == [(0, 9.0)]
    assert len(list(incumbents(order))) == 1


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

    session = Session(NearestFirst(), lambda _: search, SessionLimits(workers=2, threads=1))
    answering = Stream(session, SolveOptions(workers=2), reports.append, watch=True)
    answer, *_ = answering.answers(problems([40, *[9] * 60]))
    assert told()[0] == 5.0
    assert answer.status == "solved"
    assert "INTERNAL" not in str(answer.warnings)
