"""What the tests of the compiled search and of the compiled training step share."""

import shutil

import pytest

from vrpcore.native.compiler import Compiler, find_compilers


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
