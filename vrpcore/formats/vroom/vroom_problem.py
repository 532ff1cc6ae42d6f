"""VROOM's problems in: jobs, shipments and vehicles in JSON.

Their objective is VROOM's: the sum of priorities of the tasks that are served, then their number,
then the cost. A shipment is two tasks in both.
"""

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from vrpcore.formats.json.explain import read_as
from vrpcore.formats.json.fast_reading import fast_text, is_whole
from vrpcore.formats.vroom.vroom_documents import Node, VroomProblem
from vrpcore.formats.vroom.vroom_fleet import check_given, known_routes, read_fleet
from vrpcore.formats.vroom.vroom_ignored import ignored_keys
from vrpcore.formats.vroom.vroom_instance import NO_OPTIONS, Source
from vrpcore.formats.vroom.vroom_matrices import node_coords, read_matrices
from vrpcore.formats.vroom.vroom_pins import pinned
from vrpcore.formats.vroom.vroom_tasks import columns_of_tasks, read_dimensions, read_tasks
from vrpcore.instance.constraints import Constraints, NamedMatrices
from vrpcore.instance.instance import Instance
from vrpcore.instance.vehicle_types import VehicleType

_DECODER = msgspec.json.Decoder(VroomProblem)


def fast_vroom(data: bytes) -> VroomProblem | None:
    """Reads a document at once; None: it is none, or only slow reading can tell."""
    doc = fast_text(data, _DECODER)
    return doc if doc is not None and (doc.jobs is not None or doc.shipments) else None


def vroom_instance(
    doc: VroomProblem, data: bytes, place: str, name: str, *, roads: bool = False
) -> Instance:
    """The instance of a document that `fast_vroom` has read; see `read_vroom`."""
    notes: tuple[str, ...] = ()
    if not is_whole(data, doc):
        notes = ignored_keys(msgspec.json.decode(data), doc, place)
    return _instance(doc, place, name, notes, roads=roads)


def read_vroom(value: object, place: str, name: str, *, roads: bool = False) -> Instance:
    """Read one parsed document whose `role` is `vroom`.

    Vehicles that are alike become one type, named after the first of them. Jobs keep their ids;
    a shipment from pickup 4 to delivery 5 is called "4-5". Steps become `routes`. Keys that VROOM
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
    return _instance(doc, place, name, ignored_keys(value, doc, place), roads=roads)


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
        depots=fleet.depots,
        vehicles=tuple(_paying(each, matrices) for each in fleet.types),
        matrices=matrices,
        places=tuple(node.spot.row for node in nodes),
        num_shipments=len(doc.shipments or ()),
        listed_amounts=dimensions > 0,
        counts_stops=True,
        **(columns_of_tasks(tasks, place, dimensions, fleet.names) | allowed),
    )
    steps, options = known_routes(fleet.vans, tasks.numbers), doc.options or NO_OPTIONS
    if options.given:
        check_given(doc, steps, place)
    return Instance(
        name=name,
        coords=coords,
        ids=tuple(tasks.ids),
        metric="haversine",
        routes=steps.routes,
        route_vehicles=steps.kinds,
        unknown_in_routes=steps.unknown,
        constraints=constraints,
        origin=Source(tasks.told, fleet.vans, tells_lengths, dimensions > 0, notes, options),
        **constraints.shown(),
    )


def _paying(vehicle: VehicleType, matrices: Mapping[str, NamedMatrices]) -> VehicleType:
    """A vehicle that pays for no time where its profile's matrices tell the costs of legs."""
    own = matrices.get(str(vehicle.matrix))
    return vehicle if own is None or own.costs is None else replace(vehicle, travel_cost=0.0)
