"""What the map says: names, numbers and times of stops, directions, a scale; streets below."""

import io
import math
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.vrpcore.serve.page.canvas import texts_of, watch
from tests.vrpcore.serve.page.cases import SMALL, random_instance
from tests.vrpcore.serve.page.chromium import Page
from tests.vrpcore.serve.page.days import FLEET, STOPS
from tests.vrpcore.serve.page.served import served
from vrpcore.api import Solver

SPREADSHEETS = [{"name": "today", "stops": STOPS, "fleet": FLEET}]


def test_stops_have_their_names_and_degrees_a_scale(page: Page) -> None:
    watch(page)
    page.paste(SPREADSHEETS)
    page.until("document.getElementById('map').checkVisibility()")
    texts = texts_of(page)
    assert {"Adler", "Birne", "Dorn"} <= set(texts)
    assert any(text.endswith(" km") for text in texts)
    page.paste(SMALL)
    page.until("document.getElementById('shown-title').textContent === 'small'")
    assert not [text for text in texts_of(page) if text.endswith("m")]


def test_a_route_that_is_pointed_at_says_numbers_and_arrivals(page: Page) -> None:
    page.paste(SPREADSHEETS)
    page.solve()
    watch(page)
    page.press("#route-table tbody button")
    stops = page.texts("#route-table tbody tr:first-child [data-node]")
    texts = set(texts_of(page))
    for number, name in enumerate(stops, start=1):
        (said,) = [text for text in texts if text.startswith(f"{number}. {name}, ")]
        assert said[-3] == ":" and 7 <= int(said[-5:-3]) < 16
    assert "Driven" in page.text("facts") and " km" in page.text("facts")
    page.script("document.querySelector('#customers summary').click()")
    page.until("document.querySelectorAll('#customer-table tbody tr').length === 3")
    (titles,) = page.texts("#customer-table thead")
    assert titles == "CustomerDemandLongitudeLatitudeRouteStopArrives"
    arrivals = page.texts("#customer-table td:last-child")
    assert all(re.fullmatch(r"\d\d:\d\d", arrival) for arrival in arrivals)


def test_many_stops_have_no_names(page: Page) -> None:
    watch(page)
    page.paste([random_instance(80, "many", 30)])
    page.until("document.getElementById('map').checkVisibility()")
    assert texts_of(page) == []


def test_legs_have_arrows(page: Page) -> None:
    page.paste(SMALL)
    page.solve()
    found = page.module(
        "const { arrows } = await import('/page/marks.js');"
        "const corners = [];"
        "const pen = { beginPath() {}, fill() {}, moveTo: (...at) => corners.push(at),"
        "  lineTo: (...at) => corners.push(at) };"
        "arrows(pen, [[0, 0], [100, 0], [110, 0], [110, 0], [110, 50]], 'red');"
        "return corners;"
    )
    assert len(found) == 6  # two legs are long enough
    assert max(found[:3])[0] == found[0][0] == pytest.approx(55.5)  # the tip is ahead
    assert found[3][1] == max(y for _, y in found[3:])


def test_the_depot_is_placed_by_a_click_on_the_map(page: Page) -> None:
    page.paste(STOPS)
    page.until("document.getElementById('map').checkVisibility()")
    assert "Or click the map where the depot is." in page.text("shown-notice")
    at = page.module(
        "const map = document.getElementById('map');"
        "const box = map.getBoundingClientRect();"
        "const at = { clientX: box.left + box.width / 2, clientY: box.top + 60, bubbles: true };"
        "for (const kind of ['pointerdown', 'pointerup'])"
        "  map.dispatchEvent(new PointerEvent(kind, at));"
        "return document.getElementById('depot').value;"
    )
    latitude, longitude = map(float, at.split(", "))
    assert 52.5 < latitude < 52.56 and 13.34 < longitude < 13.43
    page.until("!document.getElementById('input-note').textContent.includes('no depot')")


class Host:
    """A host of tiles on this machine.

    Attributes:
        url: The template of its tiles.
        asked: Level, column and row of each tile that was asked for.
        status: That it answers with.
    """

    def __init__(self) -> None:
        from PIL import Image

        self.asked: list[tuple[int, int, int]] = []
        self.status, image = 200, io.BytesIO()
        Image.new("RGB", (256, 256), (200, 220, 240)).save(image, "PNG")
        host = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                z, x, y = self.path.removesuffix(".png").split("/")[1:]
                host.asked.append((int(z), int(x), int(y)))
                self.send_response(host.status)
                self.send_header("content-type", "image/png")
                self.end_headers()
                self.wfile.write(image.getvalue() if host.status == 200 else b"")

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/{{z}}/{{x}}/{{y}}.png"
        threading.Thread(target=self.server.serve_forever).start()


@pytest.fixture
def host() -> Iterator[Host]:
    pytest.importorskip("PIL", reason="tiles are images: pip install pillow")
    found = Host()
    yield found
    found.server.shutdown()
    found.server.server_close()


@pytest.fixture
def streets(browser: Any, solver: Solver, tmp_path: Any, host: Host) -> Iterator[Page]:
    """A page with a street map, opened; afterwards its console must be silent."""
    with served(solver, tmp_path, tiles=host.url, tiles_attribution="Tiles of nobody") as (url, _):
        page = Page(browser, url)
        page.open()
        page.complaints()
        yield page
        assert page.complaints() == []
        browser.get("about:blank")


def tile_of(level: int, longitude: float, latitude: float) -> tuple[float, float]:
    """Column and row in Web Mercator, as hosts of tiles count them."""
    across = 2**level
    north = math.asinh(math.tan(math.radians(latitude)))
    return (longitude + 180) / 360 * across, (1 - north / math.pi) / 2 * across


def test_tiles_lie_where_the_stops_are(streets: Page, host: Host) -> None:
    assert host.asked == []
    watch(streets)
    streets.paste(SPREADSHEETS)
    streets.until("window.drawn.images.length > 3")
    level = host.asked[0][0]
    for stop in STOPS.splitlines()[1:]:
        _, latitude, longitude, *_ = stop.split(",")
        column, row = tile_of(level, float(longitude), float(latitude))
        assert (level, int(column), int(row)) in host.asked
    streets.until("document.getElementById('attribution').textContent === 'Tiles of nobody'")
    src, left, top, wide, _ = streets.script("window.drawn.images.at(-1)")
    z, x, y = (int(part) for part in src.removesuffix(".png").split("/")[-3:])
    column, row = tile_of(z, 13.405, 52.52)
    box = streets.module(
        "const { width, height } = document.getElementById('map').getBoundingClientRect();"
        "return [width, height];"
    )
    place = (left + (column - x) * wide, top + (row - y) * wide)  # of the depot, in pixels
    assert all(0 < at < most for at, most in zip(place, box, strict=True))
    assert wide > 100
    dots = streets.script("window.drawn.dots")
    assert any(math.dist(place, dot) > 5 for dot in dots)


def test_streets_can_be_hidden_and_plain_coordinates_have_none(streets: Page, host: Host) -> None:
    streets.paste(SMALL)
    streets.until("document.getElementById('map').checkVisibility()")
    assert not streets.shows("attribution") and not streets.shows("show-streets")
    assert host.asked == []
    streets.paste(SPREADSHEETS)
    streets.until("document.getElementById('attribution').checkVisibility()")
    streets.click("show-streets")
    assert not streets.shows("attribution")
    assert streets.script("document.getElementById('show-streets').ariaPressed") == "false"


def test_a_host_that_does_not_answer_is_told(streets: Page, host: Host) -> None:
    host.status = 404
    streets.paste(SPREADSHEETS)
    said = "'The street map cannot be loaded.'"
    streets.until(f"document.getElementById('attribution').textContent === {said}")
    assert streets.shows("map")


def test_without_tiles_nothing_is_fetched(page: Page, host: Host) -> None:
    page.paste(SPREADSHEETS)
    page.until("document.getElementById('map').checkVisibility()")
    hosts = page.script(
        "[...new Set(performance.getEntriesByType('resource').map(({ name }) => new URL(name)"
        ".host))]"
    )
    assert hosts == [page.script("window.location.host")]
    assert not page.shows("attribution") and not page.shows("show-streets")
