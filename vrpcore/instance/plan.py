"""Routes and plans, as a search begins with them and finds them."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

# In place of a vehicle type, in routes to start from: they do not state which one drives them.
ANY_VEHICLE = -1


class Reload(NamedTuple):
    """A visit to a depot, between two trips of a vehicle.

    Attributes:
        depot: Index of the depot.
        after: How many stops of the route are served before it, 1 or more; a stop follows.
    """

    depot: int
    after: int


Visit = int | Reload


class Goods(NamedTuple):
    """The amount that a trip was loaded with for a stop.

    Attributes:
        id: Of the stop; the instance need not have it any more.
        amount: One number a load dimension.
        trip: Which of the trips of its known route, from 0.
        begin: When its service begins by the plan; None: not stated, or not in that trip.
    """

    id: str | int
    amount: tuple[float, ...]
    trip: int = 0
    begin: float | None = None


class KnownDay(NamedTuple):
    """The day of a known route as far as it is stated; only a plan that goes on needs it.

    Attributes:
        departure: When it begins; None: not stated.
        begins: Of its stops and reloads, if it was frozen before, or some of its stops are gone, or
            with `rounding`.
        breaks: Their number in the vehicle type, how many stops and reloads come before, and, as
            for `begins`, when they begin.
        rounding: How far off the departure may be where times were rounded, and how much sooner
            than stated something may have begun, but no more; None: they are exact.
        goods: What its trips were loaded with, 0 for stops without a delivery; empty: not stated.
        is_lost: Its vehicle has broken down.
        gone: When those of its stops that are gone were to begin.
        back: When it was to be back with them; None: not stated, or none is gone.
    """

    departure: float | None = None
    begins: tuple[float, ...] = ()
    breaks: tuple[tuple[int, int, float | None], ...] = ()
    rounding: float | None = None
    goods: tuple[Goods, ...] = ()
    is_lost: bool = False
    gone: tuple[float, ...] = ()
    back: float | None = None


class Started(NamedTuple):
    """The part of a route that a vehicle has begun at some time.

    Attributes:
        until: That time: nothing else begins before it, and no other leg.
        departure: When it left, before that time.
        begins: Of its first stops and reloads, in order: of those that had begun by then, and of
            the one that it is on its way to.
        breaks: Those that had begun by then: their number in the vehicle type, how many stops and
            reloads come before, and when they began.
        stops: How many stops had begun by then.
        is_over: It was then on its way to its end, or there, or cannot keep its limits: nothing is
            added but the deliveries of what it has picked up, however late.
        home: When it is at its end, where it may reload and leave again; None: not so.
        trip: Which of its trips it had begun to load last, from 0.
        loaded: What that trip was loaded with, delivered or not.
        is_lost: It has broken down, and delivers nothing more.
    """

    until: float
    departure: float
    begins: tuple[float, ...] = ()
    breaks: tuple[tuple[int, int, float], ...] = ()
    stops: int = 0
    is_over: bool = False
    home: float | None = None
    trip: int = 0
    loaded: tuple[Goods, ...] = ()
    is_lost: bool = False

    def rests_after(self, count: int) -> bool:
        """Return whether a break had begun after `count` stops and reloads."""
        return any(after == count for _, after, _ in self.breaks)


class Route(NamedTuple):
    """One vehicle's stops.

    Attributes:
        vehicle: Index of its type; 0 in a plain instance; `ANY_VEHICLE` in a known route that
            states none.
        stops: 1..N in visiting order, at least one.
        reloads: In order.
        van: Id of its vehicle among those of a type that VROOM's problems tell apart; None: not
            known, or no such problem.
    """

    vehicle: int
    stops: tuple[int, ...]
    reloads: tuple[Reload, ...] = ()
    van: int | None = None

    @classmethod
    def of(cls, vehicle: int, visits: Iterable[Visit]) -> "Route":
        """Makes a route of stops and reloads, without reloads that no stop precedes or follows.

        Of several reloads between the same two stops the first stays.

        Args:
            vehicle: Index of its type.
            visits: In order; where reloads say that they come does not count.
        """
        stops, reloads = list[int](), dict[int, Reload]()
        for visit in visits:
            if not isinstance(visit, Reload):
                stops.append(visit)
            elif stops:
                reloads.setdefault(len(stops), Reload(visit.depot, len(stops)))
        reloads.pop(len(stops), None)
        return cls(vehicle, tuple(stops), tuple(reloads.values()))

    @property
    def visits(self) -> Sequence[Visit]:
        """Stops and reloads, in order."""
        if not self.reloads:
            return self.stops
        found: list[Visit] = list(self.stops)
        for reload in reversed(self.reloads):
            found.insert(reload.after, reload)
        return found


class Plan(NamedTuple):
    """Routes of an instance: what a search begins with, and what it finds.

    Known routes may break every limit, leave out who is required and serve others twice.

    Attributes:
        routes: The vehicles in use.
        missing: Weight of the required stops that are left out; 0 where it is not known.
        cost: Of the vehicles, and the prizes of optional stops that are left out; NaN: not known.
        repaired: It was searched from routes that broke limits.
        unknown: Stops, vehicle types and depots that known routes name and the instance does not
            have, in words.
        days: Of known routes, each with its day; empty: they state nothing of it.
        away: If it goes on, known routes of vehicles that are out or lost and have no stop left.
        freeze: If the plan goes on: what begins before this time stays, and nothing else begins
            before it.
        started: If it goes on: the part of each of its routes that stays; None: its vehicle leaves
            at that time or later. Empty where that is not known.
        parts: Where stops may be split, what each visit of each route brings or takes, one number
            a load dimension; empty: all that its stop asks for.
    """

    routes: list[Route]
    missing: int = 0
    cost: float = math.nan
    repaired: bool = False
    unknown: tuple[str, ...] = ()
    days: tuple[KnownDay, ...] = ()
    away: tuple[tuple[Route, KnownDay], ...] = ()
    freeze: float | None = None
    started: tuple[Started | None, ...] = ()
    parts: tuple[tuple[tuple[float, ...], ...], ...] = ()

    @classmethod
    def known(
        cls, routes: list[Route], days: Sequence[KnownDay], unknown: Iterable[str] = ()
    ) -> "Plan":
        """Makes a plan of known routes, each with its day; what is unknown is named once."""
        stated = tuple(days) if any(day != KnownDay() for day in days) else ()
        return cls(routes, unknown=tuple(dict.fromkeys(unknown)), days=stated)

    @classmethod
    def of(cls, routes: Iterable[Sequence[int]]) -> "Plan":
        """Makes the plan of a plain instance from the customers 1..N of each route."""
        return cls([Route(0, tuple(stops)) for stops in routes])

    @property
    def num_vehicles(self) -> int:
        """The number of vehicles in use."""
        return len(self.routes)

    @property
    def each_started(self) -> tuple[Started | None, ...]:
        """The part of each route that stays."""
        return self.started or (None,) * len(self.routes)

    @property
    def each_day(self) -> tuple[KnownDay, ...]:
        """The day of each route."""
        return self.days or (KnownDay(),) * len(self.routes)

    @property
    def gone_vans(self) -> set[int | None]:
        """The vehicles that have broken down, or are away and have no stop left."""
        days = (*zip(self.routes, self.each_day, strict=True), *self.away)
        return {route.van for route, day in days if day.is_lost or not route.stops}
