"""A picture of an answer's workbook for the docs, as LibreOffice prints it.

    python -m tests.bench.workbook_picture docs/interface/workbook.png

A day of 44 stops is a workbook, and so is the fleet; `vrp solve` answers with a third one. From
above: the sheet with all rows (the first of its pages), the sheet of a route, and the map. Needs
LibreOffice (soffice), Pillow, pypdfium2 and the extras plot and sheets.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.bench.arguments import arguments
from tests.bench.people.day import fleet, stops, workbook

STOPS, SEED = 44, 0
SHOWN = 0.3  # of the first sheet
SCALE = 1.5  # pixels per point
COLOURS = 128
WIDE, BETWEEN = 1100, 28  # pixels


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
        (folder / "vans.xlsx").write_bytes(workbook(fleet()))
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
