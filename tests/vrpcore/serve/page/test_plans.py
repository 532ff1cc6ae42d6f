"""Workbooks and earlier plans on the page, and the lists that it prints."""

import json
from pathlib import Path

from tests.vrpcore.serve.page.cases import SMALL
from tests.vrpcore.serve.page.chromium import Page, downloaded
from tests.vrpcore.serve.page.served import Faults
from tests.vrpcore.serve.workbooks import workbook

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
    page.click("plan")
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


def test_a_list_for_each_vehicle_is_printed(page: Page, tmp_path: Path) -> None:
    solved_workbook(page, tmp_path)
    (solution,) = json.loads(downloaded(page, "json"))["solutions"]
    assert not page.shows("lists")
    page.browser.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    page.command("Emulation.setEmulatedMedia", media="print")
    assert page.shows("lists") and not page.shows("input")
    lists = page.script(
        "[...document.querySelectorAll('#lists section')].map((list) => [list.querySelector('h2')"
        ".textContent, ...[...list.querySelectorAll('tbody td')].map((each) => each.textContent)])"
    )
    assert len(lists) == len(solution["routes"]) == 2
    for number, (found, route) in enumerate(zip(lists, solution["routes"], strict=True), 1):
        assert found[0] == f"day: route {number} \u00b7 van"
        assert found[1::6] == [str(stop) for stop in range(1, len(route["customers"]) + 1)]
        assert found[5::6] == route["customers"]
        assert found[3::6] == [
            f"{begin // 60:02.0f}:{begin % 60:02.0f}" for begin in route["begins"]
        ]
