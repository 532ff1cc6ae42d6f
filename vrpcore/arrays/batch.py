"""Instances as the padded arrays that a policy reads."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vrpcore.arrays.projection import project
from vrpcore.arrays.symmetry import symmetric_copies
from vrpcore.instance.instance import Float64, Instance

EXACT = 2**24  # integers below this are exact in float32
_DECIMAL_FACTORS = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)


class Batch(NamedTuple):
    """B problems padded to M nodes; no distances: those stay with the instances.

    Attributes:
        coords_unit: [B, M, 2] float32 in the unit square, depot first.
        demand: [B, M] float32, whole numbers below 2^24, depot and padding 0.
        capacity: [B] float32, whole numbers below 2^24.
        valid: [B, M] bool, False for padding.
    """

    coords_unit: NDArray[np.float32]
    demand: NDArray[np.float32]
    capacity: NDArray[np.float32]
    valid: NDArray[np.bool_]

    def take(self, rows: slice | NDArray[np.int64]) -> "Batch":
        """Some of its problems."""
        return self._each(lambda array: array[rows])

    def padded(self, num_nodes: int) -> "Batch":
        """The same, filled up to so many nodes, which are every array's second axis."""
        more = num_nodes - self.valid.shape[1]

        def longer(array: NDArray[Any]) -> NDArray[Any]:
            ends = [(0, more if axis == 1 else 0) for axis in range(array.ndim)]
            return np.pad(array, ends)

        return self._each(longer)

    def augmented(self, count: int) -> "Batch":
        """See `symmetric_copies`."""
        return Batch(**symmetric_copies(self._asdict(), count))

    def _each(self, change: Callable[[NDArray[Any]], NDArray[Any]]) -> "Batch":
        return Batch(*map(change, self))


def make_batch(instances: Sequence[Instance], num_nodes: int) -> Batch:
    """Pads instances into one batch.

    Args:
        instances: B instances of at least one customer each.
        num_nodes: M, at least the largest N + 1 among them.
    """
    shape = (len(instances), num_nodes)
    batch = Batch(
        coords_unit=np.zeros((*shape, 2), np.float32),
        demand=np.zeros(shape, np.float32),
        capacity=np.zeros(len(instances), np.float32),
        valid=np.zeros(shape, np.bool_),
    )
    for row, instance in enumerate(instances):
        size = instance.num_customers + 1
        batch.coords_unit[row, :size] = project(instance)
        batch.demand[row, :size], batch.capacity[row] = whole_demands(
            instance.demand, instance.capacity
        )
        batch.valid[row, :size] = True
    return batch


def whole_demands(demand: Float64, capacity: float) -> tuple[Float64, float]:
    """Demands and capacity as whole numbers below 2^24.

    A flipped capacity test would make an infeasible tour, so the comparison must be
    exact in float32. Decimal fractions are scaled up; what does not fit is rounded
    up, which may cost a little room in a vehicle but never feasibility.

    Args:
        demand: [M] float64 >= 0.
        capacity: At least the largest demand.

    Returns:
        Demands [M] float64 and the capacity, both whole and below 2^24.
    """
    useful = min(capacity, float(demand.sum()) + 1.0)
    for factor in _DECIMAL_FACTORS:
        scaled = demand * factor
        whole = np.rint(scaled)
        if useful * factor >= EXACT:
            break
        if np.array_equal(whole, scaled) or np.array_equal(whole / factor, demand):
            return whole, float(np.floor(useful * factor * (1 + 1e-12)))
    limit = float(EXACT // 2)
    return np.minimum(np.ceil(demand / useful * limit), limit), limit
