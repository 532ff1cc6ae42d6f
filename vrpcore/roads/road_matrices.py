"""Matrices of durations and distances between locations, from whatever the options name.

from vrpcore.roads.road_matrices import Roads
from vrpcore.roads.road_options import RoadOptions

with Roads(RoadOptions(matrix="osrm=http://localhost:5000")) as roads:
    durations, distances = roads.matrices([[8.68, 49.41], [8.69, 49.42]])
"""

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike

from vrpcore.cost.distance import as_points, lengths
from vrpcore.errors import ConfigError, MissingExtraError
from vrpcore.instance.instance import Float64
from vrpcore.roads.locations import Locations
from vrpcore.roads.road_options import (
    METRES,
    OSM,
    SECONDS,
    Address,
    Distance,
    RoadOptions,
    Say,
    Time,
    silent,
)
from vrpcore.roads.services import Point, RoadMatrices

if TYPE_CHECKING:
    from vrpcore.roads.fetch import Fetcher

Report = Callable[[int, int], None]
_KMH = 3.6  # a metre per second
_LEG = 2  # points, between which there is a way
_ROWS = 512  # of great circles that are computed in one go


class Roads:
    """Fetches matrices, or computes them from great circles and a speed.

    Args:
        options: With `matrix`.
        speed_kmh: Of great circles; services have durations of their own.
        connections: To the service at a time, from as many threads.
        say: Called with a message before a map is prepared, which may take long, and once if
            replies cannot be kept.

    Raises:
        ConfigError: The options name no source, the speed is missing or means nothing, or the
            service must not get its key.
        MissingExtraError: A service or a map needs the extra `roads`.
        OutputError: The cache cannot be created, or the map not be read.
        RoadsError: The map cannot be used.
    """

    _fetcher: "Fetcher | None" = None

    def __init__(
        self,
        options: RoadOptions,
        speed_kmh: float | None = None,
        connections: int = 1,
        say: Say = silent,
    ) -> None:
        if options.matrix is None:
            raise ConfigError("matrix: missing; say where matrices come from")
        address = options.address
        _check_speed(address, speed_kmh)
        self.options = options
        self._speed_kmh = speed_kmh or math.inf
        if address is not None:
            try:
                from vrpcore.roads.fetch import Fetcher
            except ModuleNotFoundError:
                raise MissingExtraError("roads", f"--matrix {_words(address)}") from None
            self._fetcher = Fetcher(address, options, connections, say)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection."""
        if self._fetcher is not None:
            self._fetcher.close()

    def measured(self, time: Time, distance: Distance) -> "Roads":
        """A client with other units, over the same connection."""
        other = copy.copy(self)
        other.options = replace(self.options, matrix_time=time, matrix_distance=distance)
        return other

    def matrices(
        self,
        coords: ArrayLike,
        vehicle: str | None = None,
        names: Sequence[str] = (),
        report: Report | None = None,
    ) -> RoadMatrices:
        """The matrices between M locations in the options' units; at one location all is 0.

        Args:
            coords: [M, 2], longitude and latitude in degrees.
            vehicle: A profile of the service, or `car`, `truck`, `bike` or `foot`; None: the
                options' profile.
            names: Of the locations, for messages.
            report: Called after each request how many are done, and of how many.

        Raises:
            InstanceError: Coordinates out of range, or something that the service refuses.
            RoadsError: The service cannot be reached, or answers something else.
        """
        locations = Locations(coords, names)
        if self._fetcher is None:
            found = _great_circles(locations.coords, self._speed_kmh)
        else:
            found = self._fetcher.matrices(locations, vehicle, report)
        missing = np.isnan(found.durations) | np.isnan(found.distances)
        seconds = SECONDS[self.options.matrix_time or "s"]
        metres = METRES[self.options.matrix_distance or "m"]
        durations, distances = (np.where(missing, math.inf, each) for each in found)
        return RoadMatrices(
            locations.spread(durations) / seconds, locations.spread(distances) / metres
        )

    def way(
        self, coords: ArrayLike, vehicle: str | None = None, names: Sequence[str] = ()
    ) -> tuple[Point, ...]:
        """The way by locations in order along roads; great circles are straight.

        Args:
            coords: [M, 2], longitude and latitude in degrees.
            vehicle: As for `matrices`.
            names: The same.

        Raises:
            InstanceError: As for `matrices`.
            RoadsError: The same.
        """
        locations = Locations(coords, names)
        if self._fetcher is None or len(locations.points) < _LEG:
            return tuple(locations.in_order)
        return tuple(self._fetcher.way(locations, vehicle))


def _check_speed(address: Address | None, speed_kmh: float | None) -> None:
    """Raises ConfigError unless great circles, and only they, have a speed."""
    if address is not None and speed_kmh is not None:
        message = f"not with --matrix {_words(address)}, which has durations of its own"
        raise ConfigError(f"speed: {message}")
    if address is None and speed_kmh is None:
        message = "haversine needs a speed in km/h: --matrix haversine --speed 50"
        raise ConfigError(f"matrix: {message}")
    if speed_kmh is not None and not 0 < speed_kmh < math.inf:
        raise ConfigError(f"speed: {speed_kmh} is not a positive number")


def _words(address: Address) -> str:
    return f"{address.service}={'FILE' if address.service == OSM else 'URL'}"


def _great_circles(coords: Float64, speed_kmh: float) -> RoadMatrices:
    """[U, U] both, as fast everywhere."""
    points = as_points(coords)
    distances = np.zeros((len(points), len(points)))
    for first in range(0, len(points), _ROWS):
        rows = slice(first, first + _ROWS)
        distances[rows] = lengths(points[rows, None], points[None, :], "haversine")
    np.fill_diagonal(distances, 0.0)
    return RoadMatrices(distances * _KMH / speed_kmh, distances)
