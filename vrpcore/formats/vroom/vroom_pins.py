"""Tasks that steps with times pin to their vehicle, as windows and permits."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from vrpcore.errors import fault
from vrpcore.formats.json.key_schema import Fields
from vrpcore.formats.vroom.vroom_instance import Pin, Task, Van
from vrpcore.formats.vroom.vroom_keys import FORCED, unsupported
from vrpcore.instance.vehicle_types import ALWAYS, Window

_TASKS = ("job", "pickup", "delivery")


def read_pin(step: Fields, place: str) -> Pin | None:
    """What the times of a step say; None: it has none.

    Raises:
        InstanceError: It is no step of a task (code UNSUPPORTED).
    """
    given = [key for key in FORCED if key in step]
    if not given:
        return None
    kind = step["type"]
    if kind not in _TASKS:
        message = f"given for a step of type {kind}; only tasks are pinned, leave it out"
        raise unsupported(f"{place}.{given[0]}", message)
    earliest, latest = ALWAYS
    for key in given:
        time = float(step[key])
        earliest = max(earliest, time) if key != "service_before" else earliest
        latest = min(latest, time) if key != "service_after" else latest
    return Pin((kind, step["id"]), (earliest, latest), place)


def pinned(tasks: Sequence[Task], vans: Iterable[Van]) -> list[Task]:
    """Tasks whose windows are cut by those of their steps.

    A task that can then never begin keeps its windows: `permits` lets nobody serve it.
    """
    pins = _by_task(vans)
    return [
        task._replace(windows=_cut(task, pins) or task.windows)
        if (task.kind, task.id) in pins
        else task
        for task in tasks
    ]


def permits(tasks: Sequence[Task], vans: Sequence[Van], num_types: int) -> dict[str, Any]:
    """`allowed` of `Constraints`, if some task is pinned.

    Args:
        tasks: With the windows that their document states.
        vans: All vehicles; those with pins have vehicle types of their own.
        num_types: T.
    """
    pins = _by_task(vans)
    if not any((task.kind, task.id) in pins for task in tasks):
        return {}
    allowed = np.ones((num_types, len(tasks)), np.bool_)
    for row, task in enumerate(tasks):
        for van, _ in pins.get((task.kind, task.id), ()):
            mine = np.arange(num_types) == van.kind
            allowed[:, row] &= mine if _cut(task, pins) else np.zeros(num_types, np.bool_)
    return {"allowed": allowed}


def _by_task(vans: Iterable[Van]) -> dict[tuple[str, int], list[tuple[Van, Pin]]]:
    """The pins of each task.

    Raises:
        InstanceError: Two vehicles have it (code CONFLICTING_KEYS).
    """
    found: dict[tuple[str, int], list[tuple[Van, Pin]]] = {}
    for van in vans:
        for pin in van.pins:
            others = found.setdefault(pin.task, [])
            if others and others[0][0].id != van.id:
                kind, identifier = pin.task
                message = f"{kind} {identifier} is pinned to vehicle {others[0][0].id} already"
                raise fault(pin.place, message, "CONFLICTING_KEYS")
            others.append((van, pin))
    return found


def _cut(
    task: Task, pins: Mapping[tuple[str, int], Sequence[tuple[Van, Pin]]]
) -> tuple[Window, ...]:
    """What is left of a task's windows."""
    windows = task.windows
    for _, pin in pins[task.kind, task.id]:
        earliest, latest = pin.window
        cut = ((max(opens, earliest), min(closes, latest)) for opens, closes in windows)
        windows = tuple(each for each in cut if each[0] <= each[1])
    return windows
