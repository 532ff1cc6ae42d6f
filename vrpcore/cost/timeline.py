"""When a vehicle leaves, arrives and is back: routes of instances with constraints."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from vrpcore.cost.distance import distance_matrix, path_lengths
from vrpcore.instance.constraints import Constraints, VehicleType, Window
from vrpcore.instance.instance import Float64, Instance

# Of the span of an instance's times: what rounding in float64 may add up to.
TIME_TOLERANCE = 1e-9
_FAR = 1e-4  # of the largest time: some hundred times its rounding, as tolerances are


class Route(NamedTuple):
    """One vehicle's stops.

    Attributes:
        vehicle: Index of its type.
        stops: 1..N in visiting order, at least one.
    """

    vehicle: int
    stops: tuple[int, ...]


class Schedule(NamedTuple):
    """The times of a route, with the least duration, and among such the earliest departure.

    Attributes:
        departure: From the start depot; begin of the first service where there is none.
        end: Back at the end depot; end of the last service where there is none.
        distance: Of its legs.
        travel: Duration of its legs.
        arrivals: At each stop, waiting not yet included.
        begins: Of service at each stop.
        load: [L] most on board.
        cost: Of the vehicle and its way.
    """

    departure: float
    end: float
    distance: float
    travel: float
    arrivals: tuple[float, ...]
    begins: tuple[float, ...]
    load: tuple[float, ...]
    cost: float

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


def _for_vehicle(
    instance: Instance, vehicle: VehicleType, lengths: Callable[[Instance], Float64], legs: Any
) -> Matrices:
    """Lengths and durations of some legs, which are `legs` in matrices."""
    constraints = instance.rules
    distances, durations = None, constraints.durations
    if vehicle.matrix is not None:
        distances, durations = constraints.matrices[vehicle.matrix]
    ways = lengths(instance) if distances is None else distances[legs]
    times = _divided(ways, constraints.speed) if durations is None else durations[legs]
    return Matrices(ways, _divided(times, vehicle.speed))


def _divided(values: Float64, speed: float) -> Float64:
    """Values / speed; no copy of a large matrix where that changes nothing."""
    return values if speed == 1.0 else values / speed


def time_span(constraints: Constraints) -> float:
    """The scale of tolerances: latest minus earliest finite time of an instance.

    At least 1, and the share of the largest time that rounding needs: times may be far from 0.
    """
    times = [time for depot in constraints.depots for time in depot.window]
    times += [time for vehicle in constraints.vehicles for time in vehicle.window]
    times += constraints.windows.ravel().tolist() + constraints.release.tolist()
    finite = [time for time in times if math.isfinite(time)]
    if not finite:
        return 1.0
    first, last = min(finite), max(finite)
    return max(1.0, last - first, _FAR * max(abs(first), abs(last)))


class Timeline:
    """Schedules routes of one instance.

    Args:
        instance: With constraints.

    Attributes:
        slack: How much too late counts as in time: what rounding may add up to.
    """

    def __init__(self, instance: Instance) -> None:
        self._instance, self._constraints = instance, instance.rules
        self._depots = instance.num_depots
        self.slack = TIME_TOLERANCE * time_span(self._constraints)
        self._windows = [
            [(first, last) for first, last in row if first < math.inf]
            for row in self._constraints.windows.tolist()
        ]

    def schedule(self, route: Route) -> Schedule | None:
        """The best times of a route; None where some window cannot be met.

        Limits on loads, durations, distances and stops are not looked at.
        """
        vehicle = self._constraints.vehicles[route.vehicle]
        way, earliest = self._way(route)
        found = self._best(way, earliest, vehicle)
        if found is None:
            return None
        departure, arrivals, begins = found
        end = begins[-1] + way.services[-1]
        if vehicle.start is None:
            departure = begins[0]
        distance, travel = math.fsum(way.lengths), math.fsum(way.legs)
        return Schedule(
            departure=departure,
            end=end,
            distance=distance,
            travel=travel,
            arrivals=arrivals[: len(route.stops)],
            begins=begins[: len(route.stops)],
            load=self.load(route),
            cost=vehicle.fixed_cost
            + distance * vehicle.distance_cost
            + (end - departure) * vehicle.duration_cost
            + travel * vehicle.travel_cost,
        )

    def lateness(self, route: Route) -> tuple[float, int]:
        """How much too late a route is where it first is, leaving as early as it may.

        Returns:
            Units of time, and the place among its stops; their number: back at the end depot,
            or beyond the shift. (0, -1) where it is never too late.
        """
        vehicle = self._constraints.vehicles[route.vehicle]
        way, now = self._way(route)
        places = zip(way.legs, way.windows, way.services, strict=True)
        for place, (leg, windows, service) in enumerate(places):
            now += leg
            window = next((each for each in windows if now <= each[1] + self.slack), None)
            if window is None:
                return now - windows[-1][1], place
            now = max(now, window[0]) + service
        late = now - vehicle.window[1]
        return (late, len(route.stops)) if late > self.slack else (0.0, -1)

    def _way(self, route: Route) -> tuple["_Way", float]:
        """The way of a route, and when it may leave at the earliest."""
        constraints, stops = self._constraints, route.stops
        vehicle = constraints.vehicles[route.vehicle]
        ends = [] if vehicle.start is None else [vehicle.start]
        ends += [self._depots - 1 + stop for stop in stops]
        ends += [] if vehicle.end is None else [vehicle.end]
        distances, durations = legs_of(self._instance, vehicle, ends)
        windows: list[list[Window]] = [self._windows[stop - 1] for stop in stops]
        services = [float(constraints.service[stop - 1]) for stop in stops]
        if vehicle.end is not None:
            windows.append([constraints.depots[vehicle.end].window])
            services.append(0.0)
        # The way to each place: from the start depot, or none to the first stop.
        first = [] if vehicle.start is not None else [0.0]
        earliest = max(
            vehicle.window[0],
            -math.inf if vehicle.start is None else constraints.depots[vehicle.start].window[0],
            max(float(constraints.release[stop - 1]) for stop in stops),
        )
        way = _Way(first + durations.tolist(), windows, services, first + distances.tolist())
        return way, earliest

    def load(self, route: Route) -> tuple[float, ...]:
        """The most on board of a route, by dimension."""
        constraints, rows = self._constraints, [stop - 1 for stop in route.stops]
        peaks = []
        for dimension in range(constraints.delivery.shape[1]):
            changes = [
                constraints.pickup[row, dimension]
                - constraints.delivery[row, dimension]
                + constraints.shipment[row, dimension]
                for row in rows
            ]
            first = math.fsum(constraints.delivery[rows, dimension])
            peaks.append(max(itertools.accumulate(changes, initial=first)))
        return tuple(map(float, peaks))

    def _best(
        self, way: "_Way", earliest: float, vehicle: VehicleType
    ) -> tuple[float, tuple[float, ...], tuple[float, ...]] | None:
        """Departure, arrivals and begins with the least duration; None: no departure works.

        The end is a piecewise linear function of the departure, of slopes 0 and 1 with jumps
        upwards. Its duration is least at the earliest departure, or where some arrival that
        nothing delays meets the begin or the end of a window.
        """
        first = self._run(way, earliest, vehicle)
        if first is not None and vehicle.start is None:  # nobody leaves to wait at a first stop
            earliest = first[1][0]
            first = self._run(way, earliest, vehicle)
        if all(len(windows) == 1 for windows in way.windows):
            delay = 0.0 if first is None else _useful_delay(way, *first)
            return self._first_of(way, [earliest + delay], vehicle)
        candidates = sorted({earliest, *self._departures(way, earliest, vehicle)})
        return self._first_of(way, candidates, vehicle)

    def _first_of(
        self, way: "_Way", departures: Sequence[float], vehicle: VehicleType
    ) -> tuple[float, tuple[float, ...], tuple[float, ...]] | None:
        """The first of these departures with the least duration."""
        best, least = None, math.inf
        for departure in departures:
            run = self._run(way, departure, vehicle)
            if run is None:
                continue
            if vehicle.start is None and run[1][0] > departure:
                continue  # it would begin with that service; another candidate does
            duration = run[1][-1] + way.services[-1] - departure
            if duration < least - self.slack:
                best, least = (departure, *run), duration
        return best

    def _departures(self, way: "_Way", earliest: float, vehicle: VehicleType) -> Iterator[float]:
        passed = 0.0
        for leg, windows, service in zip(way.legs, way.windows, way.services, strict=True):
            passed += leg
            for departure in (time - passed for window in windows for time in window):
                if earliest < departure < vehicle.window[1]:
                    yield departure
            passed += service

    def _run(
        self, way: "_Way", departure: float, vehicle: VehicleType
    ) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
        """Arrivals and begins after a departure; None where something is too late."""
        now, arrivals, begins = departure, [], []
        for leg, windows, service in zip(way.legs, way.windows, way.services, strict=True):
            now += leg
            arrivals.append(now)
            window = next((each for each in windows if now <= each[1] + self.slack), None)
            if window is None:
                return None
            now = max(now, window[0])
            begins.append(now)
            now += service
        if now > vehicle.window[1] + self.slack:
            return None
        return tuple(arrivals), tuple(begins)


class _Way(NamedTuple):
    """The places of a route after its departure: stops, and the end depot if there is one.

    Attributes:
        legs: Duration of the way to each.
        windows: When each may begin.
        services: How long each takes.
        lengths: Of the way to each.
    """

    legs: Sequence[float]
    windows: Sequence[Sequence[Window]]
    services: Sequence[float]
    lengths: Sequence[float]


def _useful_delay(way: _Way, arrivals: Sequence[float], begins: Sequence[float]) -> float:
    """How much later to leave, so that nobody waits longer than must be; one window each."""
    waited, room = 0.0, math.inf
    for arrival, begin, (window,) in zip(arrivals, begins, way.windows, strict=True):
        waited += begin - arrival
        room = min(room, window[1] - begin + waited)
    return max(0.0, min(waited, room))
