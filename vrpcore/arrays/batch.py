"""Instances as the padded arrays that a policy reads; a unit is a side of the square."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vrpcore.arrays.projection import place_in_square, project
from vrpcore.arrays.symmetry import symmetric_copies, unit_box
from vrpcore.instance.constraints import Constraints
from vrpcore.instance.instance import Float64, Instance
from vrpcore.instance.shares import least_parts
from vrpcore.instance.vehicle_types import VehicleType

EXACT = 2**24  # integers below this are exact in float32
# Closing times and limits that do not bind; far beyond any route in the unit square.
FAR = 1.0e6
# Closing times and limits are this much earlier and shorter than in the instance, so that what
# fits in float32 fits in float64, too.
SLACK = 1.0e-5
_LARGEST_WHOLE = 2.0**53  # float64 knows all whole numbers up to here
_SHARE_ROUNDING = 5e-13  # what float64 makes of a share, and harmless
_DECIMAL_FACTORS = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)
_ABSENT: NDArray[Any] = np.empty(0)


class Batch(NamedTuple):
    """B problems padded to M nodes: depots, customers, padding. No distances: instances keep those.

    Plain problems have the first four columns; the others are empty.

    Attributes:
        coords_unit: [B, M, 2] float32 in the unit square.
        demand: [B, M] float32, deliveries, whole numbers below 2^24; depots and padding 0.
        capacity: [B] float32, whole numbers below 2^24.
        valid: [B, M] bool, False for padding.
        pickup: [B, M] float32, whole numbers of the same unit as `demand`.
        opening: [B, M] float32 >= 0, at most `FAR`.
        closing: [B, M] float32, at most `FAR`: there is none.
        service: [B, M] float32 >= 0, at most `FAR`.
        limit: [B] float32, the longest route, at most `FAR`: there is none.
        limit_has_service: [B] bool, the limit is one of times, so services count.
        open_end: [B] bool, routes end at their last customer.
        backhauls_last: [B] bool, no delivery comes after a pickup.
        pickup_only: [B] bool, routes may have only pickups.
        num_depots: [B] int64, D; routes end where they begin.
    """

    coords_unit: NDArray[np.float32]
    demand: NDArray[np.float32]
    capacity: NDArray[np.float32]
    valid: NDArray[np.bool_]
    pickup: NDArray[np.float32] = _ABSENT
    opening: NDArray[np.float32] = _ABSENT
    closing: NDArray[np.float32] = _ABSENT
    service: NDArray[np.float32] = _ABSENT
    limit: NDArray[np.float32] = _ABSENT
    limit_has_service: NDArray[np.bool_] = _ABSENT
    open_end: NDArray[np.bool_] = _ABSENT
    backhauls_last: NDArray[np.bool_] = _ABSENT
    pickup_only: NDArray[np.bool_] = _ABSENT
    num_depots: NDArray[np.int64] = _ABSENT

    @property
    def plain(self) -> bool:
        """Return whether the columns of constraints are empty."""
        return len(self.num_depots) == 0

    @property
    def columns(self) -> tuple[NDArray[Any], ...]:
        """The arrays that are there, in this order."""
        return self[: len(PLAIN_COLUMNS)] if self.plain else self

    @property
    def depots(self) -> NDArray[np.int64]:
        """[B] int64, how many of the nodes are depots."""
        return np.ones(len(self.valid), np.int64) if self.plain else self.num_depots

    @property
    def num_customers(self) -> NDArray[np.int64]:
        """[B] int64."""
        found: NDArray[np.int64] = self.valid.sum(axis=1) - self.depots
        return found

    def full(self) -> "Batch":
        """Fills the columns of constraints with neutral values where they are empty."""
        if not self.plain:
            return self
        rows, nodes = self.valid.shape
        zeros, no = np.zeros((rows, nodes), np.float32), np.zeros(rows, np.bool_)
        return self._replace(
            pickup=zeros,
            opening=zeros,
            closing=np.full((rows, nodes), FAR, np.float32),
            service=zeros,
            limit=np.full(rows, FAR, np.float32),
            limit_has_service=no,
            open_end=no,
            backhauls_last=no,
            pickup_only=~no,
            num_depots=np.ones(rows, np.int64),
        )

    def take(self, rows: slice | NDArray[np.integer[Any]]) -> "Batch":
        """Selects some of the problems."""
        return self.each(lambda array: array[rows])

    def padded(self, num_nodes: int) -> "Batch":
        """Fills up to so many nodes, which are every array's second axis."""
        more = num_nodes - self.valid.shape[1]

        def longer(array: NDArray[Any]) -> NDArray[Any]:
            ends = [(0, more if axis == 1 else 0) for axis in range(array.ndim)]
            return np.pad(array, ends)

        return self.each(longer)

    def cut(self, num_nodes: int) -> "Batch":
        """Keeps so many nodes: what is behind them must be padding."""
        return self.each(
            lambda array: np.ascontiguousarray(array[:, :num_nodes]) if array.ndim > 1 else array
        )

    def augmented(self, count: int) -> "Batch":
        """See `symmetric_copies`."""
        return Batch(**symmetric_copies(self._asdict(), count))

    def each(self, change: Callable[[NDArray[Any]], NDArray[Any]]) -> "Batch":
        """Changes each array that is there."""
        return Batch(*map(change, self.columns))


PLAIN_COLUMNS = Batch._fields[:4]


def plain_batch(
    coords: NDArray[np.floating[Any]],
    demand: NDArray[Any],
    capacity: NDArray[Any],
    size: NDArray[np.int64],
) -> Batch:
    """Plain instances that are arrays already, as a policy reads them.

    Args:
        coords: [B, M, 2] float in any unit, depot first.
        demand: [B, M] whole numbers below 2^24, depot and padding 0.
        capacity: [B] whole numbers below 2^24.
        size: [B] int64, customers of each.
    """
    valid = np.arange(coords.shape[1]) <= size[:, None]
    return Batch(
        coords_unit=unit_box(coords.astype(np.float64), valid).astype(np.float32),
        demand=demand.astype(np.float32),
        capacity=capacity.astype(np.float32),
        valid=valid,
    )


def make_batch(instances: Sequence[Instance], num_nodes: int | None = None) -> Batch:
    """Pads instances into one batch, plain where none of them has constraints.

    The nodes of each are the depots of its vehicle types, then its customers.

    Args:
        instances: B instances of at least one customer each, that a policy covers.
        num_nodes: M, at least the most nodes among them (`policy_nodes`); None: as many.
    """
    if num_nodes is None:
        num_nodes = max(len(policy_nodes(instance)) for instance in instances)
    shape = (len(instances), num_nodes)
    batch = Batch(
        coords_unit=np.zeros((*shape, 2), np.float32),
        demand=np.zeros(shape, np.float32),
        capacity=np.zeros(len(instances), np.float32),
        valid=np.zeros(shape, np.bool_),
    )
    if any(instance.constraints is not None for instance in instances):
        batch = batch.full().each(np.copy)  # some of its arrays were the same one
    for row, instance in enumerate(instances):
        if instance.constraints is None:
            _fill_plain(batch, row, instance)
        else:
            _fill(batch, row, instance, instance.constraints)
    return batch


def policy_nodes(instance: Instance) -> NDArray[np.int64]:
    """The instance's node for each node of a policy, [D + N] int64: depots of types first."""
    constraints = instance.constraints
    if constraints is None:
        return np.arange(instance.num_customers + 1)
    depots = [vehicle.start or 0 for vehicle in constraints.vehicles]
    return np.array([*depots, *range(constraints.num_depots, constraints.num_nodes)])


def _fill_plain(batch: Batch, row: int, instance: Instance) -> None:
    size = instance.num_customers + 1
    batch.coords_unit[row, :size] = project(instance)
    whole, limit = whole_demands(instance.demand, instance.capacity)
    batch.demand[row, :size], batch.capacity[row] = whole, limit
    batch.valid[row, :size] = True


def _fill(batch: Batch, row: int, instance: Instance, constraints: Constraints) -> None:
    nodes = policy_nodes(instance)
    size, depots = len(nodes), len(constraints.vehicles)
    batch.coords_unit[row, :size], side = place_in_square(instance, nodes)
    batch.valid[row, :size], batch.num_depots[row] = True, depots
    _fill_loads(batch, row, constraints, slice(depots, size))
    vehicle = constraints.vehicles[0]
    batch.open_end[row] = vehicle.end is None
    batch.backhauls_last[row] = constraints.backhauls == "last"
    batch.pickup_only[row] = constraints.pickup_only_routes
    pace = constraints.speed * vehicle.speed / side  # sides of the square in a unit of time
    if vehicle.max_distance < math.inf:
        batch.limit[row] = min(vehicle.max_distance / side - SLACK, FAR)
    elif vehicle.max_duration < math.inf:
        batch.limit[row] = min(vehicle.max_duration * pace - SLACK, FAR)
        batch.limit_has_service[row] = True
    batch.service[row, depots:size] = np.minimum(constraints.service * pace, FAR)
    windows = np.concatenate(
        ([_open(constraints, each) for each in constraints.vehicles], constraints.windows[:, 0])
    )
    begin = _begin(windows, depots, 2.0 / pace)
    batch.opening[row, :size] = np.clip((windows[:, 0] - begin) * pace, 0.0, FAR)
    batch.closing[row, :size] = np.minimum((windows[:, 1] - begin) * pace - SLACK, FAR)


def _fill_loads(batch: Batch, row: int, constraints: Constraints, places: slice) -> None:
    amounts = np.concatenate((constraints.delivery[:, 0], constraints.pickup[:, 0]))
    whole, limit = whole_demands(amounts, constraints.vehicles[0].capacity[0])
    half = len(amounts) // 2
    batch.demand[row, places], batch.pickup[row, places] = whole[:half], whole[half:]
    batch.capacity[row] = limit


def _begin(windows: Float64, depots: int, leg: float) -> float:
    """The time that counts as 0: clocks may count from long ago.

    Args:
        windows: [D + N, 2] float64.
        depots: D.
        leg: Time of the longest leg there may be.
    """
    opens = float(windows[:depots, 0].min())
    opens = opens if opens > -math.inf else 0.0
    return max(opens, float(windows[depots:, 0].min()) - leg)  # no vehicle need be there before


def _open(constraints: Constraints, vehicle: VehicleType) -> tuple[float, float]:
    """Earliest departure, and latest return or end of the last service."""
    early, late = vehicle.window
    depot = constraints.depots[vehicle.start or 0].window
    return max(early, depot[0]), late if vehicle.end is None else min(late, depot[1])


def whole_demands(demand: Float64, capacity: float) -> tuple[Float64, float]:
    """Demands and capacity as whole numbers below 2^24.

    A flipped capacity test would make an infeasible tour, so the comparison must be
    exact in float32. Decimal fractions are scaled up, and so are thirds or sevenths of the
    capacity; what does not fit is rounded up, which may cost a little room in a vehicle but never
    feasibility. Whole numbers beyond 2^24 are first divided by their common divisor.

    A capacity beyond all demands together is cut to one more than these, so a policy sees a
    vehicle that will be full. Instances that training draws, or reads from arrays, are not cut.

    Args:
        demand: [M] float64 >= 0.
        capacity: At least the largest demand.

    Returns:
        Demands [M] float64 and the capacity, at least 1; all whole and below 2^24.
    """
    useful = min(capacity, float(demand.sum()) + 1.0)
    if EXACT <= useful < _LARGEST_WHOLE and not (demand % 1).any():
        divisor = float(np.gcd.reduce(demand.astype(np.int64)))
        demand, useful = demand / divisor, float(np.floor(useful / divisor))
    for factor in _DECIMAL_FACTORS:
        scaled = demand * factor
        whole = np.rint(scaled)
        if useful * factor >= EXACT:
            break
        if np.array_equal(whole, scaled) or np.array_equal(whole / factor, demand):
            return whole, max(1.0, float(np.floor(useful * factor * (1 + 1e-12))))
    shares = demand / useful
    if (parts := least_parts(shares, np.full(len(shares), _SHARE_ROUNDING))) is not None:
        return np.rint(shares * parts), parts
    limit = float(EXACT // 2)
    return np.minimum(np.ceil(demand / useful * limit), limit), limit
