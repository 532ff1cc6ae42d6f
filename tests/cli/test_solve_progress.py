import io
import sys
import time

import pytest
from rich.console import Console

from tests.vrpcore.serve.process import until
from vrpcore.cli import solve_progress
from vrpcore.cli.console import Messages
from vrpcore.cli.solve_input import Feed
from vrpcore.cli.solve_progress import found_in_words, watched
from vrpcore.solve.stage import Improvement, Stage

FOUND = Improvement(0, "day", 784.3, 0.0123, 5000, 2.0)


def feed():
    return Feed([], (1, 1), print)


def on_a_terminal(**options):
    messages = Messages(**options)
    messages.console = Console(force_terminal=True, width=160, color_system=None)
    messages.is_terminal = True
    return messages


def awaited(written, words):
    until(lambda: words in written.getvalue())


def test_a_plan_in_words():
    assert found_in_words(FOUND) == "day: 784.3 (gap 1.23%)"
    assert found_in_words(FOUND._replace(gap=None)) == "day: 784.3"
    assert found_in_words(FOUND._replace(cost=None)) == ""
    assert found_in_words(FOUND._replace(name="[red]", gap=None)) == "[red]: 784.3"


def test_a_terminal_shows_bars_with_the_last_plan_and_the_time():
    written, messages = io.StringIO(), on_a_terminal()
    messages.console.file = written
    with watched(messages, feed(), improving=True) as (advance, asked):
        advance(Stage("construct", 2))
        advance(Stage("improve", 0, improvement=FOUND))
        awaited(written, "improving day: 784.3 (gap 1.23%)")
        asked(3, 10)
        awaited(written, "asking for roads")
        awaited(written, "0:00:00")


def test_elsewhere_lines_say_what_is_done(monkeypatch):
    monkeypatch.setattr(solve_progress, "EVERY_S", 0.05)
    written, instances = io.StringIO(), feed()
    monkeypatch.setattr(sys, "stderr", written)
    with watched(Messages(), instances, improving=True) as (advance, asked):
        assert asked is None
        awaited(written, "0 s: 0 instances finished\n")
        advance(Stage("construct", 5))
        advance(Stage("finish", 3))
        advance(Stage("improve", 0, improvement=FOUND))
        awaited(written, "3 instances finished; day: 784.3 (gap 1.23%)\n")
        advance(Stage("improve", 0, improvement=FOUND._replace(cost=None)))
        instances.complete, instances.taken = True, 9
        awaited(written, "3 of 9 instances finished; day: 784.3")
    length = len(written.getvalue())
    time.sleep(0.2)
    assert len(written.getvalue()) == length


def test_work_that_is_soon_over_writes_no_line(capsys):
    with watched(Messages(), feed(), improving=True) as (advance, _):
        advance(Stage("finish", 3))
    assert solve_progress.EVERY_S == 10.0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("terminal", [True, False])
def test_quiet_shows_nothing(monkeypatch, capsys, terminal):
    monkeypatch.setattr(solve_progress, "EVERY_S", 0.01)
    messages = on_a_terminal(quiet=True) if terminal else Messages(quiet=True)
    with watched(messages, feed(), improving=True) as (advance, asked):
        advance(Stage("improve", 0, improvement=FOUND))
        time.sleep(0.1)
    assert asked is None
    assert capsys.readouterr().err == ""
