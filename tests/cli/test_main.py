import json
import os
import subprocess
import sys
import time

import pytest

from tests.cli.runs import ONE, named, one_line, vrp
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
    assert "vrp bench solve --quick" in shown
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


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("--version >&-", 8, "error: stdout: cannot be written: Bad file descriptor\n"),
        ("solve FILE >&-", 8, "error: stdout: cannot be written: Bad file descriptor\n"),
        ("solve FILE --format jsonl >&-", 8, "error: stdout: cannot be written: Bad file"),
        ("solve - <&-", 8, "error: <stdin>: cannot be read: Bad file descriptor\n"),
        ("solve FILE -o OUT <&- >&-", 0, ""),
        ("solve FILE -o OUT 2>&-", 0, ""),
        ("solve FILE --format jsonl | true", 141, "the reader of stdout left before the end\n"),
    ],
)
def test_streams_that_are_closed(tmp_path, words, code, said):
    source = tmp_path / "in.json"
    source.write_text(json.dumps([ONE]))
    words = words.replace("FILE", f"{source} -q").replace("OUT", str(tmp_path / "out.json"))
    vrp_there = f"{sys.executable} -m vrpcore.cli {words}"
    done = subprocess.run(
        ["bash", "-c", f"{vrp_there}; exit ${{PIPESTATUS[0]}}"], capture_output=True, text=True,
        timeout=120,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    assert done.stderr.startswith(said) and "Traceback" not in done.stderr
    assert (tmp_path / "out.json").exists() is ("out.json" in words)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
def test_what_a_shell_did_before_is_not_the_programs_time():
    code = "from vrpcore.cli.main import STARTED; print(STARTED)"
    shell = ["sh", "-c", 'echo; read -r line; exec "$0" -c "$1"', sys.executable, code]
    with subprocess.Popen(
        shell, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as started:
        started.stdout.readline()
        time.sleep(2)
        before = time.perf_counter()
        shown, _ = started.communicate("\n", timeout=120)
    assert before - 1 < float(shown) < time.perf_counter()


def test_a_time_limit_counts_from_the_start_of_the_program(tmp_path):
    source = tmp_path / "in.json"
    source.write_text(json.dumps(named(2)))
    late = "from vrpcore.cli import main; from vrpcore.cli.main import run; main.STARTED -= 1e4; "
    for code, said in ((late, True), (late.replace("1e4", "0"), False)):
        command = [sys.executable, "-c", f"{code}run()", "solve", str(source), "--time-limit=9000"]
        done = subprocess.run(
            [*command, "--no-improvement=0.1"], capture_output=True, check=True, timeout=120,
            text=True,
        )  # fmt: skip
        assert done.stdout.count('"solved"') == 3
        words = "the time limit was over before any search could begin"
        assert (words in one_line(done.stderr)) is said
