"""What `vrp solve --engine ray` refuses before there is any cluster."""

import pytest
from typer.testing import CliRunner

from vrpcore.cli.main import app
from vrpcore.formats.solutions import read_solutions
from vrpcore.referee.referee import check_solution
from vrpcore.solve import answer

pytest.importorskip("ray.data")

from vrpcore.cli import solve_ray
from vrpcore.cluster.ray_engine import ChunkSolver

GOOD = '{"capacity": 9, "depot": [0, 0], "coords": [[1, 0]], "demands": [3]}\n'


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--time-limit", "3"], "--time-limit: cannot be used with --engine ray"),
        (["--matrix", "osrm=http://x"], "--matrix: cannot be used with --engine ray"),
        (["--speed", "9"], "--speed: cannot be used with --engine ray"),
        (["--shard", "1/2"], "--shard: cannot be used with --engine ray"),
        (["--format", "csv"], "needs -o FOLDER and --format jsonl or --format parquet"),
        (["-"], "give files that all machines can open"),
    ],
)
def test_what_is_not_for_a_cluster(tmp_path, arguments, words):
    (tmp_path / "in.jsonl").write_text(GOOD)
    command = ["solve", str(tmp_path / "in.jsonl"), "--engine", "ray", "--format", "jsonl"]
    command += ["-o", str(tmp_path / "out"), *arguments]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 3
    assert words in " ".join(done.stderr.split())


def test_a_folder_that_holds_something_is_kept(tmp_path):
    (tmp_path / "in.jsonl").write_text(GOOD)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("")
    command = ["solve", str(tmp_path / "in.jsonl"), "--engine", "ray", "--format", "jsonl"]
    done = CliRunner().invoke(app, [*command, "-o", str(tmp_path / "out")])
    assert done.exit_code == 8
    assert "choose another folder" in " ".join(done.stderr.split())


def test_parquet_is_of_the_cluster_alone(tmp_path):
    (tmp_path / "in.jsonl").write_text(GOOD)
    command = ["solve", str(tmp_path / "in.jsonl"), "--format", "parquet"]
    done = CliRunner().invoke(app, [*command, "-o", str(tmp_path / "out")])
    assert done.exit_code == 2
    assert "--engine ray" in done.stderr


def test_actors_are_of_the_cluster_alone(tmp_path):
    (tmp_path / "in.jsonl").write_text(GOOD)
    done = CliRunner().invoke(app, ["solve", str(tmp_path / "in.jsonl"), "--actors", "2"])
    assert done.exit_code == 2
    assert "--engine ray" in done.stderr


def in_this_process(chunks, request):
    yield from map(ChunkSolver(request).solve, chunks)


def test_a_part_that_ends_its_workers_costs_no_other(tmp_path, monkeypatch):
    def attempted(chunks, request):
        # Workers have ended before the first part had answers.
        (request.folder / ".unfinished-part-0000000.jsonl.attempts").write_text("...")
        yield from in_this_process(chunks, request)

    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for file in files:
        file.write_text(GOOD)
    command = ["solve", *map(str, files), "--engine", "ray", "--format", "jsonl", "--resume"]
    command += ["--improve", "none", "--device", "cpu", "-o", str(tmp_path / "out")]
    monkeypatch.setattr(solve_ray, "solve_chunks", attempted)
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 1
    said = " ".join(done.stderr.split())
    assert f"part-0000000.jsonl ({files[0]}: instances[0] to [0]): 3 attempts have" in said
    assert f"all other parts are in {tmp_path / 'out.part'}; run again with --resume" in said
    assert (tmp_path / "out.part" / "part-0000001.jsonl").exists()
    monkeypatch.setattr(solve_ray, "solve_chunks", in_this_process)
    assert CliRunner().invoke(app, command).exit_code == 0
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["part-0000000.jsonl", "part-0000001.jsonl", "run.json", "summary.json"]


def test_a_broken_file_costs_no_other(tmp_path, monkeypatch):
    (tmp_path / "notes.txt").write_text("hello world")
    (tmp_path / "in.jsonl").write_text(GOOD)
    broken, good = str(tmp_path / "notes.txt"), str(tmp_path / "in.jsonl")
    monkeypatch.setattr(solve_ray, "solve_chunks", in_this_process)
    options = ["--engine", "ray", "--format", "jsonl", "--improve", "none", "--device", "cpu"]
    done = CliRunner().invoke(app, ["solve", broken, good, *options, "-o", str(tmp_path / "out")])
    assert done.exit_code == 4
    assert "hello world" in done.stderr
    (answer,) = read_solutions(tmp_path / "out" / "part-0000000.jsonl")
    assert (answer.name, answer.status) == ("instance-0", "solved")
    done = CliRunner().invoke(app, ["solve", broken, *options, "-o", str(tmp_path / "none")])
    assert done.exit_code == 4
    assert not (tmp_path / "none.part").exists()


def test_an_internal_error_is_said_and_ends_the_run_with_1(tmp_path, monkeypatch):
    def check(instance, solution):
        if instance.name in ("instance-1", "instance-2"):
            raise RuntimeError("boom")
        return check_solution(instance, solution)

    monkeypatch.setattr(solve_ray, "solve_chunks", in_this_process)
    monkeypatch.setattr(answer, "check_solution", check)
    (tmp_path / "in.jsonl").write_text(3 * GOOD + '{"capacity": -1}\n')
    command = ["solve", str(tmp_path / "in.jsonl"), "--engine", "ray", "--format", "jsonl"]
    command += ["--improve", "none", "--device", "cpu", "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 1
    said = " ".join(done.stderr.split())
    assert "error: instance-1: a bug in vrp, please report it with the instance" in said
    assert "boom (and 1 more of its part)" in said
    found = read_solutions(tmp_path / "out" / "part-0000000.jsonl")
    assert [each.code for each in found] == [None, "INTERNAL", "INTERNAL", "OUT_OF_RANGE"]
