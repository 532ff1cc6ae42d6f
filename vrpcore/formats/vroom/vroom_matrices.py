"""The matrices of VROOM's documents, from locations to depots and stops."""

import math
from collections.abc import Collection, Sequence

import numpy as np

from vrpcore.errors import describe, fault
from vrpcore.formats.json.jsonparse import MAX_VALUES
from vrpcore.formats.json.key_schema import (
    MAX_LATITUDE,
    MAX_LONGITUDE,
    Fields,
    check_degrees,
    check_mapping,
)
from vrpcore.formats.json.keys import plain_name
from vrpcore.formats.vroom.vroom_keys import MATRICES, Node
from vrpcore.instance.constraints import NamedMatrices
from vrpcore.instance.instance import Float64
from vrpcore.instance.vehicle_types import VehicleType

_MOST_NAMED = 8
_BY_ROAD = 2  # matrices of a profile: durations and distances
_ADVICE = (
    "ask a routing engine with vrp solve --matrix or vrp serve --matrix, e.g. --matrix "
    "osrm=http://localhost:5000, or give locations a location_index, and the problem "
    '"matrices": {"car": {"durations": [[0, 60], [60, 0]]}}'
)


def node_coords(nodes: Sequence[Node], *, needed: bool) -> Float64 | None:
    """Longitudes and latitudes, [M, 2] float64; None where some node has none.

    Args:
        nodes: Depots and stops.
        needed: Roads are asked for. Otherwise locations may be anything, as for VROOM; there are
            no coordinates where they are no longitudes and latitudes.

    Raises:
        InstanceError: One that is needed is out of range (code OUT_OF_RANGE).
    """
    points = [node.spot.point for node in nodes]
    if not points or None in points:
        return None
    coords = np.array(points, np.float64)
    if not needed and bool((np.abs(coords) > (MAX_LONGITUDE, MAX_LATITUDE)).any()):
        return None
    check_degrees(coords, lambda node: f"{nodes[node].place}.location")
    return coords


def read_matrices(
    found: Fields,
    place: str,
    types: Sequence[VehicleType],
    nodes: Sequence[Node],
    *,
    roads: bool = False,
) -> tuple[dict[str, NamedMatrices], bool]:
    """The matrices of all profiles that vehicles have.

    Args:
        found: The document's keys.
        place: Begins each message.
        types: Name the profiles.
        nodes: M of them, depots first.
        roads: `vrpcore.roads` will give the matrices of profiles that the document has none for.

    Returns:
        The document's matrices by profile, [M, M] float64, and whether all profiles tell
        lengths. Where they do not, lengths are the durations, which then cost nothing.

    Raises:
        InstanceError: There are none for a profile (code NO_MATRIX), nor a location where roads
            will give them (MISSING_KEY), they do not have a location (OUT_OF_RANGE), their costs
            come with others (CONFLICTING_KEYS), or they are too large for so many stops
            (TOO_LARGE).
    """
    where = f"{place}.matrices"
    given = check_mapping(found.raw("matrices"), where) if "matrices" in found else {}
    profiles: dict[str, Fields] = {}
    asked = set[str]()
    for vehicle in types:
        profile = str(vehicle.matrix)
        if profile not in given:
            if not roads:
                message = f"none for {describe(profile)}, the profile of vehicle {vehicle.id}"
                raise fault(where, f"{message}; {_advice(given)}", "NO_MATRIX")
            asked.add(profile)
            continue
        if profile not in profiles:
            profiles[profile] = _fields(given[profile], profile, where)
        _check_costs(profiles[profile], vehicle, where)
    lengths = all("distances" in fields for fields in profiles.values())
    for profile in sorted(asked):
        _check_points(nodes, profile)
    number = sum(key in fields for fields in profiles.values() for key in MATRICES)
    number += len(asked) * _BY_ROAD
    if number * len(nodes) ** 2 > MAX_VALUES:
        message = f"{number} matrices for {len(nodes)} starts, ends and tasks are too large"
        raise fault(where, f"{message}; split the problem", "TOO_LARGE")
    return {
        profile: _expanded(fields, f"{where}.{plain_name(profile)}", nodes)
        for profile, fields in profiles.items()
    }, lengths


def _advice(given: Collection[str]) -> str:
    """What to do where a profile has no matrices, and others perhaps have."""
    if not given:
        return _ADVICE
    names = ", ".join(describe(name) for name in list(given)[:_MOST_NAMED])
    return f"there are some for {names}: call the profile of the vehicle, or of the matrices, alike"


def _check_points(nodes: Sequence[Node], profile: str) -> None:
    """Roads are asked for by coordinates."""
    for spot, place in nodes:
        if spot.point is None:
            message = "has no location, from which roads could be asked for; there are no matrices "
            raise fault(place, f"{message}for {describe(profile)} either", "MISSING_KEY")


def _fields(value: object, profile: str, place: str) -> Fields:
    return Fields(value, f"{place}.{plain_name(profile)}", MATRICES)


def _check_costs(fields: Fields, vehicle: VehicleType, place: str) -> None:
    """Raises where lengths that cost or are limited are missing, or costs come with others."""
    profile = f"profile {describe(vehicle.matrix)}"
    limited = vehicle.max_distance < math.inf
    if "distances" not in fields and (limited or vehicle.distance_cost):
        key = "max_distance" if limited else "costs.per_km"
        message = f"vehicle {vehicle.id} has '{key}', which needs distances for its {profile}"
        raise fault(place, message, "NO_MATRIX")
    if "costs" in fields and (vehicle.distance_cost or vehicle.travel_cost != 1):
        message = f"vehicle {vehicle.id} has 'per_hour' or 'per_km', but {profile} has costs"
        raise fault(place, f"{message}; give one or the other", "CONFLICTING_KEYS")


def _expanded(fields: Fields, place: str, nodes: Sequence[Node]) -> NamedMatrices:
    """Of each node the rows and columns of its location."""
    durations = fields["durations"]
    rows = _rows(nodes, len(durations))
    others: dict[str, Float64 | None] = {"distances": None, "costs": None}
    for key in others:
        if (matrix := fields.get(key)) is None:
            continue
        if len(matrix) != len(durations):
            message = f"{len(matrix)} rows, but {len(durations)} of durations"
            raise fault(f"{place}.{key}", message, "SHAPE")
        others[key] = _taken(matrix, rows)
    times, lengths = _taken(durations, rows), others["distances"]
    return NamedMatrices(times if lengths is None else lengths, times, others["costs"])


def _rows(nodes: Sequence[Node], size: int) -> list[int]:
    """Row of each node in a profile's matrices."""
    rows = []
    for spot, place in nodes:
        if spot.row is None:
            message = "has no location_index, which matrices need"
            raise fault(place, message, "MISSING_KEY")
        if spot.row >= size:
            message = f"location_index {spot.row}, but the matrices have {size} rows"
            raise fault(place, message, "OUT_OF_RANGE")
        rows.append(spot.row)
    return rows


def _taken(matrix: Float64, rows: list[int]) -> Float64:
    taken: Float64 = matrix[np.ix_(rows, rows)]
    np.fill_diagonal(taken, 0.0)  # from a stop to itself; others may share its location
    return taken
