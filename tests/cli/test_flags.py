"""Flags that are made from options declared once."""

from dataclasses import dataclass, field
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from tests.cli.runs import one_line
from vrpcore.cli.flags import with_flags
from vrpcore.config.option import Option


def halves(text):
    first, _, second = text.partition("/")
    if not (first.isdecimal() and second.isdecimal()):
        raise ValueError(f"{text!r}: expected A/B")
    return int(first), int(second)


@dataclass(frozen=True, kw_only=True)
class Tea:
    cups: Annotated[int, Option("How many.", 1, 3)] = 2
    brew_s: Annotated[float | None, Option("How long.", low=0.0)] = None
    part: Annotated[tuple[int, int], Option("Which.", written="1/2", read=halves)] = (1, 2)
    pots: Annotated[int, Option("Pots.")] = field(default_factory=lambda: 4)
    hot: Annotated[bool, Option("Hot.")] = False
    where: Annotated[str, Option("Where.", flags=("-w", "--place"))] = "here"


@pytest.fixture
def brew():
    """Runs a command that takes `Tea`; the tea it got, or what was said."""

    def run(*words):
        app, got = typer.Typer(), []

        @app.command()
        @with_flags
        def command(name: str, tea: Tea, loud: bool = False) -> None:
            got.append((name, tea, loud))

        result = CliRunner().invoke(app, list(words), env={"COLUMNS": "120"})
        return got[0] if got else one_line(result.output)

    return run


def test_flags_not_given_keep_the_defaults_of_the_group(brew):
    assert brew("x") == ("x", Tea(), False)


def test_a_group_may_consist_of_groups():
    @dataclass(frozen=True, kw_only=True)
    class Table:
        tea: Tea
        seats: Annotated[int, Option("How many.")] = 2

    app, got = typer.Typer(), []

    @app.command()
    @with_flags
    def command(table: Table) -> None:
        got.append(table)

    CliRunner().invoke(app, ["--seats", "4", "--cups", "3"], catch_exceptions=False)
    CliRunner().invoke(app, [], catch_exceptions=False)
    assert got == [Table(tea=Tea(cups=3), seats=4), Table(tea=Tea())]


def test_flags_have_public_names_and_are_read(brew):
    words = ["--cups", "3", "--brew", "1.5", "--part", "3/4", "--hot", "-w", "there", "--loud"]
    tea = Tea(cups=3, brew_s=1.5, part=(3, 4), hot=True, where="there")
    assert brew("x", *words) == ("x", tea, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--cups", "4"], "Invalid value for '--cups': Input should be less than or equal to 3"),
        (
            ["--brew", "-1"],
            "Invalid value for '--brew': Input should be greater than or equal to 0",
        ),
        (["--part", "half"], "Invalid value for --part: 'half': expected A/B"),
        (["--brew_s", "1"], "No such option: --brew_s"),
    ],
)
def test_errors_name_the_flag(brew, words, said):
    assert said in brew("x", *words)


def test_help_has_each_option_with_its_default_as_it_is_written(brew):
    shown = brew("--help")
    assert "--part <str> Which. [default: 1/2]" in shown
    assert "--place -w <str> Where. [default: here]" in shown
    assert "--hot <bool> Hot." in shown
    assert "--no-hot" not in shown
