"""The referee of VROOM's answers, by whatever program.

The referee of all answers judges who is served by whom; `stated_steps` looks at times and other
numbers of the routes.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from vrpcore.cost.no_road import Legs
from vrpcore.errors import describe
from vrpcore.formats.vroom.vroom_answer import answer_to_dict
from vrpcore.formats.vroom.vroom_instance import Source, Van, source_of
from vrpcore.instance.instance import Instance
from vrpcore.instance.solution import NOT_STATED, RouteReport, Solution, Status
from vrpcore.instance.vehicle_types import ALWAYS, DEFAULT_SHIFT
from vrpcore.referee.constrained_plan import FROZEN_BREAKS_LIMIT, check_constraints, untimed
from vrpcore.referee.reasons import unit_reasons
from vrpcore.referee.route_limits import time_tolerance
from vrpcore.referee.served_units import units_of
from vrpcore.referee.stated_steps import TASKS, Steps, key_of, wrong_totals

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
    return list(_Answer(instance, source, answer, answer.parsed).problems())


class _Answer:
    """Looks at one answer."""

    def __init__(
        self, instance: Instance, source: Source, answer: Solution, document: Mapping[str, Any]
    ) -> None:
        self._instance, self._source = instance, source
        self._answer, self._document = answer, document
        self._forgives = any(each.startswith(FROZEN_BREAKS_LIMIT) for each in answer.warnings)
        self._drivers: dict[int, Van] = {}  # by the row of their route

    def problems(self) -> Iterator[str]:
        """All that is wrong."""
        yield from self._vehicles()
        yield from self._judged()
        yield from self._unassigned()
        yield from self._reasons()
        yield from self._steps()
        scaled = any(van.speed_factor != 1.0 for van in self._source.vans)
        yield from wrong_totals(self._document, is_scaled=scaled)

    def _vehicles(self) -> Iterator[str]:
        """Notes who drives the routes; what is wrong with that."""
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
        """What is wrong with the routes at any times."""
        routes = [
            RouteReport(
                route.customers if row in self._drivers else (),
                NOT_STATED,
                NOT_STATED,
                route.schedule,
            )
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
        """Where the document has a customer of a route."""
        row, column = int(found[1]), int(found[2])
        steps = self._document["routes"][row]["steps"]
        places = [place for place, step in enumerate(steps) if step["type"] in TASKS]
        return f"routes[{row}].steps[{places[column]}]"

    def _unassigned(self) -> Iterator[str]:
        """Who is listed as unassigned and should not be, and who is not mentioned."""
        steps = [step for route in self._document["routes"] for step in route["steps"]]
        known = [(task.kind, task.id) for task in self._source.tasks]
        served = {key_of(step) for step in steps}
        free, listed = set(known) - served, set[tuple[str, int]]()
        for row, item in enumerate(self._document["unassigned"]):
            kind, identifier = key = key_of(item)
            if key not in free or key in listed:
                words = "is unknown, served or listed twice"
                yield f"unassigned[{row}]: {kind} {identifier} {words}"
            listed.add(key)
        for kind, identifier in filter((free - listed).__contains__, known):
            yield f"unassigned: {kind} {identifier} is not served and not reported"

    def _reasons(self) -> Iterator[str]:
        """Wrong reasons of who is unassigned; only answers of this project state any."""
        units = {unit.id: unit for unit in units_of(self._instance)}
        slacks, legs = (0.0, *time_tolerance(self._instance)), Legs(self._instance)
        for item in self._answer.unserved:
            if item.id not in units:
                continue
            expected = unit_reasons(self._instance, units[item.id], slacks, legs)
            if "FLEET" in expected:
                expected |= {"LOADED"}  # it is not stated that a plan goes on
            if item.reason not in expected:
                name, known = describe(item.id), " or ".join(sorted(expected))
                yield f"unassigned: {name} has the reason {item.reason}, expected {known}"

    def _steps(self) -> Iterator[str]:
        """What is wrong with the steps of routes whose tasks are known, and on roads."""
        numbers, found = self._instance.numbers, dict[int, Steps]()
        for row, van in self._drivers.items():
            customers = self._answer.routes[row].customers
            if all(each in numbers for each in customers):
                stops = tuple(numbers[each] for each in customers)
                steps = Steps(self._instance, van, stops, self._document["routes"][row])
                if not steps.journey.missing:
                    found[row] = steps
        routes = tuple(self._answer.routes[row] for row in found)
        solution = Solution(name=self._instance.name, status="solved", routes=routes)
        written = answer_to_dict(self._instance, solution)["routes"]
        own = {route["vehicle"]: route for route in written}
        for row, steps in found.items():
            for problem in steps.problems(own[self._drivers[row].id], forgives=self._forgives):
                yield f"routes[{row}]{problem}"


def _always_open(instance: Instance) -> Instance:
    """The same without breaks, and with windows that never close."""
    constraints = instance.own_constraints
    vehicles = (replace(each, window=DEFAULT_SHIFT, breaks=()) for each in constraints.vehicles)
    windows = np.tile(np.array(ALWAYS), (constraints.num_stops, 1, 1))
    constraints = replace(constraints, windows=windows, vehicles=tuple(vehicles))
    return replace(instance, constraints=constraints)
