"""Programs of tests/bench can be started: what they import is there."""

import importlib
from pathlib import Path

import pytest

from tests.bench.arguments import OUTPUT, OVERRIDES, arguments

PROGRAMS = sorted((Path(__file__).parent / "bench").glob("*.py"))
OTHERS = {"hygese", "ortools", "pyvrp", "rl4co", "vroom"}  # of the extra `bench`


@pytest.mark.parametrize("program", PROGRAMS, ids=[each.stem for each in PROGRAMS])
def test_a_program_finds_what_it_imports_and_tells_its_arguments(program, monkeypatch, capsys):
    try:
        module = importlib.import_module(f"tests.bench.{program.stem}")
    except ModuleNotFoundError as error:
        if error.name not in OTHERS:
            raise
        pytest.skip(f"needs {error.name}")
    if hasattr(module, "main") and hasattr(module, "arguments"):
        monkeypatch.setattr("sys.argv", [program.name, "--help"])
        with pytest.raises(SystemExit) as ended:
            module.main()
        assert ended.value.code == 0
        assert module.__doc__.splitlines()[0] in capsys.readouterr().out


def test_arguments_by_example(monkeypatch):
    given = "program DATA ONE TWO --sizes 3 4 --mean 2 --quick --set a=1 --set b=2 -o OUT"
    monkeypatch.setattr("sys.argv", given.split())
    found = arguments(
        "What it does.",
        data=str,
        files=[Path],
        sizes=[1],
        mean=0.5,
        time_limit=60.0,
        names=("x", "y"),
        quick=False,
        late=False,
        overrides=OVERRIDES,
        output=OUTPUT,
    )
    assert (found.data, found.files, found.sizes) == ("DATA", [Path("ONE"), Path("TWO")], [3, 4])
    assert (found.mean, found.time_limit, found.names) == (2.0, 60.0, ("x", "y"))
    assert (found.quick, found.late) == (True, False)
    assert (found.overrides, found.output) == (["a=1", "b=2"], Path("OUT"))
