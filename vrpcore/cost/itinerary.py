"""The itinerary of a route after its departure: positions with their legs, windows and times."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from vrpcore.instance.vehicle_types import Window

_ROUNDING = 1e-13  # of all times that were added up
NEVER_LATE = (math.inf, 0.0)


class Prices(NamedTuple):
    """Costs that depend on the departure of a route where lateness has a price.

    Attributes:
        dues: For each stop and reload of the route, after which time its begin costs, and how
            much per unit.
        longest: The longest duration.
        late_from: After which time the end costs.
        late: Per unit of that.
        overtime_from: Beyond which duration it costs more.
        overtime: Per unit of that.
        duration: Per unit of duration.
    """

    dues: Sequence[tuple[float, float]]
    longest: float
    late_from: float
    late: float
    overtime_from: float
    overtime: float
    duration: float

    @property
    def largest(self) -> float:
        """The largest price of a unit of time."""
        stops = (price for _, price in self.dues)
        return max(self.late, self.duration + self.overtime, *stops)


FREE = Prices((NEVER_LATE,), math.inf, math.inf, 0.0, math.inf, 0.0, 0.0)


class Holds(NamedTuple):
    """Limits on the begins of a route that depend on what was before.

    Attributes:
        waits: For each position, the longest wait from the arrival.
        rides: The longest ride to each, from the end of service at its pickup.
        pickups: The position of that; -1 without one.
        breaks: The longest wait for a break behind so many stops and reloads.
    """

    waits: Sequence[float]
    rides: Sequence[float]
    pickups: Sequence[int]
    breaks: Sequence[float]

    def behind(self, fixed: int, waited: float) -> "Holds":
        """The limits where so many positions have their times, however long that took.

        Args:
            fixed: How many.
            waited: How much longer than its service the last of them takes.
        """
        free = [math.inf] * fixed
        rides = [
            ride - waited if pickup == fixed - 1 >= 0 else ride
            for ride, pickup in zip(self.rides, self.pickups, strict=True)
        ]
        return Holds(
            [*free, *self.waits[fixed:]][: len(rides)],
            [*free, *rides[fixed:]][: len(rides)],
            self.pickups,
            [*free, *self.breaks[fixed:]][: len(self.breaks)],
        )


class Itinerary(NamedTuple):
    """The positions of a route: stops and reloads, and the end depot if there is one.

    Attributes:
        earliest: When it may leave at the earliest.
        latest: When it must be over.
        is_open: It begins with its first service or break, without waiting for it.
        num_visits: How many positions are stops and reloads.
        legs: Duration of the leg to each position.
        windows: When each may begin.
        services: How long each takes.
        lengths: Of the leg to each.
        latest_start: When it may leave, or begin, at the latest.
        loading: How long it is loaded after it has left.
        prices: Of its times.
        holds: Limits on rides and waits; None: there are none.
    """

    earliest: float
    latest: float
    is_open: bool
    num_visits: int
    legs: Sequence[float]
    windows: Sequence[Sequence[Window]]
    services: Sequence[float]
    lengths: Sequence[float]
    latest_start: float = math.inf
    loading: float = 0.0
    prices: Prices = FREE
    holds: Holds | None = None

    @property
    def rounding(self) -> float:
        """The rounding error of equal durations of the whole itinerary."""
        driven = math.fsum(self.legs) + math.fsum(self.services)
        return _ROUNDING * (abs(self.earliest) + driven + self.loading)
