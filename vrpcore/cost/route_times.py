"""The times of routes, which the compiled search finds; schedule.hpp says how a call is packed."""

import ctypes
import itertools
from array import array
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from vrpcore.cost.breaks import breaks_before, in_order
from vrpcore.cost.itinerary import FREE, NEVER_LATE, Itinerary
from vrpcore.instance.vehicle_types import Break, are_in_order
from vrpcore.native.library import WORKING_DAY, Functions, open_search

_pointer, _int = ctypes.c_void_p, ctypes.c_int
_FUNCTIONS: Functions = {
    "vrp_schedule_bytes": (ctypes.c_int64, (_pointer, _pointer, _int)),
    "vrp_schedule": (_int, (_pointer, _pointer, _pointer, _int, _pointer, _pointer)),
}
_ROOM = 32  # pieces of departures at first, for each set of breaks


class Taken(NamedTuple):
    """A break in a route.

    Attributes:
        number: Of the break, among those of the vehicle type.
        after: How many stops and reloads come before it.
        begin: When it begins.
    """

    number: int
    after: int
    begin: float


class Times(NamedTuple):
    """The times that follow from a departure.

    Attributes:
        departure: When it leaves.
        end: When the last position is over.
        arrivals: At each position of the itinerary, waiting not yet included.
        begins: Of what it does there.
        rests: The breaks in their order.
    """

    departure: float
    end: float
    arrivals: tuple[float, ...]
    begins: tuple[float, ...]
    rests: tuple[Taken, ...]


def times_of(
    itinerary: Itinerary,
    slack: float,
    breaks: Sequence[Break] = (),
    fits: Callable[[int, int], bool] | None = None,
    order: Sequence[int] | None = None,
) -> Times | None:
    """The times that cost least, of those the shortest, of those the earliest.

    Of times that are equal in all of this, those with the latest breaks.

    Args:
        itinerary: Of the route without breaks.
        slack: How much too late counts as in time.
        breaks: What it takes; see `breaks_before`.
        fits: Whether a break may be taken behind a number of stops and reloads; None: anywhere.
        order: In which it takes them; None: as `breaks_before` says.

    Returns:
        None where each departure is too late, or takes too long.

    Raises:
        MissingSearchError: The compiled search was not built.
    """
    library, size, count = load_library(), len(itinerary.legs), len(breaks)
    if order is None and are_in_order(breaks):
        order = in_order(breaks)
    turns = range(count) if order is None else order
    given = _packed(itinerary, slack, [breaks[index] for index in turns], order is not None)
    given[0].extend(0 if order else breaks_before(breaks, index, slack) for index in turns)
    for index in turns:
        places = range(itinerary.num_visits + 1)
        given[0].extend(fits is None or fits(index, after) for after in places)
    times = array("d", bytes(8 * (2 + 2 * size + count)))
    rests, room, status = array("i", bytes(8 * count)), _ROOM, -1
    packed = [each.buffer_info()[0] for each in (*given, times, rests)]
    while status < 0:
        memory = array("d", bytes(library.vrp_schedule_bytes(*packed[:2], room)))
        status = library.vrp_schedule(memory.buffer_info()[0], *packed[:2], room, *packed[2:])
        room *= 2
    if status == 0:
        return None
    taken = zip(rests[:count], rests[count:], times[2 + 2 * size :], strict=True)
    return Times(
        times[0],
        times[1],
        tuple(times[2 : 2 + size]),
        tuple(times[2 + size : 2 + 2 * size]),
        tuple(Taken(turns[number], after, begin) for number, after, begin in taken),
    )


@cache
def load_library(file: Path = WORKING_DAY.file) -> ctypes.CDLL:
    """Loads the functions for times of the search with constraints.

    Args:
        file: The library.

    Raises:
        MissingSearchError: It was not built, or not for this machine.
    """
    return open_search(file, WORKING_DAY.source, _FUNCTIONS)


def _packed(
    itinerary: Itinerary, slack: float, breaks: Sequence[Break] = (), in_turn: bool = False
) -> tuple["array[int]", "array[float]"]:
    """Counts, but for which breaks come before others and where they fit, and numbers."""
    size, prices, rounding = len(itinerary.legs), itinerary.prices, itinerary.rounding
    limited = (prices is not FREE) + 1 if itinerary.holds else 0
    counts = [size, itinerary.num_visits, len(breaks), itinerary.is_open, in_turn, limited, 0]
    same = slack + rounding, prices.largest * rounding
    start = itinerary.earliest, itinerary.latest_start, itinerary.loading, itinerary.latest
    numbers, windows = [slack, *same, *start, *prices[1:]], list[float]()
    dues = itertools.chain(prices.dues, itertools.repeat(NEVER_LATE))
    for leg, time, due in zip(itinerary.legs, itinerary.services, dues, strict=False):
        numbers += leg, time, *due
    for each in breaks:
        numbers += 0.0, each.duration, *NEVER_LATE
    for own in (*itinerary.windows, *(each.windows for each in breaks)):
        for window in own:
            windows += window
        counts.append(len(windows) // 2)
    if (holds := itinerary.holds) is not None:
        windows += itertools.chain(*zip(*holds[:3], strict=True), holds.breaks)
    return array("i", counts), array("d", numbers + windows)
