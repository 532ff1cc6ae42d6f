import json
import os
import subprocess
import sys

import pytest

from tests.cli.runs import ONE, vrp
from vrpcore.cli import bench, main
from vrpcore.version import VERSION


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_names_each_command(flag):
    shown = vrp(flag).stdout
    for name, summary in main.COMMANDS.items():
        assert f" {name} " in shown
        assert summary[:60] in shown
    assert "Solve vehicle routing problems" in shown
    assert "-h" in shown
    shown = vrp("bench", flag).stdout
    assert "vrp bench lessons --quick" in shown
    assert all(summary[:60] in shown for summary in bench.COMMANDS.values())


def test_the_version_is_printed_and_nothing_else():
    assert vrp("--version").output == f"vrp {VERSION}\n"
    assert vrp("--version", "chekc").output == f"vrp {VERSION}\n"
    assert "Print the version and exit." in vrp("--help").stdout


def test_without_a_command_there_is_help():
    found = vrp(code=2)
    assert "Solve vehicle routing problems" in found.output


def test_a_mistyped_command_is_told_what_was_meant():
    found = vrp("chekc", code=2)
    assert "Did you mean 'check'?" in found.stderr


def test_text_on_stdout_is_utf_8_whatever_the_locale(tmp_path):
    source, answers = tmp_path / "in.json", tmp_path / "out.json"
    source.write_text(json.dumps([{**ONE, "name": "K\u00f6ln \u2192"}]))
    vrp("solve", source, "-o", answers)
    command = [sys.executable, "-m", "vrpcore.cli", "check", str(source), str(answers)]
    shown = subprocess.run(
        command, capture_output=True, check=True, timeout=120,
        env={**os.environ, "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"},
    ).stdout  # fmt: skip
    assert shown.decode() == "ok\tK\u00f6ln \u2192\tcost 12\n"
