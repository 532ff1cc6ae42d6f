"""The page with depots, vehicle types, times and shipments, and with answers that are partial."""

import pytest

from tests.vrpcore.documents import detailed_document, mixed_document
from tests.vrpcore.formats.text.samples import SOLOMON
from tests.vrpcore.serve.page.answers import answered, rows_of
from tests.vrpcore.serve.page.cases import FLEET, OPEN, SERVED, SMALL, TIMED
from tests.vrpcore.serve.page.chromium import Page, downloaded, drawn_colours
from vrpcore.api import read_instances
from vrpcore.formats.answers.sol_files import solution_to_sol
from vrpcore.formats.answers.solutionformats import solution_to_csv
from vrpcore.formats.json.json_numbers import json_numbers
from vrpcore.formats.solutions import read_solutions
from vrpcore.instance.instance import Instance
from vrpcore.serve import preview
from vrpcore.serve.preview import previews

DIALECT = """NAME : dialect
TYPE : MDVRP
DIMENSION : 4
CAPACITY : 10
VEHICLES : 2
EDGE_WEIGHT_TYPE : EUC_2D
NODE_COORD_SECTION
1 0 0
2 9 9
3 6 8
4 0 9
DEMAND_SECTION
1 0
2 0
3 5
4 6
DEPOT_SECTION
1
2
-1
VEHICLES_DEPOT_SECTION
1 1
2 2
EOF
"""


def test_an_infeasible_answer_shows_its_routes_and_who_is_not_served(page: Page) -> None:
    ((problem, solution),) = answered(page, FLEET)
    assert solution.status == "infeasible" and solution.routes
    assert page.text("status").startswith("0 of 1 instance solved")
    assert "no vehicle can serve it" in page.text("shown-notice")
    assert {str(item.id) for item in solution.unserved} == {"8", "9"}
    found = page.rows("unserved-table")
    assert [row[0] for row in found] == [str(item.id) for item in solution.unserved]
    assert found[0][1].endswith("PRIZE") and found[1][1].endswith("CAPACITY")
    assert [row[2] for row in found] == [item.detail for item in solution.unserved]
    assert page.count("#route-table tbody tr") == len(solution.routes)
    assert "van" in page.text("route-table")
    assert page.shows("map") and drawn_colours(page) > 2
    assert "2 depots" in page.script("document.getElementById('map').ariaLabel")
    assert not page.browser.find_element("id", "download-sol").is_enabled()
    assert rows_of(downloaded(page, "csv"))[1:] == rows_of(solution_to_csv(problem, solution))


def test_a_plain_instance_that_lacks_a_road_is_drawn_and_says_who_cannot_be_reached(
    page: Page,
) -> None:
    document = {"capacity": 9, "depot": [0, 0], "coords": [[1, 0], [0, 1]], "demands": [1, 1]}
    matrix = [[None, 2, None], [2, None, 1], [3, 1, None]]
    document["distances"] = matrix
    ((_, solution),) = answered(page, document)
    assert [route.customers for route in solution.routes] == [(1, 2)]
    assert page.shows("map")
    matrix[1][2] = None
    ((_, solution),) = answered(page, document)
    assert [item.reason for item in solution.unserved] == ["NO_ROAD"]
    assert "no road leads there, or back" in page.text("unserved-table")


def test_a_partial_answer_is_reported(page: Page) -> None:
    van = {"id": "van", "count": 1, "capacity": [5, 2], "max_customers": 2}
    ((_, solution),) = answered(page, {**SERVED, "vehicles": [van]})
    assert solution.status == "partial"
    assert "1 not all served" in page.text("status")
    assert page.text("shown-notice").startswith("Not all served")
    assert "FLEET" in page.text("unserved-table")
    assert "Not served" in page.text("facts")


def test_partial_answers_are_compared_by_their_costs(page: Page) -> None:
    van = {"id": "van", "count": 1, "capacity": [5, 2], "max_customers": 2}
    page.paste([{**SERVED, "vehicles": [van]}])
    page.solve("compare")
    (solution,) = read_solutions(downloaded(page, "json").encode())
    assert solution.status == "partial" and solution.cost
    for row in page.rows("comparison-table"):
        assert float(row[1]) == pytest.approx(solution.cost, abs=1e-3)
        assert (row[2], row[5], row[6]) == ("0.00 %", "0 of 1, 1 in part", "1")
    page.paste([{**SMALL, "demands": [3, 3], "max_vehicles": 1}])
    page.solve("compare")
    assert page.texts("#comparison-table tbody td:nth-child(2)") == ["\N{EN DASH}"] * 3


def test_where_distances_come_from_is_said_as_it_is(page: Page) -> None:
    table = [[0, 2, 3], [2, 0, 1], [3, 1, 0]]
    stops = [{"id": "a", "x": 13.4, "y": 52.5}, {"id": "b", "x": 13.5, "y": 52.5}]
    globe = {"depots": [{"x": 13.3, "y": 52.5}], "customers": stops, "metric": "haversine"}
    van, car = {"id": "van", "matrix": "road"}, {"id": "car"}
    road = {"road": {"distances": table, "durations": table}}
    for more, said in (
        ({"vehicles": [car]}, "haversine"),
        ({"vehicles": [van], "matrices": road}, "given"),
        ({"vehicles": [van, car], "matrices": road}, "given, haversine"),
        ({"vehicles": [van], "matrices": {"road": {"durations": table}}}, "haversine"),
        ({"vehicles": [van, car], "matrices": road, "distances": table}, "given"),
    ):
        page.paste([{"name": "globe", **globe, **more}])
        page.until("document.getElementById('facts').textContent.includes('Distances')")
        assert f"Distances {said}" in page.texts("#facts span")


def test_a_solved_fleet_is_drawn_and_downloaded(page: Page) -> None:
    ((problem, solution),) = answered(page, SERVED)
    assert solution.status == "solved"
    assert page.shows("unserved")  # the optional one
    assert downloaded(page, "sol") == solution_to_sol(problem, solution)
    assert rows_of(downloaded(page, "csv"))[1:] == rows_of(solution_to_csv(problem, solution))


def test_short_forms_and_matrices(page: Page) -> None:
    (first, second, _) = answered(page, OPEN, TIMED, SMALL)
    assert page.text("status").startswith("3 instances solved")
    assert not page.shows("unserved") and page.shows("map")
    assert rows_of(downloaded(page, "csv"))[1:] == rows_of(solution_to_csv(*first))
    assert downloaded(page, "sol") == solution_to_sol(*first)
    page.click("option-1")
    assert not page.shows("map") and "no map" in page.text("no-drawing")
    assert rows_of(downloaded(page, "csv"))[1:] == rows_of(solution_to_csv(*second))


@pytest.mark.parametrize("text", [SOLOMON, DIALECT])
def test_texts_that_the_server_alone_reads(page: Page, text: str) -> None:
    ((_, solution),) = answered(page, text)
    assert solution.status == "solved"
    assert page.text("status").startswith("1 instance solved")
    assert page.count("#route-table tbody tr") == len(solution.routes)
    assert page.shows("map")
    assert rows_of(downloaded(page, "csv"))[1][0] == solution.name


def test_all_keys_lead_through_the_page(page: Page) -> None:
    answered(page, FLEET)
    page.script("document.querySelector('#customers summary').click()")
    page.until("document.querySelectorAll('#customer-table tbody tr').length === 6", 10)
    page.script("document.getElementById('map').focus()")
    for _ in range(8):
        page.keys("\ue014")
    assert "on route" in page.text("map-said") and "load" in page.text("map-said")
    page.keys("\ue015", "+", "0")


def test_open_ends_have_no_way_back(page: Page) -> None:
    paths = page.module(
        "const { previewItems } = await import('/page/instances.js');"
        "const { Scene } = await import('/page/scene.js');"
        "const [{ problem }] = previewItems(values[0]);"
        "const routes = [{ customers: [7], start: 'north', end: 'north' },"
        "  { customers: ['s:pickup', 's:delivery'], start: 'south', end: null },"
        "  { customers: [10], start: null, end: 'south' },"
        "  { customers: [8], start: 'x', end: null }];"
        "return new Scene(problem, { routes, unserved: [{ id: 9, reason: 'FLEET' }] })"
        ".routes.map(({ path }) => path);",
        previews(read_instances([FLEET])),
    )
    assert paths == [[0, 2, 0], [1, 6, 7], [5, 1], [3]]


def test_the_page_draws_what_the_server_read(page: Page) -> None:
    documents = [FLEET, SERVED, OPEN, TIMED]
    documents += [mixed_document(seed, 1 + seed % 6) for seed in range(60)]
    documents += [detailed_document(seed, 1 + seed % 6) for seed in range(60)]
    items = [item for item in read_instances(documents) if isinstance(item, Instance)]
    drawn = page.module(
        "const { previewItems } = await import('/page/instances.js');"
        "return previewItems(values[0]).map(({ problem: read }) => [read.name, read.constrained,"
        "read.depots, read.vehicles, read.ids,"
        "read.demand.slice(read.depots.length).map((one) => [one].flat()),"
        "read.coords && Array.from(read.coords)]);",
        previews(items),
    )
    assert len(drawn) == len(documents)
    for item, found in zip(items, drawn, strict=True):
        constraints = item.own_constraints
        vehicles = [{"id": each.id, "count": each.count} for each in constraints.vehicles]
        assert found[3] in (vehicles, None)
        assert found[:3] + found[4:] == [
            item.name,
            True,
            [depot.id for depot in constraints.depots],
            list(item.ids),
            json_numbers(constraints.delivery + constraints.shipment),
            None if item.coords is None else item.coords.ravel().tolist(),
        ]


def test_what_is_too_large_to_be_shown_is_solved(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preview, "MAX_NUMBERS", 1)
    roads = {**SMALL, "name": "roads", "durations": [[0, 2, 3], [2, 0, 1], [3, 1, 0]]}
    ((problem, solution),) = answered(page, roads)
    assert problem.coords is not None and solution.status == "solved"
    assert page.shows("map") and page.shows("timeline")
    assert "Distances given" in page.text("facts")
    stops = [{"x": 1, "y": n, "service_by_vehicle": {"a": 3}} for n in range(2)]
    vans = [{"id": "a"}, {"id": "b"}]
    ((_, solution),) = answered(page, {"depot": [0, 0], "vehicles": vans, "customers": stops})
    assert "which are not shown" in page.text("input-note")
    assert page.count("#route-table tbody tr") == len(solution.routes) > 0


def test_nonsense_never_stops_the_page(page: Page) -> None:
    keys = ["depots", "vehicles", "customers", "shipments", "windows", "capacity", "depot"]
    shipment = {"id": 1, "pickup": 3}
    values = [7, "x", True, [], {}, [None], [7], ["x"], [[]], [[1]], [{}], [shipment], [[1, "x"]]]
    odd = [{**base, key: value} for key in keys for base in (FLEET, OPEN) for value in values]
    page.paste([*odd, SMALL])
    assert page.text("input-note").startswith(f"{len(odd) + 1} instances, ")
    page.solve()
    for index in range(0, len(odd), 5):
        page.script(f"document.getElementById('option-{index}').click()")
        assert page.text("shown-title") in ("fleet", "open")


def test_answers_are_not_trusted(page: Page) -> None:
    found = page.module(
        "const { joinAnswer } = await import('/page/answer.js');"
        "const solutions = [{ name: 'a', status: 'partial', routes: [null, { customers: 3 },"
        "  { customers: [1], load: [1, 2], late: 7, reloads: [{}] }],"
        "  unserved: [null, {}, { id: 2 }] }];"
        "const answer = joinAnswer('fast', [{ document: { solutions } }], [[]], 1);"
        "const [{ solution: { routes, unserved, warnings }, sent }] = answer.views;"
        "return [routes, unserved, warnings, sent];"
    )
    route = {"customers": [1], "load": [1, 2], "late": [], "reloads": [], "breaks": []}
    assert found == [[route], [{"id": 2}], [], None]
