"""The referee's look at one route: every limit, and every number that is stated of it."""

import math
from collections.abc import Iterable
from typing import NamedTuple

from vrpcore.errors import describe
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Route
from vrpcore.instance.solution import RouteReport, RouteSchedule
from vrpcore.referee.permits import Permits
from vrpcore.referee.route_limits import Journey, Times
from vrpcore.referee.stated_breaks import free_breaks, overloaded_breaks, stated_breaks
from vrpcore.referee.stated_goods import begun_of, unfit_goods
from vrpcore.referee.stated_lateness import lateness, price_of, unfit_lateness
from vrpcore.referee.stated_loads import (
    COST_TOLERANCE,
    broken_rules,
    is_close,
    overloads,
    unfit_load,
)
from vrpcore.referee.stated_reloads import divided, presence, stated_reloads, unfit_loads
from vrpcore.referee.stated_times import TimesCheck
from vrpcore.referee.trip_loads import boards_of, served_load


class View(NamedTuple):
    """What the referee knows of the whole answer.

    Attributes:
        instance: With constraints.
        tolerances: How far times may be off: what is accepted, and what rounding may do.
        problems: What is wrong so far, in words; grows.
        permits: Of the instance.
        forgives: The answer says that frozen parts break limits.
        freeze: Of the answer.
    """

    instance: Instance
    tolerances: tuple[float, float]
    problems: list[str]
    permits: Permits
    forgives: bool = False
    freeze: float | None = None


class Cost(NamedTuple):
    """A cost and how far off it may be, and what makes work even or not.

    Attributes:
        value: The cost.
        slack: How far off it may be.
        duration: Of the route, and how far off it may be.
        distance: Likewise.
        stops: Their number.
        load: All that is served, in the first load dimension.
    """

    value: float
    slack: float
    duration: tuple[float, float]
    distance: tuple[float, float]
    stops: int
    load: float


class RouteCheck:
    """Looks at one route whose stops and vehicle are known.

    Args:
        view: Of the whole answer.
        row: Of the route in it.
        report: The route as stated.
        route: Its type and stops.

    Attributes:
        route: The same with its reloads, and what it had begun when a plan was frozen.
    """

    def __init__(self, view: View, row: int, report: RouteReport, route: Route) -> None:
        self._view, self._instance = view, view.instance
        self._constraints = view.instance.own_constraints
        self._report, self._place = report, f"routes[{row}]"
        self._vehicle = self._constraints.vehicles[route.vehicle]
        self._schedule = report.schedule or RouteSchedule(vehicle=None, start=None, end=None)
        stated = self._schedule.reloads or ()
        reloads, problems, limits = stated_reloads(
            self._instance, self._vehicle, stated, len(route.stops)
        )
        self._tell(problems)
        self._is_known = len(reloads) == len(stated)
        dimensions = self._constraints.delivery.shape[1]
        begun = begun_of(self._schedule, view.freeze, view.tolerances[0], dimensions)
        self.route = self._route = route._replace(reloads=tuple(reloads), begun=begun)
        for position, key, problem in limits:
            self._limit(position, key, problem)

    def cost(self) -> Cost | None:
        """Checks all of it; its cost, None where it is late whenever it leaves, or has no road."""
        self._check_served()
        if not self._is_known:
            return None
        journey = self._journey = Journey(self._instance, self._route)
        late = self._place_breaks()
        self._tolerance = self._view.tolerances[0] + journey.rounding
        if journey.missing:
            self._check_roads()
            return None
        times = None if late else self._check_times()
        self._check_distance()
        return None if times is None else self._cost(times)

    def _cost(self, times: Times) -> Cost:
        vehicle, journey, duration = self._vehicle, self._journey, times.end - times.departure
        late = lateness(journey, times)
        self._say(unfit_lateness(journey, self._schedule, late, self._tolerance))
        stated, off = self._schedule.duration, 0.0
        if math.isnan(stated) or abs(stated - duration) > self._tolerance:
            off = self._tolerance
        else:  # right within the tolerance of times: the cost is that of what is stated
            duration = stated
        priced, slack = price_of(journey, self._schedule, late, self._tolerance)
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
            self._say([("cost", f"{self._report.cost}, expected {value}")])
        stops = self._route.stops
        load = 0.0 if self._constraints.balance is None else served_load(self._instance, stops)
        distance = (journey.distance, journey.slack)
        return Cost(value, slack, (duration, off), distance, len(stops), load)

    def _cost_of_serving(self) -> float:
        """What it costs more that this type serves these stops."""
        prices = self._constraints.vehicle_cost
        if prices is None:
            return 0.0
        return math.fsum(
            float(prices[self._route.vehicle, stop - 1])
            for stop in self._route.stops
            if (self._constraints.partner(stop) or stop + 1) > stop  # of a shipment, its pickup
        )

    def _say(self, found: Iterable[tuple[str, str]]) -> None:
        """Notes problems: keys in the route, and words."""
        for key, problem in found:
            self._view.problems.append(f"{self._place}{'.' if key else ''}{key}: {problem}")

    def _tell(self, found: Iterable[str]) -> None:
        """Notes problems whose words begin with the key in the route."""
        self._view.problems.extend(f"{self._place}.{problem}" for problem in found)

    def _limit(self, position: int | None, key: str, problem: str) -> None:
        """Notes a limit that is broken at a stop, or by the route; a frozen part may break it.

        So may the stop behind it, which the vehicle may have been on its way to, and deliveries
        of what it had picked up.
        """
        if not (self._view.forgives and self._may_break(position)):
            self._say([(key, problem)])

    def _may_break(self, position: int | None) -> bool:
        """Whether a limit there, or of the whole route, may be broken because of frozen stops."""
        frozen, stops = self._schedule.frozen, self._route.stops
        if frozen is None:
            return False
        if position is None or position >= len(stops):
            return True  # without a frozen stop, it may have been on its way to the first one
        partner = self._constraints.partner(stops[position])
        return position <= frozen or partner in stops[: frozen + 1]

    def _check_served(self) -> None:
        """Loads, skills, permits, order of kinds, depots."""
        constraints, route = self._constraints, self._route
        slack, freeze = self._view.tolerances[0], self._view.freeze
        self._say(unfit_goods(self._instance, route, self._schedule, freeze, slack))
        trips = boards_of(self._instance, route)
        for problem in overloads(self._instance, route, trips):
            self._limit(None, "", problem)
        self._say(unfit_load(self._instance, route, trips, self._report))
        for position, problem in broken_rules(self._instance, route, self._view.permits):
            key = "" if position is None else f"customers[{position}]"
            self._limit(position, key, problem)
        for position, problem in divided(self._instance, route) if route.reloads else ():
            self._limit(position, f"customers[{position}]", problem)
        if self._report.schedule is None:
            return
        for key, index in (("start", self._vehicle.start), ("end", self._vehicle.end)):
            stated = getattr(self._schedule, key)
            expected = None if index is None else constraints.depots[index].id
            if stated != expected:
                self._say([(key, f"{describe(stated)}, expected {describe(expected)}")])
        for problem in presence(self._vehicle, self._schedule):
            self._limit(None, "reloads", problem)
        if self._schedule.reloads and self._is_known:
            listed = constraints.listed_amounts
            self._tell(unfit_loads(self._schedule.reloads, trips, listed))

    def _place_breaks(self) -> bool:
        """Makes breaks part of the route: those that are stated, or where there is room for them.

        Returns:
            Whether there is no room.
        """
        journey, route, stated = self._journey, self._route, self._schedule.breaks
        if journey.missing or (not self._vehicle.breaks and not stated):
            return False
        accepted, strict = (each + journey.rounding for each in self._view.tolerances)
        if isinstance(journey.times(journey.earliest, accepted), str) and not self._goes_on:
            return False  # it is late without them; reported below
        if stated is not None:
            rests, problems = stated_breaks(self._vehicle, stated, route)
            if not problems:
                journey.take(rests)
                for key, problem in overloaded_breaks(self._instance, route, rests):
                    self._limit(None, key, problem)
                return False
            self._tell(problems)
        elif self._schedule.begins is not None:
            self._say([("breaks", "missing, expected all that the vehicle takes")])
        free = [free_breaks(self._instance, route, journey, each) for each in (strict, accepted)]
        known = [rests for rests in free if rests is not None]
        if not known:
            self._say([("breaks", "there is no time for them")])
            return True
        journey.take(known[0])
        return False

    @property
    def _goes_on(self) -> bool:
        """Whether times are given for a frozen part of it, and for all that follows."""
        own, number = self._schedule, len(self._route.stops)
        if own.frozen is None or own.begins is None or math.isnan(own.departure):
            return False
        return len(own.begins) == number and (own.arrivals is None or len(own.arrivals) == number)

    def _check_roads(self) -> None:
        origin, instance = self._instance.origin, self._instance
        names = None if origin is None else origin.place_names(instance)
        for leg in self._journey.missing:
            start, end = (names[node] if names else instance.node_name(node) for node in leg)
            self._say([("", f"no road leads from {start} to {end}")])

    def _check_times(self) -> Times | None:
        """The right times: those of the stated departure where it is one of the best."""
        strict = self._view.tolerances[1] + self._journey.rounding
        check = TimesCheck(self._journey, self._schedule, (self._tolerance, strict))
        times = check.frozen() if self._goes_on else check.best()
        self._say(check.problems)
        for position, problem in check.limits:
            self._limit(position, "", problem)
        return times

    def _check_distance(self) -> None:
        journey, vehicle, stated = self._journey, self._vehicle, self._schedule.distance
        if journey.distance > vehicle.max_distance * (1 + COST_TOLERANCE) + journey.slack:
            limit = vehicle.max_distance
            self._limit(None, "", f"distance {journey.distance} exceeds max_distance {limit}")
        if journey.travel > vehicle.max_travel_time + self._tolerance:
            limit = vehicle.max_travel_time
            self._limit(None, "", f"travel time {journey.travel} exceeds max_travel_time {limit}")
        if not math.isnan(stated) and not is_close(stated, journey.distance, journey.slack):
            self._say([("distance", f"{stated}, expected {journey.distance}")])
