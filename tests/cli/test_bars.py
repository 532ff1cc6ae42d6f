import io

from rich.console import Console

from vrpcore.cli.bars import RateColumn, progress_bar


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


def test_with_quiet_there_is_no_bar_on_a_terminal_either():
    terminal = Console(file=io.StringIO(), force_terminal=True)
    assert not progress_bar(terminal).disable
    terminal.quiet = True
    assert progress_bar(terminal).disable
