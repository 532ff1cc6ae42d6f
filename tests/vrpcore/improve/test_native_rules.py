"""The compiled search for constraints: what goes in and comes out, and its memory."""

import ctypes

import numpy as np
import pytest

from tests.vrpcore.improve.mixed import mixed_instance
from vrpcore.cost.timeline import Timeline
from vrpcore.errors import MissingSearchError
from vrpcore.improve import native, native_rules
from vrpcore.improve.constrained import RuleProblem
from vrpcore.improve.native_rules import RuleSearch

pytestmark = pytest.mark.skipif(not native_rules.is_built(), reason="the search was not built")


def test_annealing_does_not_make_a_plan_worse_and_counts_its_iterations():
    for seed in range(20):
        search = RuleSearch(RuleProblem(mixed_instance(seed, 12)).rules)
        search.construct(1)
        before = search.best()
        assert search.anneal(300, (0.5, 0.1)) == 300
        after = search.best()
        assert (after.missing, after.cost) <= (before.missing, before.cost)


def test_a_plan_costs_its_routes_or_its_prize():
    instance = mixed_instance(0, 1)
    search = RuleSearch(RuleProblem(instance).rules)
    search.construct(0)
    plan = search.best()
    costs = [Timeline(instance).schedule(route).cost for route in plan.routes]
    left_out = 0.0 if plan.routes or plan.missing else float(instance.rules.prize[0])
    assert plan.cost == pytest.approx(sum(costs) + left_out)


@pytest.mark.parametrize("byte", [0, 255])
def test_what_was_in_the_memory_before_does_not_matter(monkeypatch, byte):
    def plan(seed):
        search = RuleSearch(RuleProblem(mixed_instance(seed, 15)).rules)
        search.construct(5)
        search.anneal(500, (0.5, 0.1))
        return search.best()

    expected = [plan(seed) for seed in range(6)]

    class Memory(native.Memory):
        def __init__(self, num_bytes):
            super().__init__(num_bytes)
            self._owner[:] = byte

    monkeypatch.setattr(native, "Memory", Memory)
    assert [plan(seed) for seed in range(6)] == expected


def test_without_its_library_it_says_so(monkeypatch, tmp_path):
    load = native_rules.load_library
    monkeypatch.setattr(native_rules, "load_library", lambda: load(tmp_path / "none.so"))
    assert not native_rules.is_built()
    with pytest.raises(MissingSearchError, match=r"the compiled search is missing .*none\.so"):
        RuleProblem(mixed_instance(0, 3))


def test_the_input_has_no_gaps():
    numbers = 8 * ctypes.sizeof(ctypes.c_int32) + ctypes.sizeof(ctypes.c_double)
    arrays = len(native_rules.ARRAYS) * ctypes.sizeof(ctypes.c_void_p)
    assert ctypes.sizeof(native_rules._Input) == numbers + arrays
    assert set(native_rules.ARRAYS.values()) == {np.float64, np.int64, np.int32, np.uint8}
