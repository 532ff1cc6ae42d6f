"""The timeline below the map, and how it, the map and the tables point at each other."""

import re

import pytest

from tests.vrpcore.serve.page.answers import labels
from tests.vrpcore.serve.page.chromium import Page
from tests.vrpcore.serve.page.days import DAY, NOON

LEFT, UP, RIGHT, DOWN, HOME, END, ESCAPE = (
    "\ue012", "\ue013", "\ue014", "\ue015", "\ue011", "\ue010", "\ue00c",
)  # fmt: skip
FOCUSED = "document.activeElement.ariaLabel"


@pytest.fixture
def solved(page: Page) -> Page:
    page.paste(DAY)
    page.solve()
    return page


def test_stops_in_words(solved: Page) -> None:
    first, second = labels(solved, "#timeline [role=group]")
    assert re.fullmatch(r"Route 1, van, leaves [\d.]+, back [\d.]+", first)
    assert second == "Route 2, bike, leaves 0, back 5"
    first, second, third = labels(solved, "#timeline [role=option]")
    assert first.startswith("a: stop 1 of route 1, arrives ")
    assert "served" in first and "window 30 to 60" in first
    assert second.startswith("b: stop 2 of route 1") and "windows" not in second
    assert "window 100 to 110, 230 to 300" in second
    assert third.startswith("d: stop 1 of route 2, arrives 5, served 5")


def test_keys_lead_along_and_across(solved: Page) -> None:
    solved.script("document.querySelector('#timeline [tabindex=\"0\"]').focus()")
    assert solved.count("#timeline [tabindex='0']") == 1
    for keys, name in (
        ("", "a"), (RIGHT, "b"), (RIGHT, "b"), (LEFT, "a"), (END, "b"), (HOME, "a"), (DOWN, "d"),
        (DOWN, "d"), (UP, "a"),
    ):  # fmt: skip
        if keys:
            solved.keys(keys)
        assert solved.script(FOCUSED).startswith(f"{name}: stop"), keys
        assert solved.count("#timeline [tabindex='0']") == 1
        assert solved.text("timeline-said").startswith(f"{name}: stop")
        assert solved.script("document.querySelector('.stops .pointed').textContent") == name
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert solved.script(outline) == "solid"
    assert "stop 1 of 2 on route 1" in solved.text("tooltip")
    solved.keys(ESCAPE)


def test_the_table_and_the_map_mark_the_timeline(solved: Page) -> None:
    solved.hover("#route-table [data-node]")
    marked = "document.querySelector('#timeline [aria-selected=true]').ariaLabel"
    assert solved.script(marked).startswith("a: stop 1")
    assert solved.script("document.getElementById('map').classList.contains('faded')")
    solved.script("document.getElementById('map').focus()")
    solved.keys(RIGHT, RIGHT)
    name = solved.script("document.querySelector('#tooltip strong').textContent")
    assert solved.script(marked).startswith(f"{name}: stop")
    assert solved.script("document.querySelector('.stops .pointed').textContent") == name
    solved.hover("#timeline [role=group]:last-child .who")
    assert solved.count("#route-table tr.pointed") == 1
    assert solved.script("document.querySelector('#route-table tr.pointed').dataset.route") == "1"


def test_types_depots_and_who_is_not_served(solved: Page) -> None:
    assert solved.texts("#legend li") == [
        "van 1 of 1 used", "bike 1 of 1 used", "Depots", "Not served", "Left out, optional",
    ]  # fmt: skip
    assert solved.count("#route-table .swatch.circle, #timeline .swatch.circle") == 2
    assert solved.count("#route-table .swatch.diamond, #timeline .swatch.diamond") == 2
    assert "van" in solved.text("route-table") and solved.count("#south, i:not([class])") == 0
    rows = solved.texts("#unserved-table tbody tr")
    assert any(re.search(r"^c.*WINDOW", row) for row in rows)
    assert any(re.search(r"^e.*PRIZE", row) for row in rows)
    solved.hover("#unserved-table tbody tr")
    assert re.fullmatch(
        r"[ce]demand \d+not served: (WINDOW|PRIZE)(far .*)?", solved.text("tooltip")
    )
    assert solved.count("#unserved-table tr.pointed") == 1


def test_labels_never_overlap(page: Page) -> None:
    boxes = page.module(
        "const { Labels } = await import('/page/labels.js');"
        "const labels = new Labels(300, 200); const found = [];"
        "for (let i = 0; i < 60; i += 1) {"
        "  const size = [20 + (i % 5) * 9, 13];"
        "  const at = labels.place([150 + (i * 37) % 90, 100 + (i * 53) % 60], 6, size);"
        "  if (at) found.push([at[0], at[1], ...size]); }"
        "return found;"
    )
    assert 8 < len(boxes) < 60
    for index, (x, y, wide, high) in enumerate(boxes):
        assert wide / 2 <= x <= 300 - wide / 2 and high / 2 <= y <= 200 - high / 2
        for other in boxes[:index]:
            apart = abs(x - other[0]) >= (wide + other[2]) / 2 - 1e-9
            assert apart or abs(y - other[1]) >= (high + other[3]) / 2 - 1e-9


def test_clocks(page: Page) -> None:
    found = page.module(
        "const { Clock } = await import('/page/clock.js');"
        "const [day, date, plain] = [new Clock(60), new Clock(1, 1599998400), new Clock(null)];"
        "return [day.time(549.6), day.time(1530), day.time(-1), day.span(5), day.span(65),"
        "  day.span(0.5), date.time(1599998400 + 90000), date.time(1599998461), date.date,"
        "  day.date, plain.time(12.5), plain.span(3),"
        "  day.ticks(430, 700, 5).map(({ label }) => label),"
        "  date.ticks(1599998400, 1599998400 + 86400, 4).map(({ label }) => label),"
        "  [date.holds(300), date.holds(1599998400), day.holds(-5)],"
        "  plain.ticks(0, 10, 5).map(({ at }) => at), plain.ticks(3, 3, 5).length < 3];"
    )
    assert found == [
        "09:10", "25:30", "-00:01", "5 min", "1 h 5 min", "30 s", "2020-09-14 13:00", "12:01:01",
        "2020-09-13, UTC", "", "12.5", "3", ["08:00", "09:00", "10:00", "11:00"],
        ["12:00", "18:00", "2020-09-14", "06:00", "12:00"], [False, True, True],
        [0, 2, 4, 6, 8, 10], True,
    ]  # fmt: skip


def test_only_the_timeline_scrolls_sideways_on_a_phone(page: Page) -> None:
    page.open(width=360, height=740)
    page.paste(DAY)
    page.solve()
    assert page.shows("timeline")
    assert page.script("document.documentElement.scrollWidth") == 360
    box = "document.getElementById('timeline-box')"
    assert page.script(f"{box}.scrollWidth > {box}.clientWidth")
    page.script("document.querySelector('#timeline [role=option]').focus()")
    page.keys(END)
    inside = (
        "(() => { const own = document.activeElement.getBoundingClientRect();"
        "return own.left >= 0 && own.right <= 360; })()"
    )
    assert page.script(inside)
    assert page.script("window.scrollX") == 0


UNIX = {
    "name": "unix", "capacity": 1, "depot": {"x": 0, "y": 0},
    "customers": [
        {"id": "a", "x": 0, "y": 600, "demand": 1, "window": [NOON, NOON + 600], "service": 60},
        {"id": "b", "x": 0, "y": 700, "demand": 1, "window": [NOON + 86400, NOON + 90000]},
        {"id": "free", "x": 5, "y": 5, "demand": 1},
    ],
}  # fmt: skip


def test_the_clock_of_instances_in_json_is_said_by_the_user(page: Page) -> None:
    page.paste(UNIX)
    page.solve()
    assert page.shows("clock-field") and page.text("timeline-date") == ""
    assert f"window {NOON:,} to" in labels(page, "#timeline [role=option]")[0]
    page.press("#clock option[value='1']")
    told = labels(page, "#timeline [role=option]")
    assert page.text("timeline-date") == "2020-09-13, UTC; 1 route without dates not drawn"
    assert any("window 12:00 to 12:10" in each for each in told)
    assert any("window 2020-09-14 12:00 to 2020-09-14 13:00" in each for each in told)
    assert len(told) == 2 and page.text("route-table").count("free") == 1
    axis = page.script("document.querySelector('.axis .track').textContent")
    assert "2020-09-14" in axis and "492" not in axis
    page.press("#clock option[value='']")
    assert page.text("timeline-date") == "" and page.count("#timeline [role=option]") == 3
