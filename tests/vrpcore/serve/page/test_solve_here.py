"""The exported model in the browser gives the answers of Python."""

import json

import numpy as np
import pytest

from tests.vrpcore.serve.page.cases import EXAMPLE, FLEET, OPEN, SMALL, covered_document
from tests.vrpcore.serve.page.chromium import Page, downloaded
from tests.vrpcore.serve.page.served import ROOT
from tests.vrpcore.variants import NAMES, drawn
from vrpcore.api import Solver, read_instances
from vrpcore.cost.check import check_solution
from vrpcore.formats.solutionio import read_solutions
from vrpcore.formats.write_constraints import constrained_to_dict
from vrpcore.instance.instance import Instance
from vrpcore.solve.answer import planned
from vrpcore.solve.backend import Backend
from vrpcore.solve.construct_variants import construct_variants
from vrpcore.solve.models import open_backend
from vrpcore.solve.options import SolveOptions


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


def test_solving_here_takes_instances_with_constraints(page: Page, solver: Solver) -> None:
    """One of each of the field's variants, and all their keys, beside Python's own choice."""
    drawn_ones = [constrained_to_dict(drawn(name, 1, 7)[0]) for name in NAMES]
    written = [*drawn_ones, *(covered_document(seed) for seed in range(12)), OPEN, SMALL]
    instances = [item for item in read_instances(written) if isinstance(item, Instance)]
    page.paste(written)
    page.command("Network.enable")
    page.command("Network.setBlockedURLs", urls=["*/v1/*"])
    page.solve("solve-here")
    found = read_solutions(downloaded(page, "json").encode())
    backend = open_backend("variants", "cpu")
    solved = 0
    for instance, here in zip(instances, found, strict=True):
        if instance.constraints is None:
            continue
        best = _best_of_policy(instance, backend)
        if best is None:
            assert (here.status, here.routes) == ("partial", ()), instance.name
            continue
        assert check_solution(instance, here).ok
        assert here.cost is not None and here.cost <= best * (1 + 1e-9), instance.name
        if instance.name in {each["name"] for each in drawn_ones}:
            assert here.cost == pytest.approx(best, rel=1e-9), instance.name
        solved += 1
    assert solved > 50 and found[-1].status == "solved"


def _best_of_policy(instance: Instance, backend: Backend) -> float | None:
    """The cheapest of the policy's tours that Python keeps; None: none keeps all limits."""
    options, costs = SolveOptions(improve="none"), []
    for routes in construct_variants([instance], backend, options)[0]:
        try:
            solution = planned(instance, routes, ())
        except RuntimeError:  # it breaks a limit
            continue
        if solution.status == "solved":
            costs.append(solution.cost)
    return min(costs, default=None)


def test_a_model_is_fetched_when_an_instance_needs_it(page: Page) -> None:
    """Served beside each other, alone, or not at all."""
    asked = (
        "window.fetched = []; const real = window.fetch;"
        "window.fetch = (url, options) => { const name = String(url).split('/').pop();"
        "window.fetched.push(name);"
        "const other = arguments[0][name] ?? name;"
        "return real(String(url).replace(name, other), options); };"
    )
    page.browser.execute_script(asked, {})
    page.paste(SMALL)
    assert "model base" in page.solve("solve-here")
    page.paste([FLEET, OPEN])
    assert "model variants" in page.solve("solve-here")
    page.paste([OPEN, SMALL, OPEN])
    assert page.solve("solve-here").startswith("3 instances solved")
    assert page.script("window.fetched") == ["model.onnx", "variants.onnx"]
    page.open()
    page.browser.execute_script(asked, {"model.onnx": "variants.onnx"})  # `--model variants`
    assert _answer_here(page, [SMALL, OPEN]) == ["solved", "solved"]
    page.open()
    page.browser.execute_script(asked, {"variants.onnx": "none.onnx"})  # `--model small`
    assert _answer_here(page, [SMALL, OPEN]) == ["solved", "partial"]
    page.click("option-1")
    assert "offers no model for depots, vehicles and times" in page.text("shown-notice")
    page.browser.execute_script(asked, {"variants.onnx": "model.onnx"})
    page.paste(OPEN)
    page.solve("solve-here")
    assert "another format: vrp-policy/1" in page.text("run-notice")


def _answer_here(page: Page, written: list[dict[str, object]]) -> list[str]:
    page.paste(written)
    page.solve("solve-here")
    return [item.status for item in read_solutions(downloaded(page, "json").encode())]


def test_tours_that_break_a_limit_are_refused(page: Page) -> None:
    """Three customers on a line, windows that allow one way round only."""
    line = {
        "name": "line",
        "depot": [0, 0],
        "vehicles": [{"id": "van", "count": 2, "capacity": 2}],
        "customers": [
            {"id": "a", "x": 1, "y": 0, "demand": 1, "window": [0, 1]},
            {"id": "b", "x": 2, "y": 0, "demand": 1, "window": [2, 5]},
            {"id": "c", "x": -1, "y": 0, "demand": 1},
        ],
    }
    late, dear, good = [0, 2, 1, 0, 3, 0], [0, 1, 3, 0, 2, 0], [0, 1, 2, 0, 3, 0]
    heavy, many, missing = [0, 1, 2, 3, 0, 0], [0, 1, 0, 2, 0, 3], [0, 1, 2, 0, 0, 0]
    cases = [[late, dear, good], [late, heavy], [many, late], [missing, late]]
    found = page.module(
        "const { readInstances } = await import('/page/instances.js');"
        "const { planOf } = await import('/page/coverage.js');"
        "const { bestPlan } = await import('/page/rule_answer.js');"
        "const [item] = readInstances(JSON.stringify(values[0])).items;"
        "const { problem, rules } = planOf(item);"
        "return values[1].map((tours) =>"
        "  bestPlan(problem, rules, BigInt64Array.from(tours.flat(), BigInt), tours.length));",
        line,
        cases,
    )
    assert [each["status"] for each in found] == ["solved", "partial", "partial", "partial"]
    assert found[0]["cost"] == 6 and [r["customers"] for r in found[0]["routes"]] == [
        ["a", "b"], ["c"],
    ]  # fmt: skip
    assert found[0]["routes"][0] == {
        "customers": ["a", "b"], "load": 2, "cost": 4, "vehicle": "van", "start": "0", "end": "0",
        "distance": 4, "duration": 4, "departure": 0, "return": 4, "arrivals": [1, 2],
        "begins": [1, 2],
    }  # fmt: skip
    assert [each["code"] for each in found[1:]] == [
        "NOT_SOLVED_HERE", "TOO_MANY_ROUTES", "UNSERVED",
    ]  # fmt: skip


PLACE: dict[str, object] = {"x": 1, "y": 1}
SHORT = {"vehicles": None, "capacity": 1}
BAD_KEYS: list[tuple[str, dict[str, object]]] = [
    ("UNKNOWN_KEY", {"reloads": 2}),
    ("CONFLICTING_KEYS", {"capacity": 3}),
    ("CONFLICTING_KEYS", {"coords": [[1, 1]]}),
    ("CONFLICTING_KEYS", {"customers": [PLACE | {"demand": 1, "pickup": 1}], "backhauls": "last"}),
    ("NOT_POSITIVE", {"speed": 0}),
    ("NEGATIVE", {"customers": [PLACE | {"service": -1}]}),
    ("NO_DEPOT", {"vehicles": [{"start": "z"}]}),
    ("WINDOW_EMPTY", {"customers": [PLACE | {"window": [3, 2]}]}),
    ("SHAPE", {"vehicles": []}),
    ("MIXED_AMOUNTS", {"customers": [PLACE | {"demand": [1]}]}),
    ("MISSING_KEY", {"customers": None}),
    ("DUPLICATE_ID", {"customers": [PLACE | {"id": "a"}] * 2}),
    ("WRONG_TYPE", {"pickup_only_routes": 1}),
    ("NOT_A_NUMBER", {"customers": [PLACE | {"demand": "x"}]}),
    ("UNKNOWN_BACKHAULS", {"backhauls": "x"}),
    ("NOT_AN_INTEGER", {"vehicles": [{"count": 1.5}]}),
    ("DEMAND_EXCEEDS_CAPACITY", {**SHORT, "customers": [PLACE | {"pickup": 2}]}),
]


def test_wrong_constraints_are_invalid_here_as_on_the_server(page: Page) -> None:
    base = {"depot": [0, 0], "vehicles": [{"capacity": 3}], "customers": [PLACE]}
    written = [base | keys for _, keys in BAD_KEYS]
    there = [getattr(item, "code", None) for item in read_instances(written)]
    assert there == [code for code, _ in BAD_KEYS]
    page.paste(written)
    page.solve("solve-here")
    document = json.loads(downloaded(page, "json"))
    assert [item["code"] for item in document["solutions"]] == there
    assert document["model"] is None  # none was asked
