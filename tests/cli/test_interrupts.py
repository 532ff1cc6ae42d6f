"""Ctrl-C and SIGTERM: what is finished is saved first, then the agreed exit code."""

import json
import signal
import subprocess
import sys
import time

import pytest

from tests.vrpcore.extremes import breaks_at_once


def started(*arguments):
    """A running command; it heeds Ctrl-C even where these tests run in the background."""
    return subprocess.Popen(
        [sys.executable, "-m", "vrpcore.cli", *arguments],
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def generated(file, size, count):
    command = [sys.executable, "-m", "vrpcore.cli", "generate", "--n", str(size)]
    subprocess.run([*command, "--count", str(count), "-q", "-o", str(file)], check=True)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_training_saves_before_it_ends(tmp_path, number, code):
    run = tmp_path / "run"
    settings = ["policy.embed_dim=16", "policy.num_heads=2", "policy.num_layers=1"]
    settings += ["train.steps=1000000", "train.batch_size=4", "train.log_every=1"]
    changes = [part for item in settings for part in ("--set", item)]
    process = started("train", "--out", str(run), *changes)
    deadline = time.monotonic() + 120
    while not (run / "metrics.jsonl").exists() or not (run / "metrics.jsonl").read_text():
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.1)
    process.send_signal(number)
    _, words = process.communicate(timeout=60)
    assert process.returncode == code
    assert "interrupted and saved" in words
    assert "vrp train --resume" in words
    assert (run / "last.pt").exists()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_solving_keeps_what_was_finished(tmp_path, number, code):
    many, out, part = (tmp_path / name for name in ("many.jsonl", "s.json", "s.json.part"))
    generated(many, 50, 3000)
    process = started("solve", str(many), "-o", str(out))
    time.sleep(8)
    assert process.poll() is None
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
    process = started("solve", str(one), "-o", str(out), "--time-limit", "1000")
    time.sleep(8)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, words = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "3 of 3 were finished and are kept" in words
    assert len(part.read_text().splitlines()) == 3


@pytest.mark.parametrize(("count", "windows", "stops"), [(10, 10, 30), (7, 1, 300)])
def test_sigterm_ends_a_solve_whose_breaks_take_long(tmp_path, count, windows, stops):
    one, out, part = (tmp_path / name for name in ("one.json", "s.json", "s.json.part"))
    one.write_text(json.dumps(breaks_at_once(count, windows, stops)))
    process = started("solve", str(one), "-o", str(out))
    time.sleep(5)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    _, words = process.communicate(timeout=20)
    assert process.returncode == 143
    assert "were finished and are kept in" in words
    assert len(json.loads(part.read_text())["solutions"]) <= 1
