"""Malformed, hostile and odd-but-legal inputs, through `vrp solve` itself."""

import json
import time

import pytest
from typer.testing import CliRunner

from vrpcore.cli.main import app

SECONDS = 60  # far above what any takes: a hang, not a slow machine


@pytest.fixture(scope="module")
def cases(test_data):
    folder = test_data / "bad"
    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    return [(folder / case["file"], case) for case in index]


def solve(file, folder):
    """Exit code, words and the document of solving one file."""
    started = time.monotonic()
    out = folder / "solutions.json"
    result = CliRunner().invoke(
        app, ["solve", str(file), "-o", str(out), "--device", "cpu", "--workers", "1"]
    )
    assert time.monotonic() - started < SECONDS, file
    assert isinstance(result.exception, SystemExit | None), (file, result.exception)
    names = [path.name for path in folder.iterdir()]
    assert names in ([], ["solutions.json"]), (file, names)
    document = json.loads(out.read_text(encoding="utf-8")) if names else None
    out.unlink(missing_ok=True)
    return result.exit_code, result.output, document


def solved_costs(document):
    return [item["cost"] for item in document["solutions"] if item["status"] == "solved"]


def test_every_case(cases, tmp_path):
    assert len(cases) > 50
    for file, case in cases:
        code, words, document = solve(file, tmp_path)
        if case["expect"] == "refuse":
            assert code == 4, (file, code, words)
            assert document is None or not solved_costs(document), file
            said = words.lower()
            assert any(hint.lower() in said for hint in case["hint"]), (file, words)
        elif case["expect"] == "solve":
            assert code == 0, (file, code, words)
            if "cost" in case:
                assert solved_costs(document) == pytest.approx([case["cost"]], rel=1e-9), file
        elif case["expect"] == "partial":
            assert code == 4, (file, code, words)
            assert solved_costs(document), file
        else:
            assert code in (0, 4), (file, code, words)
            if code == 0 and "cost" in case:
                assert solved_costs(document) == pytest.approx([case["cost"]], rel=1e-9), file
