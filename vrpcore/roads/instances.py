"""Instances that get the matrices which they lack."""

from dataclasses import replace

import numpy as np

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.instance.constraints import NamedMatrices
from vrpcore.instance.instance import (
    MAX_STOPS,
    Instance,
    InvalidInstance,
    where_roads_are_missing,
)
from vrpcore.roads.road_matrices import Report, Roads
from vrpcore.roads.services import RoadMatrices

Item = Instance | InvalidInstance


def with_matrices(item: Item, roads: Roads, report: Report | None = None) -> Item:
    """An instance with all matrices that its vehicles need.

    What the instance gives stays: its own `distances` and `durations`, and those of `matrices`.
    Vehicle types that name other matrices get those of the profile so named; the others get
    the options' profile. A spreadsheet has units of its own, in which its instance gets them.
    A problem of VROOM's counts whole seconds and metres, rounded as VROOM does; its profile
    `car` stands for the options' profile, if they have one.

    Args:
        item: An instance; an invalid one is returned as it is.
        roads: Where matrices come from.
        report: Called after each request how many are done for one profile, and of how many.

    Returns:
        The instance, or an invalid one in its place if the service refuses its locations. Matrices
        are infinite where there is no road.

    Raises:
        RoadsError: The service cannot be reached, or answers something else.
    """
    if isinstance(item, InvalidInstance) or not (wanted := lacking(item)):
        return item
    try:
        return _filled(item, wanted, roads, report)
    except InstanceError as error:
        return item.refused(error)


def lacking(instance: Instance) -> list[str | None]:
    """The matrices that an instance needs and does not give, by name; None: its own."""
    constraints = instance.constraints
    if constraints is None:
        return [] if instance.distances is not None else [None]
    named = dict.fromkeys(vehicle.matrix for vehicle in constraints.vehicles)
    given = set[str | None](constraints.matrices)
    if instance.distances is not None or constraints.durations is not None:
        given.add(None)
    return [name for name in named if name not in given]


def _filled(
    instance: Instance, wanted: list[str | None], roads: Roads, report: Report | None
) -> Instance:
    if instance.coords is None:
        message = "no coordinates; roads need the longitude and latitude of every location"
        raise InstanceError(message, code="MISSING")
    if instance.num_customers > MAX_STOPS:
        message = f"{instance.num_customers} customers, the limit with matrices is {MAX_STOPS}"
        raise InstanceError(message, code="TOO_LARGE")
    names, roads = names_of(instance), _measured(instance, roads)
    found = {
        name: roads.matrices(instance.coords, profile_of(instance, name, roads), names, report)
        for name in wanted
    }
    if instance.origin.has_whole_roads:
        # To whole numbers, halves up, as VROOM rounds.
        found = {
            name: RoadMatrices(*(np.floor(matrix + 0.5) for matrix in each))
            for name, each in found.items()
        }
    constraints = instance.constraints
    own = found.pop(None, None)
    distances = own.distances if own else instance.distances
    if constraints is not None:
        named = {
            name: NamedMatrices(each.distances, each.durations)
            for name, each in found.items()
            if name is not None
        }
        constraints = replace(
            constraints,
            durations=own.durations if own else constraints.durations,
            matrices={**constraints.matrices, **named},
        )
    metric = "haversine" if own else instance.metric
    filled = replace(instance, metric=metric, distances=distances, constraints=constraints)
    return where_roads_are_missing(filled)


def profile_of(instance: Instance, name: str | None, roads: Roads) -> str | None:
    """The profile for roads; None: the options' profile."""
    unnamed = instance.origin.unnamed_profile
    return None if name == unnamed and roads.options.matrix_profile is not None else name


def _measured(instance: Instance, roads: Roads) -> Roads:
    """Roads in the units of the instance: the options' or those of its document."""
    origin = instance.origin
    origin.check_places()
    if origin.road_units is None:
        return roads
    asked = (roads.options.matrix_time, roads.options.matrix_distance)
    for flag, given, unit in zip(("time", "distance"), asked, origin.road_units, strict=True):
        if given not in (None, unit):
            message = f"--matrix-{flag} {given}, but {origin.words} has {unit}; leave it out"
            raise fault(origin.label or instance.name, message, "CONFLICT")
    return roads.measured(origin.road_units[0], "m")


def names_of(instance: Instance) -> list[str]:
    """Names of the depots and stops in messages."""
    own = instance.origin.place_names(instance)
    if own is not None:
        return own
    constraints = instance.constraints
    depots = ["the depot"]
    if constraints is not None and constraints.num_depots > 1:
        depots = [f"depot {describe(depot.id)}" for depot in constraints.depots]
    return depots + [f"stop {describe(identifier)}" for identifier in instance.ids]
