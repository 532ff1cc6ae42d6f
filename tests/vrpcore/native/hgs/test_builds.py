"""Equal seeds give equal routes, whatever compiled the search."""

import dataclasses

import pytest

from tests.vrpcore.improve.cases import random_instance
from tests.vrpcore.improve.mixed import mixed_instance, search_routes
from tests.vrpcore.native.hgs.instances import KINDS, draw
from vrpcore.improve import native, native_rules
from vrpcore.improve.constrained import search_plan
from vrpcore.improve.effort import Effort
from vrpcore.improve.rule_problem import RuleProblem
from vrpcore.improve.search import improve_instance
from vrpcore.native.compiler import compile_library
from vrpcore.native.library import HGS, RICH

LEVELS = ("-O0", "-O2", "-O3 -march=native")


def compiled(compiler, folder, flags=()):
    """Both searches."""
    found = []
    for module, library in ((native, HGS), (native_rules, RICH)):
        compile_library(compiler, folder / library.file.name, flags, library.source)
        found.append(module.load_library(folder / library.file.name))
    return found


def routes_of(libraries):
    """The answers to a few instances of every kind."""
    plain, rules = libraries
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "load_library", lambda: plain)
        patch.setattr(native_rules, "load_library", lambda: rules)
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
    return routes_of(compiled(compilers[0], tmp_path_factory.mktemp("expected")))


@pytest.fixture
def installed():
    if not (native.is_built() and native_rules.is_built()):
        pytest.skip("the search was not built")
    return native.load_library(), native_rules.load_library()


def test_the_installed_libraries(installed, expected):
    assert routes_of(installed) == expected


def test_without_optimization(compilers, expected, tmp_path):
    assert routes_of(compiled(compilers[0], tmp_path, ["-O0"])) == expected


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
        folder = tmp_path / str(number)
        folder.mkdir()
        assert routes_of(compiled(compiler, folder, level.split())) == expected, compiler
