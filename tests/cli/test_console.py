import os
import re
import signal

import pytest
from typer.testing import CliRunner

from vrpcore.cli.console import Messages, Terminated, print_error, printable, uninterrupted
from vrpcore.cli.main import app


def test_text_from_outside_cannot_steer_the_terminal():
    assert printable("a\x1b[31m[b]") == "a\\x1b[31m\\[b]"


@pytest.mark.parametrize("colour", [False, True])
def test_messages_are_no_markup(colour, monkeypatch, capsys):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    if colour:
        monkeypatch.setenv("FORCE_COLOR", "1")
    Messages().print("a\x1b[31m[b]", "c\nd", style="yellow")
    print_error("e\nf", Messages(quiet=True))
    Messages(quiet=True).print("g")
    written = capsys.readouterr().err
    assert ("\x1b[33m" in written) == ("\x1b[1;31merror: " in written) == colour
    plain = re.sub(r"\x1b\[[0-9;]*m", "", written)
    assert plain == "a\\x1b[31m[b]\nc\\x0ad\nerror: e\nf\n"


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("train --resume run --seed 3", 2, "--resume goes on with a run"),
        ("export", 2, "choose an export format: --onnx, --pt2, --torchscript"),
        ("plot in.json out.json -o map.gif", 2, "-o map.gif: expected .png, .svg or .pdf"),
        ("generate -o a[b].txt", 2, "-o a[b].txt: expected an ending .json, .jsonl, .vrp or .npz"),
        ("solve nowhere.json", 8, "nowhere.json: cannot be read"),
        ("check nowhere.json nowhere.json", 8, "nowhere.json: cannot be read"),
    ],
)
def test_quiet_silences_no_error(command, code, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, [*command.split(), "--quiet"])
    assert result.exit_code == code
    assert message in result.stderr
    assert result.stderr.count("rror") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("number", "kind"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, Terminated)]
)
def test_a_signal_waits_for_the_end_of_what_is_not_to_be_interrupted(number, kind):
    before, done = signal.getsignal(number), False
    with pytest.raises(kind), uninterrupted():
        os.kill(os.getpid(), number)
        done = True
    assert done
    assert signal.getsignal(number) is before


def test_a_second_signal_does_not_wait():
    done = False
    with pytest.raises(KeyboardInterrupt), uninterrupted():
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)
        done = True
    assert not done
