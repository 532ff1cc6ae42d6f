import pytest

from tests.vrpcore.serve.doubles import Server
from tests.vrpcore.solve.conftest import policy_for_all_sizes

__all__ = ["policy_for_all_sizes"]


@pytest.fixture
def server(tmp_path):
    made = Server(tmp_path)
    yield made
    made.close()
