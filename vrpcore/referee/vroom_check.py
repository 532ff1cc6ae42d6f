"""The referee of VROOM's answers, by whatever program.

The referee of all answers judges who is served by whom; here follow the times and other numbers
of the routes.
"""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from vrpcore.cost.no_road import Legs
from vrpcore.errors import describe
from vrpcore.formats.vroom.vroom_answer import answer_to_dict
from vrpcore.formats.vroom.vroom_instance import Source, Van, source_of
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Route
from vrpcore.instance.service_unit import units_of
from vrpcore.instance.solution import NOT_STATED, RouteReport, Solution, Status
from vrpcore.instance.vehicle_types import ALWAYS, DEFAULT_SHIFT, Break, Window
from vrpcore.referee.journey import Journey
from vrpcore.referee.reasons import Reasons
from vrpcore.referee.referee import check_constraints, forgives, untimed

_Document = Mapping[str, Any]
_TASKS = ("job", "pickup", "delivery")
_SUMMED = ("setup", "service", "waiting_time")
_AMOUNTS = ("delivery", "pickup")
_TOTALS = (*_SUMMED, "cost", "duration", "priority", "distance")
_STOP = re.compile(r"routes\[(\d+)\]\.customers\[(\d+)\]")


def check_vroom(instance: Instance, answer: Solution) -> list[str]:
    """Checks an answer of VROOM's to a problem of VROOM's.

    Every task is in one route or unassigned, and `check_constraints` accepts the routes. Steps may
    have any times that fit together: other programs leave when they like, and rest on the way. All
    other numbers are those that this project would write. Where a warning says that what had begun
    of a plan breaks limits, they may be broken: the answer does not tell what had begun.

    Args:
        instance: The problem, with the matrices of all profiles.
        answer: With routes, and with the names of the instance.

    Returns:
        What is wrong, in words.

    Raises:
        ValueError: One of them is not VROOM's.
    """
    if (source := source_of(instance)) is None or answer.parsed is None:
        raise ValueError(f"{instance.name}: the problem or its answer is not VROOM's")
    return list(_CheckedAnswer(instance, source, answer, answer.parsed).problems())


class _CheckedAnswer:
    """Looks at one answer."""

    def __init__(
        self, instance: Instance, source: Source, answer: Solution, document: _Document
    ) -> None:
        self._instance, self._source = instance, source
        self._answer, self._document = answer, document
        self._drivers: dict[int, Van] = {}  # by the row of their route

    def problems(self) -> Iterator[str]:
        """All problems."""
        yield from self._vehicles()
        yield from self._judged()
        yield from self._unassigned()
        yield from self._reasons()
        yield from self._steps()
        scaled = any(van.speed_factor != 1.0 for van in self._source.vans)
        yield from wrong_totals(self._document, is_scaled=scaled)

    def _vehicles(self) -> Iterator[str]:
        """Note the vehicles of the routes; yield what is wrong with them."""
        vans = {van.id: van for van in self._source.vans}
        for row, route in enumerate(self._document["routes"]):
            place, identifier = f"routes[{row}]", route["vehicle"]
            if (van := vans.pop(identifier, None)) is None:
                yield f"{place}.vehicle: {identifier} is unknown, or has another route, too"
            elif not self._answer.routes[row].customers:
                yield f"{place}.steps: no task; leave out vehicles that are not used"
            else:
                self._drivers[row] = van

    def _judged(self) -> Iterator[str]:
        """Problems of the routes at any times."""
        blank = RouteReport((), NOT_STATED, NOT_STATED)
        routes = [
            replace(blank, customers=route.customers, schedule=route.schedule)
            if row in self._drivers
            else blank
            for row, route in enumerate(untimed(self._answer).routes)
        ]
        left = set(self._instance.ids).difference(*(route.customers for route in routes))
        status: Status = "partial" if left else "solved"
        solution = Solution(
            name="", status=status, routes=tuple(routes), warnings=self._answer.warnings
        )
        if routes:
            _, problems = check_constraints(_always_open(self._instance), solution)
            for problem in problems:
                yield _STOP.sub(self._place, problem).replace("max_customers", "max_tasks")

    def _place(self, found: re.Match[str]) -> str:
        """The place of a route's customer in the document."""
        row, column = int(found[1]), int(found[2])
        steps = self._document["routes"][row]["steps"]
        places = [place for place, step in enumerate(steps) if step["type"] in _TASKS]
        return f"routes[{row}].steps[{places[column]}]"

    def _unassigned(self) -> Iterator[str]:
        """Tasks that are wrongly listed as unassigned, and tasks that are not mentioned."""
        steps = [step for route in self._document["routes"] for step in route["steps"]]
        known = [(task.kind, task.id) for task in self._source.tasks]
        served = {_key_of(step) for step in steps}
        free, listed = set(known) - served, set[tuple[str, int]]()
        for row, item in enumerate(self._document["unassigned"]):
            kind, identifier = key = _key_of(item)
            if key not in free or key in listed:
                words = "is unknown, served or listed twice"
                yield f"unassigned[{row}]: {kind} {identifier} {words}"
            listed.add(key)
        for kind, identifier in filter((free - listed).__contains__, known):
            yield f"unassigned: {kind} {identifier} is not served and not reported"

    def _reasons(self) -> Iterator[str]:
        """Wrong reasons of who is unassigned; only answers of this project state any."""
        units = {unit.id: unit for unit in units_of(self._instance)}
        reasons = Reasons(self._instance, Legs(self._instance))
        for item in self._answer.unserved:
            if item.id not in units:
                continue
            expected = reasons.fitting(units[item.id])
            if "FLEET" in expected:
                expected |= {"LOADED"}  # it is not stated that a plan goes on
            if item.reason not in expected:
                name, known = describe(item.id), " or ".join(sorted(expected))
                yield f"unassigned: {name} has the reason {item.reason}, expected {known}"

    def _steps(self) -> Iterator[str]:
        """Problems of the steps of routes whose tasks are known, and on roads."""
        numbers, found = self._instance.numbers, dict[int, _Steps]()
        for row, van in self._drivers.items():
            customers = self._answer.routes[row].customers
            if all(each in numbers for each in customers):
                stops = tuple(numbers[each] for each in customers)
                steps = _Steps(self._instance, van, stops, self._document["routes"][row])
                if not steps.journey.missing:
                    found[row] = steps
        routes = tuple(self._answer.routes[row] for row in found)
        solution = Solution(name=self._instance.name, status="solved", routes=routes)
        written = answer_to_dict(self._instance, solution)["routes"]
        own = {route["vehicle"]: route for route in written}
        for row, steps in found.items():
            for problem in steps.problems(
                own[self._drivers[row].id], forgives=forgives(self._answer)
            ):
                yield f"routes[{row}]{problem}"


def _always_open(instance: Instance) -> Instance:
    """Copy an instance, without breaks and with windows that never close."""
    constraints = instance.own_constraints
    vehicles = (replace(each, window=DEFAULT_SHIFT, breaks=()) for each in constraints.vehicles)
    windows = np.tile(np.array(ALWAYS), (constraints.num_stops, 1, 1))
    constraints = replace(constraints, windows=windows, vehicles=tuple(vehicles))
    return replace(instance, constraints=constraints)


class _Steps:
    """The steps of one route; `journey` is the same for the referee, without breaks."""

    def __init__(
        self, instance: Instance, van: Van, stops: Sequence[int], stated: _Document
    ) -> None:
        self.journey = Journey(instance, Route(van.kind, tuple(stops)))
        self._vehicle, self._van, self._stated = self.journey.vehicle, van, stated
        self._steps: Sequence[_Document] = stated["steps"]
        self._is_scaled = van.speed_factor != 1.0  # each leg may be cut to seconds by itself

    def problems(self, written: _Document, *, forgives: bool) -> Iterator[str]:
        """Problems, each beginning with where it is below the route; see `answer_to_dict`."""
        own = self._expected(written["steps"])
        for row, (step, right) in enumerate(itertools.zip_longest(self._steps, own)):
            if (found := _name(step)) != (expected := _name(right)):
                yield f".steps[{row}]: {found}, expected {expected}"
                return
        yield from self._numbers(own)
        yield from self._arrivals()
        yield from self._totals(written)
        yield from () if forgives else self._limits()
        for row, step in enumerate(self._steps):
            yield from _broken(step, f".steps[{row}]")

    def _expected(self, own: Sequence[_Document]) -> Sequence[_Document]:
        """Steps as this project writes them; open ends may have a step or not."""
        if self._van.start is None and self._steps[0]["type"] != "start":
            own = own[1:]
        return own[:-1] if self._van.end is None and self._steps[-1]["type"] != "end" else own

    def _numbers(self, own: Sequence[_Document]) -> Iterator[str]:
        """Numbers of steps that are no times of the day."""
        keys = {"setup", "service", "load"} | {"distance"} & self._steps[0].keys()
        legs = 0
        for row, (step, right) in enumerate(zip(self._steps, own, strict=True)):
            moved = step["type"] != "break"  # the others may be on the way
            for key in sorted(keys & right.keys()):
                if (moved or key != "distance") and step.get(key) != right[key]:
                    yield _unlike(f".steps[{row}].{key}", step.get(key), right[key])
            off = step["duration"] - right["duration"]
            if moved and off and not (self._is_scaled and -legs < off <= legs):
                yield _unlike(f".steps[{row}].duration", step["duration"], right["duration"])
            legs += moved

    def _arrivals(self) -> Iterator[str]:
        """Arrivals, by the travel time since the step before."""
        for row, (before, step) in enumerate(itertools.pairwise(self._steps), start=1):
            travel = step["duration"] - before["duration"]
            if travel < 0:
                yield f".steps[{row}].duration: {step['duration']}, less than one step before"
            if abs(step["arrival"] - (expected := _done(before) + travel)) > 2 * self._is_scaled:
                yield _unlike(f".steps[{row}].arrival", step["arrival"], expected)

    def _totals(self, written: _Document) -> Iterator[str]:
        """Numbers of the route."""
        last = self._steps[-1]
        expected = {key: sum(step[key] for step in self._steps) for key in _SUMMED}
        expected |= {key: written[key] for key in ("priority", *_AMOUNTS) if key in written}
        if "distance" in self._stated:
            expected["distance"] = last.get("distance")
        for key, value in expected.items():
            if self._stated.get(key) != value:
                yield _unlike(f".{key}", self._stated.get(key), value)
        if abs(self._stated["duration"] - last["duration"]) > self._is_scaled:
            yield _unlike(".duration", self._stated["duration"], last["duration"])
        cost, less, more = self._cost()
        if not cost - less < self._stated["cost"] < cost + more:
            yield _unlike(".cost", self._stated["cost"], f"{cost:.10g}")
        yield from _broken(self._stated, "")

    def _cost(self) -> tuple[float, float, float]:
        """The cost of the route, and how much less and more programs may make of it."""
        journey, vehicle = self.journey, self._vehicle
        cost = vehicle.fixed_cost + journey.cost + journey.work * vehicle.service_cost
        travel = journey.travel * vehicle.travel_cost
        # Cut or rounded in all, of scaled durations and of tasks one by one.
        slack = 1 + self._is_scaled * len(journey.calls) * vehicle.travel_cost
        slack += len(self._steps) * (vehicle.service_cost > 0.0)
        # By time factors that are whole in hundredths, and by exact ones: VROOM uses both.
        off = travel * (vehicle.speed / self._van.speed_factor - 1.0)
        # VROOM lets breaks cost, too, which its description does not say.
        rested = sum(step["service"] for step in self._steps if step["type"] == "break")
        more = max(off, 0.0) + rested * vehicle.service_cost
        return cost + travel, slack - min(off, 0.0), slack + more

    def _limits(self) -> Iterator[str]:
        """Windows of tasks and breaks, loads during breaks, and the shift."""
        names = (each.id for each in self._van.breaks)
        breaks = dict(zip(names, self._vehicle.breaks, strict=True))
        windows = (call.windows for call in self.journey.calls)
        for row, step in enumerate(self._steps):
            if step["type"] in _TASKS:
                yield from _outside(row, step, next(windows))
            elif step["type"] == "break":
                yield from _rest(row, step, breaks.pop(step["id"], None))
        for identifier in breaks:
            yield f".steps: break {identifier} is not taken"
        opens, closes = self._vehicle.window
        if (begin := self._steps[0]["arrival"]) < opens:
            yield f".steps[0]: begins at {begin}, before the shift at {opens:.15g}"
        if (end := _done(self._steps[-1])) > closes:
            yield f".steps[{len(self._steps) - 1}]: ends at {end}, after the shift at {closes:.15g}"


def wrong_totals(document: _Document, *, is_scaled: bool) -> Iterator[str]:
    """Problems of the summary of an answer of VROOM's.

    Args:
        document: The answer.
        is_scaled: Some durations are scaled, so that each may be cut to seconds by itself.
    """
    summary, routes = document["summary"], document["routes"]
    expected: dict[str, Any] = {"routes": len(routes), "unassigned": len(document["unassigned"])}
    for key in (*_TOTALS, *_AMOUNTS):
        found = [route[key] for route in routes if key in route]
        if key in _AMOUNTS and found:
            expected[key] = [sum(column) for column in zip(*found, strict=False)]
        elif key in _TOTALS and len(found) == len(routes) and (found or key in summary):
            expected[key] = sum(found)
    for key, value in expected.items():
        slack = len(routes) if is_scaled and key in ("cost", "duration") else 0
        stated = summary.get(key)
        if stated != value and not (slack and abs(stated - value) <= slack):
            yield _unlike(f"summary.{key}", stated, value)
    yield from _broken(summary, "summary")


def _key_of(step: _Document) -> tuple[str, int]:
    """The key of a step or a task."""
    return step["type"], step.get("id", -1)


def _broken(stated: _Document, place: str) -> Iterator[str]:
    """Limits that an answer says itself that it breaks."""
    if stated.get("violations"):
        causes = ", ".join(str(each.get("cause")) for each in stated["violations"])
        yield f"{place}.violations: {causes}; expected none"


def _rest(row: int, step: _Document, own: Break | None) -> Iterator[str]:
    """Limits of a break; None: it was taken before."""
    if own is None:
        yield f".steps[{row}]: break {step['id']} is taken twice"
        return
    yield from _outside(row, step, own.windows)
    load, most = step.get("load") or (), [round(each) for each in own.max_load or ()]
    if any(here > limit for here, limit in zip(load, most, strict=False)):
        yield f".steps[{row}]: a load of {load} exceeds max_load {most}"


def _outside(row: int, step: _Document, windows: Sequence[Window]) -> Iterator[str]:
    """Report a step that begins in none of its windows."""
    begin = step["arrival"] + step["waiting_time"]
    if not any(opens <= begin <= closes for opens, closes in windows):
        known = ", ".join(f"{opens:.15g} to {closes:.15g}" for opens, closes in windows)
        yield f".steps[{row}]: begins at {begin}, expected {known}"


def _name(step: _Document | None) -> str:
    return "nothing" if step is None else f"{step['type']} {step.get('id', '')}".rstrip()


def _unlike(place: str, stated: object, expected: object) -> str:
    return f"{place}: {stated}, expected {expected}"


def _done(step: _Document) -> int:
    """The end of a step."""
    return int(sum(step[key] for key in ("arrival", *_SUMMED)))
