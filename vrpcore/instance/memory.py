"""The memory that an instance takes."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np

from vrpcore.instance.constraints import Constraints
from vrpcore.instance.instance import Instance

_OF_INSTANCE, _OF_CONSTRAINTS = (
    tuple(each.name for each in fields(kind)) for kind in (Instance, Constraints)
)


def num_bytes(instance: Instance) -> int:
    """Counts the bytes of an instance's arrays; one that stands in several places counts once."""
    arrays = {id(array): array.nbytes for array in _arrays(instance)}
    return sum(arrays.values())


def _arrays(instance: Instance) -> Iterator[Any]:
    constraints = instance.constraints
    values = [*(getattr(instance, name) for name in _OF_INSTANCE), *instance.matrices]
    if constraints is not None:
        values += [getattr(constraints, name) for name in _OF_CONSTRAINTS]
    return (value for value in values if isinstance(value, np.ndarray))
