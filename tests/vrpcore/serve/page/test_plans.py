"""Workbooks and earlier plans on the page, and the lists that it prints."""

import json
from pathlib import Path

from tests.vrpcore.serve.page.cases import SMALL
from tests.vrpcore.serve.page.chromium import Page, downloaded
from tests.vrpcore.serve.page.served import Faults
from tests.vrpcore.serve.workbooks import workbook
from vrpcore.api import read_instances
from vrpcore.serve.preview import previews

STOPS = [
    ["id", "name", "type", "x", "y", "demand", "open", "close", "service"],
    ["hub", "", "depot", 0, 0, "", "", "", ""],
    ["a", "Adler", "", 3, 4, 2, "8:00", "9:00", 10],
    ["b", "Birne", "", 6, 8, 1, "8:00", "12:00", 5],
    ["c", "Citrus", "", 0, 5, 1, "8:00", "12:00", 5],
]
FLEET = [["vehicle", "capacity", "count", "open", "close"], ["van", 3, 3, "7:00", "15:00"]]


def choose(page: Page, folder: Path, chooser: str = "file", **files: bytes) -> None:
    """Chooses files of these contents."""
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_bytes(content)
    page.choose(*(folder / name.replace("_", ".") for name in files), chooser=chooser)


def read(page: Page) -> None:
    page.until("document.getElementById('input-note').textContent.startsWith('1 instance, 3')")


def solved_workbook(page: Page, folder: Path) -> None:
    choose(page, folder, day_xlsx=workbook(STOPS, FLEET))
    page.until("document.getElementById('fleet').value === 'day.xlsx'")
    page.fill("speed", "60")
    read(page)
    assert page.solve().startswith("1 instance solved")


def test_a_workbook_of_stops_and_vehicles(page: Page, tmp_path: Path) -> None:
    solved_workbook(page, tmp_path)
    assert downloaded(page, "csv").startswith("id,name,input_type,x,y,demand,open,close,service,")


def test_two_workbooks(page: Page, tmp_path: Path) -> None:
    choose(page, tmp_path, stops_xlsx=workbook(STOPS), vans_xlsx=workbook(FLEET))
    page.until("document.getElementById('fleet').value === 'vans.xlsx'")
    assert page.text("files").startswith("stops.xlsx")
    page.until("document.getElementById('input-note').textContent !== 'Reading …'")
    page.click("no-fleet")
    assert page.script("document.getElementById('fleet').value") == ""


def test_an_earlier_plan_and_what_of_it_stays(page: Page, tmp_path: Path, server: Faults) -> None:
    solved_workbook(page, tmp_path)
    plans = {"plan_json": downloaded(page, "json"), "plan_csv": downloaded(page, "csv")}
    page.script("document.querySelector('#plan summary').click()")
    for name, text in plans.items():
        choose(page, tmp_path, "plan-file", **{name: text.encode()})
        page.until(
            f"document.getElementById('plan-name').textContent === '{name.replace('_', '.')}'"
        )
        page.fill("keep", "100")
        page.fill("freeze", "7:30")
        assert page.solve().startswith("1 instance solved")
        assert {"keep_cost": "100", "freeze": "7:30"}.items() <= server.solves[-1].items()
        assert "Kept 3 of 3 stops" in page.text("facts")
    choose(page, tmp_path, "plan-file", bad_json=b"tint")
    page.until("document.getElementById('plan-name').textContent === 'bad.json'")
    page.solve()
    assert "Warm_start: " in page.text("input-notice")
    page.browser.execute_script("document.getElementById('no-plan').click()")
    assert page.text("plan-name") == "none"


def test_a_plan_goes_with_one_file(page: Page, tmp_path: Path) -> None:
    choose(page, tmp_path, "plan-file", plan_json=b"{}")
    page.until("document.getElementById('plan-name').textContent === 'plan.json'")
    choose(page, tmp_path, one_json=json.dumps(SMALL).encode(), two_json=json.dumps(SMALL).encode())
    page.until("document.querySelectorAll('#files li').length === 2")
    page.solve()
    assert page.text("plan-notice").startswith("A plan goes with one file")


def printed(page: Page) -> list[list[str]]:
    """Of each list that is printed the title, and the cells."""
    page.browser.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    return list(
        page.script(
            "[...document.querySelectorAll('#lists section')].map((list) => ["
            "list.querySelector('h2').textContent,"
            "...[...list.querySelectorAll('tbody td')].map((each) => each.textContent)])"
        )
    )


def test_a_list_for_each_vehicle_is_printed(page: Page, tmp_path: Path) -> None:
    solved_workbook(page, tmp_path)
    (solution,) = json.loads(downloaded(page, "json"))["solutions"]
    assert not page.shows("lists")
    lists = printed(page)
    page.command("Emulation.setEmulatedMedia", media="print")
    assert page.shows("lists") and not page.shows("input")
    assert len(lists) == len(solution["routes"]) == 2
    for number, (found, route) in enumerate(zip(lists, solution["routes"], strict=True), 1):
        assert found[0] == f"day: route {number} \u00b7 van"
        assert found[1::6] == [str(stop) for stop in range(1, len(route["customers"]) + 1)]
        assert found[5::6] == route["customers"]
        assert found[3::6] == [
            f"{begin // 60:02.0f}:{begin % 60:02.0f}" for begin in route["begins"]
        ]


def test_what_is_picked_up_and_parts_are_printed(page: Page) -> None:
    customers = [{"id": "a", "x": 1, "y": 0, "pickup": 5}, {"id": "b", "x": 2, "y": 0, "demand": 2}]
    page.paste({"depot": [0, 0], "capacity": 9, "customers": customers})
    page.solve()
    (found,) = printed(page)
    assert dict(zip(found[3::4], found[4::4], strict=True)) == {"a": "pickup 5", "b": "2"}
    page.script("document.querySelector('#customers summary').click()")
    page.until("document.querySelectorAll('#customer-table tbody tr').length === 2")
    assert [row[1] for row in page.rows("customer-table")] == ["pickup 5", "2"]
    page.hover("#route-table [data-node='1']")
    assert "apickup 5stop" in page.text("tooltip")


def test_each_visit_of_a_customer_has_its_own_part_and_time(page: Page) -> None:
    shared = {"id": "a", "x": 3, "y": 4, "demand": [6, 8], "split": True, "service": 1}
    vans = [{"id": "van", "count": 2, "capacity": [3, 4], "window": [0, 99]}]
    page.paste({"depot": [0, 0], "vehicles": vans, "speed": 1, "customers": [shared]})
    page.solve()
    assert [found[6] for found in printed(page)] == ["3, 4", "3, 4"]
    assert page.script(
        "[...document.querySelectorAll('#timeline [role=option]')].map((one) => one.ariaLabel"
        ".split(',')[0])"
    ) == ["a: stop 1 of route 1", "a: stop 1 of route 2"]
    for number in (1, 2):
        page.hover(f"#route-table tbody tr:nth-child({number}) [data-node]")
        assert f"stop 1 of 1 on route {number}" in page.text("tooltip")
        assert page.text("timeline-said").startswith(f"a: stop 1 of route {number}")
    page.script("document.querySelector('#timeline [role=option]').focus()")
    for key, number in (("\ue015", 2), ("\ue015", 2), ("\ue013", 1)):  # down, down, up
        page.keys(key)
        assert page.script("document.activeElement.ariaLabel").startswith(
            f"a: stop 1 of route {number}"
        )
    page.script("document.getElementById('map').focus()")
    said = set()
    for _ in range(2):
        page.keys("\ue015")
        said.add(page.text("map-said").split(" on route ")[1][0])
    assert said == {"1", "2"}


def test_a_route_that_comes_twice_says_when(page: Page) -> None:
    """A test of the scene, for the search seldom sends one vehicle twice."""
    told, steps = page.module(
        "const { previewItems } = await import('/page/instances.js');"
        "const { Scene } = await import('/page/scene.js');"
        "const [{ problem }] = previewItems(values[0]);"
        "const idle = { customers: [], load: 0, start: '0', end: '0' };"
        "const route = { customers: ['a', 'b', 'a'], load: 3, arrivals: [5, 6, 7],"
        "  begins: [5, 6, 7], start: '0', end: '0' };"
        "const routes = [route, idle];"
        "const scene = new Scene(problem, { routes }, [{ shift: [0, 99], bars: [] }]);"
        "const visits = [{ route: 0, stop: 0 }, { route: 0, stop: 2 }, undefined];"
        "const keys = [{ along: 1 }, { along: -1 }, { across: 1 }];"
        "return [visits.map((visit) => scene.describe(1, visit)),"
        "  keys.map((key) => scene.step(1, visits[1], key).stop)];",
        previews(
            read_instances(
                [{"depot": [0, 0], "capacity": 9, "split": True, "customers": [
                    {"id": "a", "x": 1, "y": 0, "demand": 2},
                    {"id": "b", "x": 2, "y": 0, "demand": 1}]}]
            )
        ),
    )  # fmt: skip
    assert [each[2:] for each in told] == [
        ["stop 1 of 3 on route 1", "load 3 of 9", "arrives 5", "served 5"],
        ["stop 3 of 3 on route 1", "load 3 of 9", "arrives 7", "served 7"],
        ["stop 3 of 3 on route 1", "load 3 of 9", "arrives 7", "served 7"],
    ]
    assert steps == [0, 1, 0]  # the route without stops is passed over
