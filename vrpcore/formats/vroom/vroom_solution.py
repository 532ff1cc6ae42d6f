"""VROOM's answers in, by VROOM or by this project."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from vrpcore.errors import fault
from vrpcore.formats.json.key_schema import (
    check_few,
    check_integer,
    check_list,
    check_mapping,
    check_number,
    check_text,
    require,
)
from vrpcore.formats.vroom.vroom_instance import Van, source_of
from vrpcore.formats.vroom.vroom_keys import STEP_KINDS
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

_Found = Mapping[str, object]
_MOST_LISTED = 2 * MAX_STOPS  # tasks, and as many breaks, starts and ends
_TASKS = ("job", "pickup", "delivery")
_TIMES = ("duration", "setup", "service", "waiting_time")


def read_vroom_answer(value: _Found, place: str) -> Solution:
    """Validates one parsed document for which `is_vroom_answer`.

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
    found = check_mapping(value, place)
    if check_integer(found.get("code"), f"{place}.code", 0):
        error = check_text(found.get("error", ""), f"{place}.error")
        return Solution(name="", status="invalid", code="VROOM", error=error, kind="vroom")
    summary = check_mapping(require(found, "summary", place), f"{place}.summary")
    for key in ("cost", "routes", "unassigned", "priority", *_TIMES):
        _whole(summary, key, f"{place}.summary")
    _check_stated(summary, f"{place}.summary")
    routes = _listed(found, "routes", place)
    warnings = check_list(found.get("warnings", ()), f"{place}.warnings", "texts")
    left = [_unassigned(row, where) for row, where in _listed(found, "unassigned", place)]
    return Solution(
        name="",
        kind="vroom",
        status="partial" if left else "solved",
        cost=_whole(summary, "cost", f"{place}.summary"),
        routes=tuple(_route(row, where) for row, where in routes),
        unserved=tuple(each for each in left if each is not None),
        warnings=tuple(check_text(each, f"{place}.warnings") for each in warnings),
        parsed=found,
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
            ends = (vehicle.start, vehicle.end)
            start, end = (None if row is None else constraints.depots[row].id for row in ends)
            breaks = _named_breaks(van, schedule.breaks or ()) if vehicle.breaks else None
            schedule = replace(
                schedule, vehicle=vehicle.id, start=start, end=end, breaks=breaks, van=van.id
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


def _named_breaks(van: Van, breaks: Sequence[RouteBreak]) -> tuple[RouteBreak, ...]:
    """Breaks of a vehicle by the names that they have in its type: their positions."""
    names = {str(own.id): str(index) for index, own in enumerate(van.breaks)}
    return tuple(replace(each, id=names[each.id]) for each in breaks if each.id in names)


def _task_name(kind: str, identifier: int) -> str:
    return f"{kind} {identifier}"


def _listed(found: _Found, key: str, place: str) -> list[tuple[_Found, str]]:
    """Objects of a list with their places."""
    where = f"{place}.{key}"
    rows = check_list(require(found, key, place), where, "objects")
    if len(rows) > _MOST_LISTED:
        raise fault(where, f"{len(rows)} objects, the limit is {_MOST_LISTED}", "TOO_LARGE")
    return [
        (check_mapping(row, f"{where}[{index}]"), f"{where}[{index}]")
        for index, row in enumerate(rows)
    ]


def _whole(found: _Found, key: str, place: str) -> int:
    return check_integer(require(found, key, place), f"{place}.{key}", 0)


def _check_stated(found: _Found, place: str) -> None:
    """Checks amounts, distances and violations, where they are reported."""
    for key in ("delivery", "pickup", "load"):
        if key in found and check_list(found[key], f"{place}.{key}", "whole numbers"):
            amounts = check_few(found[key], f"{place}.{key}", "amounts", MAX_DIMENSIONS)
            for index, amount in enumerate(amounts):
                check_integer(amount, f"{place}.{key}[{index}]", 0)
    if "distance" in found:
        check_number(found["distance"], f"{place}.distance", least=0.0)
    if "violations" in found:
        for row, where in _listed(found, "violations", place):
            check_text(row.get("cause", ""), f"{where}.cause")


def _unassigned(found: _Found, place: str) -> Unserved | None:
    """Who is unassigned, where the answer tells why."""
    name = _task_name(_kind(found, place, _TASKS), _whole(found, "id", place))
    reason, detail = found.get("reason"), found.get("detail", "")
    for known in REASONS:
        if reason == known:
            return Unserved(name, known, check_text(detail, f"{place}.detail"))
    return None


def _kind(found: _Found, place: str, known: Sequence[str]) -> str:
    kind = check_text(require(found, "type", place), f"{place}.type")
    if kind not in known:
        raise fault(f"{place}.type", f"expected one of {', '.join(known)}", "UNKNOWN_STEP")
    return kind


def _route(found: _Found, place: str) -> RouteReport:
    for key in ("priority", *_TIMES):
        _whole(found, key, place)
    _check_stated(found, place)
    customers: list[CustomerId] = []
    breaks: list[RouteBreak] = []
    arrivals, begins, loads = [], [], []
    steps = _listed(found, "steps", place)
    for step, where in steps:
        kind, arrival = _kind(step, where, STEP_KINDS), _whole(step, "arrival", where)
        for key in _TIMES:
            _whole(step, key, where)
        _check_stated(step, where)
        loads.append(tuple(check_list(step.get("load", ()), where, "whole numbers")))
        begin = float(arrival + _whole(step, "waiting_time", where))
        if kind == "break":
            name = str(_whole(step, "id", where))
            breaks.append(RouteBreak(id=name, begin=begin, after=len(customers)))
        elif kind in _TASKS:
            customers.append(_task_name(kind, _whole(step, "id", where)))
            arrivals.append(float(arrival))
            begins.append(begin)
        elif "id" in step:
            _whole(step, "id", where)
    schedule = RouteSchedule(
        vehicle=str(_whole(found, "vehicle", place)),
        start=None,
        end=None,
        departure=_time(steps, 0),
        return_=_time(steps, -1),
        arrivals=tuple(arrivals),
        begins=tuple(begins),
        breaks=tuple(breaks) or None,
    )
    return RouteReport(tuple(customers), _most(loads), _whole(found, "cost", place), schedule)


def _time(steps: Sequence[tuple[_Found, str]], row: int) -> float:
    """When a route's first or last step is over."""
    if not steps:
        return math.nan
    step, place = steps[row]
    return float(sum(_whole(step, key, place) for key in ("arrival", *_TIMES[1:])))


def _most(loads: Sequence[tuple[object, ...]]) -> float | tuple[float, ...]:
    """The most on board by dimension; NaN where loads are not reported."""
    sizes = {len(load) for load in loads}
    if sizes == {0} or len(sizes) != 1:
        return math.nan
    columns = zip(*loads, strict=True)
    return tuple(max(check_number(item, "load") for item in column) for column in columns)
