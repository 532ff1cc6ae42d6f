from matplotlib import pyplot

from tests.vrpcore.plot.pictures import answer, day
from vrpcore.plot.figure import draw
from vrpcore.plot.shown_figure import ShownFigure


def test_a_notebook_shows_a_picture_once():
    """Its value is the picture, and pyplot, which shows its own at the end, has none of it."""
    figure = draw([(day(), answer())], print)
    assert isinstance(figure, ShownFigure)
    assert figure._repr_png_() == figure.png()
    assert figure.png()[:4] == b"\x89PNG"
    assert pyplot.get_fignums() == []


def test_letters_that_no_font_has_are_no_warning():
    figure = ShownFigure(figsize=(1, 1))
    figure.text(0.5, 0.5, "\U000e0041")
    assert figure.png()
