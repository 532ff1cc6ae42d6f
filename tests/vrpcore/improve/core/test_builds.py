"""Equal seeds give equal routes, whatever compiled the search."""

import dataclasses

import pytest

from tests.vrpcore.improve.cases import random_instance
from tests.vrpcore.improve.core.instances import KINDS, draw
from tests.vrpcore.improve.mixed import mixed_instance
from vrpcore.improve import native
from vrpcore.improve.constrained import RuleProblem, search_plan, search_routes
from vrpcore.improve.core.compiler import compile_library
from vrpcore.improve.search import Effort, improve_instance

LEVELS = ("-O0", "-O2", "-O3 -march=native")


def routes_of(library):
    """The answers to a few instances of every kind."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "load_library", lambda: library)
        found = []
        for kind in KINDS:
            instance, vehicles = draw(kind, 4, 18)
            limited = dataclasses.replace(instance, max_vehicles=vehicles)
            found += [improve_instance(each, [], seed=2) for each in (instance, limited)]
        found += [search_routes(mixed_instance(seed, 12), seed=seed) for seed in range(12)]
        starts = [[(None, range(1, 13))], [(0, range(12, 0, -3)), (0, [1, 2, 1])]]
        for seed in range(12):
            problem = RuleProblem(mixed_instance(seed, 12))
            found.append(search_plan(problem, Effort("none"), starts=starts))
        return [*found, improve_instance(random_instance(1, 260), [])]


@pytest.fixture(scope="module")
def expected(compilers, tmp_path_factory):
    """By the sources as they are, by the first compiler."""
    library = tmp_path_factory.mktemp("expected") / "core.so"
    compile_library(compilers[0], library)
    return routes_of(native.load_library(library))


@pytest.fixture
def installed():
    if not native.is_built():
        pytest.skip("the search was not built")
    return native.load_library()


def test_the_installed_library(installed, expected):
    assert routes_of(installed) == expected


def test_without_optimization(compilers, expected, tmp_path):
    library = tmp_path / "core.so"
    compile_library(compilers[0], library, ["-O0"])
    assert routes_of(native.load_library(library)) == expected


@pytest.mark.parametrize("byte", [0, 255])
def test_what_was_in_the_memory_before(installed, expected, monkeypatch, byte):
    class Memory(native.Memory):
        def __init__(self, num_bytes):
            super().__init__(num_bytes)
            self._owner[:] = byte

    monkeypatch.setattr(native, "Memory", Memory)
    assert routes_of(installed) == expected


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_every_compiler(compilers, expected, tmp_path, level):
    for number, compiler in enumerate(compilers):
        library = tmp_path / f"core{number}.so"
        compile_library(compiler, library, level.split())
        assert routes_of(native.load_library(library)) == expected, compiler
