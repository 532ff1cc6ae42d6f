"""The times of a route."""

from typing import NamedTuple


class Rest(NamedTuple):
    """A break in a route.

    Attributes:
        number: Among the breaks of the vehicle type.
        begin: When it begins.
        after: How many stops are served before it.
        at_reload: It is taken at the reload behind these stops, after the loading.
    """

    number: int
    begin: float
    after: int
    at_reload: bool = False


class ReloadTimes(NamedTuple):
    """A call at a depot between two trips.

    Attributes:
        depot: Its index.
        after: How many stops are served before it.
        arrival: At the depot, waiting not yet included.
        begin: Of loading.
        return_load: [L] on board on arrival.
    """

    depot: int
    after: int
    arrival: float
    begin: float
    return_load: tuple[float, ...]


class Schedule(NamedTuple):
    """The times of a route that leaves so that it costs least; see `Timeline.schedule`.

    Attributes:
        departure: From the start depot, where loading begins then; begin of the first service or
            break where there is none.
        end: Back at the end depot; end of the last service or break where there is none.
        distance: Of its legs.
        travel: Duration of its legs.
        arrivals: At each stop, waiting not yet included.
        begins: Of setup and service at each stop.
        load: [L] most on board in any trip.
        cost: Of the vehicle, its legs and times, and of the stops it serves.
        breaks: In their order.
        reloads: In their order.
        late: How late service begins at each stop.
        late_return: How late it is back, or ends its last service.
        overtime: Of the duration.
    """

    departure: float
    end: float
    distance: float
    travel: float
    arrivals: tuple[float, ...]
    begins: tuple[float, ...]
    load: tuple[float, ...]
    cost: float
    breaks: tuple[Rest, ...] = ()
    reloads: tuple[ReloadTimes, ...] = ()
    late: tuple[float, ...] = ()
    late_return: float = 0.0
    overtime: float = 0.0

    @property
    def duration(self) -> float:
        """From departure to end."""
        return self.end - self.departure
