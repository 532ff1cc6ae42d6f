"""What `vrp solve --engine ray` refuses before there is any cluster."""

import pytest

from tests.cli.runs import names, one_line, vrp
from vrpcore.formats.solutions import read_solutions
from vrpcore.referee.referee import check_solution
from vrpcore.solve import answer

pytest.importorskip("ray.data")

from vrpcore.cli import solve_ray
from vrpcore.cluster.ray_engine import ChunkSolver

GOOD = '{"capacity": 9, "depot": [0, 0], "coords": [[1, 0]], "demands": [3]}\n'
LINES = ["--engine", "ray", "--format", "jsonl"]
ALONE = [*LINES, "--improve", "none", "--device", "cpu"]


@pytest.fixture
def source(tmp_path):
    """A file of one instance."""
    (tmp_path / "in.jsonl").write_text(GOOD)
    return tmp_path / "in.jsonl"


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


def in_this_process(chunks, request):
    yield from map(ChunkSolver(request).solve, chunks)


@pytest.fixture
def here(monkeypatch):
    """Parts are solved in this process."""
    monkeypatch.setattr(solve_ray, "solve_chunks", in_this_process)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([*LINES, "--time-limit", 3], 3, "--time-limit: cannot be used with --engine ray"),
        ([*LINES, "--matrix", "osrm=http://x"], 3, "--matrix: cannot be used with --engine ray"),
        ([*LINES, "--speed", 9], 3, "--speed: cannot be used with --engine ray"),
        ([*LINES, "--shard", "1/2"], 3, "--shard: cannot be used with --engine ray"),
        (["--engine", "ray", "--format", "csv"], 3, "needs -o FOLDER and --format jsonl or --form"),
        ([*LINES, "-"], 3, "give files that all machines can open"),
        (["--format", "parquet"], 2, "parquet needs --engine ray"),
        (["--actors", 2], 2, "actors need --engine ray"),
    ],
)
def test_what_is_not_for_a_cluster_or_for_it_alone(source, out, arguments, code, words):
    assert words in one_line(vrp("solve", source, "-o", out, *arguments, code=code).stderr)


def test_a_folder_that_holds_something_is_kept(source, out):
    out.mkdir()
    (out / "mine").write_text("")
    said = one_line(vrp("solve", source, *LINES, "-o", out, code=8).stderr)
    assert "choose another folder" in said


def test_a_part_that_ends_its_workers_costs_no_other(tmp_path, out, monkeypatch):
    def attempted(chunks, request):
        # Workers have ended before the first part had answers.
        (request.folder / ".unfinished-part-0000000.jsonl.attempts").write_text("...")
        yield from in_this_process(chunks, request)

    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for file in files:
        file.write_text(GOOD)
    command = ["solve", *files, *ALONE, "--resume", "-o", out]
    monkeypatch.setattr(solve_ray, "solve_chunks", attempted)
    said = one_line(vrp(*command, code=1).stderr)
    assert f"part-0000000.jsonl ({files[0]}: instances[0] to [0]): 3 attempts have" in said
    assert f"all other parts are in {out}.part; run again with --resume" in said
    assert (tmp_path / "out.part" / "part-0000001.jsonl").exists()
    monkeypatch.setattr(solve_ray, "solve_chunks", in_this_process)
    vrp(*command)
    assert names(out) == ["part-0000000.jsonl", "part-0000001.jsonl", "run.json", "summary.json"]


@pytest.mark.usefixtures("here")
def test_a_broken_file_costs_no_other(tmp_path, source, out):
    broken = tmp_path / "notes.txt"
    broken.write_text("hello world")
    assert "hello world" in vrp("solve", broken, source, *ALONE, "-o", out, code=4).stderr
    (answer,) = read_solutions(out / "part-0000000.jsonl")
    assert (answer.name, answer.status) == ("instance-0", "solved")
    vrp("solve", broken, *ALONE, "-o", tmp_path / "none", code=4)
    assert not (tmp_path / "none.part").exists()


@pytest.mark.usefixtures("here")
def test_an_internal_error_is_said_and_ends_the_run_with_1(source, out, monkeypatch):
    def check(instance, solution):
        if instance.name in ("instance-1", "instance-2"):
            raise RuntimeError("boom")
        return check_solution(instance, solution)

    monkeypatch.setattr(answer, "check_solution", check)
    source.write_text(3 * GOOD + '{"capacity": -1}\n')
    said = one_line(vrp("solve", source, *ALONE, "-o", out, code=1).stderr)
    assert "error: instance-1: a bug in vrp, please report it with the instance" in said
    assert "boom (and 1 more of its part)" in said
    found = read_solutions(out / "part-0000000.jsonl")
    assert [each.code for each in found] == [None, "INTERNAL", "INTERNAL", "OUT_OF_RANGE"]
