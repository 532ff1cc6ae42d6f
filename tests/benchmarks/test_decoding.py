import sys
from pathlib import Path

import pytest

from benchmarks import decoding
from benchmarks.decoding import (
    WORKER,
    DecodingCase,
    DecodingRun,
    measure_decoding,
    own_pass,
    rl4co_python,
)
from vrpcore.errors import ConfigError


@pytest.fixture
def interpreter(tmp_path):
    """Makes a stand-in for a Python with RL4CO; it writes down what it was called with."""

    def make(body):
        path = tmp_path / "python"
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return path

    return make


def test_both_are_measured_and_compared(interpreter, tmp_path):
    said = tmp_path / "said"
    python = interpreter(f'echo "$@" >> {said}; echo noise; echo \'{{"wall_s": 9, "cpu_s": 4.0}}\'')
    found = measure_decoding(python, DecodingCase(5, 2, 8), 2, "cpu")
    assert said.read_text().splitlines() == [f"{WORKER} decode 5 2 8 5 1 cpu"] * 2
    assert (found.num_customers, found.batch, found.augment) == (5, 2, 8)
    assert found.rl4co_ms == 2000.0
    assert 0 < found.own_ms < 2000.0
    row = DecodingRun(**DecodingCase(5, 2, 8)._asdict(), own_ms=2.0, rl4co_ms=7.0)
    assert row.ratio == 3.5


def test_variants_are_measured_and_compared(interpreter, tmp_path):
    said = tmp_path / "said"
    python = interpreter(f'echo "$@" >> {said}; echo \'{{"wall_s": 9, "cpu_s": 4.0}}\'')
    found = measure_decoding(python, DecodingCase(5, 2, 1, variants=True), 1, "cpu")
    assert said.read_text().splitlines() == [f"{WORKER} decode 5 2 1 5 1 cpu variants"]
    assert found.variants
    assert 0 < found.own_ms < 2000.0


@pytest.mark.parametrize("variants", [False, True])
def test_a_pass_ranks_all_copies_and_starts(variants):
    plain = own_pass(DecodingCase(6, 3, 1, variants), "cpu")()
    copies = own_pass(DecodingCase(6, 3, 8, variants), "cpu")()
    assert plain.shape == copies.shape == (3,)
    assert (copies <= plain + 1e-9).all()


def test_what_rl4co_said_when_it_failed(interpreter):
    with pytest.raises(ConfigError, match="RL4CO failed: no such policy"):
        measure_decoding(
            interpreter("echo no such policy >&2; exit 3"), DecodingCase(5, 1, 1), 1, "cpu"
        )


def test_an_interpreter_must_have_rl4co(interpreter, monkeypatch):
    assert rl4co_python(interpreter("echo True")) == interpreter("echo True")
    with pytest.raises(ConfigError, match="has no rl4co"):
        rl4co_python(interpreter("echo False"))
    with pytest.raises(ConfigError, match="absent: cannot be run"):
        rl4co_python(Path("/absent"))
    monkeypatch.setattr(decoding.importlib.util, "find_spec", lambda name: None)
    assert rl4co_python(None) is None
    monkeypatch.setattr(decoding.importlib.util, "find_spec", lambda name: name)
    assert rl4co_python(None) == Path(sys.executable)


def test_the_worker_stands_alone():
    """The interpreter that runs it need not have this project."""
    assert "vrpcore" not in WORKER.read_text()
