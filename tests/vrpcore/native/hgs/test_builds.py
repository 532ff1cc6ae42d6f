"""Equal seeds give equal routes, whatever compiled the search."""

import dataclasses

import pytest

from tests.build import mixed_instance, random_instance
from tests.vrpcore.native.hgs.instances import KINDS, draw
from tests.vrpcore.search.cases import known_problems
from tests.vrpcore.search.mixed import search_routes
from tests.vrpcore.search.random_day import random_day
from vrpcore.instance.plan import ANY_VEHICLE, Plan, Route
from vrpcore.native.compiler import compile_library
from vrpcore.native.library import HGS, RICH, WORKING_DAY
from vrpcore.search import hgs_library, rich_library
from vrpcore.search.effort import Effort
from vrpcore.search.hgs_search import improve_instance
from vrpcore.search.known_tours import improve_tours
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.rich_search import search_plan

MODULES = ((hgs_library, HGS), (rich_library, RICH), (rich_library, WORKING_DAY))
LEVELS = ("-O0", "-O3", "-O3 -march=native")
SEEDS = 4


def compiled(compiler, folder, flags=()):
    """All searches."""
    found = []
    for module, library in MODULES:
        flags_of = (*library.flags, *flags)
        compile_library(compiler, folder / library.file.name, flags_of, library.source)
        found.append(module.load_library(folder / library.file.name))
    return found


def routes_of(libraries):
    """The answers to a few instances of every kind."""
    plain, constraints, working_day = libraries
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hgs_library, "load_library", lambda: plain)
        patch.setattr(
            rich_library, "load_library", lambda *file: working_day if file else constraints
        )
        found = []
        for kind in KINDS:
            instance, vehicles = draw(kind, 4, 18)
            limited = dataclasses.replace(instance, max_vehicles=vehicles)
            found += [improve_instance(each, [], seed=2) for each in (instance, limited)]
        found += [search_routes(mixed_instance(seed, 12), seed=seed) for seed in range(SEEDS)]
        starts = [
            Plan([Route(ANY_VEHICLE, tuple(range(1, 13)))]),
            Plan([Route(0, tuple(range(12, 0, -3))), Route(0, (1, 2, 1))]),
        ]
        for seed in range(SEEDS):
            problem = RichProblem(mixed_instance(seed, 12))
            found.append(search_plan(problem, Effort("none"), starts=starts))
        for seed in range(SEEDS):
            found.append(search_routes(random_day(seed, 12), seed=seed))
        found.append(improve_tours(*known_problems((2, 7, 15, 30, 100)), 20).tolist())
        return [*found, improve_instance(random_instance(1, 260), [])]


@pytest.fixture(scope="module")
def installed():
    return [module.load_library(library.file) for module, library in MODULES]


@pytest.fixture(scope="module")
def expected(installed):
    """By the installed libraries, which are of these sources."""
    return routes_of(installed)


@pytest.mark.parametrize("byte", [255, pytest.param(0, marks=pytest.mark.slow)])
def test_what_was_in_the_memory_before(installed, expected, monkeypatch, byte):
    class Memory(hgs_library.Memory):
        def __init__(self, num_bytes):
            super().__init__(num_bytes)
            self._owner[:] = byte

    monkeypatch.setattr(hgs_library, "Memory", Memory)
    assert routes_of(installed) == expected


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_every_compiler(compilers, expected, tmp_path, level):
    for number, compiler in enumerate(compilers):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert routes_of(compiled(compiler, folder, level.split())) == expected, compiler
