"""What the page draws on its canvases, as tests ask for it."""

from tests.vrpcore.serve.page.chromium import Page

SPY = """
window.drawn = { texts: [], dots: [], images: [] };
const pens = CanvasRenderingContext2D.prototype;
const [fillText, arc, drawImage] = [pens.fillText, pens.arc, pens.drawImage];
pens.fillText = function (text, ...rest) {
  window.drawn.texts.push(text); fillText.call(this, text, ...rest); };
pens.arc = function (x, y, ...rest) {
  window.drawn.dots.push([x, y]); arc.call(this, x, y, ...rest); };
pens.drawImage = function (image, ...rest) {
  window.drawn.images.push([image.src, ...rest]); drawImage.call(this, image, ...rest); };
"""


def watch(page: Page) -> None:
    """Notes from now on what is drawn."""
    page.browser.execute_script(SPY)


def texts_of(page: Page) -> list[str]:
    """Texts that were drawn since the last call."""
    return list(page.script("window.drawn.texts.splice(0)"))
