import numpy as np
import pytest

from tests.vrpcore.solve.test_construct import problems
from vrpcore.instance.instance import Instance
from vrpcore.instance.solution import Solution
from vrpcore.solve import stream
from vrpcore.solve.job import Job
from vrpcore.solve.stream import Crew, Stage, in_order, windows


def jobs(sizes):
    return [Job(position=row, instance=item) for row, item in enumerate(problems(sizes))]


@pytest.fixture
def small_windows(monkeypatch):
    monkeypatch.setattr(stream, "FIRST_WINDOW", 2)
    monkeypatch.setattr(stream, "WINDOW_INSTANCES", 4)


@pytest.fixture
def crew():
    made = Crew(1, 1)
    yield made
    made.close()


def answers_of(window):
    return {job.position: Solution(name=job.instance.name, status="solved") for job in window}


def test_windows_grow_and_hold_everything_in_order(small_windows):
    cut = list(windows(jobs([5] * 13)))
    assert [len(window.jobs) for window in cut] == [2, 4, 4, 3]
    assert [window.end for window in cut] == [2, 6, 10, 13]
    positions = [job.position for window in cut for job in window.jobs]
    assert positions == list(range(13))


def test_a_window_may_be_the_whole_or_nothing(small_windows):
    (only,) = windows(jobs([5] * 13), whole=True)
    assert (len(only.jobs), only.end) == (13, 13)
    assert list(windows([], whole=True)) == []


def test_windows_count_what_needs_no_work(small_windows):
    done = Solution(name="x", status="invalid")
    cut = list(windows([done, *jobs([5, 5]), done]))
    assert [(len(window.jobs), sorted(window.settled)) for window in cut] == [(1, [0]), (1, [3])]


def test_large_instances_fill_a_window_and_matrices_weigh_more(monkeypatch):
    monkeypatch.setattr(stream, "WINDOW_CUSTOMERS", 100)
    assert [len(window.jobs) for window in windows(jobs([60, 40, 60, 1]))] == [2, 2]
    matrix = Instance(
        name="m",
        capacity=1.0,
        coords=None,
        demand=np.zeros(81),
        ids=tuple(range(80)),
        distances=np.zeros((81, 81)),
    )
    heavy = [Job(position=0, instance=matrix), Job(position=1, instance=matrix)]
    assert [len(window.jobs) for window in windows(heavy)] == [1, 1]


def test_answers_come_in_order_whatever_the_order_of_the_work(small_windows, crew):
    said = []

    def begin(window):
        for job in reversed(window):
            crew.say(Stage("finish", 1, answers_of([job])))

    found = list(in_order(windows(jobs([5] * 9)), begin, crew, said.append))
    assert [answer.name for answer in found] == [job.instance.name for job in jobs([5] * 9)]
    assert sum(stage.done for stage in said) == 9


def test_nothing_runs_ahead_of_a_caller_that_stops_asking(small_windows, crew):
    taken = []

    def entries():
        for job in jobs([5] * 100):
            taken.append(job.position)
            yield job

    def begin(window):
        crew.say(Stage("finish", len(window), answers_of(window)))

    answers = in_order(windows(entries()), begin, crew, lambda _: None)
    assert taken == []
    next(answers)
    assert len(taken) == 2 + 4 + 4
    next(answers)
    next(answers)
    assert len(taken) == 2 + 4 + 4 + 4
    for _ in range(97):
        next(answers)
    assert len(taken) == 100
    assert next(answers, None) is None


@pytest.mark.parametrize("quick", [False, True])
def test_what_a_thread_raises_reaches_the_caller(crew, quick):
    def fail():
        raise ValueError("in a thread")

    with pytest.raises(ValueError, match="in a thread"):
        list(
            in_order(
                windows(jobs([5])),
                lambda _: crew.construct(fail, quick=quick),
                crew,
                lambda _: None,
            )
        )
