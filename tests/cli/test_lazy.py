"""Commands are loaded when they are called."""

import inspect
import json
import subprocess
import sys

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from tests.cli.runs import ONE
from tests.late_folders import late_folders
from vrpcore.cli import bench, main
from vrpcore.cli.main import app

GROUPS = {"": main.COMMANDS, "bench": bench.COMMANDS}
CASES = [(group, name) for group, entries in GROUPS.items() for name in entries]


@pytest.mark.parametrize(("group", "name"), CASES)
def test_a_summary_is_what_the_commands_help_begins_with(group, name):
    command = get_command(app)
    command = (command.get_command(None, group) if group else command).get_command(None, name)
    assert command.name == name
    paragraph = inspect.cleandoc(command.help).partition("\n\n")[0]
    assert " ".join(paragraph.split()) == GROUPS[group][name]


def test_a_command_is_loaded_once():
    group = get_command(app)
    assert group.list_commands(None) == list(main.COMMANDS)
    assert group.get_command(None, "check") is group.get_command(None, "check")
    assert group.get_command(None, "chekc") is None


def loaded(*arguments):
    """The modules that are there when a call ends."""
    code = (
        "import atexit, sys\n"
        "atexit.register(lambda: print('\\n' + ' '.join(sys.modules), file=sys.stderr))\n"
        f"sys.argv = {['vrp', *arguments]!r}\n"
        "from vrpcore.cli.main import app\n"
        "app()"
    )
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return set(result.stderr.splitlines()[-1].split())


def own(modules):
    return {name for name in modules if name.startswith("vrpcore.cli.")}


BASE = {"vrpcore.cli.main", "vrpcore.cli.lazy", "vrpcore.cli.plain"}
HEAVY = {"numpy", "torch", "pydantic", "rich.markdown", "rich.progress", "pygments"}


def test_paragraphs_of_help_are_set_to_the_width_of_the_terminal():
    result = CliRunner().invoke(app, ["export", "--help"], env={"COLUMNS": "60"})
    rows = [row.strip() for row in result.stdout.splitlines()]
    start = next(at for at, row in enumerate(rows) if row.startswith("Each file is compared"))
    paragraph = rows[start : rows.index("", start)]
    assert len(paragraph) > 3
    assert min(map(len, paragraph[:-1])) > 40


def test_help_loads_no_command_and_nothing_heavy():
    modules = loaded("--help")
    assert own(modules) == BASE
    assert not modules & HEAVY
    assert not loaded("--version") & HEAVY
    assert own(loaded("bench", "--help")) == BASE | {"vrpcore.cli.bench"}


def test_garbage_is_collected_once_the_program_is_loaded():
    code = "import gc, vrpcore.cli.main; print(gc.isenabled(), gc.get_freeze_count() > 0)"
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert result.stdout == "True True\n"


def test_a_command_loads_no_other():
    modules = loaded("check", "--help")
    check = {"check", "console", "flags", "reading"}
    assert own(modules) == BASE | {f"vrpcore.cli.{name}" for name in check}


def test_a_solve_loads_what_it_uses(tmp_path):
    source = tmp_path / "one.json"
    source.write_text(json.dumps(ONE))
    modules = loaded("solve", str(source), "--improve", "none", "--device", "cpu")
    solve = {"solve", "solve_run", "solve_input", "solve_output", "solve_progress", "console"}
    solve |= {"flags", "reading"}
    assert own(modules) == BASE | {f"vrpcore.cli.{name}" for name in solve}
    assert not modules & (HEAVY - {"numpy"} | {"rich", "ray"})
    assert not late_folders(modules)
    assert not modules & {"vrpcore.modelling.builder", "vrpcore.roads.instances"}
