"""Matrices of an instance, its own and those that vehicle types name, as they are given."""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, cast

import numpy as np

from vrpcore.errors import fault
from vrpcore.formats.json.documents import InstanceDocument, MatricesRow, PlainDocument
from vrpcore.formats.json.explain import plain_name
from vrpcore.instance.instance import Float64

Rows = Sequence[Sequence[float | None]]
KEYS = MatricesRow.__struct_fields__


class GivenMatrices(NamedTuple):
    """[M, M] float64 each; None where it is not given."""

    distances: Float64 | None
    durations: Float64 | None
    costs: Float64 | None


class Extent(NamedTuple):
    """The known extent of the rows and columns of matrices.

    Attributes:
        size: How many there are.
        nodes: Why, for messages.
        order: Of the file's rows, as an instance has them; None: as they are.
    """

    size: int
    nodes: str
    order: Sequence[int] | None = None

    def read(self, rows: Rows | None, place: str) -> Float64 | None:
        """[M, M] float64 of a matrix, if there is one; see `read_matrix`."""
        if rows is None:
            return None
        matrix = read_matrix(rows, place, self.size, self.nodes)
        return matrix if self.order is None else matrix[np.ix_(self.order, self.order)]


def read_matrix(rows: Rows, place: str, size: int, nodes: str) -> Float64:
    """A square matrix of numbers of at least 0; its diagonal is never travelled and read as 0.

    Null means that no road leads from the row's node to the column's.

    Args:
        rows: Of numbers within their limits.
        place: Begins each message.
        size: M.
        nodes: What the rows are, for the message.

    Returns:
        [M, M] float64, infinite where there is no road.
    """
    matrix = read_square(rows, place, size, nodes)
    check_lengths(matrix, lambda row, column: f"{place}[{row}][{column}]")
    return matrix


def read_square(rows: Rows, place: str, size: int, nodes: str) -> Float64:
    """Read a square matrix with its diagonal as given, and numbers of any sign."""
    expected = f"expected a square matrix, {size} x {size} ({nodes})"
    if len(rows) != size:
        raise fault(place, f"{len(rows)} rows, {expected}", "SHAPE")
    for index, row in enumerate(rows):
        if len(row) != size:
            raise fault(f"{place}[{index}]", f"{len(row)} numbers, {expected}", "SHAPE")
    flat = cast(Iterable[float], itertools.chain.from_iterable(rows))
    matrix = np.fromiter(flat, np.float64, size * size).reshape(size, size)
    matrix[np.isnan(matrix)] = math.inf  # nulls
    return matrix


def check_lengths(matrix: Float64, place: Callable[[int, int], str]) -> None:
    """Check that no length or duration is below 0.

    Args:
        matrix: [M, M] float64; its diagonal, never travelled, is set to 0 in place.
        place: The place of row i, column j.

    Raises:
        InstanceError: One is negative (code OUT_OF_RANGE).
    """
    for row, column in np.argwhere(matrix < 0)[:1].tolist():
        message = f"{matrix[row, column]:g} is negative, expected at least 0"
        raise fault(place(row, column), message, "OUT_OF_RANGE")
    np.fill_diagonal(matrix, 0.0)


def read_matrices(
    found: InstanceDocument | PlainDocument | MatricesRow, place: str, extent: Extent
) -> GivenMatrices:
    """The matrices of an instance, or those of one name.

    Args:
        found: Has them.
        place: Begins each message.
        extent: Of all of them.

    Raises:
        InstanceError: One is not square, of another size, or has a value below 0.
    """
    return GivenMatrices(
        *(extent.read(getattr(found, key, None), f"{place}.{key}") for key in KEYS)
    )


def read_named(doc: InstanceDocument, place: str, extent: Extent) -> dict[str, GivenMatrices]:
    """The key `matrices` of an instance: some by name, each with distances or durations.

    Raises:
        InstanceError: As `read_matrices`, or one name has neither (code MISSING).
    """
    named = _named(doc, place)
    return {name: read_matrices(*each, extent) for name, each in named.items()}


def first_extent(doc: InstanceDocument, place: str) -> Extent | None:
    """The extent that the rows of the first matrix show; None where there is no matrix.

    Raises:
        InstanceError: It has no rows; or a name has neither distances nor durations.
    """
    for owner, where in ((doc, place), *_named(doc, place).values()):
        for key in KEYS:
            if (rows := getattr(owner, key)) is not None:
                if not rows:
                    message = "no rows, expected one for each depot and stop"
                    raise fault(f"{where}.{key}", message, "SHAPE")
                return Extent(len(rows), f"as many as {where}.{key} has rows")
    return None


def _named(doc: InstanceDocument, place: str) -> Mapping[str, tuple[MatricesRow, str]]:
    """The matrices of each name, with their place."""
    found = {}
    for name, each in (doc.matrices or {}).items():
        where = f"{place}.matrices.{plain_name(name)}"
        if each.distances is None and each.durations is None:
            raise fault(where, "empty, expected distances or durations", "MISSING")
        found[name] = (each, where)
    return found
