"""Vehicles that have left, and what of their known routes stays."""

from collections.abc import Sequence
from typing import NamedTuple

from vrpcore.cost.route_schedule import Schedule
from vrpcore.cost.timeline import Timeline
from vrpcore.instance.plan import Reload, Route, Started, Visit
from vrpcore.replan.going_on import schedule_begun


class UnderWay(NamedTuple):
    """A vehicle that has left.

    Attributes:
        route: Its known route by a type of its own.
        started: What it has begun.
        over: Stops and reloads of the trips that are over, with the reload that ends them.
        first: The first stops of the trip that goes on.
        due: Deliveries of what is picked up before, in the order of the known route.
        ways: How it could go on: as the known route does, and with nothing else; of what is not on
            its way to a stop yet none.
    """

    route: Route
    started: Started
    over: tuple[Visit, ...]
    first: tuple[int, ...]
    due: tuple[int, ...]
    ways: tuple[Schedule, ...]

    @property
    def type(self) -> int:
        """The number of its type, of which there is one vehicle."""
        return self.route.vehicle

    @property
    def trip(self) -> int:
        """The number of the trip that goes on."""
        return sum(isinstance(visit, Reload) for visit in self.over)

    @property
    def stops_over(self) -> tuple[int, ...]:
        """The stops of the trips that are over."""
        return stops_of(self.over)

    @property
    def stops(self) -> tuple[int, ...]:
        """The stops that stay, in order."""
        return self.stops_over + self.first

    def leaves_from(self, start: int | None) -> tuple[int | None, float]:
        """The depot where the trip that goes on begins, and when it is loaded there.

        Args:
            start: Of the vehicle.
        """
        last, started = self.over[-1] if self.over else None, self.started
        if not isinstance(last, Reload):
            return start, started.departure
        if started.home is not None:
            return last.depot, max(started.home, started.until)
        return last.depot, started.begins[len(self.over) - 1]


def stops_of(visits: Sequence[Visit]) -> tuple[int, ...]:
    """Leaves out reloads."""
    return tuple(visit for visit in visits if not isinstance(visit, Reload))


def begun_by(route: Route, started: Started, *, is_over: bool = False) -> Started:
    """The part that a route goes on with; a reload behind all of it may be gone.

    Args:
        route: The route.
        started: Of a route that had more.
        is_over: Nothing can be added to it.
    """
    count = len(route.visits)
    breaks = tuple((number, min(after, count), begin) for number, after, begin in started.breaks)
    started = started._replace(begins=started.begins[:count], breaks=breaks)
    return started._replace(is_over=True, home=None) if is_over else started


def under_way_of(timeline: Timeline, route: Route, started: Started) -> UnderWay | None:
    """Splits what a vehicle has begun; None where no road leads on from there."""
    constraints = timeline.constraints
    fixed = list(route.visits[: len(started.begins)])
    end = constraints.vehicles[route.vehicle].end
    if started.home is not None and end is not None:
        fixed.append(Reload(end, len(route.stops)))
    due = [
        stop
        for stop in stops_of(route.visits[len(fixed) :])
        if (partner := constraints.partner(stop)) is not None and partner in fixed
    ]
    ways = list[Schedule | None]()
    if stops_of(fixed):
        bare = Route.of(route.vehicle, [*fixed, *due])
        ways = [
            schedule_begun(timeline, route, started),
            schedule_begun(timeline, bare, begun_by(bare, started, is_over=True)),
        ]
        if not any(ways):
            return None  # it cannot be said in an answer
    calls = [at for at, visit in enumerate(fixed) if isinstance(visit, Reload)]
    cut = len(fixed) if started.is_over else max(calls, default=-1) + 1
    return UnderWay(
        route=route,
        started=started,
        over=tuple(fixed[:cut]),
        first=stops_of(fixed[cut:]),
        due=tuple(due),
        ways=tuple(way for way in ways if way is not None),
    )


def ended(own: UnderWay) -> UnderWay:
    """Makes of a vehicle one to which nothing can be added."""
    started = own.started._replace(is_over=True, home=None)
    over = (*own.over, *own.first, *own.due)
    return own._replace(started=started, over=over, first=(), due=())
