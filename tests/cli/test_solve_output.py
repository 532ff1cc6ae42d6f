"""What `vrp solve` writes, through the command, and its totals."""

import json
import os
import sys

import pytest

from tests.cli.runs import BAD, named, names, one_line, solve, vrp
from vrpcore.cli.solve_output import Tally
from vrpcore.formats.files import claimed
from vrpcore.formats.solutions import read_solutions
from vrpcore.instance.solution import Solution, summarise
from vrpcore.solve.backend import ModelInfo


@pytest.mark.parametrize("ending", ["json", "jsonl", "csv", "geojson"])
def test_the_ending_chooses_the_format_and_it_is_the_one_of_stdout(many, tmp_path, ending):
    out = tmp_path / f"out.{ending}"
    solve(many, "-o", out)
    shown = solve(many, "--format", ending).stdout
    if ending == "json":
        found, other = json.loads(out.read_text()), json.loads(shown)
        assert found["summary"].pop("seconds") > 0
        assert found["summary"].pop("instances_per_second") > 0
        del other["summary"]["seconds"], other["summary"]["instances_per_second"]
        assert found == other
        assert found["summary"]["solved"] == 11
    else:
        assert out.read_text() == shown
    assert names(tmp_path) == ["many.jsonl", f"out.{ending}"]
    if ending in ("json", "jsonl"):
        assert [item.name for item in read_solutions(out)] == [f"i{k}" for k in range(1, 12)]
    if ending == "csv":
        assert len(shown.splitlines()) == 1 + 11 * 3
    if ending == "geojson":
        assert len(json.loads(shown)["features"]) > 11


def test_sol_writes_a_folder(tmp_path):
    source, out = tmp_path / "in.json", tmp_path / "out"
    source.write_text(json.dumps([*named(2), BAD]))
    solve(source, "-o", out, "--format", "sol", code=4)
    assert names(out) == ["0-i1.sol", "1-i2.sol"]
    (answer,) = read_solutions(out / "0-i1.sol")
    assert answer.cost > 0
    assert names(tmp_path) == ["in.json", "out"]
    result = solve(source, "-o", out, code=8)  # a folder that is there means sol
    assert "name a new or empty one" in result.stderr
    (tmp_path / "new").mkdir()
    solve(source, "-o", tmp_path / "new", "--shard", "2/3")
    assert names(tmp_path / "new") == ["1-i2.sol"]


def test_an_answer_that_sol_cannot_hold_costs_no_other(tmp_path):
    source, out = tmp_path / "in.json", tmp_path / "out"
    types = [{"id": "a", "count": 200_000, "capacity": 1}, {"id": "b", "capacity": 9}]
    idle = {"name": "idle", "vehicles": types, "depot": [0, 0], "coords": [[1, 1]], "demands": [5]}
    source.write_text(json.dumps([*named(1), idle, *named(1)]))
    said = one_line(vrp("solve", source, "-o", f"{out}/", code=4).stderr)
    words = "a .sol has a line for each vehicle, also for 200000 without a route; write JSON"
    assert f"idle: invalid: idle: {words}" in said
    assert names(out) == ["0-i1.sol", "2-i1.sol"]


def test_why_there_is_no_sol_is_said_in_any_case(tmp_path):
    source = tmp_path / "bad.json"
    source.write_text(json.dumps(BAD))
    for words in ([], ["-q"]):
        said = solve(source, "-o", tmp_path / "bad.sol", *words, code=4).stderr
        assert "bad: invalid: instances[0].capacity: -4" in one_line(said)
    words = ["-o", tmp_path / "bad.json.out", "--format", "json", "-q"]
    assert solve(source, *words, code=4).stderr == ""


def test_a_sol_part_is_made_anew_unless_it_is_something_else(tmp_path, many):
    part = tmp_path / "out.part"
    part.mkdir()
    (part / "77-old.sol").write_text("")
    solve(many, "-o", f"{tmp_path}/out/")
    assert len(names(tmp_path / "out")) == 11
    part.mkdir()
    (part / "letter.txt").write_text("")
    (tmp_path / "out").rename(tmp_path / "old")
    assert "letter.txt" in solve(many, "-o", f"{tmp_path}/out/", code=8).stderr


def test_an_empty_list_is_an_empty_answer_in_each_format(tmp_path):
    for ending, expected in (("jsonl", ""), ("csv", None), ("json", None), ("geojson", None)):
        out = tmp_path / f"out.{ending}"
        solve("-", "-o", out, stdin="[]")
        if expected is not None:
            assert out.read_text() == expected
    assert json.loads((tmp_path / "out.json").read_text())["solutions"] == []
    assert json.loads((tmp_path / "out.geojson").read_text())["features"] == []
    assert (tmp_path / "out.csv").read_text().startswith("instance,status")


def test_the_tally_is_the_summary_of_all():
    found = [
        Solution(name="a", status="solved", cost=0.1),
        Solution(name="b", status="solved", cost=1e16),
        Solution(name="c", status="solved", cost=-1e16),
        Solution(name="d", status="infeasible", code="X", error="x"),
    ]
    for part in (found, found[:1], [], [Solution(name="w", status="solved", cost=784)]):
        tally = Tally([])
        for solution in part:
            tally.add(solution)
        assert tally.summary(2.0, "fast") == summarise(part, 2.0, "fast")
        assert type(tally.cost) is type(summarise(part, 2.0, "fast").cost)


def test_who_constructed_is_reported():
    models = [
        ModelInfo(name=name, sha256="0", train_sizes=(20, 120), backend="onnx", device="cpu")
        for name in ("base", "variants")
    ]
    for makers, text, model in (
        ([], "", None),
        ([None], "", None),
        (["base", "base"], "base (onnx, cpu)", "base"),
        (["variants"], "variants (onnx, cpu)", "variants"),
        (["savings", "savings"], "none: savings", None),
        (["savings", "insertion"], "none: savings for 1, insertion for 1", None),
        (
            ["savings", "variants", "base", "savings"],
            "base (onnx, cpu) for 1, variants (onnx, cpu) for 1, savings for 2",
            "base",
        ),
    ):
        tally = Tally(models)
        for maker in makers:
            tally.add(Solution(name="a", status="solved", cost=1, constructor=maker))
        assert tally.constructed() == text
        assert (tally.model() or {}).get("name") == model


def test_output_that_cannot_be_written(many, tmp_path):
    (tmp_path / "out.json.part").mkdir()
    assert "cannot be written" in solve(many, "-o", tmp_path / "out.json", code=8).stderr


@pytest.mark.skipif(sys.platform == "win32", reason="has no such locks")
@pytest.mark.parametrize("name", ["s.json", "s.jsonl", "s.csv", "s.xlsx", "s/", "s.sol"])
def test_an_output_that_another_run_is_writing_is_refused(many, tmp_path, name):
    place = tmp_path / f"{name.strip('/')}.part"
    folder = name in ("s/", "s.sol")  # of several instances
    with claimed(place, folder=folder):
        (place / "0-a.sol" if folder else place).write_text("of the other run")
        before = names(place) if folder else place.read_text()
        said = solve(many, "-o", f"{tmp_path}/{name}", code=8).stderr
        assert f"{place}: another run is writing it; wait until it ends" in said.replace("\n", "")
        assert (names(place) if folder else place.read_text()) == before
    solve(many, "-o", f"{tmp_path}/{name}")
    assert not place.exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
def test_a_full_disk_is_reported(many):
    assert "cannot be written" in solve(many, "-o", "/dev/full", code=8).stderr


def test_a_device_is_written_itself(many):
    solve(many, "-o", "/dev/null")


def test_a_mean_gap_is_over_those_with_a_reference():
    tally = Tally([])
    assert tally.mean_gap() == "no instance has a reference cost"
    for gap in (0.01, None, 0.02):
        tally.add(Solution(name="a", status="solved", cost=1, gap=gap))
    assert tally.mean_gap() == "1.5000% (mean of 2)"


@pytest.mark.parametrize(
    ("name", "form", "said"),
    [("folder", "json", "folder: cannot be written: it is a folder"),
     ("file", "sol", "file: cannot be written: not a folder"),
     ("none/a", "json", "none/a: cannot be written: its folder does not exist"),
     ("folder/..", "sol", "folder/..: cannot be written: it has no name; name a new folder, such")],
)  # fmt: skip
def test_places_of_another_kind_are_refused_before_solving(many, tmp_path, name, form, said):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("kept")
    assert said in one_line(solve(many, "-o", tmp_path / name, "--format", form, code=8).stderr)
    assert names(tmp_path) == ["file", "folder", "many.jsonl"]


def test_the_folder_where_one_is_has_no_name(many):
    said = one_line(solve(many, "-o", ".", code=8).stderr)
    assert "error: .: cannot be written: it has no name; name a new folder, such as" in said
