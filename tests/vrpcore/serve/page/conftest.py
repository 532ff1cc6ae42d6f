"""One browser and one server for all tests of the page."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.vrpcore.serve.page.chromium import Page, chromium
from tests.vrpcore.serve.page.served import Faults, served
from vrpcore.api import Solver


@pytest.fixture(scope="session")
def solver() -> Solver:
    return Solver(device="cpu")


@pytest.fixture(scope="session")
def place(
    browser: Any, solver: Solver, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Faults]]:
    with served(solver, tmp_path_factory.mktemp("jobs")) as found:
        yield found


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture
def server(place: tuple[str, Faults]) -> Faults:
    place[1].reset()
    return place[1]


@pytest.fixture
def page(browser: Any, place: tuple[str, Faults], server: Faults) -> Iterator[Page]:
    """The page, opened; afterwards the console must be silent: no error, no CSP violation."""
    opened = Page(browser, place[0])
    opened.open()
    opened.complaints()
    yield opened
    assert opened.complaints() == []
