import numpy as np
import pytest

from tests.vrpcore.plot.pictures import answer, day
from vrpcore.api import read_instances
from vrpcore.instance.solution import RouteReport, Solution
from vrpcore.plot.annotations import MAX_LABELS, draw_arrows, draw_scale, label_stops
from vrpcore.plot.map import route_stops


def labels(axis):
    return [text.get_text() for text in axis.texts]


def test_arrows_point_from_stop_to_stop(axis):
    coords = np.array([[0.0, 0.0], [10.0, 0.0], [10.0, 0.0], [10.0, 4.0]])
    draw_arrows(axis, coords, [0, 1, 2, 3], (1.0, 0.0, 0.0))
    first, second = axis.patches  # none between two stops at one place
    assert first.get_path().vertices[:, 0].max() > 5
    (x, y), *_ = second.get_path().vertices
    assert x == pytest.approx(10) and 0 <= y <= 4


def named(axis, problem, solution, text="{:g}".format):
    pairs = list(zip(solution.routes, route_stops(problem, solution), strict=True))
    label_stops(axis, problem, problem.coords, pairs, text)
    return labels(axis)


def test_stops_have_number_name_and_time(axis):
    assert named(axis, day(), answer()) == ["1. 7, 8", "1. s:pickup, 3", "2. s:delivery, 6"]


def test_what_routes_do_not_state_is_not_said(axis):
    assert named(axis, day(), answer(begins=None)) == ["1. 7", "1. s:pickup", "2. s:delivery"]


def test_names_are_texts_and_short(axis):
    stop = {"id": "$x$ " + 30 * "y", "x": 1, "y": 2, "demand": 1}
    (problem,) = read_instances([{"capacity": 9, "depot": [0, 0], "customers": [stop]}])
    route = RouteReport((stop["id"],), 1.0, 1.0)
    solution = Solution(name="a", status="solved", cost=1.0, routes=(route,))
    assert named(axis, problem, solution) == [r"1. \$x\$ yyyyyyyyy..."]


def test_many_stops_have_no_labels(axis):
    count = MAX_LABELS + 1
    one = {"capacity": 99, "depot": [0, 0], "coords": [[1, 1]] * count, "demands": [1] * count}
    (problem,) = read_instances([one])
    route = RouteReport(tuple(range(1, count + 1)), 1.0, 1.0)
    solution = Solution(name="a", status="solved", cost=1.0, routes=(route,))
    assert named(axis, problem, solution) == []


@pytest.mark.parametrize(("north", "said"), [(0.9, "20 km"), (0.009, "200 m"), (0.0, None)])
def test_the_scale_is_a_round_length(axis, north, said):
    one = {"capacity": 9, "depot": [0, 0], "metric": "haversine", "demands": [1]}
    (problem,) = read_instances([{**one, "coords": [[0.0, north]]}])
    draw_scale(axis, problem, problem.coords)
    assert labels(axis) == ([said] if said else [])
    if said:
        (line,) = axis.get_lines()
        kilometres = np.ptp(line.get_xdata()) * 111.195
        length, unit = said.split()
        assert kilometres == pytest.approx(float(length) * (1 if unit == "km" else 1e-3), rel=1e-3)


def test_without_degrees_there_is_no_scale(axis):
    draw_scale(axis, day(), day().coords)
    assert labels(axis) == [] and axis.get_lines()[:] == []
