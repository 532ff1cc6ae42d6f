"""One browser and one server for all tests of the page."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.vrpcore.serve.page.chromium import Page, chromium
from tests.vrpcore.serve.page.stand_in import Behaviour, stand_in
from vrpcore.api import Solver


@pytest.fixture(scope="session")
def solver() -> Solver:
    return Solver(device="cpu")


@pytest.fixture(scope="session")
def place(solver: Solver) -> Iterator[tuple[str, Behaviour]]:
    with stand_in(solver) as served:
        yield served


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture
def server(place: tuple[str, Behaviour]) -> Behaviour:
    place[1].reset()
    return place[1]


@pytest.fixture
def page(browser: Any, place: tuple[str, Behaviour], server: Behaviour) -> Iterator[Page]:
    """The page, opened; afterwards the console must be silent: no error, no CSP violation."""
    opened = Page(browser, place[0])
    opened.open()
    opened.complaints()
    yield opened
    assert opened.complaints() == []
