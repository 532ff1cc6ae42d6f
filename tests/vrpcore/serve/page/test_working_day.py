"""The page with second trips, alternatives, lateness and overtime."""

import json
import re

import pytest

from tests.vrpcore.serve.page.answers import answered, labels, rows_of
from tests.vrpcore.serve.page.chromium import Page, downloaded
from tests.vrpcore.serve.page.days import TRIPS
from vrpcore.formats.answers.sol_files import solution_to_sol
from vrpcore.formats.answers.solutionformats import csv_header, solution_to_csv
from vrpcore.instance.instance import Instance
from vrpcore.instance.solution import Solution
from vrpcore.plot.activities import late_spans
from vrpcore.serve.preview import previews
from vrpcore.serve.views import Views

GROUPS = {
    "name": "groups", "capacity": 9, "depot": [0, 0],
    "customers": [{"id": n, "x": n, "y": n % 2, "demand": 1} for n in range(1, 6)],
    "groups": [{"members": [1, 5]}, {"id": "near", "members": [2, 3, 4]}],
}  # fmt: skip


@pytest.fixture
def day(page: Page) -> tuple[Page, Instance, Solution]:
    ((problem, solution),) = answered(page, TRIPS)
    return page, problem, solution


def test_trips_lateness_and_alternatives_are_told(day: tuple[Page, Instance, Solution]) -> None:
    page, _, solution = day
    (route,) = solution.routes
    schedule = route.schedule
    assert schedule is not None and schedule.reloads and schedule.late
    assert schedule.late_return > 0 and schedule.overtime > 0
    (row,) = labels(page, "#timeline [role=group]")
    assert re.search(rf"reloads at {schedule.reloads[0].depot} \d.* late, .* overtime$", row)
    stops = labels(page, "#timeline [role=option]")
    late = [stop.split(":")[0] for stop in stops if re.search(r", [\d.]+ late", stop)]
    known = zip(route.customers, schedule.late, strict=True)
    assert late == [str(name) for name, by in known if by] == ["c"]
    table = page.text("route-table")
    assert f"\u21bb\u00a0{schedule.reloads[0].depot} \u2192 " in table
    assert page.count("#route-table small.late") == 3
    facts = page.text("facts")
    for word in ("Late 1 stop", "Back late 1 route", "Overtime 1 route", "Uneven work "):
        assert word in facts
    assert "group-1" in page.text("unserved-table")
    marks = ["Depots", "Reloads", "Late, overtime", "Alternative not taken", "Left out, optional"]
    assert page.texts("#legend li") == marks


def test_the_timeline_has_bars_of_loading_and_lateness(
    day: tuple[Page, Instance, Solution],
) -> None:
    page, _, solution = day
    schedule = solution.routes[0].schedule
    assert schedule is not None and schedule.reloads
    at_hub = 1 + sum(each.depot == "hub" for each in schedule.reloads)
    assert page.count("#timeline .track .loading") == at_hub
    assert page.count("#timeline .track .late") == len(late_spans(schedule)) == 3
    assert page.shows("key-loading") and page.shows("key-late") and page.shows("key-break")
    colour = "getComputedStyle(document.querySelector('#timeline .track .late')).backgroundColor"
    assert page.script(colour) == "rgb(184, 56, 8)"


def test_what_is_pointed_at_says_which_alternative_is_served(
    day: tuple[Page, Instance, Solution],
) -> None:
    page, problem, solution = day
    assert "b" in solution.routes[0].customers
    page.script("document.getElementById('map').focus()")
    told = page.module(
        "const { previewItems } = await import('/page/instances.js');"
        "const { Scene } = await import('/page/scene.js');"
        "const [item] = previewItems(values[0]);"
        "const scene = new Scene(item.problem, values[1], values[2]);"
        "return ['b', 'b2', 'group-1', 'c', 'p'].map((id) => scene.describe(scene.nodeOf(id)));",
        previews([problem]),
        json.loads(downloaded(page, "json"))["solutions"][0],
        json.loads(Views().line(problem, solution))["timeline"],
    )
    taken, other, left_out, late, parcel = (", ".join(words) for words in told)
    assert "taken of 2 alternatives (b-or-b2)" in taken
    assert "alternative: b is served" in other and "stop" not in other
    assert left_out.startswith("far, ") and "not served: PRIZE" in left_out
    assert re.search(r"[\d.]+ late", late)
    assert parcel.startswith("p:delivery, demand -1")


def test_downloads_have_reloads(day: tuple[Page, Instance, Solution]) -> None:
    page, problem, solution = day
    assert downloaded(page, "sol") == solution_to_sol(problem, solution)
    expected = csv_header(problem) + solution_to_csv(problem, solution)
    assert rows_of(downloaded(page, "csv")) == rows_of(expected)
    assert {row[-1] for row in rows_of(expected)} == {"type", "customer", "delivery", "reload", ""}


def test_alternatives_in_the_short_form(page: Page) -> None:
    ((_, solution),) = answered(page, GROUPS)
    assert len(solution.routes[0].customers) == 2
    assert page.texts("#legend li") == ["Alternative not taken"]
    assert not page.shows("timeline")


def test_spreadsheets_of_a_working_day(page: Page) -> None:
    stops = (
        "id,x,y,demand,open,close,one_of,late_cost,only_vehicle\n"
        "a,0,3,3,,,,,\nb,3,0,3,08:00,08:01,,2,van\nc,3,3,1,,,door,,\nd,30,30,1,,,door,,\n"
    )
    fleet = "id,count,capacity,x,y,open,close,speed,reload\nvan,1,4,0,0,08:00,16:00,60,yes\n"
    page.paste(stops)
    page.fill("fleet", fleet)
    page.until("document.getElementById('input-note').textContent.startsWith('1 instance')")
    page.solve()
    assert "reloads at" in labels(page, "#timeline [role=group]")[0]
    assert page.count("#timeline .track .late") == 1
    rows = downloaded(page, "csv").splitlines()
    assert sum(",reload," in row for row in rows) == 1
    assert not any(row.startswith("d,") for row in rows)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_map_shows_the_colour_of_a_warning(page: Page, scheme: str) -> None:
    page.open(prefers_color_scheme=scheme)
    page.paste(TRIPS)
    page.solve()
    colour = {"light": [184, 56, 8], "dark": [255, 160, 87]}[scheme]
    drawn = page.script(
        "(function (colour) { const canvas = document.getElementById('base');"
        "const { data } = canvas.getContext('2d')"
        ".getImageData(0, 0, canvas.width, canvas.height);"
        "let found = 0; for (let at = 0; at < data.length; at += 4)"
        " if (colour.every((part, index) => data[at + index] === part)) found += 1;"
        "return found; })(arguments[0])",
        colour,
    )
    assert drawn > 20
