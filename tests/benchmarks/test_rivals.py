"""Rivals that are not installed here are skipped: `pip install -e '.[bench]'` brings them."""

import pytest

from benchmarks.contender import PLAIN_ONLY, judge
from benchmarks.rivals import (
    NO_LIMIT,
    ORTOOLS,
    PYVRP,
    RIVALS,
    VROOM,
    Rival,
    reference_contenders,
    rival_contenders,
)
from tests.benchmarks.rich_cases import CASES, corners, quiet
from vrpcore.bench.problem_set import generated_set
from vrpcore.formats.read import read_instances


def test_what_is_missing_is_said_and_left_out(monkeypatch):
    monkeypatch.setattr(Rival, "installed", property(lambda _self: False))
    contenders, notes = rival_contenders((0.1,), 1)
    assert contenders == []
    assert [note.split(":")[0] for note in notes] == [rival.name for rival in RIVALS]
    assert "pip install -e '.[bench]'" in notes[0]
    assert reference_contenders(1.0, 1) == []


def test_points_of_the_installed(monkeypatch):
    monkeypatch.setattr(Rival, "installed", property(lambda _self: True))
    monkeypatch.setattr(Rival, "version", property(lambda self: f"{self.package} 1"))
    contenders, notes = rival_contenders((0.1, 1.0), 7)
    assert notes == []
    curves = {}
    for contender in contenders:
        curves.setdefault(contender.method, []).append(contender.setting)
        assert contender.version.endswith(" 1, seed 7")
    assert curves == {
        "HGS": ["0.1 s", "1 s"],
        "HGS mu=3": ["0.1 s", "1 s"],
        "PyVRP": ["0.1 s", "1 s"],
        "VROOM": [f"level {level}" for level in range(6)],
        "OR-Tools": ["first solution", "0.1 s", "1 s"],
    }
    longer = [found.method for found in reference_contenders(5.0, 7)]
    assert longer == ["reference (HGS)", "reference (PyVRP)"]


def test_who_takes_constraints_says_what_it_cannot_express(monkeypatch):
    monkeypatch.setattr(Rival, "installed", property(lambda _self: True))
    monkeypatch.setattr(Rival, "version", property(lambda self: f"{self.package} 1"))
    contenders, _ = rival_contenders((0.1,), 7)
    (prizes,) = read_instances([CASES["prizes"][0]])
    said = {(found.method, found.setting): found.refuses(prizes) for found in contenders}
    assert said["PyVRP", "0.1 s"] is said["OR-Tools", "0.1 s"] is None
    assert said["OR-Tools", "first solution"] == NO_LIMIT
    assert said["VROOM", "level 0"] == "cannot express prizes"
    assert said["HGS", "0.1 s"] == PLAIN_ONLY
    (plain,) = generated_set("uniform5", 1, 1).instances
    assert {found.refuses(plain) for found in contenders} == {None}


@quiet
@pytest.mark.parametrize("rival", [PYVRP, VROOM, ORTOOLS], ids=lambda rival: rival.name)
def test_fewer_vehicles_come_first_where_that_is_asked(rival):
    """One route is longer than two: the way between the corners is 30."""
    if not rival.installed:
        pytest.skip(f"{rival.package} is not installed: pip install -e '.[bench]'")
    lengths = [[0, 3, 4], [3, 0, 30], [4, 30, 0]]
    (instance,) = read_instances([corners() | {"distances": lengths}])
    for fewest, cost, routes in ((False, 14, 2), (True, 37, 1)):
        contenders, _ = rival_contenders((0.1,), 7, fewest)
        timed = [c for c in contenders if c.method == rival.name and c.refuses(instance) is None]
        (attempt,) = timed[-1].solve([instance])
        assert (judge(instance, attempt.routes), len(attempt.routes)) == ((cost, None), routes)
