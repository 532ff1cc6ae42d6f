"""Files of instances with known good tours: read, checked and written."""

import io
import zipfile
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vrpcore.arrays.batch import EXACT, Batch, plain_batch, whole_demands
from vrpcore.arrays.projection import on_plane
from vrpcore.cost.cost import tour_cost
from vrpcore.cost.tour_routes import largest_load, routes_to_tour, visits_once
from vrpcore.errors import InstanceError, OutputError
from vrpcore.formats.archive import load_arrays
from vrpcore.formats.files import write_bytes
from vrpcore.formats.options import Reading
from vrpcore.formats.read import read_sources
from vrpcore.instance.instance import Instance, InvalidInstance, check_plan
from vrpcore.instance.plan import Plan
from vrpcore.learn.train.labels import Labels, Tours, with_lengths

_MAX_BYTES = 8 * 2**30
_KINDS = {
    "coords": "iuf", "demand": "iuf", "capacity": "iuf", "num_customers": "iu", "tour": "iu",
    "cost": "iuf",
}  # fmt: skip
_VARIANT_KINDS: dict[str, type[np.generic]] = {
    "tour": np.int64, "num_depots": np.int64, "valid": np.bool_, "limit_has_service": np.bool_,
    "open_end": np.bool_, "backhauls_last": np.bool_, "pickup_only": np.bool_,
}  # fmt: skip
_WORDS = {"iu": "integers", "iuf": "numbers"}
_ADVICE = (
    "make labels of variants with vrp generate --variant all --label-seconds 0.1 -o labels.npz"
)


class _Columns(NamedTuple):
    """Plain instances as a file has them; see `Labels` and `plain_batch`."""

    coords: NDArray[np.floating[Any]]
    demand: NDArray[Any]
    capacity: NDArray[np.int64]
    size: NDArray[np.int64]
    tour: Tours
    cost: NDArray[np.float64]


def read_labels(file: str, needs_routes: bool) -> Labels:
    """Reads plain instances: a labelled `.npz`, one of RL4CO's, JSON, JSON Lines or CVRPLIB.

    `needs_routes` refuses a set without routes. Longitudes and latitudes become a local map in
    metres, as where a policy solves them.

    Raises:
        InstanceError: The file is not what it should be; names what is missing.
        OutputError: It cannot be read.
    """
    found = _read_npz(file) if _has_own_arrays(file) else _from_instances(file)
    if needs_routes and not found.tour.shape[1]:
        raise InstanceError(
            f"{file}: has no routes to imitate; make some with vrp generate --label-seconds"
        )
    cost = found.cost.copy()
    if found.tour.shape[1]:  # a reference for gaps, where the file states none
        unknown = np.isnan(cost)
        coords, tour = found.coords[unknown].astype(np.float64), found.tour[unknown, None]
        cost[unknown] = tour_cost(coords, tour.astype(np.int64))[:, 0]
    return Labels(
        name=Path(file).stem,
        batch=plain_batch(found.coords, found.demand, found.capacity, found.size),
        coords=found.coords,
        tour=found.tour,
        cost=cost,
    ).by_size()


def write_labels(path: Path, labels: Labels) -> None:
    """Writes labels of variants as `.npz`.

    Raises:
        OutputError: The file cannot be written.
    """
    buffer = io.BytesIO()
    longest = int(np.flatnonzero(labels.tour.any(axis=0)).max(initial=0)) + 2
    tour = labels.tour[:, :longest].astype(np.int16)
    np.savez_compressed(buffer, **labels.batch._asdict(), tour=tour)
    write_bytes(path, buffer.getvalue())


def read_variant_labels(file: str) -> Labels:
    """Reads what `write_labels` wrote.

    Raises:
        InstanceError: The file is not what it should be; names what is missing or wrong.
        OutputError: It cannot be read.
    """
    names = (*Batch._fields, "tour")
    found = _open(file, names, f"; {_ADVICE}")
    for name in names:
        if name not in found:
            raise InstanceError(f"{file}: lacks {name}; {_ADVICE}")
    batch = Batch(**{name: _as_kind(file, name, found[name]) for name in Batch._fields})
    tour = _as_kind(file, "tour", found["tour"])
    _check_variants(file, batch, tour)
    return with_lengths(Path(file).stem, batch, tour).by_size()


def _as_kind(file: str, name: str, array: NDArray[Any]) -> NDArray[Any]:
    """An array of variants in the type that `Batch` documents, which compiled code relies on."""
    wanted = _VARIANT_KINDS.get(name, np.float32)
    if not np.can_cast(array.dtype, wanted, "same_kind"):
        raise InstanceError(f"{file}: {name}: {array.dtype}, expected {np.dtype(wanted)}")
    return array.astype(wanted)


def _open(file: str, names: Collection[str], advice: str = "") -> dict[str, NDArray[Any]]:
    """Open those arrays of an archive that have one of these names."""
    try:
        return load_arrays(file, _MAX_BYTES, names)
    except OSError as error:
        raise OutputError(f"{file}: cannot be read: {error}") from None
    except InstanceError as error:
        raise InstanceError(f"{file}: {error}{advice}", code=error.code) from None


def _has_own_arrays(file: str) -> bool:
    """Return whether it is an archive, damaged or not, and none of RL4CO's."""
    if not zipfile.is_zipfile(file):
        return False
    try:
        with zipfile.ZipFile(file) as archive:
            return "locs.npy" not in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return True  # the reader of arrays says what is wrong


def _read_npz(file: str) -> _Columns:
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
    limits = np.broadcast_to(found["capacity"], count)
    if not ((limits >= 1) & (limits < EXACT) & (limits == np.floor(limits))).all():
        raise InstanceError(f"{file}: capacity: must be whole numbers in 1..2^24 - 1")
    columns = _Columns(
        coords=found["coords"] if found["coords"].dtype.kind == "f" else found["coords"] * 1.0,
        demand=found["demand"],
        capacity=limits.astype(np.int64),
        size=found.get("num_customers", np.full(count, num_nodes - 1)).astype(np.int64),
        tour=found.get("tour", np.zeros((count, 0), np.int64)),
        cost=found.get("cost", np.full(count, np.nan)).astype(np.float64),
    )
    _check_shapes(file, columns)
    is_customer = _customers(columns)
    # What stands at the depot and in padding is not read, as of files to be solved.
    columns = columns._replace(demand=np.where(is_customer, columns.demand, 0))
    _check_numbers(file, columns)
    if columns.tour.shape[1]:
        _check_tours(file, columns)
    return columns._replace(tour=_without_empty_routes(columns.tour))


def _customers(labels: _Columns) -> NDArray[np.bool_]:
    """[B, M] bool: no depot, no padding."""
    nodes = np.arange(labels.coords.shape[1])
    found: NDArray[np.bool_] = (nodes > 0) & (nodes <= labels.size[:, None])
    return found


def _without_empty_routes(tour: Tours) -> Tours:
    """Leaves out depots before the first customer, and all but one between two routes."""
    kept = tour != 0
    kept[:, 1:] |= kept[:, :-1]  # the depot behind a customer
    rows = np.flatnonzero((~kept[:, :-1] & kept[:, 1:]).any(axis=1))
    order = np.argsort(~kept[rows], axis=1, kind="stable")
    tour[rows] = np.take_along_axis(tour[rows], order, axis=1)
    return tour


def _npz_arrays(file: str) -> dict[str, NDArray[Any]]:
    """The arrays that are known, each of a kind of number that is expected."""
    found = _open(file, _KINDS)
    for name, array in found.items():
        if not isinstance(array, np.ndarray) or array.dtype.kind not in _KINDS[name]:
            kind = getattr(array, "dtype", "no array")
            raise InstanceError(f"{file}: {name}: {kind}, expected {_WORDS[_KINDS[name]]}")
    return found


def _check_shapes(file: str, labels: _Columns) -> None:
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


def _check_numbers(file: str, labels: _Columns) -> None:
    num_nodes = labels.coords.shape[1]
    if not np.isfinite(labels.coords).all():
        raise InstanceError(f"{file}: coords: not all finite")
    if labels.size.min() < 1 or labels.size.max() >= num_nodes:
        raise InstanceError(f"{file}: num_customers: must lie in 1..{num_nodes - 1}")
    if labels.demand.dtype.kind == "f" and not (labels.demand % 1 == 0).all():
        raise InstanceError(f"{file}: demand: not all whole numbers")
    outside = (labels.demand < 0) | (labels.demand > labels.capacity[:, None])
    if outside.any():
        row = int(np.argmax(outside.any(axis=1)))
        raise InstanceError(
            f"{file}: demand[{row}]: demands must lie in 0..capacity, {labels.capacity[row]}"
        )
    wrong = ~(np.isnan(labels.cost) | ((labels.cost > 0) & (labels.cost < np.inf)))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InstanceError(
            f"{file}: cost[{row}]: {labels.cost[row]:g}, expected a positive number, or NaN where "
            "it is unknown"
        )


def _check_tours(file: str, labels: _Columns) -> None:
    """Each customer exactly once, no route over the capacity."""
    num_nodes = labels.coords.shape[1]
    for node in (int(labels.tour.max()), int(labels.tour.min())):
        if not 0 <= node < num_nodes:
            raise InstanceError(f"{file}: tour: node {node} of {num_nodes}")
    tours = labels.tour.astype(np.int64)
    wrong = ~visits_once(tours, _customers(labels), np.ones(len(tours), np.int64))
    wrong |= largest_load(tours, labels.demand.astype(np.int64)) > labels.capacity
    if wrong.any():
        raise InstanceError(
            f"{file}: tour[{int(np.argmax(wrong))}]: does not visit each customer exactly once "
            "within the capacity"
        )


def _check_plan(instance: Instance, plan: Plan, place: str) -> None:
    """Checks that the plan of an instance solves it."""
    if plan.unknown:
        raise InstanceError(f"{place}: there is no {plan.unknown[0]}", code="UNKNOWN")
    check_plan(instance, plan, place)


def _from_instances(file: str) -> _Columns:
    instances: list[Instance] = []
    for item in read_sources(file, reading=Reading(sheets=False)).whole():
        if isinstance(item, InvalidInstance):
            raise InstanceError(f"{file}: {item.error}", code=item.code)
        if item.constraints is not None:
            message = "training knows one capacity and no other constraints"
            raise InstanceError(f"{file}: {item.name}: {message}")
        if item.coords is None or item.distances is not None:
            raise InstanceError(f"{file}: {item.name}: training needs coords, not distances")
        if item.plan is not None:
            _check_plan(item, item.plan, f"{file}: {item.name}: routes")
        if item.num_customers:
            instances.append(item)
    if not instances:
        raise InstanceError(f"{file}: contains no instances with customers")
    count, num_nodes = len(instances), max(item.num_customers for item in instances) + 1
    plans = [instance.plan for instance in instances if instance.plan is not None]
    has_routes = len(plans) == count
    coords = np.zeros((count, num_nodes, 2))
    demand = np.zeros((count, num_nodes), np.int64)
    capacity = np.zeros(count, np.int64)
    tour = np.zeros((count, 2 * num_nodes if has_routes else 0), np.int64)
    for row, instance in enumerate(instances):
        size = instance.num_customers + 1
        whole, limit = whole_demands(instance.demand, instance.capacity)
        if instance.coords is not None:
            coords[row, :size] = on_plane(instance.coords, instance.metric)
        demand[row, :size], capacity[row] = whole, limit
        if has_routes:
            routes = (route.stops for route in plans[row].routes)
            tour[row] = routes_to_tour(routes, tour.shape[1])
    return _Columns(
        coords=coords,
        demand=demand,
        capacity=capacity,
        size=np.array([instance.num_customers for instance in instances]),
        tour=tour,
        cost=np.full(count, np.nan),
    )


def _check_variants(file: str, batch: Batch, tour: NDArray[np.int64]) -> None:
    count, num_nodes = batch.valid.shape if batch.valid.ndim == 2 else (0, 0)
    if count == 0:
        raise InstanceError(f"{file}: contains no instances")
    for name in Batch._fields:
        array: NDArray[Any] = getattr(batch, name)
        per_node = name in ("valid", "demand", "pickup", "opening", "closing", "service")
        shape: tuple[int, ...] = (count, num_nodes) if per_node else (count,)
        shape = (count, num_nodes, 2) if name == "coords_unit" else shape
        if array.shape != shape:
            raise InstanceError(f"{file}: {name}: shape {array.shape}, expected {shape}")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise InstanceError(f"{file}: {name}: not all finite")
    _check_loads(file, batch)
    outside = tour.ndim != 2 or tour.min(initial=0) < 0 or tour.max(initial=0) >= num_nodes
    if outside or len(tour) != count:
        raise InstanceError(f"{file}: tour: shape {tour.shape}, or nodes out of range")
    starts = (tour[:, :1] < batch.num_depots[:, None]).all(axis=1)
    if not starts.all():
        raise InstanceError(f"{file}: tour[{int(np.argmin(starts))}]: does not begin at a depot")
    once = visits_once(tour, batch.valid, batch.num_depots)
    if not once.all():
        message = "does not visit each customer exactly once"
        raise InstanceError(f"{file}: tour[{int(np.argmin(once))}]: {message}")


def _check_loads(file: str, batch: Batch) -> None:
    """Nodes are depots, then customers, then padding; each customer fits into a vehicle."""
    nodes, used = np.arange(batch.valid.shape[1]), batch.valid.sum(axis=1)
    if (batch.valid != (nodes < used[:, None])).any():
        raise InstanceError(f"{file}: valid: expected padding only behind all other nodes")
    if (batch.num_depots < 1).any() or (batch.num_depots >= used).any():
        raise InstanceError(f"{file}: num_depots: must lie in 1..nodes - 1, so that one is served")
    if not ((batch.capacity >= 1) & (batch.capacity < EXACT)).all():
        raise InstanceError(f"{file}: capacity: must lie in 1..2^24 - 1")
    for name in ("demand", "pickup"):
        loads: NDArray[np.float32] = getattr(batch, name)
        fits = (loads >= 0) & (loads <= batch.capacity[:, None]) & (loads % 1 == 0)
        served = (nodes >= batch.num_depots[:, None]) & batch.valid
        if not (fits & (served | (loads == 0))).all():
            raise InstanceError(
                f"{file}: {name}: must be whole numbers in 0..capacity, 0 at depots and padding"
            )
