from tests.vrpcore.solve.conftest import policy_for_all_sizes

__all__ = ["policy_for_all_sizes"]
