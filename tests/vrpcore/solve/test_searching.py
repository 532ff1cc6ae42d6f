import pytest

from tests.vrpcore.solve.doubles import NearestFirst, answers, problems, tasks
from vrpcore.errors import MissingSearchError
from vrpcore.search.effort import Effort
from vrpcore.solve import searching
from vrpcore.solve.memory_limit import SessionLimits
from vrpcore.solve.searching import usable_options
from vrpcore.solve.session import Session
from vrpcore.solve.solve_options import SolveOptions

NONE = SolveOptions(improve="none")


def test_the_options_of_an_order_say_how_to_search(monkeypatch):
    seen = []

    def search(*given, **more):
        seen.append((given, more))

    monkeypatch.setattr(searching, "search_instance", search)
    (task,) = tasks([5], improve="deep", iterations=9, seed=7, fewest_vehicles=True)
    searching.search_task(task, 5.0, 2)
    effort = Effort("deep", 5.0, 2, 9)
    assert seen == [
        ((task.instance, task.starts, effort, 7), {"fewest_vehicles": True, "keep": None})
    ]


def test_without_the_compiled_search_there_is_none(without_search):
    assert usable_options(SolveOptions()) == NONE
    with Session(NearestFirst(), SessionLimits(workers=2, threads=1)) as session:
        order = session.submit(problems([5]), SolveOptions())
        assert answers(order)[0].status == "solved"
        assert not order.searches
        with pytest.raises(MissingSearchError, match="iterations needs it"):
            session.submit(problems([5]), SolveOptions(iterations=9))


def test_rules_of_a_search_that_was_not_built_are_refused(without_search):
    with pytest.raises(MissingSearchError, match="target_cost needs it"):
        usable_options(SolveOptions(target_cost=5.0))


def test_where_it_is_built_options_stay():
    options = SolveOptions(target_cost=5.0)
    assert usable_options(options) is options
