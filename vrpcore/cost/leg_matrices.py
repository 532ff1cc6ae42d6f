"""Lengths, durations and costs of legs for a vehicle type."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from vrpcore.cost.distance import distance_matrix, path_lengths
from vrpcore.instance.instance import Float64, Instance
from vrpcore.instance.vehicle_types import VehicleType


class Matrices(NamedTuple):
    """Lengths and durations of legs: of all, [M, M] float64, row = from, or of a path."""

    distances: Float64
    durations: Float64


def matrices_of(instance: Instance, vehicle: VehicleType, out: Float64 | None = None) -> Matrices:
    """Lengths and durations of all legs for a vehicle type.

    Args:
        instance: With constraints.
        vehicle: One of its types.
        out: For the lengths; see `distance_matrix`.

    Returns:
        Two arrays, [M, M] float64.
    """
    return _for_vehicle(instance, vehicle, lambda whole: distance_matrix(whole, out), np.s_[:, :])


def legs_of(instance: Instance, vehicle: VehicleType, nodes: Sequence[int]) -> Matrices:
    """Lengths and durations of the legs along a path for a vehicle type.

    Args:
        instance: With constraints.
        vehicle: One of its types.
        nodes: S of them in visiting order.

    Returns:
        Two arrays, [S - 1] float64.
    """
    path = np.asarray(nodes, np.int64)
    return _for_vehicle(
        instance, vehicle, lambda whole: path_lengths(whole, path), (path[:-1], path[1:])
    )


def costs_of(instance: Instance, vehicle: VehicleType, legs: Any = np.s_[:, :]) -> Float64 | None:
    """Given costs of legs for a vehicle type; None: their distances cost.

    Args:
        instance: With constraints.
        vehicle: One of its types.
        legs: Which of them, as an index of matrices.
    """
    constraints = instance.own_constraints
    named = vehicle.matrix is not None
    costs = constraints.matrices[vehicle.matrix or ""].costs if named else constraints.costs
    return None if costs is None else costs[legs]


def _for_vehicle(
    instance: Instance, vehicle: VehicleType, lengths: Callable[[Instance], Float64], legs: Any
) -> Matrices:
    """Lengths and durations of some legs, which are `legs` in matrices."""
    constraints = instance.own_constraints
    distances, durations = None, constraints.durations
    if vehicle.matrix is not None:
        distances, durations, _ = constraints.matrices[vehicle.matrix]
    between = lengths(instance) if distances is None else distances[legs]
    times = _divided(between, constraints.speed) if durations is None else durations[legs]
    return Matrices(between, _divided(times, vehicle.speed))


def _divided(values: Float64, speed: float) -> Float64:
    """Values / speed; no copy of a large matrix where that changes nothing."""
    return values if speed == 1.0 else values / speed
