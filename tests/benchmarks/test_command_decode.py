from pathlib import Path

import pytest

from benchmarks.decoding import DecodingCase, DecodingRun
from tests.benchmarks.runs import benchmark
from vrpcore.errors import ConfigError


def test_decode_needs_rl4co(monkeypatch):
    monkeypatch.setattr("benchmarks.decoding.rl4co_python", lambda given: None)
    result = benchmark("decode", code=3)
    assert "--rl4co" in result.stderr


@pytest.mark.parametrize("variants", [False, True])
def test_each_case_is_measured_and_has_a_row(monkeypatch, variants):
    asked = []

    def measured(python, case, rounds, device):
        asked.append((python, case, rounds, device))
        return DecodingRun(**case._asdict(), own_ms=2.0, rl4co_ms=7.0)

    monkeypatch.setattr("benchmarks.decoding.rl4co_python", lambda given: given)
    monkeypatch.setattr("benchmarks.decoding.measure_decoding", measured)
    kind = ["--variants"] * variants
    shown = benchmark("decode", "--quick", "--rl4co", "there", *kind).stdout
    cases = [(size, copies) for size in (20, 50) for copies in (1, 8)]
    assert asked == [
        (Path("there"), DecodingCase(size, 32, copies, variants), 1, "cpu")
        for size, copies in cases
    ]
    rows = [line.split("|")[1:-1] for line in shown.splitlines() if line.startswith("|")]
    assert [[cell.strip() for cell in row] for row in rows[2:]] == [
        [str(size), "32", str(copies), "7", "2", "3.5"] for size, copies in cases
    ]


def test_what_was_measured_before_an_error_is_shown(monkeypatch):
    def measured(python, case, rounds, device):
        if case.augment == 8:
            raise ConfigError("there: RL4CO failed: out of memory")
        return DecodingRun(**case._asdict(), own_ms=2.0, rl4co_ms=7.0)

    monkeypatch.setattr("benchmarks.decoding.rl4co_python", lambda given: given)
    monkeypatch.setattr("benchmarks.decoding.measure_decoding", measured)
    result = benchmark("decode", "--quick", "--rl4co", "there", code=3)
    assert "RL4CO failed: out of memory" in result.stderr
    assert len([line for line in result.stdout.splitlines() if "3.5" in line]) == 1
