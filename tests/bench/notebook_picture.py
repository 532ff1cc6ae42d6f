"""A picture of a notebook of the docs, as a browser shows it.

    python -m tests.bench.notebook_picture NOTEBOOK docs/notebooks/first_routes.png

Its stored outputs are shown; nothing runs. Needs nbconvert, Chromium, selenium and Pillow.
"""

import base64
import io
import tempfile
from pathlib import Path

from tests.bench.arguments import arguments
from tests.vrpcore.serve.page.chromium import chromium

WIDE, HIGH = 1000, 1400  # pixels; what is farther below is left out
SCROLLBAR = 16
COLOURS = 128


def page_of(notebook):
    """The notebook as a page without scripts."""
    from nbconvert import HTMLExporter

    exporter = HTMLExporter(template_name="classic", exclude_input_prompt=True)
    return exporter.from_filename(str(notebook))[0]


def main():
    given = arguments(__doc__, notebook=Path, picture=Path)
    from PIL import Image

    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        page.write_text(page_of(given.notebook), "utf-8")
        with chromium(Path(folder, "profile")) as browser:
            browser.set_window_size(WIDE, HIGH)
            browser.get(page.as_uri())
            found = browser.execute_cdp_cmd("Page.captureScreenshot", {})
    image = Image.open(io.BytesIO(base64.b64decode(found["data"]))).convert("RGB")
    image = image.crop((0, 0, image.width - SCROLLBAR, image.height))
    image.quantize(COLOURS, Image.Quantize.FASTOCTREE).save(given.picture, optimize=True)
    print(given.picture, given.picture.stat().st_size)


if __name__ == "__main__":
    main()
