"""arithmetic.hpp and random.hpp: the model's numbers, bit for bit."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vrpcore.native.hgs.model import arithmetic
from tests.vrpcore.native.hgs.model.randomness import Random

normal = st.floats(min_value=1e-300, max_value=1e300, allow_subnormal=False)
LIMITS = (1.0, math.sqrt(2.0), math.nextafter(math.sqrt(2.0), 2.0), math.nextafter(2.0, 0.0))


@settings(max_examples=200)
@given(value=normal)
def test_logarithm(windows, value):
    found = windows.library.inside_log(value)
    assert found == arithmetic.log_of(value)
    assert found == pytest.approx(math.log(value), rel=1e-11, abs=1e-12)


@pytest.mark.parametrize("value", [*LIMITS, *(1.0 / limit for limit in LIMITS), 2.0**-53, 1e9])
def test_logarithm_where_the_mantissa_turns(windows, value):
    assert windows.library.inside_log(value) == arithmetic.log_of(value)


@settings(max_examples=200)
@given(power=st.floats(-700.0, 700.0))
def test_power(windows, power):
    found = windows.library.inside_exp(power)
    assert found == arithmetic.exp_of(power)
    assert found == pytest.approx(math.exp(power), rel=1e-11)


@settings(max_examples=200)
@given(value=st.floats(-(2.0**51), 2.0**51, exclude_min=True, exclude_max=True))
def test_rounding(windows, value):
    assert windows.library.inside_rounded(value) == round(value)


@pytest.mark.parametrize("value", [0.5, 1.5, 2.5, -0.5, -1.5, 0.49999999999999994, 1e9 + 0.5])
def test_rounding_of_halves(windows, value):
    assert windows.library.inside_rounded(value) == round(value)


def test_known_numbers():
    # The first numbers of xorshift64* from the state 1, as Vigna's own program prints them.
    random = Random(0)
    random.state = 1
    assert [random.next() for _ in range(3)] == [
        5180492295206395165,
        12380297144915551517,
        13389498078930870103,
    ]


@settings(max_examples=40)
@given(seed=st.integers(0, 2**64 - 1), below=st.integers(1, 2**31 - 1))
def test_random_numbers(windows, seed, below):
    model = Random(seed)
    for draw in windows.draws(seed, 50, below):
        drawn = [model.unit(), model.below(below), model.chance(2**31), model.exponential()]
        assert draw.tolist() == drawn


def test_a_seed_that_mixes_to_zero(windows):
    seed = -0x9E3779B97F4A7C15 % 2**64
    model = Random(seed)
    assert model.state == 1
    assert windows.draws(seed, 1, 10)[0, 0] == model.unit()


def test_random_numbers_are_spread_evenly(windows):
    draws = windows.draws(7, 20_000, 10)
    assert draws[:, 0].mean() == pytest.approx(0.5, abs=0.01)
    counts = [(draws[:, 1] == digit).mean() for digit in range(10)]
    assert counts == pytest.approx([0.1] * 10, abs=0.01)
    assert draws[:, 2].mean() == pytest.approx(0.5, abs=0.015)
    assert draws[:, 3].mean() == pytest.approx(1.0, abs=0.03)
