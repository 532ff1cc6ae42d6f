"""Detect likely mistakes in coordinates: outliers, swapped degrees, (0, 0), degrees in a plane."""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vrpcore.cost.distance import as_points, lengths
from vrpcore.instance.instance import Float64, Instance, Metric

_FACTOR = 10.0
_LEAST_REST = 4  # locations that say how far apart locations are
_LEAST_METRES = 100_000.0
_LEAST_DEGREES = 0.6  # across; less is no `_LEAST_METRES` anywhere
_MAX_LATITUDE = 90.0
_ZERO_FACTOR = 2.0  # times the median of the others: a location of 0 and 0 was hardly meant
# Degrees in place of a plane's coordinates: a map that is that many times farther from the origin
# than it is wide, and such a speed, which covers the map at once.
_ORIGIN_FACTOR, _LEAST_SPEED = 2.0, 2.0
_MAX_LONGITUDE = 180.0
_MOST = 5  # locations in words; the others are counted


def far_nodes(coords: Float64, metric: Metric) -> list[int]:
    """The locations more than ten times farther from the middle than all the rest, far last.

    The rest is more than half of all, and at least four. In degrees, locations at 0 and 0 are far
    already at twice the distance of the others, and come last: nobody found a place for them.

    Args:
        coords: [M, 2] of depots and stops.
        metric: How they become lengths; with degrees, far is also at least 100 km.
    """
    zero = _at_zero(coords, metric)
    if zero and _is_apart(coords, zero):
        rest = np.setdiff1d(np.arange(len(coords)), zero)
        return [int(rest[each]) for each in far_nodes(coords[rest], metric)] + zero
    if len(coords) <= _LEAST_REST:
        return []
    away = _from_middle(coords, metric)
    order = np.argsort(away, kind="stable")
    ordered = away[order]
    first = max(_LEAST_REST, len(coords) // 2 + 1)
    before, after = ordered[first - 1 : -1], ordered[first:]
    gaps = (after > _FACTOR * before) & (before > 0)
    if metric == "haversine":
        gaps = (after > _FACTOR * before) & (after > _LEAST_METRES)
    return order[first + int(np.argmax(gaps)) :].tolist() if gaps.any() else []


def _at_zero(coords: Float64, metric: Metric) -> list[int]:
    """Locations in degrees at 0 and 0, unless they are half of all."""
    found = np.flatnonzero((coords == 0).all(axis=1)).tolist() if metric == "haversine" else []
    return found if 2 * len(found) < len(coords) else []


def _is_apart(coords: Float64, nodes: list[int]) -> bool:
    """Return whether locations are 100 km off the others' middle, and twice their distance."""
    rest = np.delete(coords, nodes, axis=0)
    middle = as_points(np.median(rest, axis=0)[None])[0]
    away = float(lengths(as_points(coords[nodes]), middle, "haversine").min())
    spread = np.sort(lengths(as_points(rest), middle, "haversine"))[len(rest) // 2]
    return away > max(_LEAST_METRES, _ZERO_FACTOR * float(spread))


def doubtful_places(instance: Instance) -> list[str]:
    """Places of an instance that are hardly meant, in words, with what to do.

    Looked at are those in degrees, those that people typed, and those of a plane with a speed.

    Args:
        instance: Any.
    """
    coords = instance.coords
    degrees = instance.metric == "haversine"
    if coords is not None and _are_degrees_of_a_plane(instance, coords):
        (west, south), (east, north) = coords.min(axis=0).tolist(), coords.max(axis=0).tolist()
        message = f"coordinates from ({west:.6g}, {south:.6g}) to ({east:.6g}, {north:.6g})"
        return [
            f"{message} look like longitudes and latitudes, but lengths are those of a plane; "
            'write "metric": "haversine", with a speed in metres per unit of time'
        ]
    if coords is None or not (degrees or instance.origin.is_typed):
        return []
    if degrees and np.ptp(coords, axis=0).max(initial=0.0) < _LEAST_DEGREES:
        return []
    found = list(_doubts(instance, coords) if degrees else _far(instance, coords, []))
    more = len(found) - _MOST
    rest = f"and {more} more location{'s' if more > 1 else ''}"
    return [*found[:_MOST], rest] if more > 0 else found


def _are_degrees_of_a_plane(instance: Instance, coords: Float64) -> bool:
    """Return whether coordinates of a plane look like degrees of a region that a speed shrinks."""
    constraints = instance.constraints
    if instance.metric == "haversine" or instance.distances is not None or constraints is None:
        return False
    by_road = constraints.durations is not None or constraints.matrices
    if by_road or constraints.speed < _LEAST_SPEED:
        return False
    low, high = coords.min(axis=0), coords.max(axis=0)
    if (np.maximum(-low, high) > (_MAX_LONGITUDE, _MAX_LATITUDE)).any():
        return False
    whole = np.count_nonzero(coords == coords.round())
    middle, span = np.hypot(*(low + high)) / 2, np.hypot(*(high - low))
    return bool(2 * whole < coords.size and middle > _ORIGIN_FACTOR * span)


def _doubts(instance: Instance, coords: Float64) -> Iterator[str]:
    """Of locations in degrees."""
    zero = np.flatnonzero((coords == 0).all(axis=1)).tolist()
    if 2 * len(zero) >= len(coords):
        zero = []
    named = partial(instance.origin.node_in_words, instance)
    for node in zero:
        yield f"{named(node)} is at latitude 0 and longitude 0; give its location"
    exchanged, others = _exchanged(instance, coords, zero)
    stops = len(exchanged) + others
    if exchanged and 2 * len(exchanged) > stops:
        who = "the stop is" if stops == 1 else f"{len(exchanged)} of {stops} stops are"
        if 1 < len(exchanged) == stops:
            who = f"all {stops} stops are"
        message = f"{who} near a depot where latitude and longitude are exchanged, else far from it"
        yield f"{message}; check lat and lon (x is the longitude) of the stops and of the depot"
        return
    for node in exchanged:
        message = "is near a depot where its latitude and longitude are exchanged, else far from it"
        yield f"{named(node)} {message}; exchange them"
    yield from _far(instance, coords, [*zero, *exchanged])


def _far(instance: Instance, coords: Float64, known: list[int]) -> Iterator[str]:
    """Of locations far from all others, but for known ones."""
    far = far_nodes(coords, instance.metric)
    if not far:
        return
    away = _from_middle(coords, instance.metric)
    rest = float(np.delete(away, far).max())
    for node in far:
        if node not in known:
            message = f"is {_words(instance, float(away[node]))} from the middle of all locations"
            others = f"the others are within {_words(instance, rest)}"
            name = instance.origin.node_in_words(instance, node)
            yield f"{name} {message}, {others}; check its location"


def _words(instance: Instance, length: float) -> str:
    return f"{length / 1000:.0f} km" if instance.metric == "haversine" else f"{length:.4g}"


def _from_middle(coords: Float64, metric: Metric) -> Float64:
    return lengths(as_points(coords), as_points(np.median(coords, axis=0)[None])[0], metric)


def _exchanged(instance: Instance, coords: Float64, known: Sequence[int]) -> tuple[list[int], int]:
    """Stops that are far from all depots, and near one if latitude and longitude are exchanged.

    Unless they are most, the others are near.

    Args:
        instance: Of the locations.
        coords: [M, 2] of them, in degrees.
        known: Nodes to leave out.

    Returns:
        Their nodes, and how many others there are.
    """
    depots = instance.num_depots
    nodes = np.setdiff1d(np.arange(depots, len(coords)), known)
    points, other = as_points(coords[nodes]), as_points(coords[nodes, ::-1])
    possible = np.abs(other.imag) <= _MAX_LATITUDE
    here, there = (_nearest(each, as_points(coords[:depots])) for each in (points, other))
    wrong = possible & (here > _LEAST_METRES) & (here > _FACTOR * there)
    if 2 * np.count_nonzero(wrong) <= len(nodes) and not wrong.all():
        wrong &= here > _FACTOR * np.median(here[~wrong])
    return nodes[wrong].tolist(), int(np.count_nonzero(~wrong))


def _nearest(points: NDArray[np.complex128], depots: NDArray[np.complex128]) -> Float64:
    """Metres from each point to the nearest depot."""
    found = np.full(len(points), np.inf)
    for depot in depots:
        found = np.minimum(found, lengths(points, depot, "haversine"))
    return found
