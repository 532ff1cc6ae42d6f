"""Ctrl-C and SIGTERM in training: saved first, then the agreed exit code."""

import json
import signal
import subprocess
import sys
import time

import pytest


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_training_saves_before_it_ends(tmp_path, number, code):
    run = tmp_path / "run"
    settings = ["policy.embed_dim=16", "policy.num_heads=2", "policy.num_layers=1"]
    settings += ["train.steps=1000000", "train.batch_size=4", "train.log_every=1"]
    process = subprocess.Popen(
        [sys.executable, "-m", "vrpcore.cli", "train", "--out", str(run)]
        + [part for item in settings for part in ("--set", item)],
        stderr=subprocess.PIPE,
        text=True,
    )
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
    program = [sys.executable, "-m", "vrpcore.cli"]
    generate = ["generate", "--n", "50", "--count", "3000", "-q", "-o", str(many)]
    subprocess.run(program + generate, check=True)
    process = subprocess.Popen(
        [*program, "solve", str(many), "-o", str(out)], stderr=subprocess.PIPE, text=True
    )
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
    program = [sys.executable, "-m", "vrpcore.cli"]
    generate = ["generate", "--n", "100", "--count", "3", "-q", "-o", str(one)]
    subprocess.run(program + generate, check=True)
    command = [*program, "solve", str(one), "-o", str(out), "--time-limit", "1000"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    time.sleep(8)
    if process.poll() is None:  # a search that ends by counts is over by now
        process.send_signal(signal.SIGINT)
        _, words = process.communicate(timeout=60)
        assert process.returncode == 130
        assert "3 of 3 were finished and are kept" in words
        assert len(part.read_text().splitlines()) == 3
