"""Instances for tests that only need some; a document that a test is about stays in the test."""

import json

import numpy as np
import pytest

from tests.vrpcore.documents import detailed_document, mixed_document
from vrpcore.formats.read import read_instances
from vrpcore.instance.instance import Instance


def parts(number):
    """Parts of a test of random instances; all but the first are slow."""
    return [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, number))]


def plain(coords=None, demand=None, capacity=10.0, **changes):
    """An instance of given numbers.

    Args:
        coords: Of all nodes, the depot's first; all at one point without them and `distances`.
        demand: Of the customers; 1 each without it.
        capacity: Of each vehicle.
        changes: Other fields; ids are 1, 2, ... without them.
    """
    distances = changes.pop("distances", None)
    if demand is None:
        demand = [1.0] * (len(distances if coords is None else coords) - 1)
    if coords is None and distances is None:
        coords = np.zeros((len(demand) + 1, 2))
    fields = {"name": "t", "ids": tuple(range(1, len(demand) + 1)), **changes}
    return Instance(
        capacity=float(capacity),
        coords=None if coords is None else np.asarray(coords, float),
        demand=np.array([0.0, *demand]),
        distances=None if distances is None else np.asarray(distances, float),
        **fields,
    )


def random_instance(seed, size, capacity=30.0, integer=True, **changes):
    """A plain instance of random customers on [0, 100]^2, with demands below 10."""
    rng = np.random.default_rng(seed)
    demand = rng.integers(0, 10, size + 1).astype(float) if integer else rng.random(size + 1) * 9
    changes.setdefault("coords", rng.random((size + 1, 2)) * 100)
    return plain(demand=demand[1:], capacity=capacity, **changes)


def constrained(**keys):
    """An instance with constraints, as read; its places lie on a line unless it has coords."""
    found = keys if {"depots", "distances"} & keys.keys() else {"depot": [0, 0], **keys}
    return _read(json.dumps(found).encode())


def on_a_line(*places, **each):
    """Customers 1, 2, ... at [x, 0] with keys of their own."""
    return [
        {"x": x, "y": 0, **{key: values[index] for key, values in each.items()}}
        for index, x in enumerate(places)
    ]


def mixed_instance(seed, size):
    """An instance of `size` stops with some of every constraint.

    Args:
        seed: Equal seeds give equal instances.
        size: Stops; a shipment has two.
    """
    return _read(mixed_document(seed, size))


def detailed_instance(seed, size):
    """The same with breaks, setups, times and costs of single types, and costs of legs."""
    return _read(detailed_document(seed, size))


def _read(source):
    (instance,) = read_instances(source)
    assert getattr(instance, "error", None) is None, instance
    assert instance.constraints is not None
    return instance
