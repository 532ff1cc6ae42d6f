"""What proves that vehicles are too few: loads that all of them together cannot carry.

The solver asks here, too: what it calls infeasible is what its check takes for proved.
"""

import math
from collections.abc import Sequence

from vrpcore.instance.constraints import Float64
from vrpcore.instance.instance import LOAD_TOLERANCE, Instance
from vrpcore.referee.served_units import units_of


def too_few_vehicles(instance: Instance) -> str | None:
    """What proves by loads that not all who are required can be served; None: nothing does.

    In each load dimension, a vehicle leaves for each trip with its deliveries and returns with its
    pickups. What it has on board at first leaves less room in its first trip.
    """
    constraints = instance.own_constraints
    required = [unit.members for unit in units_of(instance) if math.isinf(unit.prize)]
    vehicles = 0.0
    for vehicle in constraints.vehicles:
        vehicles += math.inf if vehicle.count is None else vehicle.count
    if required and vehicles == 0:
        return "there are no vehicles"
    for dimension in range(constraints.delivery.shape[1]):
        most = math.fsum(
            _room(instance, index, dimension) for index in range(len(constraints.vehicles))
        )
        for amounts, what in ((constraints.delivery, "demands"), (constraints.pickup, "pickups")):
            needed = math.fsum(_least(amounts, dimension, members) for members in required)
            if needed > most * (1 + LOAD_TOLERANCE):
                name = f" in dimension {dimension}" if constraints.listed_amounts else ""
                return f"{what} of {needed:g}{name} are required, all vehicles carry {most:g}"
    return None


def _least(amounts: Float64, dimension: int, members: Sequence[Sequence[int]]) -> float:
    """What is needed whichever member is served."""
    return min(
        math.fsum(float(amounts[stop - 1, dimension]) for stop in stops) for stops in members
    )


def _room(instance: Instance, index: int, dimension: int) -> float:
    """What all vehicles of a type carry at most in all their trips."""
    vehicle = instance.own_constraints.vehicles[index]
    capacity = vehicle.capacity[dimension]
    if vehicle.count == 0 or capacity <= 0:
        return 0.0
    trips = 1.0 + vehicle.max_reloads if vehicle.reloads else 1.0
    initial = 0.0 if vehicle.initial_load is None else vehicle.initial_load[dimension]
    room = capacity * trips - initial
    if room <= 0.0:
        return 0.0
    return room * (math.inf if vehicle.count is None else vehicle.count)
