"""VROOM's problems in: jobs, shipments and vehicles in JSON.

Their objective is VROOM's: the sum of priorities of the tasks that are served, then their number,
then the cost. A shipment is two tasks in both.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from vrpcore.errors import fault
from vrpcore.formats.json.assembly import padded_windows
from vrpcore.formats.json.key_schema import Fields, check_list
from vrpcore.formats.vroom.vroom_fleet import Fleet, known_routes, read_fleet
from vrpcore.formats.vroom.vroom_ignored import without_unknown_keys
from vrpcore.formats.vroom.vroom_instance import Source, Task, TaskKind
from vrpcore.formats.vroom.vroom_keys import (
    JOB,
    PROBLEM,
    SHIPMENT,
    VISIT,
    Node,
    read_spot,
)
from vrpcore.formats.vroom.vroom_matrices import node_coords, read_matrices
from vrpcore.formats.vroom.vroom_options import check_given, read_options
from vrpcore.formats.vroom.vroom_pins import permits, pinned
from vrpcore.instance.constraints import (
    DELIVERY,
    MAX_SKILLS,
    PICKUP,
    Constraints,
    NamedMatrices,
    plain_columns,
)
from vrpcore.instance.instance import MAX_STOPS, CustomerId, Instance
from vrpcore.instance.vehicle_types import ALWAYS, VehicleType


def read_vroom(value: object, place: str, name: str, *, roads: bool = False) -> Instance:
    """Validates one parsed document for which `is_vroom`.

    Vehicles that are alike become one type, named after the first of them. Jobs keep their ids;
    a shipment from pickup 4 to delivery 5 is called "4-5". Steps become `routes`. Keys that VROOM
    does not know are ignored, and named in the source's `notes`.

    Args:
        value: The document.
        place: Where it was found; begins the error message.
        name: Of the instance: documents have none.
        roads: `vrpcore.roads` will give the matrices that the document lacks.

    Raises:
        InstanceError: Something in it is not what it should be, or not supported (code
            UNSUPPORTED); the message says where.
    """
    known, notes = without_unknown_keys(value, place)
    found = Fields(known, place, PROBLEM)
    options = read_options(found.raw("options"), f"{place}.options")
    tasks = [*_jobs(found, place), *_shipments(found, place)]
    _check_tasks(tasks, place)
    types = {name for task in tasks for name in (*task.setup_per_type, *task.service_per_type)}
    fleet = read_fleet(found, place, types)
    dimensions = _dimensions(tasks, fleet)
    nodes = [*fleet.nodes, *(Node(task.spot, task.place) for task in tasks)]
    matrices, tells_lengths = read_matrices(found, place, fleet.types, nodes, roads=roads)
    coords = node_coords(nodes, needed=any(each.matrix not in matrices for each in fleet.types))
    constraints = Constraints(
        depots=fleet.depots,
        vehicles=tuple(_paying(each, matrices) for each in fleet.types),
        matrices=matrices,
        places=tuple(node.spot.row for node in nodes),
        num_shipments=sum(task.kind == "pickup" for task in tasks),
        listed_amounts=dimensions > 0,
        counts_stops=True,
        **(
            _columns(pinned(tasks, fleet.vans), dimensions)
            | _times(tasks, fleet.names)
            | permits(tasks, fleet.vans, len(fleet.types))
        ),
    )
    numbers: dict[tuple[str, int], int] = {
        (task.kind, task.id): stop for stop, task in enumerate(tasks, start=1)
    }
    steps = known_routes(fleet.vans, numbers)
    if options.given:
        check_given(found.raw("vehicles"), steps, place)
    return Instance(
        name=name,
        coords=coords,
        ids=tuple(_stop_ids(tasks)),
        metric="haversine",
        routes=steps.routes,
        route_vehicles=steps.kinds,
        unknown_in_routes=steps.unknown,
        constraints=constraints,
        origin=Source(tuple(tasks), fleet.vans, tells_lengths, dimensions > 0, notes, options),
        **constraints.shown(),
    )


def _jobs(found: Fields, place: str) -> Iterator[Task]:
    rows = found.raw("jobs")
    where = f"{place}.jobs"
    for index, row in enumerate(check_list([] if rows is None else rows, where, "jobs")):
        own = f"{where}[{index}]"
        fields = Fields(row, own, JOB)
        if "amount" in fields and fields.has_any(("delivery", "pickup")):
            message = "the old name of 'delivery', given with 'delivery' or 'pickup'"
            raise fault(f"{own}.amount", f"{message}; leave it out", "CONFLICTING_KEYS")
        yield Task(
            "job",
            **_visit(fields, own),
            **_wanted(fields),
            delivery=fields.get("amount", fields.get("delivery")),
            pickup=fields.get("pickup"),
        )


def _shipments(found: Fields, place: str) -> Iterator[Task]:
    """Pickup and delivery of each shipment in order."""
    rows = found.raw("shipments")
    where = f"{place}.shipments"
    for index, row in enumerate(check_list([] if rows is None else rows, where, "shipments")):
        own = f"{where}[{index}]"
        fields = Fields(row, own, SHIPMENT)
        amount, wanted = fields.get("amount"), _wanted(fields)
        kinds: tuple[TaskKind, ...] = ("pickup", "delivery")
        for kind in kinds:
            end = f"{own}.{kind}"
            visit = _visit(Fields(fields[kind], end, VISIT), end)
            yield Task(kind, **visit, **wanted, amount=amount)


def _visit(fields: Fields, place: str) -> dict[str, Any]:
    spot = read_spot(fields, "location", "location_index")
    if spot is None:
        raise fault(place, "has neither location nor location_index", "MISSING_KEY")
    return {
        "id": fields["id"],
        "description": fields.get("description"),
        "spot": spot,
        "windows": fields.get("time_windows", (ALWAYS,)),
        "setup": fields.get("setup", 0),
        "service": fields.get("service", 0),
        "setup_per_type": fields.get("setup_per_type", {}),
        "service_per_type": fields.get("service_per_type", {}),
        "place": place,
    }


def _wanted(fields: Fields) -> dict[str, Any]:
    skills = frozenset(map(str, fields.get("skills", ())))
    return {"skills": skills, "priority": fields.get("priority", 0)}


def _check_tasks(tasks: Sequence[Task], place: str) -> None:
    if len(tasks) > MAX_STOPS:
        message = f"{len(tasks)} tasks, the limit is {MAX_STOPS}; split the problem"
        raise fault(place, message, "TOO_MANY_CUSTOMERS")
    skills = frozenset[str]().union(*(task.skills for task in tasks))
    if len(skills) > MAX_SKILLS:
        message = f"{len(skills)} different skills, the limit is {MAX_SKILLS}"
        raise fault(place, message, "TOO_MANY_SKILLS")
    seen: dict[tuple[str, int], str] = {}
    for task in tasks:
        key = (task.kind, task.id)
        if key in seen:
            message = f"duplicate id {task.id}, also at {seen[key]}"
            raise fault(f"{task.place}.id", message, "DUPLICATE_ID")
        seen[key] = task.place


def _dimensions(tasks: Sequence[Task], fleet: Fleet) -> int:
    """How many load dimensions there are; 0: no capacities and no amounts."""
    amounts = [*fleet.capacities, *(pair for task in tasks for pair in task.amounts)]
    given = [(len(amount), place) for amount, place in amounts if amount is not None]
    if not given:
        return 0
    size, first = given[0]
    for other, place in given:
        if other != size:
            message = f"{other} load dimensions, but {first} has {size}; give all amounts alike"
            raise fault(place, message, "MIXED_AMOUNTS")
    for capacity, place in fleet.capacities:
        if capacity is None and size:
            message = f"missing, but {first} has {size} load dimensions"
            raise fault(place, message, "MISSING_KEY")
    return size


def _columns(tasks: Sequence[Task], dimensions: int) -> dict[str, Any]:
    """The columns of `Constraints` for all stops."""
    columns = plain_columns(len(tasks), max(1, dimensions))
    for key in ("delivery", "pickup", "shipment"):
        columns[key] = np.zeros((len(tasks), max(1, dimensions)))
    for row, task in enumerate(tasks if dimensions else ()):
        columns["delivery"][row] = task.delivery or 0
        columns["pickup"][row] = task.pickup or 0
        columns["shipment"][row] = task.amount or 0
        if task.kind == "delivery":
            columns["shipment"][row] *= -1.0
    # A shipment's priority stands at its pickup.
    priorities = [0 if task.kind == "delivery" else task.priority for task in tasks]
    return columns | {
        "windows": padded_windows([task.windows for task in tasks]),
        "priority": np.array(priorities, np.int64),
        "skills": tuple(task.skills for task in tasks),
    }


def _times(tasks: Sequence[Task], names: Sequence[str | None]) -> dict[str, Any]:
    """The columns of setups and services, and those of vehicle types where they differ.

    Args:
        tasks: N of them.
        names: What VROOM calls the types.
    """
    found: dict[str, Any] = {}
    for key, needed in (("setup", False), ("service", True)):
        own = np.array([getattr(task, key) for task in tasks], np.float64)
        found[key] = own if needed or own.any() else None
        special = [getattr(task, f"{key}_per_type") for task in tasks]
        if any(special):
            found[f"{key}_by_type"] = np.array(
                [[row.get(n, t) for row, t in zip(special, own, strict=True)] for n in names],
                np.float64,
            )
    return found


def _paying(vehicle: VehicleType, matrices: Mapping[str, NamedMatrices]) -> VehicleType:
    """A vehicle that pays for no time where its profile's matrices tell the costs of legs."""
    own = matrices.get(str(vehicle.matrix))
    return vehicle if own is None or own.costs is None else replace(vehicle, travel_cost=0.0)


def _stop_ids(tasks: Sequence[Task]) -> Iterator[CustomerId]:
    """Names of the stops: a shipment's are those of its ids."""
    for index, task in enumerate(tasks):
        if task.kind == "job":
            yield task.id
        elif task.kind == "pickup":
            yield f"{task.id}-{tasks[index + 1].id}{PICKUP}"
        else:
            yield f"{tasks[index - 1].id}-{task.id}{DELIVERY}"
