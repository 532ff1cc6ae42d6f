"""The referee's look at one route: every limit, and every number that is stated of it."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vrpcore.errors import describe
from vrpcore.instance.instance import Instance
from vrpcore.instance.solution import RouteReport, RouteSchedule
from vrpcore.referee.route_limits import Times, Trip, most_on_board
from vrpcore.referee.stated_breaks import free_breaks, overloaded_breaks, stated_breaks

COST_TOLERANCE = 1e-9  # relative, of costs, distances and loads
_TINY = 1e-12  # of all amounts that were added up


class View(NamedTuple):
    """What the referee knows of the whole answer.

    Attributes:
        instance: With constraints.
        tolerances: How far times may be off: what is accepted, and what rounding may do.
        problems: What is wrong so far, in words; grows.
    """

    instance: Instance
    tolerances: tuple[float, float]
    problems: list[str]


class Cost(NamedTuple):
    """A cost and how far off it may be."""

    value: float
    slack: float


class RouteCheck:
    """Looks at one route whose stops and vehicle are known."""

    def __init__(
        self, view: View, row: int, route: RouteReport, vehicle: int, stops: Sequence[int]
    ) -> None:
        self._instance, self._constraints = view.instance, view.instance.own_constraints
        self._route, self._stops, self._place = route, stops, f"routes[{row}]"
        self._problems = view.problems
        self._trip = Trip(view.instance, vehicle, stops)
        self._vehicle = self._trip.vehicle
        self._late = self._place_breaks(view.tolerances)
        self._tolerance, self._strict = (each + self._trip.rounding for each in view.tolerances)

    def cost(self) -> Cost | None:
        """Checks all of it; its cost, None where it is late whenever it leaves, or has no road."""
        self._check_load()
        self._check_kinds()
        if self._trip.missing:
            self._check_roads()
            return None
        times = self._check_times()
        self._check_distance()
        if times is None:
            return None
        vehicle, trip, duration = self._vehicle, self._trip, times.end - times.departure
        stated = self._schedule.duration
        slack = trip.slack * (vehicle.distance_cost + vehicle.travel_cost)
        if math.isnan(stated) or abs(stated - duration) > self._tolerance:
            slack += self._tolerance * vehicle.duration_cost
        else:  # right within the tolerance of times: the cost is that of what is stated
            duration = stated
        value = (
            vehicle.fixed_cost
            + trip.cost
            + duration * vehicle.duration_cost
            + trip.travel * vehicle.travel_cost
            + trip.work * vehicle.service_cost
        )
        if not math.isnan(self._route.cost) and not is_close(self._route.cost, value, slack):
            self._report("cost", f"{self._route.cost}, expected {value}")
        return Cost(value, slack)

    @property
    def _schedule(self) -> RouteSchedule:
        """What is stated of vehicle and times."""
        if self._route.schedule is not None:
            return self._route.schedule
        return RouteSchedule(vehicle=None, start=None, end=None)

    def _report(self, key: str, problem: str) -> None:
        self._problems.append(f"{self._place}{'.' if key else ''}{key}: {problem}")

    def _place_breaks(self, tolerances: tuple[float, float]) -> bool:
        """Makes breaks part of the trip: those that are stated, or where there is room for them.

        Returns:
            Whether there is no room.
        """
        trip, stated, count = self._trip, self._schedule.breaks, len(self._stops)
        if trip.missing or (not self._vehicle.breaks and not stated):
            return False
        accepted, strict = (each + trip.rounding for each in tolerances)
        if isinstance(trip.times(trip.earliest, accepted), str):
            return False  # it is late without them; reported below
        if stated is not None:
            rests, problems = stated_breaks(self._vehicle, stated, count)
            if not problems:
                trip.take(rests)
                overloaded = overloaded_breaks(self._instance, self._vehicle, self._stops, rests)
                self._problems.extend(f"{self._place}.{problem}" for problem in overloaded)
                return False
            self._problems.extend(f"{self._place}.{problem}" for problem in problems)
        elif self._schedule.begins is not None:
            self._report("breaks", "missing, expected all that the vehicle takes")
        free = [free_breaks(self._instance, trip, self._stops, each) for each in (strict, accepted)]
        known = [rests for rests in free if rests is not None]
        if not known:
            self._report("breaks", "there is no time for them")
            return True
        trip.take(known[0])
        return False

    def _check_roads(self) -> None:
        depots = [f"depot {depot.id}" for depot in self._constraints.depots]
        names = [*depots, *(str(identifier) for identifier in self._instance.ids)]
        for start, end in self._trip.missing:
            self._report("", f"no road leads from {names[start]} to {names[end]}")

    def _check_load(self) -> None:
        constraints, route, loads = (
            self._constraints,
            self._route,
            most_on_board(self._instance, self._stops),
        )
        listed = isinstance(route.load, tuple)
        if route.states_load and listed != constraints.listed_amounts:
            expected = f"a list of {len(loads)}" if constraints.listed_amounts else "a number"
            self._report("load", f"{describe(route.load)}, expected {expected}")
            listed = False
        elif isinstance(route.load, tuple) and len(route.load) != len(loads):
            self._report("load", f"a list of {len(route.load)}, expected {len(loads)}")
            listed = False
        for dimension, (load, where) in enumerate(loads):
            name = f" in dimension {dimension}" if constraints.listed_amounts else ""
            capacity = self._vehicle.capacity[dimension]
            if load > capacity * (1 + COST_TOLERANCE):
                leg = "at the start" if where < 0 else f"after customers[{where}]"
                self._report("", f"a load of {load}{name} {leg} exceeds capacity {capacity}")
            if isinstance(route.load, tuple):
                stated = route.load[dimension] if listed else math.nan
            else:
                stated = math.nan if constraints.listed_amounts else route.load
            added = 0.0
            for stop in self._stops:
                added += float(constraints.delivery[stop - 1, dimension])
                added += float(constraints.pickup[stop - 1, dimension])
                added += abs(float(constraints.shipment[stop - 1, dimension]))
            if not math.isnan(stated) and not is_close(stated, load, _TINY * added):
                key = f"load[{dimension}]" if constraints.listed_amounts else "load"
                self._report(key, f"{stated}, expected {load}")

    def _check_kinds(self) -> None:
        """Skills, number of stops, backhauls, depots."""
        constraints, vehicle, stops = self._constraints, self._vehicle, self._stops
        picked = delivered = False
        for position, stop in enumerate(stops):
            for skill in sorted(constraints.skills[stop - 1]):
                if skill not in vehicle.skills:
                    lacks = f"needs {describe(skill)}, which the vehicle has not"
                    self._report(f"customers[{position}]", lacks)
            delivers = any(float(amount) > 0 for amount in constraints.delivery[stop - 1])
            if delivers and picked and constraints.backhauls == "last":
                self._report(f"customers[{position}]", "a delivery after a pickup")
            delivered = delivered or delivers
            picked = picked or any(float(amount) > 0 for amount in constraints.pickup[stop - 1])
        if picked and not delivered and not constraints.pickup_only_routes:
            self._report("", "only pickups, which pickup_only_routes does not allow")
        if len(stops) > vehicle.max_stops:
            self._report("", f"{len(stops)} stops, max_customers is {vehicle.max_stops:g}")
        if self._route.schedule is None:
            return
        for key, index in (("start", vehicle.start), ("end", vehicle.end)):
            stated = getattr(self._route.schedule, key)
            expected = None if index is None else constraints.depots[index].id
            if stated != expected:
                self._report(key, f"{describe(stated)}, expected {describe(expected)}")

    def _check_distance(self) -> None:
        trip, vehicle, stated = self._trip, self._vehicle, self._schedule.distance
        if trip.distance > vehicle.max_distance * (1 + COST_TOLERANCE) + trip.slack:
            self._report(
                "", f"distance {trip.distance} exceeds max_distance {vehicle.max_distance}"
            )
        if trip.travel > vehicle.max_travel_time + self._tolerance:
            limit = vehicle.max_travel_time
            self._report("", f"travel time {trip.travel} exceeds max_travel_time {limit}")
        if not math.isnan(stated) and not is_close(stated, trip.distance, trip.slack):
            self._report("distance", f"{stated}, expected {trip.distance}")

    def _check_times(self) -> Times | None:
        """The right times: those of the stated departure where it is one of the best."""
        trip, tolerance = self._trip, self._tolerance
        if self._late:
            return None
        late = trip.times(trip.earliest, tolerance)
        if isinstance(late, str):
            self._report("", late)
            return None
        best = trip.best(self._strict) or trip.best(tolerance)
        if best is None:
            if math.isfinite(self._vehicle.latest_start):
                first, limit = trip.first_departure(tolerance), self._vehicle.latest_start
                self._report("", f"leaves at {first:.9g} or later, latest_start is {limit}")
            return None
        duration, departure, latest = best
        if duration > self._vehicle.max_duration + tolerance:
            limit = self._vehicle.max_duration
            self._report("", f"duration {duration} exceeds max_duration {limit}")
        stated = self._schedule.departure
        chosen = departure if math.isnan(stated) else stated
        runs = [trip.times(chosen, self._strict), trip.times(chosen, tolerance)]
        known = [run for run in runs if not isinstance(run, str)]
        if (
            not known
            or chosen > self._vehicle.latest_start + tolerance
            or chosen < trip.earliest - tolerance
            or chosen > latest + tolerance  # rounding may make of equal durations different ones
            or min(run.end for run in known) - chosen > duration + tolerance
        ):
            late = f" up to {limit}" if (limit := self._vehicle.latest_start) < math.inf else ""
            self._report(
                "departure", f"{stated}, expected {departure} for the least duration{late}"
            )
            own = trip.times(departure, 2 * tolerance)
            known = [own] if isinstance(own, Times) else []
        if not known:
            return None
        differences = [list(self._differences(run)) for run in known]
        fewest = min(range(len(known)), key=lambda index: len(differences[index]))
        self._problems.extend(differences[fewest])
        return known[fewest]

    def _differences(self, right: Times) -> Iterator[str]:
        """Stated times that are not the right ones."""
        schedule, place = self._schedule, self._place
        pairs = [
            ("return", schedule.return_, right.end),
            ("duration", schedule.duration, right.end - right.departure),
        ]
        for key, times, expected in (
            ("arrivals", schedule.arrivals, right.arrivals),
            ("begins", schedule.begins, right.begins),
        ):
            if times is None:
                continue
            if len(times) != len(expected):
                yield f"{place}.{key}: {len(times)} times, expected {len(expected)}"
                continue
            for index, (stated, own) in enumerate(zip(times, expected, strict=True)):
                pairs.append((f"{key}[{index}]", stated, own))
        for index, (rest, own) in enumerate(zip(schedule.breaks or (), right.rests, strict=False)):
            pairs.append((f"breaks[{index}].begin", rest.begin, own))
        for key, stated, own in pairs:
            if abs(stated - own) > self._tolerance:  # False where it is NaN
                yield f"{place}.{key}: {stated}, expected {own}"


def is_close(stated: float, expected: float, slack: float) -> bool:
    """Whether a stated number is the expected one."""
    return math.isclose(stated, expected, rel_tol=COST_TOLERANCE, abs_tol=slack)
