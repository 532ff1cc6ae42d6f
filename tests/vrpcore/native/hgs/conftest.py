"""What the tests of the compiled search share."""

import pytest

from tests.vrpcore.native.hgs.inside import build_inside
from vrpcore.search import hgs_library


@pytest.fixture(scope="session")
def windows(compilers, tmp_path_factory):
    """The search compiled with windows."""
    return build_inside(compilers[0], tmp_path_factory.mktemp("core"))


@pytest.fixture
def inside(windows, monkeypatch):
    """The same; `native` works with it, too."""
    monkeypatch.setattr(hgs_library, "load_library", lambda: windows.library)
    return windows
