import io

import pytest
from rich.console import Console

from vrpcore.cli.bars import RateColumn, progress_bar
from vrpcore.cli.console import exit_code, printable
from vrpcore.errors import ConfigError, DeviceError, InstanceError, ModelError, OutputError


@pytest.mark.parametrize(
    ("kind", "code"),
    [(ConfigError, 3), (InstanceError, 4), (ModelError, 5), (DeviceError, 7), (OutputError, 8)],
)
def test_each_family_of_errors_has_its_code(kind, code):
    assert exit_code(kind("no")) == code


def test_text_from_outside_cannot_steer_the_terminal():
    assert printable("a\x1b[31m[b]") == "a\\x1b[31m\\[b]"


def test_a_bar_says_how_many_a_second():
    clock = iter(range(100))
    console = Console(file=io.StringIO(), force_terminal=True)
    bar = progress_bar(console)
    bar.get_time = lambda: float(next(clock))
    (column,) = [part for part in bar.columns if isinstance(part, RateColumn)]
    task = bar.add_task("constructing", total=None)
    assert column.render(bar.tasks[0]).plain == ""
    for _ in range(3):
        bar.update(task, advance=50)
    assert column.render(bar.tasks[0]).plain == "50/s"


def test_without_a_terminal_there_is_no_bar():
    assert progress_bar(Console(file=io.StringIO())).disable
