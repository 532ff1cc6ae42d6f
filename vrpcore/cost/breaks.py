"""Where a vehicle takes its breaks between the positions of its route."""

import heapq
import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from vrpcore.cost.itinerary import Itinerary, Taken
from vrpcore.instance.vehicle_types import Break, Window, are_in_order

# Of the slack of times: what may differ between equal times that were added up in other orders.
_TINY = 1e-3


class Part(NamedTuple):
    """Departures that fare alike, after some positions and breaks.

    Attributes:
        first: Earliest of them.
        last: Latest of them.
        elapsed: How much later the vehicle is there.
        trail: The breaks that it has taken.
        cost: What lateness so far costs the earliest of them; see cost/late_departure.py.
        slope: What it costs more for each unit of time by which one leaves later.
        waited: They all are there when the earliest of them is.
    """

    first: float
    last: float
    elapsed: float
    trail: tuple[Taken, ...]
    cost: float = 0.0
    slope: float = 0.0
    waited: bool = False


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
        fits: Whether a break may be taken after a number of stops and reloads, with what is on
            board there.
        slack: How much too late counts as in time.

    Returns:
        None where it is impossible to take all of them.
    """
    search = BreakSearch(itinerary, breaks, fits, slack)
    return search.best(search.follow(), slack + itinerary.rounding)


class BreakSearch:
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
        self._all = (1 << len(breaks)) - 1

    def follow(self) -> list[Part]:
        """Parts at the end of the itinerary, of all that take every break."""
        itinerary = self._itinerary
        first, last = itinerary.earliest, max(itinerary.earliest, itinerary.latest_start)
        if last > itinerary.latest_start + self._slack:
            return []
        parts = {0: [Part(first, last, itinerary.loading, ())]}
        for after in range(itinerary.num_visits + 1):
            if after:
                parts = {taken: self.visit(own, after - 1) for taken, own in parts.items()}
            parts = self.rest(parts, after)
        found = parts.get(self._all, [])
        for position in range(itinerary.num_visits, len(itinerary.legs)):
            found = self.visit(found, position)
        return found

    def visit(self, parts: Sequence[Part], position: int) -> list[Part]:
        """Parts after a position of the itinerary."""
        itinerary, found = self._itinerary, list[Part]()
        for part in parts:
            there = part._replace(elapsed=part.elapsed + itinerary.legs[position])
            begins = itinerary.is_open and position == 0 and not part.trail
            windows, service = itinerary.windows[position], itinerary.services[position]
            found += self._through(there, windows, service, waits=not begins)
        return self._best_of(found)

    def rest(self, parts: dict[int, list[Part]], after: int) -> dict[int, list[Part]]:
        """Parts after the breaks that are taken behind a number of positions, if any."""
        waiting = sorted(parts)
        while waiting:  # a set comes before those with more breaks, which are larger numbers
            taken = heapq.heappop(waiting)
            if not (own := parts[taken]):
                continue
            for index, each in enumerate(self._breaks):
                bit = 1 << index
                if taken & bit or self._first[index] & ~taken or not self._fits(index, after):
                    continue
                rested = list[Part]()
                for part in own:
                    trail = (*part.trail, Taken(index, after))
                    begins = self._itinerary.is_open and after == 0 and not part.trail
                    there = part._replace(trail=trail)
                    rested += self._through(there, each.windows, each.duration, waits=not begins)
                if taken | bit not in parts:
                    heapq.heappush(waiting, taken | bit)
                parts[taken | bit] = self._best_of([*rested, *parts.get(taken | bit, [])])
        return parts

    def best(self, parts: Sequence[Part], tie: float) -> tuple[Taken, ...] | None:
        """The breaks of the part that takes the least time, of those at the end."""
        latest = self._itinerary.latest + self._slack
        ended = [part for part in parts if part.first + part.elapsed <= latest]
        if not ended:
            return None
        least = min(part.elapsed for part in ended)
        fastest = [part for part in ended if part.elapsed <= least + tie]
        first = min(part.first for part in fastest)
        soonest = [part for part in fastest if part.first <= first + tie]
        return max(soonest, key=lambda part: [each.after for each in part.trail]).trail

    def _through(
        self, part: Part, windows: Sequence[Window], lasts: float, *, waits: bool
    ) -> Iterator[Part]:
        """What becomes of a part in front of windows; it may have to begin without waiting."""
        missed = bisect_left(windows, part.first + part.elapsed - self._slack, key=_closes)
        for opens, closes in windows[missed:]:
            meets = opens - part.elapsed  # who leaves then
            if waits and part.first < meets:
                leave = min(part.last, meets)
                yield Part(leave, leave, opens - leave + lasts, part.trail)
            first = max(part.first, meets)
            last = min(part.last, closes + self._slack - part.elapsed)
            if first <= last:
                yield Part(first, last, part.elapsed + lasts, part.trail)
            if part.last <= max(last, meets):
                return  # no vehicle has to wait for a later window

    def _best_of(self, parts: Sequence[Part]) -> list[Part]:
        """Those that no other one replaces; of equal ones the first.

        What leaves as in one part can leave as late in one that replaces it, and be there. Without
        waiting, the same positions and breaks take the same time.
        """
        wide: list[Part] = []
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


def _last(part: Part) -> float:
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
