import json

import pytest

from tests.cli.runs import BAD, lines, named, names, solve, vrp
from vrpcore.cli.pairs import read_pairs
from vrpcore.errors import InstanceError


def test_a_folder_of_sol_files_is_checked(tmp_path):
    items = [{"name": "a", "capacity": 9, "depot": [0, 0], "customers": []}]
    items[0]["customers"] = [{"id": "x", "x": 1, "y": 0, "demand": 3}]
    items += [{**items[0], "name": "b", "capacity": -1}, {**items[0], "name": "c"}]
    source, folder = tmp_path / "in.json", tmp_path / "out"
    source.write_text(json.dumps(items))
    solve(source, "-o", folder, "--format", "sol", code=4)
    assert names(folder) == ["0-a.sol", "2-c.sol"]
    vrp("check", source, folder)
    (folder / "2-c.sol").write_text("Route #1: 1\nCost 3\n")
    wrong = vrp("check", source, folder, code=6)
    assert "cost: 3, expected 2.0" in wrong.stdout
    (folder / "7-z.sol").write_text("Route #1: 1\nCost 2\n")
    assert "there are only 3 instances" in vrp("check", source, folder, code=4).stderr


def test_files_of_different_length_are_refused(tmp_path):
    source, answers = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(lines(named(2)))
    solve(source, "-o", answers)
    source.write_text(lines(named(3)))
    with pytest.raises(InstanceError, match=r"out\.jsonl: 2 solutions for 3 instances in .*in\."):
        read_pairs(str(source), str(answers))


def test_a_folder_is_matched_by_the_positions_in_its_names(tmp_path):
    source, folder = tmp_path / "in.jsonl", tmp_path / "out"
    source.write_text(lines([*named(2), BAD, *named(1)]))
    folder.mkdir()
    (folder / "1-other.sol").write_text("Route #1: 2 1\nRoute #2: 3\nCost 7\n")
    (folder / "README.txt").write_text("not a solution")
    pairs = read_pairs(str(source), str(folder))
    assert [item.name for item, _ in pairs] == ["i1", "i2", "bad", "i1"]
    assert [found.status for _, found in pairs] == ["partial", "solved", "invalid", "partial"]
    assert [route.customers for route in pairs[1][1].routes] == [(2, 1), (3,)]
    assert pairs[1][1].cost == 7
