import pytest

from vrpcore.errors import MissingSearchError
from vrpcore.search import hgs_library
from vrpcore.solve.searching import search_for, usable_options, usable_search
from vrpcore.solve.solve_options import SolveOptions

NONE = SolveOptions(improve="none")


@pytest.fixture
def without_search(monkeypatch, tmp_path):
    """An installation whose search could not be compiled."""
    load = hgs_library.load_library
    monkeypatch.setattr(hgs_library, "load_library", lambda: load(tmp_path / "missing.so"))


def test_there_is_a_search_where_one_is_asked_for():
    assert search_for(SolveOptions()) is not None
    assert search_for(NONE) is None


def test_without_the_compiled_search_there_is_none(without_search):
    assert usable_options(SolveOptions()) == NONE
    assert usable_search(SolveOptions()) is None


def test_rules_of_a_search_that_was_not_built_are_refused(without_search):
    with pytest.raises(MissingSearchError, match="target_cost needs it"):
        usable_options(SolveOptions(target_cost=5.0))


def test_where_it_is_built_options_stay():
    options = SolveOptions(target_cost=5.0)
    assert usable_options(options) is options
