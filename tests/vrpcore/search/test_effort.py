"""How much search an instance gets."""

import math
import time

import pytest

from vrpcore.errors import ConfigError
from vrpcore.search.effort import ITERATIONS, LARGE_ITERATIONS, LEVELS, Effort
from vrpcore.search.watch import Watch


def test_unknown_level():
    with pytest.raises(
        ConfigError, match="search level: found 'best'; expected 'none' or 'fast' or 'deep'"
    ):
        Effort("best")


def test_what_is_left():
    assert Effort().left() == math.inf
    assert 4.0 < Effort(end=time.perf_counter() + 5.0).left() <= 5.0
    assert Effort(end=time.perf_counter() - 1.0).left() < 0.0


def test_every_level_that_searches_has_its_iterations():
    assert ITERATIONS.keys() == LARGE_ITERATIONS.keys() == set(LEVELS) - {"none"}


def test_iterations_are_those_of_the_level_or_as_given():
    assert Effort("fast").total(10) == 4000
    assert Effort("deep").total(2001) == 2000 * 2001
    assert Effort("fast", iterations=7).total(10) == 7
    assert Effort().is_counted
    assert Effort(end=1.0, iterations=7).is_counted
    assert not Effort(end=1.0).is_counted


def test_annealing_is_cool_before_a_watch_loses_patience():
    assert Effort(watch=Watch(no_improvement=8.0)).run_s == 6.0
    assert Effort(watch=Watch()).run_s == Effort().run_s == math.inf


def test_a_clock_sets_the_pace_where_there_is_no_count_and_where_a_watch_waits():
    assert Effort(watch=Watch()).goes_by_count
    assert Effort(end=1.0, iterations=7).goes_by_count
    assert not Effort(end=1.0).goes_by_count
    assert not Effort(iterations=7, watch=Watch(no_improvement=8.0)).goes_by_count


def test_nothing_is_left_once_the_watch_has_ended_it():
    watch = Watch()
    effort = Effort(end=time.perf_counter() + 1000, watch=watch)
    assert effort.left() > 0
    watch.stop()
    assert effort.left() == 0.0
    assert effort.time_left > 0


def test_a_part_ends_after_its_share_of_the_time():
    effort = Effort(end=time.perf_counter() + 1000)
    assert 240 < effort.part(0.25).left() < 250
    assert Effort(end=0.0).part(0.5).left() < 0
    assert Effort().part(0.5) == Effort()
