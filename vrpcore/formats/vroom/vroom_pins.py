"""Tasks that steps with times pin to their vehicle, as windows and permits."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from vrpcore.errors import fault
from vrpcore.formats.vroom.vroom_documents import TASK_KINDS, VroomStep, unsupported
from vrpcore.formats.vroom.vroom_instance import Pin, Van
from vrpcore.instance.vehicle_types import ALWAYS, Window

_FORCED = ("service_at", "service_after", "service_before")


def read_pin(step: VroomStep, place: str) -> Pin | None:
    """The times of a step; None: it has none.

    Raises:
        InstanceError: It is no step of a task (code UNSUPPORTED).
    """
    given = [(key, time) for key in _FORCED if (time := getattr(step, key)) is not None]
    if not given:
        return None
    if step.type not in TASK_KINDS or step.id is None:
        message = f"given for a step of type {step.type}; only tasks are pinned, leave it out"
        raise unsupported(f"{place}.{given[0][0]}", message)
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
