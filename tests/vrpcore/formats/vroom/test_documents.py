"""Thirty small problems, each with some of VROOM's features, and VROOM 1.14's own answers.

A file of documents/ has the `problem` and VROOM's answer, `vroom`. Answers are compared key by key.
"""

import json
from pathlib import Path

import pytest

from tests.vrpcore.formats.vroom.told import OURS, objects, told
from tests.vrpcore.vroom_oracle import check_vroom
from vrpcore.api import Solver, read_instances
from vrpcore.formats.vroom.vroom_answer import answer_to_dict
from vrpcore.search import rich_library

FILES = sorted((Path(__file__).parent / "documents").glob("*.json"))
BY_FILE = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
pytestmark = pytest.mark.skipif(not rich_library.is_built(), reason="the search was not built")

# What VROOM's API describes, by the kind of object; what is there only now and then, apart.
TIMES = {"setup", "service", "waiting_time", "duration"}
LOADS = {"delivery", "amount", "pickup"}
PLACE = {"location", "location_index"}
ALWAYS = {
    "answer": {"code", "summary", "unassigned", "routes"},
    "summary": TIMES
    | {"cost", "routes", "unassigned", "priority", "violations", "computing_times"},
    "computing_times": {"loading", "solving", "routing"},
    "route": TIMES | {"vehicle", "cost", "priority", "steps", "violations"},
    "start": TIMES | {"type", "arrival", "violations"},
    "end": TIMES | {"type", "arrival", "violations"},
    "break": TIMES | {"type", "id", "arrival", "violations"},
    "job": TIMES | {"type", "id", "job", "arrival", "violations"},
    "unassigned": {"type", "id"},
}
SOMETIMES = {
    "summary": LOADS | {"distance"},
    "route": LOADS | {"distance", "description", "geometry"},
    "start": PLACE | {"load", "distance"},
    "end": PLACE | {"load", "distance"},
    "break": {"load", "distance", "description"},
    "job": PLACE | {"load", "distance", "description"},
    "unassigned": PLACE | {"description"},
}


@pytest.fixture(scope="module")
def answers():
    solver = Solver(device="cpu")

    def answer(problem):
        items = read_instances(problem)
        (solution,) = solver.solve(items, workers=1)
        return answer_to_dict(items[0], solution)

    return {file: answer(json.loads(file.read_text())["problem"]) for file in FILES}


def test_there_are_thirty():
    assert len(FILES) == 30


@BY_FILE
def test_each_is_answered_with_what_vrooms_api_describes(answers, file):
    problem, answer = json.loads(file.read_text())["problem"], answers[file]
    assert check_vroom(problem, answer) == []
    with_distances = all("distances" in each for each in problem["matrices"].values())
    assert ("distance" in answer["summary"]) == with_distances
    for kind, about, found in objects(answer):
        least = ALWAYS[kind]
        most = least | SOMETIMES.get(kind, set()) | OURS.get(kind, set())
        assert least <= set(found) <= most, (kind, about)


@BY_FILE
def test_each_has_the_keys_of_vrooms_own_answer(answers, file):
    """Distances apart, which VROOM's Python package leaves out."""
    document = json.loads(file.read_text())
    ours, theirs = told(answers[file]), told(document["vroom"])
    compared = 0
    for name in ours.keys() & theirs.keys():
        own = {key: kind for key, kind in ours[name].items() if key not in OURS.get(name[0], ())}
        own.pop("distance", None)
        assert own == theirs[name], name
        compared += 1
    assert compared > 5


@BY_FILE
def test_no_answer_is_worse_than_vrooms(answers, file):
    """But for one unit of cost a route, by which they are rounded."""
    ours, theirs = answers[file]["summary"], json.loads(file.read_text())["vroom"]["summary"]

    def rank(summary):
        return -summary["priority"], summary["unassigned"], summary["cost"]

    assert rank(ours) <= rank({**theirs, "cost": theirs["cost"] + theirs["routes"]})
