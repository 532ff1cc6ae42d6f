import numpy as np

from vrpcore.arrays.batch import EXACT
from vrpcore.env.state import STAMP_STEP, VISITED
from vrpcore.instance.instance import MAX_CUSTOMERS


def test_each_stamp_is_exact_and_beyond_every_load():
    longest = 2 * (MAX_CUSTOMERS + 1)  # choices of one construction
    stamps = VISITED + STAMP_STEP * np.arange(longest + 1)
    assert np.array_equal(stamps.astype(np.float32), stamps)
    assert stamps[0] > EXACT
