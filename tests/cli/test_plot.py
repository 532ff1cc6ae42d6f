import json

import pytest

from tests.cli.runs import EXAMPLES, lines, one_line, vrp
from tests.vrpcore.plot.pictures import ANSWER, DAY
from vrpcore.plot import figure as picture_of


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


@pytest.fixture
def figures(monkeypatch):
    """What would be saved."""
    found = []
    monkeypatch.setattr(picture_of, "save", lambda figure, output: found.append(figure))
    return found


def test_a_panel_shows_routes_from_the_depot_and_back(solved, figures):
    said = vrp("plot", *solved, "-o", "map.png").stderr
    assert said == "drawing the first 16 of 18 instances with routes\n"
    assert len(figures[0].axes) == 16
    panel = figures[0].axes[0]
    route, depot = (line.get_xydata().tolist() for line in panel.get_lines())
    assert route == [[0, 0], [6, 8], [3, 4], [0, 0]]
    assert depot == [[0, 0]]
    assert panel.get_title() == "\\$i0\\$  cost 20\n1 route"


def test_an_instance_that_is_invalid_is_told(solved, tmp_path):
    """As of a spreadsheet whose fleet was not given."""
    source, answers = solved
    source.write_text(source.read_text().replace('"capacity": 5', '"capacity": -5'))
    result = vrp("plot", source, answers, "-o", tmp_path / "map.png", code=4)
    assert "$i0$: invalid: instances[0].capacity: -5" in one_line(result.stderr)
    sheet, plan = tmp_path / "s.csv", tmp_path / "plan.csv"
    sheet.write_text("id,lat,lon,open\n1,52.5,13.4,8:00\n")
    given = ["--depot", "52.5,13.4", "--speed", "30"]
    vrp("solve", sheet, *given, "-o", plan)
    sheet.write_text("id,lat,lon,open\n1,52.5,13.4,25:99\n2,52.5,13.5,8:99\n")
    said = vrp("plot", sheet, plan, *given, "-o", tmp_path / "map.png", code=4).stderr
    assert said.startswith("error: s: invalid: ") and said.count("\n") > 1
    assert "\\x0a" not in said


@pytest.mark.parametrize(
    ("old", "new", "code", "said"),
    [
        ('"solved"', '"invalid"', 4, "contains no answer with routes to draw"),
        ("[2, 1]", "[2, 7]", 4, "unknown customer '7'"),
        ("", "", 8, "map.png: cannot be written"),
    ],
)
def test_what_cannot_be_drawn_is_reported(solved, tmp_path, old, new, code, said):
    source, answers = solved
    answers.write_text(answers.read_text().replace(old, new))
    result = vrp("plot", source, answers, "-o", tmp_path / "none" / "map.png", code=code)
    assert said in one_line(result.stderr)


def test_letters_without_a_font_are_no_trouble(solved, tmp_path):
    source, answers = solved
    for file in solved:  # one of them is enough
        file.write_text(file.read_text().partition("\n")[0].replace("$i0$", "\u4e2d"))
    assert "Glyph" not in vrp("plot", source, answers, "-o", tmp_path / "map.png").stderr


@pytest.fixture
def picture(tmp_path, figures):
    """Draws instances and answers, both as JSON; the figure and what was said."""

    def draw(problems, answers, code=0):
        source, solutions = tmp_path / "in.json", tmp_path / "out.json"
        source.write_text(json.dumps(problems))
        solutions.write_text(json.dumps({"format": "vrp-solutions/1", "solutions": answers}))
        said = one_line(vrp("plot", source, solutions, "-o", "map.png", code=code).stderr)
        return (figures[-1] if figures else None), said

    return draw


def without_times(answer):
    times = ("departure", "return", "arrivals", "begins")
    routes = [{k: v for k, v in route.items() if k not in times} for route in answer["routes"]]
    return {**answer, "routes": routes}


def without_places(problem):
    """The same with a matrix instead of coordinates."""
    stops = [{k: v for k, v in stop.items() if k not in "xy"} for stop in problem["customers"]]
    depots = [{k: v for k, v in depot.items() if k not in "xy"} for depot in problem["depots"]]
    size = len(stops) + len(depots)
    matrix = [[abs(a - b) for a in range(size)] for b in range(size)]
    return {**problem, "customers": stops, "depots": depots, "shipments": [], "distances": matrix}


def test_a_map_and_below_it_a_timeline(picture):
    figure, said = picture([DAY], [ANSWER])
    assert said == ""
    above, below = figure.axes
    assert [line.get_gid() for line in above.get_lines()] == ["route", "route"]
    assert [label.get_text() for label in below.get_yticklabels()] == ["1 · van", "2 · bike"]
    (part,) = figure.subfigs
    assert part.get_suptitle().startswith("day  cost 21\n2 routes, partial")
    height = figure.get_size_inches()[1]
    assert 8 < height < 9


def test_routes_without_times_have_a_map_alone(picture):
    figure, said = picture([DAY], [without_times(ANSWER)])
    assert len(figure.axes) == 1
    words = "its routes state no times, so there is no timeline; vrp solve -o FILE.json writes them"
    assert said == f"day: {words}"


def test_a_matrix_alone_has_a_timeline_alone(picture):
    answer = {**ANSWER, "routes": ANSWER["routes"][:1]}
    figure, said = picture([without_places(DAY)], [answer])
    (axis,) = figure.axes
    assert axis.get_xlabel() == "time"
    assert said == "day: it has no coordinates, so its timeline is drawn without a map"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, "day: it has no coordinates and its routes state no times; vrp solve"),
        (
            {"customers": [{"id": 7}], "vehicles": [{"id": "van"}], "depots": [{"id": "north"}]},
            "day: it has neither coordinates nor times to draw; give x and y",
        ),
    ],
)
def test_nothing_to_draw_is_reported(picture, change, said):
    answer = without_times({**ANSWER, "routes": ANSWER["routes"][:1]})
    assert said in picture([without_places({**DAY, **change})], [answer], code=4)[1]


def test_an_instance_without_anything_to_draw_costs_no_other_its_panel(picture):
    answer = without_times({**ANSWER, "routes": ANSWER["routes"][:1]})
    none = {**without_places(DAY), "name": "none"}
    figure, said = picture([DAY, none, DAY], [ANSWER, {**answer, "name": "none"}, ANSWER])
    assert [len(part.subfigs) for part in figure.subfigs] == [2, 2]
    words = (
        "it has no coordinates and its routes state no times; vrp solve -o FILE.json writes them"
    )
    assert said == f"none: left out: {words}"


def test_plain_and_other_instances_share_a_picture(picture):
    plain = {"name": "p", "capacity": 5, "depot": [0, 0], "coords": [[3, 4]], "demands": [2]}
    route = {"customers": [1], "load": 2, "cost": 10}
    solved = {"name": "p", "status": "solved", "cost": 10, "routes": [route]}
    figure, _ = picture([DAY, plain, DAY], [ANSWER, solved, ANSWER])
    assert [len(part.subfigs) for part in figure.subfigs] == [2, 1, 2, 0]


def test_unused_vehicles_are_not_drawn(picture):
    idle = {"customers": [], "load": 0, "cost": 0, "start": "north", "end": "north"}
    routes = [{**idle, "vehicle": "van"}, *ANSWER["routes"]]
    figure, _ = picture([DAY], [{**ANSWER, "routes": routes}])
    labels = [label.get_text() for label in figure.axes[1].get_yticklabels()]
    assert labels == ["1 · van", "2 · bike"]


def test_times_of_day_on_the_axis(tmp_path, figures):
    source, answers = tmp_path / "day.json", tmp_path / "answer.json"
    source.write_text(json.dumps(DAY))
    answers.write_text(json.dumps(ANSWER))
    vrp("plot", source, answers, "-o", "map.png", "--clock", "h")
    labels = {label.get_text() for label in figures[0].axes[1].get_xticklabels()}
    assert {"00:00", "04:00", "16:00"} <= labels
    vrp("plot", source, answers, "-o", "map.png", "--clock", "d", code=2)
