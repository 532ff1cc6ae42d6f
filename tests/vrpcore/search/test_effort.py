"""How much search an instance gets."""

import math
import time

import pytest

from vrpcore.errors import ConfigError
from vrpcore.search.effort import ITERATIONS, LARGE_ITERATIONS, LEVELS, Effort


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
