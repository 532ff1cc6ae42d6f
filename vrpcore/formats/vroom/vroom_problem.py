"""VROOM's problems in: jobs, shipments and vehicles in JSON.

Their objective is VROOM's: the sum of priorities of the tasks that are served, then their number,
then the cost. A shipment is two tasks in both.
"""

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import msgspec

from vrpcore.errors import fault
from vrpcore.formats.json.explain import plain_name, read_as
from vrpcore.formats.json.fast_reading import fast_text, is_whole
from vrpcore.formats.vroom.vroom_documents import Node, VroomProblem
from vrpcore.formats.vroom.vroom_fleet import read_fleet
from vrpcore.formats.vroom.vroom_instance import NO_OPTIONS, Source
from vrpcore.formats.vroom.vroom_matrices import node_coords, read_matrices
from vrpcore.formats.vroom.vroom_steps import known_routes, pinned
from vrpcore.formats.vroom.vroom_tasks import columns_of_tasks, read_dimensions, read_tasks
from vrpcore.instance.constraints import Constraints, NamedMatrices
from vrpcore.instance.instance import Instance
from vrpcore.instance.vehicle_types import Depot, VehicleType

_MOST_NAMED = 8


def fast_vroom(data: bytes) -> VroomProblem | None:
    """Reads a document at once; None: it is none, or only slow reading can tell."""
    doc = fast_text(data, VroomProblem)
    return doc if doc is not None and (doc.jobs is not None or doc.shipments) else None


def vroom_instance(
    doc: VroomProblem, data: bytes, place: str, name: str, *, roads: bool = False
) -> Instance:
    """The instance of a document that `fast_vroom` has read; see `read_vroom`."""
    notes: tuple[str, ...] = ()
    if not is_whole(data, doc):
        notes = _ignored_keys(msgspec.json.decode(data), doc, place)
    return _instance(doc, place, name, notes, roads=roads)


def read_vroom(value: object, place: str, name: str, *, roads: bool = False) -> Instance:
    """Read one parsed document whose `role` is `vroom`.

    Vehicles that are alike become one type, named after the first of them. Jobs keep their ids;
    a shipment from pickup 4 to delivery 5 is called "4-5". Steps become its `plan`. Keys that VROOM
    does not know are ignored, and named in the source's `notes`.

    Args:
        value: The document.
        place: Where it was found; begins each message.
        name: Of the instance: documents have none.
        roads: `vrpcore.roads` will give the matrices that the document lacks.

    Raises:
        InstanceError: Something in it is not what it should be, or not supported (code
            UNSUPPORTED); the message says where.
    """
    doc = read_as(VroomProblem, value, place)
    return _instance(doc, place, name, _ignored_keys(value, doc, place), roads=roads)


def _instance(
    doc: VroomProblem, place: str, name: str, notes: tuple[str, ...], *, roads: bool
) -> Instance:
    tasks = read_tasks(doc, place)
    fleet = read_fleet(doc.vehicles, f"{place}.vehicles", tasks.types)
    dimensions = read_dimensions(doc, place, tasks)
    spots = [each.spot for each in tasks.told]
    nodes = [*fleet.nodes, *map(Node, spots, tasks.places)]
    matrices, tells_lengths = read_matrices(
        doc.matrices or {}, f"{place}.matrices", fleet.types, nodes, roads=roads
    )
    coords = node_coords(nodes, needed=any(each.matrix not in matrices for each in fleet.types))
    allowed = pinned(tasks.windows, fleet.vans, tasks.numbers, len(fleet.types))
    constraints = Constraints(
        depots=tuple(Depot(id=str(index)) for index in range(len(fleet.nodes))),
        vehicles=tuple(_paying(each, matrices) for each in fleet.types),
        matrices=matrices,
        places=tuple(node.spot.row for node in nodes),
        num_shipments=len(doc.shipments or ()),
        listed_amounts=dimensions > 0,
        counts_stops=True,
        **(columns_of_tasks(tasks, place, dimensions, fleet.names) | allowed),
    )
    plan, options = known_routes(doc, fleet.vans, tasks.numbers, place), doc.options or NO_OPTIONS
    return Instance(
        name=name,
        coords=coords,
        ids=tuple(tasks.ids),
        metric="haversine",
        constraints=constraints,
        origin=Source(tasks.told, tells_lengths, dimensions > 0, fleet.vans, notes, options, plan),
        plan=plan,
        **constraints.shown(),
    )


def _paying(vehicle: VehicleType, matrices: Mapping[str, NamedMatrices]) -> VehicleType:
    """A vehicle that pays for no time where its profile's matrices tell the costs of legs."""
    own = matrices.get(str(vehicle.matrix))
    return vehicle if own is None or own.costs is None else replace(vehicle, travel_cost=0.0)


def _ignored_keys(value: object, document: VroomProblem, place: str) -> tuple[str, ...]:
    """A note that names the keys which VROOM does not know; `matrix` would change the problem."""
    if isinstance(value, Mapping) and value.get("matrix") is not None:
        message = "the old form of durations; give matrices: {'car': {'durations': [...]}}"
        raise fault(f"{place}.matrix", message, "UNSUPPORTED")
    unknown = dict(_not_read(value, document, ""))
    if not unknown:
        return ()
    named = []
    for name, known in [*unknown.items()][:_MOST_NAMED]:
        near = difflib.get_close_matches(name.rpartition(".")[2], known, 1, 0.8)
        named.append(f"{name} (did you mean {near[0]}?)" if near else name)
    more = len(unknown) - len(named)
    rest = f" and {more} more" if more else ""
    return (f"keys that are not VROOM's are ignored: {', '.join(named)}{rest}",)


def _not_read(found: object, read: object, path: str) -> Iterator[tuple[str, Sequence[str]]]:
    """Keys of an object, or of those in a list, that were not read, with those that are known."""
    if isinstance(found, list | tuple) and isinstance(read, list):
        if read and isinstance(read[0], msgspec.Struct):
            for pair in zip(found, read, strict=True):
                yield from _not_read(*pair, path)
    elif isinstance(found, Mapping) and isinstance(read, dict):
        for name, own in read.items():
            yield from _not_read(found[name], own, f"{path}{name}.")
    elif isinstance(found, Mapping) and isinstance(read, msgspec.Struct):
        for key, item in found.items():
            if key in read.__struct_encode_fields__:
                yield from _not_read(item, getattr(read, key, None), f"{path}{key}.")
            else:
                yield f"{path}{plain_name(key)}", read.__struct_encode_fields__
