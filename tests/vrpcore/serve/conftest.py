import contextlib

import pytest

from tests.vrpcore.serve.doubles import Server
from tests.vrpcore.solve.conftest import policy_for_all_sizes

__all__ = ["policy_for_all_sizes"]


@pytest.fixture
def serving(tmp_path):
    """Makes servers, each with jobs of its own; all end with the test."""
    made = []
    with contextlib.ExitStack() as held:

        def make(roads=None, **settings):
            made.append(Server(tmp_path / f"server-{len(made)}", roads, **settings))
            return held.enter_context(contextlib.closing(made[-1]))

        yield make


@pytest.fixture
def server(serving):
    return serving()
