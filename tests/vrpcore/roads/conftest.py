"""A machine without proxies, keys and a cache, for all tests of roads."""

import pytest


@pytest.fixture(autouse=True)
def always_alone(alone):
    """See `alone`."""
