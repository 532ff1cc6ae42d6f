"""One route of an answer of VROOM's, checked against its problem in plain loops."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

_Document = Mapping[str, Any]
MayBreak = Literal["none", "reported", "all"]  # of the limits
_HOUR_S = 3600
_KILOMETRE_M = 1000
_WHOLE_FACTORS = 100  # time factors are hundredths
_NO_ROADS = (None, math.inf, 2**31 - 1, 2**32 - 1)  # what matrices have where there is none
_OPEN = -1  # where a route that is open begins or ends: at a task


class Task(NamedTuple):
    """A job or one end of a shipment.

    Attributes:
        kind: job, pickup or delivery.
        visit: What says where and when.
        owner: What says how much, and for whom: the job or the shipment.
    """

    kind: str
    visit: _Document
    owner: _Document


class Profile(NamedTuple):
    """What lies between the locations of a profile.

    Attributes:
        tables: [L][L] numbers of `durations`, maybe `distances` and `costs`; none: not known.
        rows: Of the tables, by longitude and latitude; None: indices of locations tell them.
    """

    tables: Mapping[str, Any]
    rows: Mapping[tuple[float, float], int] | None = None

    def row(self, owner: _Document, point: str, index: str) -> int | None:
        """The row of a task, or of an end of a vehicle; None where it is not known."""
        if self.rows is None:
            return owner.get(index)
        return self.rows.get(tuple(owner.get(point) or ()))


def is_scaled(vehicle: _Document) -> bool:
    """Whether a vehicle's times may be no whole seconds."""
    return _number(vehicle, "speed_factor", 1.0) != 1.0


def check_route(
    profile: Profile,
    vehicle: _Document,
    route: _Document,
    tasks: Mapping[tuple[str, int], Task],
    *,
    may_break: MayBreak,
) -> list[str]:
    """Checks one route, whose tasks are known.

    Args:
        profile: Of the vehicle.
        vehicle: That drives it.
        route: Of the answer.
        tasks: By kind and id.
        may_break: Which limits may be broken.

    Returns:
        What is wrong, each beginning with where it is below the route.
    """
    return list(_Route(profile, vehicle, route, tasks, may_break=may_break).problems())


class _Route:
    def __init__(
        self,
        profile: Profile,
        vehicle: _Document,
        route: _Document,
        tasks: Mapping[tuple[str, int], Task],
        *,
        may_break: MayBreak,
    ) -> None:
        self._vehicle, self._route, self._may_break = vehicle, route, may_break
        self._steps: Sequence[_Document] = route["steps"]
        self._tasks = [tasks.get((step["type"], step.get("id", -1))) for step in self._steps]
        self._known = profile
        hundredths = math.floor(_WHOLE_FACTORS / _number(vehicle, "speed_factor", 1.0) + 0.5)
        self._factor = hundredths / _WHOLE_FACTORS
        self._slack = 1 if is_scaled(vehicle) else 0  # of each leg, which is cut to seconds

    def problems(self) -> Iterator[str]:
        if not self._steps:
            yield ".steps: empty"
            return
        yield from self._ends()
        yield from self._who()
        yield from self._loads()
        yield from self._roads()
        yield from self._ways()
        yield from self._times()
        yield from self._breaks()
        yield from self._cost()
        yield from self._totals()

    def _breach(self, row: int, cause: str, message: str) -> Iterator[str]:
        """A limit that is broken, where it may not be."""
        if self._may_break == "all":
            return
        causes = {item.get("cause") for item in self._steps[row].get("violations") or ()}
        causes |= {item.get("cause") for item in self._route.get("violations") or ()}
        if not (self._may_break == "reported" and cause in causes):
            yield f".steps[{row}]: {message}"

    def _ends(self) -> Iterator[str]:
        kinds = [step["type"] for step in self._steps]
        for name, row in (("start", 0), ("end", -1)):
            needed = name in self._vehicle or f"{name}_index" in self._vehicle
            is_there = kinds[row] == name
            # An open end is reported or not, as VROOM has done with both.
            if kinds.count(name) != is_there or (needed and not is_there):
                yield f".steps: {kinds.count(name)} of type {name}, expected one at its end"
        known = ("start", "job", "pickup", "delivery", "break", "end")
        for row, kind in enumerate(kinds):
            if kind not in known:
                yield f".steps[{row}].type: {kind}"

    def _who(self) -> Iterator[str]:
        able = set(self._vehicle.get("skills") or ())
        for row, task in enumerate(self._tasks):
            if task is not None and not able.issuperset(task.owner.get("skills") or ()):
                yield from self._breach(row, "skills", "the vehicle lacks a skill")
        number = sum(task is not None for task in self._tasks)
        if number > self._vehicle.get("max_tasks", math.inf):
            yield from self._breach(0, "max_tasks", f"{number} tasks are more than max_tasks")

    def _loads(self) -> Iterator[str]:
        """What is on board after each step; deliveries of jobs are from the start."""
        capacity = list(self._vehicle.get("capacity") or ())
        size = len(capacity)
        load = [0] * size
        total = {"delivery": [0] * size, "pickup": [0] * size}
        changes = [_change(task, size) for task in self._tasks]
        for task, (taken, left) in zip(self._tasks, changes, strict=True):
            if task is None:
                continue
            if task.kind == "job":
                load = [a + b for a, b in zip(load, left, strict=True)]
            for key, amounts in (("pickup", taken), ("delivery", left)):
                total[key] = [a + b for a, b in zip(total[key], amounts, strict=True)]
        for row, (step, (taken, left)) in enumerate(zip(self._steps, changes, strict=True)):
            load = [a + b - c for a, b, c in zip(load, taken, left, strict=True)]
            if size and step.get("load") != load:
                yield f".steps[{row}].load: {step.get('load')}, expected {load}"
            if any(a > b for a, b in zip(load, capacity, strict=True)):
                yield from self._breach(row, "load", f"a load of {load} exceeds {capacity}")
            if step["type"] == "break":
                yield from self._break_load(row, step, load)
        for key, amounts in total.items():
            if size and self._route.get(key) != amounts:
                yield f".{key}: {self._route.get(key)}, expected {amounts}"

    def _break_load(self, row: int, step: _Document, load: list[int]) -> Iterator[str]:
        for own in self._vehicle.get("breaks") or ():
            most = own.get("max_load") if own["id"] == step.get("id") else None
            if any(a > b for a, b in zip(load, most or load, strict=True)):
                yield from self._breach(row, "max_load", f"a break with {load} on board")

    def _places(self) -> list[tuple[int, int | None]]:
        """Steps that are somewhere, and their rows of the matrices; of open ends `_OPEN`."""
        found: list[tuple[int, int | None]] = []
        for row, (step, task) in enumerate(zip(self._steps, self._tasks, strict=True)):
            if task is not None:
                found.append((row, self._known.row(task.visit, "location", "location_index")))
            elif (kind := step["type"]) in ("start", "end"):
                stated = kind in self._vehicle or f"{kind}_index" in self._vehicle
                index = self._known.row(self._vehicle, kind, f"{kind}_index")
                found.append((row, index if stated else _OPEN))
        return found

    def _legs(self) -> list[tuple[int, int, int | None, int | None]]:
        """The steps of each leg, and the rows of the matrices."""
        return [
            (first, last, origin, target)
            for (first, origin), (last, target) in itertools.pairwise(self._places())
        ]

    def _between(self, name: str, origin: int | None, target: int | None) -> float | None:
        """An entry of a matrix, 0 at an open end; None where it is not known, or has no road."""
        if _OPEN in (origin, target):
            return 0.0
        matrix = self._known.tables.get(name)
        if matrix is None or origin is None or target is None:
            return None
        entry = matrix[origin][target]
        if entry in _NO_ROADS:
            return 0.0 if origin == target else None
        return float(entry)

    def _roads(self) -> Iterator[str]:
        """No leg may be one that a matrix has no road for."""
        for _, last, origin, target in self._legs():
            if origin in (None, _OPEN) or target in (None, _OPEN) or origin == target:
                continue
            entries = (matrix[origin][target] for matrix in self._known.tables.values())
            if any(entry in _NO_ROADS for entry in entries):
                yield f".steps[{last}]: no road leads there from the location before"

    def _ways(self) -> Iterator[str]:
        """Travel time and distance so far, and what limits them."""
        passed = driven = 0.0
        tells = "distance" in self._steps[0]
        if self._steps[0]["duration"] or (tells and self._steps[0]["distance"]):
            yield ".steps[0]: begins with a leg before it"
        for number, (first, last, origin, target) in enumerate(self._legs(), start=1):
            step = self._steps[last]
            duration = self._between("durations", origin, target)
            length = self._between("distances", origin, target)
            if duration is None:
                passed = step["duration"]
            else:
                passed += duration * self._factor
            driven = step.get("distance", 0) if length is None else driven + length
            if abs(step["duration"] - passed) > number * self._slack:
                yield f".steps[{last}].duration: {step['duration']}, expected {passed}"
            if tells and length is not None and step.get("distance") != driven:
                yield f".steps[{last}].distance: {step.get('distance')}, expected {driven}"
            for row in range(first + 1, last):
                listed = self._steps[row]["duration"]
                if not self._steps[first]["duration"] <= listed <= step["duration"]:
                    yield f".steps[{row}].duration: {listed}, expected between its neighbours"
        if passed > self._vehicle.get("max_travel_time", math.inf) + 1e-6:
            yield from self._breach(0, "max_travel_time", f"a travel time of {passed} is too long")
        if driven > self._vehicle.get("max_distance", math.inf):
            yield from self._breach(0, "max_distance", f"a distance of {driven} is too long")

    def _times(self) -> Iterator[str]:
        yield from self._services()
        steps = self._steps
        for row, (before, step) in enumerate(itertools.pairwise(steps), start=1):
            travel = step["duration"] - before["duration"]
            expected = _done(before) + travel
            if abs(step["arrival"] - expected) > 2 * self._slack:
                yield f".steps[{row}].arrival: {step['arrival']}, expected {expected}"
        for row, (step, task) in enumerate(zip(steps, self._tasks, strict=True)):
            if step["waiting_time"] < 0:
                yield f".steps[{row}].waiting_time: {step['waiting_time']} is negative"
            if task is not None:
                windows = task.visit.get("time_windows") or [[0, math.inf]]
                yield from self._in_window(row, windows)
        opens, closes = self._vehicle.get("time_window") or (0, math.inf)
        if steps[0]["arrival"] < opens:
            yield from self._breach(0, "lead_time", f"begins before the shift at {opens}")
        if _done(steps[-1]) > closes:
            last = len(steps) - 1
            yield from self._breach(last, "delay", f"ends after the shift at {closes}")

    def _in_window(self, row: int, windows: Sequence[Sequence[float]]) -> Iterator[str]:
        begin = self._steps[row]["arrival"] + self._steps[row]["waiting_time"]
        if not any(opens <= begin <= closes for opens, closes in windows):
            cause = "lead_time" if begin < windows[0][0] else "delay"
            yield from self._breach(row, cause, f"begins at {begin}, outside its windows")

    def _services(self) -> Iterator[str]:
        """Setup is needed only where the task before is elsewhere."""
        here: object = None
        for row, (step, task) in enumerate(zip(self._steps, self._tasks, strict=True)):
            expected = {"setup": 0, "service": 0}
            if task is not None:
                for key in expected:
                    own = (task.visit.get(f"{key}_per_type") or {}).get(self._vehicle.get("type"))
                    expected[key] = task.visit.get(key, 0) if own is None else own
                there = _spot(task.visit)
                if here == there:
                    expected["setup"] = 0
                here = there
            elif step["type"] == "start":
                here = _spot(self._vehicle, "start", "start_index")
            elif step["type"] == "break":
                own_breaks = self._vehicle.get("breaks") or ()
                known = [each for each in own_breaks if each["id"] == step.get("id")]
                expected["service"] = known[0].get("service", 0) if known else 0
            for key, value in expected.items():
                if step[key] != value:
                    yield f".steps[{row}].{key}: {step[key]}, expected {value}"

    def _breaks(self) -> Iterator[str]:
        """Each break of the vehicle once, in one of its windows."""
        taken = [(row, s.get("id")) for row, s in enumerate(self._steps) if s["type"] == "break"]
        for own in self._vehicle.get("breaks") or ():
            rows = [row for row, identifier in taken if identifier == own["id"]]
            if len(rows) != 1:
                message = f"break {own['id']} is taken {len(rows)} times"
                yield from self._breach(0, "missing_break", message)
            for row in rows:
                yield from self._in_window(row, own.get("time_windows") or [[0, math.inf]])
        known = {own["id"] for own in self._vehicle.get("breaks") or ()}
        for row, identifier in taken:
            if identifier not in known:
                yield f".steps[{row}].id: the vehicle has no break {identifier}"

    def _cost(self) -> Iterator[str]:
        costs = self._vehicle.get("costs") or {}
        if not self._known.tables and costs.get("per_km"):
            return
        per_hour, per_km = _number(costs, "per_hour", _HOUR_S), _number(costs, "per_km", 0)
        rested = sum(step["service"] for step in self._steps if step["type"] == "break")
        worked = sum(step["setup"] + step["service"] for step in self._steps) - rested
        per_task_hour = _number(costs, "per_task_hour", 0)
        fixed = _number(costs, "fixed", 0) + worked * per_task_hour / _HOUR_S
        travel = [0.0, 0.0]  # by rounded and by exact time factors: VROOM uses both
        factors = (self._factor, 1 / _number(self._vehicle, "speed_factor", 1.0))
        for _, last, origin, target in self._legs():
            paid = self._between("costs", origin, target)
            duration = self._between("durations", origin, target)
            length = self._between("distances", origin, target) or 0.0
            for which, factor in enumerate(factors):
                if paid is not None:
                    travel[which] += paid
                elif duration is None:
                    travel[which] = self._steps[last]["duration"] * per_hour / _HOUR_S
                else:
                    travel[which] += duration * factor * per_hour / _HOUR_S
                    travel[which] += length * per_km / _KILOMETRE_M
        # Cut or rounded in all, of scaled durations and of tasks one by one.
        slack = 1 + self._slack * len(self._legs()) * per_hour / _HOUR_S
        slack += len(self._steps) if per_task_hour else 0
        # VROOM lets breaks cost, too, which its description does not say.
        least = fixed + min(travel)
        most = fixed + max(travel) + rested * per_task_hour / _HOUR_S
        if not least - slack < self._route["cost"] < most + slack:
            yield f".cost: {self._route['cost']}, expected {least}"

    def _totals(self) -> Iterator[str]:
        expected: dict[str, float] = {
            key: sum(step[key] for step in self._steps)
            for key in ("setup", "service", "waiting_time")
        }
        expected["duration"] = self._steps[-1]["duration"]
        expected["priority"] = sum(
            task.owner.get("priority", 0) for task in self._tasks if task is not None
        )
        for key, value in expected.items():
            if abs(self._route[key] - value) > (self._slack if key == "duration" else 0):
                yield f".{key}: {self._route[key]}, expected {value}"
        # Metres of legs that a routing engine tells are rounded one by one.
        if "distance" in self._route:
            rounded = 0 if self._known.tables else len(self._steps)
            stated, last = self._route["distance"], self._steps[-1].get("distance", math.inf)
            if abs(stated - last) > rounded:
                yield f".distance: {stated}, expected {last}"
        if self._route.get("violations") and self._may_break == "none":
            yield ".violations: limits are broken"


def _number(owner: _Document, key: str, default: float) -> float:
    value = owner.get(key)
    return default if value is None else float(value)


def _change(task: Task | None, size: int) -> tuple[list[int], list[int]]:
    """What a task takes on board, and what it leaves."""
    none = [0] * size
    if task is None:
        return none, none
    if task.kind == "job":
        delivery = task.owner.get("delivery") or task.owner.get("amount") or none
        return list(task.owner.get("pickup") or none), list(delivery)
    amount = list(task.owner.get("amount") or none)
    return (amount, none) if task.kind == "pickup" else (none, amount)


def _done(step: _Document) -> float:
    """When a step is over."""
    return float(step["arrival"] + step["waiting_time"] + step["setup"] + step["service"])


def _spot(owner: _Document, point: str = "location", index: str = "location_index") -> object:
    """Where something is, comparable."""
    if owner.get(index) is not None:
        return owner[index]
    location = owner.get(point)
    return None if location is None else tuple(location)
