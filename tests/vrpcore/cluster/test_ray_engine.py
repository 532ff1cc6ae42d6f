"""Solving on a Ray cluster of this machine, with and without the loss of a worker."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("ray.data")
pq = pytest.importorskip("pyarrow.parquet")

from tests.cli.runs import ONE  # noqa: E402
from vrpcore.api import SolveOptions, Solver, read_instances  # noqa: E402
from vrpcore.cluster import ray_engine  # noqa: E402
from vrpcore.cluster.chunks import plan_chunks  # noqa: E402
from vrpcore.cluster.ray_engine import (  # noqa: E402
    MOST_ATTEMPTS,
    ChunkSolver,
    RayRequest,
    read_part,
    sent_to_workers,
)
from vrpcore.formats.answers.solution_json import solution_to_line  # noqa: E402
from vrpcore.referee.referee import check_solution  # noqa: E402
from vrpcore.solve import answer  # noqa: E402

pytestmark = pytest.mark.slow


def solve(folder, *arguments, code=0):
    command = [sys.executable, "-m", "vrpcore.cli", "solve", *arguments, "--engine", "ray"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=300)
    assert done.returncode == code, done.stderr[-3000:]
    return done.stderr


def generate(folder, name, count, size=20):
    command = [sys.executable, "-m", "vrpcore.cli", "generate", "--n", str(size), "-q"]
    subprocess.run([*command, "--count", str(count), "-o", name], check=True, cwd=folder)


def answers(folder):
    return [answer for part in sorted(folder.glob("part-*")) for answer in read_part(part)]


def workers():
    """Processes of actors that hold a model."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "cmdline").read_bytes().startswith(b"ray::MapWorker"):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    """A folder with 40 instances, one that is invalid, and their answers in both formats."""
    folder = tmp_path_factory.mktemp("solved")
    generate(folder, "in.jsonl", 40)
    text = (folder / "in.jsonl").read_text() + '{"capacity": -1}\n'
    (folder / "in.jsonl").write_text(text)
    for kind in ("jsonl", "parquet"):
        said = solve(folder, "in.jsonl", "-o", kind, "--format", kind, "--improve", "none", code=4)
        assert "solved  40 of 41" in said
    return folder


def test_workers_get_absolute_paths(tmp_path, monkeypatch):
    """They run in folders of their own."""
    monkeypatch.chdir(tmp_path)
    for name in ("in.jsonl", "base", "own.pt"):
        Path(name).write_text(json.dumps(ONE) + "\n")
    chunks = list(plan_chunks(["in.jsonl"], pytest.fail))
    for model, sent in (
        (None, None), ("base", "base"), ("none", "none"), ("own.pt", str(tmp_path / "own.pt")),
    ):  # fmt: skip
        request = RayRequest(
            folder=Path("out.part"), parts="jsonl", model=model, device="cpu",
            options=SolveOptions(),
        )  # fmt: skip
        (row,), found = sent_to_workers(chunks, request)
        assert (found.folder, found.model) == (tmp_path / "out.part", sent)
        assert (row["file"], row["count"]) == (str(tmp_path / "in.jsonl"), 1)


def test_the_answers_of_one_machine_in_both_formats(solved):
    expected = Solver().solve(read_instances(solved / "in.jsonl"), improve="none")
    for kind in ("jsonl", "parquet"):
        found = answers(solved / kind)
        assert [answer.name for answer in found] == [answer.name for answer in expected]
        assert [answer.cost for answer in found] == [answer.cost for answer in expected]
    table = pq.read_table(next((solved / "parquet").glob("*.parquet")))
    assert table.column("status").to_pylist() == 40 * ["solved"] + ["invalid"]
    assert json.loads((solved / "jsonl" / "summary.json").read_text())["solved"] == 40


def test_a_killed_worker_costs_no_answer_and_doubles_none(tmp_path):
    generate(tmp_path, "in.jsonl", 9000)
    killed = []

    def kill():
        end = time.monotonic() + 200
        while time.monotonic() < end and not killed:
            if any((tmp_path / "out.part").glob("part-*.jsonl")) and (found := workers()):
                os.kill(found[0], signal.SIGKILL)
                killed.append(found[0])
            time.sleep(0.05)

    killer = threading.Thread(target=kill)
    killer.start()
    solve(tmp_path, "in.jsonl", "-o", "out", "--format", "jsonl", "--actors", "2",
          "--improve", "none")  # fmt: skip
    killer.join()
    assert killed
    names = [answer.name for answer in answers(tmp_path / "out")]
    assert names == [item.name for item in read_instances(tmp_path / "in.jsonl")]
    assert not (tmp_path / "out.part").exists()


def test_an_interrupted_run_goes_on(solved, tmp_path):
    shutil.copy(solved / "in.jsonl", tmp_path)
    shutil.copytree(solved / "jsonl", tmp_path / "out")
    whole = answers(tmp_path / "out")
    again = ("-o", "out", "--format", "jsonl", "--improve", "none", "--resume")
    assert "already complete, nothing to resume" in solve(tmp_path, "in.jsonl", *again)
    (tmp_path / "out").rename(tmp_path / "out.part")
    (tmp_path / "out.part" / ".unfinished-0123-part-0000000.jsonl.part").write_text("{")
    solve(tmp_path, "in.jsonl", *again, code=4)
    assert answers(tmp_path / "out") == whole
    assert not list((tmp_path / "out").glob(".*"))
    (tmp_path / "out").rename(tmp_path / "out.part")
    said = solve(tmp_path, "in.jsonl", "-o", "out", "--format", "jsonl", "--resume", code=3)
    assert "contains parts of other input or options" in said


class Killed(BaseException):
    """Stands for the end of the process."""


def test_a_part_that_ends_its_workers_is_given_up(tmp_path, monkeypatch):
    file = tmp_path / "in.jsonl"
    file.write_text(2 * (json.dumps(ONE) + "\n"))
    options = SolveOptions(improve="none", workers=1, threads=1)
    request = RayRequest(folder=tmp_path, parts="jsonl", model=None, device="cpu", options=options)
    (chunk,) = plan_chunks([str(file)], pytest.fail)

    def kill(*_):
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(ray_engine, "write_part", kill)
        for _ in range(MOST_ATTEMPTS):
            with pytest.raises(Killed):
                ChunkSolver(request).solve(chunk)
        found = ChunkSolver(request).solve(chunk)
    assert (found.instances, found.lost) == (
        0, f"part-0000000.jsonl ({file}: instances[0] to [1])"
    )  # fmt: skip
    (left,) = tmp_path.glob(".unfinished-*")
    left.unlink()  # as the next run does
    assert ChunkSolver(request).solve(chunk).solved == 2
    assert not list(tmp_path.glob(".unfinished-*"))


@pytest.mark.parametrize("parts", ["jsonl", "parquet"])
def test_an_internal_error_costs_one_instance_of_a_part(tmp_path, monkeypatch, parts):
    def check(instance, solution):
        if instance.name == "guilty":
            raise RuntimeError("boom")
        return check_solution(instance, solution)

    def writes(solution):
        if solution.name == "unwritten" and solution.routes:
            raise RuntimeError("boom")
        return solution_to_line(solution)

    file = tmp_path / "in.jsonl"
    names = ("a", "guilty", "b", "unwritten")
    file.write_text("".join(json.dumps({**ONE, "name": name}) + "\n" for name in names))
    monkeypatch.setattr(answer, "check_solution", check)
    monkeypatch.setattr(ray_engine, "solution_to_line", writes)
    options = SolveOptions(improve="none", workers=1, threads=1)
    request = RayRequest(folder=tmp_path, parts=parts, model=None, device="cpu", options=options)
    (chunk,) = plan_chunks([str(file)], pytest.fail)
    first = ChunkSolver(request).solve(chunk)
    assert (first.instances, first.solved, first.invalid, first.faults) == (4, 2, 2, 2)
    found = read_part(request.part(0))
    assert [each.code for each in found] == [None, "INTERNAL", None, "INTERNAL"]
    again = ChunkSolver(request).solve(chunk)  # as a resumed run does
    assert (again.solved, again.faults) == (2, 2)
