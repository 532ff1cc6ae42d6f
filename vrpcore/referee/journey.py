"""One vehicle on its route: its legs, windows, services and breaks, and its times by departure.

Deliberately naive, plain loops with `math` that share no line with the timelines of the
search, so that an error there cannot confirm itself here.
"""

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Route
from vrpcore.instance.vehicle_types import DEFAULT_SHIFT
from vrpcore.referee.costs import GivenLegs, cost_of, leg_of
from vrpcore.referee.loads import trips_of

TIME_TOLERANCE = 1e-6  # of the span of an instance's times
_NO_END = 1e4  # so many times the span of all times before an end
_FAR = 1e-4  # of the largest time, where that is more than the span; without times, of a limit
_TINY = 1e-12  # of all times that were added up
_STRICT = 1e-3  # of that tolerance: what rounding errors may add up to


class Due(NamedTuple):
    """The time of something that may be late.

    Attributes:
        time: After it, it is late.
        most: How late it may be.
        price: Per unit of that.
    """

    time: float
    most: float
    price: float

    def late(self, time: float) -> float:
        """Lateness of what is done at a time."""
        return max(0.0, time - self.time)


class Call(NamedTuple):
    """A position of a route: a stop, a reload, a break or the end depot.

    Attributes:
        name: The key of the route that states it.
        leg: Duration of the leg to it.
        windows: One of which it begins in.
        service: How long it takes.
        due: Of a stop that may be late, when it should be served.
        wait: The longest from the arrival to the begin.
        ride: The longest from the end of service at its pickup.
        pickup: The name of that; empty where `ride` has no limit.
    """

    name: str
    leg: float
    windows: Sequence[tuple[float, float]]
    service: float
    due: Due | None = None
    wait: float = math.inf
    ride: float = math.inf
    pickup: str = ""

    def begin(self, arrival: float, slack: float) -> float | None:
        """Earliest begin after an arrival; None: it is late by more than `slack`."""
        for opens, closes in self.windows:
            if max(arrival, opens) <= closes + slack:
                return max(arrival, opens)
        return None


class Late(NamedTuple):
    """The first position of a route that is too late.

    Attributes:
        position: Among the calls of the journey; their number: its end.
        by: How much too late it is.
        words: The same in words.
    """

    position: int
    by: float
    words: str


class JourneyTimes(NamedTuple):
    """Times that follow from a departure.

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


class Journey:
    """One vehicle on its route.

    Args:
        instance: With constraints.
        route: Its type, its stops and its reloads.
        legs: Gives the legs; None: the instance's own.

    Attributes:
        vehicle: Its type.
        calls: Its positions in order: stops, reloads, the end depot if there is one, and breaks
            once they are placed.
        distance: Of its legs.
        travel: Duration of its legs.
        cost: Of its legs.
        work: Setups and services together.
        slack: How far off rounding may have put the distance.
        travel_slack: How far off rounding of lengths may have put the travel time.
        earliest: It leaves no earlier.
        latest: It leaves no later.
        loading: How long it is loaded at its start.
        back: When it should be back, or end its last service, if that may be late.
        shift_end: It is back, or ends its last service, no later.
        rounding: How far off it may have put the times.
        nodes: Where it drives to, and before them where it begins.
        missing: Nodes of the legs that have no road.
        waits: The longest wait for a break behind so many stops and reloads.
    """

    def __init__(self, instance: Instance, route: Route, legs: GivenLegs | None = None) -> None:
        constraints = instance.own_constraints
        self.vehicle = own = constraints.vehicles[route.vehicle]
        self._instance, self._given = instance, legs
        self.distance = self.slack = self.travel = self.cost = self.work = 0.0
        self.travel_slack = 0.0
        self.missing: list[tuple[int, int]] = []
        self.nodes: list[int] = [] if own.start is None else [own.start]
        self.calls: list[Call] = []
        self.shift_end = own.window[1] + max(0.0, own.max_late)
        late = own.max_late > 0.0
        self.back = Due(own.window[1], own.max_late, own.late_cost) if late else None
        self.waits: list[float] = []
        trips = trips_of(route)
        self._set_out(own.start, trips[0])
        self._follow(route, trips)
        self.rounding = self.travel_slack + _TINY * (
            abs(self.earliest) + self.travel + self.loading
            + sum(call.service for call in self.calls)
        )  # fmt: skip

    def _set_out(self, start: int | None, stops: Sequence[int]) -> None:
        """Finds when it may leave for the stops of its first trip."""
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
        constraints, node, served = self._instance.own_constraints, self.vehicle.start, 0
        calls, aboard = dict[int, str](), set(filter(constraints.is_aboard, route.stops))
        for row, stops in enumerate(trips):
            if row > 0:
                there = route.reloads[row - 1].depot
                depot, leg = constraints.depots[there], self._leg(node, there)
                opens, closes = depot.window
                windows = [(max(opens, self._released(stops)), closes)]  # may be never
                wait = self._note_wait(aboard)
                self.calls.append(
                    Call(f"reloads[{row - 1}]", leg, windows, depot.service, wait=wait)
                )
                node = there
            for stop in stops:
                service = service_of(self._instance, route.vehicle, stop, node)
                windows, due = windows_of(self._instance, stop), due_at(self._instance, stop)
                if due is not None:
                    windows.append((due.time, due.time + due.most))
                self.work += service
                leg = self._leg(node, constraints.num_depots - 1 + stop)
                calls[stop] = name = f"customers[{served}]"
                wait = min(self._note_wait(aboard), float(constraints.max_wait[stop - 1]))
                ride, partner = float(constraints.max_ride[stop - 1]), constraints.partner(stop)
                limited = partner is not None and ride < math.inf
                pickup = calls.get(partner, "") if limited and partner is not None else ""
                self.calls.append(Call(name, leg, windows, service, due, wait, ride, pickup))
                if partner is not None and partner > stop:
                    aboard.add(partner)
                aboard.discard(stop)
                node, served = constraints.num_depots - 1 + stop, served + 1
        wait = self._note_wait(aboard)
        if (end := self.vehicle.end) is not None:
            window = constraints.depots[end].window
            self.calls.append(Call("return", self._leg(node, end), [window], 0.0, wait=wait))

    def _note_wait(self, aboard: Collection[int]) -> float:
        """The longest wait behind what was visited, with shipments on board for stops."""
        self.waits.append(self.vehicle.max_wait_loaded if aboard else math.inf)
        return self.waits[-1]

    def _released(self, stops: Sequence[int]) -> float:
        """The time from which a trip with these stops may begin to be loaded."""
        release = self._instance.own_constraints.release
        return max(float(release[stop - 1]) for stop in stops)

    def _leg(self, start: int | None, end: int) -> float:
        """Duration of a leg, which is added up; None: it begins there."""
        self.nodes.append(end)
        if start is None:
            return 0.0
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
        return duration

    @property
    def dues(self) -> list[Due | None]:
        """Due times of all stops; None where a stop may not be late."""
        return [call.due for call in self.calls if call.name.startswith("customers")]

    @property
    def is_priced(self) -> bool:
        """Return whether the cost of the route depends on lateness."""
        return any(due is not None and due.price > 0.0 for due in (*self.dues, self.back))

    @property
    def has_rides(self) -> bool:
        """Return whether rides or waits have limits: then begins are chosen."""
        return any(min(call.wait, call.ride) < math.inf for call in self.calls) or any(
            wait < math.inf for wait in self.waits
        )

    def take(self, rests: Sequence[tuple[int, int]]) -> None:
        """Makes breaks positions of the route.

        Args:
            rests: In their order; of each its index and how many stops and reloads come before.
        """
        for row, (index, after) in enumerate(rests):
            own = self.vehicle.breaks[index]
            name, wait = f"breaks[{row}]", self.waits[after]
            call = Call(name, 0.0, own.windows, own.duration, wait=wait)
            self.calls.insert(after + row, call)
            self.rounding += _TINY * own.duration

    def times(self, departure: float, slack: float) -> JourneyTimes | Late:
        """The times after a departure, or where it is late by more than `slack`."""
        found = JourneyTimes(departure, [], [], departure, [], [])
        now = departure + self.loading
        for position, call in enumerate(self.calls):
            arrival = now + call.leg
            if (begin := call.begin(arrival, slack)) is None:
                opens, closes = call.windows[-1]
                soonest, last = max(arrival, opens), "after the last window closes"
                what = f"arrives at {arrival:.9g}"
                if soonest > arrival:
                    what = f"begins at {soonest:.9g}"
                if call.due is not None:
                    last = "more than max_late " + last
                words = f"{call.name}: {what}, {soonest - closes:.6g} {last}"
                return Late(position, soonest - closes, words)
            found.note(call.name, arrival, begin)
            now = begin + call.service
        if now > self.shift_end + slack:
            late, more = now - self.shift_end, "" if self.back is None else "more than max_late "
            words = f"return: ends at {now:.9g}, {late:.6g} {more}after the vehicle's shift"
            return Late(len(self.calls), late, words)
        return found._replace(end=now)

    def first_departure(self, slack: float) -> float:
        """The earliest departure; without a start depot, the first begin of its first position."""
        if self.vehicle.start is None:
            for opens, closes in self.calls[0].windows:
                if self.earliest <= closes + slack:
                    return max(self.earliest, opens)
        return self.earliest


def service_of(instance: Instance, vehicle: int, stop: int, before: int | None) -> float:
    """Setup and service of a stop for a vehicle.

    Args:
        instance: With constraints.
        vehicle: Index of its type.
        stop: 1..N.
        before: The node before it; None: it is the first, without a start depot.
    """
    own = instance.own_constraints
    times = own.service if own.service_by_type is None else own.service_by_type[vehicle]
    setups = own.setup if own.setup_by_type is None else own.setup_by_type[vehicle]
    service = float(times[stop - 1])
    if setups is None:
        return service
    if before is not None and _same_location(instance, before, own.num_depots - 1 + stop):
        return service
    return service + float(setups[stop - 1])


def _same_location(instance: Instance, node: int, other: int) -> bool:
    """Return whether two nodes have the same location number or, without any, coordinates."""
    places = instance.own_constraints.places
    if places is not None and (places[node] is not None or places[other] is not None):
        return places[node] == places[other]
    if node == other or instance.coords is None:
        return node == other
    return all(
        float(instance.coords[node, axis]) == float(instance.coords[other, axis]) for axis in (0, 1)
    )


def windows_of(instance: Instance, stop: int) -> list[tuple[float, float]]:
    """The windows of a stop's service, without the padding."""
    rows = instance.own_constraints.windows[stop - 1]
    return [(float(row[0]), float(row[1])) for row in rows if float(row[0]) != math.inf]


def due_at(instance: Instance, stop: int) -> Due | None:
    """The time at which service should have begun at a stop that may be late; None: it may not."""
    constraints = instance.own_constraints
    most = float(constraints.max_late[stop - 1])
    if most <= 0.0:
        return None
    closes = windows_of(instance, stop)[-1][1]
    return Due(closes, most, float(constraints.late_cost[stop - 1]))


def time_tolerance(instance: Instance) -> tuple[float, float]:
    """Tolerances of times: what is accepted, and what rounding may do."""
    constraints = instance.own_constraints
    windows = [depot.window for depot in constraints.depots]
    for vehicle in constraints.vehicles:
        if vehicle.window != DEFAULT_SHIFT:  # clocks may count from long ago
            windows.append(vehicle.window)
        windows.append((math.inf, vehicle.latest_start))
        windows += [window for each in vehicle.breaks for window in each.windows]
    for stop in range(1, constraints.num_stops + 1):
        windows += windows_of(instance, stop)
        windows.append((float(constraints.release[stop - 1]), math.inf))
    opens, closes = (
        [each for each in row if math.isfinite(each)] for row in zip(*windows, strict=True)
    )
    scale = 0.0
    if opens or closes:
        first = min([*opens, *closes])
        last = max([first, *opens])
        for end in sorted(closes):
            if last > first and end - first > _NO_END * (last - first):
                break  # it means that there is no limit
            last = max(last, end)
        scale = max(last - first, _FAR * max(abs(first), abs(last)))
    if not scale:
        limits = [min(each.max_duration, each.max_travel_time) for each in constraints.vehicles]
        least = min(limits, default=math.inf)
        scale = max(1.0, _FAR * least) if math.isfinite(least) else 1.0
    accepted = TIME_TOLERANCE * scale
    return accepted, _STRICT * accepted
