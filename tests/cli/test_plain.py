"""What is converted here is what typer makes of it."""

import copy
from pathlib import Path

import pytest
import typer
from typer.main import get_command

from vrpcore.cli import bench, main
from vrpcore.cli.main import app
from vrpcore.cli.plain import ease

VALUES = ["", "5", "-3", "0", "007", "1e3", "2.5", ".5", "5.", "1_000", " 7", "9" * 20, "nan"]
VALUES += ["inf", "abc", "fast", "FAST", "json", "-", "/", "nowhere/at/all", "\u0663", "\n"]
NAMES = [name for name in main.COMMANDS if name != "bench"]


def parameters():
    root = get_command(app)
    commands = [root.get_command(None, name) for name in NAMES]
    group = root.get_command(None, "bench")
    commands += [group.get_command(None, name) for name in bench.COMMANDS]
    return [
        pytest.param(command, item, id=f"{command.name}-{item.name}")
        for command in commands
        for item in command.params
    ]


def outcome(process, ctx, value):
    try:
        found = process(ctx, value)
    except Exception as error:
        return type(error), str(error)
    return type(found), repr(found)


@pytest.mark.parametrize(("command", "parameter"), parameters())
def test_each_value_is_what_typer_makes_of_it(command, parameter):
    plain = copy.copy(parameter)
    ctx = typer.Context(command, info_name=command.name)
    assert parameter in command.get_params(ctx)
    given = [parameter.default, None, True, *VALUES]
    if parameter.multiple or parameter.nargs != 1:
        given = [parameter.default, None, (), *((value,) for value in VALUES), ("a", "b")]
    for value in given:
        eased = outcome(parameter.process_value, ctx, value)
        assert eased == outcome(plain.process_value, ctx, value), value


def test_all_parameters_are_eased():
    command = get_command(app).get_command(None, "solve")
    found = command.get_params(typer.Context(command, info_name="solve"))
    assert "help" in [item.name for item in found]
    assert all("process_value" in vars(item) for item in found)


def test_help_is_shown_and_a_callback_called():
    own = typer.Typer()

    @own.command()
    def show(n: int = typer.Option(1, callback=lambda value: 2 * value)):
        typer.echo(f"n {n}")

    command = get_command(own)
    ease(command)
    for arguments, text in ((["--n", "4"], "n 8"), (["--help"], "Usage"), ([], "n 2")):
        with pytest.raises(SystemExit) as ended, pytest.MonkeyPatch.context() as patch:
            said = []
            patch.setattr(typer, "echo", said.append)
            command(arguments)
        assert ended.value.code == 0
        assert text == "Usage" or said == [text]


def test_parameters_that_are_not_known_are_left_alone():
    class Odd:
        def get_params(self, ctx):
            return [self]

    odd = Odd()
    ease(odd)
    assert odd.get_params(None) == [odd]
    assert "process_value" not in vars(odd)


def test_what_asks_for_more_is_left_to_typer(tmp_path):
    own = typer.Typer()

    @own.command()
    def show(path: Path = typer.Option(exists=True)):  # noqa: B008
        raise AssertionError(path)

    command = get_command(own)
    ease(command)
    with pytest.raises(SystemExit) as ended:
        command(["--path", str(tmp_path / "b")])
    assert ended.value.code == 2
