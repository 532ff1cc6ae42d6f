import itertools
import json
import sys

import numpy as np
import pytest

from tests.vrpcore.serve.page.days import DAY, TRIPS
from vrpcore.api import Solver
from vrpcore.formats.answers.sol_files import solution_to_sol
from vrpcore.formats.answers.solutionformats import csv_header, solution_to_csv
from vrpcore.formats.read import read_instances
from vrpcore.instance.solution import RouteReport, RouteSchedule, Solution
from vrpcore.serve import views as module
from vrpcore.serve.views import Views

PLAIN = {"name": "a", "capacity": 3, "depot": [0, 0], "coords": [[1, 1]], "demands": [2]}


def views(*documents):
    """Instances, their answers, and the views of these."""
    items = read_instances(documents)
    solutions = Solver(device="cpu").solve(items, improve="none")
    found = [json.loads(Views().line(*pair)) for pair in zip(items, solutions, strict=True)]
    return items, solutions, found


def test_files_are_those_of_the_command():
    items, solutions, found = views(PLAIN, TRIPS)
    for item, solution, view in zip(items, solutions, found, strict=True):
        assert view["csv"] == csv_header(item) + solution_to_csv(item, solution)
        assert view["sol"] == solution_to_sol(item, solution)
    assert found[0]["timeline"] == [None]


def test_what_is_not_solved_has_no_sol():
    _, solutions, found = views(DAY, {**PLAIN, "capacity": -1})
    assert [each.status for each in solutions] == ["infeasible", "invalid"]
    assert [view["sol"] for view in found] == [None, None]
    assert found[1]["timeline"] == [] and "capacity" in found[1]["csv"]


def test_a_sol_of_too_many_lines_is_none():
    vans = [{"id": name, "count": 10**6, "capacity": 3} for name in "ab"]
    stop = {"id": 1, "x": 1, "y": 1, "demand": 2}
    (item,) = read_instances([{"depot": [0, 0], "customers": [stop], "vehicles": vans}])
    for vehicle, lines in (("a", ["Route #1: 1", "Cost 3"]), ("b", None)):
        schedule = RouteSchedule(vehicle=vehicle, start="0", end="0")
        route = RouteReport(customers=(1,), load=2.0, cost=3.0, schedule=schedule)
        solution = Solution(name="a", status="solved", cost=3, routes=(route,))
        found = json.loads(Views().line(item, solution))["sol"]
        assert (found and found.splitlines()) == lines


@pytest.mark.parametrize("document", [PLAIN, TRIPS], ids=["plain", "trips"])
def test_no_picture_is_needed(monkeypatch, document):
    _, _, found = views(document)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert views(document)[2] == found


def test_files_of_a_response_have_a_limit_together(monkeypatch):
    (item,), (solution,), (view,) = views(TRIPS)
    size = len(view["csv"]) + len(view["sol"])
    monkeypatch.setattr(module, "MAX_TEXT", size)
    made = Views()
    lines = [json.loads(made.line(item, solution)) for _ in range(2)]
    assert lines == [view, {**view, "csv": None, "sol": None}]
    monkeypatch.setattr(module, "MAX_TEXT", len(view["csv"]) // 2)  # ends among its rows
    assert json.loads(Views().line(item, solution)) == {**view, "csv": None}


def test_a_working_day_is_without_gaps():
    _, (solution,), (view,) = views(TRIPS)
    (row,) = view["timeline"]
    assert row["shift"] == [0, 190]
    bars = [bar for bar in row["bars"] if bar[0] != "late"]
    assert all(np.isclose(one[2], other[1]) for one, other in itertools.pairwise(bars))
    kinds = [bar[0] for bar in row["bars"]]
    assert kinds.count("late") == 3 and {"loading", "break", "service", "travel"} <= set(kinds)
    schedule = solution.routes[0].schedule
    assert (bars[0][1], bars[-1][2]) == (schedule.departure, schedule.return_)


def test_an_open_shift_ends_never():
    _, _, (view,) = views(DAY)
    assert [row["shift"] for row in view["timeline"]] == [[0, 600], [0, None]]
