import sys

import pytest

from benchmarks import charts
from benchmarks.curves import SolverRun
from benchmarks.quality_record import Series, SetRecord
from tests.benchmarks.runs import QUALITY, benchmark
from tests.cli.runs import KOOL


def test_quality_draws(tmp_path):
    picture = tmp_path / "curves.svg"
    benchmark(*QUALITY, "uniform6", KOOL, "--reference-seconds", "0", "--plot", picture)
    assert picture.read_bytes().startswith(b"<?xml")


def test_quality_refuses_to_draw_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = benchmark(*QUALITY, "uniform6", "--plot", "curves.png", code=2)
    assert "python -m benchmarks quality --plot needs the extra 'plot'" in result.stderr


def record(name, runs):
    """A set of two instances with reference 10, and the runs of each method."""
    series = {
        key: Series(version="1", hidden=False, runs=dict(enumerate(found)))
        for key, found in runs.items()
    }
    both = ["a", "b"]
    return SetRecord(name=name, names=both, digests=both, references=[10.0] * 2, series=series)


def test_gaps_are_drawn_in_percent_from_the_floor_up_and_failures_are_left_out(
    monkeypatch, tmp_path
):
    figures = []
    monkeypatch.setattr(charts, "save", lambda figure, output: figures.append(figure))
    runs = {
        ("vrp timed", "0.2 s"): [SolverRun(10.0, 0.2, 0.2, 0.2)],
        ("vrp timed", "0.1 s"): [SolverRun(10.5, 0.1, 0.2, 0.2)],
        ("vrp policy", "x8"): [SolverRun(9.0, 0.01, 0.1, 0.1)],
        ("HGS", "0.1 s"): [SolverRun(11.0, 0.1, 0.1, 0.1), SolverRun(13.0, 0.3, 0.3, 0.3)],
        ("PyVRP", "0.1 s"): [
            SolverRun(None, 0.1, 0.1, 0.1, "no routes"),
            SolverRun(10.0, 0.1, 0.1, 0.1),
        ],
    }
    charts.draw([record("one", runs), record("two", {}), record("three", runs)], tmp_path)
    (figure,) = figures
    axes = [axis for axis in figure.axes if axis.axison]
    titles = [axis.get_title() for axis in axes]
    assert titles == [f"{name}, 2 instances" for name in ("one", "two", "three")]
    lines = {line.get_label(): line for line in axes[0].get_lines()}
    points = {name: line.get_xydata().tolist() for name, line in lines.items()}
    floor = charts.FLOOR_PERCENT
    assert points == {
        "vrp timed": [[0.1, pytest.approx(5.0)], [0.2, floor]],
        "vrp policy": [[0.01, floor]],
        "HGS": [[pytest.approx(0.2), pytest.approx(20.0)]],
    }
    styles = {name: line.get_linestyle() for name, line in lines.items()}
    assert styles == {"vrp timed": "-", "vrp policy": "None", "HGS": "--"}
    assert [note.get_text() for note in axes[0].texts] == ["x8"]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == list(lines)
