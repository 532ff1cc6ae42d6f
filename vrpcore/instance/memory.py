"""How much memory an instance takes."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np

from vrpcore.instance.instance import Instance


def num_bytes(instance: Instance) -> int:
    """Counts the bytes of an instance's arrays; one that stands in several places counts once."""
    arrays = {id(array): array.nbytes for array in _arrays(instance)}
    return sum(arrays.values())


def _arrays(instance: Instance) -> Iterator[Any]:
    constraints = instance.constraints
    values = [getattr(instance, each.name) for each in fields(instance)]
    if constraints is not None:
        values += [getattr(constraints, each.name) for each in fields(constraints)]
        values += [matrix for named in constraints.matrices.values() for matrix in named]
    return (value for value in values if isinstance(value, np.ndarray))
