"""A picture of an answer's workbook for the docs, as LibreOffice prints it.

    python -m tests.bench.workbook_picture docs/interface/workbook.png

A day of 44 stops is a workbook, and so is the fleet; `vrp solve` answers with a third one. From
above: the sheet with all rows (the first of its pages), the sheet of a route, and the map. Needs
LibreOffice (soffice), Pillow, pypdfium2 and the extras plot and sheets.
"""

import csv
import io
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.arguments import arguments
from tests.vrpcore.formats.sheets.books import xlsx

STOPS, SEED = 44, 0
SHOWN = 0.3  # of the first sheet
SCALE = 1.5  # pixels per point
COLOURS = 128
WIDE, BETWEEN = 1100, 28  # pixels
CENTRE = (52.52, 13.40)  # latitude and longitude
STREETS = ("Amsel", "Birken", "Dorf", "Eichen", "Garten", "Haupt", "Linden", "Wald")
VANS = """\
id,count,capacity,lat,lon,open,close,speed,fixed_cost,cost_per_hour,break_start,break_end,break
van,10,60,52.5400,13.2800,07:00,16:00,25,40,24,11:00,13:30,0:30
truck,4,110,52.5400,13.2800,06:30,15:30,22,70,30,10:30,13:00,0:45
"""


def clock(minutes):
    """Minutes of a day as HH:MM."""
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def stops(count, seed):
    """Rows of a day's deliveries, with a heading."""
    draw = random.Random(seed)
    yield ["order no", "name", "lat", "lon", "parcels", "open", "close", "service (min)"]
    for order in range(1, count + 1):
        spread = draw.choice((0.02, 0.04, 0.08))
        latitude, longitude = (draw.gauss(centre, spread) for centre in CENTRE)
        opens = 15 * draw.randrange(30, 52)
        closes = min(opens + draw.choice((60, 120, 180, 480)), 15 * 60 + 30)
        window = ["", ""] if draw.random() < 0.3 else [clock(opens), clock(closes)]
        name = f"{draw.choice(STREETS)}str. {draw.randrange(1, 120)}"
        place = [f"{latitude:.5f}", f"{longitude:.5f}"]
        yield [order, name, *place, draw.randint(1, 5), *window, draw.choice((3, 4, 5, 8))]


def workbook(rows):
    """Rows as .xlsx, numbers as such."""
    return xlsx([[number(cell) for cell in row] for row in rows])


def number(cell):
    try:
        return float(cell)
    except ValueError:
        return cell


def pages(file):
    """The printed pages of a workbook, as pictures."""
    import pypdfium2

    words = ("soffice", "--headless", "--convert-to", "pdf", "--outdir", file.parent, file)
    subprocess.run([str(word) for word in words], check=True, capture_output=True)
    document = pypdfium2.PdfDocument(file.with_suffix(".pdf"))
    return [page.render(scale=SCALE).to_pil() for page in document]


def cropped(page, keep=1.0, wide=WIDE):
    """What is on a page, without its margins, or the upper part of that, down to a blank line."""
    from PIL import Image, ImageChops

    inked = ImageChops.difference(page, Image.new("RGB", page.size, "white")).convert("L")
    left, top, right, end = inked.getbbox()
    bottom = top + round(keep * (end - top))
    while bottom < end and inked.crop((left, bottom, right, bottom + 1)).getbbox():
        bottom += 1
    part = page.crop((left, top, right, bottom))
    return part.resize((wide, round(part.height * wide / part.width)), Image.LANCZOS)


def joined(parts):
    """Pictures below each other."""
    from PIL import Image

    height = sum(part.height + BETWEEN for part in parts) + BETWEEN
    whole = Image.new("RGB", (WIDE + 2 * BETWEEN, height), "white")
    top = BETWEEN
    for part in parts:
        whole.paste(part, ((whole.width - part.width) // 2, top))
        top += part.height + BETWEEN
    return whole.quantize(COLOURS, Image.Quantize.FASTOCTREE)


def main():
    """Solves the day, prints the workbook, and joins its pages."""
    target = arguments(__doc__, picture=Path).picture
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        (folder / "stops.xlsx").write_bytes(workbook(stops(STOPS, SEED)))
        (folder / "vans.xlsx").write_bytes(workbook(csv.reader(io.StringIO(VANS))))
        words = ("solve", "stops.xlsx", "--fleet", "vans.xlsx", "-o", "plan.xlsx")
        subprocess.run([sys.executable, "-m", "vrpcore.cli", *words], cwd=folder, check=True)
        printed = pages(folder / "plan.xlsx")
    print(len(printed), "pages")
    parts = [
        cropped(printed[0], SHOWN),
        cropped(printed[3]),
        cropped(printed[-1], wide=WIDE * 2 // 3),
    ]
    joined(parts).save(target, optimize=True)
    print(target, target.stat().st_size)


if __name__ == "__main__":
    main()
