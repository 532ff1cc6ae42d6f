"""What a policy of the field's variants sees of constraints: padded arrays in units of legs."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vrpcore.arrays.batch import Batch, whole_demands
from vrpcore.arrays.projection import place_in_square
from vrpcore.arrays.symmetry import symmetric_copies
from vrpcore.instance.constraints import Constraints, Depot, VehicleType, plain_columns
from vrpcore.instance.instance import Float64, Instance

# Closing times and limits that do not bind; far beyond any route in the unit square.
FAR = 1.0e6
# Closing times and limits are this much earlier and shorter than in the instance, so that what
# fits in float32 fits in float64, too.
SLACK = 1.0e-5
MAX_DEPOTS = 16


class RuleBatch(NamedTuple):
    """B problems padded to M nodes: depots, customers, padding. A unit is a side of the square.

    Attributes:
        coords_unit: [B, M, 2] float32 in the unit square.
        demand: [B, M] float32, deliveries, whole numbers below 2^24.
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
        pickup_only: [B] bool, routes may have pickups alone.
        num_depots: [B] int64, D; routes end where they begin.
    """

    coords_unit: NDArray[np.float32]
    demand: NDArray[np.float32]
    capacity: NDArray[np.float32]
    valid: NDArray[np.bool_]
    pickup: NDArray[np.float32]
    opening: NDArray[np.float32]
    closing: NDArray[np.float32]
    service: NDArray[np.float32]
    limit: NDArray[np.float32]
    limit_has_service: NDArray[np.bool_]
    open_end: NDArray[np.bool_]
    backhauls_last: NDArray[np.bool_]
    pickup_only: NDArray[np.bool_]
    num_depots: NDArray[np.int64]

    def take(self, rows: slice | NDArray[np.int64]) -> "RuleBatch":
        """Some of its problems."""
        return self.each(lambda array: array[rows])

    def augmented(self, count: int) -> "RuleBatch":
        """See `symmetric_copies`."""
        return RuleBatch(**symmetric_copies(self._asdict(), count))

    def each(self, change: Callable[[NDArray[Any]], NDArray[Any]]) -> "RuleBatch":
        """The same with each array changed."""
        return RuleBatch(*map(change, self))


def as_rules(batch: Batch) -> RuleBatch:
    """Plain problems for a policy of variants."""
    rows, nodes = batch.valid.shape
    zeros, no = np.zeros((rows, nodes), np.float32), np.zeros(rows, np.bool_)
    return RuleBatch(
        **batch._asdict(),
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


def why_not_covered(instance: Instance) -> str | None:
    """What an instance asks for that no policy knows, in words; None: nothing.

    Args:
        instance: With constraints.
    """
    rules, vehicle = instance.rules, instance.rules.vehicles[0]
    refusals = {
        "no coordinates": instance.coords is None or instance.distances is not None,
        "matrices of durations": rules.has_matrices,
        "several load dimensions": rules.delivery.shape[1] > 1,
        "shipments": rules.num_shipments > 0,
        "skills": any(rules.skills),
        "optional customers": not rules.required.all(),
        "release times": bool((rules.release > -math.inf).any()),
        "several windows of a customer": bool((rules.windows[:, 1:, 0] < math.inf).any()),
        "a largest number of customers": vehicle.max_stops < math.inf,
        "a longest travel time": vehicle.max_travel_time < math.inf,
        "limits of distance and duration": max(vehicle.max_distance, vehicle.max_duration)
        < math.inf,
        "a longest duration beside windows": vehicle.max_duration < math.inf
        and _has_windows(rules),
        "more than a vehicle holds": _largest_amount(rules) > vehicle.capacity[0],
        "no capacity": vehicle.capacity[0] < 1e-9,
        "costs of time": vehicle.duration_cost > 0 or vehicle.travel_cost > 0,
        "costs of service": any(each.service_cost > 0 for each in rules.vehicles),
        "given costs of legs": rules.costs is not None,
        "breaks": any(each.breaks for each in rules.vehicles),
        "setups": rules.has_setups,
        "services that differ by vehicle": rules.service_by_type is not None,
        "several vehicle types": len({_but_depot(each) for each in rules.vehicles}) > 1,
        "routes without a start": vehicle.start is None,
        "routes that end elsewhere": any(
            each.end not in (each.start, None) or (each.end is None) != (vehicle.end is None)
            for each in rules.vehicles
        ),
        "several types at a depot": len({each.start for each in rules.vehicles})
        < len(rules.vehicles),
        f"more than {MAX_DEPOTS} depots": len(rules.vehicles) > MAX_DEPOTS,
    }
    return next((words for words, refused in refusals.items() if refused), None)


def _but_depot(vehicle: VehicleType) -> tuple[object, ...]:
    """What all vehicle types must share."""
    return (
        vehicle.start is None,
        vehicle.max_stops,
        vehicle.max_travel_time,
        vehicle.duration_cost,
        vehicle.travel_cost,
        vehicle.capacity,
        vehicle.window,
        vehicle.max_duration,
        vehicle.max_distance,
        vehicle.speed,
        vehicle.fixed_cost,
        vehicle.distance_cost,
    )


def make_rule_batch(instances: Sequence[Instance], num_nodes: int) -> RuleBatch:
    """Pads instances into one batch; the nodes of each are its types' depots, then customers.

    Args:
        instances: B instances that a policy covers, plain ones among them.
        num_nodes: M, at least the largest D + N among them.
    """
    count = len(instances)
    empty = Batch(
        coords_unit=np.zeros((count, num_nodes, 2), np.float32),
        demand=np.zeros((count, num_nodes), np.float32),
        capacity=np.zeros(count, np.float32),
        valid=np.zeros((count, num_nodes), np.bool_),
    )
    neutral = as_rules(empty)  # some of its arrays are the same one
    batch = neutral.each(np.copy)
    for row, instance in enumerate(instances):
        _fill(batch, row, instance)
    return batch


def instance_of(batch: RuleBatch, row: int) -> Instance:
    """A problem of a batch as an instance: what keeps its limits keeps those of the batch.

    Lengths and times are sides of the square. Times and limits are once more `SLACK` shorter, since
    policies add them up in float32.
    """
    depots, size = int(batch.num_depots[row]), int(batch.valid[row].sum())
    opening = batch.opening[row, :size].astype(np.float64)
    closing = _bounded(batch.closing[row, :size])
    limit = float(_bounded(batch.limit[row]))
    timed = bool(batch.limit_has_service[row])
    vehicles = tuple(
        VehicleType(
            id=str(depot),
            capacity=(float(batch.capacity[row]),),
            start=depot,
            end=None if batch.open_end[row] else depot,
            window=(float(opening[depot]), float(closing[depot])),
            max_distance=math.inf if timed else limit,
            max_duration=limit if timed else math.inf,
        )
        for depot in range(depots)
    )
    columns = plain_columns(size - depots) | {
        "delivery": batch.demand[row, depots:size, None].astype(np.float64),
        "pickup": batch.pickup[row, depots:size, None].astype(np.float64),
        "windows": np.stack((opening[depots:], closing[depots:]), axis=1)[:, None],
        "service": batch.service[row, depots:size].astype(np.float64),
    }
    constraints = Constraints(
        depots=tuple(Depot(id=str(depot)) for depot in range(depots)),
        vehicles=vehicles,
        backhauls="last" if batch.backhauls_last[row] else "mixed",
        pickup_only_routes=bool(batch.pickup_only[row]),
        **columns,
    )
    return Instance(
        name=str(row),
        coords=batch.coords_unit[row, :size].astype(np.float64),
        ids=tuple(range(1, size - depots + 1)),
        constraints=constraints,
        **constraints.shown(),
    )


def _bounded(ends: NDArray[np.float32]) -> Float64:
    """Closing times or limits with `SLACK`, infinite where there is none."""
    exact = np.asarray(ends, np.float64)
    return np.where(exact < FAR / 2, exact - SLACK, math.inf)


def policy_nodes(instance: Instance) -> NDArray[np.int64]:
    """The instance's node for each node of a policy, [D + N] int64: depots of types first."""
    rules = instance.constraints
    if rules is None:
        return np.arange(instance.num_customers + 1)
    depots = [vehicle.start or 0 for vehicle in rules.vehicles]
    return np.array([*depots, *range(rules.num_depots, rules.num_nodes)])


def _fill(batch: RuleBatch, row: int, instance: Instance) -> None:
    nodes = policy_nodes(instance)
    size, depots = len(nodes), len(nodes) - instance.num_customers
    batch.coords_unit[row, :size], side = place_in_square(instance, nodes)
    batch.valid[row, :size], batch.num_depots[row] = True, depots
    rules = instance.constraints
    if rules is None:
        whole, limit = whole_demands(instance.demand, instance.capacity)
        batch.demand[row, :size], batch.capacity[row] = whole, limit
        return
    _fill_loads(batch, row, rules, slice(depots, size))
    vehicle = rules.vehicles[0]
    batch.open_end[row] = vehicle.end is None
    batch.backhauls_last[row] = rules.backhauls == "last"
    batch.pickup_only[row] = rules.pickup_only_routes
    pace = rules.speed * vehicle.speed / side  # sides of the square in a unit of time
    if vehicle.max_distance < math.inf:
        batch.limit[row] = min(vehicle.max_distance / side - SLACK, FAR)
    elif vehicle.max_duration < math.inf:
        batch.limit[row] = min(vehicle.max_duration * pace - SLACK, FAR)
        batch.limit_has_service[row] = True
    batch.service[row, depots:size] = np.minimum(rules.service * pace, FAR)
    windows = np.concatenate(([_open(rules, each) for each in rules.vehicles], rules.windows[:, 0]))
    begin = _begin(windows, depots, 2.0 / pace)
    opening = np.maximum(windows[:, 0] - begin, 0.0) * pace
    batch.opening[row, :size] = np.minimum(opening, FAR)
    batch.closing[row, :size] = np.minimum((windows[:, 1] - begin) * pace - SLACK, FAR)


def _fill_loads(batch: RuleBatch, row: int, rules: Constraints, places: slice) -> None:
    amounts = np.concatenate((rules.delivery[:, 0], rules.pickup[:, 0]))
    whole, limit = whole_demands(amounts, rules.vehicles[0].capacity[0])
    half = len(amounts) // 2
    batch.demand[row, places], batch.pickup[row, places] = whole[:half], whole[half:]
    batch.capacity[row] = max(limit, 1.0)


def _has_windows(rules: Constraints) -> bool:
    return bool(np.isfinite(rules.windows[:, 0]).any())


def _largest_amount(rules: Constraints) -> float:
    return float(max(rules.delivery.max(initial=0.0), rules.pickup.max(initial=0.0)))


def _begin(windows: Float64, depots: int, way: float) -> float:
    """The time that counts as 0: clocks may count from long ago.

    Args:
        windows: [D + N, 2] float64.
        depots: D.
        way: Time of the longest way there may be.
    """
    opens = float(windows[:depots, 0].min())
    opens = opens if opens > -math.inf else 0.0
    return max(opens, float(windows[depots:, 0].min()) - way)  # nobody need be there before


def _open(rules: Constraints, vehicle: VehicleType) -> tuple[float, float]:
    """When a vehicle may leave first, and has to be back, or have done its last service."""
    early, late = vehicle.window
    depot = rules.depots[vehicle.start or 0].window
    return max(early, depot[0]), late if vehicle.end is None else min(late, depot[1])
