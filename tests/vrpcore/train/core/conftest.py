"""What the tests of the compiled training step share."""

from pathlib import Path

import pytest

from vrpcore.improve.core.compiler import find_compilers
from vrpcore.train.core.library import PLAIN

WINDOWS = ("-include", str(Path(__file__).with_name("inside.cpp")), "-I", str(PLAIN.source.parent))


@pytest.fixture(scope="session")
def compilers():
    found = list(find_compilers())
    if not found:
        pytest.skip("needs a C++ compiler")
    return found
