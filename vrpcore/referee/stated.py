"""One route as an answer states it: every limit, and every number."""

import math
from collections.abc import Generator, Iterator, Sequence
from typing import NamedTuple

from vrpcore.errors import describe
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Reload, Route, Started
from vrpcore.instance.solution import RouteBreak, RouteReport, RouteSchedule
from vrpcore.instance.vehicle_types import VehicleType
from vrpcore.referee.costs import COST_TOLERANCE, Cost, is_close
from vrpcore.referee.departures import boards_in, free_breaks, overloads_in
from vrpcore.referee.journey import Journey, JourneyTimes, Late
from vrpcore.referee.loads import (
    Boards,
    Limit,
    Problem,
    Wrong,
    boards_of,
    forbidden_stops,
    served_load,
    started_of,
    unfit_goods,
    unfit_loads,
    unfit_return_loads,
)
from vrpcore.referee.rides import free_rests, frozen_rides, ride_times
from vrpcore.referee.times import best_times, lateness, price_of, unfit_lateness
from vrpcore.referee.visits import Permits


class View(NamedTuple):
    """The answer that a route belongs to.

    Attributes:
        instance: With constraints.
        tolerances: How far times may be off: what is accepted, and what rounding may do.
        permits: Of the instance.
        forgives: The answer says that frozen parts break limits.
        freeze: Of the answer.
    """

    instance: Instance
    tolerances: tuple[float, float]
    permits: Permits
    forgives: bool = False
    freeze: float | None = None


class RouteCheck:
    """The check of one route whose stops and vehicle are known.

    Args:
        view: Of the whole answer.
        row: Of the route in it.
        report: The route as stated.
        route: Its type and stops.

    Attributes:
        route: The same with its reloads.
        started: What it had begun when a plan was frozen.
        problems: What is wrong, in words.
        cost: None where it is late whenever it leaves, or has no road.
    """

    def __init__(self, view: View, row: int, report: RouteReport, route: Route) -> None:
        self._view, self._instance = view, view.instance
        self._constraints = view.instance.own_constraints
        self._vehicle, self._report = self._constraints.vehicles[route.vehicle], report
        self._schedule = report.schedule or RouteSchedule(vehicle=None, start=None, end=None)
        self.route, self.problems = route, list[str]()
        self.started: Started | None = None
        self.cost: Cost | None = None
        for problem in self._find():
            if isinstance(problem, Limit) and view.forgives and self._may_break(problem.position):
                continue
            where = f"routes[{row}]{'.' if problem.key else ''}{problem.key}"
            self.problems.append(f"{where}: {problem.words}")

    def _may_break(self, position: int | None) -> bool:
        """Return whether a limit there, or of the whole route, may be broken by frozen stops.

        So it may at the stop behind them, which the vehicle may have been on its way to, and by
        deliveries of what it had picked up.
        """
        frozen, stops = self._schedule.frozen, self.route.stops
        if frozen is None or self._leaves_later:
            return False
        if position is None or position >= len(stops):
            return True  # without a frozen stop, it may have been on its way to the first one
        return (
            position <= frozen or self._constraints.partner(stops[position]) in stops[: frozen + 1]
        )

    def _find(self) -> Iterator[Problem]:
        """Finds all that is wrong; sets the cost where it is known."""
        dimensions = self._constraints.delivery.shape[1]
        accepted, freeze = self._view.tolerances[0], self._view.freeze
        self.started = started_of(self._schedule, freeze, accepted, dimensions)
        reloads = yield from self._reloads()
        self.route = self.route._replace(reloads=tuple(reloads))
        own = self._instance, self.route, self.started
        if self._vehicle.is_lost and freeze is not None and not self._schedule.is_lost:
            yield Wrong("lost", "missing, expected true: its vehicle is lost")
        if self._leaves_later and self._schedule.frozen:
            yield Wrong(
                "frozen", f"{self._schedule.frozen}, expected 0: it leaves after the freeze"
            )
        yield from unfit_goods(*own, self._schedule, accepted)
        trips = boards_of(*own)
        yield from unfit_loads(*own, trips, self._report)
        yield from forbidden_stops(self._instance, self.route, self._view.permits)
        yield from self._ends()
        if len(reloads) < len(self._schedule.reloads or ()):
            return
        yield from unfit_return_loads(self._instance, trips, self._schedule)
        journey = Journey(self._instance, self.route)
        if freeze is not None and self._leaves_later:
            journey.earliest = max(journey.earliest, freeze)
        if journey.missing:
            yield from self._missing_roads(journey)
            return
        has_room = yield from self._place_breaks(journey, boards_in(trips))
        tolerance, strict = (each + journey.rounding for each in self._view.tolerances)
        times = None
        if has_room:
            judge = (
                frozen_rides(journey, self._schedule, tolerance)
                if self._goes_on
                else ride_times(journey, self._schedule, (tolerance, strict))
                if journey.has_rides
                else best_times(journey, self._schedule, (tolerance, strict))
            )
            times = yield from judge
            if self._schedule.rides is not None and not journey.has_rides:
                yield Wrong("rides", "not expected, no ride has a limit")
        yield from self._distance(journey, tolerance)
        if times is not None:
            self.cost = yield from self._price(journey, times, tolerance)

    def _reloads(self) -> Generator[Problem, None, list[Reload]]:
        """The reloads that are stated and may be."""
        stated, vehicle = self._schedule.reloads, self._vehicle
        if vehicle.reloads is None and stated is not None:
            yield Limit("reloads", "not expected, the vehicle has none")
        if vehicle.reloads is not None and stated is None and self._schedule.begins is not None:
            yield Limit("reloads", "missing, expected a list")
        depots = self._constraints.depots
        rows = {depot.id: row for row, depot in enumerate(depots)}
        found, last, num_stops = list[Reload](), 0, len(self.route.stops)
        for row, item in enumerate(stated or ()):
            place, depot = f"reloads[{row}]", rows.get(item.depot)
            if depot is None or depot not in (vehicle.reloads or ()):
                names = ", ".join(depots[each].id for each in vehicle.reloads or ())
                expected = f"expected one of {names}" if names else "the vehicle has no reloads"
                words = f"{describe(item.depot)}, {expected}"
                yield Limit(f"{place}.depot", words, item.after - 1)
            if not last < item.after < num_stops:
                expected = f"expected {last + 1} to {num_stops - 1}, between two stops"
                yield Wrong(f"{place}.after", f"{item.after}, {expected}")
            elif depot is not None:
                found.append(Reload(depot, item.after))
            last = max(last, item.after)
        if len(stated or ()) > vehicle.max_reloads:
            words = f"{len(stated or ())}, max_reloads is {vehicle.max_reloads:g}"
            yield Limit("reloads", words)
        return found

    def _ends(self) -> Iterator[Problem]:
        """Compares the depots where it starts and ends."""
        for key, index in (("start", self._vehicle.start), ("end", self._vehicle.end)):
            stated = getattr(self._schedule, key)
            expected = None if index is None else self._constraints.depots[index].id
            if self._report.schedule is not None and stated != expected:
                yield Wrong(key, f"{describe(stated)}, expected {describe(expected)}")

    def _missing_roads(self, journey: Journey) -> Iterator[Problem]:
        instance = self._instance
        names = instance.origin.place_names(instance)
        for leg in journey.missing:
            start, end = (names[node] if names else instance.node_name(node) for node in leg)
            yield Wrong("", f"no road leads from {start} to {end}")

    def _place_breaks(self, journey: Journey, boards: Boards) -> Generator[Problem, None, bool]:
        """Makes breaks part of the route: those that are stated, or where there is room for them.

        Returns:
            Whether there is room.
        """
        route, stated, vehicle = self.route, self._schedule.breaks, self._vehicle
        accepted, strict = (each + journey.rounding for each in self._view.tolerances)
        if not vehicle.breaks and not stated:
            return True
        if isinstance(journey.times(journey.earliest, accepted), Late) and not self._goes_on:
            return True  # it is late without them; reported with its times
        if stated is not None:
            problems = list(unfit_breaks(vehicle, stated, route))
            yield from problems
            if not problems:
                yield from self._take(journey, stated, boards)
                return True
        elif self._schedule.begins is not None:
            yield Wrong("breaks", "missing, expected all that the vehicle takes")
        free = free_breaks(journey, boards, strict)
        if free is None and (free := free_breaks(journey, boards, accepted)) is None:
            yield Wrong("breaks", "there is no time for them")
            return False
        journey.take(free_rests(journey, boards, accepted) or free)
        return True

    def _take(
        self, journey: Journey, stated: Sequence[RouteBreak], boards: Boards
    ) -> Iterator[Problem]:
        """Takes breaks as stated; more may be on board than is allowed."""
        numbers = {each.id: index for index, each in enumerate(self._vehicle.breaks)}
        rests = [(numbers[item.id], place_of(item, self.route)) for item in stated]
        journey.take(rests)
        for row, (index, after) in enumerate(rests):
            for load, most in overloads_in(self._vehicle.breaks[index], boards, after):
                yield Limit(f"breaks[{row}]", f"a load of {load} exceeds max_load {most}")

    @property
    def _leaves_later(self) -> bool:
        """Return whether the answer states a freeze, and the vehicle had not left by then."""
        return self._view.freeze is not None and self.started is None

    @property
    def _goes_on(self) -> bool:
        """Return whether times are given for a frozen part of it, and for all that follows."""
        own, number = self._schedule, len(self.route.stops)
        if own.frozen is None or own.begins is None or math.isnan(own.departure):
            return False
        if self._leaves_later:
            return False
        return len(own.begins) == number and (own.arrivals is None or len(own.arrivals) == number)

    def _distance(self, journey: Journey, tolerance: float) -> Iterator[Problem]:
        """Compares lengths with their limits, and the stated distance with the right one."""
        vehicle, stated, distance = self._vehicle, self._schedule.distance, journey.distance
        if distance > vehicle.max_distance * (1 + COST_TOLERANCE) + journey.slack:
            words = f"distance {distance} exceeds max_distance {vehicle.max_distance}"
            yield Limit("", words)
        if journey.travel > vehicle.max_travel_time + tolerance:
            limit = f"max_travel_time {vehicle.max_travel_time}"
            yield Limit("", f"travel time {journey.travel} exceeds {limit}")
        if not math.isnan(stated) and not is_close(stated, distance, journey.slack):
            yield Wrong("distance", f"{stated}, expected {distance}")

    def _price(
        self, journey: Journey, times: JourneyTimes, tolerance: float
    ) -> Generator[Problem, None, Cost]:
        """Compares lateness and cost with what is stated."""
        vehicle, duration = self._vehicle, times.end - times.departure
        late = lateness(journey, times)
        yield from unfit_lateness(journey, self._schedule, late, tolerance)
        stated, off = self._schedule.duration, 0.0
        if math.isnan(stated) or abs(stated - duration) > tolerance:
            off = tolerance
        else:  # right within the tolerance of times: the cost is that of what is stated
            duration = stated
        priced, slack = price_of(journey, self._schedule, late, tolerance)
        slack += journey.slack * vehicle.distance_cost
        slack += journey.travel_slack * vehicle.travel_cost
        slack += off * vehicle.duration_cost
        value = (
            vehicle.fixed_cost
            + journey.cost
            + duration * vehicle.duration_cost
            + journey.travel * vehicle.travel_cost
            + journey.work * vehicle.service_cost
            + priced
            + self._cost_of_serving()
        )
        if not math.isnan(self._report.cost) and not is_close(self._report.cost, value, slack):
            yield Wrong("cost", f"{self._report.cost}, expected {value}")
        stops, distance = self.route.stops, (journey.distance, journey.slack)
        load = 0.0 if self._constraints.balance is None else served_load(self._instance, stops)
        return Cost(value, slack, (duration, off), distance, len(stops), load)

    def _cost_of_serving(self) -> float:
        """The extra cost of this type at its stops."""
        prices = self._constraints.vehicle_cost
        if prices is None:
            return 0.0
        return math.fsum(
            float(prices[self.route.vehicle, stop - 1])
            for stop in self.route.stops
            if (self._constraints.partner(stop) or stop + 1) > stop  # of a shipment, its pickup
        )


def unfit_breaks(
    vehicle: VehicleType, stated: Sequence[RouteBreak], route: Route
) -> Iterator[Problem]:
    """Breaks of a route that the vehicle does not have, or that cannot be where they are stated."""
    taken, last, place = set[str](), 0, 0
    names = [each.id for each in vehicle.breaks]
    for row, item in enumerate(stated):
        if item.id not in names:
            yield Wrong(f"breaks[{row}].id", f"{describe(item.id)} is no break of the vehicle")
            continue
        if item.id in taken:
            yield Wrong(f"breaks[{row}].id", f"{describe(item.id)} is taken twice")
        if not last <= item.after <= len(route.stops):
            expected = f"expected {last} to {len(route.stops)}"
            yield Wrong(f"breaks[{row}].after", f"{item.after}, {expected}")
        if item.at_reload and all(each.after != item.after for each in route.reloads):
            yield Wrong(f"breaks[{row}].at", f"no reload comes after {item.after} stops")
        elif last == item.after and place > place_of(item, route):
            words = f"it comes before a reload, breaks[{row - 1}] at it"
            yield Wrong(f"breaks[{row}].at", words)
        last, place = max(last, item.after), max(place, place_of(item, route))
        taken.add(item.id)
    for name in names:
        if name not in taken:
            yield Wrong("breaks", f"{describe(name)} is missing")


def place_of(item: RouteBreak, route: Route) -> int:
    """Number of stops and reloads before a break."""
    before = [each for each in route.reloads if each.after < item.after + item.at_reload]
    return item.after + len(before)
