"""The search with constraints, compiled together with windows and a clock of its own."""

from pathlib import Path

import pytest

from vrpcore.native.compiler import build_library, compile_library
from vrpcore.native.library import WORKING_DAY
from vrpcore.search import rich_library

WINDOWS = Path(__file__).with_name("inside.cpp")
FLAGS = ("-include", str(WINDOWS), "-I", str(WORKING_DAY.source.parent))


@pytest.fixture(scope="session")
def windows(tmp_path_factory):
    """The library, whose clock goes on by a second whenever it is read."""
    folder = tmp_path_factory.mktemp("rich")
    library, flags = folder / "inside.so", (*WORKING_DAY.flags, *FLAGS, "-O1")
    try:
        compiler = build_library(folder / "plain.so")
    except OSError as error:
        pytest.skip(f"needs a C++ compiler: {error}")
    compile_library(compiler, library, flags, WORKING_DAY.source)
    return rich_library.load_library(library)


@pytest.fixture
def inside(windows, monkeypatch):
    """The same; all searches work with it, too."""
    monkeypatch.setattr(rich_library, "load_library", lambda *_: windows)
    return windows
