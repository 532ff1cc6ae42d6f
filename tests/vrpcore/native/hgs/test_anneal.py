"""solution.hpp, ruin.hpp, recreate.hpp and anneal.hpp against the model."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import random_instance
from tests.vrpcore.native.hgs.instances import KINDS, draw, starts
from tests.vrpcore.native.hgs.model.anneal import STEP
from tests.vrpcore.native.hgs.pairs import Pair


@pytest.fixture(autouse=True)
def library(inside):
    return inside


def anneal(pair, seed, iterations=(1, 2, 60, 101)):
    """From a start, a few times: a whole run and the state after each."""
    pair.begin(starts(pair.problems[0], seed), seed)
    for count in iterations:
        warmest = pair.unit() * (0.5 + count % 3)
        pair.anneal(count, (warmest, warmest / 20))


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=15)
@given(seed=st.integers(0, 10_000), size=st.integers(2, 30))
def test_all_kinds(windows, kind, seed, size):
    anneal(Pair(windows, *draw(kind, seed, size)), seed)


@pytest.mark.parametrize(
    ("kind", "seed", "size", "iterations"),
    [
        *((kind, seed, 2, (1, 2, 60, 101)) for kind in KINDS for seed in range(3)),
        # Where near places begin, and for longer.
        *((kind, 2, size, (8,)) for kind in KINDS for size in (249, 250, 251)),
        *((kind, 5, 260, (180,)) for kind in ("plain", "one way")),
        ("plain", 8, 8, (1500,)),  # many places, seldom overlooked
    ],
)
def test_sizes_and_lengths_of_runs(windows, kind, seed, size, iterations):
    anneal(Pair(windows, *draw(kind, seed, size)), seed if size == 2 else 0, iterations)


def test_all_places_where_no_near_one_is_free(windows):
    """Nearest to everyone are customers that fill their vehicles."""
    instance = random_instance(6, 280, 10.0)
    instance.coords[:] = instance.coords * 0.01 + [1.0, 0.0]
    instance.demand[1:] = 1.0
    instance.demand[1:200] = 10.0
    pair = Pair(windows, instance, 215)
    anneal(pair, 0, (20,))


@pytest.mark.parametrize("seed", range(6))
def test_fleets_that_leave_somebody_unserved(windows, seed):
    """Three customers too many: who is unserved is exchanged all the time."""
    instance = random_instance(seed, 17, 20.0)
    instance.demand[1:] = np.random.default_rng(seed).integers(3, 9, 17)
    vehicles = max(1, int(instance.demand.sum() / 20.0) - seed % 2)
    pair = Pair(windows, instance, vehicles)
    anneal(pair, 0, (180,))
    assert pair.model.solution.unserved


@pytest.mark.parametrize("temperatures", [(1e-9, 1e-12), (1e-3, 1e6), (5.0, 5.0), (1e9, 1e8)])
def test_temperatures(windows, temperatures):
    """The coldest takes nothing dearer, the warmest everything."""
    pair = Pair(windows, *draw("plain", 3, 20))
    anneal(pair, 0, (1,))
    warmest, coolest = (pair.unit() * share for share in temperatures)
    pair.anneal(240, (warmest, coolest))


def test_one_long_route(windows):
    instance = random_instance(9, 30, 1000.0)
    anneal(Pair(windows, instance, 1), 0, (150,))
    anneal(Pair(windows, instance, 30), 1, (150,))


def test_no_iterations(windows):
    pair = Pair(windows, *draw("plain", 1, 9))
    pair.begin(starts(pair.problems[0], 0), 0)
    pair.anneal(0, (1.0, 0.5))


def test_the_clock_ends_a_run(windows):
    pair = Pair(windows, *draw("plain", 2, 30))
    pair.begin(starts(pair.problems[0], 0), 0)
    annealer, temperature = pair.annealers[0], (pair.unit(), pair.unit() / 10)
    assert annealer.anneal(1000, temperature, 0.0) == 0
    pair.compare()
    began = time.perf_counter()
    done = annealer.anneal(2**62, temperature, 0.05)
    assert 0.05 <= time.perf_counter() - began < 5.0
    assert done > 0
    assert done % STEP == 0
    assert annealer.anneal(70, temperature, 1e6) == 70


def test_a_run_cools_by_the_clock(windows):
    """With iterations without end the clock alone cools: nothing dearer is taken at last."""
    pair = Pair(windows, *draw("plain", 2, 30))
    pair.begin(starts(pair.problems[0], 1), 0)
    pair.annealers[0].anneal(2**62, (100 * pair.unit(), 1e-9 * pair.unit()), 0.3)
    state = windows.annealer(pair.annealers[0])
    assert state["cost"] < 1.1 * state["best_rank"]
