"""The best departure of a route, and the best places for its breaks.

Follows all departures at once: pieces of them, each of which either moves with the departure or is
at a fixed time, because it waited. Windows cut the pieces. Where lateness or overtime has a price,
the cost is linear between some departures, and is looked at in each of these.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vrpcore.instance.instance import LOAD_TOLERANCE
from vrpcore.instance.vehicle_types import Break, VehicleType, are_in_order
from vrpcore.referee.journey import Call, Due, Journey, JourneyTimes
from vrpcore.referee.loads import Boards

_TIES = 1e-9  # of what time costs: departures whose costs differ by less cost the same
_ROUNDING = 1e-12  # of the most on board: what rounding leaves of it

# A break by its index among those of the vehicle type, and how many stops and reloads come before.
Rest = tuple[int, int]


class Piece(NamedTuple):
    """Departures that fare alike, at one position of the route.

    Attributes:
        first: Earliest of them.
        last: Latest of them.
        time: When the vehicle is there: after the departure where it moves, else by the clock.
        moves: Nothing has delayed it yet, so who leaves later is there later.
        rests: Breaks taken so far, where they are not placed beforehand.
        late: What lateness so far would cost who leaves at the earliest time of the route.
        slope: What it costs more for each unit of time by which one leaves later.
    """

    first: float
    last: float
    time: float
    moves: bool
    rests: tuple[Rest, ...] = ()
    late: float = 0.0
    slope: float = 0.0

    def at(self, departure: float) -> float:
        """The time when the vehicle is there."""
        return self.time + departure if self.moves else self.time


class Departure(NamedTuple):
    """A departure that may be the best.

    Attributes:
        cost: Of all that depends on it; 0 where only the duration counts.
        duration: Of the route.
        time: When it leaves.
        rests: Breaks, where they are not placed beforehand.
    """

    cost: float
    duration: float
    time: float
    rests: tuple[Rest, ...] = ()


class Choice(NamedTuple):
    """The best departures: the least cost, then the least duration, then the earliest time.

    Attributes:
        near: Where costs, or durations, that differ only by rounding are equal.
        sharp: Where they are compared as they are.
    """

    near: Departure
    sharp: Departure


def time_cost(journey: Journey, times: JourneyTimes) -> float:
    """The part of a route's cost that depends on its departure."""
    late = sum(
        due.price * due.late(begin)
        for due, begin in zip(journey.dues, times.begins, strict=True)
        if due is not None
    )
    return late + _cost_of_end(journey, times.departure, times.end)


def overtime(journey: Journey, duration: float) -> float:
    """Excess of a duration over `max_duration`; 0 where that is not allowed."""
    vehicle = journey.vehicle
    return max(0.0, duration - vehicle.max_duration) if vehicle.max_overtime > 0.0 else 0.0


def _cost_of_end(journey: Journey, departure: float, end: float) -> float:
    """Cost of the duration of a route, its overtime, and its being back late."""
    vehicle, duration = journey.vehicle, end - departure
    late = 0.0 if journey.back is None else journey.back.price * journey.back.late(end)
    over = overtime(journey, duration) * vehicle.overtime_cost
    return late + duration * vehicle.duration_cost + over


def best(journey: Journey, slack: float, *, priced: bool = False) -> Choice | None:
    """The best departures; None: each is too late or, if the cost counts, takes too long.

    Args:
        journey: A route whose breaks are placed.
        slack: How much too late, or too long, counts as within the limits.
        priced: The cost counts; if not, only the duration.
    """
    pieces = _departures(journey, slack)
    for position in range(len(journey.calls)):
        pieces = _visited(journey, pieces, position, slack)
    return _best_of(journey, pieces, slack, priced=priced)


def _departures(journey: Journey, slack: float) -> list[Piece]:
    """All departures that are neither too early nor too late."""
    if journey.earliest > journey.latest + slack:
        return []
    last = max(journey.earliest, journey.latest)
    return [Piece(journey.earliest, last, journey.loading, moves=True)]


def _visited(journey: Journey, pieces: Sequence[Piece], position: int, slack: float) -> list[Piece]:
    """Pieces that go on to a position and through it."""
    call = journey.calls[position]
    there = [piece._replace(time=piece.time + call.leg) for piece in pieces]
    found = list(_through(journey, there, call, position == 0, slack))
    if call.due is not None and call.due.price > 0.0:
        found = [_delayed(journey, piece, call.due) for piece in found]
    return [piece._replace(time=piece.time + call.service) for piece in _merged(found)]


def _through(
    journey: Journey, pieces: Sequence[Piece], call: Call, is_first: bool, slack: float
) -> Iterator[Piece]:
    """Pieces in the windows of a call, before its service.

    A route without a start depot begins with its first service or break: it waits for neither.
    """
    for piece in pieces:
        begins = is_first and journey.vehicle.start is None and not piece.rests
        yield from (part for part in _cut(piece, call, slack) if part.moves or not begins)


def _cut(piece: Piece, call: Call, slack: float) -> Iterator[Piece]:
    """The parts of a piece that arrives before windows, in order."""
    if not piece.moves:
        if (begin := call.begin(piece.time, slack)) is not None:
            yield piece._replace(time=begin)
        return
    first = piece.first  # departures before it are done
    for opens, closes in call.windows:
        meets, misses = opens - piece.time, closes + slack - piece.time
        if first < meets <= misses:
            yield piece._replace(first=first, last=min(meets, piece.last), time=opens, moves=False)
        if max(first, meets) <= min(misses, piece.last):
            yield piece._replace(first=max(first, meets), last=min(misses, piece.last))
        if piece.last <= misses:
            return
        first = max(first, misses)


def _delayed(journey: Journey, piece: Piece, due: Due) -> Piece:
    """A piece with the price of how late its service begins."""
    if not piece.moves:
        return piece._replace(late=piece.late + due.price * due.late(piece.time))
    if (piece.first + piece.last) / 2 + piece.time <= due.time:
        return piece
    late = piece.late + due.price * (piece.time + journey.earliest - due.time)
    return piece._replace(late=late, slope=piece.slope + due.price)


def _merged(pieces: Sequence[Piece]) -> list[Piece]:
    """Drop pieces that wait for the same time as later departures do, and cost no less."""
    kept: list[Piece] = []
    for piece in pieces:
        before = kept[-1] if kept else None
        if (
            before is not None
            and not (piece.moves or before.moves or piece.slope or before.slope)
            and (before.time, before.late) == (piece.time, piece.late)
        ):
            if before.last > piece.last:
                continue
            kept.pop()
        kept.append(piece)
    return kept


def _ends(
    journey: Journey, pieces: Sequence[Piece], slack: float, *, priced: bool
) -> Iterator[Departure]:
    """Departures that may be the best of each piece at the end of a route; see `best`."""
    vehicle = journey.vehicle
    longest = vehicle.max_duration + vehicle.max_overtime if priced else math.inf
    for piece in pieces:
        low, high = piece.first, piece.last
        if piece.at(low) > journey.shift_end + slack:
            continue
        if piece.moves:  # it takes as long and costs no less later
            times = {low} if piece.time <= longest + slack else set()
        elif not priced:
            times = {high}
        else:
            low = max(low, piece.time - longest - slack)
            on_time = piece.time - vehicle.max_duration  # later departures need no overtime
            times = {time for time in (low, high, on_time) if low <= time <= high}
        for time in times:
            cost, end = 0.0, piece.at(time)
            if priced:
                cost = _lateness(journey, piece, time) + _cost_of_end(journey, time, end)
            yield Departure(cost, end - time, time, piece.rests)


def _best_of(
    journey: Journey, pieces: Sequence[Piece], slack: float, *, priced: bool
) -> Choice | None:
    """The best departures of pieces at the end of a route; see `best`."""
    found = list(_ends(journey, pieces, slack, priced=priced))
    if not found:
        return None
    sharp = min(found)
    same = [each for each in found if each.cost <= sharp.cost + _TIES * abs(sharp.cost)]
    least = min(each.duration for each in same) + slack
    near = min((each for each in same if each.duration <= least), key=lambda each: each.time)
    return Choice(near, sharp)


def no_worse(journey: Journey, pieces: Sequence[Piece]) -> list[Piece]:
    """Drop pieces that another covers: it is nowhere later, and lateness costs no more."""
    kept: list[Piece] = []
    for piece in sorted(pieces, key=lambda piece: (piece.first, -piece.last)):
        if not any(_covers(journey, other, piece) for other in kept):
            kept = [other for other in kept if not _covers(journey, piece, other)]
            kept.append(piece)
    return kept


def _covers(journey: Journey, piece: Piece, other: Piece) -> bool:
    if piece.first > other.first or piece.last < other.last:
        return False
    if math.isinf(other.last) and (piece.moves != other.moves or piece.slope > other.slope):
        return False
    return all(
        piece.at(time) <= other.at(time)
        and _lateness(journey, piece, time) <= _lateness(journey, other, time)
        for time in (other.first, other.last)
        if math.isfinite(time)
    )


def _lateness(journey: Journey, piece: Piece, departure: float) -> float:
    return piece.late + piece.slope * (departure - journey.earliest)


def boards_in(trips: Sequence[Boards]) -> Boards:
    """Amounts on board at the start and after each stop and reload, in each load dimension."""
    return [board for boards in trips for board in boards]


def overloads_in(
    rest: Break, boards: Sequence[Sequence[float]], after: int
) -> Iterator[tuple[float, float]]:
    """Loads during a break that exceed its limits, each with its limit.

    Args:
        rest: The break.
        boards: See `boards_in`.
        after: How many stops and reloads come before it.
    """
    for dimension, most in enumerate(rest.max_load or ()):
        load, peak = boards[after][dimension], max(board[dimension] for board in boards)
        if load > most * (1 + LOAD_TOLERANCE) + _ROUNDING * peak:
            yield load, most


def free_breaks(
    journey: Journey, boards: Sequence[Sequence[float]], slack: float
) -> list[Rest] | None:
    """Breaks in their order and positions with the best departure; None: no room for them.

    Follows pieces of departures for each set of breaks taken so far.

    Args:
        journey: A route whose breaks are not placed.
        boards: Amounts on board in it, as of `boards_in`.
        slack: How much too late counts as in time.
    """
    vehicle, places, priced = journey.vehicle, len(boards) - 1, journey.is_priced
    everything = frozenset(range(len(vehicle.breaks)))
    before = _taken_before(vehicle)
    sets: dict[frozenset[int], list[Piece]] = {frozenset(): _departures(journey, slack)}
    for position in range(places + 1):
        if position > 0:
            sets = {
                taken: _visited(journey, own, position - 1, slack) for taken, own in sets.items()
            }
        waiting = [taken for taken in sets if taken != everything]
        while waiting:
            waiting.sort(key=len)
            taken = waiting.pop(0)
            for index in sorted(everything - taken):
                rest = vehicle.breaks[index]
                if not before[index] <= taken or any(overloads_in(rest, boards, position)):
                    continue
                after = taken | {index}
                if after not in sets and after != everything:
                    waiting.append(after)
                pieces = [
                    *_rested(journey, sets[taken], (index, position), slack),
                    *sets.get(after, []),
                ]
                sets[after] = no_worse(journey, pieces) if priced else _useful(pieces)
    pieces = sets.get(everything, [])
    for position in range(places, len(journey.calls)):
        pieces = _visited(journey, pieces, position, slack)
    for by_cost in (True, False) if priced else (False,):
        if found := _best_of(journey, pieces, slack, priced=by_cost):
            return list((found.near if by_cost else found.sharp).rests)
    return None


def _rested(journey: Journey, pieces: Sequence[Piece], rest: Rest, slack: float) -> Iterator[Piece]:
    """Pieces after one more break behind some stops and reloads."""
    own, position = journey.vehicle.breaks[rest[0]], rest[1]
    call = Call("breaks", 0.0, own.windows, own.duration)
    for part in _through(journey, pieces, call, position == 0, slack):
        yield part._replace(time=part.time + own.duration, rests=(*part.rests, rest))


def _useful(pieces: Sequence[Piece]) -> list[Piece]:
    """Drop pieces whose departures fare no better than those of another piece."""
    kept: list[Piece] = []
    soonest = math.inf
    for piece in sorted(pieces, key=lambda piece: (-piece.last, piece.time)):
        if not piece.moves and piece.time < soonest:
            soonest = piece.time
            kept.append(piece)
    # Nothing has delayed those that move: all are there as long after they left.
    latest = -math.inf
    for piece in sorted(pieces, key=lambda piece: (piece.first, -piece.last)):
        if piece.moves and piece.last > latest:
            latest = piece.last
            kept.append(piece)
    return kept


def _taken_before(vehicle: VehicleType) -> list[frozenset[int]]:
    """Breaks that come before each break: they are listed before it with equal windows.

    Where they `are_in_order`, those whose last windows end before.
    """
    found, in_order = [], are_in_order(vehicle.breaks)
    ends = [(own.windows[-1][1], row) for row, own in enumerate(vehicle.breaks)]
    for index, own in enumerate(vehicle.breaks):
        if in_order:
            earlier = [row for end, row in ends if (end, row) < ends[index]]
        else:
            earlier = [row for row in range(index) if vehicle.breaks[row].windows == own.windows]
        found.append(frozenset(earlier))
    return found
