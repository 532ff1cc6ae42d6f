import importlib.util
from dataclasses import replace

import pytest

from tests.build import plain
from tests.vrpcore.plot.pictures import answer, day
from vrpcore.instance.instance import InvalidInstance
from vrpcore.instance.solution import RouteReport, Solution, Unserved
from vrpcore.modelling import notebook
from vrpcore.modelling.model_solution import ModelSolution
from vrpcore.modelling.notebook import solution_html, summary

needs_matplotlib = pytest.mark.skipif(
    importlib.util.find_spec("matplotlib") is None, reason="needs the extra plot"
)


@pytest.fixture
def found():
    return ModelSolution.of(day(), answer())


def test_the_main_numbers(found):
    rows = summary(replace(found, gap=0.0125, warnings=("A", "B")))
    assert rows["name"] == "day"
    assert rows["cost"] == f"{found.cost:.10g}"
    assert (rows["gap"], rows["routes"], rows["stops"]) == ("1.250%", "2", "3")
    assert rows["warnings"] == "A, B"
    assert rows["not served"].startswith("8 (PRIZE), 9 (")
    assert rows["reason"] == found.error
    assert "reason" not in summary(replace(found, error=None))


def test_ten_who_are_not_served_are_named(found):
    many = replace(found, unserved=tuple(Unserved(number, "FLEET") for number in range(12)))
    assert summary(many)["not served"].endswith("9 (FLEET), and 2 more")


@needs_matplotlib
def test_a_table_and_a_picture(found):
    html = found._repr_html_()
    assert html == solution_html(found)
    assert html.startswith("<table><tr><th")
    assert html.count('<img alt="day" src="data:image/png;base64,iVBOR') == 1


def test_without_matplotlib_there_is_a_table(found, monkeypatch):
    monkeypatch.setattr(notebook, "find_spec", lambda _: None)
    assert "<img" not in solution_html(found)
    assert "day" in solution_html(found)


def test_names_are_texts(found):
    html = solution_html(replace(found, name="<script>\x1b", routes=()))
    assert "&lt;script&gt;" in html
    assert "<script>" not in html
    assert "\x1b" not in html


@needs_matplotlib
def test_what_cannot_be_drawn_has_no_picture():
    lengths = [[0, 1], [1, 0]]
    solved = Solution(name="t", status="solved", cost=2, routes=(RouteReport((1,), 1, 2),))
    (plain_map, invalid) = (
        ModelSolution.of(plain(distances=lengths), solved),
        ModelSolution.of(
            InvalidInstance(name="bad", code="X", error="no <depot>"),
            Solution(name="bad", status="invalid", code="X", error="no <depot>"),
        ),
    )
    assert "<img" not in solution_html(invalid)
    assert "no &lt;depot&gt;" in solution_html(invalid)
    assert solution_html(plain_map).startswith("<table>")
