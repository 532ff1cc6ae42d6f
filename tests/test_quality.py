"""The promise of the shipped model: gaps on the small reference sets."""

import numpy as np
import pytest

from vrpcore.api import Solver
from vrpcore.instance.generator import Problems, as_instances


def mean_gap(path, **options):
    with np.load(path) as arrays:
        count = len(arrays["coords"])
        problems = Problems(
            coords=arrays["coords"].astype(np.float64),
            demand=arrays["demand"].astype(np.int64),
            capacity=np.full(count, int(arrays["capacity"])),
        )
        reference = arrays["ref_cost"]
    solutions = Solver(device="cpu").solve(as_instances(problems, "k"), **options)
    assert all(solution.status == "solved" for solution in solutions)
    return float((np.array([solution.cost for solution in solutions]) / reference - 1).mean())


@pytest.mark.slow
@pytest.mark.parametrize(("size", "limit"), [(10, 2e-4), (20, 1.5e-3), (50, 1e-2), (100, 2.5e-2)])
def test_default_gap(kool_path, size, limit):
    assert mean_gap(kool_path(size)) <= limit


@pytest.mark.slow
@pytest.mark.parametrize(("size", "limit"), [(20, 0.01), (50, 0.03), (100, 0.06)])
def test_policy_alone_gap(kool_path, size, limit):
    assert mean_gap(kool_path(size), improve="none", augment=8) <= limit
