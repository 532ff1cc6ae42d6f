"""`vrp solve`: its arguments, and the program as a process."""

import gzip
import json
import signal
import subprocess
import sys

import pytest

from tests.cli.runs import BAD, ONE, lines, named, names, one_line, solve, vrp
from tests.vrpcore.serve.process import until
from vrpcore.formats.solutions import read_solutions


@pytest.mark.parametrize("shard", ["0/4", "5/4", "1", "a/b", "1/0", "-1/3"])
def test_impossible_shards(many, shard):
    assert "--shard" in solve(many, "--shard", shard, code=2).stderr


@pytest.mark.parametrize(
    "arguments", [[], ["-o", "out.json"], ["-o", "o.jsonl", "--format", "csv"]]
)
def test_resume_needs_lines_in_a_file(many, arguments):
    assert "--resume" in solve(many, *arguments, "--resume", code=2).stderr


@pytest.mark.parametrize("option", [None, "--bks", "--fleet", "--matrix"])
def test_an_input_is_not_replaced(many, tmp_path, option):
    other, linked = tmp_path / "other.jsonl", tmp_path / "linked.jsonl"
    other.write_text("{}")
    file = many if option is None else other
    linked.symlink_to(file)
    named_so = f"osm={file}" if option == "--matrix" else file
    kept = file.read_bytes()
    for output in (file, linked):
        given = [] if option is None else [option, named_so]
        said = one_line(solve(many, *given, "-o", output, code=2).stderr)
        assert "is an input, which would be replaced; name another file" in said
        assert "--output" in said
    assert file.read_bytes() == kept


def test_a_plan_may_be_replaced_by_a_better_one(many, tmp_path):
    plan = tmp_path / "plan.jsonl"
    solve(many, "-o", plan)
    solve(many, "--warm-start", plan, "-o", plan)
    assert len(read_solutions(plan)) == 11


def test_a_plan_is_not_replaced_by_an_error(tmp_path):
    """Of a warm start every instance must have routes, of any other file one."""
    good, bad, plan = (tmp_path / name for name in ("good.jsonl", "bad.jsonl", "plan.jsonl"))
    good.write_text(lines(named(2)))
    solve(good, "-o", plan)
    kept, part = plan.read_bytes(), tmp_path / "plan.jsonl.part"
    begins = ["--warm-start", plan]
    bad.write_text(lines([*named(1), BAD]))
    said = one_line(solve(bad, *begins, "-o", plan, "-q", code=4).stderr)
    words = "not replaced, because not all that was read has an answer in routes; what was found"
    assert said.endswith(f"{plan}: {words} is in {part}")
    assert plan.read_bytes() == kept
    assert [each.status for each in read_solutions(part)] == ["solved", "invalid"]
    solve(good, bad.with_name("none.jsonl"), *begins, "-o", plan, code=8)
    assert plan.read_bytes() == kept
    bad.write_text(lines([BAD]))
    assert words in one_line(solve(bad, "-o", plan, code=4).stderr)
    assert plan.read_bytes() == kept
    solve(good, *begins, "-o", plan)
    assert len(read_solutions(plan)) == 2 and not part.exists()
    other = tmp_path / "other.jsonl"
    for text in ("no plan", lines([{"name": "x", "status": "invalid"}])):
        other.write_text(text)
        solve(bad, "-o", other, code=4)
        assert [each.status for each in read_solutions(other)] == ["invalid"]
    solve(good, bad, "-o", plan, code=4)
    assert [each.status for each in read_solutions(plan)] == ["solved", "solved", "invalid"]


def test_a_linked_output_stays_a_link(many, tmp_path):
    (tmp_path / "out").mkdir()
    file, linked = tmp_path / "out" / "real.jsonl", tmp_path / "linked.jsonl"
    file.write_text("old")
    linked.symlink_to(file)
    solve(many, "-o", linked)
    assert linked.is_symlink()
    assert len(read_solutions(file)) == 11
    assert names(tmp_path / "out") == ["real.jsonl"]


def test_resume_after_the_program_was_killed(tmp_path):
    many, out, part = (tmp_path / name for name in ("many.jsonl", "s.jsonl", "s.jsonl.part"))
    many.write_text(lines(named(900)))
    command = [sys.executable, "-m", "vrpcore.cli", "solve", str(many), "-o", str(out)]
    command += ["--device", "cpu", "--workers", "1", "-q"]
    process = subprocess.Popen(command)
    until(lambda: part.exists() and part.read_bytes().count(b"\n") >= 20)
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=60)
    kept = part.read_bytes()
    assert not out.exists()
    subprocess.run([*command, "--resume"], check=True, timeout=300)
    whole = out.read_bytes()
    assert whole.startswith(kept[: kept.rindex(b"\n") + 1])
    assert [item.name for item in read_solutions(out)] == [f"i{k}" for k in range(1, 901)]
    assert names(tmp_path) == ["many.jsonl", "s.jsonl"]


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
    assert process.stderr.read() == "the reader of stdout left before the end\n"
    process.stderr.close()
    assert process.wait(timeout=120) == 141


def test_fewest_vehicles_are_asked_for_by_a_flag(tmp_path):
    source = tmp_path / "in.json"
    source.write_text(json.dumps(ONE))
    document = json.loads(vrp("solve", source, "--fewest-vehicles").stdout)
    assert [len(item["routes"]) for item in document["solutions"]] == [1]
    refused = vrp("solve", source, "--fewest-vehicles", "--improve", "none", code=3)
    assert "fewest_vehicles: needs a search" in refused.stderr
