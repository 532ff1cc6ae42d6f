"""Time limits, Ctrl-C and SIGTERM: what is finished is saved, then the agreed exit code."""

import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.cli.runs import ONE, TINY, lines, one_line, settings, vrp
from tests.vrpcore.documents import detailed_document, mixed_document
from tests.vrpcore.extremes import breaks_at_once, scaled
from tests.vrpcore.serve.process import until
from vrpcore.cli.solve_output import TextSink
from vrpcore.solve import searching

SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
ENDS_S = 10  # after a signal; far above what it takes
LIMIT_S = 1
MOST_S = 120  # of a run with this limit: starting, reading, one insertion; others run, too


def started(*arguments, **options):
    """A running command; it heeds Ctrl-C even where these tests run in the background."""
    return subprocess.Popen(
        [sys.executable, "-m", "vrpcore.cli", *arguments],
        **options,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def await_work(process, seconds):
    """Waits until a running command has had this much of a processor, however busy they are.

    Where there is no /proc, it waits this long.
    """
    stat = Path(f"/proc/{process.pid}/stat")
    if not stat.exists():
        time.sleep(seconds)
        return
    deadline, used = time.monotonic() + 120, 0
    while used < seconds * os.sysconf("SC_CLK_TCK"):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
        used = sum(int(ticks) for ticks in stat.read_text().rpartition(")")[2].split()[11:13])


def generated(file, size, count):
    vrp("generate", "--n", size, "--count", count, "-q", "-o", file)


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_training_saves_before_it_ends(tmp_path, number, code):
    """In this process: it has loaded PyTorch already."""
    run = tmp_path / "run"
    metrics = run / "metrics.jsonl"
    changes = settings(*TINY, "train.steps=1000000", "train.log_every=1")

    def interrupts():
        until(lambda: metrics.exists() and metrics.read_text())
        os.kill(os.getpid(), number)

    sender = threading.Thread(target=interrupts)
    sender.start()
    words = vrp("train", "--out", run, *changes, code=code).stderr
    sender.join()
    assert "interrupted and saved" in words
    assert "vrp train --resume" in words
    assert (run / "last.pt").exists()


@pytest.mark.parametrize(
    ("number", "code"), [SIGNALS[0], pytest.param(*SIGNALS[1], marks=pytest.mark.slow)]
)
def test_solving_keeps_what_was_finished(tmp_path, number, code):
    many, out, part = (tmp_path / name for name in ("many.jsonl", "s.json", "s.json.part"))
    generated(many, 50, 3000)
    process = started("solve", str(many), "-o", str(out))
    until(lambda: part.exists() and part.stat().st_size > 1000)
    process.send_signal(number)
    _, words = process.communicate(timeout=60)
    assert process.returncode == code
    assert "were finished and are kept in" in words
    assert not out.exists()
    kept = json.loads(part.read_text())["solutions"]
    assert f"{len(kept)} " in words
    assert 0 < len(kept) < 3000
    assert all(solution["status"] == "solved" for solution in kept)


def test_a_long_time_limit_is_left_at_once_with_the_best_so_far(tmp_path):
    one, out, part = (tmp_path / name for name in ("one.jsonl", "s.jsonl", "s.jsonl.part"))
    generated(one, 100, 3)
    vrp("solve", one, "-o", tmp_path / "none.json", "--improve", "none")
    without = json.loads((tmp_path / "none.json").read_text())["summary"]["cost"]
    process = started("solve", str(one), "-o", str(out), "--time-limit", "1000")
    await_work(process, 2)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, words = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "3 of 3 were finished and are kept" in words
    kept = [json.loads(line) for line in part.read_text().splitlines()]
    assert [answer["warnings"] for answer in kept] == [["INTERRUPTED"]] * 3
    assert sum(answer["cost"] for answer in kept) < without


def test_an_interrupted_run_that_is_resumed_gives_the_answers_of_a_whole_one(tmp_path, monkeypatch):
    many, out, part = (tmp_path / name for name in ("many.jsonl", "s.jsonl", "s.jsonl.part"))
    generated(many, 40, 60)
    solve = ["solve", many, "--device", "cpu", "--iterations", 1000, "-o"]
    vrp(*solve, tmp_path / "whole.jsonl")
    search, calls = searching.search_instance, itertools.count()

    def interrupted(*arguments, **others):
        if next(calls) == 12:
            raise KeyboardInterrupt
        return search(*arguments, **others)

    with monkeypatch.context() as patch:
        patch.setattr(searching, "search_instance", interrupted)
        words = vrp(*solve, out, code=130).stderr
    left = [json.loads(line)["warnings"] for line in part.read_text().splitlines()]
    assert f"{len(left)} of 60 were finished and are kept in" in one_line(words)
    done = left.index(["INTERRUPTED"])
    words = vrp(*solve, out, "--resume").stderr
    assert f"{done} answers from the interrupted run are kept" in words
    assert out.read_text() == (tmp_path / "whole.jsonl").read_text()


def test_ctrl_c_while_an_answer_is_written_keeps_what_searches_have(tmp_path, monkeypatch):
    """The search of the second instance does not end by itself."""
    two, part = tmp_path / "two.jsonl", tmp_path / "s.json.part"
    two.write_text(lines({**ONE, "name": name} for name in "ab"))
    search, put, calls = searching.search_instance, TextSink.put, itertools.count()

    def endless(instance, starts, effort, *arguments, **others):
        while instance.name == "b" and not effort.watch.stopped:
            time.sleep(0.01)
        return search(instance, starts, effort, *arguments, **others)

    def interrupted(sink, *arguments):
        if next(calls) == 0:
            raise KeyboardInterrupt
        return put(sink, *arguments)

    monkeypatch.setattr(searching, "search_instance", endless)
    monkeypatch.setattr(TextSink, "put", interrupted)
    vrp("solve", two, "--device", "cpu", "--workers", 2, "-o", tmp_path / "s.json", code=130)
    kept = json.loads(part.read_text())["solutions"]
    assert [(each["name"], each["warnings"]) for each in kept] == [("b", ["INTERRUPTED"])]


@pytest.mark.parametrize(
    ("count", "windows", "stops"), [(10, 10, 30), pytest.param(7, 1, 300, marks=pytest.mark.slow)]
)
def test_sigterm_ends_a_solve_whose_breaks_take_long(tmp_path, count, windows, stops):
    one, out, part = (tmp_path / name for name in ("one.json", "s.json", "s.json.part"))
    one.write_text(json.dumps(breaks_at_once(count, windows, stops)))
    process = started("solve", str(one), "-o", str(out))
    await_work(process, 1.5)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    _, words = process.communicate(timeout=20)
    assert process.returncode == 143
    assert "were finished and are kept in" in words
    assert len(json.loads(part.read_text())["solutions"]) <= 1


def ended_by(process, number, code, out):
    """Sends a signal to a command that is still reading, which has an older output.

    Returns:
        What it had finished by then.
    """
    assert process.poll() is None
    process.send_signal(number)
    _, words = process.communicate(timeout=ENDS_S)
    assert process.returncode == code
    assert words.endswith("interrupted\n" if code == 130 else "terminated\n")
    assert "Traceback" not in words
    assert out.read_text() == "older"
    part = out.with_name(f"{out.name}.part")
    assert {file.name for file in out.parent.iterdir()} <= {out.name, part.name}
    text = part.read_text() if part.exists() else ""
    if out.suffix == ".jsonl":
        assert text == "" or text.endswith("\n")
        return [json.loads(line) for line in text.splitlines()]
    return json.loads(text)["solutions"] if text else []


@pytest.fixture
def out(tmp_path):
    """A folder of its own with a file that an earlier run has written."""
    folder = tmp_path / "out"
    folder.mkdir()
    return folder / "s.json"


def small(name, customers=1):
    places = [[index % 97, index % 89] for index in range(customers)]
    document = {"capacity": 9, "depot": [0, 0], "coords": places, "demands": [1] * customers}
    return json.dumps({"name": name, **document})


@pytest.mark.parametrize(("ending", "number", "code"), [
    (".json", *SIGNALS[0]), (".jsonl", *SIGNALS[1]),
    pytest.param(".json", *SIGNALS[1], marks=pytest.mark.slow),
    pytest.param(".jsonl", *SIGNALS[0], marks=pytest.mark.slow),
])  # fmt: skip
def test_a_signal_while_a_pipe_is_read_ends_it(out, number, code, ending):
    """Within a list, and within a line of several; the pipe stays open and says no more."""
    out = out.with_suffix(ending)
    out.write_text("older")
    first, separator = ("[", ",") if ending == ".json" else ("", "\n")
    begun = first + "".join(f"{small(name)}{separator}" for name in "abc")
    # As much more as no pipe holds: once it is written, the command reads.
    begun += small("d", 50_000)[:-1]
    process = started("solve", "-", "-o", str(out), stdin=subprocess.PIPE)
    process.stdin.write(begun)
    process.stdin.flush()
    time.sleep(0.5)
    found = ended_by(process, number, code, out)
    assert [each["name"] for each in found] == ["a", "b", "c"][: len(found)]
    assert ending == ".jsonl" or not found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code", "work_s"), [(*SIGNALS[0], 1.5), (*SIGNALS[1], 3)], ids=["early", "late"]
)
@pytest.mark.parametrize("ending", [".json", ".jsonl", ".csv"])
def test_a_signal_while_a_large_file_is_read_ends_it(tmp_path, out, number, code, work_s, ending):
    """Of about 50 MB: a list, lines, and a spreadsheet (of fewer, as it may have)."""
    out.write_text("older")
    many, sheet = tmp_path / f"many{ending}", ()
    if ending == ".csv":
        sheet = ("--depot", "0,0", "--capacity", "9")
        rows = (f"{row},{row % 97},{row % 89},1,{'.' * 400}\n" for row in range(99_000))
        many.write_text("id,x,y,demand,note\n" + "".join(rows))
    else:
        line = small("one", 200)
        lines = [line] * (50_000_000 // len(line))
        many.write_text(f"[{','.join(lines)}]" if ending == ".json" else "\n".join(lines))
    process = started("solve", str(many), *sheet, "-o", str(out))
    await_work(process, work_s)
    ended_by(process, number, code, out)


def solved_in_time(tmp_path, documents):
    """Solves a file with a time limit; its exit code has to be that of its answers."""
    file, out = tmp_path / "extreme.json", tmp_path / "s.json"
    file.write_text(json.dumps(documents))
    process = started("solve", str(file), "-o", str(out), "--time-limit", str(LIMIT_S))
    try:
        _, words = process.communicate(timeout=MOST_S)
    finally:
        process.kill()
    assert "Traceback" not in words
    found = [each["status"] for each in json.loads(out.read_text())["solutions"]]
    assert len(found) == len(documents)
    others = 6 if set(found) - {"solved"} else 0
    assert process.returncode == (4 if "invalid" in found else others)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["extreme.json", "s.json"]


@pytest.mark.parametrize("count", [30, pytest.param(200, marks=pytest.mark.slow)])
def test_a_time_limit_holds_for_many_extreme_documents(tmp_path, count):
    draws = mixed_document, detailed_document
    documents = [scaled(draw(seed, 1 + seed % 12), seed) for seed in range(count) for draw in draws]
    solved_in_time(tmp_path, documents)


@pytest.mark.slow
@pytest.mark.parametrize("draw", [mixed_document, detailed_document])
@pytest.mark.parametrize("seed", range(5))
def test_a_time_limit_holds_for_a_large_extreme_document(tmp_path, draw, seed):
    solved_in_time(tmp_path, [scaled(draw(seed, 150), seed)])


@pytest.mark.slow
@pytest.mark.parametrize(("count", "windows", "stops"), [(10, 10, 30), (7, 1, 300), (16, 4, 300)])
def test_a_time_limit_holds_for_many_breaks(tmp_path, count, windows, stops):
    solved_in_time(tmp_path, [breaks_at_once(count, windows, stops)])
