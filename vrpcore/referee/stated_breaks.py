"""The referee's view of breaks: those that a route states, and where there is room for them.

Plain loops, as in the rest of the referee.
"""

import math
from collections.abc import Iterator, Sequence

from vrpcore.errors import describe
from vrpcore.instance.instance import LOAD_TOLERANCE, Instance
from vrpcore.instance.solution import RouteBreak
from vrpcore.instance.vehicle_types import VehicleType, are_in_order
from vrpcore.referee.route_limits import Piece, Trip, through

# A break by its index among those of the vehicle type, and how many stops are served before it.
Rest = tuple[int, int]
_ROUNDING = 1e-12  # of the most on board: what rounding leaves of it


def stated_breaks(
    vehicle: VehicleType, stated: Sequence[RouteBreak], num_stops: int
) -> tuple[list[Rest], list[str]]:
    """The breaks that a route states, and what is wrong with them in words."""
    found: list[Rest] = []
    problems, last = [], 0
    names = [each.id for each in vehicle.breaks]
    for row, item in enumerate(stated):
        if item.id not in names:
            problems.append(f"breaks[{row}].id: {describe(item.id)} is no break of the vehicle")
            continue
        if any(index == names.index(item.id) for index, _ in found):
            problems.append(f"breaks[{row}].id: {describe(item.id)} is taken twice")
        if not last <= item.after <= num_stops:
            expected = f"expected {last} to {num_stops}"
            problems.append(f"breaks[{row}].after: {item.after}, {expected}")
        last = max(last, item.after)
        found.append((names.index(item.id), item.after))
    for index, name in enumerate(names):
        if all(index != own for own, _ in found):
            problems.append(f"breaks: {describe(name)} is missing")
    return found, problems


def overloaded_breaks(
    instance: Instance, vehicle: VehicleType, stops: Sequence[int], rests: Sequence[Rest]
) -> Iterator[str]:
    """Breaks during which more is on board than may be, in words."""
    boards = _boards(instance, stops)
    for row, (index, after) in enumerate(rests):
        for dimension, most in enumerate(vehicle.breaks[index].max_load or ()):
            load, peak = boards[after][dimension], max(board[dimension] for board in boards)
            if load > most * (1 + LOAD_TOLERANCE) + _ROUNDING * peak:
                yield f"breaks[{row}]: a load of {load} exceeds max_load {most}"


def free_breaks(
    instance: Instance, trip: Trip, stops: Sequence[int], slack: float
) -> list[Rest] | None:
    """Breaks in their order and positions with the least duration; None: there is no room for them.

    Follows pieces of departures, as `Trip.best` does, for each set of breaks taken so far.

    Args:
        instance: With constraints.
        trip: A route whose breaks are not placed.
        stops: 1..N in visiting order.
        slack: How much too late counts as in time.
    """
    vehicle, boards = trip.vehicle, _boards(instance, stops)
    everything = frozenset(range(len(vehicle.breaks)))
    before = _taken_before(vehicle)
    sets: dict[frozenset[int], list[Piece]] = {frozenset(): trip.departures(slack)}
    for position in range(len(stops) + 1):
        if position > 0:
            sets = {taken: trip.visit(own, position - 1, slack) for taken, own in sets.items()}
        waiting = [taken for taken in sets if taken != everything]
        while waiting:
            waiting.sort(key=len)
            taken = waiting.pop(0)
            for index in sorted(everything - taken):
                if not _fits(vehicle, index, boards, position) or not before[index] <= taken:
                    continue
                after = taken | {index}
                if after not in sets and after != everything:
                    waiting.append(after)
                rested = list(_rested(trip, sets[taken], index, position, slack))
                sets[after] = _useful([*rested, *sets.get(after, [])])
    pieces = sets.get(everything, [])
    for position in range(len(stops), trip.num_positions):
        pieces = trip.visit(pieces, position, slack)
    ends = trip.ends(pieces, slack)
    return list(min(ends)[2]) if ends else None


def _rested(
    trip: Trip, pieces: Sequence[Piece], index: int, position: int, slack: float
) -> Iterator[Piece]:
    """Pieces after one more break behind some stops."""
    own = trip.vehicle.breaks[index]
    for piece in pieces:
        begins = position == 0 and not piece.rests and trip.vehicle.start is None
        for part in through(piece, own.windows, slack):
            if part.moves or not begins:
                rests = (*part.rests, (index, position))
                yield part._replace(time=part.time + own.duration, rests=rests)


def _useful(pieces: Sequence[Piece]) -> list[Piece]:
    """Without those whose departures fare no better than those of another piece."""
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
    """Of each break, those that come before it: they are listed before it with equal windows.

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


def _fits(
    vehicle: VehicleType, index: int, boards: Sequence[Sequence[float]], position: int
) -> bool:
    for dimension, most in enumerate(vehicle.breaks[index].max_load or ()):
        peak = max(board[dimension] for board in boards)
        if boards[position][dimension] > most * (1 + LOAD_TOLERANCE) + _ROUNDING * peak:
            return False
    return True


def _boards(instance: Instance, stops: Sequence[int]) -> list[list[float]]:
    """What is on board at the start and after each stop, in each load dimension."""
    constraints = instance.own_constraints
    dimensions = range(constraints.delivery.shape[1])
    board = [
        math.fsum(float(constraints.delivery[s - 1, each]) for s in stops) for each in dimensions
    ]
    boards = [list(board)]
    for stop in stops:
        for each in dimensions:
            board[each] -= float(constraints.delivery[stop - 1, each])
            board[each] += float(constraints.pickup[stop - 1, each])
            board[each] += float(constraints.shipment[stop - 1, each])
        boards.append(list(board))
    return boards
