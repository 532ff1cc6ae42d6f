"""What breaks around a run: what is said, and that nothing finished is lost."""

import contextlib
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import threading
import time

import pytest
import torch

from tests.cli.runs import TINY, lines, one_line, settings, solve, vrp
from tests.vrpcore.roads.standin import status
from tests.vrpcore.serve.process import GOOD, ServerProcess, until
from vrpcore.formats.solutions import read_solutions
from vrpcore.learn.torch_backend import TorchBackend
from vrpcore.roads.road_matrices import Roads
from vrpcore.solve import searching, stream
from vrpcore.solve.models import shipped_models
from vrpcore.solve.order import Task

MANY = 200


@pytest.fixture
def full_disk(monkeypatch):
    """A disk that has room for files of so many bytes."""
    # Modules whose files end early could be loaded by nobody.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    @contextlib.contextmanager
    def full(room_bytes):
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room_bytes, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    return full


@pytest.fixture
def many(tmp_path):
    file = tmp_path / "many.jsonl"
    vrp("generate", "--n", 20, "--count", MANY, "-q", "-o", file)
    return file


def test_a_disk_that_fills_up_keeps_what_is_whole(many, tmp_path, full_disk):
    out, whole = tmp_path / "out.jsonl", tmp_path / "whole.jsonl"
    with full_disk(20_000):
        done = solve(many, "-o", out, code=8)
    assert "cannot be written" in one_line(done.stderr)
    assert not out.exists()
    solve(many, "-o", out, "--resume")
    solve(many, "-o", whole)
    assert out.read_text() == whole.read_text()


def test_a_disk_that_fills_up_keeps_the_last_checkpoint(tmp_path, full_disk):
    folder = tmp_path / "run"
    vrp("train", "--out", folder, *settings(*TINY, "train.steps=4", "train.save_every=2"))
    before = (folder / "last.pt").read_bytes()
    config = (folder / "config.yaml").read_text()
    (folder / "config.yaml").write_text(config.replace("  steps: 4\n", "  steps: 8\n"))
    with full_disk(len(before) // 2):
        done = vrp("train", "--resume", folder, code=8)
    assert "cannot be written" in one_line(done.stderr)
    assert (folder / "last.pt").read_bytes() == before
    vrp("train", "--resume", folder)
    assert (folder / "last.pt").read_bytes() != before


def test_a_folder_that_is_taken_away(many, tmp_path):
    folder = tmp_path / "there"
    folder.mkdir()

    def take():
        until(lambda: any(folder.iterdir()))
        shutil.rmtree(folder)

    taken = threading.Thread(target=take)
    taken.start()
    done = vrp("solve", many, "-o", folder / "out.jsonl", code=8)
    taken.join()
    assert "cannot be written" in one_line(done.stderr)


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs /proc")  # noqa: PTH112
@pytest.mark.parametrize(
    "arguments",
    [
        ["solve", "MANY", "-o", "/proc/out.json"],
        ["solve", "MANY", "-o", "/proc/out", "--format", "sol"],
        ["generate", "-o", "/proc/out.json"],
        ["train", "--out", "/proc/run", "--set", "train.steps=1"],
        ["export", "MODEL", "--torchscript", "-o", "/proc/out.pt"],
        ["serve", "--port", "0", "--jobs", "/proc/jobs.sqlite"],
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_places_that_cannot_be_written(many, arguments):
    names = {"MANY": str(many), "MODEL": str(shipped_models()["base"].checkpoint)}
    done = vrp(*(names.get(each, each) for each in arguments), code=8)
    assert "/proc" in done.stderr


def test_a_device_that_is_lost_in_mid_run(many, tmp_path, monkeypatch):
    out, construct, calls = tmp_path / "out.jsonl", TorchBackend.construct, []
    model = shipped_models()["base"].checkpoint
    command = [many, "--model", model, "--batch", 20, "--threads", 1, "-o"]

    class Lost:
        def construct(self, *_):
            raise torch.AcceleratorError("CUDA error: the launch timed out\nCompile with ...")

    def failing(self, *arguments):
        calls.append(1)
        if len(calls) == 8:
            self.rollout = Lost()
        return construct(self, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(TorchBackend, "construct", failing)
        said = one_line(solve(*command, out, code=7).stderr)
    assert "cpu no longer responds: CUDA error: the launch timed out" in said
    assert "were finished and are kept in" in said
    kept = len((tmp_path / "out.jsonl.part").read_text().splitlines())
    assert 0 < kept < MANY
    solve(*command, out, "--resume")
    solve(*command, tmp_path / "whole.jsonl")
    assert out.read_text() == (tmp_path / "whole.jsonl").read_text()


@pytest.mark.usefixtures("alone")
def test_what_is_finished_is_kept_also_before_the_first_answer(standin, tmp_path, monkeypatch):
    """The search of the first instance does not end, those of the second and the roads do."""
    source, out = tmp_path / "in.jsonl", tmp_path / "out.json"
    one = {"capacity": 9, "coords": [[8.2, 49.1], [8.3, 49.0]], "demands": [2, 3]}
    far_apart = [{**one, "name": f"i{k}", "depot": [8.1, 49.0 + k / 1000]} for k in range(4)]
    source.write_text(lines(far_apart))
    answered = threading.Event()
    search, answer, matrices = searching.search_instance, Task.answer, Roads.matrices

    def endless(instance, starts, effort, *arguments, **others):
        while instance.name == "i0" and not effort.watch.stopped:
            time.sleep(0.01)
        return search(instance, starts, effort, *arguments, **others)

    def answering(task, found):
        result = answer(task, found)
        if task.instance.name == "i1":
            answered.set()
        return result

    def asking(*arguments):
        assert len(standin.paths) < 3 or answered.wait(60)
        return matrices(*arguments)

    monkeypatch.setattr(searching, "search_instance", endless)
    monkeypatch.setattr(Task, "answer", answering)
    monkeypatch.setattr(Roads, "matrices", asking)
    monkeypatch.setattr(stream, "FIRST_WINDOW", 2)
    standin.faults.extend([None] * 3 + [status(404)])
    words = ["--matrix", f"osrm={standin.url}", "--workers", 2]
    said = one_line(vrp("solve", source, "-o", out, *words, code=9).stderr)
    assert "2 were finished and are kept in" in said
    kept = json.loads(out.with_name("out.json.part").read_text())["solutions"]
    assert [(each["name"], each["status"]) for each in kept] == [("i0", "solved"), ("i1", "solved")]
    assert [each["warnings"] for each in kept] == [["INTERRUPTED"], []]


def test_a_clock_that_jumps_changes_no_time_limit(many, tmp_path, monkeypatch):
    rng, true_time = random.Random(0), time.time
    monkeypatch.setattr(time, "time", lambda: true_time() + rng.uniform(-1e9, 1e9))
    started = time.monotonic()
    vrp("solve", many, "--time-limit", "0.3", "-o", tmp_path / "out.jsonl")
    assert time.monotonic() - started < 30
    assert len(read_solutions(tmp_path / "out.jsonl")) == MANY


@pytest.mark.parametrize("command", ["solve", pytest.param("train", marks=pytest.mark.slow)])
def test_no_shared_memory(tmp_path, command):
    hide = ["unshare", "-m", "sh", "-c", 'umount /dev/shm && exec "$@"', "sh"]
    if subprocess.run([*hide, "true"], capture_output=True).returncode:
        pytest.skip("this user cannot take /dev/shm away")
    few, out, run = tmp_path / "few.jsonl", tmp_path / "out.jsonl", tmp_path / "run"
    vrp("generate", "--n", 20, "--count", 40, "-q", "-o", few)
    words = {"solve": [few, "-o", out], "train": ["--out", run, *settings(*TINY, "train.steps=2")]}
    program = [*hide, sys.executable, "-m", "vrpcore.cli", command, *words[command]]
    done = subprocess.run(program, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert len(read_solutions(out)) == 40 if command == "solve" else (run / "last.pt").exists()


def test_a_server_whose_disk_is_full_goes_on_solving(tmp_path):
    server = ServerProcess(tmp_path)
    limit = resource.RLIMIT_FSIZE
    resource.prlimit(server.process.pid, limit, (100_000, resource.RLIM_INFINITY))
    assert server.status("/v1/jobs", json.dumps([GOOD] * 3000)) == 507
    assert server.ask("/v1/solve?improve=none", [GOOD])["summary"]["solved"] == 1
    assert server.status("/v2/health/live") == 200
    resource.prlimit(server.process.pid, limit, (resource.RLIM_INFINITY,) * 2)
    assert server.ask("/v1/jobs", [GOOD] * 3000)["status"] == "queued"
    server.end(15)
