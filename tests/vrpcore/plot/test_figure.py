import pytest

from tests.vrpcore.plot.pictures import answer, day
from vrpcore import errors
from vrpcore.errors import MissingExtraError, OutputError
from vrpcore.plot.figure import ENDINGS, draw, save


@pytest.mark.parametrize(("clock", "said"), [(None, "1. 7, 8"), ("h", "1. 7, 08:00")])
def test_stops_are_labelled_with_times_as_on_the_axis(clock, said):
    figure = draw([(day(), answer())], print, clock=clock)
    assert said in [text.get_text() for text in figure.axes[0].texts]
    figure = draw([(day(), answer())] * 2, print, clock=clock)  # too small for names
    assert said not in [text.get_text() for axis in figure.axes for text in axis.texts]


def test_a_picture_that_cannot_be_written(tmp_path, monkeypatch):
    figure = draw([(day(), answer())], print)
    save(figure, tmp_path / "day.svg")
    assert (tmp_path / "day.svg").read_bytes().startswith(b"<?xml")
    with pytest.raises(OutputError, match=r"none/day\.svg: cannot be written"):
        save(figure, tmp_path / "none" / "day.svg")
    whole = (tmp_path / "day.svg").read_bytes()
    monkeypatch.setattr("os.fsync", lambda _: tmp_path.read_bytes())  # of a folder: refused
    with pytest.raises(OutputError, match=r"day\.svg: cannot be written"):
        save(figure, tmp_path / "day.svg")
    assert (tmp_path / "day.svg").read_bytes() == whole


@pytest.mark.parametrize("ending", ENDINGS)
def test_equal_figures_give_equal_files(tmp_path, ending):
    files = [tmp_path / f"{name}{ending}" for name in ("once", "again")]
    for file in files:
        save(draw([(day(), answer())], print), file)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert b"Date" not in files[0].read_bytes()


def test_text_of_an_svg_is_text(tmp_path):
    save(draw([(day(), answer())], print), tmp_path / "day.svg")
    assert b">departure</text>" in (tmp_path / "day.svg").read_bytes()


def test_without_matplotlib(monkeypatch):
    monkeypatch.setattr(errors.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"a picture needs the extra 'plot'"):
        draw([(day(), answer())], print)
