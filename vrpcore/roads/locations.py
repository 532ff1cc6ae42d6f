"""Locations on Earth: checked, each point once, and what they are called."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vrpcore.errors import fault, show
from vrpcore.instance.instance import Float64
from vrpcore.roads.services import Point

_DIGITS = 6  # of degrees: a tenth of a metre


class Locations:
    """Locations, of which several may be at the same point.

    Args:
        coords: [M, 2], longitude and latitude in degrees.
        names: Of the locations, for messages; empty: their numbers.

    Raises:
        InstanceError: Coordinates out of range (code OUT_OF_RANGE).

    Attributes:
        points: The U different points, in the order in which they come first.
        coords: [U, 2] float64, the same.
    """

    def __init__(self, coords: ArrayLike, names: Sequence[str]) -> None:
        given = np.asarray(coords, np.float64).reshape(-1, 2)
        self._names = names
        self._check_degrees(given)
        rounded = np.round(given, _DIGITS) + 0.0  # no -0.0
        numbers: dict[Point, int] = {}
        order = [numbers.setdefault((x, y), len(numbers)) for x, y in rounded.tolist()]
        self.points = tuple(numbers)
        self.coords: Float64 = np.array(self.points, np.float64).reshape(-1, 2)
        self._order: NDArray[np.int64] = np.array(order, np.int64)

    @property
    def in_order(self) -> list[Point]:
        """The point of each location."""
        return [self.points[number] for number in self._order.tolist()]

    def spread(self, matrix: Float64) -> Float64:
        """[M, M] of [U, U]."""
        if len(self._order) == len(self.points):
            return matrix
        spread: Float64 = matrix[np.ix_(self._order, self._order)]
        return spread

    def named(self, message: str, points: Sequence[Point]) -> str:
        """A service's message, with the name of the coordinate that it counts.

        Args:
            message: What it says.
            points: Those that it was asked for.
        """
        found = re.search(r"coordinate ([0-9]{1,6})\b", message)
        if found is None or int(found[1]) >= len(points):
            return message
        point = self.points.index(points[int(found[1])])
        first = int(np.flatnonzero(self._order == point)[0])
        return f"{message} ({self._name(first)})"

    def _name(self, location: int) -> str:
        return self._names[location] if self._names else f"location {location}"

    def _check_degrees(self, coords: Float64) -> None:
        for axis, name, limit in ((0, "longitude", 180), (1, "latitude", 90)):
            within = np.abs(coords[:, axis]) <= limit  # False for NaN
            for location in np.flatnonzero(~within)[:1].tolist():
                found = show(float(coords[location, axis]))
                message = f"{name} {found}, expected -{limit} to {limit} degrees"
                raise fault(self._name(location), message, "OUT_OF_RANGE")
