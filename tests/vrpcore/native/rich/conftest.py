"""The search with constraints, compiled together with windows and a clock of its own."""

from pathlib import Path

import pytest

from vrpcore.native.compiler import compile_library
from vrpcore.native.library import WORKING_DAY
from vrpcore.search import rich_library

WINDOWS = Path(__file__).with_name("inside.cpp")
FLAGS = ("-include", str(WINDOWS), "-I", str(WORKING_DAY.source.parent))


@pytest.fixture(scope="session")
def windows(compilers, tmp_path_factory):
    """The library, whose clock goes on by a second whenever it is read."""
    library, flags = tmp_path_factory.mktemp("rich") / "inside.so", (*WORKING_DAY.flags, *FLAGS)
    compile_library(compilers[0], library, (*flags, "-O0"), WORKING_DAY.source)
    return rich_library.load_library(library)


@pytest.fixture
def inside(windows, monkeypatch):
    """The same; all searches work with it, too."""
    monkeypatch.setattr(rich_library, "load_library", lambda *_: windows)
    return windows
