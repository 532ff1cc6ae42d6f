"""Labels of variants: in and out of files, and their other writings."""

import numpy as np
import pytest

from tests.vrpcore.variants import NAMES, labelled
from vrpcore.config.sections import TrainConfig
from vrpcore.errors import InstanceError
from vrpcore.improve import native_rules
from vrpcore.train.variant_data import arrange
from vrpcore.train.variant_labels import read_variant_labels, write_labels
from vrpcore.train.variant_learner import costs_of

needs_search = pytest.mark.skipif(not native_rules.is_built(), reason="the search was not built")


@needs_search
def test_labels_survive_a_file(tmp_path):
    labels = labelled()
    write_labels(tmp_path / "v.npz", labels)
    read = read_variant_labels(str(tmp_path / "v.npz"))
    assert np.allclose(read.length, labels.length)
    assert all(np.array_equal(*pair) for pair in zip(read.batch, labels.batch, strict=True))
    assert read.num_customers == 8


@needs_search
def test_damaged_labels_are_refused(tmp_path):
    labels = labelled(NAMES[:3])
    path = tmp_path / "v.npz"

    def saved(**changes):
        arrays = labels.batch._asdict() | {"tour": labels.tour} | changes
        np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
        return str(path)

    for words, changes in {
        "lacks tour": {"tour": None},
        "lacks closing": {"closing": None},
        "limit: shape": {"limit": np.zeros(2, np.float32)},
        "not all finite": {"opening": labels.batch.opening * np.nan},
        "not every customer": {"tour": np.zeros_like(labels.tour)},
        "out of range": {"tour": labels.tour + 99},
    }.items():
        with pytest.raises(InstanceError, match=words):
            read_variant_labels(saved(**changes))


@needs_search
def test_other_writings_are_the_same_routes():
    labels = labelled()
    batch = arrange(labels, TrainConfig(orders=3), np.random.default_rng(0), symmetric_copies=True)
    lengths = costs_of(batch, batch.tours.numpy())
    assert np.allclose(lengths, labels.length[:, None], rtol=1e-5)
    assert (batch.tours[:, 0] != batch.tours[:, 1]).any()
