"""Goods on board of vehicles under way, and stops that may still be loaded, in a frozen plan."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from vrpcore.cost.trips import trip_at
from vrpcore.instance.constraints import Constraints, Float64
from vrpcore.instance.instance import LOAD_TOLERANCE, Instance
from vrpcore.instance.plan import Route, Started
from vrpcore.instance.vehicle_types import VehicleType
from vrpcore.replan.under_way import UnderWay


def has_for(instance: Instance, route: Route, started: Started, stop: int) -> bool:
    """Return whether a vehicle has on board what a stop asks for."""
    constraints, name = instance.own_constraints, instance.ids[stop - 1]
    asked = constraints.delivery[stop - 1]
    amounts = [np.array(each.amount) for each in started.loaded if each.id == name]
    if constraints.goods == "any":
        served = set(route.stops[: started.stops])
        done = [stop - 1 for stop in trip_at(route, started.trip) if stop in served]
        amounts = [_alike(constraints, route, started) - constraints.delivery[done].sum(axis=0)]
    return not asked.any() or any((asked <= own * (1 + LOAD_TOLERANCE)).all() for own in amounts)


def _alike(constraints: Constraints, route: Route, started: Started) -> Float64:
    """[L]: all that a trip under way was loaded with, where all goods are alike."""
    initial = constraints.vehicles[route.vehicle].initial_load
    amounts = [each.amount for each in started.loaded]
    amounts += [initial] if initial is not None and started.trip == 0 else []
    found: Float64 = np.sum(amounts, axis=0) + np.zeros(constraints.delivery.shape[1])
    return found


def with_own_goods(
    instance: Instance, constraints: Constraints, known: Sequence[UnderWay], freeze: float
) -> tuple[Constraints, set[int]]:
    """Constraints in which only its vehicle can deliver what is on board; all else is loaded later.

    Args:
        instance: The whole, with a type for each vehicle that has left.
        constraints: Of the instance that is left.
        known: The vehicles that have left.
        freeze: The time.

    Returns:
        And the stops whose delivery is on board of a vehicle that serves nobody any more.
    """
    numbers, delivery = instance.numbers, constraints.delivery
    fixed = {stop for own in known for stop in own.first}
    owners, gone, vehicles = dict[int, int](), set[int](), list(constraints.vehicles)
    for own in known:
        if own.started.is_lost:
            continue
        loaded = {numbers[each.id] for each in own.started.loaded if each.id in numbers}
        mine = {
            stop
            for stop in loaded - owners.keys() - fixed.difference(own.first)
            if stop in own.first or has_for(instance, own.route, own.started, stop)
        }
        if own.started.is_over or own.trip != own.started.trip:
            gone.update(mine.difference(own.stops))
            continue
        owners.update(dict.fromkeys(mine, own.type))
        # What else it has on board stays there until its next reload.
        taken = delivery[[stop - 1 for stop in mine]]
        more = [
            math.fsum(each.amount[row] for each in own.started.loaded) - math.fsum(taken[:, row])
            for row in range(delivery.shape[1])
        ]
        initial = vehicles[own.type].initial_load or (0.0,) * len(more)
        load = tuple(map(math.fsum, zip(initial, more, strict=True)))
        vehicles[own.type] = replace(vehicles[own.type], initial_load=load)
    rows, none = [stop - 1 for stop in owners], np.full(constraints.num_stops, -1)
    on_board = none if constraints.on_board is None else constraints.on_board.copy()
    on_board[rows] = list(owners.values())
    loads: NDArray[np.bool_] = np.any(delivery > 0, axis=1)
    loads[rows] = False
    release = np.where(loads, np.maximum(constraints.release, freeze), constraints.release)
    release[rows] = -math.inf
    found = replace(
        constraints,
        release=release,
        on_board=on_board if (on_board >= 0).any() else constraints.on_board,
        vehicles=tuple(vehicles),
    )
    return found, gone - owners.keys()


def with_any_goods(constraints: Constraints, known: Sequence[UnderWay]) -> Constraints:
    """Constraints in which any stop can get what a vehicle has on board.

    Load dimensions more say that the trip under way delivers no more than it was loaded with: what
    it lacks of all goods is on board until the next reload, and nothing else takes room there. If
    something is collected, further ones say that it has room beside all that was loaded.

    Args:
        constraints: Of the instance that is left.
        known: The vehicles that have left.
    """
    loads = {
        own.type: _alike(constraints, own.route, own.started)
        for own in known
        if not own.started.is_over and own.trip == own.started.trip
    }
    delivery, zero = constraints.delivery, np.zeros(constraints.delivery.shape[1])
    collects = bool(constraints.pickup.any() or constraints.shipment.any())
    most = delivery.sum(axis=0) + np.sum(list(loads.values()), axis=0)
    size, vehicles = len(most) * (2 + collects), list[VehicleType]()
    for number, vehicle in enumerate(constraints.vehicles):
        initial, lacking, full = vehicle.initial_load or zero, zero, zero
        if number in loads:
            initial, lacking, full = zero, most - loads[number], loads[number]
        capacity = np.concatenate((vehicle.capacity, most, vehicle.capacity))
        more = (math.inf,) * (size - len(most))
        breaks = tuple(
            each if each.max_load is None else replace(each, max_load=each.max_load + more)
            for each in vehicle.breaks
        )
        vehicle = replace(
            vehicle,
            capacity=tuple(capacity[:size].tolist()),
            initial_load=tuple(np.concatenate((initial, lacking, full))[:size].tolist()),
            breaks=breaks,
        )
        vehicles.append(vehicle)
    nothing = np.zeros_like(delivery)
    pickup, shipment = constraints.pickup, constraints.shipment
    return replace(
        constraints,
        delivery=np.hstack((delivery, delivery, *[nothing] * collects)),
        pickup=np.hstack((pickup, nothing, *[pickup] * collects)),
        shipment=np.hstack((shipment, nothing, *[shipment] * collects)),
        vehicles=tuple(vehicles),
    )
