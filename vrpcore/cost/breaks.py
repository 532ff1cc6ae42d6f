"""The positions of a route in order, and where a vehicle takes its breaks between them."""

import heapq
import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from vrpcore.instance.vehicle_types import Break, Window, are_in_order

# Of the slack of times: what may differ between equal times that were added up in other orders.
_TINY = 1e-3
_ROUNDING = 1e-13  # of all times that were added up


class Taken(NamedTuple):
    """A break in a route.

    Attributes:
        number: Of the break, among those of the vehicle type.
        after: How many stops are served before it.
    """

    number: int
    after: int


class Rest(NamedTuple):
    """A break in a route.

    Attributes:
        number: Among the breaks of the vehicle type.
        begin: When it begins.
        after: How many stops are served before it.
    """

    number: int
    begin: float
    after: int


class Itinerary(NamedTuple):
    """The positions of a route after its departure: stops, and the end depot if there is one.

    Attributes:
        earliest: When it may leave at the earliest.
        latest: When it must be over.
        is_open: It begins with its first service or break, without waiting for it.
        num_stops: How many positions are stops.
        legs: Duration of the leg to each position.
        windows: When each may begin.
        services: How long each takes.
        lengths: Of the leg to each.
        latest_start: When it may leave, or begin, at the latest.
    """

    earliest: float
    latest: float
    is_open: bool
    num_stops: int
    legs: Sequence[float]
    windows: Sequence[Sequence[Window]]
    services: Sequence[float]
    lengths: Sequence[float]
    latest_start: float = math.inf

    @property
    def rounding(self) -> float:
        """What rounding may make of equal durations of the whole itinerary."""
        return _ROUNDING * (abs(self.earliest) + math.fsum(self.legs) + math.fsum(self.services))

    def with_breaks(self, breaks: Sequence[Break], taken: Sequence[Taken]) -> "Itinerary":
        """The same with breaks as positions of their own, without a leg to them."""
        rows: list[tuple[float, Sequence[Window], float, float]] = []
        positions = list(zip(self.legs, self.windows, self.services, self.lengths, strict=True))
        for after in range(len(positions) + 1):
            own = (breaks[each.number] for each in taken if each.after == after)
            rows += [(0.0, each.windows, each.duration, 0.0) for each in own]
            rows += positions[after : after + 1]
        legs, windows, services, lengths = zip(*rows, strict=True)
        return self._replace(legs=legs, windows=windows, services=services, lengths=lengths)


class _Part(NamedTuple):
    """Departures that fare alike, after some positions and breaks.

    Attributes:
        first: Earliest of them.
        last: Latest of them.
        elapsed: How much later the vehicle is there.
        trail: The breaks that it has taken.
    """

    first: float
    last: float
    elapsed: float
    trail: tuple[Taken, ...]


def place_breaks(
    itinerary: Itinerary,
    breaks: Sequence[Break],
    fits: Callable[[int, int], bool],
    slack: float,
) -> tuple[Taken, ...] | None:
    """The breaks in their order and positions, so that the route takes the least time.

    Among those, the earliest departure decides; of breaks that fit equally well, the later one is
    kept. Follows all departures at once, for each set of breaks that may have been taken. Who is
    somewhere earlier is never worse off, so of parts that leave at the same time only the fastest
    is kept.

    Args:
        itinerary: Of the route without breaks.
        breaks: Of the vehicle type; see `breaks_before`.
        fits: Whether a break may be taken after a number of stops, with what is on board there.
        slack: How much too late counts as in time.

    Returns:
        None where it is impossible to take all of them.
    """
    if itinerary.earliest > itinerary.latest_start:
        return None
    search = _Search(itinerary, breaks, fits, slack)
    parts = {0: [_Part(itinerary.earliest, itinerary.latest_start, 0.0, ())]}
    for after in range(itinerary.num_stops + 1):
        if after:
            parts = {taken: search.visit(own, after - 1) for taken, own in parts.items()}
        parts = search.rest(parts, after)
    return search.best(parts.get(search.all, []), slack + itinerary.rounding)


class _Search:
    """Places breaks in one route; sets of breaks are numbers with a bit for each."""

    def __init__(
        self,
        itinerary: Itinerary,
        breaks: Sequence[Break],
        fits: Callable[[int, int], bool],
        slack: float,
    ) -> None:
        self._itinerary, self._breaks, self._fits, self._slack = itinerary, breaks, fits, slack
        self._tiny = _TINY * slack
        self._first = [breaks_before(breaks, index, slack) for index in range(len(breaks))]
        self.all = (1 << len(breaks)) - 1

    def visit(self, parts: Sequence[_Part], position: int) -> list[_Part]:
        """Parts after a position of the itinerary."""
        itinerary, found = self._itinerary, list[_Part]()
        for part in parts:
            there = part._replace(elapsed=part.elapsed + itinerary.legs[position])
            begins = itinerary.is_open and position == 0 and not part.trail
            windows, service = itinerary.windows[position], itinerary.services[position]
            found += self._through(there, windows, service, waits=not begins)
        return self._best_of(found)

    def rest(self, parts: dict[int, list[_Part]], after: int) -> dict[int, list[_Part]]:
        """Parts after the breaks that are taken behind a number of stops, if any."""
        waiting = sorted(parts)
        while waiting:  # a set comes before those with more breaks, which are larger numbers
            taken = heapq.heappop(waiting)
            if not (own := parts[taken]):
                continue
            for index, each in enumerate(self._breaks):
                bit = 1 << index
                if taken & bit or self._first[index] & ~taken or not self._fits(index, after):
                    continue
                rested = list[_Part]()
                for part in own:
                    trail = (*part.trail, Taken(index, after))
                    begins = self._itinerary.is_open and after == 0 and not part.trail
                    there = part._replace(trail=trail)
                    rested += self._through(there, each.windows, each.duration, waits=not begins)
                if taken | bit not in parts:
                    heapq.heappush(waiting, taken | bit)
                parts[taken | bit] = self._best_of([*rested, *parts.get(taken | bit, [])])
        return parts

    def best(self, parts: Sequence[_Part], tie: float) -> tuple[Taken, ...] | None:
        """The breaks of the part that takes the least time to the end."""
        itinerary = self._itinerary
        for position in range(itinerary.num_stops, len(itinerary.legs)):
            parts = self.visit(parts, position)
        ended = [
            part for part in parts if part.first + part.elapsed <= itinerary.latest + self._slack
        ]
        if not ended:
            return None
        least = min(part.elapsed for part in ended)
        fastest = [part for part in ended if part.elapsed <= least + tie]
        first = min(part.first for part in fastest)
        soonest = [part for part in fastest if part.first <= first + tie]
        return max(soonest, key=lambda part: [each.after for each in part.trail]).trail

    def _through(
        self, part: _Part, windows: Sequence[Window], lasts: float, *, waits: bool
    ) -> Iterator[_Part]:
        """What becomes of a part in front of windows; it may have to begin without waiting."""
        missed = bisect_left(windows, part.first + part.elapsed - self._slack, key=_closes)
        for opens, closes in windows[missed:]:
            meets = opens - part.elapsed  # who leaves then
            if waits and part.first < meets:
                leave = min(part.last, meets)
                yield _Part(leave, leave, opens - leave + lasts, part.trail)
            first = max(part.first, meets)
            last = min(part.last, closes + self._slack - part.elapsed)
            if first <= last:
                yield _Part(first, last, part.elapsed + lasts, part.trail)
            if part.last <= max(last, meets):
                return  # no vehicle has to wait for a later window

    def _best_of(self, parts: Sequence[_Part]) -> list[_Part]:
        """Those that no other one replaces; of equal ones the first.

        What leaves as in one part can leave as late in one that replaces it, and be there. Without
        waiting, the same positions and breaks take the same time.
        """
        wide: list[_Part] = []
        for part in sorted(parts, key=lambda part: (part.first, -part.last)):
            if part.first < part.last and (not wide or part.last > wide[-1].last):
                wide.append(part)
        kept, soonest = wide[:], math.inf
        points = [part for part in parts if part.first == part.last]
        for part in sorted(points, key=lambda part: (-part.first, part.elapsed)):
            there = part.first + part.elapsed + self._tiny
            position = bisect_left(wide, part.first, key=_last)
            if position < len(wide):
                leave = max(wide[position].first, part.first)
                if leave + wide[position].elapsed <= there:
                    continue
            if soonest > there:
                soonest = part.first + part.elapsed
                kept.append(part)
        return kept


def _closes(window: Window) -> float:
    return window[1]


def _last(part: _Part) -> float:
    return part.last


def in_order(breaks: Sequence[Break]) -> list[int]:
    """The breaks in the order in which their last windows end."""
    return sorted(range(len(breaks)), key=lambda index: breaks[index].windows[-1][1])


def breaks_before(breaks: Sequence[Break], index: int, slack: float) -> int:
    """The breaks that come before one: they are listed before it with equal windows, or over.

    Where they `are_in_order`, all whose last windows end sooner, or at the same time and are
    listed before it.

    Args:
        breaks: Of a vehicle type.
        index: Of the one.
        slack: How much too late counts as in time.

    Returns:
        A bit for each of them.
    """
    if are_in_order(breaks):
        order = in_order(breaks)
        return sum(1 << other for other in order[: order.index(index)])
    own, found = breaks[index], 0
    for other, each in enumerate(breaks):
        equal = other < index and each.windows == own.windows
        if equal or (other != index and each.windows[-1][1] + slack < own.windows[0][0]):
            found |= 1 << other
    return found
