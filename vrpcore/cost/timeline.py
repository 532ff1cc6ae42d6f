"""When a vehicle leaves, arrives and is back: routes of instances with constraints."""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from vrpcore.cost.breaks import Itinerary, Rest, Taken, place_breaks
from vrpcore.cost.distance import distance_matrix, path_lengths
from vrpcore.instance.constraints import Constraints
from vrpcore.instance.instance import LOAD_TOLERANCE, Float64, Instance
from vrpcore.instance.plan import Route
from vrpcore.instance.vehicle_types import DEFAULT_SHIFT, VehicleType, Window

# Of the span of an instance's times: what rounding in float64 may add up to.
TIME_TOLERANCE = 1e-9
_ROUNDING = 1e-12  # of the most on board: what is left of it by rounding where all is unloaded
_Times = tuple[float, ...]
_Found = tuple[float, _Times, _Times]  # departure, arrivals and begins
_FAR = 1e-4  # of the largest time: some hundred times its rounding, as tolerances are


class Schedule(NamedTuple):
    """The times of a route, with the least duration, and among such the earliest departure.

    Attributes:
        departure: From the start depot; begin of the first service or break where there is none.
        end: Back at the end depot; end of the last service or break where there is none.
        distance: Of its legs.
        travel: Duration of its legs.
        arrivals: At each stop, waiting not yet included.
        begins: Of setup and service at each stop.
        load: [L] most on board.
        cost: Of the vehicle and its legs.
        breaks: In their order.
    """

    departure: float
    end: float
    distance: float
    travel: float
    arrivals: tuple[float, ...]
    begins: tuple[float, ...]
    load: tuple[float, ...]
    cost: float
    breaks: tuple[Rest, ...] = ()

    @property
    def duration(self) -> float:
        """From departure to end."""
        return self.end - self.departure


class Matrices(NamedTuple):
    """Lengths and durations of legs: of all, [M, M] float64, row = from, or of a path."""

    distances: Float64
    durations: Float64


def matrices_of(instance: Instance, vehicle: VehicleType, out: Float64 | None = None) -> Matrices:
    """Lengths and durations of all legs for a vehicle type.

    Args:
        instance: With constraints.
        vehicle: One of its types.
        out: For the lengths; see `distance_matrix`.

    Returns:
        Two arrays, [M, M] float64.
    """
    return _for_vehicle(instance, vehicle, lambda whole: distance_matrix(whole, out), np.s_[:, :])


def legs_of(instance: Instance, vehicle: VehicleType, nodes: Sequence[int]) -> Matrices:
    """Lengths and durations of the legs along a path for a vehicle type.

    Args:
        instance: With constraints.
        vehicle: One of its types.
        nodes: S of them in visiting order.

    Returns:
        Two arrays, [S - 1] float64.
    """
    path = np.asarray(nodes, np.int64)
    return _for_vehicle(
        instance, vehicle, lambda whole: path_lengths(whole, path), (path[:-1], path[1:])
    )


def costs_of(instance: Instance, vehicle: VehicleType, legs: Any = np.s_[:, :]) -> Float64 | None:
    """Given costs of legs for a vehicle type; None: their distances cost.

    Args:
        instance: With constraints.
        vehicle: One of its types.
        legs: Which of them, as an index of matrices.
    """
    constraints = instance.own_constraints
    named = vehicle.matrix is not None
    costs = constraints.matrices[vehicle.matrix or ""].costs if named else constraints.costs
    return None if costs is None else costs[legs]


def _for_vehicle(
    instance: Instance, vehicle: VehicleType, lengths: Callable[[Instance], Float64], legs: Any
) -> Matrices:
    """Lengths and durations of some legs, which are `legs` in matrices."""
    constraints = instance.own_constraints
    distances, durations = None, constraints.durations
    if vehicle.matrix is not None:
        distances, durations, _ = constraints.matrices[vehicle.matrix]
    between = lengths(instance) if distances is None else distances[legs]
    times = _divided(between, constraints.speed) if durations is None else durations[legs]
    return Matrices(between, _divided(times, vehicle.speed))


def _divided(values: Float64, speed: float) -> Float64:
    """Values / speed; no copy of a large matrix where that changes nothing."""
    return values if speed == 1.0 else values / speed


def time_span(constraints: Constraints) -> float:
    """The scale of tolerances: latest minus earliest finite time of an instance.

    At least the share of the largest time that rounding needs: times may be far from 0. Without
    any time but 0 it is 1. The default shift does not count: clocks may count from long ago.
    """
    times = [time for depot in constraints.depots for time in depot.window]
    for vehicle in constraints.vehicles:
        shift = [] if vehicle.window == DEFAULT_SHIFT else [vehicle.window]
        own = (*shift, *(window for each in vehicle.breaks for window in each.windows))
        times += [vehicle.latest_start, *(time for window in own for time in window)]
    times += constraints.windows.ravel().tolist() + constraints.release.tolist()
    finite = [time for time in times if math.isfinite(time)]
    if not finite:
        return 1.0
    first, last = min(finite), max(finite)
    return max(last - first, _FAR * max(abs(first), abs(last))) or 1.0


class Timeline:
    """Schedules routes of one instance.

    Args:
        instance: With constraints.

    Attributes:
        slack: How much too late counts as in time: what rounding may add up to.
    """

    def __init__(self, instance: Instance) -> None:
        self._instance, self._constraints = instance, instance.own_constraints
        self._depots = instance.num_depots
        self.slack = TIME_TOLERANCE * time_span(self._constraints)
        self._windows = [
            [(first, last) for first, last in row if first < math.inf]
            for row in self._constraints.windows.tolist()
        ]
        self._locations = instance.place_numbers() if self._constraints.has_setups else []

    def schedule(self, route: Route) -> Schedule | None:
        """The best times of a route; None where some window cannot be met, or a road is missing.

        Of limits, only those on loads in breaks are looked at.
        """
        vehicle, size = self._constraints.vehicles[route.vehicle], len(route.stops)
        bare = itinerary = self._itinerary(route)
        distance, travel = math.fsum(bare.lengths), math.fsum(bare.legs)
        if not math.isfinite(distance + travel + (fee := self._cost_of_legs(route, distance))):
            return None  # some leg has no road
        breaks = self._breaks(route, itinerary)
        if breaks is None:
            return None
        if breaks:
            itinerary = bare.with_breaks(vehicle.breaks, breaks)
        found = self._best(itinerary)
        if found is None:
            return None
        departure, arrivals, begins = found
        end = begins[-1] + itinerary.services[-1]
        rests = {
            each.after + row: each for row, each in enumerate(breaks)
        }  # by row of the itinerary
        visits = [row for row in range(len(begins)) if row not in rests][:size]
        return Schedule(
            departure=departure,
            end=end,
            distance=distance,
            travel=travel,
            arrivals=tuple(arrivals[row] for row in visits),
            begins=tuple(begins[row] for row in visits),
            load=self.load(route),
            cost=vehicle.fixed_cost
            + fee
            + (end - departure) * vehicle.duration_cost
            + travel * vehicle.travel_cost
            + math.fsum(bare.services) * vehicle.service_cost,
            breaks=tuple(Rest(each.number, begins[row], each.after) for row, each in rests.items()),
        )

    def rounding(self, route: Route) -> float:
        """What rounding may make of a route's times; infinite where a road is missing."""
        return self._itinerary(route).rounding

    def has_roads(self, route: Route) -> bool:
        """Whether all legs of a route can be driven."""
        itinerary = self._itinerary(route)
        numbers = (*itinerary.lengths, *itinerary.legs, self._cost_of_legs(route, 0.0))
        return math.isfinite(math.fsum(numbers))

    def lateness(self, route: Route) -> tuple[float, int]:
        """How much too late a route with all roads first is, leaving early and without breaks.

        Returns:
            Units of time, and the position among its stops; their number: back at the end depot,
            or beyond the shift. Else -1 and how much too late it starts; 0 where it does not.
        """
        itinerary = self._itinerary(route)
        now = start = itinerary.earliest
        for position, leg in enumerate(itinerary.legs):
            now, windows = now + leg, itinerary.windows[position]
            window = next((each for each in windows if now <= each[1] + self.slack), None)
            if window is None:
                return now - windows[-1][1], position
            now = max(now, window[0])
            start = now if position == 0 and itinerary.is_open else start
            now += itinerary.services[position]
        if now > itinerary.latest + self.slack:
            return now - itinerary.latest, len(route.stops)
        return max(0.0, start - itinerary.latest_start), -1

    def services(self, route: Route) -> list[float]:
        """How long each stop of a route takes: setup, where it is not dropped, and service."""
        constraints, rows = self._constraints, [stop - 1 for stop in route.stops]
        times = constraints.services(route.vehicle)
        found = [float(times[row]) for row in rows]
        setups = constraints.setups(route.vehicle)
        if setups is None:
            return found
        start = constraints.vehicles[route.vehicle].start
        locations = [-1 if start is None else self._locations[start]]
        locations += [self._locations[self._depots + row] for row in rows]
        for position, row in enumerate(rows):
            if locations[position] != locations[position + 1]:
                found[position] += float(setups[row])
        return found

    def _itinerary(self, route: Route) -> Itinerary:
        """The itinerary of a route without breaks."""
        constraints, stops = self._constraints, route.stops
        vehicle = constraints.vehicles[route.vehicle]
        distances, durations = legs_of(self._instance, vehicle, self.nodes(route))
        windows: list[list[Window]] = [self._windows[stop - 1] for stop in stops]
        services = self.services(route)
        if vehicle.end is not None:
            windows.append([constraints.depots[vehicle.end].window])
            services.append(0.0)
        first = [] if vehicle.start is not None else [0.0]  # the leg to the first stop
        earliest = max(
            vehicle.window[0],
            -math.inf if vehicle.start is None else constraints.depots[vehicle.start].window[0],
            max(float(constraints.release[stop - 1]) for stop in stops),
        )
        return Itinerary(
            earliest=earliest,
            latest=vehicle.window[1],
            is_open=vehicle.start is None,
            num_stops=len(stops),
            legs=first + durations.tolist(),
            windows=windows,
            services=services,
            lengths=first + distances.tolist(),
            latest_start=vehicle.latest_start,
        )

    def nodes(self, route: Route) -> list[int]:
        """The nodes of a route, with the depots where it starts and ends."""
        vehicle = self._constraints.vehicles[route.vehicle]
        ends = [] if vehicle.start is None else [vehicle.start]
        ends += [self._depots - 1 + stop for stop in route.stops]
        return ends + ([] if vehicle.end is None else [vehicle.end])

    def _cost_of_legs(self, route: Route, distance: float) -> float:
        vehicle = self._constraints.vehicles[route.vehicle]
        nodes = np.array(self.nodes(route))
        costs = costs_of(self._instance, vehicle, (nodes[:-1], nodes[1:]))
        return distance * vehicle.distance_cost if costs is None else math.fsum(costs)

    def _breaks(self, route: Route, itinerary: Itinerary) -> tuple[Taken, ...] | None:
        """The breaks of a route; None where it cannot take them."""
        vehicle = self._constraints.vehicles[route.vehicle]
        if not vehicle.breaks:
            return ()
        boards = self._boards(route)

        def fits(index: int, after: int) -> bool:
            limit = vehicle.breaks[index].max_load
            return limit is None or all(
                board[after] <= most * (1 + LOAD_TOLERANCE) + _ROUNDING * max(board)
                for board, most in zip(boards, limit, strict=True)
            )

        return place_breaks(itinerary, vehicle.breaks, fits, self.slack)

    def load(self, route: Route) -> tuple[float, ...]:
        """The most on board of a route, by dimension."""
        return tuple(float(max(board)) for board in self._boards(route))

    def _boards(self, route: Route) -> list[list[float]]:
        """What is on board at the start and after each stop, by dimension."""
        constraints, rows = self._constraints, [stop - 1 for stop in route.stops]
        boards = []
        for dimension in range(constraints.delivery.shape[1]):
            changes = [
                constraints.pickup[row, dimension]
                - constraints.delivery[row, dimension]
                + constraints.shipment[row, dimension]
                for row in rows
            ]
            first = math.fsum(constraints.delivery[rows, dimension])
            boards.append(list(itertools.accumulate(changes, initial=first)))
        return boards

    def _best(self, itinerary: Itinerary) -> _Found | None:
        """Departure, arrivals and begins with the least duration; None: no departure works.

        The end is a piecewise linear function of the departure, of slopes 0 and 1 with jumps
        upwards. Its duration is least at the earliest or latest departure, or where some arrival
        that nothing delays meets the begin or the end of a window.
        """
        earliest = itinerary.earliest
        first = self._run(itinerary, earliest)
        if first is not None and itinerary.is_open:  # no vehicle leaves to wait at a first stop
            earliest = first[1][0]
            first = self._run(itinerary, earliest)
        if earliest > itinerary.latest_start:
            return None
        if all(len(windows) == 1 for windows in itinerary.windows):
            delay = 0.0 if first is None else _useful_delay(itinerary, *first)
            return self._first_of(itinerary, [min(earliest + delay, itinerary.latest_start)])
        return self._first_of(itinerary, sorted(self._departures(itinerary, earliest)))

    def _first_of(self, itinerary: Itinerary, departures: Sequence[float]) -> _Found | None:
        """The first of these departures with the least duration."""
        best, least, tie = None, math.inf, self.slack + itinerary.rounding
        for departure in departures:
            run = self._run(itinerary, departure)
            if run is None or (itinerary.is_open and run[1][0] > departure):
                continue  # of the latter, another candidate begins with that service
            duration = run[1][-1] + itinerary.services[-1] - departure
            if duration < least - tie:
                best, least = (departure, *run), duration
        return best

    def _departures(self, itinerary: Itinerary, earliest: float) -> set[float]:
        passed, found = 0.0, {itinerary.latest_start}
        for leg, windows, service in zip(
            itinerary.legs, itinerary.windows, itinerary.services, strict=True
        ):
            passed += leg
            found.update(time - passed for window in windows for time in window)
            passed += service
        later = (each for each in found if earliest < each < itinerary.latest)
        return {earliest, *(each for each in later if each <= itinerary.latest_start)}

    def _run(self, itinerary: Itinerary, departure: float) -> tuple[_Times, _Times] | None:
        """Arrivals and begins after a departure; None where something is too late."""
        now, arrivals, begins = departure, [], []
        for leg, windows, service in zip(
            itinerary.legs, itinerary.windows, itinerary.services, strict=True
        ):
            now += leg
            arrivals.append(now)
            window = next((each for each in windows if now <= each[1] + self.slack), None)
            if window is None:
                return None
            now = max(now, window[0])
            begins.append(now)
            now += service
        if now > itinerary.latest + self.slack:
            return None
        return tuple(arrivals), tuple(begins)


def _useful_delay(
    itinerary: Itinerary, arrivals: Sequence[float], begins: Sequence[float]
) -> float:
    """How much later to leave, so that no time is waited that can be avoided; one window each."""
    waited, room = 0.0, math.inf
    for arrival, begin, (window,) in zip(arrivals, begins, itinerary.windows, strict=True):
        waited += begin - arrival
        room = min(room, window[1] - begin + waited)
    return max(0.0, min(waited, room))
