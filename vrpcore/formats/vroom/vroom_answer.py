"""VROOM's answers out: whole seconds, metres and costs, as VROOM tells them.

As there, times are cut to whole seconds, costs are rounded, and totals are the sums of what routes
tell. Open ends have a step, too: where the first task is, and the last.
"""

import itertools
import json
import math
from collections.abc import Sequence
from functools import partial
from typing import Any, cast

from vrpcore.errors import InstanceError
from vrpcore.formats.vroom.vroom_documents import VroomBreak
from vrpcore.formats.vroom.vroom_instance import Source, Van, VroomTask, source_of
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.plan import Route
from vrpcore.instance.polyline import encode_polyline
from vrpcore.instance.service_unit import stops_by_name
from vrpcore.instance.solution import RouteBreak, RouteReport, RouteSchedule, Solution, route_nodes
from vrpcore.instance.vehicle_types import VehicleType

# VROOM's codes of what has no answer, by ours; 4 is vroom-express's. All others are faults of the
# input.
_CODES = {"INTERNAL": 1, "NOT_INSTALLED": 1, "ROADS": 3, "TOO_LARGE": 4}
_INPUT = 2

_Document = dict[str, Any]
_HUNDREDTHS = 100  # what times are whole in
_ROUNDED_S = 2  # which times may be off by where speeds are scaled
_ROUNDED = 1e-6  # of a unit of cost: what float64 may have lost
_SUMMED = ("cost", "setup", "service", "duration", "waiting_time", "priority")

_dumps = partial(json.dumps, allow_nan=False)


def answer_to_line(item: Instance | InvalidInstance, solution: Solution) -> str:
    """One answer as a document of VROOM's on one line, without a line end.

    Args:
        item: The problem.
        solution: Its answer, with the times of its routes.

    Raises:
        InstanceError: A valid problem is not one of VROOM's (code NOT_WRITABLE).
    """
    return _dumps(answer_to_dict(item, solution))


def error_to_line(code: str | None, error: str) -> str:
    """The document where there is no answer, on one line; its code is VROOM's for ours."""
    return _dumps(_error(code, error))


def _error(code: str | None, error: str) -> _Document:
    return {"code": _CODES.get(code or "", _INPUT), "error": error}


def answer_to_dict(item: Instance | InvalidInstance, solution: Solution) -> _Document:
    """One answer as a document of VROOM's; see `answer_to_line`.

    It also has `reason` and `detail` of what is unassigned, and `warnings` if there are some.
    """
    if solution.status == "invalid" or isinstance(item, InvalidInstance):
        return _error(solution.code, solution.error or "invalid")
    if (source := source_of(item)) is None:
        message = f"{item.name}: not a problem of VROOM's, so that it has no answer of that kind"
        raise InstanceError(f"{message}; --format json answers all", code="NOT_WRITABLE")
    return _AnswerWriter(item, source, solution).document()


class _AnswerWriter:
    def __init__(self, instance: Instance, source: Source, solution: Solution) -> None:
        self._instance, self._solution = instance, solution
        self._source, self._constraints = source, instance.own_constraints
        self._numbers = instance.numbers
        self._places = instance.place_numbers()

    def document(self) -> _Document:
        routes, unassigned = self._routes(), self._unassigned()
        summary = {
            "cost": sum(route["cost"] for route in routes),
            "routes": len(routes),
            "unassigned": len(unassigned),
            **{key: sum(route[key] for route in routes) for key in _SUMMED[1:]},
        }
        if self._source.tells_loads:
            none = [0] * self._constraints.delivery.shape[1]
            for key in ("delivery", "amount", "pickup"):
                rows = [none, *(route[key] for route in routes)]
                summary[key] = [sum(column) for column in zip(*rows, strict=True)]
        if self._source.tells_lengths:
            summary["distance"] = sum(route["distance"] for route in routes)
        # In milliseconds; all that an answer takes counts as solving.
        times = {"loading": 0, "solving": round(1000 * self._solution.seconds), "routing": 0}
        found = {
            "code": 0,
            "summary": {**summary, "violations": [], "computing_times": times},
            "unassigned": unassigned,
            "routes": routes,
        }
        warnings = list(self._solution.warnings)
        return {**found, "warnings": warnings} if warnings else found

    def _routes(self) -> list[_Document]:
        """In the order of the vehicles."""
        types = {vehicle.id: kind for kind, vehicle in enumerate(self._constraints.vehicles)}
        reports, routes = list[tuple[RouteReport, RouteSchedule]](), list[Route]()
        for report in self._solution.routes:
            schedule = report.schedule
            if schedule is None or schedule.vehicle is None:
                raise ValueError(f"{self._instance.name}: a route without a vehicle")
            stops = tuple(self._numbers[each] for each in report.customers)
            routes.append(Route(types[schedule.vehicle], stops, van=schedule.van))
            reports.append((report, schedule))
        places = {van.id: place for place, van in enumerate(self._source.vans)}
        found = [
            (places[cast(int, route.van)], pair)
            for route, pair in zip(self._source.with_vans(routes), reports, strict=True)
        ]
        found.sort(key=lambda each: each[0])
        return [self._route(self._source.vans[place], *pair) for place, pair in found]

    def _route(self, van: Van, route: RouteReport, schedule: RouteSchedule) -> _Document:
        stops = [self._numbers[customer] for customer in route.customers]
        tasks = [self._source.tasks[stop - 1] for stop in stops]
        steps = self._steps(van, stops, schedule)
        found: _Document = {"vehicle": van.id, "cost": math.floor(route.cost + 0.5 + _ROUNDED)}
        if van.description is not None:
            found["description"] = van.description
        for key in ("setup", "service", "waiting_time"):
            found[key] = sum(step[key] for step in steps)
        found["duration"] = steps[-1]["duration"]
        found["priority"] = sum(task.priority for task in tasks)
        if self._source.tells_loads:
            delivered, picked = self._amounts(stops)
            found |= {"delivery": delivered, "amount": delivered, "pickup": picked}
        if self._source.tells_lengths:
            found["distance"] = steps[-1]["distance"]
        found |= {"steps": steps, "violations": []}
        return found if route.way is None else found | {"geometry": encode_polyline(route.way)}

    def _amounts(self, stops: Sequence[int]) -> tuple[list[int], list[int]]:
        """All that is delivered, and all that is picked up."""
        constraints, rows = self._constraints, [stop - 1 for stop in stops]
        moved = constraints.shipment[rows]
        picked = (constraints.pickup[rows] + moved.clip(min=0.0)).sum(axis=0)
        delivered = (constraints.delivery[rows] - moved.clip(max=0.0)).sum(axis=0)
        return _whole(delivered), _whole(picked)

    def _steps(self, van: Van, stops: Sequence[int], schedule: RouteSchedule) -> list[_Document]:
        first, last = (self._source.tasks[stops[place] - 1].spot for place in (0, -1))
        departure, back = _seconds(schedule.departure), _seconds(schedule.return_)
        tasks = self._task_steps(van, stops, schedule)
        steps = [{"type": "start", **(van.start or first).shown(), **_at(departure)}]
        for place in range(len(tasks) + 1):
            for rest in schedule.breaks or ():
                if rest.after == place:
                    steps.append(_break_step(van.breaks[int(rest.id)], rest, steps[-1]))
            steps += tasks[place : place + 1]
        steps.append({"type": "end", **(van.end or last).shown(), **_at(back)})
        nodes = route_nodes(self._instance, stops, schedule)
        nodes = [*nodes[:1], *nodes] if van.start is None else nodes
        nodes = [*nodes, *nodes[-1:]] if van.end is None else nodes
        self._add_ways(steps, self._constraints.vehicles[van.kind], nodes)
        for before, step in itertools.pairwise(steps):  # it may have stayed there until a freeze
            stay = step["arrival"] - _end_of(before) - (step["duration"] - before["duration"])
            if stay > _ROUNDED_S:
                step["arrival"] -= stay
                step["waiting_time"] += stay
        if self._source.tells_loads:
            self._add_loads(steps, stops)
        return [{**step, "violations": []} for step in steps]

    def _task_steps(
        self, van: Van, stops: Sequence[int], schedule: RouteSchedule
    ) -> list[_Document]:
        """Yields the steps of tasks; a setup is needed where the vehicle comes from elsewhere."""
        constraints, steps = self._constraints, []
        setups, services = constraints.setups(van.kind), constraints.services(van.kind)
        before = self._constraints.vehicles[van.kind].start
        times = zip(stops, schedule.arrivals or (), schedule.begins or (), strict=True)
        for stop, arrival, begin in times:
            task, arrived = self._source.tasks[stop - 1], _seconds(arrival)
            node = constraints.num_depots - 1 + stop
            there = before is not None and self._places[before] == self._places[node]
            step = _identity(task) | {"job": task.id} | _at(arrived)
            step["setup"] = 0 if there or setups is None else round(setups[stop - 1])
            step["service"] = round(services[stop - 1])
            step["waiting_time"] = _seconds(begin) - arrived
            steps.append(step)
            before = node
        return steps

    def _add_ways(self, steps: list[_Document], vehicle: VehicleType, nodes: Sequence[int]) -> None:
        """Travel time and distance so far; breaks are on no leg."""
        matrices = self._constraints.matrices[str(vehicle.matrix)]
        lengths = matrices.distances if self._source.tells_lengths else None
        passed = driven = 0.0
        legs = itertools.pairwise(nodes)
        for step in steps:
            if step["type"] not in ("start", "break"):
                leg = next(legs)
                passed += float(matrices.durations[leg]) / vehicle.speed
                driven += 0.0 if lengths is None else float(lengths[leg])
            step["duration"] = _seconds(passed)
            if lengths is not None:
                step["distance"] = round(driven)

    def _add_loads(self, steps: list[_Document], stops: Sequence[int]) -> None:
        constraints, rows = self._constraints, [stop - 1 for stop in stops]
        load = constraints.delivery[rows].sum(axis=0)
        left = iter(rows)
        for step in steps:
            if step["type"] not in ("start", "break", "end"):
                row = next(left)
                load = (
                    load
                    - constraints.delivery[row]
                    + constraints.pickup[row]
                    + constraints.shipment[row]
                )
            step["load"] = _whole(load)

    def _unassigned(self) -> list[_Document]:
        """Tasks that no route has, with the reasons; both ends of a shipment."""
        unserved = self._solution.unserved
        known = stops_by_name(self._instance) if unserved else {}
        reasons = {stop: item for item in unserved for stop in known[str(item.id)]}
        return [
            _identity(self._source.tasks[stop - 1])
            | {"reason": reasons[stop].reason, "detail": reasons[stop].detail}
            for stop in sorted(reasons)
        ]


def _identity(task: VroomTask) -> _Document:
    """Keys of every mention of a task."""
    found = {"type": task.kind, "id": task.id, **task.spot.shown()}
    return found if task.description is None else {**found, "description": task.description}


def _break_step(own: VroomBreak, rest: RouteBreak, before: _Document) -> _Document:
    """The step of a break, right after another step."""
    arrived = _end_of(before)
    found = {"type": "break", "id": own.id, **_at(arrived), "service": own.service or 0}
    found["waiting_time"] = _seconds(rest.begin) - arrived
    return found if own.description is None else {**found, "description": own.description}


def _end_of(step: _Document) -> int:
    return int(sum(step[key] for key in ("arrival", "setup", "service", "waiting_time")))


def _at(arrival: int) -> _Document:
    """The times of a step where nothing is done."""
    return {"arrival": arrival, "setup": 0, "service": 0, "waiting_time": 0}


def _seconds(time: float) -> int:
    """A time that is whole in hundredths of a second, cut to seconds."""
    return round(time * _HUNDREDTHS) // _HUNDREDTHS


def _whole(amounts: Any) -> list[int]:
    return [round(amount) for amount in amounts.tolist()]
