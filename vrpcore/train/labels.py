"""Sets of instances with known good routes, held as arrays."""

import zipfile
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vrpcore.arrays.batch import EXACT, whole_demands
from vrpcore.cost.routes import largest_load, routes_to_tour, visits_once
from vrpcore.errors import InstanceError, OutputError
from vrpcore.formats.archive import archive_names
from vrpcore.formats.jsonio import read_instances
from vrpcore.formats.validate import check_routes
from vrpcore.instance.instance import Instance, InvalidInstance

_MAX_BYTES = 8 * 2**30
_KINDS = {
    "coords": "f", "demand": "iuf", "capacity": "iu", "num_customers": "iu", "tour": "iu",
    "cost": "iuf",
}  # fmt: skip
_WORDS = {"f": "floats", "iu": "integers", "iuf": "numbers"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Labels:
    """n instances, padded to the largest.

    Attributes:
        name: Where they come from.
        coords: [n, M, 2] float, depot first.
        demand: [n, M] integers, depot and padding 0.
        capacity: [n] integers.
        size: [n] int64, customers of each, ascending where they differ.
        tour: [n, T] integers, 0 between routes and as padding; T = 0 without routes.
        cost: [n] float64 of those routes, NaN where unknown.
    """

    name: str
    coords: NDArray[np.floating[Any]]
    demand: NDArray[np.integer[Any]]
    capacity: NDArray[np.integer[Any]]
    size: NDArray[np.int64]
    tour: NDArray[np.integer[Any]]
    cost: NDArray[np.float64]

    def __len__(self) -> int:
        """N."""
        return len(self.coords)

    @property
    def ragged(self) -> bool:
        """True where sizes differ."""
        return bool(self.size.min() != self.size.max())

    def take(self, rows: NDArray[np.integer[Any]]) -> "Labels":
        """The chosen rows."""
        arrays = {
            item.name: getattr(self, item.name)[rows]
            for item in fields(self)
            if item.name != "name"
        }
        return Labels(name=self.name, **arrays)


def read_labels(file: str, needs_routes: bool) -> Labels:
    """Reads a labelled `.npz`, or instances as JSON, JSON Lines or CVRPLIB.

    `needs_routes` refuses a set without routes.

    Raises:
        InstanceError: The file is not what it should be; names what is missing.
        OutputError: It cannot be read.
    """
    labels = _read_npz(file) if zipfile.is_zipfile(file) else _from_instances(file)
    if needs_routes and not labels.tour.shape[1]:
        raise InstanceError(
            f"{file}: has no routes to imitate; make some with vrp generate --label-seconds"
        )
    return labels.take(np.argsort(labels.size, kind="stable"))


def shuffle_routes(
    tour: NDArray[np.integer[Any]], count: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Writes the same routes in other orders and directions.

    A set of routes is the same solution in every order, each route in both directions;
    an imitator should not learn one of these writings.

    Args:
        tour: [B, T] integers, 0 between routes and as padding.
        count: K writings of each.
        rng: Source of all randomness.

    Returns:
        [B, K, T + 1] int64 (a closing depot visit is added), cut to the longest.
    """
    batch_size, length = tour.shape[0], tour.shape[1] + 1
    closed = np.zeros((batch_size, length), np.int64)
    closed[:, :-1] = tour
    separator = closed == 0
    route = np.cumsum(separator, axis=1) - separator  # a separator ends its own route
    place = np.arange(length)
    in_use = place < _used_length(closed)[:, None]
    num_routes = np.where(in_use, route, -1).max(axis=1, initial=-1) + 1
    draw = rng.random((batch_size, count, length))
    draw[np.broadcast_to(place >= num_routes[:, None, None], draw.shape)] = 2.0  # padding stays
    rank = np.argsort(np.argsort(draw, axis=2, kind="stable"), axis=2)
    direction = rng.choice((-1, 1), (batch_size, count, length))
    routes = np.broadcast_to(route[:, None, :], draw.shape)
    major = np.take_along_axis(rank, routes, axis=2)
    minor = np.take_along_axis(direction, routes, axis=2) * place
    minor = np.where(separator[:, None, :], length, minor)
    order = np.argsort(major * (4 * length) + minor, axis=2, kind="stable")
    shuffled = np.take_along_axis(np.broadcast_to(closed[:, None, :], draw.shape), order, axis=2)
    return np.ascontiguousarray(shuffled[:, :, : int(_used_length(closed).max())])


def _used_length(closed: NDArray[np.int64]) -> NDArray[np.int64]:
    """[B] int64: places up to and including the depot visit after the last customer."""
    length = closed.shape[1]
    last = length - 1 - np.argmax(closed[:, ::-1] != 0, axis=1)
    used: NDArray[np.int64] = np.minimum(last + 2, length)
    return used


def _read_npz(file: str) -> Labels:
    found = _npz_arrays(file)
    for name in ("coords", "demand", "capacity"):
        if name not in found:
            raise InstanceError(f"{file}: lacks {name}; expected coords, demand, capacity")
    if found["coords"].ndim != 3:
        raise InstanceError(f"{file}: coords: shape {found['coords'].shape}, expected [B, N+1, 2]")
    count, num_nodes = found["coords"].shape[:2]
    if found["capacity"].shape not in ((), (1,), (count,)):
        shape = found["capacity"].shape
        raise InstanceError(f"{file}: capacity: shape {shape}, expected one number or ({count},)")
    labels = Labels(
        name=Path(file).stem,
        coords=found["coords"],
        demand=found["demand"],
        capacity=np.broadcast_to(found["capacity"], count).astype(np.int64),
        size=found.get("num_customers", np.full(count, num_nodes - 1)).astype(np.int64),
        tour=found.get("tour", np.zeros((count, 0), np.int64)),
        cost=found.get("cost", np.full(count, np.nan)).astype(np.float64),
    )
    _check_npz(file, labels)
    return labels


def _npz_arrays(file: str) -> dict[str, NDArray[Any]]:
    """The arrays that are known, each of a kind of number that is expected."""
    try:
        archive_names(file, _MAX_BYTES)
        with np.load(file, allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in arrays.files if name in _KINDS}
    except OSError as error:
        raise OutputError(f"{file}: cannot be read: {error}") from None
    except Exception as error:  # archives and headers are damaged in many ways
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InstanceError(f"{file}: not a readable .npz: {reason[:200]}") from None
    for name, array in found.items():
        if not isinstance(array, np.ndarray) or array.dtype.kind not in _KINDS[name]:
            kind = getattr(array, "dtype", "no array")
            raise InstanceError(f"{file}: {name}: {kind}, expected {_WORDS[_KINDS[name]]}")
    return found


def _check_npz(file: str, labels: Labels) -> None:
    count, num_nodes = labels.coords.shape[:2]
    wanted = {
        "coords": (labels.coords.shape, (count, num_nodes, 2)),
        "demand": (labels.demand.shape, (count, num_nodes)),
        "num_customers": (labels.size.shape, (count,)),
        "tour": (labels.tour.shape, (count, *(labels.tour.shape[1:2] or (0,)))),
        "cost": (labels.cost.shape, (count,)),
    }
    for name, (shape, expected) in wanted.items():
        if shape != expected:
            raise InstanceError(f"{file}: {name}: shape {shape}, expected {expected}")
    if count == 0:
        raise InstanceError(f"{file}: contains no instances")
    if not np.isfinite(labels.coords).all():
        raise InstanceError(f"{file}: coords: not all finite")
    if labels.size.min() < 1 or labels.size.max() >= num_nodes:
        raise InstanceError(f"{file}: num_customers: must lie in 1..{num_nodes - 1}")
    if labels.demand.dtype.kind == "f" and not (labels.demand % 1 == 0).all():
        raise InstanceError(f"{file}: demand: not all whole numbers")
    over = labels.demand.max(axis=1) > labels.capacity
    if over.any() or labels.demand.min() < 0 or labels.capacity.max() >= EXACT:
        row = int(np.argmax(over))
        raise InstanceError(
            f"{file}: demand[{row}]: demands must lie in 0..capacity and capacity below 2^24"
        )
    if labels.tour.shape[1]:
        _check_tours(file, labels)


def _check_tours(file: str, labels: Labels) -> None:
    """Each customer exactly once, no route over the capacity."""
    num_nodes = labels.coords.shape[1]
    for node in (int(labels.tour.max()), int(labels.tour.min())):
        if not 0 <= node < num_nodes:
            raise InstanceError(f"{file}: tour: node {node} of {num_nodes}")
    tours, nodes = labels.tour.astype(np.int64), np.arange(num_nodes)
    customers = (nodes > 0) & (nodes <= labels.size[:, None])
    wrong = ~visits_once(tours, customers, np.ones(len(labels), np.int64))
    wrong |= largest_load(tours, labels.demand.astype(np.int64)) > labels.capacity
    if wrong.any():
        raise InstanceError(
            f"{file}: tour[{int(np.argmax(wrong))}]: does not visit each customer exactly once "
            "within the capacity"
        )


def _check_routes(instance: Instance, place: str) -> None:
    """Checks that the routes of an instance solve it."""
    if instance.unknown_in_routes:
        message = f"there is no {instance.unknown_in_routes[0]}"
        raise InstanceError(f"{place}: {message}", code="UNKNOWN_ID")
    check_routes(instance, instance.routes or (), place)


def _from_instances(file: str) -> Labels:
    instances: list[Instance] = []
    for item in read_instances(file):
        if isinstance(item, InvalidInstance):
            raise InstanceError(f"{file}: {item.error}", code=item.code)
        if item.constraints is not None:
            message = "training knows one capacity and no other constraints"
            raise InstanceError(f"{file}: {item.name}: {message}")
        if item.coords is None or item.distances is not None:
            raise InstanceError(f"{file}: {item.name}: training needs coords, not distances")
        if item.routes is not None:
            _check_routes(item, f"{file}: {item.name}: routes")
        if item.num_customers:
            instances.append(item)
    if not instances:
        raise InstanceError(f"{file}: contains no instances with customers")
    count, num_nodes = len(instances), max(item.num_customers for item in instances) + 1
    has_routes = all(instance.routes is not None for instance in instances)
    coords = np.zeros((count, num_nodes, 2))
    demand = np.zeros((count, num_nodes), np.int64)
    capacity = np.zeros(count, np.int64)
    tour = np.zeros((count, 2 * num_nodes if has_routes else 0), np.int64)
    for row, instance in enumerate(instances):
        size = instance.num_customers + 1
        whole, limit = whole_demands(instance.demand, instance.capacity)
        coords[row, :size] = instance.coords
        demand[row, :size], capacity[row] = whole, limit
        if has_routes:
            tour[row] = routes_to_tour(instance.routes or (), tour.shape[1])
    return Labels(
        name=Path(file).stem,
        coords=coords,
        demand=demand,
        capacity=capacity,
        size=np.array([instance.num_customers for instance in instances]),
        tour=tour,
        cost=np.full(count, np.nan),
    )
