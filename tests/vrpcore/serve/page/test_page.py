"""The page in a browser: solving, sizes, widths, keys, colours, screen readers."""

import json
import re
import time

import pytest

from tests.vrpcore.serve.page.cases import BAD, EXAMPLE, SMALL, days, random_instance
from tests.vrpcore.serve.page.chromium import Page, drawn_colours
from tests.vrpcore.serve.page.served import Faults
from vrpcore.serve.pages import PAGE
from vrpcore.solve import construct


def test_example_is_solved_and_drawn(page: Page) -> None:
    assert page.shows("empty") and not page.shows("content")
    page.example()
    assert page.text("status") == "Not solved yet."
    assert page.text("input-note") == "4 instances, 3 to 60 customers"
    assert re.match(r"4 instances solved · total cost [\d,.]+ · \d+ routes", page.solve())
    assert page.count("#options [role=option]") == 4
    assert page.count("#route-table tbody tr") >= 3
    assert not page.shows("timeline") and not page.shows("download-vroom")
    assert drawn_colours(page) > 4
    page.press("#route-table tbody tr:nth-child(2) button")
    assert page.script("document.getElementById('map').classList.contains('faded')")
    assert page.count("#route-table [aria-pressed=true]") == 1
    page.click("option-3")
    assert not page.shows("map") and "no map" in page.text("no-drawing")
    assert page.count("#route-table tbody tr") == 2


def test_example_is_the_one_of_the_repository() -> None:
    assert (PAGE / "example.json").read_bytes() == EXAMPLE.read_bytes()


def test_a_model_is_named_where_one_constructed(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(construct, "SEARCHED_ALONE", 30)
    page.paste(SMALL)
    assert "model" not in page.solve()  # so few customers begin with savings
    page.press("[name=improve][value=none]")
    assert page.solve().endswith("model base")


def test_pointing_at_a_customer_tells_of_it(page: Page) -> None:
    page.paste(SMALL)
    page.solve()
    hit = page.module(
        "const box = document.getElementById('map').getBoundingClientRect();"
        "const at = { clientX: box.right - 30, clientY: box.top + 30, bubbles: true };"
        "for (let x = box.left; x < box.right; x += 8) {"
        "  for (let y = box.top; y < box.bottom; y += 8) {"
        "    document.getElementById('map').dispatchEvent("
        "      new PointerEvent('pointermove', { clientX: x, clientY: y, bubbles: true }));"
        "    const tip = document.getElementById('tooltip');"
        "    if (!tip.hidden) return tip.innerText;"
        "  }"
        "} return '';"
    )
    assert re.fullmatch(r"\d\s+demand \d\s+stop \d of 2 on route 1\s+load 5 of 5", hit)


def test_thousand_customers(page: Page, server: Faults) -> None:
    page.paste(random_instance(1000, "big", 120))
    page.browser.find_element("id", "time-limit").send_keys("2")
    assert page.solve().startswith("1 instance solved")
    assert server.solves == [{"improve": "fast", "both": "true", "time_limit": "2"}]
    page.script("document.getElementById('map').focus()")
    page.keys("\ue014", "\ue014", "++0", "\ue015")
    assert re.search(r"demand \d, stop \d+ of \d+ on route \d+, load", page.text("map-said"))
    step_ms = page.script(
        "(() => { const begun = performance.now(); for (let i = 0; i < 20; i += 1) {"
        "  document.getElementById('map').dispatchEvent("
        "    new KeyboardEvent('keydown', { key: 'ArrowRight' }));"
        "} return (performance.now() - begun) / 20; })()"
    )
    assert step_ms < 100
    page.script("document.querySelector('#customers summary').click()")
    page.until("document.querySelectorAll('#customer-table tbody tr').length === 1000", 10)


def test_two_hundred_instances(page: Page) -> None:
    page.paste("\n".join(json.dumps(day) for day in days(200, 5)))
    assert page.text("input-note") == "200 instances, 5 customers each"
    assert page.solve().startswith("200 instances solved")
    assert page.count("#options [role=option]") == 200
    page.script("document.getElementById('options').focus()")
    page.keys("\ue010")  # End
    assert page.text("shown-title") == "day-199"
    page.keys("\ue013")  # up
    assert page.text("shown-title") == "day-198"
    page.browser.find_element("id", "find").send_keys("day-12")
    assert page.count("#options [role=option]") == 11


def test_levels_are_compared(page: Page, server: Faults) -> None:
    page.paste(days(5))
    page.solve("compare")
    assert [query["improve"] for query in server.solves] == ["none", "fast", "deep"]
    rows = page.rows("comparison-table")
    assert [row[0] for row in rows] == ["None", "Fast", "Deep"]
    costs = [float(row[1].replace(",", "")) for row in rows]
    assert costs[0] >= costs[1] >= costs[2] and rows[2][2] == "0.00 %"
    page.press("#comparison-table tbody button")
    assert "improve none" in page.text("status")


def test_phone_width_never_scrolls_sideways(page: Page) -> None:
    page.open(width=360, height=740)
    wide = "document.documentElement.scrollWidth"
    assert page.script(wide) == 360
    page.paste([{**SMALL, "name": "a-name-" + 60 * "x"}, *days(5), BAD])
    page.solve("compare")
    assert page.script(wide) == 360
    page.click("option-6")
    assert page.script(wide) == 360
    narrow = page.script(
        "[...document.querySelectorAll('button')].filter((one) => one.checkVisibility())"
        ".filter((one) => one.getBoundingClientRect().height < 24).length"
    )
    assert narrow == 0


def test_solving_by_keyboard_alone(page: Page) -> None:
    tab, enter, right, down = "\ue004", "\ue007", "\ue014", "\ue015"

    def tab_to(identifier: str) -> None:
        for _ in range(40):
            page.keys(tab)
            if page.script("document.activeElement.id") == identifier:
                outline = "getComputedStyle(document.activeElement).outlineStyle"
                assert page.script(outline) == "solid"
                return
        raise AssertionError(f"{identifier} is not reached")

    tab_to("tab-files")
    page.keys(right)
    assert page.script("document.activeElement.id") == "tab-text"
    tab_to("example")
    page.keys(enter)
    page.until("document.getElementById('content').checkVisibility()")
    tab_to("solve")
    page.keys(enter)
    page.until("document.getElementById('status').textContent.includes('solved ·')")
    tab_to("options")
    page.keys(down)
    assert page.text("shown-title") == "tuesday-city"
    tab_to("map")
    page.keys(right)
    assert "stop 1 of" in page.text("map-said")
    page.keys(right)
    assert "stop 2 of" in page.text("map-said")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_schemes_can_be_read(page: Page, scheme: str) -> None:
    page.open(prefers_color_scheme=scheme)
    page.paste(days(2))
    page.solve()
    colours = page.module(
        "const { themeColour } = await import('/page/palette.js');"
        "return ['ink', 'soft', 'bad', 'warn', 'accent'].map(themeColour);"
    )
    ground = page.script("getComputedStyle(document.querySelector('.panel')).backgroundColor")
    numbers, *channels = (
        [int(part) for part in re.findall(r"\d+", each)] for each in (ground, *colours)
    )
    assert (sum(numbers) > 600) == (scheme == "light")
    assert min(contrast(each, numbers) for each in channels) >= 4.5
    assert drawn_colours(page) > 4


def contrast(first: list[int], second: list[int]) -> float:
    """WCAG 2.2, relative luminance."""

    def luminance(channels: list[int]) -> float:
        linear = [
            value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
            for value in (channel / 255 for channel in channels)
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def test_less_motion_means_none(page: Page) -> None:
    duration = "getComputedStyle(document.getElementById('base')).transitionDuration"
    assert page.script(duration) != "0s"
    page.open(prefers_reduced_motion="reduce")
    assert page.script(duration) == "0s"


def test_everything_has_a_name_for_screen_readers(page: Page) -> None:
    page.example()
    page.solve("compare")
    page.command("Accessibility.enable")
    nodes = page.command("Accessibility.getFullAXTree")["nodes"]
    page.command("Accessibility.disable")
    seen = [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in nodes
        if not node["ignored"]
    ]
    roles = {role for role, _ in seen}
    assert {"banner", "main", "form", "region", "status", "listbox", "table"} <= roles
    named = {"button", "textbox", "radio", "spinbutton", "listbox", "option", "application", "form"}
    assert [(role, name) for role, name in seen if role in named and not name.strip()] == []


def test_answers_stay_until_other_instances_come(page: Page) -> None:
    page.paste(SMALL)
    page.solve()
    page.paste({**SMALL, "name": "edited"})
    assert page.shows("stale") and page.text("shown-title") == "small"
    page.click("clear")
    time.sleep(0.1)
    assert page.shows("empty") and not page.shows("content")
