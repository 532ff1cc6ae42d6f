"""No violation by axe-core: of the empty page, of input, and of all that an answer shows."""

from importlib import resources
from typing import Any

import pytest

from tests.vrpcore.serve.page.cases import BAD, SMALL
from tests.vrpcore.serve.page.chromium import Page
from tests.vrpcore.serve.page.days import DAY, FLEET, STOPS, TRIPS

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture(scope="module")
def axe() -> str:
    reason = "axe-core checks the page: pip install axe-core-python"
    package = pytest.importorskip("axe_core_python", reason=reason)
    return resources.files(package).joinpath("axe.min.js").read_text()


def violations(page: Page, axe: str) -> list[str]:
    """What axe-core says, in words."""
    page.browser.execute_script(axe)
    found: list[dict[str, Any]] = page.module(
        "const found = await window.axe.run(document, { runOnly: values[0] });"
        "return found.violations.map(({ id, nodes }) => ({ id, nodes: nodes.map((node) =>"
        "  `${node.target}: ${node.failureSummary}`) }));",
        TAGS,
    )
    return [f"{each['id']}: {node}" for each in found for node in each["nodes"]]


@pytest.mark.parametrize(
    ("scheme", "width", "day"),
    [
        ("light", 1280, TRIPS),
        ("dark", 390, DAY),
        pytest.param("dark", 1280, DAY, marks=pytest.mark.slow),
        pytest.param("light", 390, TRIPS, marks=pytest.mark.slow),
    ],
)
def test_no_violation(page: Page, axe: str, scheme: str, width: int, day: object) -> None:
    page.open(width=width, prefers_color_scheme=scheme)
    assert violations(page, axe) == []
    page.click("tab-text")
    page.script("document.querySelector('#empty summary').click()")
    assert violations(page, axe) == []
    page.paste(STOPS)
    page.until("document.getElementById('map').checkVisibility()")  # a sketch, without a depot
    page.script("document.querySelector('#reading summary').click()")
    assert violations(page, axe) == []
    page.paste([day, SMALL, BAD])
    page.solve("compare")
    page.script("document.querySelector('#customers summary').click()")
    page.script("document.querySelector('#timeline [role=option]').focus()")
    assert page.shows("timeline") and page.shows("unserved") and page.shows("comparison")
    assert violations(page, axe) == []


def test_no_violation_in_what_a_spreadsheet_shows(page: Page, axe: str) -> None:
    page.paste(STOPS)
    page.fill("fleet", FLEET)
    page.until("document.getElementById('input-note').textContent.startsWith('1 instance')")
    page.solve()
    assert page.shows("timeline")
    assert violations(page, axe) == []
