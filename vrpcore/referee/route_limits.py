"""The referee's view of one route of an instance with constraints.

Deliberately naive, plain loops with `math` that share no line with the timelines of the
search, so that an error there cannot confirm itself here.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Route
from vrpcore.instance.vehicle_types import DEFAULT_SHIFT
from vrpcore.referee.single_legs import GivenLegs, cost_of, leg_of
from vrpcore.referee.trip_loads import trips_of
from vrpcore.referee.visits import Due, due_at, service_of, windows_of

TIME_TOLERANCE = 1e-6  # of the span of an instance's times
_FAR = 1e-4  # of the largest time, where that is more than the span
_TINY = 1e-12  # of all times that were added up
_STRICT = 1e-3  # of that tolerance: what rounding errors may add up to


class Times(NamedTuple):
    """What follows from a departure.

    Attributes:
        departure: From the start depot, where it begins to be loaded; at the first stop where
            there is none.
        arrivals: At each stop.
        begins: Of setup and service at each stop.
        end: Back at the end depot; end of the last service or break where there is none.
        rests: Begins of breaks, in their order.
        reloads: Arrival and begin of loading at each reload.
    """

    departure: float
    arrivals: list[float]
    begins: list[float]
    end: float
    rests: list[float]
    reloads: list[tuple[float, float]]

    def note(self, name: str, arrival: float, begin: float) -> None:
        """Adds the times of a position, by its name; the end depot has none."""
        if name.startswith("customers"):
            self.arrivals.append(arrival)
            self.begins.append(begin)
        elif name.startswith("breaks"):
            self.rests.append(begin)
        elif name.startswith("reloads"):
            self.reloads.append((arrival, begin))


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
    rests: tuple[tuple[int, int], ...] = ()
    late: float = 0.0
    slope: float = 0.0


class Journey:
    """One vehicle on its route.

    Args:
        instance: With constraints.
        route: Its type, its stops and its reloads.
        legs: Gives the legs; None: the instance's own.

    Attributes:
        vehicle: Its type.
        distance: Of its legs.
        travel: Duration of its legs.
        cost: Of its legs.
        work: Setups and services together.
        slack: How far off rounding may have put the distance.
        travel_slack: How far off rounding of lengths may have put the travel time.
        earliest: It leaves no earlier.
        latest: It leaves no later.
        loading: How long it is loaded at its start.
        dues: Of each stop that may be late, when it should be served.
        back: When it should be back, or end its last service, if that may be late.
        rounding: How far off it may have put the times.
        missing: Nodes of the legs that have no road.
    """

    def __init__(self, instance: Instance, route: Route, legs: GivenLegs | None = None) -> None:
        constraints = instance.own_constraints
        self.vehicle = own = constraints.vehicles[route.vehicle]
        self._instance, self._given = instance, legs
        self.distance = self.slack = self.travel = self.cost = self.work = 0.0
        self.travel_slack = 0.0
        self.missing: list[tuple[int, int]] = []
        self._legs: list[float] = []
        self._windows: list[list[tuple[float, float]]] = []
        self._services: list[float] = []
        self._names: list[str] = []
        self._dues: list[Due | None] = []
        self.dues: list[Due | None] = []
        self.back: Due | None = None
        if own.max_late > 0.0:
            self.back = Due(own.window[1], own.max_late, own.late_cost)
        trips = trips_of(route)
        self._set_out(own.start, trips[0])
        self._follow(route, trips)
        self.rounding = self.travel_slack + _TINY * (
            abs(self.earliest) + self.travel + self.loading + sum(self._services)
        )

    def _set_out(self, start: int | None, stops: Sequence[int]) -> None:
        """When it may leave for the stops of its first trip."""
        own = self.vehicle
        self.earliest, self.latest, self.loading = own.window[0], own.latest_start, 0.0
        if self.back is not None:  # it leaves within its shift
            self.latest = min(self.latest, own.window[1])
        if start is not None:
            depot = self._instance.own_constraints.depots[start]
            self.earliest = max(self.earliest, depot.window[0])
            self.loading = depot.service
            if depot.service > 0.0:
                self.latest = min(self.latest, depot.window[1])
        self.earliest = max(self.earliest, self._released(stops))

    def _follow(self, route: Route, trips: Sequence[Sequence[int]]) -> None:
        """Adds all that the vehicle visits."""
        constraints, own = self._instance.own_constraints, self.vehicle
        node, served = own.start, 0
        for row, stops in enumerate(trips):
            if row > 0:
                depot = constraints.depots[route.reloads[row - 1].depot]
                opens, closes = depot.window
                windows = [(max(opens, self._released(stops)), closes)]  # may be never
                self._go(node, route.reloads[row - 1].depot)
                self._call(f"reloads[{row - 1}]", windows, depot.service)
                node = route.reloads[row - 1].depot
            for stop in stops:
                service = service_of(self._instance, route.vehicle, stop, node)
                windows, due = windows_of(self._instance, stop), due_at(self._instance, stop)
                if due is not None:
                    windows.append((due.time, due.time + due.most))
                self.work += service
                self.dues.append(due)
                self._go(node, len(constraints.depots) - 1 + stop)
                self._call(f"customers[{served}]", windows, service, due)
                node, served = len(constraints.depots) - 1 + stop, served + 1
        if own.end is not None:
            self._go(node, own.end)
            self._call("return", [constraints.depots[own.end].window], 0.0)

    def _released(self, stops: Sequence[int]) -> float:
        """When a trip with these stops may begin to be loaded."""
        release = self._instance.own_constraints.release
        return max(float(release[stop - 1]) for stop in stops)

    def _go(self, start: int | None, end: int) -> None:
        """Adds a leg; None: it begins there."""
        if start is None:
            self._legs.append(0.0)
            return
        instance, own = self._instance, self.vehicle
        length, duration, slack = (self._given or leg_of)(instance, own, start, end)
        self.distance += length
        self.travel += duration
        self.slack += slack
        if instance.own_constraints.durations is None and own.matrix is None:
            self.travel_slack += slack / instance.own_constraints.speed / own.speed
        cost = cost_of(instance, own, start, end, length)
        self.cost += cost
        no_cost = self._given is None and math.isinf(cost)
        if math.isinf(length) or math.isinf(duration) or no_cost:
            self.missing.append((start, end))
        self._legs.append(duration)

    def _call(
        self,
        name: str,
        windows: list[tuple[float, float]],
        service: float,
        due: Due | None = None,
    ) -> None:
        """Adds what is done at the end of the last leg."""
        self._names.append(name)
        self._windows.append(windows)
        self._services.append(service)
        self._dues.append(due)

    @property
    def num_positions(self) -> int:
        """Stops, reloads, the end depot if there is one, and breaks that are placed."""
        return len(self._legs)

    @property
    def shift_end(self) -> float:
        """It is back, or ends its last service, no later."""
        return self.vehicle.window[1] + (0.0 if self.back is None else self.back.most)

    def calls(self) -> Iterator[tuple[str, float, Sequence[tuple[float, float]], float]]:
        """Name of each position, duration of the leg to it, its windows, and how long it takes."""
        return zip(self._names, self._legs, self._windows, self._services, strict=True)

    def take(self, rests: Sequence[tuple[int, int]]) -> None:
        """Makes breaks positions of the route.

        Args:
            rests: In their order; of each its index and how many stops and reloads come before.
        """
        for row, (index, after) in enumerate(rests):
            own, position = self.vehicle.breaks[index], after + row
            self._legs.insert(position, 0.0)
            self._windows.insert(position, list(own.windows))
            self._services.insert(position, own.duration)
            self._names.insert(position, f"breaks[{row}]")
            self._dues.insert(position, None)
            self.rounding += _TINY * own.duration

    def times(self, departure: float, slack: float) -> Times | str:
        """The times after a departure, or in words where it is late by more than `slack`."""
        found = Times(departure, [], [], departure, [], [])
        now = departure + self.loading
        for position, (leg, windows) in enumerate(zip(self._legs, self._windows, strict=True)):
            now += leg
            arrival, name = now, self._names[position]
            open_windows = [each for each in windows if max(now, each[0]) <= each[1] + slack]
            if not open_windows:
                soonest, last = max(now, windows[-1][0]), "after the last window closes"
                what = f"arrives at {now:.9g}" if soonest == now else f"begins at {soonest:.9g}"
                if self._dues[position] is not None:
                    last = "more than max_late " + last
                return f"{name}: {what}, {soonest - windows[-1][1]:.6g} {last}"
            now = max(now, open_windows[0][0])
            found.note(name, arrival, now)
            now += self._services[position]
        if now > self.shift_end + slack:
            late, more = now - self.shift_end, "" if self.back is None else "more than max_late "
            return f"return: ends at {now:.9g}, {late:.6g} {more}after the vehicle's shift"
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
        if self.earliest > self.latest + slack:
            return []
        last = max(self.earliest, self.latest)
        return [Piece(self.earliest, last, self.loading, moves=True)]

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
        service, due = self._services[position], self._dues[position]
        if due is not None and due.price > 0.0:
            cut = [self._delayed(piece, due) for piece in cut]
        return [piece._replace(time=piece.time + service) for piece in _merged(cut)]

    def _delayed(self, piece: Piece, due: Due) -> Piece:
        """A piece with the price of how late its service begins."""
        if not piece.moves:
            late = max(0.0, piece.time - due.time)
            return piece._replace(late=piece.late + due.price * late)
        if (piece.first + piece.last) / 2 + piece.time <= due.time:
            return piece
        late = piece.late + due.price * (piece.time + self.earliest - due.time)
        return piece._replace(late=late, slope=piece.slope + due.price)

    def ends(
        self, pieces: Sequence[Piece], slack: float
    ) -> list[tuple[float, float, tuple[tuple[int, int], ...]]]:
        """Duration, departure and breaks of each piece that ends within the shift."""
        found = []
        for piece in pieces:
            departure = piece.first if piece.moves else piece.last
            end = piece.time + departure if piece.moves else piece.time
            if end <= self.shift_end + slack:
                found.append((end - departure, departure, piece.rests))
        return found


def through(piece: Piece, windows: Sequence[tuple[float, float]], slack: float) -> Iterator[Piece]:
    """What becomes of a piece that arrives before windows, in order."""
    if not piece.moves:
        for opens, closes in windows:
            if max(piece.time, opens) <= closes + slack:
                yield piece._replace(time=max(piece.time, opens))
                return
        return
    first = piece.first  # departures before it are done
    for opens, closes in windows:
        meets, misses = opens - piece.time, closes + slack - piece.time
        if first < meets <= misses:
            last = min(meets, piece.last)
            yield Piece(first, last, opens, False, piece.rests, piece.late, piece.slope)
        if max(first, meets) <= min(misses, piece.last):
            yield piece._replace(first=max(first, meets), last=min(misses, piece.last))
        if piece.last <= misses:
            return
        first = max(first, misses)


def _merged(pieces: Sequence[Piece]) -> list[Piece]:
    """Without those that wait for the same time as later departures do, and cost no less."""
    kept: list[Piece] = []
    for piece in pieces:
        if (
            kept
            and not piece.moves
            and not kept[-1].moves
            and kept[-1].time == piece.time
            and kept[-1].late == piece.late
            and not (kept[-1].slope or piece.slope)
        ):
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
        for window in windows_of(instance, stop):
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
