"""Tasks that a problem of VROOM's pins to vehicles and times, checked from the two documents."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

_Document = Mapping[str, Any]
_TASKS = ("job", "pickup", "delivery")


def check_pins(problem: _Document, answer: _Document) -> Iterator[str]:
    """What is wrong with tasks whose steps in the problem state times, in words.

    Such a task is served by the vehicle with that step, or unassigned; service begins no earlier
    than `service_after`, no later than `service_before`, and just at `service_at`.
    """
    pins: dict[tuple[str, int], list[tuple[int, float, float]]] = {}
    for vehicle in problem["vehicles"]:
        for step in vehicle.get("steps") or ():
            if step["type"] in _TASKS and (times := _times(step)) is not None:
                pins.setdefault((step["type"], step["id"]), []).append((vehicle["id"], *times))
    for row, route in enumerate(answer["routes"]):
        for column, step in enumerate(route["steps"]):
            kind, identifier = step["type"], step.get("id", -1)
            where = f"routes[{row}].steps[{column}]: {kind} {identifier}"
            for vehicle, earliest, latest in pins.get((kind, identifier), ()):
                if route.get("vehicle") != vehicle:
                    yield f"{where} is pinned to vehicle {vehicle}"
                begin = step["arrival"] + step["waiting_time"]
                if not earliest <= begin <= latest:
                    yield f"{where} begins at {begin}, its step says {earliest} to {latest}"


def _times(step: _Document) -> tuple[float, float] | None:
    """When service begins, at the earliest and the latest; None: nothing is said."""
    at, after, before = (step.get(f"service_{key}") for key in ("at", "after", "before"))
    if at is None and after is None and before is None:
        return None
    earliest = max(-math.inf if time is None else time for time in (at, after))
    return earliest, min(math.inf if time is None else time for time in (at, before))
