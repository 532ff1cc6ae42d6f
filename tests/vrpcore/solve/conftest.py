import pytest

from tests.vrpcore.solve.doubles import Recording
from vrpcore.solve import construct


@pytest.fixture(autouse=True)
def policy_for_all_sizes(monkeypatch):
    """The tests' instances are small; what they are about needs the policy all the same."""
    monkeypatch.setattr(construct, "SEARCHED_ALONE", 0)


@pytest.fixture
def backend():
    return Recording()
