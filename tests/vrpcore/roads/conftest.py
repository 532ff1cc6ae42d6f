"""The stand-in, and a machine without proxies, keys and a cache."""

import pytest

from tests.vrpcore.roads.standin import Standin


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """No proxy, no key, and the user's cache folder elsewhere."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "ORS_API_KEY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def standin():
    with Standin() as server:
        yield server
