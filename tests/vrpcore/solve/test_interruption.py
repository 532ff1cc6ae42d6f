"""Ctrl-C while a stream is answered: what is found or constructed by then is an answer, too."""

import time

import pytest

from tests.vrpcore.solve.doubles import SOON, NearestFirst, problems, streamed
from vrpcore.instance.plan import Plan
from vrpcore.search.savings import savings_routes
from vrpcore.solve.memory_limit import SessionLimits
from vrpcore.solve.session import Session
from vrpcore.solve.solve_options import SolveOptions
from vrpcore.solve.stream import Stream


def answers_in(reports):
    return {row: answer for stage in reports for row, answer in stage.answers.items()}


@pytest.mark.parametrize("limit", [None, 10.0])
def test_an_interruption_keeps_what_is_constructed(limit):
    reports = []

    def search(task, end, cores):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(streamed(problems([9] * 5), search, reports=reports, time_limit=limit))
    kept = answers_in(reports)
    assert sorted(kept) == list(range(5))
    assert {answer.status for answer in kept.values()} == {"solved"}


def stopped_search(task, end, cores):
    """A search that returns when it is told to."""
    deadline = time.monotonic() + SOON
    while not task.watch.stopped:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    return Plan.of(savings_routes(task.instance))


def interrupted(instances, *, workers, batch=None, thorough=False):
    """The answers that are reported where the caller raises as soon as some are constructed."""
    reports = []

    def report(stage):
        reports.append(stage)
        if stage.name == "construct":
            raise KeyboardInterrupt

    capacity = SessionLimits(workers=workers, threads=1)
    session = Session(NearestFirst(), capacity, stopped_search)
    options = SolveOptions(workers=workers, batch=batch)
    with pytest.raises(KeyboardInterrupt):
        list(Stream(session, options, report, thorough=thorough).answers(instances))
    return answers_in(reports)


def test_an_interruption_ends_searches_with_what_they_have():
    """Two of them are searched; the others have only been constructed."""
    kept = interrupted(problems([40] * 5), workers=2, batch=5)
    assert sorted(kept) == list(range(5))
    assert {answer.warnings[-1] for answer in kept.values()} == {"INTERRUPTED"}
    assert {answer.status for answer in kept.values()} == {"solved"}


@pytest.mark.parametrize("thorough", [True, False])
def test_who_is_thorough_gets_answers_of_what_nothing_is_known_of(thorough):
    # They are too large for a policy.
    kept = interrupted(problems([1001] * 3), workers=1, thorough=thorough)
    assert sorted(kept) == [0, 1, 2] if thorough else len(kept) <= 1
