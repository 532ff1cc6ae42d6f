import pytest

from tests.cli.runs import EXAMPLES, lines, one_line, vrp
from vrpcore.cli import plot

pytest.importorskip("matplotlib", reason="needs the extra plot")


def test_plot_draws(tmp_path):
    out, picture = tmp_path / "s.json", tmp_path / "map.png"
    vrp("solve", EXAMPLES, "-o", out)
    vrp("plot", EXAMPLES, out, "-o", picture)
    assert picture.read_bytes()[:4] == b"\x89PNG"
    vrp("plot", EXAMPLES, out, "-o", tmp_path / "map.svg")
    assert (tmp_path / "map.svg").read_bytes().startswith(b"<?xml")


@pytest.fixture
def solved(tmp_path):
    """A file of 18 instances with one customer each, and a file of answers to be changed."""
    source, answers = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    one = {"capacity": 5, "depot": [0, 0], "coords": [[3, 4], [6, 8]], "demands": [2, 3]}
    source.write_text(lines({**one, "name": f"$i{k}$"} for k in range(18)))
    route = {"customers": [2, 1], "load": 5, "cost": 20}
    answer = {"name": "i", "status": "solved", "cost": 20, "routes": [route]}
    answers.write_text(lines([answer] * 18))
    return source, answers


def test_a_panel_shows_routes_from_the_depot_and_back(solved, monkeypatch):
    figures = []
    monkeypatch.setattr(plot, "save", lambda figure, output: figures.append(figure))
    said = vrp("plot", *solved, "-o", "map.png").stderr
    assert said == "drawing the first 16 of 18 solved instances\n"
    assert len(figures[0].axes) == 16
    panel = figures[0].axes[0]
    route, depot = (line.get_xydata().tolist() for line in panel.get_lines())
    assert route == [[0, 0], [6, 8], [3, 4], [0, 0]]
    assert depot == [[0, 0]]
    assert panel.get_title() == "\\$i0\\$  cost 20\n1 routes"


@pytest.mark.parametrize(
    ("old", "new", "code", "said"),
    [
        ('"solved"', '"partial"', 4, "contains no solved instance to draw"),
        ("[2, 1]", "[2, 7]", 4, "unknown customer '7'"),
        ("", "", 8, "map.png: cannot be written"),
    ],
)
def test_what_cannot_be_drawn_is_told(solved, tmp_path, old, new, code, said):
    source, answers = solved
    answers.write_text(answers.read_text().replace(old, new))
    result = vrp("plot", source, answers, "-o", tmp_path / "none" / "map.png", code=code)
    assert said in one_line(result.stderr)
