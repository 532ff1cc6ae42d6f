import numpy as np
import pytest

from vrpcore.errors import ShapeError
from vrpcore.train.baseline import multistart_advantage


def test_by_hand():
    advantage = multistart_advantage(np.array([[1.0, 3.0], [10.0, 10.0]]))
    assert advantage == pytest.approx(np.array([[1.0, -1.0], [0.0, 0.0]]) * 2**0.5)


def test_equal_costs_teach_nothing():
    assert (multistart_advantage(np.full((2, 3), 7.0)) == 0).all()


def test_unit_does_not_matter():
    cost = np.random.default_rng(0).random((4, 5))
    assert multistart_advantage(cost * 1e6) == pytest.approx(multistart_advantage(cost))


def test_one_start_cannot_be_compared():
    with pytest.raises(ShapeError, match=r"cost \(3, 1\) needs two starts"):
        multistart_advantage(np.ones((3, 1)))
