"""Instances that a policy covers, reasons why it does not cover others, and its sizes."""

import math

import numpy as np

from vrpcore.instance.attributes import attributes_of
from vrpcore.instance.constraints import Constraints
from vrpcore.instance.instance import Instance
from vrpcore.instance.vehicle_types import VehicleType

MAX_DEPOTS = 16


def trained_sizes(stated: object) -> tuple[int, int]:
    """Reads the least and the greatest number of customers that a policy was trained on.

    Args:
        stated: By its file, whatever that may be.

    Raises:
        ValueError: It is no range.
    """
    try:
        low, high = (int(size) for size in stated)  # type: ignore[attr-defined]
    except (TypeError, OverflowError) as error:
        raise ValueError(str(error)) from None
    if not 1 <= low <= high:
        raise ValueError(f"sizes from {low} to {high}")
    return low, high


def why_not_covered(instance: Instance) -> str | None:
    """Name what an instance asks for that no policy knows; None: nothing.

    Args:
        instance: With constraints.
    """
    constraints = instance.own_constraints
    vehicle = constraints.vehicles[0]
    refusals = {
        "no coordinates": instance.coords is None or instance.distances is not None,
        "matrices of durations": constraints.has_matrices,
        "several load dimensions": constraints.delivery.shape[1] > 1,
        "shipments": constraints.num_shipments > 0,
        "split customers": constraints.split is not None,
        "skills": any(constraints.skills),
        "optional customers": not constraints.required.all(),
        "release times": bool((constraints.release > -math.inf).any()),
        "several windows of a customer": bool((constraints.windows[:, 1:, 0] < math.inf).any()),
        "a largest number of customers": vehicle.max_stops < math.inf,
        "a latest start": any(each.latest_start < math.inf for each in constraints.vehicles),
        "a longest travel time": vehicle.max_travel_time < math.inf,
        "limits of distance and duration": max(vehicle.max_distance, vehicle.max_duration)
        < math.inf,
        "a longest duration together with windows": vehicle.max_duration < math.inf
        and bool(np.isfinite(constraints.windows[:, 0]).any()),
        "more than a vehicle holds": vehicle.capacity[0]
        < max(constraints.delivery.max(initial=0.0), constraints.pickup.max(initial=0.0)),
        "no capacity": vehicle.capacity[0] < 1e-9,
        "costs of time": vehicle.duration_cost > 0 or vehicle.travel_cost > 0,
        "costs of service": any(each.service_cost > 0 for each in constraints.vehicles),
        "given costs of legs": constraints.costs is not None,
        "breaks": any(each.breaks for each in constraints.vehicles),
        "setups": constraints.has_setups,
        "services that differ by vehicle": constraints.service_by_type is not None,
        "several vehicle types": len({_but_depot(each) for each in constraints.vehicles}) > 1,
        "routes without a start": vehicle.start is None,
        "routes that end elsewhere": any(
            each.end not in (each.start, None) or (each.end is None) != (vehicle.end is None)
            for each in constraints.vehicles
        ),
        "several types at a depot": len({each.start for each in constraints.vehicles})
        < len(constraints.vehicles),
        f"more than {MAX_DEPOTS} depots": len(constraints.vehicles) > MAX_DEPOTS,
        **_of_a_working_day(constraints),
    }
    return next((words for words, refused in refusals.items() if refused), None)


def _of_a_working_day(constraints: Constraints) -> dict[str, bool]:
    vehicles = constraints.vehicles
    return {
        "reloads": any(each.reloads for each in vehicles),
        "loads from the start": any(each.initial_load for each in vehicles)
        or constraints.on_board is not None,
        "loading at depots": any(each.service > 0 for each in constraints.depots),
        "lateness": bool(constraints.max_late.any()) or any(each.max_late > 0 for each in vehicles),
        "longest rides or waits": constraints.has_rides,
        "overtime": any(each.max_overtime > 0 for each in vehicles),
        "customers of some vehicles only": constraints.allowed is not None,
        "costs of a vehicle at a customer": constraints.vehicle_cost is not None,
        "alternatives": bool(constraints.groups),
        "relations": bool(constraints.relations),
        "a price of uneven work": constraints.balance is not None,
    }


def _but_depot(vehicle: VehicleType) -> tuple[object, ...]:
    """The fields that all vehicle types must share."""
    return (
        vehicle.start is None,
        vehicle.capacity,
        vehicle.window,
        *(getattr(vehicle, each.name) for each in attributes_of(VehicleType)),
    )
