"""Matrices of an instance, its own and those that vehicle types name, as they are given."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from vrpcore.errors import fault
from vrpcore.formats.json.key_schema import Fields, check_list, check_mapping, check_matrix
from vrpcore.formats.json.keys import MATRICES, plain_name
from vrpcore.instance.instance import Float64


class Matrices(NamedTuple):
    """[M, M] float64 each; None where it is not given."""

    distances: Float64 | None
    durations: Float64 | None
    costs: Float64 | None


class Extent(NamedTuple):
    """What is known of the rows and columns of matrices.

    Attributes:
        size: How many there are.
        nodes: Why, for messages.
        order: Of the file's rows, as an instance has them; None: as they are.
    """

    size: int
    nodes: str
    order: Sequence[int] | None = None

    def read(self, value: object, place: str) -> Float64:
        """[M, M] float64 of a matrix; see `check_matrix`."""
        matrix = check_matrix(value, place, self.size, self.nodes)
        return matrix if self.order is None else matrix[np.ix_(self.order, self.order)]


def read_matrices(found: Fields, place: str, extent: Extent) -> Matrices:
    """The matrices of an instance, or those of one name.

    Args:
        found: Its keys.
        place: Begins each message.
        extent: Of all of them.

    Raises:
        InstanceError: One is not square, of another size, or has a value below 0.
    """
    return Matrices(
        *(
            extent.read(found.raw(key), f"{place}.{key}") if key in found else None
            for key in MATRICES
        )
    )


def read_named(found: Fields, place: str, extent: Extent) -> dict[str, Matrices]:
    """The key `matrices` of an instance: some by name, each with distances or durations.

    Raises:
        InstanceError: As `read_matrices`, or one name has neither (code MISSING_KEY).
    """
    return {
        name: read_matrices(fields, _place_of(name, place), extent)
        for name, fields in _named_fields(found, place).items()
    }


def first_extent(found: Fields, place: str) -> Extent | None:
    """What the rows of the first matrix say of all; None where there is no matrix.

    Raises:
        InstanceError: It is no list, or has no rows; or a name has neither distances nor
            durations.
    """
    owners = {place: found}
    owners |= {_place_of(name, place): each for name, each in _named_fields(found, place).items()}
    for owner, fields in owners.items():
        for key in MATRICES:
            if key not in fields:
                continue
            where = f"{owner}.{key}"
            size = len(check_list(fields.raw(key), where, "lists of numbers"))
            if not size:
                raise fault(where, "no rows, expected one for each depot and stop", "SHAPE")
            return Extent(size, f"as many as {where} has rows")
    return None


def _named_fields(found: Fields, place: str) -> dict[str, Fields]:
    if "matrices" not in found:
        return {}
    named = {}
    for name, value in check_mapping(found.raw("matrices"), f"{place}.matrices").items():
        where = _place_of(name, place)
        named[name] = Fields(value, where, MATRICES)
        if not named[name].has_any(("distances", "durations")):
            raise fault(where, "empty, expected distances or durations", "MISSING_KEY")
    return named


def _place_of(name: str, place: str) -> str:
    return f"{place}.matrices.{plain_name(name)}"
