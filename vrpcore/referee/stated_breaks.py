"""The referee's view of breaks: those that a route states, and where there is room for them.

Plain loops, as in the rest of the referee.
"""

import math
from collections.abc import Iterator, Sequence

from vrpcore.errors import describe
from vrpcore.instance.instance import LOAD_TOLERANCE, Instance
from vrpcore.instance.plan import Reload, Route
from vrpcore.instance.solution import RouteBreak
from vrpcore.instance.vehicle_types import VehicleType, are_in_order
from vrpcore.referee.departures import best_of, ends_of, is_priced, no_worse
from vrpcore.referee.route_limits import Journey, Piece, through
from vrpcore.referee.trip_loads import boards_of

# A break by its index among those of the vehicle type, and how many stops and reloads come before.
Rest = tuple[int, int]
_ROUNDING = 1e-12  # of the most on board: what rounding leaves of it


def stated_breaks(
    vehicle: VehicleType, stated: Sequence[RouteBreak], route: Route
) -> tuple[list[Rest], list[str]]:
    """The breaks that a route states, and what is wrong with them in words."""
    found: list[Rest] = []
    problems, last, place, num_stops = [], 0, 0, len(route.stops)
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
        if item.at_reload and all(each.after != item.after for each in route.reloads):
            problems.append(f"breaks[{row}].at: no reload comes after {item.after} stops")
        elif last == item.after and place > _place(item, route.reloads):
            problems.append(f"breaks[{row}].at: it comes before a reload, breaks[{row - 1}] at it")
        last, place = max(last, item.after), max(place, _place(item, route.reloads))
        found.append((names.index(item.id), _place(item, route.reloads)))
    for index, name in enumerate(names):
        if all(index != own for own, _ in found):
            problems.append(f"breaks: {describe(name)} is missing")
    return found, problems


def _place(item: RouteBreak, reloads: Sequence[Reload]) -> int:
    """How many stops and reloads come before a break."""
    before = [each for each in reloads if each.after < item.after + item.at_reload]
    return item.after + len(before)


def overloaded_breaks(
    instance: Instance, route: Route, rests: Sequence[Rest]
) -> Iterator[tuple[str, str]]:
    """Breaks during which more is on board than may be: the key in the route, and words."""
    vehicle, boards = instance.own_constraints.vehicles[route.vehicle], _boards(instance, route)
    for row, (index, after) in enumerate(rests):
        for dimension, most in enumerate(vehicle.breaks[index].max_load or ()):
            load, peak = boards[after][dimension], max(board[dimension] for board in boards)
            if load > most * (1 + LOAD_TOLERANCE) + _ROUNDING * peak:
                yield f"breaks[{row}]", f"a load of {load} exceeds max_load {most}"


def free_breaks(
    instance: Instance, route: Route, journey: Journey, slack: float
) -> list[Rest] | None:
    """Breaks in their order and positions with the best departure; None: no room for them.

    Follows pieces of departures, as `Journey.best` does, for each set of breaks taken so far.

    Args:
        instance: With constraints.
        route: The same route.
        journey: A route whose breaks are not placed.
        slack: How much too late counts as in time.
    """
    vehicle, boards, places = journey.vehicle, _boards(instance, route), len(route.stops)
    places += len(route.reloads)
    everything = frozenset(range(len(vehicle.breaks)))
    before, priced = _taken_before(vehicle), is_priced(journey)
    sets: dict[frozenset[int], list[Piece]] = {frozenset(): journey.departures(slack)}
    for position in range(places + 1):
        if position > 0:
            sets = {taken: journey.visit(own, position - 1, slack) for taken, own in sets.items()}
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
                pieces = [
                    *_rested(journey, sets[taken], index, position, slack),
                    *sets.get(after, []),
                ]
                sets[after] = no_worse(journey, pieces) if priced else _useful(pieces)
    pieces = sets.get(everything, [])
    for position in range(places, journey.num_positions):
        pieces = journey.visit(pieces, position, slack)
    if priced and (best := best_of(list(ends_of(journey, pieces, slack)), slack)):
        return list(best.near.rests)
    ends = journey.ends(pieces, slack)
    return list(min(ends)[2]) if ends else None


def _rested(
    journey: Journey, pieces: Sequence[Piece], index: int, position: int, slack: float
) -> Iterator[Piece]:
    """Pieces after one more break behind some stops and reloads."""
    own = journey.vehicle.breaks[index]
    for piece in pieces:
        begins = position == 0 and not piece.rests and journey.vehicle.start is None
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


def _boards(instance: Instance, route: Route) -> list[list[float]]:
    """What is on board at the start and after each stop and reload, in each load dimension."""
    return [board for boards in boards_of(instance, route) for board in boards]
