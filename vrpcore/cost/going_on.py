"""Routes that were begun before some time: their fixed part, and what may follow it."""

import math
from collections.abc import Sequence
from dataclasses import replace

from vrpcore.cost.itinerary import Itinerary
from vrpcore.instance.plan import Route, Started
from vrpcore.instance.vehicle_types import Break, Window


def going_on(itinerary: Itinerary, started: Started) -> Itinerary:
    """The itinerary of a route whose first positions have the times that they had.

    The vehicle then leaves no earlier than at the time of the freeze. What of it is fixed may be
    late.

    Args:
        itinerary: Of the route without breaks.
        started: What is fixed.
    """
    if started.departure is None:
        return itinerary._replace(earliest=max(itinerary.earliest, started.until))
    fixed = len(started.begins)
    windows, services = list(itinerary.windows), list(itinerary.services)
    windows[:fixed] = [[(begin, begin)] for begin in started.begins]
    if started.is_over:
        windows[fixed:] = [late_windows(own) for own in windows[fixed:]]
    loading, stays = itinerary.loading, fixed < itinerary.num_visits and not started.is_over
    if stays and started.home is not None:  # it reloads there
        stays = False
        windows[fixed] = [
            (max(first, started.until), max(last, started.until)) for first, last in windows[fixed]
        ]
    if stays and not started.rests_after(fixed):
        if fixed:
            services[fixed - 1] = max(services[fixed - 1], started.until - started.begins[-1])
        else:
            loading = max(loading, started.until - started.departure)
    return itinerary._replace(
        earliest=started.departure,
        latest_start=started.departure,
        latest=math.inf,
        windows=windows,
        services=services,
        loading=loading,
    )


def late_windows(windows: Sequence[Window]) -> list[Window]:
    """Windows of which the last one never closes."""
    if not windows:
        return [(-math.inf, math.inf)]
    return [*windows[:-1], (windows[-1][0], math.inf)]


def free_from(itinerary: Itinerary, started: Started, breaks: Sequence[Break]) -> float:
    """When the vehicle may begin something that is not fixed.

    Args:
        itinerary: As `going_on` made it.
        started: What is fixed.
        breaks: Of the vehicle type.
    """
    last = -math.inf if started.departure is None else started.departure + itinerary.loading
    if started.begins:
        last = started.begins[-1] + itinerary.services[len(started.begins) - 1]
    for number, after, begin in started.breaks:
        if after == len(started.begins):
            last = max(last, begin + breaks[number].duration)
    return max(started.until, last)


def breaks_to_take(breaks: Sequence[Break], route: Route, itinerary: Itinerary) -> list[Break]:
    """Breaks of a route that was begun: at the times that they had, or not before it is free.

    One that has been missed by then is taken at once.

    Args:
        breaks: Of the vehicle type.
        route: With `started`.
        itinerary: As `going_on` made it.
    """
    started = route.started
    if started is None or started.departure is None:
        return list(breaks)
    fixed, free, found = len(started.begins), free_from(itinerary, started, breaks), list[Break]()
    taken = {number: (after, begin) for number, after, begin in started.breaks}
    last = max((begin for after, begin in taken.values() if after == fixed), default=math.inf)
    for number, own in enumerate(breaks):
        if number in taken:
            _, begin = taken[number]
            lasts = own.duration
            if begin == last and fixed < itinerary.num_visits and not started.is_over:
                lasts = max(lasts, started.until - begin)
            # Not two with equal windows, which would have to be taken in the order of the list.
            end = begin + len(found) * math.ulp(begin)
            found.append(replace(own, windows=((begin, end),), duration=lasts))
            continue
        later = tuple((max(first, free), end) for first, end in own.windows if end >= free)
        if not later and started.is_over:
            later = ((free, math.inf),)
        elif not later:
            later, free = ((free, free),), free + own.duration
        found.append(replace(own, windows=later))
    return found
