"""When a vehicle leaves, arrives and is back: routes of instances with constraints."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from vrpcore.cost.itinerary import FREE, NEVER_LATE, Holds, Itinerary, Prices
from vrpcore.cost.leg_matrices import costs_of, legs_of
from vrpcore.cost.route_schedule import Schedule
from vrpcore.cost.route_times import Times, times_of
from vrpcore.cost.trips import Boards, boards_of, trips_of
from vrpcore.instance.constraints import Constraints
from vrpcore.instance.instance import LOAD_TOLERANCE, Instance
from vrpcore.instance.plan import Reload, Route
from vrpcore.instance.solution import RouteBreak, RouteReload
from vrpcore.instance.vehicle_types import DEFAULT_SHIFT, Break, Depot, Window

# Of the span of an instance's times: what rounding in float64 may add up to.
TIME_TOLERANCE = 1e-9
_ROUNDING = 1e-12  # of the most on board: what is left of it by rounding where all is unloaded
_FAR = 1e-4  # of the largest time, or a limit: some hundred times its rounding, as tolerances are
_NO_END = 1e4  # so many times the span of all times before it: an end that means no limit


def time_span(constraints: Constraints) -> float:
    """The scale of tolerances: latest minus earliest finite time of an instance.

    At least the share of the largest time that rounding needs: times may be far from 0. Without
    any time but 0 it is 1, or that share of the least limit on a route's time. The default shift
    does not count: clocks may count from long ago; nor does an end that means no limit.
    """
    windows, limits = [depot.window for depot in constraints.depots], list[float]()
    for vehicle in constraints.vehicles:
        windows += [] if vehicle.window == DEFAULT_SHIFT else [vehicle.window]
        windows += [window for each in vehicle.breaks for window in each.windows]
        windows.append((math.inf, vehicle.latest_start))
        limits += [vehicle.max_duration, vehicle.max_travel_time]
    times = np.concatenate((windows, constraints.windows.reshape(-1, 2)))
    begins, ends = np.append(times[:, 0], constraints.release), np.sort(times[:, 1])
    begins, ends = begins[np.isfinite(begins)], ends[np.isfinite(ends)]
    first = float(np.concatenate((begins, ends[:1])).min()) if len(begins) + len(ends) else 0.0
    last = float(begins.max(initial=first))
    for end in ends.tolist():
        if end - first > _NO_END * (last - first) > 0.0:
            break
        last = max(last, end)
    span = max(last - first, _FAR * max(abs(first), abs(last)))
    return span or max(1.0, _FAR * min(filter(math.isfinite, limits), default=0.0))


class Timeline:
    """Schedules routes of one instance.

    Args:
        instance: With constraints.
        earliest: No vehicle leaves before.

    Attributes:
        constraints: Of the instance.
        slack: How much too late counts as in time: what rounding may add up to.
    """

    def __init__(self, instance: Instance, earliest: float = -math.inf) -> None:
        self._instance, self.constraints = instance, instance.own_constraints
        self._earliest = earliest
        self._depots = instance.num_depots
        self.slack = TIME_TOLERANCE * time_span(self.constraints)
        windows = [
            [(first, last) for first, last in row if first < math.inf]
            for row in self.constraints.windows.tolist()
        ]
        self._closes = [row[-1][1] for row in windows]
        self._max_late = self.constraints.max_late.tolist()
        self._windows = [
            [*row[:-1], (row[-1][0], row[-1][1] + late)] if late > 0 else row
            for row, late in zip(windows, self._max_late, strict=True)
        ]
        self._dues = [
            (closes, price) if late > 0 else NEVER_LATE
            for closes, price, late in zip(
                self._closes, self.constraints.late_cost.tolist(), self._max_late, strict=True
            )
        ]
        self._locations = instance.place_numbers() if self.constraints.has_setups else []

    def schedule(self, route: Route) -> Schedule | None:
        """The best times of a route; None where some window cannot be met, or a road is missing.

        It leaves, and takes its breaks, so that it costs least, of those times so that it takes
        least time, of those earliest. Of limits, only those on times are looked at, and those on
        loads in breaks; that on the duration where it then leaves in another way.
        """
        boards, breaks = self.boards(route), self.constraints.vehicles[route.vehicle].breaks
        return self.timed(
            route, self.itinerary(route), boards, breaks, breaks_by_load(breaks, boards)
        )

    def timed(
        self,
        route: Route,
        bare: Itinerary,
        boards: Boards,
        breaks: Sequence[Break],
        fits: Callable[[int, int], bool],
    ) -> Schedule | None:
        """The best times of a route of which parts are given; None as for `schedule`.

        Args:
            route: The route.
            bare: Its itinerary without breaks.
            boards: Loads on board, as of `boards_of`.
            breaks: What it takes.
            fits: Whether a break may be taken behind a number of stops and reloads.
        """
        distance, travel = math.fsum(bare.lengths), math.fsum(bare.legs)
        if not math.isfinite(distance + travel + (fee := self._cost_of_legs(route, distance))):
            return None  # some leg has no road
        if (times := self.depart(bare, breaks, fits)) is None:
            return None
        vehicle = self.constraints.vehicles[route.vehicle]
        duration = times.end - times.departure
        found = self._visited(route, times, boards)._replace(
            rides=self._rides(route, bare, times),
            distance=distance,
            travel=travel,
            late_return=self._beyond(times.end, vehicle.window[1]) if vehicle.max_late > 0 else 0.0,
            overtime=self._beyond(duration, vehicle.max_duration)
            if vehicle.max_overtime > 0
            else 0.0,
        )
        work = math.fsum(self.services(route)) if vehicle.service_cost else 0.0
        cost = (
            vehicle.fixed_cost
            + fee
            + duration * vehicle.duration_cost
            + travel * vehicle.travel_cost
            + work * vehicle.service_cost
        )
        return found._replace(cost=cost + self._extra_cost(route, found))

    def _beyond(self, time: float, limit: float) -> float:
        """How far `time` exceeds `limit`, ignoring rounding."""
        return time - limit if time > limit + self.slack else 0.0

    def _extra_cost(self, route: Route, found: Schedule) -> float:
        """Of lateness and overtime, and what it costs more that this type serves its stops."""
        vehicle, constraints = self.constraints.vehicles[route.vehicle], self.constraints
        rows = [stop - 1 for stop in route.stops]
        terms = [
            late * float(constraints.late_cost[row])
            for row, late in zip(rows, found.late, strict=True)
            if late
        ]
        if found.late_return:
            terms.append(found.late_return * vehicle.late_cost)
        if found.overtime:
            terms.append(found.overtime * vehicle.overtime_cost)
        if constraints.vehicle_cost is not None:
            terms += constraints.vehicle_cost[route.vehicle, rows].tolist()
        return math.fsum(terms)

    def _visited(self, route: Route, times: Times, boards: Boards) -> Schedule:
        """Times and loads at stops, reloads and breaks; all other numbers are 0."""
        constraints, visits = self.constraints, route.visits
        calls = [at for at, visit in enumerate(visits) if isinstance(visit, Reload)]
        own = [at for at in range(len(visits)) if at not in calls]
        loads = [tuple(float(board[at]) for board in boards) for at in calls]
        breaks = constraints.vehicles[route.vehicle].breaks
        return Schedule(
            departure=times.departure,
            end=times.end,
            distance=0.0,
            travel=0.0,
            arrivals=tuple(times.arrivals[at] for at in own),
            begins=tuple(times.begins[at] for at in own),
            load=tuple(float(max(board)) for board in boards),
            cost=0.0,
            breaks=tuple(
                RouteBreak(
                    id=breaks[number].id,
                    begin=begin,
                    after=after - sum(at < after for at in calls),
                    at_reload=after - 1 in calls,
                )
                for number, after, begin in times.rests
            ),
            reloads=tuple(
                RouteReload(
                    depot=constraints.depots[call.depot].id,
                    after=call.after,
                    arrival=times.arrivals[at],
                    begin=times.begins[at],
                    return_load=load if constraints.listed_amounts else load[0],
                )
                for at, call, load in zip(calls, route.reloads, loads, strict=True)
            ),
            late=tuple(
                self._beyond(times.begins[at], self._closes[stop - 1])
                if self._max_late[stop - 1] > 0
                else 0.0
                for stop, at in zip(route.stops, own, strict=True)
            ),
        )

    def depart(
        self, bare: Itinerary, breaks: Sequence[Break], fits: Callable[[int, int], bool]
    ) -> Times | None:
        """The best times of an itinerary; None where there are none; arguments are as for `timed`.

        Prices do not count where no departure is in time with them.
        """
        found = times_of(bare, self.slack, breaks, fits)
        if found is None and bare.prices is not FREE:
            found = times_of(bare._replace(prices=FREE), self.slack, breaks, fits)
        return found

    def services(self, route: Route) -> list[float]:
        """How long each stop of a route takes: setup, where it is not dropped, and service."""
        constraints, times = self.constraints, self.constraints.services(route.vehicle)
        found = [float(times[stop - 1]) for stop in route.stops]
        setups = constraints.setups(route.vehicle)
        if setups is None:
            return found
        start = constraints.vehicles[route.vehicle].start
        place, served = -1 if start is None else self._locations[start], 0
        for visit in route.visits:
            if isinstance(visit, Reload):
                place = self._locations[visit.depot]
                continue
            before, place = place, self._locations[self._depots - 1 + visit]
            if before != place:
                found[served] += float(setups[visit - 1])
            served += 1
        return found

    def itinerary(self, route: Route) -> Itinerary:
        """The itinerary of a route without breaks."""
        constraints, vehicle = self.constraints, self.constraints.vehicles[route.vehicle]
        distances, durations = legs_of(self._instance, vehicle, self.nodes(route))
        windows: list[list[Window]] = [self._windows[stop - 1] for stop in route.stops]
        services = self.services(route)
        trips = trips_of(route)
        for reload, trip in reversed([*zip(route.reloads, trips[1:], strict=True)]):
            depot = constraints.depots[reload.depot]
            windows.insert(reload.after, self._loading_windows(depot, trip))
            services.insert(reload.after, depot.service)
        if vehicle.end is not None:
            windows.append([constraints.depots[vehicle.end].window])
            services.append(0.0)
        first = [] if vehicle.start is not None else [0.0]  # the leg to the first stop
        start = Depot(id="") if vehicle.start is None else constraints.depots[vehicle.start]
        earliest = max(vehicle.window[0], self._earliest)
        return Itinerary(
            earliest=max(earliest, start.window[0], self._release(trips[0])),
            latest=vehicle.window[1] + vehicle.max_late,
            is_open=vehicle.start is None,
            num_visits=len(route.stops) + len(route.reloads),
            legs=first + durations.tolist(),
            windows=windows,
            services=services,
            lengths=first + distances.tolist(),
            latest_start=constraints.latest_departure(vehicle),
            loading=start.service,
            prices=self._prices(route),
            holds=self._holds(route),
        )

    def _holds(self, route: Route) -> Holds | None:
        """Limits on rides and waits; None where the route has none."""
        constraints, vehicle = self.constraints, self.constraints.vehicles[route.vehicle]
        rows, visits = [stop - 1 for stop in route.stops], [*route.visits]
        loaded = vehicle.max_wait_loaded
        limits = np.append(constraints.max_wait[rows], constraints.max_ride[rows])
        if math.isinf(loaded) and np.isinf(limits).all():
            return None
        aboard = sum(constraints.is_aboard(stop) for stop in route.stops)
        found, breaks = list[tuple[float, float, int]](), list[float]()
        for visit in visits:
            longest = loaded if aboard else math.inf
            breaks.append(longest)
            if isinstance(visit, Reload):
                found.append((longest, math.inf, -1))
                continue
            partner, ride = constraints.partner(visit), float(constraints.max_ride[visit - 1])
            pickup = -1 if partner is None or math.isinf(ride) else visits.index(partner)
            wait = min(longest, float(constraints.max_wait[visit - 1]))
            found.append((wait, ride, pickup))
            aboard += constraints.carries(visit)
        breaks.append(loaded if aboard else math.inf)
        if vehicle.end is not None:
            found.append((breaks[-1], math.inf, -1))
        waits, rides, pickups = zip(*found, strict=True)
        return Holds(waits, rides, pickups, breaks)

    def _rides(self, route: Route, bare: Itinerary, times: Times) -> tuple[float, ...]:
        """How long the ride to each stop is, 0 without a limit; nothing where none has one."""
        if bare.holds is None or max(pickups := bare.holds.pickups) < 0:
            return ()
        own = [at for at, visit in enumerate(route.visits) if not isinstance(visit, Reload)]
        # Not as long as a vehicle stays somewhere in a plan that goes on.
        services = self.services(route)
        ends = {at: times.begins[at] + service for at, service in zip(own, services, strict=True)}
        return tuple(
            times.begins[at] - ends[pickups[at]] if pickups[at] >= 0 else 0.0 for at in own
        )

    def _release(self, trip: Sequence[int]) -> float:
        """When loading for a trip begins at the earliest."""
        return max(float(self.constraints.release[stop - 1]) for stop in trip)

    def _loading_windows(self, depot: Depot, trip: Sequence[int]) -> list[Window]:
        """When loading for a trip may begin at a reload; none where that is never."""
        opens, closes = max(depot.window[0], self._release(trip)), depot.window[1]
        return [] if opens > closes + self.slack else [(opens, max(opens, closes))]

    def _prices(self, route: Route) -> Prices:
        """Costs that depend on the departure; none where nothing late has a price."""
        vehicle = self.constraints.vehicles[route.vehicle]
        back = vehicle.late_cost if vehicle.max_late > 0 else 0.0
        if not back and not any(self._dues[stop - 1][1] for stop in route.stops):
            return FREE
        return Prices(
            dues=[
                NEVER_LATE if isinstance(visit, Reload) else self._dues[visit - 1]
                for visit in route.visits
            ],
            longest=vehicle.max_duration + vehicle.max_overtime,
            late_from=vehicle.window[1] if back else math.inf,
            late=back,
            overtime_from=vehicle.max_duration if vehicle.max_overtime > 0 else math.inf,
            overtime=vehicle.overtime_cost,
            duration=vehicle.duration_cost,
        )

    def nodes(self, route: Route) -> list[int]:
        """The nodes of a route, with the depots where it starts, reloads and ends."""
        vehicle = self.constraints.vehicles[route.vehicle]
        ends = [] if vehicle.start is None else [vehicle.start]
        ends += [
            visit.depot if isinstance(visit, Reload) else self._depots - 1 + visit
            for visit in route.visits
        ]
        return ends + ([] if vehicle.end is None else [vehicle.end])

    def _cost_of_legs(self, route: Route, distance: float) -> float:
        vehicle = self.constraints.vehicles[route.vehicle]
        nodes = np.array(self.nodes(route))
        costs = costs_of(self._instance, vehicle, (nodes[:-1], nodes[1:]))
        return distance * vehicle.distance_cost if costs is None else math.fsum(costs)

    def boards(self, route: Route) -> Boards:
        """Loads on board, as of `boards_of`."""
        return boards_of(self.constraints, route)

    def load(self, route: Route) -> tuple[float, ...]:
        """The most on board of a route in any trip, by dimension."""
        return tuple(float(max(board)) for board in self.boards(route))


def breaks_by_load(breaks: Sequence[Break], boards: Boards) -> Callable[[int, int], bool]:
    """Make the test whether a break may be taken behind a number of stops and reloads.

    Args:
        breaks: Of the vehicle type; each has a `max_load`, or none.
        boards: Loads on board, as of `boards_of`.
    """

    def fits(index: int, after: int) -> bool:
        limit = breaks[index].max_load
        return limit is None or all(
            board[after] <= most * (1 + LOAD_TOLERANCE) + _ROUNDING * max(board)
            for board, most in zip(boards, limit, strict=True)
        )

    return fits
