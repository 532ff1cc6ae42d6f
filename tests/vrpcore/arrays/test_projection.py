import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vrpcore.arrays import projection
from vrpcore.arrays.projection import on_plane, project
from vrpcore.cost.distance import distance_matrix
from vrpcore.errors import ShapeError
from vrpcore.instance.instance import Instance


def instance(coords=None, metric="euclidean", distances=None):
    size = len(coords if coords is not None else distances)
    return Instance(
        name="t",
        capacity=9.0,
        coords=None if coords is None else np.asarray(coords, float),
        demand=np.zeros(size),
        ids=tuple(range(1, size)),
        metric=metric,
        distances=None if distances is None else np.asarray(distances, float),
    )


def spread(points):
    return np.linalg.norm(points[:, None] - points, axis=-1)


@given(st.integers(0, 2**32 - 1), st.integers(2, 12))
def test_a_planar_matrix_is_recovered(seed, size):
    coords = np.random.default_rng(seed).random((size, 2))
    found = project(instance(distances=distance_matrix(instance(coords))))
    # Up to rotation, reflection and scale.
    ours, theirs = spread(found), spread(coords)
    scale = ours.sum() / theirs.sum()
    assert ours == pytest.approx(theirs * scale, abs=1e-5)
    assert found.min() >= 0
    assert found.max() <= 1


def test_landmarks_recover_a_large_planar_matrix(monkeypatch):
    monkeypatch.setattr(projection, "NUM_LANDMARKS", 20)
    coords = np.random.default_rng(0).random((70, 2))
    found = project(instance(distances=distance_matrix(instance(coords))))
    ours, theirs = spread(found), spread(coords)
    assert ours == pytest.approx(theirs * (ours.sum() / theirs.sum()), abs=1e-5)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_zero_matrices(size):
    assert project(instance(distances=np.zeros((size, size)))).tolist() == [[0.5, 0.5]] * size


def test_the_date_line_cuts_nothing():
    across = [[179.5, 10.0], [-179.5, 10.0], [-179.0, 10.5]]
    elsewhere = [[9.5, 10.0], [10.5, 10.0], [11.0, 10.5]]
    assert project(instance(across, "haversine")) == pytest.approx(
        project(instance(elsewhere, "haversine"))
    )


def test_degrees_of_longitude_shrink_towards_the_pole():
    corners = [[0.0, 59.5], [2.0, 59.5], [0.0, 60.5], [2.0, 60.5]]
    width, height = np.ptp(project(instance(corners, "haversine")), axis=0)
    assert width / height == pytest.approx(2 * np.cos(np.radians(60.0)), rel=1e-9)


def test_needs_something_to_project():
    empty = Instance(name="t", capacity=1.0, coords=None, demand=np.zeros(1), ids=())
    with pytest.raises(ShapeError, match="neither coords nor distances"):
        project(empty)


@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.sampled_from([1e-100, 1.0, 1e100]))
def test_any_matrix_finds_a_place_in_the_square(seed, size, scale):
    rng = np.random.default_rng(seed)
    distances = rng.random((size, size)) * scale * (rng.random((size, size)) < 0.7)
    np.fill_diagonal(distances, 0)
    found = project(instance(distances=distances))
    assert found.shape == (size, 2)
    assert ((found >= 0) & (found <= 1)).all()


@pytest.mark.parametrize("places", [[[0, 90], [120, 90], [240, 90]], [[0, 0], [120, 0], [240, 0]]])
def test_all_around_the_globe(places):
    found = project(instance(places, "haversine"))
    assert ((found >= 0) & (found <= 1)).all()


def test_lines_on_the_plane_are_about_as_long_as_on_the_sphere():
    berlin = np.array([[13.4, 52.5], [13.5, 52.5], [13.3, 52.5], [13.4, 52.6], [13.4, 52.4]])
    on_sphere = distance_matrix(instance(berlin, "haversine"))
    assert spread(on_plane(berlin, "haversine")) == pytest.approx(on_sphere, rel=2e-3)
    assert on_plane(berlin, "euc_2d") is berlin
