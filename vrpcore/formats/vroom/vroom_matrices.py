"""The matrices of VROOM's documents, from locations to depots and stops."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import cast

import numpy as np

from vrpcore.errors import describe, fault, show
from vrpcore.formats.json.assembly import MAX_LATITUDE, MAX_LONGITUDE, check_degrees
from vrpcore.formats.json.explain import plain_name
from vrpcore.formats.json.json_matrices import KEYS, Rows, check_lengths, read_square
from vrpcore.formats.json.jsonparse import MAX_VALUES
from vrpcore.formats.vroom.vroom_documents import MAX_COUNT, Node, VroomProfile
from vrpcore.instance.constraints import NamedMatrices
from vrpcore.instance.instance import MAX_STOPS, Float64
from vrpcore.instance.vehicle_types import VehicleType

_MOST_NAMED = 8
# What routing engines' callers write in matrices where there is no road.
_NO_ROADS = (2**31 - 1, 2**32 - 1)
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
    given: Mapping[str, VroomProfile],
    place: str,
    types: Sequence[VehicleType],
    nodes: Sequence[Node],
    *,
    roads: bool = False,
) -> tuple[dict[str, NamedMatrices], bool]:
    """The matrices of all profiles that vehicles have.

    Args:
        given: The document's, by profile.
        place: Where they were found; begins each message.
        types: Name the profiles.
        nodes: M of them, depots first.
        roads: `vrpcore.roads` will give the matrices of profiles that the document has none for.

    Returns:
        The document's matrices by profile, [M, M] float64, and whether all profiles tell
        lengths. Where they do not, lengths are the durations, which then cost nothing.

    Raises:
        InstanceError: There are none for a profile (code UNKNOWN), nor a location where roads
            will give them (MISSING), they do not have a location (OUT_OF_RANGE), their costs
            come with others (CONFLICT), or they are too large for so many stops
            (TOO_LARGE).
    """
    profiles: dict[str, VroomProfile] = {}
    asked = set[str]()
    for vehicle in types:
        profile = str(vehicle.matrix)
        if profile in given:
            profiles[profile] = given[profile]
            _check_costs(given[profile], vehicle, place)
        elif roads:
            asked.add(profile)
        else:
            message = f"none for {describe(profile)}, the profile of vehicle {vehicle.id}"
            raise fault(place, f"{message}; {_advice(given)}", "UNKNOWN")
    for profile in sorted(asked):
        _check_points(nodes, profile)
    own = [getattr(each, key) for each in profiles.values() for key in KEYS]
    number = sum(each is not None for each in own) + len(asked) * _BY_ROAD
    if number * len(nodes) ** 2 > MAX_VALUES:
        message = f"{number} matrices for {len(nodes)} starts, ends and tasks are too large"
        raise fault(place, f"{message}; split the problem", "TOO_LARGE")
    return {
        profile: _expanded(each, f"{place}.{plain_name(profile)}", nodes)
        for profile, each in profiles.items()
    }, all(each.distances is not None for each in profiles.values())


def _advice(given: Collection[str]) -> str:
    """Advise where a profile has no matrices, and others perhaps have."""
    if not given:
        return _ADVICE
    names = ", ".join(describe(name) for name in list(given)[:_MOST_NAMED])
    return f"there are some for {names}: call the profile of the vehicle, or of the matrices, alike"


def _check_points(nodes: Sequence[Node], profile: str) -> None:
    """Roads are asked for by coordinates."""
    for spot, place in nodes:
        if spot.point is None:
            message = "has no location, from which roads could be asked for; there are no matrices "
            raise fault(place, f"{message}for {describe(profile)} either", "MISSING")


def _check_costs(own: VroomProfile, vehicle: VehicleType, place: str) -> None:
    """Raises where lengths that cost or are limited are missing, or costs come with others."""
    profile = f"profile {describe(vehicle.matrix)}"
    limited = vehicle.max_distance < math.inf
    if own.distances is None and (limited or vehicle.distance_cost):
        key = "max_distance" if limited else "costs.per_km"
        message = f"vehicle {vehicle.id} has '{key}', which needs distances for its {profile}"
        raise fault(place, message, "UNKNOWN")
    if own.costs is not None and (vehicle.distance_cost or vehicle.travel_cost != 1):
        message = f"vehicle {vehicle.id} has 'per_hour' or 'per_km', but {profile} has costs"
        raise fault(place, f"{message}; give one or the other", "CONFLICT")


def _expanded(own: VroomProfile, place: str, nodes: Sequence[Node]) -> NamedMatrices:
    """Of each node the rows and columns of its location."""
    size = len(own.durations)
    if size > MAX_STOPS + 1:
        message = f"{size} rows, the limit is {MAX_STOPS + 1}"
        raise fault(f"{place}.durations", message, "TOO_LARGE")
    places = _rows(nodes, size)

    def taken(key: str) -> Float64 | None:
        if (rows := getattr(own, key)) is None:
            return None
        if len(rows) != size:
            message = f"{len(rows)} rows, but {size} of durations"
            raise fault(f"{place}.{key}", message, "SHAPE")
        found: Float64 = whole_matrix(rows, f"{place}.{key}")[np.ix_(places, places)]
        np.fill_diagonal(found, 0.0)  # from a stop to itself; others may share its location
        return found

    durations = cast(Float64, taken("durations"))
    distances = taken("distances")
    return NamedMatrices(durations if distances is None else distances, durations, taken("costs"))


def whole_matrix(rows: Rows, place: str) -> Float64:
    """A square matrix of whole numbers; legs within one location are its diagonal.

    Null, and the largest numbers of 31 and 32 bits, mean that there is no road; on the diagonal
    they mean 0.

    Returns:
        [L, L] float64 for L locations, infinite where there is no road.
    """
    matrix = read_square(rows, place, len(rows), "a row and a column for each location")
    wrong = (matrix != np.floor(matrix)) | ((matrix > MAX_COUNT) & (matrix < np.inf))
    for row, column in np.argwhere(wrong)[:1].tolist():
        message = f"{show(float(matrix[row, column]))}, expected a whole number below 2^53"
        raise fault(f"{place}[{row}][{column}]", message, "WRONG_TYPE")
    matrix[(matrix == _NO_ROADS[0]) | (matrix == _NO_ROADS[1])] = np.inf
    within = matrix.diagonal().copy()
    check_lengths(matrix, lambda row, column: f"{place}[{row}][{column}]")
    np.fill_diagonal(matrix, np.where(np.isinf(within), 0.0, within))
    return matrix


def _rows(nodes: Sequence[Node], size: int) -> list[int]:
    """Row of each node in a profile's matrices."""
    rows = []
    for spot, place in nodes:
        if spot.row is None:
            message = "has no location_index, which matrices need"
            raise fault(place, message, "MISSING")
        if spot.row >= size:
            message = f"location_index {spot.row}, but the matrices have {size} rows"
            raise fault(place, message, "OUT_OF_RANGE")
        rows.append(spot.row)
    return rows
