"""A place to draw on."""

import pytest
from matplotlib.figure import Figure


@pytest.fixture
def axis():
    return Figure().subplots()
