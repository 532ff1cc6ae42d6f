"""`vrp solve`: formats, shards, resuming, warm starts, gaps, and what is kept."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from vrpcore.cli.main import app
from vrpcore.cli.solve_output import Tally
from vrpcore.cost.routes import route_cost
from vrpcore.formats.jsonio import read_instances
from vrpcore.formats.solutionio import read_solutions
from vrpcore.instance.solution import Solution, summarise

ONE = {"capacity": 5, "depot": [0, 0], "coords": [[3, 4], [3, 0]], "demands": [2, 3]}
BAD = {**ONE, "capacity": -4, "name": "bad"}


def solve(*arguments, code=0, stdin=None):
    """Solves with the policy alone, in this process; stdout."""
    fixed = ["solve", "--device", "cpu", "--improve", "none"]
    result = CliRunner().invoke(app, [*fixed, *map(str, arguments)], input=stdin)
    assert result.exit_code == code, (result.exit_code, result.output, result.exception)
    return result


def named(count, **more):
    rng = range(1, count + 1)
    return [
        {**ONE, "name": f"i{k}", "coords": [[3, k], [k, 1], [2, -k]], "demands": [2, 3, 4], **more}
        for k in rng
    ]


def lines(instances):
    return "".join(f"{json.dumps(item)}\n" for item in instances)


@pytest.fixture
def many(tmp_path):
    file = tmp_path / "many.jsonl"
    file.write_text(lines(named(11)))
    return file


def names(path):
    return sorted(item.name for item in path.iterdir())


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


def test_the_ending_sol_is_a_file_for_one_instance_and_a_folder_for_several(tmp_path, many):
    source, out = tmp_path / "one.json", tmp_path / "one.sol"
    source.write_text(json.dumps(ONE))
    solve(source, "-o", out)
    assert out.read_text().startswith("Route #1: ")
    solve(many, "-o", tmp_path / "two.sol")
    assert len(names(tmp_path / "two.sol")) == 11
    solve(source, "-o", tmp_path / "three.sol", "--format", "sol")
    assert names(tmp_path / "three.sol") == ["0-instance-0.sol"]
    source.write_text(json.dumps(BAD))
    solve(source, "-o", tmp_path / "bad.sol", code=4)
    left = ["many.jsonl", "one.json", "one.sol", "three.sol", "two.sol"]
    assert names(tmp_path) == left


def test_an_empty_list_is_an_empty_answer_in_each_format(tmp_path):
    for ending, expected in (("jsonl", ""), ("csv", None), ("json", None), ("geojson", None)):
        out = tmp_path / f"out.{ending}"
        solve("-", "-o", out, stdin="[]")
        if expected is not None:
            assert out.read_text() == expected
    assert json.loads((tmp_path / "out.json").read_text())["solutions"] == []
    assert json.loads((tmp_path / "out.geojson").read_text())["features"] == []
    assert (tmp_path / "out.csv").read_text().startswith("instance,status")


def test_shards_together_are_the_whole(many, tmp_path):
    whole = solve(many, "--format", "jsonl").stdout.splitlines()
    parts = []
    for part in range(1, 5):
        out = tmp_path / f"{part}.jsonl"
        solve(many, "-o", out, "--shard", f"{part}/4")
        parts.append(out.read_text().splitlines())
    assert [len(part) for part in parts] == [3, 3, 3, 2]
    joined = [parts[position % 4][position // 4] for position in range(11)]
    assert joined == whole


def test_default_names_and_places_are_those_of_the_whole_input():
    text = lines([ONE, {**ONE, "capacity": -1}, ONE])
    shown = solve("-", "--format", "jsonl", "--shard", "2/2", stdin=text, code=4).stdout
    assert json.loads(shown)["name"] == "instance-1"
    assert json.loads(shown)["error"].startswith("instances[1].capacity")


@pytest.mark.parametrize("shard", ["0/4", "5/4", "1", "a/b", "1/0", "-1/3"])
def test_impossible_shards(many, shard):
    assert "--shard" in solve(many, "--shard", shard, code=2).stderr


def part_way(many, out, count, torn=""):
    """What a run leaves that is killed after so many answers."""
    whole = solve(many, "--format", "jsonl").stdout
    done = "".join(whole.splitlines(keepends=True)[:count])
    out.with_name(f"{out.name}.part").write_text(done + torn)
    return whole


@pytest.mark.parametrize("torn", ["", '{"name": "i5", "stat', '{"name": "i5", "status": "solved"}'])
@pytest.mark.parametrize("count", [0, 4, 11])
def test_resume_goes_on_behind_the_last_whole_line(many, tmp_path, torn, count):
    out = tmp_path / "out.jsonl"
    whole = part_way(many, out, count, torn)
    result = solve(many, "-o", out, "--resume")
    assert out.read_text() == whole
    assert "solved  11 of 11" in result.stderr
    assert names(tmp_path) == ["many.jsonl", "out.jsonl"]


def test_resume_of_a_shard(many, tmp_path):
    out = tmp_path / "out.jsonl"
    solve(many, "-o", out, "--shard", "3/4")
    whole = out.read_text()
    out.unlink()
    (tmp_path / "out.jsonl.part").write_text(whole[: whole.index("\n") + 5])
    solve(many, "-o", out, "--shard", "3/4", "--resume")
    assert out.read_text() == whole


def test_resume_without_a_part_begins_and_a_whole_file_is_left(many, tmp_path):
    out = tmp_path / "out.jsonl"
    solve(many, "-o", out, "--resume")
    written = out.stat().st_mtime_ns
    result = solve(many, "-o", out, "--resume")
    assert "already complete, nothing to resume" in result.stderr
    assert out.stat().st_mtime_ns == written


def test_a_part_of_another_input_is_refused(many, tmp_path):
    out, part = tmp_path / "out.jsonl", tmp_path / "out.jsonl.part"
    part_way(many, out, 4)
    other = tmp_path / "other.jsonl"
    other.write_text(lines([*named(2), {**ONE, "name": "x"}, *named(9)]))
    before = part.read_text()
    result = solve(other, "-o", out, "--resume", code=4)
    assert "line 3 answers 'i3', but the input has 'x' there" in " ".join(result.stderr.split())
    assert part.read_text() == before
    other.write_text(lines(named(2)))
    assert "no instance is left" in solve(other, "-o", out, "--resume", code=4).stderr
    part.write_text('{"name": "i1", "status": "well"}\n')
    assert "line 1" in solve(many, "-o", out, "--resume", code=4).stderr


@pytest.mark.parametrize(
    "arguments", [[], ["-o", "out.json"], ["-o", "o.jsonl", "--format", "csv"]]
)
def test_resume_needs_lines_in_a_file(many, arguments):
    assert "--resume" in solve(many, *arguments, "--resume", code=2).stderr


def test_resume_after_the_program_was_killed(tmp_path):
    many, out, part = (tmp_path / name for name in ("many.jsonl", "s.jsonl", "s.jsonl.part"))
    many.write_text(lines(named(900)))
    command = [sys.executable, "-m", "vrpcore.cli", "solve", str(many), "-o", str(out)]
    command += ["--device", "cpu", "--workers", "1", "-q"]
    process = subprocess.Popen(command)
    deadline = time.monotonic() + 120
    while not part.exists() or part.read_bytes().count(b"\n") < 20:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=60)
    kept = part.read_bytes()
    assert not out.exists()
    subprocess.run([*command, "--resume"], check=True, timeout=300)
    whole = out.read_bytes()
    assert whole.startswith(kept[: kept.rindex(b"\n") + 1])
    assert [item.name for item in read_solutions(out)] == [f"i{k}" for k in range(1, 901)]
    assert names(tmp_path) == ["many.jsonl", "s.jsonl"]


def test_what_stood_before_a_broken_end_is_solved(tmp_path):
    whole = gzip.compress(lines(named(3000)).encode())
    (tmp_path / "torn.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    good = tmp_path / "good.json"
    good.write_text(json.dumps(ONE))
    out = tmp_path / "out.jsonl"
    result = solve(tmp_path / "torn.jsonl.gz", good, "-o", out, code=4)
    assert result.stderr.count("truncated gzip") == 1
    answers = read_solutions(out)
    assert 100 < len(answers) < 3000
    assert answers[-1].name == f"instance-{len(answers) - 1}"


def test_a_document_that_breaks_at_its_end_counts_as_nothing(tmp_path):
    text = json.dumps(named(400))
    (tmp_path / "torn.json").write_text(text[:-1] + ", ?]")
    good = tmp_path / "good.json"
    good.write_text(json.dumps(ONE))
    out = tmp_path / "out.json"
    solve(tmp_path / "torn.json", "-o", out, code=4)
    assert not out.exists()
    solve(tmp_path / "torn.json", good, "-o", out, code=4)
    (answer,) = read_solutions(out)
    assert answer.name == "instance-0"


PIPED = [sys.executable, "-m", "vrpcore.cli", "solve", "-", "--format", "jsonl", "-q"]
PIPED += ["--improve", "none", "--device", "cpu"]


@pytest.mark.parametrize("packed", [False, True])
def test_lines_from_stdin(packed):
    text = lines(named(300)).encode()
    sent = gzip.compress(text) if packed else text
    result = subprocess.run(PIPED, input=sent, capture_output=True, timeout=120, check=True)
    found = [json.loads(line)["name"] for line in result.stdout.splitlines()]
    assert found == [f"i{k}" for k in range(1, 301)]


def test_a_reader_that_leaves_early_ends_it_quietly(tmp_path):
    (tmp_path / "many.jsonl").write_text(lines(named(3000)))
    with (tmp_path / "many.jsonl").open() as source:
        process = subprocess.Popen(
            PIPED, stdin=source, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
    assert json.loads(process.stdout.readline())["name"] == "i1"
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(timeout=120) == 0


def test_warm_starts_are_never_made_worse(many, tmp_path):
    best, warm = tmp_path / "best.jsonl", tmp_path / "warm.jsonl"
    CliRunner().invoke(app, ["solve", str(many), "-o", str(best), "--device", "cpu"])
    costs = [answer.cost for answer in read_solutions(best)]
    solve(many, "-o", warm, "--warm-start", best, "--decode", "greedy")
    found = [answer.cost for answer in read_solutions(warm)]
    assert all(cost <= known for cost, known in zip(found, costs, strict=True))
    solve(many, "-o", warm, "--warm-start", best, "--shard", "2/4")
    assert [answer.cost for answer in read_solutions(warm)] == found[1::4]


def test_a_warm_start_that_does_not_fit_is_told(many, tmp_path):
    other = tmp_path / "other.jsonl"
    other.write_text(lines([ONE]))
    solve(other, "-o", tmp_path / "warm.json")
    result = solve(many, "--warm-start", tmp_path / "warm.json", "--format", "jsonl")
    first, second = map(json.loads, result.stdout.splitlines()[:2])
    assert first["warnings"][-1] == "WARM_START_IGNORED"
    assert "WARM_START_IGNORED" not in second["warnings"]
    assert "i1: warm start ignored" in result.stderr
    assert "1 warm starts for 11 instances" in result.stderr


def test_known_routes_of_the_input_are_used(tmp_path):
    plain = named(1)[0]
    customers = [
        {"id": key, "x": x, "y": y, "demand": 1}
        for key, (x, y) in zip("abc", plain["coords"], strict=True)
    ]
    instance = {"capacity": 9, "depot": [0, 0], "customers": customers, "routes": [["b", "a", "c"]]}
    shown = solve("-", "--starts", "1", stdin=json.dumps(instance)).stdout
    (answer,) = json.loads(shown)["solutions"]
    (problem,) = read_instances(json.dumps(instance).encode())
    assert answer["cost"] <= route_cost(problem, [2, 1, 3])


def test_gaps_to_the_best_known(many, tmp_path):
    costs = [answer["cost"] for answer in map(json.loads, solve_lines(many))]
    bks = tmp_path / "bks.json"
    bks.write_text(json.dumps({"i1": costs[0] / 2, "i2": costs[1], "unknown": 1}))
    result = solve(many, "--bks", bks, "--format", "jsonl")
    gaps = [json.loads(line)["gap"] for line in result.stdout.splitlines()]
    assert gaps[:3] == [pytest.approx(1.0), 0.0, None]
    assert "50.0000% (mean of 2)" in result.stderr


def solve_lines(many):
    return solve(many, "--format", "jsonl").stdout.splitlines()


def test_the_tally_is_the_summary_of_all():
    found = [
        Solution(name="a", status="solved", cost=0.1),
        Solution(name="b", status="solved", cost=1e16),
        Solution(name="c", status="solved", cost=-1e16),
        Solution(name="d", status="infeasible", code="X", error="x"),
    ]
    for part in (found, found[:1], [], [Solution(name="w", status="solved", cost=784)]):
        tally = Tally()
        for solution in part:
            tally.add(solution)
        assert tally.summary(2.0, "fast") == summarise(part, 2.0, "fast")
        assert type(tally.cost) is type(summarise(part, 2.0, "fast").cost)


def test_output_that_cannot_be_written(many, tmp_path):
    assert "no/such" in solve(many, "-o", "no/such/a.json", code=8).stderr
    (tmp_path / "out.json.part").mkdir()
    assert "cannot be written" in solve(many, "-o", tmp_path / "out.json", code=8).stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
def test_a_full_disk_is_told(many):
    assert "cannot be written" in solve(many, "-o", "/dev/full", code=8).stderr


def test_a_device_is_written_itself(many):
    solve(many, "-o", "/dev/null")


def test_other_engines_are_not_known(many):
    assert "--engine" in solve(many, "--engine", "spark", code=2).stderr


def test_a_time_limit_writes_everything(many, tmp_path):
    for improve in ("none", "fast"):
        out = tmp_path / f"{improve}.jsonl"
        solve(many, "-o", out, "--time-limit", "0", "--improve", improve)
        assert [item.name for item in read_solutions(out)] == [f"i{k}" for k in range(1, 12)]


def check(*files):
    return CliRunner().invoke(app, ["check", *map(str, files)])


def test_a_folder_of_sol_files_is_checked(tmp_path):
    names = [{"name": "a", "capacity": 9, "depot": [0, 0], "customers": []}]
    names[0]["customers"] = [{"id": "x", "x": 1, "y": 0, "demand": 3}]
    names += [{**names[0], "name": "b", "capacity": -1}, {**names[0], "name": "c"}]
    source, folder = tmp_path / "in.json", tmp_path / "out"
    source.write_text(json.dumps(names))
    solve(source, "-o", folder, "--format", "sol", code=4)
    assert sorted(file.name for file in folder.iterdir()) == ["0-a.sol", "2-c.sol"]
    checked = check(source, folder)
    assert checked.exit_code == 0, checked.output
    (folder / "2-c.sol").write_text("Route #1: 1\nCost 3\n")
    wrong = check(source, folder)
    assert wrong.exit_code == 6
    assert "cost: 3, expected 2.0" in wrong.output
    (folder / "7-z.sol").write_text("Route #1: 1\nCost 2\n")
    assert "there are only 3 instances" in check(source, folder).output
