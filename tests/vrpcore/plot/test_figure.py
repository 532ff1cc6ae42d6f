import pytest

from tests.vrpcore.plot.pictures import answer, day
from vrpcore import errors
from vrpcore.errors import InstanceError, MissingExtraError, OutputError
from vrpcore.plot.figure import draw, save


def test_what_cannot_be_drawn_is_reported():
    pytest.importorskip("matplotlib", reason="needs the extra plot")
    said = []
    figure = draw([(day(), answer())], said.append)
    assert len(figure.axes) == 2
    assert said == []


def test_a_picture_that_cannot_be_written(tmp_path):
    pytest.importorskip("matplotlib", reason="needs the extra plot")
    figure = draw([(day(), answer())], print)
    save(figure, tmp_path / "day.svg")
    assert (tmp_path / "day.svg").read_bytes().startswith(b"<?xml")
    with pytest.raises(OutputError, match=r"none/day\.svg: cannot be written"):
        save(figure, tmp_path / "none" / "day.svg")


def test_an_answer_of_another_instance():
    pytest.importorskip("matplotlib", reason="needs the extra plot")
    with pytest.raises(InstanceError, match="unknown customer"):
        draw([(day(customers=[]), answer())], print)


def test_without_matplotlib(monkeypatch):
    monkeypatch.setattr(errors.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"a picture needs the extra 'plot'"):
        draw([(day(), answer())], print)
