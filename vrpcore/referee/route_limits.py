"""The referee's view of one route of an instance with constraints.

Deliberately naive, plain loops with `math` that share no line with the timelines of the
search, so that an error there cannot confirm itself here.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from vrpcore.instance.instance import Instance
from vrpcore.instance.vehicle_types import DEFAULT_SHIFT, VehicleType
from vrpcore.referee.single_legs import leg_length

TIME_TOLERANCE = 1e-6  # of the span of an instance's times
_FAR = 1e-4  # of the largest time, where that is more than the span
_TINY = 1e-12  # of all times that were added up
_STRICT = 1e-3  # of that tolerance: what rounding errors may add up to


# Length and duration of a leg for a vehicle, and how far off rounding may put them.
Legs = Callable[[Instance, VehicleType, int, int], tuple[float, float, float]]


class Times(NamedTuple):
    """What follows from a departure.

    Attributes:
        departure: From the start depot; at the first stop where there is none.
        arrivals: At each stop.
        begins: Of setup and service at each stop.
        end: Back at the end depot; end of the last service or break where there is none.
        rests: Begins of breaks, in their order.
    """

    departure: float
    arrivals: list[float]
    begins: list[float]
    end: float
    rests: list[float]


class Piece(NamedTuple):
    """Departures that fare alike, at one position of the route.

    Attributes:
        first: Earliest of them.
        last: Latest of them.
        time: When the vehicle is there: after the departure where it moves, else by the clock.
        moves: Nothing has delayed it yet, so who leaves later is there later.
        rests: Breaks taken so far, where they are not placed beforehand.
    """

    first: float
    last: float
    time: float
    moves: bool
    rests: tuple[tuple[int, int], ...] = ()


class Trip:
    """One vehicle on its route.

    Args:
        instance: With constraints.
        vehicle: Index of its type.
        stops: 1..N in visiting order, at least one.
        legs: Gives the legs; None: the instance's own.

    Attributes:
        vehicle: Its type.
        distance: Of its legs.
        travel: Duration of its legs.
        cost: Of its legs.
        work: Setups and services together.
        slack: How far off rounding may have put the distance.
        earliest: It leaves no earlier.
        rounding: How far off it may have put the times.
        missing: Nodes of the legs that have no road.
    """

    def __init__(
        self, instance: Instance, vehicle: int, stops: Sequence[int], legs: "Legs | None" = None
    ) -> None:
        constraints = instance.own_constraints
        self.vehicle = own = constraints.vehicles[vehicle]
        nodes = [len(constraints.depots) - 1 + stop for stop in stops]
        nodes = ([] if own.start is None else [own.start]) + nodes
        nodes += [] if own.end is None else [own.end]
        self.distance = self.slack = self.travel = self.cost = 0.0
        self._legs = [0.0] if own.start is None else []
        self.missing: list[tuple[int, int]] = []
        for start, end in itertools.pairwise(nodes):
            length, duration, slack = (legs or leg_of)(instance, own, start, end)
            self.distance += length
            self.travel += duration
            self.slack += slack
            cost = cost_of(instance, own, start, end, length)
            self.cost += cost
            if math.isinf(length) or math.isinf(duration) or (legs is None and math.isinf(cost)):
                self.missing.append((start, end))
            self._legs.append(duration)
        self._windows = [_windows(instance, stop) for stop in stops]
        self._services = [
            service_of(instance, vehicle, stop, stops[position - 1] if position else None)
            for position, stop in enumerate(stops)
        ]
        self.work = sum(self._services)
        self._names = [f"customers[{position}]" for position in range(len(stops))]
        if own.end is not None:
            self._windows.append([constraints.depots[own.end].window])
            self._services.append(0.0)
            self._names.append("return")
        self.earliest = own.window[0]
        if own.start is not None:
            self.earliest = max(self.earliest, constraints.depots[own.start].window[0])
        for stop in stops:
            self.earliest = max(self.earliest, float(constraints.release[stop - 1]))
        self.rounding = _TINY * (abs(self.earliest) + self.travel + sum(self._services))

    @property
    def num_positions(self) -> int:
        """Stops, the end depot if there is one, and breaks that are placed."""
        return len(self._legs)

    def take(self, rests: Sequence[tuple[int, int]]) -> None:
        """Makes breaks positions of the route.

        Args:
            rests: In their order; of each its index and how many stops are served before it.
        """
        for row, (index, after) in enumerate(rests):
            own, position = self.vehicle.breaks[index], after + row
            self._legs.insert(position, 0.0)
            self._windows.insert(position, list(own.windows))
            self._services.insert(position, own.duration)
            self._names.insert(position, f"breaks[{row}]")
            self.rounding += _TINY * own.duration

    def times(self, departure: float, slack: float) -> Times | str:
        """The times after a departure, or in words where it is late by more than `slack`."""
        found = Times(departure, [], [], departure, [])
        now = departure
        for position, (leg, windows) in enumerate(zip(self._legs, self._windows, strict=True)):
            now += leg
            arrival, name = now, self._names[position]
            open_windows = [window for window in windows if now <= window[1] + slack]
            if not open_windows:
                late = now - windows[-1][1]
                return f"{name}: arrives at {now:.9g}, {late:.6g} after the last window closes"
            now = max(now, open_windows[0][0])
            if name.startswith("customers"):
                found.arrivals.append(arrival)
                found.begins.append(now)
            elif name.startswith("breaks"):
                found.rests.append(now)
            now += self._services[position]
        if now > self.vehicle.window[1] + slack:
            late = now - self.vehicle.window[1]
            return f"return: ends at {now:.9g}, {late:.6g} after the vehicle's shift"
        return found._replace(end=now)

    def first_departure(self, slack: float) -> float:
        """The earliest departure; without a start depot, the first begin of its first position."""
        if self.vehicle.start is None:
            for opens, closes in self._windows[0]:
                if self.earliest <= closes + slack:
                    return max(self.earliest, opens)
        return self.earliest

    def departures(self, slack: float) -> list[Piece]:
        """All that are no earlier and no later than may be; none where there is none."""
        latest = self.vehicle.latest_start
        if self.earliest > latest + slack:
            return []
        return [Piece(self.earliest, max(self.earliest, latest), 0.0, moves=True)]

    def best(self, slack: float) -> tuple[float, float, float] | None:
        """The least duration and the earliest departures with it; None: it is always late.

        Follows all departures at once: pieces of them, each of which either moves with the
        departure or is at a fixed time, because it waited. Windows cut the pieces.

        Args:
            slack: How much too late counts as in time.

        Returns:
            The duration, the earliest departure with one longer by at most the slack, and the
            earliest with no longer one.
        """
        pieces = self.departures(slack)
        for position in range(self.num_positions):
            pieces = self.visit(pieces, position, slack)
        found = self.ends(pieces, slack)
        if not found:
            return None
        least = min(duration for duration, _, _ in found)
        near, sharp = (
            min(leave for duration, leave, _ in found if duration <= least + more)
            for more in (slack, 0.0)
        )
        return least, near, sharp

    def visit(self, pieces: Sequence[Piece], position: int, slack: float) -> list[Piece]:
        """What becomes of pieces that go on to a position and through it."""
        there = [piece._replace(time=piece.time + self._legs[position]) for piece in pieces]
        cut = [
            part
            for piece in there
            for part in through(piece, self._windows[position], slack)
            # A route without a start depot begins with its first service or break.
            if position > 0 or self.vehicle.start is not None or piece.rests or part.moves
        ]
        service = self._services[position]
        return [piece._replace(time=piece.time + service) for piece in _merged(cut)]

    def ends(
        self, pieces: Sequence[Piece], slack: float
    ) -> list[tuple[float, float, tuple[tuple[int, int], ...]]]:
        """Duration, departure and breaks of each piece that ends within the shift."""
        found = []
        for piece in pieces:
            departure = piece.first if piece.moves else piece.last
            end = piece.time + departure if piece.moves else piece.time
            if end <= self.vehicle.window[1] + slack:
                found.append((end - departure, departure, piece.rests))
        return found


def through(piece: Piece, windows: Sequence[tuple[float, float]], slack: float) -> Iterator[Piece]:
    """What becomes of a piece that arrives before windows, in order."""
    if not piece.moves:
        for opens, closes in windows:
            if piece.time <= closes + slack:
                yield piece._replace(time=max(piece.time, opens))
                return
        return
    first = piece.first  # departures before it are done
    for opens, closes in windows:
        meets, misses = opens - piece.time, closes + slack - piece.time
        if first < meets:
            last = min(meets, piece.last)
            yield Piece(first, last, opens, moves=False, rests=piece.rests)
        if max(first, meets) <= min(misses, piece.last):
            yield piece._replace(first=max(first, meets), last=min(misses, piece.last))
        if piece.last <= misses:
            return
        first = max(first, misses)


def _merged(pieces: Sequence[Piece]) -> list[Piece]:
    """Without those that wait for the same time as later departures do."""
    kept: list[Piece] = []
    for piece in pieces:
        if kept and not piece.moves and not kept[-1].moves and kept[-1].time == piece.time:
            if kept[-1].last > piece.last:
                continue
            kept.pop()
        kept.append(piece)
    return kept


def time_tolerance(instance: Instance) -> tuple[float, float]:
    """How far times may be off: what is accepted, and what rounding may do."""
    constraints = instance.own_constraints
    finite = []
    for depot in constraints.depots:
        finite += [time for time in depot.window if math.isfinite(time)]
    for vehicle in constraints.vehicles:
        if vehicle.window != DEFAULT_SHIFT:  # clocks may count from long ago
            finite += [time for time in vehicle.window if math.isfinite(time)]
        if math.isfinite(vehicle.latest_start):
            finite.append(vehicle.latest_start)
        for each in vehicle.breaks:
            for window in each.windows:
                finite += [time for time in window if math.isfinite(time)]
    for stop in range(1, constraints.num_stops + 1):
        for window in _windows(instance, stop):
            finite += [time for time in window if math.isfinite(time)]
        if math.isfinite(constraints.release[stop - 1]):
            finite.append(float(constraints.release[stop - 1]))
    scale = 0.0
    if finite:
        largest = max(abs(time) for time in finite)
        scale = max(max(finite) - min(finite), _FAR * largest)
    if scale == 0.0:
        scale = 1.0
    accepted = TIME_TOLERANCE * scale
    return accepted, _STRICT * accepted


def most_on_board(instance: Instance, stops: Sequence[int]) -> list[tuple[float, int]]:
    """Of each load dimension the most on board, and after which stop (-1: at the start)."""
    constraints = instance.own_constraints
    found = []
    for dimension in range(constraints.delivery.shape[1]):
        board = math.fsum(float(constraints.delivery[stop - 1, dimension]) for stop in stops)
        most, where = board, -1
        for position, stop in enumerate(stops):
            board -= float(constraints.delivery[stop - 1, dimension])
            board += float(constraints.pickup[stop - 1, dimension])
            board += float(constraints.shipment[stop - 1, dimension])
            if board > most:
                most, where = board, position
        found.append((most, where))
    return found


def leg_of(
    instance: Instance, vehicle: VehicleType, start: int, end: int
) -> tuple[float, float, float]:
    """Length and duration of a leg for a vehicle, and how far off rounding may put them."""
    constraints = instance.own_constraints
    lengths, durations = None, constraints.durations
    if vehicle.matrix is not None:
        lengths, durations, _ = constraints.matrices[vehicle.matrix]
    if lengths is None:
        length, slack = leg_length(instance, start, end)
    else:
        length, slack = float(lengths[start, end]), 0.0
    if durations is None:
        return length, length / constraints.speed / vehicle.speed, slack
    return length, float(durations[start, end]) / vehicle.speed, slack


def cost_of(instance: Instance, vehicle: VehicleType, start: int, end: int, length: float) -> float:
    """What a leg costs: the number that is given, or its length at the vehicle's rate."""
    costs = instance.own_constraints.costs
    if vehicle.matrix is not None:
        costs = instance.own_constraints.matrices[vehicle.matrix].costs
    return length * vehicle.distance_cost if costs is None else float(costs[start, end])


def service_of(instance: Instance, vehicle: int, stop: int, before: int | None) -> float:
    """Setup and service of a stop for a vehicle.

    Args:
        instance: With constraints.
        vehicle: Index of its type.
        stop: 1..N.
        before: The stop before it; None: it is the first, where the start depot counts.
    """
    constraints = instance.own_constraints
    times = (
        constraints.service
        if constraints.service_by_type is None
        else constraints.service_by_type[vehicle]
    )
    setups = (
        constraints.setup
        if constraints.setup_by_type is None
        else constraints.setup_by_type[vehicle]
    )
    service = float(times[stop - 1])
    if setups is None:
        return service
    first = len(constraints.depots) - 1
    node = constraints.vehicles[vehicle].start if before is None else first + before
    if node is not None and _same_location(instance, node, first + stop):
        return service
    return service + float(setups[stop - 1])


def _same_location(instance: Instance, node: int, other: int) -> bool:
    """Whether two nodes have the same location number, or, without any, the same coordinates."""
    places = instance.own_constraints.places
    if places is not None and (places[node] is not None or places[other] is not None):
        return places[node] == places[other]
    if node == other:
        return True
    if instance.coords is None:
        return False
    return all(
        float(instance.coords[node, axis]) == float(instance.coords[other, axis]) for axis in (0, 1)
    )


def _windows(instance: Instance, stop: int) -> list[tuple[float, float]]:
    """When service may begin at a stop, without the padding."""
    rows = instance.own_constraints.windows[stop - 1]
    return [(float(row[0]), float(row[1])) for row in rows if float(row[0]) != math.inf]
