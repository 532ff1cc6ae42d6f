"""Instances of the field's variants with known good tours, held as arrays."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vrpcore.arrays.rules import FAR, RuleBatch, make_rule_batch
from vrpcore.cost.rule_cost import num_missing, route_nodes, rule_tour, rule_tour_length
from vrpcore.cost.timeline import Route
from vrpcore.errors import InstanceError, OutputError
from vrpcore.formats.archive import archive_names
from vrpcore.formats.files import write_bytes
from vrpcore.instance.instance import Instance

_MAX_BYTES = 8 * 2**30
_ADVICE = (
    "make labels of variants with vrp generate --variant all --label-seconds 0.1 -o labels.npz"
)
_KIND_WORDS = {"f": "floats", "i": "integers", "b": "booleans"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VariantLabels:
    """n instances of one or more variants with tours, padded to the largest.

    Attributes:
        name: Where they come from.
        batch: The instances.
        tour: [n, T] int64, nodes; a depot before each route, 0 behind the last. T = 0 without.
        length: [n] float64 of the tours, in sides of the square; NaN where unknown.
    """

    name: str
    batch: RuleBatch
    tour: NDArray[np.int64]
    length: NDArray[np.float64]

    def __len__(self) -> int:
        """N."""
        return len(self.tour)

    @property
    def num_customers(self) -> int:
        """The largest N."""
        return int((self.batch.valid.sum(axis=1) - self.batch.num_depots).max())

    def take(self, rows: NDArray[np.int64]) -> "VariantLabels":
        """The chosen rows."""
        return VariantLabels(
            name=self.name,
            batch=self.batch.take(rows),
            tour=self.tour[rows],
            length=self.length[rows],
        )


def label_arrays(
    instances: Sequence[Instance], routes: Sequence[Sequence[Route]], name: str
) -> VariantLabels:
    """Labels from instances and their routes.

    Args:
        instances: n that a policy covers.
        routes: Of each; stops 1..N, all of them.
        name: Where they come from.
    """
    num_nodes = max(len(each.rules.vehicles) + each.num_customers for each in instances)
    batch = make_rule_batch(instances, num_nodes)
    tour = np.zeros((len(instances), 2 * num_nodes + 1), np.int64)
    for row, found in enumerate(routes):
        tour[row] = rule_tour(found, int(batch.num_depots[row]), tour.shape[1])
    return VariantLabels(name=name, batch=batch, tour=tour, length=_lengths(batch, tour))


def write_labels(path: Path, labels: VariantLabels) -> None:
    """Writes labels as `.npz`.

    Raises:
        OutputError: The file cannot be written.
    """
    buffer = io.BytesIO()
    longest = int(np.flatnonzero(labels.tour.any(axis=0)).max(initial=0)) + 2
    tour = labels.tour[:, :longest].astype(np.int16)
    np.savez_compressed(buffer, **labels.batch._asdict(), tour=tour)
    write_bytes(path, buffer.getvalue())


def read_variant_labels(file: str) -> VariantLabels:
    """Reads what `write_labels` wrote.

    Raises:
        InstanceError: The file is not what it should be; names what is missing or wrong.
        OutputError: It cannot be read.
    """
    found = _arrays(file)
    batch = RuleBatch(**{name: found[name] for name in RuleBatch._fields})
    tour = found["tour"].astype(np.int64)
    _check(file, batch, tour)
    return VariantLabels(name=Path(file).stem, batch=batch, tour=tour, length=_lengths(batch, tour))


def shuffled_tours(
    batch: RuleBatch, tour: NDArray[np.int64], count: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Writes the same routes in other orders, and in both directions where that is the same.

    Args:
        batch: B instances.
        tour: [B, T] int64 of each.
        count: K writings of each.
        rng: Source of all randomness.

    Returns:
        [B, K, T'] int64, cut behind the longest.
    """
    turns = turns_freely(batch)
    found = np.zeros((len(tour), count, tour.shape[1] + 1), np.int64)
    for row in range(len(tour)):
        routes = route_nodes(tour[row], int(batch.num_depots[row]))
        for number in range(count):
            order = rng.permutation(len(routes))
            flips = rng.random(len(routes)) < (0.5 if turns[row] else 0.0)
            nodes = np.concatenate([
                np.concatenate((routes[at][:1], routes[at][:0:-1])) if flips[at] else routes[at]
                for at in order.tolist()
            ])  # fmt: skip
            found[row, number, : len(nodes)] = nodes
    used = int(np.flatnonzero(found.any(axis=(0, 1))).max()) + 2
    return np.ascontiguousarray(found[:, :, :used])


def turns_freely(batch: RuleBatch) -> NDArray[np.bool_]:
    """[B] bool: whether routes may be driven backwards, and cost the same."""
    free: NDArray[np.bool_] = ~batch.open_end & (batch.closing >= FAR / 2).all(axis=1)
    free &= (batch.pickup == 0).all(axis=1)
    return free


def _lengths(batch: RuleBatch, tour: NDArray[np.int64]) -> NDArray[np.float64]:
    coords = batch.coords_unit.astype(np.float64)
    return rule_tour_length(coords, tour[:, None], batch.num_depots, batch.open_end)[:, 0]


def _arrays(file: str) -> dict[str, NDArray[Any]]:
    try:
        archive_names(file, _MAX_BYTES)
        with np.load(file, allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in arrays.files}
    except OSError as error:
        raise OutputError(f"{file}: cannot be read: {error}") from None
    except Exception as error:  # archives and headers are damaged in many ways
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InstanceError(f"{file}: not a readable .npz: {reason[:200]}; {_ADVICE}") from None
    for name in (*RuleBatch._fields, "tour"):
        if name not in found:
            raise InstanceError(f"{file}: lacks {name}; {_ADVICE}")
    return found


def _check(file: str, batch: RuleBatch, tour: NDArray[np.int64]) -> None:
    count, num_nodes = batch.valid.shape if batch.valid.ndim == 2 else (0, 0)
    if count == 0:
        raise InstanceError(f"{file}: contains no instances")
    for name in RuleBatch._fields:
        array: NDArray[Any] = getattr(batch, name)
        per_node = name in ("valid", "demand", "pickup", "opening", "closing", "service")
        shape: tuple[int, ...] = (count, num_nodes) if per_node else (count,)
        shape = (count, num_nodes, 2) if name == "coords_unit" else shape
        if array.shape != shape:
            raise InstanceError(f"{file}: {name}: shape {array.shape}, expected {shape}")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise InstanceError(f"{file}: {name}: not all finite")
    outside = tour.ndim != 2 or tour.min(initial=0) < 0 or tour.max(initial=0) >= num_nodes
    if outside or len(tour) != count:
        raise InstanceError(f"{file}: tour: shape {tour.shape}, or nodes out of range")
    customers = batch.valid.sum(axis=1) - batch.num_depots
    twice = np.array([
        len(np.unique(row[row >= depots])) < int((row >= depots).sum())
        for row, depots in zip(tour, batch.num_depots, strict=True)
    ])  # fmt: skip
    if twice.any() or num_missing(tour[:, None], customers, batch.num_depots).any():
        raise InstanceError(f"{file}: tour: not every customer exactly once")
