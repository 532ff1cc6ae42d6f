"""Options of an instance's own document come before those of the run."""

import pytest

from tests.vrpcore.solve.doubles import VROOM
from vrpcore.errors import InstanceError
from vrpcore.formats.read import read_instances
from vrpcore.solve import own_options as module
from vrpcore.solve.own_options import own_options, shared_options
from vrpcore.solve.solve_options import SolveOptions

PLAIN = {"capacity": 9, "depot": [0, 0], "coords": [[1, 0]], "demands": [3]}


def item(**options):
    return read_instances({**VROOM, "options": options})[0]


def test_levels_threads_and_limits():
    given = SolveOptions(improve="deep", time_limit=9)
    levels = [own_options(item(x=level), given).improve for level in range(6)]
    assert levels == ["none", "fast", "fast", "fast", "fast", "deep"]
    found = own_options(item(t=3, l=2), given)
    assert (found.workers, found.time_per_instance, found.time_limit) == (3, 2, 9)
    assert found.improve == "deep"
    assert own_options(item(x=0), SolveOptions(fewest_vehicles=True)).improve == "fast"


def test_without_a_search_of_its_own_flags_that_end_searches_mean_nothing():
    ends = {"iterations": 1000, "no_improvement": 5.0, "target_cost": 9.0}
    given = SolveOptions(**ends, seed=3)
    assert own_options(item(x=0), given) == SolveOptions(improve="none", seed=3)
    assert own_options(item(x=5), given) == SolveOptions(improve="deep", seed=3, **ends)
    fewest = SolveOptions(fewest_vehicles=True, iterations=1000)
    assert own_options(item(x=0), fewest) == fewest


def test_where_nothing_is_asked_nothing_changes():
    given = SolveOptions(improve="none")
    (plain, wrong) = read_instances([PLAIN, {"jobs": 5, "vehicles": 3}])
    for each in (item(), item(g=True), plain, wrong):
        assert own_options(each, given) is given


def test_without_a_search_nothing_searches(monkeypatch):
    monkeypatch.setattr(module, "is_built", lambda: False)
    assert own_options(item(x=5), SolveOptions(improve="none")).improve == "none"


def test_an_order_has_one_set_of_options():
    given = SolveOptions()
    (wrong,) = read_instances({"jobs": 5, "vehicles": 3})
    assert shared_options([], given) == given
    assert shared_options([item(l=2), wrong, item(l=2)], given).time_per_instance == 2
    with pytest.raises(InstanceError, match=r"^instance-0 and instance-1 have different") as raised:
        shared_options(read_instances([{**VROOM, "options": {"l": 2}}, PLAIN]), given)
    assert raised.value.code == "CONFLICT"
