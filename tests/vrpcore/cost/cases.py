"""Instances that the tests of costs share."""

import numpy as np

from vrpcore.instance.instance import Instance


def instance(coords, metric="euclidean", distances=None):
    size = len(coords if coords is not None else distances) - 1
    return Instance(
        name="t",
        capacity=10.0,
        coords=None if coords is None else np.array(coords, float),
        demand=np.array([0.0] + [1.0] * size),
        ids=tuple(range(1, size + 1)),
        metric=metric,
        distances=None if distances is None else np.array(distances, float),
    )
