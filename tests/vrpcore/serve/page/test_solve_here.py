"""The exported model in the browser gives the answers of Python."""

import json

import numpy as np
import pytest

from tests.vrpcore.serve.page.cases import EXAMPLE
from tests.vrpcore.serve.page.chromium import Page, downloaded
from tests.vrpcore.serve.page.served import ROOT
from vrpcore.api import Solver, read_instances
from vrpcore.cost.check import check_solution
from vrpcore.formats.solutionio import read_solutions
from vrpcore.instance.instance import Instance


def test_solving_here_gives_the_routes_of_the_policy(page: Page, solver: Solver) -> None:
    reference = np.load(ROOT / "tests" / "data" / "kool_n20.npz")
    written = [
        {
            "name": f"kool-{index}", "capacity": int(reference["capacity"]),
            "depot": coords[0].tolist(), "coords": coords[1:].tolist(),
            "demands": demand[1:].astype(int).tolist(),
        }
        for index, (coords, demand) in enumerate(
            zip(reference["coords"][:10], reference["demand"][:10], strict=True)
        )
    ]  # fmt: skip
    instances = [item for item in read_instances(written) if isinstance(item, Instance)]
    expected = solver.solve(instances, improve="none")
    page.paste(written)
    page.command("Network.enable")
    page.command("Network.setBlockedURLs", urls=["*/v1/*"])  # here means here
    assert "in this browser" in page.solve("solve-here")
    text = downloaded(page, "json")
    found, document = read_solutions(text.encode()), json.loads(text)
    assert document["model"]["name"] == solver.model.name
    assert document["model"]["sha256"] == solver.model.sha256
    for instance, here, there in zip(instances, found, expected, strict=True):
        assert check_solution(instance, here).ok
        # In any order: sums of the same lengths may differ in their last digit.
        assert sorted(route.customers for route in here.routes) == sorted(
            route.customers for route in there.routes
        )
        assert here.cost == pytest.approx(there.cost, rel=1e-12)


def test_solving_here_where_it_cannot(page: Page) -> None:
    page.click("example")
    page.until("document.getElementById('content').checkVisibility()")
    assert page.solve("solve-here").startswith("3 of 4 instances solved")
    page.click("option-3")
    assert "needs coordinates" in page.text("shown-notice")
    instances = [item for item in read_instances(EXAMPLE) if isinstance(item, Instance)]
    found = read_solutions(downloaded(page, "json").encode())
    checked = [check_solution(*pair).ok for pair in zip(instances, found, strict=True)]
    assert checked == [True, True, True, False]


def test_demands_are_rounded_up_never_down(page: Page) -> None:
    found = page.module(
        "const { wholeDemands } = await import('/page/policy.js');"
        "const whole = (demand, capacity) => {"
        "  const made = wholeDemands(Float64Array.from(demand), capacity);"
        "  return [Array.from(made.demand), made.capacity]; };"
        "return [whole([0, 3, 4], 9), whole([0, 0.25, 1.5], 2), whole([0, Math.PI, 1e9], 1e9)];"
    )
    assert found[:2] == [[[0, 3, 4], 8], [[0, 25, 150], 200]]
    assert found[2] == [[0, 1, 2**23], 2**23]
