"""What the tests of compiled code share."""

import shutil

import pytest

from vrpcore.native.compiler import Compiler, find_compilers
from vrpcore.search import hgs_library


@pytest.fixture(scope="session")
def compilers():
    found = list(find_compilers())
    if not found:
        pytest.skip("needs a C++ compiler")
    return found


@pytest.fixture(scope="session")
def gcc():
    if not shutil.which("g++"):
        pytest.skip("needs g++")
    return Compiler(("g++",), ("g++",))


@pytest.fixture
def without_search(monkeypatch, tmp_path):
    """An installation whose search could not be compiled."""
    load = hgs_library.load_library
    monkeypatch.setattr(hgs_library, "load_library", lambda: load(tmp_path / "missing.so"))
