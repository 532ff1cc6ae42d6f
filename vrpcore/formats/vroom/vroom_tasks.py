"""VROOM's jobs and shipments as columns of stops."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vrpcore.errors import fault
from vrpcore.formats.json.assembly import check_skills
from vrpcore.formats.json.dimensions import Dimensions
from vrpcore.formats.json.stop_columns import padded_windows
from vrpcore.formats.json.stop_rows import Columns, check_unique, columns_of
from vrpcore.formats.vroom.vroom_documents import (
    TASK_KINDS,
    Spot,
    TaskKind,
    VroomJob,
    VroomProblem,
    VroomShipment,
    VroomVisit,
    windows_of,
)
from vrpcore.formats.vroom.vroom_instance import VroomTask
from vrpcore.instance.constraints import DELIVERY, PICKUP, plain_columns
from vrpcore.instance.instance import MAX_STOPS, CustomerId, Float64
from vrpcore.instance.vehicle_types import Window

_TIMES = ("setup", "service")
_NO_SKILLS = frozenset[str]()


@dataclass(slots=True)
class Tasks:
    """The N tasks of a document: jobs, then pickup and delivery of each shipment.

    Attributes:
        places: Where they were found.
        told: What answers repeat of them.
        numbers: 1..N of each, by type and id.
        windows: When they may begin.
        jobs: Columns of what only jobs have.
        shipments: Columns of what only shipments have.
        visits: Columns of what all have.
    """

    places: list[str]
    told: tuple[VroomTask, ...]
    numbers: Mapping[tuple[str, int], int]
    windows: list[Sequence[Window]]
    jobs: Columns
    shipments: Columns
    visits: Columns

    @property
    def types(self) -> set[str]:
        """Of vehicles, those that some times depend on."""
        columns = (self.visits[f"{key}_per_type"] for key in _TIMES)
        return {name for column in columns for each in column if each for name in each}

    @property
    def ids(self) -> Iterator[CustomerId]:
        """Names of the stops: a shipment's are those of its ids."""
        yield from self.visits["id"][: len(self.jobs["id"])]
        ends = zip(self.shipments["pickup"], self.shipments["delivery"], strict=True)
        for pickup, delivery in ends:
            name = f"{pickup.id}-{delivery.id}"
            yield from (f"{name}{PICKUP}", f"{name}{DELIVERY}")


def read_tasks(doc: VroomProblem, place: str) -> Tasks:
    """The tasks of a document.

    Args:
        doc: The document.
        place: Where it was found; begins each message.

    Raises:
        InstanceError: One has no location, or contradicts itself; two of a kind have one id;
            there are too many; `code` says which.
    """
    rows, pairs = doc.jobs or [], doc.shipments or []
    jobs, shipments = columns_of(rows, VroomJob), columns_of(pairs, VroomShipment)
    ends = columns_of([end for each in pairs for end in (each.pickup, each.delivery)], VroomVisit)
    visits = {key: (*jobs[key], *column) for key, column in ends.items()}
    kinds: list[TaskKind] = ["job"] * len(rows)
    places = [f"{place}.jobs[{index}]" for index in range(len(rows))]
    for index in range(len(pairs)):
        kinds += ("pickup", "delivery")
        where = f"{place}.shipments[{index}]"
        places += (f"{where}.pickup", f"{where}.delivery")
    if len(places) > MAX_STOPS:
        message = f"{len(places)} tasks, the limit is {MAX_STOPS}; split the problem"
        raise fault(place, message, "TOO_LARGE")
    spots = [*map(Spot, visits["location"], visits["location_index"])]
    if (nowhere := Spot(None, None)) in spots:
        where = places[spots.index(nowhere)]
        raise fault(where, "has neither location nor location_index", "MISSING")
    for job, where in zip(rows, places, strict=False):
        if job.amount is not None and (job.delivery is not None or job.pickup is not None):
            message = "the old name of 'delivery', given with 'delivery' or 'pickup'"
            raise fault(f"{where}.amount", f"{message}; leave it out", "CONFLICT")
    priorities = [each or 0 for each in (*jobs["priority"], *_twice(shipments["priority"]))]
    told = tuple(map(VroomTask, kinds, visits["id"], visits["description"], spots, priorities))
    numbers: dict[tuple[str, int], int] = {
        (task.kind, task.id): number for number, task in enumerate(told, start=1)
    }
    if len(numbers) < len(told):
        for kind in TASK_KINDS:
            own = zip(told, places, strict=True)
            check_unique((task.id, f"{place}.id") for task, place in own if task.kind == kind)
    windows = [
        windows_of(each, f"{where}.time_windows")
        for each, where in zip(visits["time_windows"], places, strict=True)
    ]
    return Tasks(places, told, numbers, windows, jobs, shipments, visits)


def _twice(column: Sequence[Any]) -> list[Any]:
    """Values of a shipment's key, for both of its tasks."""
    return [each for value in column for each in (value, value)]


def read_dimensions(doc: VroomProblem, place: str, tasks: Tasks) -> int:
    """How many load dimensions there are; 0: no capacities and no amounts.

    Raises:
        InstanceError: Amounts have different numbers of them (code SHAPE), or a vehicle
            has no capacity (MISSING).
    """
    capacities, known = [each.capacity for each in doc.vehicles], Dimensions()
    given: Sequence[tuple[str, str, Sequence[list[int] | None]]] = (
        ("vehicles", "capacity", capacities),
        *(("jobs", key, tasks.jobs[key]) for key in ("delivery", "pickup", "amount")),
        ("shipments", "amount", tasks.shipments["amount"]),
    )
    for owner, key, column in given:
        known = known.joined(
            (amount, f"{place}.{owner}[{row}].{key}") for row, amount in enumerate(column)
        )
    size = known.size or 0
    if size and None in capacities:
        message = f"missing, but {known.place} has {size} load dimensions"
        where = f"{place}.vehicles[{capacities.index(None)}].capacity"
        raise fault(where, message, "MISSING")
    return size


def columns_of_tasks(
    tasks: Tasks, place: str, dimensions: int, names: Sequence[str | None]
) -> dict[str, Any]:
    """The columns of `Constraints` for all stops.

    Args:
        tasks: N of them, with their windows as they are in the end.
        place: Of the document; begins each message.
        dimensions: See `read_dimensions`.
        names: What VROOM calls the vehicle types.

    Raises:
        InstanceError: Too many different skills are asked for (code TOO_LARGE).
    """
    jobs, shipments, shape = tasks.jobs, tasks.shipments, (len(tasks.told), max(1, dimensions))
    own = zip(jobs["delivery"], jobs["amount"], strict=True)
    moved = _amounts([*[None] * len(jobs["id"]), *_twice(shipments["amount"])], shape)
    if dimensions:
        moved[len(jobs["id"]) + 1 :: 2] *= -1.0
    priority = np.array([each.priority for each in tasks.told], np.int64)
    priority[len(jobs["id"]) + 1 :: 2] = 0  # a shipment's stands at its pickup
    skills = (*jobs["skills"], *_twice(shipments["skills"]))
    needed = tuple(frozenset(map(str, each)) if each else _NO_SKILLS for each in skills)
    check_skills(frozenset().union(*needed), place)
    return (
        plain_columns(*shape)
        | {
            "delivery": _amounts([old if new is None else new for new, old in own], shape),
            "pickup": _amounts(jobs["pickup"], shape),
            "shipment": moved,
            "windows": padded_windows(tasks.windows),
            "priority": priority,
            "skills": needed,
        }
        | _times(tasks, names)
    )


def _amounts(given: Sequence[list[int] | None], shape: tuple[int, int]) -> Float64:
    """The amounts of the first tasks; 0 of the others, and where none are given."""
    table = np.zeros(shape)
    if rows := [row for row, each in enumerate(given) if each]:
        table[rows] = [given[row] for row in rows]
    return table


def _times(tasks: Tasks, names: Sequence[str | None]) -> dict[str, Any]:
    """The columns of setups and services, and those of vehicle types where they differ."""
    found: dict[str, Any] = {}
    for key in _TIMES:
        own = np.array([each or 0 for each in tasks.visits[key]], np.float64)
        found[key] = own if key == "service" or own.any() else None
        special = tasks.visits[f"{key}_per_type"]
        if any(special):
            rows = [each or {} for each in special]
            found[f"{key}_by_type"] = np.array(
                [[row.get(n, t) for row, t in zip(rows, own, strict=True)] for n in names],
                np.float64,
            )
    return found
