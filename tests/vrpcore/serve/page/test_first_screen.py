"""The first screen of the page: a spreadsheet comes in, its map is seen, and Solve is in sight."""

from pathlib import Path

import pytest

from tests.vrpcore.serve.page.cases import SMALL
from tests.vrpcore.serve.page.chromium import Page
from tests.vrpcore.serve.page.days import FLEET, STOPS
from tests.vrpcore.serve.page.served import Faults

NOTED = "id,x,y,demand,phone\na,3,4,2,030\n"


def is_in_sight(page: Page, identifier: str) -> bool:
    """Whether all of an element is in the window, and nothing lies over its middle."""
    return bool(
        page.script(
            "(function (own) { const box = own.getBoundingClientRect();"
            "const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];"
            "return box.top >= 0 && box.bottom <= window.innerHeight"
            "  && own.contains(document.elementFromPoint(x, y)); })"
            "(document.getElementById(arguments[0]))",
            identifier,
        )
    )


@pytest.fixture
def stops(tmp_path: Path) -> Path:
    (tmp_path / "stops.csv").write_text(STOPS)
    return tmp_path / "stops.csv"


@pytest.mark.parametrize(("width", "height"), [(1280, 657), (390, 844)])
def test_solve_is_in_sight_before_and_after_a_file_came(
    page: Page, stops: Path, width: int, height: int
) -> None:
    page.open(width=width, height=height)
    assert is_in_sight(page, "choose") and is_in_sight(page, "solve")
    page.choose(stops)
    page.until("document.getElementById('map').checkVisibility()")
    assert page.shows("sheet") and is_in_sight(page, "solve")
    assert page.script("window.scrollY") == 0


def test_stops_without_a_depot_are_on_the_map_at_once(page: Page, stops: Path) -> None:
    page.choose(stops)
    page.until("document.getElementById('map').checkVisibility()")
    label = page.script("document.getElementById('map').getAttribute('aria-label')")
    assert label == "Map: 3 customers and no depot yet"
    asked = ("depot", "capacity", "speed")
    invalid = "asked.map((id) => document.getElementById(id).ariaInvalid)"
    assert page.script(f"((asked) => {invalid})(arguments[0])", asked) == ["true"] * 3
    assert "no depot" in page.text("shown-notice") and not page.text("facts")
    page.solve()
    assert "no depot" in page.text("input-notice") and page.shows("map")
    for name, text in (("depot", "52.52, 13.4"), ("capacity", "9"), ("speed", "30")):
        page.browser.find_element("id", name).send_keys(text)
    page.until("document.getElementById('input-note').textContent.startsWith('1 instance, 3')")
    assert page.script(f"((asked) => {invalid})(arguments[0])", asked) == ["false"] * 3
    assert page.solve().startswith("1 instance solved")


def test_a_chosen_file_is_named_and_removed(page: Page, stops: Path) -> None:
    page.choose(stops)
    page.until("document.getElementById('map').checkVisibility()")
    assert "stops.csv" in page.text("files") and page.shows("by-file")
    page.press("#files button")
    page.until("document.getElementById('empty').checkVisibility()")
    assert not page.shows("files") and not page.shows("sheet")
    assert page.script("document.activeElement.id") == "choose"


def test_json_is_behind_a_tab_to_which_its_files_lead(page: Page, tmp_path: Path) -> None:
    assert page.shows("choose") and not page.shows("text")
    page.click("tab-text")
    assert page.shows("text") and not page.shows("choose")
    page.keys("\ue012")  # left
    assert page.shows("choose") and page.script("document.activeElement.id") == "tab-files"
    (tmp_path / "day.json").write_text(str(SMALL).replace("'", '"'))
    page.choose(tmp_path / "day.json")
    page.until("document.getElementById('text').checkVisibility()")
    page.until("document.getElementById('input-note').textContent === '1 instance, 2 customers'")


def test_the_server_says_which_file_has_the_vehicles(
    page: Page, stops: Path, tmp_path: Path, server: Faults
) -> None:
    (tmp_path / "flotte.csv").write_text("Fahrzeug;Kapazität;Schichtbeginn\nA;6;07:00\n")
    page.choose(tmp_path / "flotte.csv", stops)
    page.until("document.getElementById('fleet').value.includes('Fahrzeug')")
    assert page.script("document.getElementById('text').value") == STOPS
    server.ask_for("a secret of no other test")
    (tmp_path / "vans.csv").write_text(FLEET)
    page.choose(tmp_path / "vans.csv")
    page.until("document.getElementById('key-field').checkVisibility()")
    assert "Fahrzeug" in page.script("document.getElementById('fleet').value")
    server.ask_for(None)


def test_files_are_taken_again_once_the_server_has_time(
    page: Page, stops: Path, tmp_path: Path, server: Faults
) -> None:
    (tmp_path / "vans.csv").write_text(FLEET)
    server.busy = 2  # both files are asked about
    page.choose(tmp_path / "vans.csv", stops)
    page.until("document.getElementById('run-notice').textContent.includes('busy')")
    assert not page.shows("sheet")
    page.until("!document.querySelector('#run-notice button').disabled")
    page.press("#run-notice button")
    page.until("document.getElementById('fleet').value.includes('van')")


def test_a_note_is_said_once_however_many_instances_have_it(page: Page) -> None:
    bundle = {"stops": NOTED, "depot": [0, 0], "capacity": 9}
    page.paste([{**bundle, "name": f"day-{day}"} for day in range(30)])
    page.until("document.getElementById('input-note').textContent.startsWith('30 instances')")
    assert page.text("input-note").count("phone") == 1
    assert not page.text("shown-notice")
