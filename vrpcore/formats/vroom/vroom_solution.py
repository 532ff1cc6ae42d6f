"""VROOM's answers in, by VROOM or by this project."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated

import msgspec
from msgspec import Meta

from vrpcore.errors import fault
from vrpcore.formats.json.explain import read_as
from vrpcore.formats.json.values import Number, Whole
from vrpcore.formats.vroom.vroom_documents import StepKind, TaskKind
from vrpcore.formats.vroom.vroom_instance import source_of
from vrpcore.instance.constraints import DELIVERY, MAX_DIMENSIONS, PICKUP
from vrpcore.instance.instance import MAX_STOPS, CustomerId, Instance
from vrpcore.instance.solution import (
    REASONS,
    RouteBreak,
    RouteReport,
    RouteSchedule,
    Solution,
    Unserved,
)

# Tasks, and as many breaks, starts and ends.
_OBJECTS = Meta(max_length=2 * MAX_STOPS, extra={"of": "objects"})
_Loads = Annotated[list[Whole], Meta(max_length=MAX_DIMENSIONS, extra={"of": "whole numbers"})]


class _Violation(msgspec.Struct):
    cause: str | None = None


class _Timed(msgspec.Struct, kw_only=True, gc=False):
    """Keys of summary, routes and steps: times, and what may be left out."""

    duration: Whole
    setup: Whole
    service: Whole
    waiting_time: Whole
    delivery: _Loads | None = None
    pickup: _Loads | None = None
    load: _Loads | None = None
    distance: Number | None = None
    violations: Annotated[list[_Violation], _OBJECTS] | None = None


class _Step(_Timed):
    type: StepKind
    arrival: Whole
    id: Whole | None = None


class _StatedRoute(_Timed):
    vehicle: Whole
    cost: Whole
    priority: Whole
    steps: Annotated[list[_Step], _OBJECTS]


class _Summary(_Timed):
    cost: Whole
    routes: Whole
    unassigned: Whole
    priority: Whole


class _Unassigned(msgspec.Struct):
    type: TaskKind
    id: Whole
    reason: object = None
    detail: str | None = None


class _Code(msgspec.Struct):
    """Keys of any answer; a code of 0: the problem is solved."""

    code: Whole
    error: str | None = None


class _StatedAnswer(msgspec.Struct):
    summary: _Summary
    routes: Annotated[list[_StatedRoute], _OBJECTS]
    unassigned: Annotated[list[_Unassigned], _OBJECTS]
    warnings: Annotated[list[str], Meta(extra={"of": "texts"})] | None = None


def read_vroom_answer(value: Mapping[str, object], place: str) -> Solution:
    """Read one parsed document for which `is_vroom_answer`.

    Keys that say nothing of routes, times and loads are not looked at.

    Args:
        value: The document.
        place: Where it was found; begins the error message.

    Returns:
        Its routes, in which tasks are called by type and id and vehicles by their ids, until
        `with_vroom_ids` knows the problem.

    Raises:
        InstanceError: Something in it is not what it should be.
    """
    if (said := read_as(_Code, value, place)).code:
        error = said.error or ""
        return Solution(name="", status="invalid", code="ROUTES", error=error, kind="vroom")
    found = read_as(_StatedAnswer, value, place)
    return Solution(
        name="",
        kind="vroom",
        status="partial" if found.unassigned else "solved",
        cost=found.summary.cost,
        routes=tuple(_route(row, f"{place}.routes[{n}]") for n, row in enumerate(found.routes)),
        unserved=tuple(
            Unserved(_task_name(row.type, row.id), known, row.detail or "")
            for row in found.unassigned
            for known in REASONS
            if known == row.reason
        ),
        warnings=tuple(found.warnings or ()),
        parsed=value,
    )


def with_vroom_ids(instance: Instance, solution: Solution) -> Solution:
    """An answer of VROOM's with the names that its problem has as an instance.

    Tasks and vehicles that the problem does not have keep their names; breaks are left out.

    Args:
        instance: The problem.
        solution: From `read_vroom_answer`.
    """
    if (source := source_of(instance)) is None:
        return solution
    names: dict[CustomerId, CustomerId] = {
        _task_name(task.kind, task.id): name
        for task, name in zip(source.tasks, instance.ids, strict=True)
    }
    constraints = instance.own_constraints
    vans = {str(van.id): van for van in source.vans}
    routes = []
    for route in solution.routes:
        customers = tuple(names.get(each, each) for each in route.customers)
        schedule = route.schedule
        if schedule is not None and schedule.vehicle in vans:
            van = vans[schedule.vehicle]
            vehicle = constraints.vehicles[van.kind]
            start, end = constraints.end_names(vehicle)
            # Breaks have the names that they have in the type: their positions.
            rests = {str(own.id): str(index) for index, own in enumerate(van.breaks)}
            taken = (each for each in schedule.breaks or () if each.id in rests)
            breaks = tuple(replace(each, id=rests[each.id]) for each in taken)
            schedule = replace(
                schedule,
                vehicle=vehicle.id,
                start=start,
                end=end,
                van=van.id,
                breaks=breaks if vehicle.breaks else None,
            )
        routes.append(replace(route, customers=customers, schedule=schedule))
    # A shipment's two tasks are one who is unserved.
    left: dict[CustomerId, Unserved] = {}
    for item in solution.unserved:
        name = names.get(item.id, item.id)
        if isinstance(name, str):
            name = name.removesuffix(PICKUP).removesuffix(DELIVERY)
        left.setdefault(name, replace(item, id=name))
    name = solution.name or instance.name
    return replace(solution, name=name, routes=tuple(routes), unserved=tuple(left.values()))


def _task_name(kind: str, identifier: int) -> str:
    return f"{kind} {identifier}"


def _route(row: _StatedRoute, place: str) -> RouteReport:
    customers: list[CustomerId] = []
    breaks: list[RouteBreak] = []
    arrivals, begins = [], []
    for index, step in enumerate(row.steps):
        begin = float(step.arrival + step.waiting_time)
        if step.type in ("start", "end"):
            continue
        if step.id is None:
            raise fault(f"{place}.steps[{index}].id", "missing", "MISSING")
        if step.type == "break":
            breaks.append(RouteBreak(id=str(step.id), begin=begin, after=len(customers)))
        else:
            customers.append(_task_name(step.type, step.id))
            arrivals.append(float(step.arrival))
            begins.append(begin)
    schedule = RouteSchedule(
        vehicle=str(row.vehicle),
        start=None,
        end=None,
        departure=_time(row.steps[:1]),
        return_=_time(row.steps[-1:]),
        arrivals=tuple(arrivals),
        begins=tuple(begins),
        breaks=tuple(breaks) or None,
    )
    return RouteReport(tuple(customers), _most(row.steps), row.cost, schedule)


def _time(steps: Sequence[_Step]) -> float:
    """When a route's first or last step is over; NaN where there is none."""
    over = (step.arrival + step.setup + step.service + step.waiting_time for step in steps)
    return float(next(over, math.nan))


def _most(steps: Sequence[_Step]) -> float | tuple[float, ...]:
    """The most on board by dimension; NaN where loads are not reported."""
    loads = [step.load or [] for step in steps]
    sizes = {len(load) for load in loads}
    if sizes == {0} or len(sizes) != 1:
        return math.nan
    return tuple(float(max(column)) for column in zip(*loads, strict=True))
