import numpy as np
import pytest

from vrpcore.learn.bench.self_cases import (
    compared,
    plain_case,
    variants_case,
)
from vrpcore.solve.models import open_backend


@pytest.mark.parametrize("make", [plain_case, variants_case])
def test_a_case_is_constructed_and_costs_something(make):
    case = make(8, 3)
    tours = case.construct(open_backend(case.model, "cpu"))
    costs = case.costs(tours)
    assert costs.shape == case.starts.shape == (3, 8)
    assert (costs > 0).all()
    assert case.batch.plain == (make is plain_case)
    assert compared(case, tours, np.pad(tours, ((0, 0), (0, 0), (0, 4)))) == {
        "identical": 1.0,
        "cost_gap": 0.0,
    }


def test_what_differs_is_reported():
    case = plain_case(4, 1)
    good = np.tile([1, 2, 3, 4, 0, 0, 0, 0], (1, 2, 1))
    other = good.copy()
    other[0, 1] = [1, 0, 2, 0, 3, 0, 4, 0]
    assert compared(case, other, good) == {"identical": 0.5, "cost_gap": 0.0}
    other[:] = other[:, 1:]
    assert compared(case, other, good)["cost_gap"] > 0
