"""When a vehicle leaves so that its route takes the least time, and the times that follow."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from vrpcore.cost.itinerary import Itinerary


class Run(NamedTuple):
    """What follows from a departure, at each position of an itinerary.

    Attributes:
        departure: When it leaves.
        arrivals: Waiting not yet included.
        begins: Of what it does there.
    """

    departure: float
    arrivals: tuple[float, ...]
    begins: tuple[float, ...]


def least_duration(itinerary: Itinerary, slack: float) -> Run | None:
    """The departure with the least duration, of those the earliest; None: none works.

    The end is a piecewise linear function of the departure, of slopes 0 and 1 with jumps
    upwards. Its duration is least at the earliest or latest departure, or where some arrival
    that nothing delays meets the begin or the end of a window.

    Args:
        itinerary: Of a route with its breaks.
        slack: How much too late counts as in time.
    """
    earliest = itinerary.earliest
    first = run_from(itinerary, earliest, slack)
    if first is not None and itinerary.is_open:  # no vehicle leaves to wait at a first stop
        earliest = first.begins[0]
        first = run_from(itinerary, earliest, slack)
    if earliest > itinerary.latest_start + slack:
        return None
    itinerary = itinerary._replace(latest_start=max(earliest, itinerary.latest_start))
    if all(len(windows) == 1 for windows in itinerary.windows):
        delay = 0.0 if first is None else _useful_delay(itinerary, first)
        return _first_of(itinerary, [min(earliest + delay, itinerary.latest_start)], slack)
    return _first_of(itinerary, sorted(_departures(itinerary, earliest)), slack)


def run_from(itinerary: Itinerary, departure: float, slack: float) -> Run | None:
    """What follows from a departure; None where something is too late.

    Args:
        itinerary: Of a route with its breaks.
        departure: When it leaves.
        slack: How much too late counts as in time.
    """
    now, arrivals, begins = departure + itinerary.loading, [], []
    for leg, windows, service in zip(
        itinerary.legs, itinerary.windows, itinerary.services, strict=True
    ):
        now += leg
        arrivals.append(now)
        window = next((each for each in windows if now <= each[1] + slack), None)
        if window is None:
            return None
        now = max(now, window[0])
        begins.append(now)
        now += service
    if now > itinerary.latest + slack:
        return None
    return Run(departure, tuple(arrivals), tuple(begins))


def _first_of(itinerary: Itinerary, departures: Sequence[float], slack: float) -> Run | None:
    """The first of these departures with the least duration."""
    best, least, tie = None, math.inf, slack + itinerary.rounding
    for departure in departures:
        run = run_from(itinerary, departure, slack)
        if run is None or (itinerary.is_open and run.begins[0] > departure):
            continue  # of the latter, another candidate begins with that service
        duration = run.begins[-1] + itinerary.services[-1] - departure
        if duration < least - tie:
            best, least = run, duration
    return best


def _departures(itinerary: Itinerary, earliest: float) -> set[float]:
    passed, found = itinerary.loading, {itinerary.latest_start}
    for leg, windows, service in zip(
        itinerary.legs, itinerary.windows, itinerary.services, strict=True
    ):
        passed += leg
        found.update(time - passed for window in windows for time in window)
        passed += service
    later = (each for each in found if earliest < each < itinerary.latest)
    return {earliest, *(each for each in later if each <= itinerary.latest_start)}


def _useful_delay(itinerary: Itinerary, run: Run) -> float:
    """How much later to leave, so that no time is waited that can be avoided; one window each."""
    waited, room = 0.0, math.inf
    for arrival, begin, (window,) in zip(run.arrivals, run.begins, itinerary.windows, strict=True):
        waited += begin - arrival
        room = min(room, window[1] - begin + waited)
    return max(0.0, min(waited, room))
