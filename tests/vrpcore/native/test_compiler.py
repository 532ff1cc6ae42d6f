"""Which compiler is taken, and what it makes."""

import ctypes
import os
import shlex
import shutil
import subprocess

import pytest

from vrpcore.native import compiler
from vrpcore.native.compiler import Compiler, build_library, compile_library, find_compilers
from vrpcore.native.levels import PLAIN
from vrpcore.native.library import HGS, RICH, WORKING_DAY

posix = pytest.mark.skipif(os.name != "posix", reason="fake compilers are shell scripts")
FOREIGN = ("libstdc++", "libc++", "libgcc_s")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The only folder on PATH; zig is not installed."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(compiler, "find_spec", lambda name: None)
    return tmp_path


@pytest.fixture(scope="module")
def real():
    found = [each for each in find_compilers() if "ziglang" not in each.compile]
    if not found:
        pytest.skip("needs a C++ compiler")
    file = shutil.which(found[0].compile[0])
    command = (file, *found[0].compile[1:])
    return Compiler(command, command)


def fake(folder, name, said="too old", code=1):
    file = folder / name
    file.write_text(f"#!/bin/sh\necho '{said}'\nexit {code}\n")
    file.chmod(0o755)
    return file


@posix
def test_compilers_come_in_order_and_once(folder, monkeypatch):
    fake(folder, "clang++")
    (folder / "c++").symlink_to(fake(folder, "g++"))
    assert [each.compile for each in find_compilers()] == [("c++",), ("clang++",)]
    monkeypatch.setattr(compiler, "find_spec", lambda name: name)
    *_, zig = find_compilers()
    assert zig.compile[1:4] == ("-m", "ziglang", "c++")
    assert zig.link[1:4] == ("-m", "ziglang", "cc")
    assert "-mcpu=baseline" in zig.compile


@posix
def test_cxx_alone_is_tried(folder, monkeypatch):
    fake(folder, "c++")
    monkeypatch.setenv("CXX", "ccache 'my g++'")
    chosen = ("ccache", "my g++")
    assert list(find_compilers()) == [Compiler(chosen, chosen)]


@pytest.mark.parametrize(
    ("system", "machine", "target"),
    [
        ("linux", "x86_64", "x86_64-linux-gnu.2.28"),
        ("darwin", "arm64", "aarch64-macos.11.0"),
        ("win32", "AMD64", "x86_64-windows-gnu"),
    ],
)
def test_zig_is_told_the_target(folder, monkeypatch, system, machine, target):
    monkeypatch.setattr(compiler, "find_spec", lambda name: name)
    monkeypatch.setattr(compiler.sys, "platform", system)
    monkeypatch.setattr(compiler.platform, "machine", lambda: machine)
    *_, zig = find_compilers()
    for command in zig:
        assert command[command.index("-target") + 1] == target


@pytest.mark.parametrize("library", [HGS, RICH, WORKING_DAY, PLAIN], ids=lambda one: one.file.stem)
def test_libraries_need_no_other(library):
    if not (shutil.which("readelf") and library.file.exists()):
        pytest.skip("needs readelf, and what an installation compiles")
    asked = ["readelf", "--dynamic", library.file]
    shown = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    assert "NEEDED" in shown
    assert not any(name in shown for name in FOREIGN)


def test_further_flags_reach_the_compiler(tmp_path, real):
    with pytest.raises(subprocess.CalledProcessError) as caught:
        compile_library(real, tmp_path / "core.so", ["--no-such-flag"])
    assert "no-such-flag" in caught.value.output
    assert not list(tmp_path.iterdir())


@posix
def test_a_compiler_that_refuses_is_passed_over(folder, real):
    fake(folder, "c++")
    file = fake(folder, "clang++")
    file.write_text(f'#!/bin/sh\nPATH={os.defpath} exec {shlex.join(real.compile)} "$@"\n')
    source = folder / "small.cpp"
    source.write_text(
        'extern "C" __attribute__((visibility("default"))) int answer() { return 42; }\n'
    )
    library = folder / "core.so"
    assert build_library(library, HGS._replace(source=source)).compile == ("clang++",)
    assert ctypes.CDLL(str(library)).answer


@posix
def test_what_compilers_said_is_passed_on(folder):
    fake(folder, "c++", "no C++20 here")
    fake(folder, "clang++", "nor here")
    with pytest.raises(OSError, match=r"(?s)c\+\+ -std=c\+\+20.*no C\+\+20 here.*nor here"):
        build_library(folder / "core.so")


@posix
def test_a_compiler_that_makes_nothing_is_no_compiler(folder):
    fake(folder, "c++", code=0)
    with pytest.raises(OSError, match=r"c\+\+: .*No such file"):
        build_library(folder / "core.so")
    assert not (folder / "core.so").exists()


def test_no_compiler_at_all(folder):
    with pytest.raises(OSError, match=r"There is no C\+\+ compiler"):
        build_library(folder / "core.so")
