"""The exported model in the browser gives the answers of Python."""

import json

import numpy as np
import pytest

from tests.vrpcore.serve.page.cases import EXAMPLE, FLEET, OPEN, SMALL, TIMED
from tests.vrpcore.serve.page.chromium import Page, downloaded
from tests.vrpcore.serve.page.served import ROOT, Faults
from vrpcore.api import Solver, read_instances
from vrpcore.formats.answers.solutionio import read_solutions
from vrpcore.instance.instance import Instance
from vrpcore.referee.referee import check_solution
from vrpcore.solve.models import shipped_models


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
    page.command("Network.enable")
    page.command("Network.setBlockedURLs", urls=["*/v1/*"])  # here means here
    page.paste(written)
    assert page.text("input-note") == "10 instances, 20 customers each"
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
    page.example()
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


def test_only_the_server_solves_constraints(page: Page) -> None:
    page.paste([FLEET, SMALL, OPEN, TIMED])
    assert page.solve("solve-here").startswith("1 of 4 instances solved")
    document = json.loads(downloaded(page, "json"))
    codes = [solution.get("code") for solution in document["solutions"]]
    assert codes == ["NOT_SOLVED_HERE", None, "NOT_SOLVED_HERE", "NOT_SOLVED_HERE"]
    assert "the server solves it: it has constraints" in page.text("shown-notice")
    assert page.text("shown-notice").endswith("Use Solve. NOT_SOLVED_HERE")
    assert page.shows("map")
    assert page.solve().startswith("3 of 4 instances solved")


def test_the_model_is_fetched_once_and_only_where_it_is_used(page: Page, server: Faults) -> None:
    page.browser.execute_script(
        "window.fetched = []; const real = window.fetch; window.fetch = (url, options) => {"
        "window.fetched.push(String(url).split('/').pop()); return real(url, options); };"
    )
    page.paste([OPEN, {**SMALL, "capacity": -1}])
    page.solve("solve-here")
    assert json.loads(downloaded(page, "json"))["model"] is None
    page.paste(SMALL)
    assert page.solve("solve-here").endswith("model base")
    page.paste({**SMALL, "name": "again"})
    assert page.solve("solve-here").startswith("1 instance solved")
    assert page.script("window.fetched") == ["instances", "model.onnx"]
    assert server.reads == 1


def test_a_model_of_variants_solves_plain_instances(page: Page, server: Faults) -> None:
    server.model = shipped_models()["variants"].onnx
    page.paste(SMALL)
    assert page.solve("solve-here").endswith("model variants")
    (solution,) = read_solutions(downloaded(page, "json").encode())
    assert solution.cost == pytest.approx(20)


def test_a_file_that_is_no_model_is_refused(page: Page, server: Faults) -> None:
    server.model = EXAMPLE
    page.paste(SMALL)
    page.solve("solve-here")
    assert "the model file is damaged" in page.text("run-notice")


def test_what_the_model_is_not_asked(page: Page) -> None:
    """Matrices that were left out on the way are no reason to take lengths from coordinates."""
    problem = {"ids": [1], "coords": [0, 0, 3, 4], "constrained": False}
    items = [
        {"name": "a", "problem": problem},
        {"name": "b", "problem": {**problem, "lacksMatrices": True}},
        {"name": "c", "problem": {**problem, "ids": list(range(1001))}},
        {"name": "d", "problem": {**problem, "coords": None}},
    ]
    found = page.module(
        "const { solvedWithoutModel } = await import('/page/local.js');"
        "return values[0].map((item) => solvedWithoutModel(item)?.error ?? '');",
        items,
    )
    words = ["", "matrices are too large", "1001 customers; at most 1000", "needs coordinates"]
    assert all(word in error for word, error in zip(words, found, strict=True))
    assert [bool(error) for error in found] == [False, True, True, True]
