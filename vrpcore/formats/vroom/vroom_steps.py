"""Steps of vehicles: the routes that they come with, and tasks that times pin to a vehicle."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from vrpcore.errors import fault
from vrpcore.formats.vroom.vroom_documents import TASK_KINDS, VroomProblem, VroomStep, VroomVehicle
from vrpcore.formats.vroom.vroom_instance import NO_OPTIONS, Pin, Van
from vrpcore.instance.plan import Plan, Route
from vrpcore.instance.vehicle_types import ALWAYS, Window

_FORCED = ("service_at", "service_after", "service_before")


def read_steps(
    row: VroomVehicle, place: str
) -> tuple[tuple[tuple[str, int], ...], tuple[Pin, ...]]:
    """Types and ids of the tasks that a vehicle is given, and the pins of those with times.

    Steps of breaks that it has say nothing: breaks are placed anew.

    Raises:
        InstanceError: A step has no id, or times that are not a task's (MISSING, UNSUPPORTED).
    """
    breaks, steps, pins = {each.id for each in row.breaks or ()}, [], []
    for index, step in enumerate(row.steps or ()):
        where = f"{place}.steps[{index}]"
        is_end = step.type in ("start", "end")
        if step.id is None and not is_end:
            raise fault(f"{where}.id", "missing", "MISSING")
        pin = _pin(step, where)
        if step.id is not None and not is_end and (step.type != "break" or step.id not in breaks):
            steps.append((step.type, step.id))
            pins += [pin] if pin else []
    return tuple(steps), tuple(pins)


def known_routes(
    doc: VroomProblem, vans: Sequence[Van], stops: Mapping[tuple[str, int], int], place: str
) -> Plan | None:
    """The routes that vehicles come with; None: they come with none.

    Args:
        doc: The document.
        vans: Its vehicles.
        stops: 1..N of each task, by type and id.
        place: Begins each message.

    Raises:
        InstanceError: The option `c` asks for the times of these routes, but there are none, they
            name something unknown, or they say where breaks are.
    """
    named = (
        Route(van.kind, tuple(stops[step] for step in van.steps if step in stops), van=van.id)
        for van in vans
    )
    routes = [route for route in named if route.stops]
    gone = [step for van in vans for step in van.steps if step not in stops]
    unknown = tuple(f"{kind} {identifier}" for kind, identifier in gone)
    if (doc.options or NO_OPTIONS).given:
        _check_given(doc, unknown, place, any_steps=bool(routes))
    return Plan.known(routes, (), unknown) if routes or unknown else None


def _check_given(doc: VroomProblem, unknown: Sequence[str], place: str, *, any_steps: bool) -> None:
    """Check that steps are routes as they stand."""
    asked, asks = f"{place}.options.c", "asks for the times of given routes, but"
    if unknown:
        message = f"steps name {unknown[0]}, which the problem does not have; leave it out of them"
        raise fault(asked, f"{asks} {message}", "UNKNOWN")
    if not any_steps:
        message = "no vehicle has steps; give them, or leave it out"
        raise fault(asked, f"{asks} {message}", "MISSING")
    for row, vehicle in enumerate(doc.vehicles):
        for index, step in enumerate(vehicle.steps or ()):
            if step.type == "break":
                message = "says where a break is, but with 'c' breaks are placed anew"
                message += "; leave this step out, and keep the break"
                raise fault(f"{place}.vehicles[{row}].steps[{index}]", message, "UNSUPPORTED")


def _pin(step: VroomStep, place: str) -> Pin | None:
    """The times of a step; None: it has none."""
    given = [(key, time) for key in _FORCED if (time := getattr(step, key)) is not None]
    if not given:
        return None
    if step.type not in TASK_KINDS or step.id is None:
        message = f"given for a step of type {step.type}; only tasks are pinned, leave it out"
        raise fault(f"{place}.{given[0][0]}", message, "UNSUPPORTED")
    earliest, latest = ALWAYS
    for key, time in given:
        earliest = max(earliest, float(time)) if key != "service_before" else earliest
        latest = min(latest, float(time)) if key != "service_after" else latest
    return Pin((step.type, step.id), (earliest, latest), place)


def pinned(
    windows: list[Sequence[Window]],
    vans: Iterable[Van],
    stops: Mapping[tuple[str, int], int],
    num_types: int,
) -> dict[str, Any]:
    """Cut the windows of tasks by the times of their steps.

    A task that can then never begin keeps its windows, and nobody may serve it.

    Args:
        windows: Of N tasks; those that are pinned get others.
        vans: All vehicles; those with pins have vehicle types of their own.
        stops: 1..N of each task, by type and id.
        num_types: T.

    Returns:
        `allowed` of `Constraints`, if some task is pinned.

    Raises:
        InstanceError: Two vehicles have it (code CONFLICT).
    """
    owners, left = dict[tuple[str, int], Van](), dict[int, list[Window]]()
    allowed = np.ones((num_types, len(windows)), np.bool_)
    for van, pin in ((each, pin) for each in vans for pin in each.pins):
        if (owner := owners.setdefault(pin.task, van).id) != van.id:
            kind, identifier = pin.task
            message = f"{kind} {identifier} is pinned to vehicle {owner} already"
            raise fault(pin.place, message, "CONFLICT")
        if pin.task in stops:
            row, (earliest, latest) = stops[pin.task] - 1, pin.window
            cut = [
                (max(opens, earliest), min(closes, latest))
                for opens, closes in left.get(row, windows[row])
            ]
            left[row] = [each for each in cut if each[0] <= each[1]]
            allowed[:, row] = np.arange(num_types) == van.kind
    for row, own in left.items():
        windows[row] = own or windows[row]
        allowed[:, row] &= bool(own)
    return {"allowed": allowed} if left else {}
