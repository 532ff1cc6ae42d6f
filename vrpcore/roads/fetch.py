"""Matrices and ways from a routing service or a map, piece by piece; matrices through the cache."""

import itertools
import threading
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from vrpcore.errors import InstanceError, OutputError, describe
from vrpcore.roads.cache import ReplyCache, key_of
from vrpcore.roads.locations import Locations
from vrpcore.roads.map_client import MapClient
from vrpcore.roads.road_client import RoadClient
from vrpcore.roads.road_options import OSM, Address, RoadOptions, Say, is_profile, silent
from vrpcore.roads.services import KNOWN, Ask, MatrixBlock, Point, Reply, RoadMatrices
from vrpcore.threads import num_cores, side_by_side

# Of a reply: what it may have at least, and for each pair of points.
_LEAST_BYTES, _PAIR_BYTES = 2**20, 256
_WAY_BYTES = 2**25  # of a reply that tells a way


class Fetcher:
    """Asks a routing service, or a map, for what is not in the cache.

    Args:
        address: The service or the map.
        options: The rest.
        connections: To the service at a time; a map is asked on all cores.
        say: Called with a message before what takes long, and once if replies cannot be kept.

    Raises:
        ConfigError: The service must not get its key.
        OutputError: The cache cannot be created, or the map not be read.
        RoadsError: The map cannot be used.
        MissingExtraError: What reads maps is not installed.
    """

    def __init__(
        self,
        address: Address,
        options: RoadOptions,
        connections: int = 1,
        say: Say = silent,
    ) -> None:
        self._options, self._say = options, say
        self._service = KNOWN[address.service]
        self._cache = ReplyCache(folder) if (folder := options.cache_folder) else None
        timeout_s = options.matrix_timeout_s
        self._client = (
            MapClient(address, timeout_s, num_cores(), say)
            if address.service == OSM
            else RoadClient(address, timeout_s, connections=connections)
        )

    def close(self) -> None:
        """Ends the connection."""
        self._client.close()

    def matrices(
        self, locations: Locations, vehicle: str | None, report: Callable[[int, int], None] | None
    ) -> RoadMatrices:
        """The matrices between the U points of locations.

        Args:
            locations: Where.
            vehicle: As for `Roads.matrices`.
            report: Called after each piece how many are done, and of how many.

        Returns:
            [U, U] both, NaN where there is no road.

        Raises:
            VrpError: As for `Roads.matrices`.
        """
        profile = self._profile(vehicle)
        size, step = len(locations.points), self._options.matrix_block
        found = RoadMatrices(np.zeros((size, size)), np.zeros((size, size)))
        cuts = [slice(first, min(first + step, size)) for first in range(0, size, step)]
        parts = [(rows, columns) for rows in cuts for columns in cuts]
        done, telling, failed = itertools.count(1), threading.Lock(), threading.Event()

        def fetch(rows: slice, columns: slice) -> None:
            if failed.is_set():
                return
            piece = MatrixBlock(locations.points[rows], locations.points[columns])
            try:
                if len(piece.points) > 1:  # one point needs no road
                    block = self._block(piece, profile, locations)
                    found.durations[rows, columns], found.distances[rows, columns] = block
            except BaseException:
                failed.set()  # what others have not begun is in vain
                raise
            if report is not None:
                with telling:
                    report(next(done), len(parts))

        side_by_side([partial(fetch, *part) for part in parts], self._client.at_a_time)
        for matrix in found:
            np.fill_diagonal(matrix, 0.0)
        return found

    def way(self, locations: Locations, vehicle: str | None) -> list[Point]:
        """The way along roads by all locations in order.

        Args:
            locations: At two points at least.
            vehicle: As for `Roads.way`.

        Raises:
            VrpError: As for `Roads.way`.
        """
        profile, most = self._profile(vehicle), self._service.way_points
        stops = [point for point, _ in itertools.groupby(locations.in_order)]
        found: list[Point] = []
        for first in range(0, len(stops) - 1, most - 1):
            points = stops[first : first + most]
            ask = self._service.ask_way(points, profile)._replace(optional=True)
            reply = self._reply(ask, _WAY_BYTES, locations, points)
            try:
                found += self._service.read_way(reply)
            except ValueError as error:
                self._client.fail(f"unexpected reply: {error}")
        return [point for point, _ in itertools.groupby(found)]

    def _profile(self, vehicle: str | None) -> str:
        name = vehicle or self._options.matrix_profile or self._service.profile
        if not is_profile(name):
            message = f"{describe(name)} is not a profile; expected letters, digits, - and _"
            raise InstanceError(f"matrix: {message}", code="ROADS")
        return self._service.profiles.get(name, name)

    def _block(self, piece: MatrixBlock, profile: str, locations: Locations) -> RoadMatrices:
        key = key_of(self._client.address, profile, piece)
        if self._cache is not None and (kept := self._cache.get(key, piece.shape)):
            return kept
        limit = _LEAST_BYTES + _PAIR_BYTES * len(piece.sources) * len(piece.targets)
        reply = self._reply(self._service.ask(piece, profile), limit, locations, piece.points)
        try:
            block = self._service.read(reply, piece.shape)
        except ValueError as error:
            self._client.fail(f"unexpected reply: {error}")
        try:
            if self._cache is not None:
                self._cache.put(key, block)
        except OutputError as error:  # without the cache the block is as good
            self._say(f"{error} (replies are not kept)")
            self._say = silent
        return block

    def _reply(self, ask: Ask, limit: int, locations: Locations, points: Sequence[Point]) -> Reply:
        """The reply to a request for some points, of at most so many bytes."""
        try:
            return self._client.ask(ask, limit)
        except InstanceError as error:
            raise InstanceError(locations.named(str(error), points), code=error.code) from None
