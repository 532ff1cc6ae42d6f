import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vrpcore.arrays.symmetry import NUM_SYMMETRIES, symmetric, unit_box


def test_the_eight_are_different_and_inside():
    point = np.array([[0.1, 0.3]], np.float32)
    images = {tuple(np.round(symmetric(point, index)[0], 6)) for index in range(NUM_SYMMETRIES)}
    assert len(images) == NUM_SYMMETRIES
    assert all(0 <= value <= 1 for image in images for value in image)


def test_box_by_hand():
    box = unit_box(np.array([[10.0, 5.0], [30.0, 5.0], [20.0, 15.0]]))
    assert box.tolist() == [[0.0, 0.25], [1.0, 0.25], [0.5, 0.75]]


def test_one_place_goes_to_the_centre():
    assert unit_box(np.full((3, 2), 7.0)).tolist() == [[0.5, 0.5]] * 3


def test_padding_does_not_matter():
    coords = np.array([[[1.0, 1.0], [2.0, 3.0], [99.0, 99.0]]])
    box = unit_box(coords, np.array([[True, True, False]]))
    assert box[0, :2].tolist() == unit_box(coords[0, :2]).tolist()
    assert box[0, 2].tolist() == [0.0, 0.0]


@given(st.integers(0, 2**32 - 1), st.floats(1e-9, 1e9), st.floats(-1e7, 1e7))
def test_scale_and_offset_do_not_matter(seed, scale, offset):
    coords = np.random.default_rng(seed).random((5, 2))
    moved = coords * scale + offset * scale
    assert unit_box(moved) == pytest.approx(unit_box(coords), abs=1e-7)


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1e-300, 1e-9, 1.0, 1e9, 1e99]),
    st.sampled_from([1.0, 1e-7, 1e-14, 0.0]),
)
def test_any_scale_and_aspect_fits(seed, scale, aspect):
    points = np.random.default_rng(seed).uniform(-1, 1, (5, 2)) * [scale, scale * aspect]
    found = unit_box(points)
    assert found.min() >= 0
    assert found.max() <= 1
    assert np.ptp(found, axis=0).max() == pytest.approx(1.0)
    assert (found.min(axis=0) + found.max(axis=0)) / 2 == pytest.approx([0.5, 0.5])
