"""Pictures of the page of `vrp serve` for the docs, as the browser shows it.

    python -m tests.bench.page_pictures docs/serving

Two spreadsheets of a day are chosen and solved: 44 stops with time windows, two depots, three
types of vehicles. Writes page_first.png before, page_desktop.png and page_dark.png (1280 x 657)
and page_phone.png (390 x 844) after. Needs Chromium, selenium and Pillow.
"""

import base64
import io
import math
import random
import tempfile
from pathlib import Path

from PIL import Image

from tests.bench.arguments import arguments
from tests.vrpcore.serve.page.chromium import Page, chromium
from tests.vrpcore.serve.page.served import served
from vrpcore.api import Solver

SHOTS = (
    ("desktop", 1280, 657, "light"),
    ("dark", 1280, 657, "dark"),
    ("phone", 390, 844, "light"),
)
STREETS = ("Adler", "Birke", "Dorn", "Esche", "Falke", "Ginster", "Hasel")
PLACES = ("Bakery", "Cafe", "Clinic", "Hotel", "Kiosk", "School")
FLEET = """id,count,capacity,start,open,close,speed,fixed_cost,cost_per_hour,skills
van,3,22,north,07:00,16:00,28,30,24,
truck,2,45,north,06:30,15:30,24,60,30,cold
bike,3,6,south,08:00,16:30,16,5,18,
"""


def stops(seed=3, number=42):
    """A CSV of stops around a city, two depots among them."""
    draw = random.Random(seed)
    lines = ["id,type,lat,lon,demand,open,close,service,skills,prize"]
    lines += [
        "north,depot,52.548,13.385,,06:00,18:00,,,",
        "south,depot,52.494,13.428,,07:00,18:00,,,",
    ]
    for index in range(number):
        angle, away = draw.uniform(0, 2 * math.pi), 0.055 * math.sqrt(draw.random())
        lat, lon = 52.52 + away * math.sin(angle), 13.4 + 1.6 * away * math.cos(angle)
        opens = draw.choice([None, 8, 9, 10, 12, 13])
        hours = (
            ["", ""]
            if opens is None
            else [f"{opens:02d}:00", f"{opens + draw.choice([2, 3]):02d}:00"]
        )
        name = f"{PLACES[index % 6]} {STREETS[index // 6]}"
        skills = "cold" if draw.random() < 0.15 else ""
        cells = [name, "", f"{lat:.4f}", f"{lon:.4f}", draw.randint(1, 6), *hours]
        lines.append(",".join(map(str, [*cells, f"0:{draw.randint(8, 25):02d}", skills, ""])))
    # Too far for anybody in time, and not worth the way.
    lines.append("Farm Ulme,,52.610,13.560,3,06:30,06:45,0:05,,")
    lines.append("Allotment Mohn,,52.606,13.260,1,,,0:05,,4")
    return "\n".join(lines) + "\n"


def picture(page, path):
    """What is in the window."""
    found = page.command("Page.captureScreenshot")
    image = Image.open(io.BytesIO(base64.b64decode(found["data"])))
    image.convert("RGB").save(path, optimize=True)
    print(path, path.stat().st_size)


def show(page, files, width, height, scheme):
    """Chooses both spreadsheets, solves them, and points at a route."""
    page.open(width=width, height=height, prefers_color_scheme=scheme)
    page.browser.find_element("id", "file").send_keys("\n".join(map(str, files)))
    page.until("document.getElementById('input-note').textContent.startsWith('1 instance')")
    print(page.solve(), page.text("run-notice"), page.text("input-notice"))
    page.browser.execute_script(
        "const buttons = [...document.querySelectorAll('#route-table tbody tr')]"
        "  .filter((row) => row.querySelectorAll('[data-node]').length > 4)"
        "  .map((row) => row.querySelector('button'));"
        "buttons[0].click();"
        "document.getElementById('map').scrollIntoView({ block: 'start' });"
        "window.scrollBy(0, -16);"
    )


def main():
    folder = arguments(__doc__, folder=Path).folder
    solver = Solver(device="cpu")
    with (
        tempfile.TemporaryDirectory() as work,
        served(solver, Path(work)) as (url, _),
        chromium(Path(work) / "profile") as browser,
    ):
        page = Page(browser, url)
        files = [Path(work) / name for name in ("day.csv", "vans.csv")]
        for file, text in zip(files, (stops(), FLEET), strict=True):
            file.write_text(text)
        page.open(*SHOTS[0][1:3])
        picture(page, folder / "page_first.png")
        for name, *how in SHOTS:
            show(page, files, *how)
            picture(page, folder / f"page_{name}.png")


if __name__ == "__main__":
    main()
