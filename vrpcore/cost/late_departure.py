"""When a vehicle leaves so that its route costs least, where lateness has a price."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from vrpcore.cost.breaks import BreakSearch, Part
from vrpcore.cost.itinerary import NEVER_LATE, Itinerary, Prices, Taken
from vrpcore.instance.vehicle_types import Break, Window


class Departure(NamedTuple):
    """When to leave, and where to take the breaks.

    Attributes:
        cost: Of what depends on it.
        duration: Of the route.
        time: When to leave.
        trail: The breaks in their order.
    """

    cost: float
    duration: float
    time: float
    trail: tuple[Taken, ...]


def least_cost(
    itinerary: Itinerary,
    prices: Prices,
    breaks: Sequence[Break],
    fits: Callable[[int, int], bool],
    slack: float,
) -> Departure | None:
    """The departure that costs least, of those the one with the least duration, then the earliest.

    The cost is a piecewise linear function of the departure for each way to take the breaks. All
    times only jump upwards as the departure does, so it is least at the end of some piece, or
    where a price begins.

    Args:
        itinerary: Of the route without breaks.
        prices: Of its times.
        breaks: Of the vehicle type.
        fits: As `place_breaks` has it.
        slack: How much too late counts as in time.

    Returns:
        None where each is too late, or takes too long.
    """
    search = _LateSearch(itinerary, prices, breaks, fits, slack)
    ended = [each for part in search.follow() for each in search.departures(part)]
    if not ended:
        return None
    same = slack + itinerary.rounding
    least = min(each.cost for each in ended)
    tie = prices.largest * itinerary.rounding
    cheapest = [each for each in ended if each.cost <= least + tie]
    shortest = min(each.duration for each in cheapest) + same
    fastest = [each for each in cheapest if each.duration <= shortest]
    first = min(each.time for each in fastest) + same
    soonest = [each for each in fastest if each.time <= first]
    return max(soonest, key=lambda each: [taken.after for taken in each.trail])


class _LateSearch(BreakSearch):
    """Follows departures with what their lateness costs."""

    def __init__(
        self,
        itinerary: Itinerary,
        prices: Prices,
        breaks: Sequence[Break],
        fits: Callable[[int, int], bool],
        slack: float,
    ) -> None:
        super().__init__(itinerary, breaks, fits, slack)
        self._prices = prices
        self._due = NEVER_LATE  # of the position that is visited
        self._is_alone = not breaks

    def visit(self, parts: Sequence[Part], position: int) -> list[Part]:
        """Parts after a position of the itinerary."""
        dues = self._prices.dues
        self._due = dues[position] if position < len(dues) else NEVER_LATE
        found = super().visit(parts, position)
        self._due = NEVER_LATE
        return found

    def departures(self, part: Part) -> Iterator[Departure]:
        """Those that may be best: the first and the last, and where a price begins."""
        prices, latest, slack = self._prices, self._itinerary.latest, self._slack
        first, last = part.first, part.last
        if part.waited:
            end = first + part.elapsed
            if end > latest + slack or end - last > prices.longest + slack:
                return
            first = max(first, min(last, end - prices.longest))
            turn = end - prices.overtime_from
        else:
            if first + part.elapsed > latest + slack or part.elapsed > prices.longest + slack:
                return
            last = min(last, max(first, latest - part.elapsed))
            turn = prices.late_from - part.elapsed
        for time in sorted({first, last, min(max(first, turn), last)}):
            if math.isfinite(time):
                yield self._at(part, time)

    def _at(self, part: Part, time: float) -> Departure:
        prices = self._prices
        duration = part.first + part.elapsed - time if part.waited else part.elapsed
        cost = _lateness(part, time) + prices.duration * duration
        if duration > prices.overtime_from:
            cost += prices.overtime * (duration - prices.overtime_from)
        if time + duration > prices.late_from:
            cost += prices.late * (time + duration - prices.late_from)
        return Departure(cost, duration, time, part.trail)

    def _through(
        self, part: Part, windows: Sequence[Window], lasts: float, *, waits: bool
    ) -> Iterator[Part]:
        """What becomes of a part in front of windows; it may have to begin without waiting."""
        if part.waited:
            yield from self._through_at(part, windows, lasts)
            return
        first = part.first
        for opens, closes in windows:
            if first + part.elapsed > closes + self._slack:
                continue
            meets = opens - part.elapsed  # who leaves then
            last = min(part.last, max(first, closes - part.elapsed))
            if waits and first < meets:
                leave = min(last, meets)
                cost = _lateness(part, first)
                first = first if part.slope else leave  # else who leaves last takes least
                yield Part(first, leave, opens - first + lasts, part.trail, cost, part.slope, True)
            yield from self._moving(part, (max(first, meets), last), lasts)
            if part.last <= last:
                return
            first = last

    def _through_at(self, part: Part, windows: Sequence[Window], lasts: float) -> Iterator[Part]:
        """The same of one whose vehicles all are there at one time."""
        now = part.first + part.elapsed
        window = next((each for each in windows if now <= each[1] + self._slack), None)
        if window is None:
            return
        elapsed = max(part.elapsed, window[0] - part.first)
        due, price = self._due
        late = price * max(0.0, part.first + elapsed - due) if price else 0.0
        yield part._replace(elapsed=elapsed + lasts, cost=part.cost + late)

    def _moving(self, part: Part, departures: Window, lasts: float) -> Iterator[Part]:
        """Departures that do not wait, parted where lateness begins."""
        first, last = departures
        if first > last:
            return
        due, price = self._due
        turn = due - part.elapsed if price else math.inf
        elapsed, trail, slope = part.elapsed + lasts, part.trail, part.slope
        if turn > first:
            cost = _lateness(part, first)
            yield Part(first, min(last, turn), elapsed, trail, cost, slope)
            if turn >= last:
                return
            first = turn
        cost = _lateness(part, first) + (price * (first - turn) if price else 0.0)
        yield Part(first, last, elapsed, trail, cost, slope + price)

    def _best_of(self, parts: Sequence[Part]) -> list[Part]:
        """Those that no other one replaces; of equal ones the first."""
        if self._is_alone:
            return list(parts)
        kept: list[Part] = []
        for part in parts:
            if not any(self._replaces(other, part) for other in kept):
                kept = [other for other in kept if not self._replaces(part, other)]
                kept.append(part)
        return kept

    def _replaces(self, part: Part, other: Part) -> bool:
        """Whether one is nowhere later than another, and its lateness costs no more."""
        if part.first > other.first or part.last < other.last:
            return False
        if math.isinf(other.last) and part.slope > other.slope:
            return False
        return all(
            _there(part, time) <= _there(other, time) + self._tiny
            and _lateness(part, time) <= _lateness(other, time)
            for time in (other.first, other.last)
            if math.isfinite(time)
        )


def _there(part: Part, time: float) -> float:
    """When those of a part who leave at a time are there."""
    return (part.first if part.waited else time) + part.elapsed


def _lateness(part: Part, time: float) -> float:
    """What the lateness of those of a part who leave at a time costs."""
    return part.cost + part.slope * (time - part.first) if part.slope else part.cost
