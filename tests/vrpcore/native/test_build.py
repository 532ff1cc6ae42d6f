"""An install compiles all libraries, and goes on where that fails."""

import os
import sys
from pathlib import Path

import pytest

from vrpcore.native import build as backend
from vrpcore.native.library import Library


@pytest.fixture
def library(tmp_path, monkeypatch):
    file = tmp_path / "vrp_hgs.so"
    monkeypatch.setattr(backend, "LIBRARIES", (Library(file, tmp_path / "hgs.cpp"),))
    monkeypatch.setattr(backend, "find_spec", lambda name: None)
    monkeypatch.delenv("CXX", raising=False)
    return file


@pytest.fixture
def shown():
    """The editable wheels that show the package to type checkers, with its checkout."""
    return []


@pytest.fixture
def given(monkeypatch, shown):
    """What setuptools is asked for."""
    calls = []

    def build(folder, settings=None, metadata=None):
        calls.append(settings)
        return "vrp.whl"

    monkeypatch.setattr(backend.build_meta, "build_wheel", build)
    monkeypatch.setattr(backend.build_meta, "build_editable", build)
    monkeypatch.setattr(backend, "show_package", lambda root, wheel: shown.append((root, wheel)))
    return calls


def succeed(output, library):
    output.write_bytes(b"library")


def fail(output, library):
    raise OSError("c++ -std=c++20: exit code 1\ntoo old")


def test_a_wheel_with_the_library_names_the_platform(library, given, monkeypatch):
    monkeypatch.setattr(backend, "build_library", succeed)
    monkeypatch.setattr(backend.sysconfig, "get_platform", lambda: "linux-x86_64")
    monkeypatch.setattr(sys, "platform", "linux")
    assert backend.build_wheel("dist") == "vrp.whl"
    backend.build_wheel("dist", {"--build-option": "--build-number 7", "editable_mode": "strict"})
    options = ["--plat-name", "linux-x86_64"]
    assert given == [
        {"--build-option": options},
        {"--build-option": [*options, "--build-number", "7"], "editable_mode": "strict"},
    ]


def test_a_mac_is_named_by_what_was_compiled(library, given, monkeypatch):
    monkeypatch.setattr(backend, "build_library", succeed)
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(backend.platform, "machine", lambda: "arm64")
    backend.build_wheel("dist")
    assert given == [{"--build-option": ["--plat-name", "macosx-11.0-arm64"]}]


@pytest.mark.parametrize("build", [backend.build_wheel, backend.build_editable])
def test_the_install_goes_on_without_the_library(build, library, given, monkeypatch, capsys):
    library.write_bytes(b"of an earlier install")
    monkeypatch.setattr(backend, "build_library", fail)
    assert build("dist") == "vrp.whl"
    assert given == [None]
    assert not library.exists()
    said = capsys.readouterr().err
    assert "vrp_hgs.so could not be compiled; the install goes on without it" in said
    assert "exit code 1\ntoo old\n" in said


def test_an_editable_install_has_the_library_beside_its_sources(library, given, shown, monkeypatch):
    monkeypatch.setattr(backend, "build_library", succeed)
    backend.build_editable("dist")
    assert library.read_bytes() == b"library"
    assert shown == [(Path(__file__).parents[3], Path("dist/vrp.whl"))]


@pytest.mark.parametrize("required", ["wheel", "editable"])
def test_zig_is_fetched_where_nothing_else_works(required, library, monkeypatch):
    ask = getattr(backend, f"get_requires_for_build_{required}")
    monkeypatch.setattr(backend, "build_library", succeed)
    assert not any("zig" in name for name in ask())
    monkeypatch.setattr(backend, "build_library", fail)
    assert any(name.startswith("ziglang") for name in ask())
    monkeypatch.setenv("CXX", os.devnull)
    assert not any("zig" in name for name in ask())
    monkeypatch.delenv("CXX")
    monkeypatch.setattr(backend, "find_spec", lambda name: name)
    assert not any("zig" in name for name in ask())


def test_whether_a_compiler_works_is_found_out_without_optimization(library, monkeypatch):
    asked = []
    monkeypatch.setattr(backend, "LIBRARIES", (Library(library, library, ("-mavx2",)),))
    monkeypatch.setattr(backend, "build_library", lambda output, library: asked.append(library))
    backend.get_requires_for_build_wheel()
    assert asked == [Library(library, library, ("-mavx2", "-O0"))]


def test_one_library_that_no_compiler_makes_is_enough_to_ask_for_zig(library, monkeypatch):
    search, step = Library(library, library), Library(library.with_name("step.so"), library)

    def build(output, library):
        (succeed if library.file == search.file else fail)(output, library)

    monkeypatch.setattr(backend, "LIBRARIES", (search, step))
    monkeypatch.setattr(backend, "build_library", build)
    assert any(name.startswith("ziglang") for name in backend.get_requires_for_build_wheel())


def test_sources_go_out_without_the_library(library, monkeypatch):
    library.write_bytes(b"library")

    def build(folder, settings=None):
        assert not library.exists()
        raise OSError("disk full")

    monkeypatch.setattr(backend.build_meta, "build_sdist", build)
    with pytest.raises(OSError, match="disk full"):
        backend.build_sdist("dist")
    assert library.read_bytes() == b"library"
