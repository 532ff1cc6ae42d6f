"""What an instance may ask for that PyVRP's dialect of `.vrp` has no place for."""

from collections.abc import Iterator

import numpy as np

from vrpcore.errors import InstanceError, fault
from vrpcore.formats.text.pyvrp_fleet import FLEET_NUMBERS
from vrpcore.instance.attributes import attributes_of
from vrpcore.instance.constraints import Constraints
from vrpcore.instance.instance import Instance
from vrpcore.instance.vehicle_types import Depot, VehicleType

_OF_STOPS = ("service", "release", "prize")


def not_writable(instance: Instance, what: str) -> InstanceError:
    """The error of something that the dialect cannot say."""
    return fault(
        f"{instance.name}", f"{what}, which a .vrp cannot say; write .json", "NOT_WRITABLE"
    )


def check_sayable(instance: Instance) -> None:
    """Refuses the first thing that the dialect cannot say, whatever the numbers are.

    Args:
        instance: With constraints.

    Raises:
        InstanceError: There is one (code NOT_WRITABLE).
    """
    constraints = instance.own_constraints
    for found in (_of_legs, _of_fleet, _of_stops, _of_pairs, _of_groups):
        for what in found(instance, constraints):
            raise not_writable(instance, what)


def _of_legs(instance: Instance, constraints: Constraints) -> Iterator[str]:
    durations = constraints.durations
    if durations is not None and (
        instance.distances is None or not np.array_equal(durations, instance.distances)
    ):
        yield "durations other than the distances"
    if constraints.speed != 1:
        yield "a speed"
    if constraints.costs is not None:
        yield "costs of legs"
    if constraints.matrices:
        yield "matrices of vehicle types"


def _of_fleet(_instance: Instance, constraints: Constraints) -> Iterator[str]:
    for depot in constraints.depots:
        for each in attributes_of(Depot):
            if getattr(depot, each.name) != each.default:
                yield f"{each.key} of depot {depot.id}"
    for vehicle in constraints.vehicles:
        of_type = f"of vehicle type {vehicle.id}"
        for each in attributes_of(VehicleType):
            said = each.name in FLEET_NUMBERS.values()
            if not said and getattr(vehicle, each.name) != each.default:
                yield f"{each.key} {of_type}"
        if vehicle.start is None or vehicle.end != vehicle.start:
            yield f"an end {of_type} that is not its start"
        if vehicle.breaks:
            yield f"breaks {of_type}"
        if vehicle.initial_load is not None:
            yield f"initial_load {of_type}"
    if all(vehicle.count == 0 for vehicle in constraints.vehicles):
        yield "a fleet without a vehicle"


def _of_stops(_instance: Instance, constraints: Constraints) -> Iterator[str]:
    for each in attributes_of(Constraints):
        column = getattr(constraints, each.name)
        if each.name not in _OF_STOPS and column is not None and (column != each.default).any():
            yield f"{each.key} of stops"
        if each.by_vehicle and getattr(constraints, f"{each.name}_by_type") is not None:
            yield f"{each.key}_by_vehicle of stops"
    if constraints.vehicle_cost is not None:
        yield "vehicle_cost of stops"
    if (constraints.windows[:, 1:, 0] < np.inf).any():
        yield "several windows of a stop"
    if (constraints.prize == 0).any():
        yield "a prize of 0 (in that format, it means a required client)"
    if constraints.backhauls == "last" and constraints.pickup_only_routes:
        yield "backhauls that are last, and routes of only pickups"
    if constraints.backhauls == "mixed" and not constraints.pickup_only_routes:
        yield "mixed backhauls, but no routes of only pickups"


def _of_pairs(_instance: Instance, constraints: Constraints) -> Iterator[str]:
    if constraints.on_board is not None:
        yield "shipments that are on board"
    if not constraints.num_shipments:
        return
    if constraints.counts_stops:
        yield "shipments of VROOM's, which count twice where not all can be served"
    if constraints.num_stops > 2 * constraints.num_shipments:
        yield "customers together with shipments"
    if constraints.delivery.shape[1] > 1:
        yield "shipments in several load dimensions"
    if np.isfinite(constraints.prize).any() or np.isfinite(constraints.release).any():
        yield "a prize or a release of a shipment"
    if constraints.groups:
        yield "groups of shipments"


def _of_groups(_instance: Instance, constraints: Constraints) -> Iterator[str]:
    for group in constraints.groups:
        if np.isfinite(group.prize) or group.priority:
            yield f"a prize or a priority of group {group.id}"
    if constraints.relations:
        yield "relations"
    if constraints.balance is not None:
        yield "balance"
