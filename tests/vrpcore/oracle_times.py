"""When the oracle's vehicles are where, for all departures at once.

A route has parts: ranges of departures in which each time is either fixed (the vehicle waited
before) or a fixed span after the departure, and what is paid for lateness is linear.
"""

import math
from typing import NamedTuple

TOLERANCE = 1e-9


class Part(NamedTuple):
    """Departures, and what follows from each of them.

    Attributes:
        first: The earliest of them.
        last: The latest.
        now: The time is `now + moves * departure`.
        moves: 1, or 0 after a wait.
        price: What lateness costs is `price + slope * departure`.
        slope: See `price`.
        begins: `now` and `moves` of each stop, reload and break so far.
    """

    first: float
    last: float
    now: float
    moves: int
    price: float = 0.0
    slope: float = 0.0
    begins: tuple = ()

    def at(self, departure):
        """The time after a departure."""
        return self.now + self.moves * departure if self.moves else self.now

    def paid(self, departure):
        """What lateness costs after a departure."""
        return self.price + self.slope * departure if self.slope else self.price


class Visit(NamedTuple):
    """Something that takes time at a place.

    Attributes:
        windows: In which it begins.
        service: How long it takes.
        max_late: By how much it may begin after the last window.
        late_cost: Of each unit of that.
        is_first: The vehicle appears there, and does not wait.
    """

    windows: list
    service: float
    max_late: float = 0.0
    late_cost: float = 0.0
    is_first: bool = False


def departures(earliest, latest, loading):
    """The parts of a route that has begun: all that its departure allows."""
    return [Part(earliest, latest, loading, 1)] if earliest <= latest else []


def through(parts, way, visit):
    """Parts after a leg and a visit, from those before them."""
    found = []
    for part in parts:
        there = part._replace(now=part.now + way)
        found += _moved(there, visit) if part.moves else _fixed(there, visit)
    return list(dict.fromkeys(found))


def _fixed(part, visit):
    """The part after a visit where the arrival is the same for all its departures."""
    for opens, closes in visit.windows:
        if part.now <= closes + TOLERANCE:
            return [_started(part, max(part.now, opens), 0, visit)]
    late = part.now - visit.windows[-1][1]
    if late > visit.max_late + TOLERANCE:
        return []
    return [_started(part._replace(price=part.price + late * visit.late_cost), part.now, 0, visit)]


def _moved(part, visit):
    """The parts after a visit whose arrival follows the departure."""
    found, closed = [], -math.inf
    for opens, closes in visit.windows:
        if not visit.is_first and (wait := _between(part, closed, opens)):
            if not wait.slope:  # the latest of them is gone least
                wait = wait._replace(first=wait.last)
            found.append(_started(wait, opens, 0, visit))
        if meets := _between(part, opens, closes + TOLERANCE):
            found.append(_started(meets, meets.now, 1, visit))
        closed = closes
    if visit.max_late > 0 and (late := _between(part, closed, closed + visit.max_late + TOLERANCE)):
        price = late.price + visit.late_cost * (late.now - closed)
        late = late._replace(price=price, slope=late.slope + visit.late_cost)
        found.append(_started(late, late.now, 1, visit))
    return found


def _between(part, opens, closes):
    """The departures of a part with arrivals between two times; None: there are none."""
    first, last = max(part.first, opens - part.now), min(part.last, closes - part.now)
    return part._replace(first=first, last=last) if first <= last else None


def _started(part, begin, moves, visit):
    begins = (*part.begins, (begin, moves))
    return part._replace(now=begin + visit.service, moves=moves, begins=begins)


class Limits(NamedTuple):
    """Of a whole route, and what it costs to exceed them.

    Attributes:
        closes: When it is over.
        max_late: By how much it may be later.
        late_cost: Of each unit of that.
        max_duration: How long it lasts.
        max_overtime: By how much it may last longer.
        overtime_cost: Of each unit of that.
        duration_cost: Of each unit of time.
    """

    closes: float
    max_late: float
    late_cost: float
    max_duration: float
    max_overtime: float
    overtime_cost: float
    duration_cost: float


class Departure(NamedTuple):
    """A departure and what follows; those that cost less come first.

    Attributes:
        price: Of the duration, of all lateness and of overtime.
        duration: Of the route.
        departure: When it begins.
        late_return: By how much it is over late.
        overtime: By how much it lasts longer.
        begins: Of each stop, reload and break.
    """

    price: float
    duration: float
    departure: float
    late_return: float
    overtime: float
    begins: tuple


def best_departure(parts, limits):
    """Of all that the limits allow, the cheapest, then the shortest, then the earliest."""
    found = [
        _leaving(part, departure, limits)
        for part in parts
        for departure in _corners(part, limits)
        if _is_allowed(part, departure, limits)
    ]
    if not found:
        return None
    for rank in range(2):
        least = min(each[rank] for each in found)
        found = [each for each in found if _fits(each[rank], least)]
    return min(found, key=lambda each: each.departure)


def _corners(part, limits):
    """Departures between which everything is linear: at one of them it costs least."""
    found = [part.first, part.last]
    longest = limits.max_duration + limits.max_overtime
    if part.moves:
        found += [limits.closes - part.now, limits.closes + limits.max_late - part.now]
    else:
        found += [part.now - limits.max_duration, part.now - longest]
    inside = (each for each in found if part.first <= each <= part.last)
    return {each for each in inside if abs(each) < math.inf}


def _is_allowed(part, departure, limits):
    end = part.at(departure)
    if not _fits(end, limits.closes + limits.max_late):
        return False
    return _fits(_duration(part, departure), limits.max_duration + limits.max_overtime)


def _duration(part, departure):
    return part.now if part.moves else part.now - departure


def _leaving(part, departure, limits):
    end, duration = part.at(departure), _duration(part, departure)
    late = max(0.0, end - limits.closes)
    overtime = max(0.0, duration - limits.max_duration)
    price = part.paid(departure) + duration * limits.duration_cost
    price += late * limits.late_cost + overtime * limits.overtime_cost
    begins = tuple(now + moves * departure for now, moves in part.begins)
    return Departure(price, duration, departure, late, overtime, begins)


def _fits(value, limit):
    return value <= limit + TOLERANCE * max(1.0, abs(value))
