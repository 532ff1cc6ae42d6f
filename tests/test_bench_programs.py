"""Programs of tests/bench can be started: what they import is there."""

import importlib
from pathlib import Path

import pytest

PROGRAMS = sorted((Path(__file__).parent / "bench").glob("*.py"))
OTHERS = {"hygese", "ortools", "pyvrp", "rl4co", "vroom"}  # of the extra `bench`


@pytest.mark.parametrize("program", PROGRAMS, ids=[each.stem for each in PROGRAMS])
def test_a_program_finds_what_it_imports(program, monkeypatch):
    monkeypatch.syspath_prepend(str(program.parent))  # as `python FILE` has it
    try:
        importlib.import_module(f"tests.bench.{program.stem}")
    except ModuleNotFoundError as error:
        if error.name not in OTHERS:
            raise
        pytest.skip(f"needs {error.name}")
