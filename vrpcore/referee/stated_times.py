"""The referee's look at the times of one route: its departure, and all that follows from it."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from vrpcore.instance.solution import RouteSchedule
from vrpcore.referee.departures import cheapest, is_priced, time_cost
from vrpcore.referee.frozen_times import Frozen
from vrpcore.referee.route_limits import Journey, Times

COST_TOLERANCE = 1e-9  # relative


class _Best(NamedTuple):
    """What the best departure is, and up to what another is as good.

    Attributes:
        departure: The best.
        latest: Rounding may make of equal durations different ones: none is later.
        duration: None takes longer.
        cost: None costs more; infinite where time has no price but that of the duration.
        aim: What is least in words.
    """

    departure: float
    latest: float
    duration: float
    cost: float
    aim: str


class TimesCheck:
    """Compares the times that a route states with the right ones.

    Afterwards `problems` has what is wrong: a key in the route, and words; `limits` the limits
    that are broken: a position of the route, or None, and words.

    Args:
        journey: The route, with its breaks.
        schedule: What is stated of it.
        tolerances: How far times may be off: what is accepted, and what rounding may do.
    """

    def __init__(
        self, journey: Journey, schedule: RouteSchedule, tolerances: tuple[float, float]
    ) -> None:
        self._journey, self._schedule = journey, schedule
        self._tolerance, self._strict = tolerances
        self.problems: list[tuple[str, str]] = []
        self.limits: list[tuple[int | None, str]] = []

    def frozen(self) -> Times:
        """The times of a route that goes on: those that are stated, as far as they are given."""
        found = Frozen(self._journey, self._schedule, self._tolerance)
        times = found.times()
        self.problems += found.problems
        self.limits += found.limits
        self._check_duration(times.end - times.departure)
        self.problems += self._differences(times)
        return times

    def best(self) -> Times | None:
        """The right times: those of the stated departure where it is one of the best."""
        journey, tolerance = self._journey, self._tolerance
        late = journey.times(journey.earliest, tolerance)
        if isinstance(late, str):
            self.limits.append((None, late))
            return None
        least = journey.best(self._strict) or journey.best(tolerance)
        if least is None:
            self._leaves_too_late()
            return None
        self._check_duration(least[0])
        good = self._good(*least)
        best = good[0]
        stated = self._schedule.departure
        chosen = best.departure if math.isnan(stated) else stated
        runs = [journey.times(chosen, self._strict), journey.times(chosen, tolerance)]
        known = [run for run in runs if not isinstance(run, str)]
        if not known or not any(self._is_best(chosen, known, each) for each in good):
            late = f" up to {limit}" if (limit := journey.latest) < math.inf else ""
            words = f"{stated}, expected {best.departure} for the least {best.aim}{late}"
            self.problems.append(("departure", words))
            own = journey.times(best.departure, 2 * tolerance)
            known = [own] if isinstance(own, Times) else []
        if not known:
            return None
        differences = [list(self._differences(run)) for run in known]
        fewest = min(range(len(known)), key=lambda index: len(differences[index]))
        self.problems += differences[fewest]
        return known[fewest]

    def _good(self, duration: float, departure: float, latest: float) -> list[_Best]:
        """The best departures, from the least duration and the earliest departures with it.

        Where lateness has a price, a departure may be best because all is in time by rounding.
        """
        journey, tolerance = self._journey, self._tolerance
        found = []
        if is_priced(journey):
            found = [cheapest(journey, slack) for slack in (0.0, self._strict)]
            if found == [None, None]:
                found = [cheapest(journey, tolerance)]
        prices = journey.vehicle.duration_cost + journey.vehicle.overtime_cost
        prices += sum(due.price for due in (*journey.dues, journey.back) if due is not None)
        good = [
            _Best(
                each.near.time,
                max(each.near.time, each.sharp.time),
                max(each.near.duration, each.sharp.duration),
                each.sharp.cost * (1 + COST_TOLERANCE) + tolerance * prices,
                "cost",
            )
            for each in found
            if each is not None
        ]
        if not good:
            return [_Best(departure, latest, duration, math.inf, "duration")]
        least = min(each.cost for each in good) + tolerance * prices
        return [each for each in good if each.cost <= least]

    def _is_best(self, chosen: float, runs: list[Times], best: _Best) -> bool:
        journey, tolerance = self._journey, self._tolerance
        return (
            journey.earliest - tolerance <= chosen <= journey.latest + tolerance
            and chosen <= best.latest + tolerance
            and min(run.end for run in runs) - chosen <= best.duration + tolerance
            and (best.cost == math.inf or min(time_cost(journey, run) for run in runs) <= best.cost)
        )

    def _leaves_too_late(self) -> None:
        """Says which limit keeps it from leaving."""
        first, vehicle = self._journey.first_departure(self._tolerance), self._journey.vehicle
        limit = f"latest_start is {vehicle.latest_start}"
        if self._journey.latest < vehicle.latest_start:
            limit = f"its shift ends or its depot closes at {self._journey.latest:.9g}"
        if math.isfinite(self._journey.latest):
            self.limits.append((None, f"leaves at {first:.9g} or later, {limit}"))

    def _check_duration(self, duration: float) -> None:
        vehicle = self._journey.vehicle
        if duration > vehicle.max_duration + vehicle.max_overtime + self._tolerance:
            more = f" and max_overtime {vehicle.max_overtime}" if vehicle.max_overtime else ""
            limit = f"max_duration {vehicle.max_duration}{more}"
            self.limits.append((None, f"duration {duration} exceeds {limit}"))

    def _differences(self, right: Times) -> Iterator[tuple[str, str]]:
        """Stated times that are not the right ones."""
        schedule = self._schedule
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
                yield key, f"{len(times)} times, expected {len(expected)}"
                continue
            for index, (stated, own) in enumerate(zip(times, expected, strict=True)):
                pairs.append((f"{key}[{index}]", stated, own))
        for index, (rest, own) in enumerate(zip(schedule.breaks or (), right.rests, strict=False)):
            pairs.append((f"breaks[{index}].begin", rest.begin, own))
        for index, (item, (arrival, begin)) in enumerate(
            zip(schedule.reloads or (), right.reloads, strict=False)
        ):
            pairs.append((f"reloads[{index}].arrival", item.arrival, arrival))
            pairs.append((f"reloads[{index}].begin", item.begin, begin))
        for key, stated, own in pairs:
            if abs(stated - own) > self._tolerance:  # False where it is NaN
                yield key, f"{stated}, expected {own}"
