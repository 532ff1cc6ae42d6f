"""`/docs` in a browser: it shows all routes, solves, and asks no other host for anything."""

import json

import pytest

from tests.vrpcore.serve.page.chromium import Page
from tests.vrpcore.serve.page.served import Faults


@pytest.mark.slow  # Swagger UI takes as long as ten tests of the page
def test_it_shows_the_routes_and_tries_one(page: Page, server: Faults) -> None:
    """That the console is silent, the fixture sees: nothing breaks the policy."""
    page.browser.get(f"{page.url}docs")
    page.until("document.querySelectorAll('.opblock').length > 10")
    paths = page.texts(".opblock-summary-path")
    assert any("/v1/solve" in path.replace("\u200b", "") for path in paths)
    names = page.text("docs")
    assert "SolutionsAndInKind" in names and "InstancesDocument" in names
    opened = "document.querySelector('#operations-solve-solve_v1_solve_post')"
    page.script(f"{opened}.querySelector('.opblock-summary-control').click()")
    page.until(f"{opened}.querySelector('.try-out__btn')")
    page.script(f"{opened}.querySelector('.try-out__btn').click()")
    page.until(f"{opened}.querySelector('.execute')")
    page.script(f"{opened}.querySelector('.execute').click()")
    page.until(f"{opened}.querySelector('.live-responses-table .response-col_status')")
    status = page.script(f"{opened}.querySelector('.live-responses-table').textContent")
    assert "200" in status and "monday-north" in status
    assert len(server.solves) == 1
    hosts = page.script(
        "[...new Set(performance.getEntriesByType('resource')"
        ".map((one) => new URL(one.name).host))]"
    )
    assert hosts == [page.url.split("/")[2]], json.dumps(hosts)
