"""Problems of VROOM's and spreadsheets in the page: read, drawn, solved, answered in kind."""

import csv
import gzip
import io
import json
from pathlib import Path

import pytest

from tests.vrpcore.serve.doubles import TOO_LATE
from tests.vrpcore.serve.page.answers import labels
from tests.vrpcore.serve.page.canvas import texts_of, watch
from tests.vrpcore.serve.page.chromium import Page, downloaded
from tests.vrpcore.serve.page.days import FLEET, STOPS, VROOM
from tests.vrpcore.serve.page.served import Faults
from tests.vrpcore.vroom_oracle import check_vroom

OPTIONS = "#timeline [role=option]"
SIGNS = "id;x;y;demand\na;1;1;1.500\nb;2;2;2.000\n"
UNREAD = "id,x,y,Anlage\na,3,4,7\nb,6,8,12\n"
XY = "id,x,y,demand,open,close\na,3,4,2,,\nb,6,8,1,20,30\n"


def wait_until_read(page: Page, said: str = "1 instance") -> None:
    page.until(f"document.getElementById('input-note').textContent.startsWith({json.dumps(said)})")


def test_a_problem_of_vrooms(page: Page) -> None:
    page.paste(VROOM)
    wait_until_read(page, "1 instance, 4 customers")
    assert page.shows("map")
    page.solve()
    assert page.shows("map") and page.shows("timeline") and not page.shows("clock-field")
    assert "Distances given" in page.text("facts") and "haversine" not in page.text("facts")
    words = labels(page, OPTIONS)
    assert any(each.startswith("7: stop") and "window 12:30 to 13:00" in each for each in words)
    assert any(each.startswith("4-5:pickup: stop") for each in words)
    assert page.text("timeline-date") == "2020-09-13, UTC"
    assert "9" in page.text("unserved-table") and "CAPACITY" in page.text("unserved-table")
    assert check_vroom(VROOM, json.loads(downloaded(page, "vroom"))) == []
    assert json.loads(downloaded(page, "json"))["format"] == "vrp-solutions/1"


def test_an_invalid_problem_of_vrooms_is_told_at_the_input(page: Page, server: Faults) -> None:
    page.paste({"vehicles": [], "jobs": []})
    wait_until_read(page)
    page.solve()
    assert "0 vehicles, expected 1 to 10000" in page.text("input-notice")
    assert page.text("input-notice").startswith("None of the instances is valid.")
    assert server.solves == []


def test_what_json_cannot_say_is_solved(page: Page, server: Faults) -> None:
    page.paste(TOO_LATE)
    wait_until_read(page)
    assert "1 not all served" in page.solve() and len(server.solves) == 1


def test_spreadsheets_pasted(page: Page) -> None:
    page.paste(STOPS)
    page.until("!document.getElementById('sheet').hidden")
    wait_until_read(page)
    assert "need a speed in km/h" in page.text("input-note")
    assert "no depot" in page.text("shown-notice") and not page.shows("no-drawing")
    page.solve()
    assert "stops: no depot: give depot, or a row of type depot" in page.text("input-notice")
    page.fill("fleet", FLEET)
    wait_until_read(page, "1 instance, 3 customers")
    assert "not used: phone" in page.text("input-note")
    assert not page.shows("without-fleet") and page.shows("no-fleet")
    page.solve()
    assert page.text("status").startswith("1 instance solved")
    assert any("window 09:00 to 10:00" in each for each in labels(page, OPTIONS))
    rows = list(csv.DictReader(io.StringIO(downloaded(page, "csv"))))
    assert {row["id"] for row in rows} == {"Adler", "Birne", "Dorn"}
    assert {row["phone"] for row in rows} == {"030 1", "030 2", "030 3"}
    assert all(len(row["arrival"]) == 5 and row["arrival"][2] == ":" for row in rows)
    page.click("no-fleet")
    page.until("document.getElementById('without-fleet').checkVisibility()")


def test_what_the_stops_do_not_say(page: Page) -> None:
    page.paste(XY)
    for name, text in (("depot", "0, 0"), ("capacity", "2"), ("speed", "1")):
        page.fill(name, text)
    wait_until_read(page, "1 instance, 2 customers")
    page.solve()
    assert page.text("status").startswith("1 instance solved")
    assert page.count("#route-table tbody tr") == 2
    assert any("window 20 to 30" in each for each in labels(page, OPTIONS))
    page.fill("depot", "here")
    page.until("document.getElementById('input-note').textContent.includes('depot')")
    page.solve()
    assert "depot" in page.text("input-notice") and "expected" in page.text("input-notice")


def test_a_fleet_without_a_place_of_its_own_starts_at_the_depot_of_the_field(page: Page) -> None:
    page.paste(XY)
    page.fill("fleet", "id,count,capacity,speed\nvan,1,9,60\n")
    wait_until_read(page, "1 instance · fleet: row 2: no place to start")
    page.until("document.getElementById('depot').ariaInvalid === 'true'")
    assert page.shows("depot") and not page.shows("capacity")
    assert "Or click the map where the depot is" in page.text("shown-notice")
    page.fill("depot", "0, 0")
    wait_until_read(page, "1 instance, 2 customers")
    assert page.solve().startswith("1 instance solved")


def test_two_files_at_once_and_a_fleet_on_its_own(page: Page, tmp_path: Path) -> None:
    (tmp_path / "today.csv").write_text("\ufeff" + STOPS)
    (tmp_path / "vans.csv.gz").write_bytes(gzip.compress(FLEET.encode()))
    page.choose(tmp_path / "vans.csv.gz", tmp_path / "today.csv")
    wait_until_read(page, "1 instance, 3 customers")
    assert page.script("document.getElementById('fleet').value") == FLEET
    page.solve()
    assert page.text("shown-title") == "today"
    downloaded(page, "csv")
    marked = "return [...new Uint8Array(await window.caught.slice(0, 3).arrayBuffer())];"
    assert page.module(marked) == [0xEF, 0xBB, 0xBF]  # for Excel
    (tmp_path / "one.csv").write_text(FLEET.replace("van,2", "bus,1"))
    page.choose(tmp_path / "one.csv")
    page.until("document.getElementById('fleet').value.includes('bus')")
    wait_until_read(page, "1 instance, 3 customers")
    assert "Adler" in page.script("document.getElementById('text').value")
    page.solve()
    assert "bus" in page.text("route-table")


def test_what_is_no_workbook_is_refused_in_words(page: Page, tmp_path: Path) -> None:
    for name, content in (("old.xls", b"\xd0\xcf\x11\xe0\xff"), ("other.zip", b"PK\x03\x04\xff")):
        (tmp_path / name).write_bytes(content)
        page.choose(tmp_path / name)
        told = "input-notice" if name == "old.xls" else "input-note"
        page.until(f"/xlsx/.test(document.getElementById('{told}').textContent)")
    assert "an archive, but no whole workbook" in page.text("input-note")


def test_the_example_of_spreadsheets(page: Page) -> None:
    page.click("sheets")
    wait_until_read(page, "1 instance, 12 customers")
    page.solve()
    assert page.text("status").startswith("1 instance solved") and page.shows("timeline")


def test_texts_of_documents_are_never_markup(page: Page) -> None:
    evil = "<img src=x onerror=boom>"
    stops = STOPS.replace("Adler", evil).replace("phone", "<b>phone</b>")
    page.paste(stops)
    page.fill("fleet", FLEET.replace("van,", f"{evil},"))
    wait_until_read(page, "1 instance, 3 customers")
    page.solve()
    page.script("document.querySelector('#timeline [role=option]').focus()")
    assert evil in page.text("route-table") and evil in page.text("timeline")
    assert page.count("img") == 0 and page.count("#answer b b") == 0
    assert page.count("td b, .legend b, #input-note b") == 0


@pytest.mark.parametrize(
    ("text", "sheet"),
    [
        (STOPS, True), (FLEET, True), (XY, True), ("id;x;y\n1;2;3\n", True),
        ("25\t200\t1\n0\t40\t50\n", False), ("NAME : a\nTYPE : CVRP\n", False),
        ("// a, b\n// id, x\n", False), ("[1, 2]", False), ("", False),
    ],
)  # fmt: skip
def test_which_texts_look_like_spreadsheets(page: Page, text: str, sheet: bool) -> None:
    found = page.module(
        "const { isSheet } = await import('/page/sheet.js'); return isSheet(values[0]);",
        text,
    )
    assert found == sheet


def test_what_the_server_cannot_be_asked_to_read(page: Page) -> None:
    page.command("Network.enable")
    page.command("Network.setBlockedURLs", urls=["*/v1/*"])
    page.paste(STOPS)
    wait_until_read(page, "The server cannot be reached.")
    page.command("Network.setBlockedURLs", urls=[])
    page.fill("fleet", FLEET)
    wait_until_read(page, "1 instance, 3 customers")


def test_a_key_is_asked_for_before_anything_is_read(page: Page, server: Faults) -> None:
    key = "a secret of no other test"
    server.ask_for(key)
    page.paste(VROOM)
    wait_until_read(page, "This server asks for an API key.")
    page.solve()
    assert page.script("document.activeElement.id") == "key"
    page.keys(key, "\ue007")
    page.until("document.getElementById('download-vroom').checkVisibility()")


def test_what_a_sign_means_is_asked_and_answered(page: Page, server: Faults) -> None:
    for name, text in (("depot", "0, 0"), ("capacity", "4000")):
        page.fill(name, text)
    page.paste(SIGNS)
    named = '“Decimal sign” "," if it is 1500, “Decimal sign” "." if it is 1.5'
    page.until("document.getElementById('input-note').textContent.includes('1500')")
    assert named in page.text("input-note") and named in page.text("shown-notice")
    assert page.script("document.getElementById('decimal').ariaInvalid") == "true"
    page.solve()
    assert named in page.text("input-notice") and server.solves == []
    for sign, demand in ((",", "1,500"), (".", "1.5")):
        page.press(f"#decimal option[value='{sign}']")
        wait_until_read(page, "1 instance, 2 customers")
        assert page.script("document.getElementById('decimal').ariaInvalid") == "false"
        assert page.solve().startswith("1 instance solved")
        page.script("document.querySelector('#customers summary').click()")
        assert demand in page.text("customer-table")
    page.click("clear")
    assert page.script("document.getElementById('decimal').value") == ""


def test_columns_are_not_read_if_the_user_says_so(page: Page, tmp_path: Path) -> None:
    stops = tmp_path / "stops.csv"
    stops.write_text(UNREAD)
    page.choose(stops)
    page.until("!document.getElementById('sheet').hidden")
    for name, text in (("depot", "0, 0"), ("capacity", "40")):
        page.fill(name, text)
    page.until("document.getElementById('shown-notice').textContent.includes('Anlage')")
    assert "with “Columns not to read” Anlage (all: rest)" in page.text("shown-notice")
    assert page.script("document.getElementById('ignore-columns').ariaInvalid") == "true"
    page.fill("ignore-columns", " Anlage, ")
    wait_until_read(page, "1 instance, 2 customers")
    stops.write_text(UNREAD.replace("b,", "c,5,5,9\nb,"))
    page.choose(stops)
    wait_until_read(page, "1 instance, 3 customers")
    assert page.script("document.getElementById('ignore-columns').value") == " Anlage, "
    assert page.solve().startswith("1 instance solved")
    page.fill("ignore-columns", "Anlage, Gewicht")
    page.until("document.getElementById('input-note').textContent.includes('Gewicht')")
    assert "“Columns not to read”: no column 'Gewicht'" in page.text("input-note")
    (tmp_path / "other.csv").write_text(XY)
    page.choose(tmp_path / "other.csv")
    page.until("!document.getElementById('ignore-columns').value")
    assert page.script("document.getElementById('depot').value") == ""


def test_notes_name_fields_and_messages_of_bundles_keys(page: Page) -> None:
    page.paste("id;x;y;menge\na;1;1;850\nb;2;2;1200\n")
    for name, text in (("depot", "0, 0"), ("capacity", "9000")):
        page.fill(name, text)
    wait_until_read(page, "1 instance, 2 customers")
    assert "id, x, y, demand = menge" in page.text("input-note")
    page.paste([{"stops": SIGNS, "depot": [0, 0], "capacity": 4000}])
    page.until("document.getElementById('input-note').textContent.includes('1500')")
    assert 'say decimal ","' in page.text("input-note") and not page.shows("sheet")


def test_names_of_spreadsheets_are_on_map_timeline_and_tables(page: Page) -> None:
    stops = (
        "id,name,lat,lon,demand,open,close\n"
        "7,Bakery,52.52,13.40,3,09:00,12:00\n"
        "8,A bookshop with a very long name,52.50,13.41,3,13:00,15:00\n"
        "9,Ice,52.49,13.38,99,,\n"
        "10,,52.51,13.37,1,11:00,12:00\n"
    )
    watch(page)
    page.paste([{"name": "day", "stops": stops, "fleet": FLEET}])
    page.until("document.getElementById('map').checkVisibility()")
    assert {"Bakery (7)", "A bookshop with a very …", "10"} <= set(texts_of(page))
    page.solve()
    assert sorted(page.texts("#route-table [data-node]")) == [
        "10",
        "A bookshop with a very long name (8)",
        "Bakery (7)",
    ]
    assert "Ice (9)" in page.text("unserved-table")
    page.script("document.querySelector('#customers summary').click()")
    page.until("document.querySelectorAll('#customer-table tbody tr').length === 4")
    assert "Bakery (7)" in page.text("customer-table")
    assert any(each.startswith("Bakery (7): stop") for each in labels(page, OPTIONS))
    chips = page.texts("#timeline .name")
    assert "Bakery" in chips and "8" in chips  # the long name has no room
    page.hover("#unserved-table tbody tr")
    page.until("document.querySelector('#tooltip strong')")
    assert page.text("tooltip").startswith("Ice (9)")
