"""The referee's choice of a departure where lateness or overtime has a price.

The cost of a route is linear between some departures; it is looked at in each of these, in plain
loops, as in the rest of the referee.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vrpcore.referee.route_limits import Journey, Piece, Times

_TIES = 1e-9  # of what time costs: departures whose costs differ by less cost the same


class Departure(NamedTuple):
    """One that may be the best.

    Attributes:
        cost: Of all that depends on it.
        duration: Of the route.
        time: When it leaves.
        rests: Breaks, where they are not placed beforehand.
    """

    cost: float
    duration: float
    time: float
    rests: tuple[tuple[int, int], ...]


class Choice(NamedTuple):
    """The best departures: the least cost, then the least duration, then the earliest time.

    Attributes:
        near: Where costs that differ only by rounding are equal.
        sharp: Where they are compared as they are.
    """

    near: Departure
    sharp: Departure


def is_priced(journey: Journey) -> bool:
    """Whether it depends on lateness what a route costs."""
    return any(due is not None and due.price > 0.0 for due in (*journey.dues, journey.back))


def time_cost(journey: Journey, times: Times) -> float:
    """What depends on the departure in the cost of a route."""
    late = sum(
        due.price * max(0.0, begin - due.time)
        for due, begin in zip(journey.dues, times.begins, strict=True)
        if due is not None
    )
    if journey.back is not None:
        late += journey.back.price * max(0.0, times.end - journey.back.time)
    return late + _cost_of_duration(journey, times.end - times.departure)


def cheapest(journey: Journey, slack: float) -> Choice | None:
    """The best departures; None: each is too late or takes too long.

    Args:
        journey: A route whose breaks are placed.
        slack: How much too late, or too long, counts as within the limits.
    """
    pieces = journey.departures(slack)
    for position in range(journey.num_positions):
        pieces = journey.visit(pieces, position, slack)
    return best_of(list(ends_of(journey, pieces, slack)), slack)


def best_of(found: Sequence[Departure], slack: float) -> Choice | None:
    """The best of departures; None: there are none.

    Args:
        found: Any.
        slack: Durations that differ by no more are equal.
    """
    if not found:
        return None
    sharp = min(found)
    most = sharp.cost + _TIES * abs(sharp.cost)
    same = [each for each in found if each.cost <= most]
    least = min(each.duration for each in same) + slack
    near = min((each for each in same if each.duration <= least), key=lambda each: each.time)
    return Choice(near, sharp)


def ends_of(journey: Journey, pieces: Sequence[Piece], slack: float) -> Iterator[Departure]:
    """Departures that may be the best of each piece at the end of a route.

    Args:
        journey: The route.
        pieces: At its end.
        slack: How much too late, or too long, counts as within the limits.
    """
    vehicle = journey.vehicle
    longest = vehicle.max_duration + vehicle.max_overtime
    for piece in pieces:
        low, high = piece.first, piece.last
        if piece.moves:  # it takes as long and costs no less later
            high = low
            if piece.time > longest + slack or low + piece.time > journey.shift_end + slack:
                continue
        elif piece.time > journey.shift_end + slack:
            continue
        else:
            low = max(low, piece.time - longest - slack)
        on_time = piece.time - vehicle.max_duration  # later departures need no overtime
        for time in {low, high, on_time}:
            if low <= time <= high:
                yield _departure(journey, piece, time)


def _departure(journey: Journey, piece: Piece, time: float) -> Departure:
    duration = piece.time if piece.moves else piece.time - time
    cost = piece.late + piece.slope * (time - journey.earliest)
    if journey.back is not None:
        end = time + duration
        cost += journey.back.price * max(0.0, end - journey.back.time)
    return Departure(cost + _cost_of_duration(journey, duration), duration, time, piece.rests)


def _cost_of_duration(journey: Journey, duration: float) -> float:
    """What the duration of a route costs, with its overtime."""
    vehicle = journey.vehicle
    over = 0.0
    if vehicle.max_overtime > 0.0 and math.isfinite(vehicle.max_duration):
        over = vehicle.overtime_cost * max(0.0, duration - vehicle.max_duration)
    return duration * vehicle.duration_cost + over


def no_worse(journey: Journey, pieces: Sequence[Piece]) -> list[Piece]:
    """Without those that another piece covers: it is nowhere later, and lateness costs no more."""
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
    for departure in (other.first, other.last):
        if math.isfinite(departure) and not (
            _arrival(piece, departure) <= _arrival(other, departure)
            and _lateness(journey, piece, departure) <= _lateness(journey, other, departure)
        ):
            return False
    return True


def _arrival(piece: Piece, departure: float) -> float:
    return piece.time + departure if piece.moves else piece.time


def _lateness(journey: Journey, piece: Piece, departure: float) -> float:
    return piece.late + piece.slope * (departure - journey.earliest)
