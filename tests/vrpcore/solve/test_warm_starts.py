"""Warm starts of `vrp solve`, by name and by position."""

import json

import pytest

from tests.cli.runs import lines, named, one_line, solve, vrp
from vrpcore.instance.solution import Solution
from vrpcore.solve.warm_starts import WarmStarts


def places(known, *instances):
    """Where the warm start of each instance is among those that are known, and what is said."""
    said = []
    solutions = [Solution(name=name, status="solved") for name in known]
    starts = WarmStarts(solutions, said.append)
    assert len(starts) == len(known)
    found = [starts.take(name, position) for position, name in enumerate(instances)]
    where = [None if each is None else [each is own for own in solutions] for each in found]
    return [None if each is None else each.index(True) for each in where], said


@pytest.mark.parametrize(
    ("known", "instances", "expected"),
    [
        (["a", "b"], ["a", "b"], [0, 1]),
        (["a", "b", "c"], ["c", "a"], [2, 0]),
        (["a", "b"], ["b"], [1]),
        (["a", "b"], ["b", "b", "a"], [1, None, 0]),
        (["instance-0", "instance-1"], ["instance-0", "instance-1"], [0, 1]),
        (["", ""], ["instance-0", "x"], [0, 1]),
        (["a", "a"], ["a", "a"], [0, 1]),
        (["a"], ["a", "instance-1"], [0, None]),
    ],
)
def test_by_name_else_by_position(known, instances, expected):
    assert places(known, *instances) == (expected, [])


def test_a_name_that_does_not_fit_is_said():
    words = "its warm start, found by position, is called 'monday'; make sure that it is the right"
    assert places(["monday"], "tuesday") == ([0], [f"tuesday: {words} one"])
    found, said = places(["b", "c"], "x", "b")
    assert found == [0, 0]
    assert said == [f"x: {words.replace('monday', 'b')} one"]


def test_a_file_that_is_broken_moves_no_warm_start(tmp_path):
    def day(name, *places):
        stops = [{"x": place, "y": 0} for place in places]
        vehicles = [{"id": "v", "count": 1, "capacity": 9}]
        file = tmp_path / f"{name}.json"
        document = {"name": name, "depot": [0, 0], "vehicles": vehicles, "customers": stops}
        file.write_text(json.dumps(document))
        return file

    files, both, out = [day("a", 5, 1, 3), day("b", 1, 3, 5)], tmp_path / "c.json", tmp_path / "d"
    vrp("solve", *files, "-o", both)
    second = json.loads(both.read_text())["solutions"][1]["routes"][0]["customers"]
    files[0].write_text("{")
    again = ["--warm-start", both, "--freeze", "20", "-o", out]
    said = vrp("solve", *files, *again, code=4).stderr
    (found,) = json.loads(out.read_text())["solutions"]
    assert found["routes"][0]["customers"] == second
    assert "2 warm starts for 1 instances" in one_line(said)


def test_instances_may_have_another_order_and_come_in_shards(tmp_path):
    source, known, out = (tmp_path / name for name in ("in.jsonl", "known.jsonl", "out.jsonl"))
    instances = named(4)
    source.write_text(lines(instances))
    solve(source, "-o", known)
    routes = {
        each["name"]: each["routes"] for each in map(json.loads, known.read_text().splitlines())
    }
    rows = known.read_text().splitlines()
    rows[1] = rows[1].replace('"customers": [', '"customers": [7, ')
    known.write_text("\n".join(rows))
    source.write_text(lines(reversed(instances)))
    said = {}
    for shard in ("1/2", "2/2"):
        said[shard] = solve(source, "--warm-start", known, "-o", out, "--shard", shard).stderr
        for answer in map(json.loads, out.read_text().splitlines()):
            assert len(answer["routes"]) <= len(routes[answer["name"]])
    assert "i2: warm start repaired: without stop 7" in one_line(said["1/2"])
    assert "repaired" not in said["2/2"]


def test_a_plan_as_csv_goes_on_twice_a_day(tmp_path):
    stops, fleet, plan, rest = (tmp_path / f"{name}.csv" for name in ("s", "f", "plan", "rest"))
    fleet.write_text(
        "id,x,y,open,close,capacity,reload,lost,speed\nv,0,0,08:00,18:00,9,yes,no,60\n"
    )
    rows = "id,x,y,open,close,demand\na,20,0,,09:00,3\nb,30,0,,09:00,3\n"

    def go_on(more, *options, code=0):
        stops.write_text(rows + more)
        said = one_line(vrp("solve", stops, "--fleet", fleet, *options, code=code).stderr)
        vrp("check", stops, options[-1], "--fleet", fleet)
        return [line.split(",")[0] for line in options[-1].read_text().splitlines()[1:]], said

    go_on("", "-o", plan)
    new = "c,25,0,,,2\n"
    found, _ = go_on(new, "--warm-start", plan, "--freeze", "8:50", "-o", rest)
    assert sorted(filter(None, found)) == ["a", "b", "c"]
    # c is on board in a second trip: d is not.
    more = f"{new}d,25,0,,10:00,2\n"
    found, _ = go_on(more, "--warm-start", rest, "--freeze", "9:15", "-o", plan, code=6)
    assert found[-2:] == ["c", "d"]
    # Without b, nobody knows what was loaded for it.
    rows = rows.replace("b,30,0,,09:00,3\n", "")
    _, said = go_on(new, "--warm-start", rest, "--freeze", "9:15", "-o", plan)
    assert "does not state 'amounts': what was loaded is not known for stop 'b'" in said
