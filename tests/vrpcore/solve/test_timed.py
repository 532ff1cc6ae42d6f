import dataclasses

import pytest

from tests.vrpcore.solve.test_construct import NearestFirst, problems
from vrpcore.solve.deadline import WORK_S, TimeLimit, policy_work
from vrpcore.solve.options import SolveOptions
from vrpcore.solve.pipeline import Pipeline


class Clock:
    """Time that moves where a test says so."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


class Timed(NearestFirst):
    """A backend that takes so many seconds a unit of work."""

    def __init__(self, clock, rate=WORK_S):
        super().__init__()
        self.clock, self.rate, self.rows = clock, rate, 0

    def construct(self, batch, starts, temperature, seed):
        self.rows += len(batch.valid)
        options = (
            SolveOptions(starts=starts.shape[1]) if starts[0, 0] else SolveOptions(decode="greedy")
        )
        size = batch.valid.shape[1] - 1
        self.clock.now += self.rate * len(batch.valid) * policy_work(size, options)
        return super().construct(batch, starts, temperature, seed)


class Searcher:
    """A search that takes all of its time, or a part of it."""

    def __init__(self, clock, part=1.0):
        self.clock, self.part, self.seconds = clock, part, []

    def __call__(self, problem, candidates, end, cores):
        spent = end - self.clock.now
        self.seconds.append(spent)
        self.clock.now += self.part * spent
        return candidates[0]


def solve(instances, seconds, search=None, backend=None, **options):
    clock = Clock() if search is None else search.clock
    backend = backend or Timed(clock)
    chosen = SolveOptions(workers=1, threads=1, **options)
    end = clock.now + seconds
    pipeline = Pipeline(backend, search, chosen, lambda _: None, TimeLimit(clock, end))
    answers = pipeline.solve(instances)
    assert [answer.status for answer in answers] == ["solved"] * len(instances)
    return clock.now - end


def test_one_instance_is_searched_until_the_end():
    search = Searcher(Clock())
    assert solve(problems([9]), 10.0, search) == pytest.approx(0, abs=1e-3)
    assert len(search.seconds) == 1


def test_one_pass_over_all_uses_the_time_up():
    search = Searcher(Clock())
    late = solve(problems([9] * 20), 10.0, search)
    assert late == pytest.approx(0, abs=1e-2)
    assert search.seconds == pytest.approx([0.5] * 20, rel=0.05)


def test_larger_instances_are_searched_longer():
    search = Searcher(Clock())
    solve(problems([10, 40, 10]), 10.0, search)
    assert search.seconds[1] == pytest.approx(4 * search.seconds[0], rel=0.01)
    assert search.seconds[2] == pytest.approx(search.seconds[0], rel=0.01)


def test_time_left_over_is_shared_anew():
    search = Searcher(Clock(), part=0.5)
    solve(problems([9] * 5), 10.0, search)
    assert search.seconds == sorted(search.seconds)
    assert search.seconds[-1] > 2 * search.seconds[0]


def test_without_any_time_all_are_constructed_and_none_is_searched():
    search = Searcher(Clock())
    backend = Timed(search.clock)
    solve(problems([9] * 20 + [1001]), 0.0, search, backend)
    assert search.seconds == []
    assert backend.rows == 0


def test_a_slow_backend_is_left_as_soon_as_it_is_known():
    search = Searcher(Clock())
    backend = Timed(search.clock, rate=100 * WORK_S)
    instances = problems([9] * 40)
    seconds = 40 * WORK_S * policy_work(9, SolveOptions()) * 8
    late = solve(instances, seconds, search, backend, batch=4)
    assert 0 < backend.rows < 10
    assert late < seconds


def test_customers_alone_are_not_searched():
    search = Searcher(Clock())
    solve(problems([1, 1]), 10.0, search)
    assert search.seconds == []


def test_an_instance_has_no_more_than_its_own_time():
    search = Searcher(Clock())
    late = solve(problems([9] * 4), 10.0, search, time_per_instance_s=0.5)
    assert search.seconds == [0.5] * 4
    assert late < -7


def test_a_slow_caller_leaves_less_for_search():
    search = Searcher(Clock())
    clock = search.clock
    end = clock.now + 10.0
    options = SolveOptions(workers=1, threads=1)
    pipeline = Pipeline(Timed(clock), search, options, lambda _: None, TimeLimit(clock, end))
    run = pipeline.stream(problems([9] * 10))
    answers = []
    for answer in run:
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
    clock = search.clock
    pipeline = Pipeline(
        Timed(clock), search, SolveOptions(), lambda _: None, TimeLimit(clock, clock.now + 1.0)
    )
    assert [answer.name for answer in pipeline.solve(instances)] == [f"p-{k}" for k in range(5)]
    assert pipeline.solve([]) == []


def test_an_interruption_keeps_what_is_constructed():
    clock = Clock()
    reports = []

    def search(problem, candidates, end, cores):
        raise KeyboardInterrupt

    options = SolveOptions(workers=1, threads=1)
    pipeline = Pipeline(
        Timed(clock), search, options, reports.append, TimeLimit(clock, clock.now + 10.0)
    )
    with pytest.raises(KeyboardInterrupt):
        pipeline.solve(problems([9] * 5))
    kept = {row: answer for stage in reports for row, answer in stage.answers.items()}
    assert sorted(kept) == list(range(5))
    assert {answer.status for answer in kept.values()} == {"solved"}
