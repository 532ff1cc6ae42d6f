"""Programs of tests/bench can be started: what they import is there."""

import importlib
from pathlib import Path

import pytest

from tests.bench.rich_ablation import COMPILED
from vrpcore.native.library import RICH

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


@pytest.mark.parametrize(("header", "text"), [each[:2] for each in COMPILED.values()], ids=COMPILED)
def test_the_ablation_finds_the_constants_that_it_replaces(header, text):
    assert (RICH.source.parent / header).read_text().count(text) == 1
