"""Instances with constraints in the whole numbers that rivals work with."""

import math
from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vrpcore.cost.leg_matrices import matrices_of
from vrpcore.instance.constraints import Constraints
from vrpcore.instance.instance import Float64, Instance
from vrpcore.instance.vehicle_types import Depot, VehicleType

Int64 = NDArray[np.int64]
UNLIMITED = 2**50
_DECIMALS = range(7)
_LONGEST = 1e5  # of the legs, scaled, where no scale makes everything whole: PyVRP searches best
_LENIENT_LONGEST = 1e9
_ROUNDED = 1e-6  # of a scaled unit: what rounding in float64 has added
_SPARE = {False: (3.0, 3), True: (2.0, 4)}  # of several types: see `vehicle_number`
_SPARE_VEHICLES = 5
# What the models read, or what changes no answer that serves everybody.
_READ = {
    Constraints: {
        *("depots", "vehicles", "num_shipments", "delivery", "pickup", "shipment", "windows"),
        *("service", "release", "prize", "skills", "allowed", "speed", "durations", "matrices"),
        *("backhauls", "pickup_only_routes", "priority", "places", "goods", "counts_stops"),
        *("listed_amounts", "listed_vehicles"),
    },
    VehicleType: {
        *("id", "count", "capacity", "start", "end", "window", "skills", "speed", "matrix"),
        *("max_duration", "max_travel_time", "max_distance", "max_stops", "fixed_cost"),
        *("distance_cost", "duration_cost", "travel_cost"),
    },
    Depot: {"id", "window"},
}


class CannotExpressError(Exception):
    """A rival has nothing for something in the instance; the message names it."""


class Whole:
    """Numbers of an instance in whole units.

    Where no power of ten makes lengths and times whole they are rounded, so that what is
    feasible in whole numbers is for the instance, too, or, if `lenient`, the converse.

    Args:
        instance: With constraints.
        lenient: See above.

    Attributes:
        instance: The same.
        types: Indices of the vehicle types that have vehicles.
        scale: Units of length and time in one of the instance's.
        unit_scale: Units of cost per unit of length, scaled, in one of the instance's.
        exact: Whether all numbers are whole when scaled.
        horizon: The largest number among legs, limits and times.

    Raises:
        CannotExpressError: Costs per unit, or amounts, have too many digits; or something is given
            that the models of rivals do not read, such as breaks.
    """

    def __init__(self, instance: Instance, *, lenient: bool = False) -> None:
        constraints = instance.own_constraints
        _check_expressible(constraints)
        self.instance = instance
        self.types = [index for index, each in enumerate(constraints.vehicles) if each.count != 0]
        used = [constraints.vehicles[index] for index in self.types]
        matrices = [array for each in used for array in matrices_of(instance, each)]
        if not all(np.isfinite(each).all() for each in matrices):
            raise CannotExpressError("missing roads")
        numbers = _numbers(constraints, used, matrices)
        known = _power(numbers)
        self.exact = known is not None
        longest = max([1e-9, *(float(each.max(initial=0.0)) for each in matrices)])
        most = _LENIENT_LONGEST if lenient else _LONGEST
        self.scale = known or 10.0 ** math.floor(math.log10(most / longest))
        self._lenient = lenient and not self.exact
        self.horizon = math.ceil(float(numbers.max(initial=0.0)) * self.scale)
        costs = np.array([(e.distance_cost, e.duration_cost, e.travel_cost) for e in used])
        unit, self._load_scale = _power(costs.ravel()), _amount_scale(constraints, used)
        if unit is None:
            raise CannotExpressError("costs of a unit with many digits")
        self.unit_scale = unit

    @property
    def cost_scale(self) -> float:
        """Units of cost in one of the instance's."""
        return self.unit_scale * self.scale

    def up(self, values: ArrayLike) -> Int64:
        """Round up: durations, and times of opening."""
        scaled = np.asarray(values) * self.scale
        if self._lenient:
            return np.floor(scaled + _ROUNDED).astype(np.int64)
        return np.ceil(scaled - _ROUNDED).astype(np.int64)

    def down(self, value: float) -> int:
        """Round down: limits, and times of closing."""
        if value > UNLIMITED / self.scale:
            return UNLIMITED
        scaled = value * self.scale
        return math.ceil(scaled - _ROUNDED) if self._lenient else math.floor(scaled + _ROUNDED)

    def load(self, amounts: Sequence[float] | Float64, factor: float = 1.0) -> list[int]:
        """Amounts or capacities as whole numbers, by dimension.

        Args:
            amounts: [L].
            factor: Of all of them alike, for solvers that look at their size.
        """
        scale = self._load_scale * factor
        return [round(min(float(each), UNLIMITED / scale) * scale) for each in amounts]

    def cost(self, value: float) -> int:
        """A fixed cost or a prize."""
        return round(value * self.cost_scale)

    def matrices(self, vehicle: VehicleType) -> tuple[Int64, Int64]:
        """Lengths and durations of all legs for a vehicle type, [M, M] each.

        Lengths are rounded to the nearest; upwards where they are limited.
        """
        lengths, times = matrices_of(self.instance, vehicle)
        limited = any(
            math.isfinite(each.max_distance) for each in self.instance.own_constraints.vehicles
        )
        if limited:
            return self.up(lengths), self.up(times)
        return np.rint(lengths * self.scale).astype(np.int64), self.up(times)


def _check_expressible(constraints: Constraints) -> None:
    """Refuse whatever is given beyond the fields that the models of rivals read."""
    items: Sequence[Constraints | VehicleType | Depot]
    items = (constraints, *constraints.vehicles, *constraints.depots)
    for item in items:
        for each in fields(item):
            default = each.metadata.get("declared", {}).get("default", each.default)
            value = getattr(item, each.name)
            is_given = value is not None and bool(np.any(value != default))
            if is_given and each.name not in _READ[type(item)]:
                raise CannotExpressError(each.name)
    if any(each.costs is not None for each in constraints.matrices.values()):
        raise CannotExpressError("costs")


def vehicle_number(constraints: Constraints, vehicle: VehicleType) -> int:
    """Return the number of vehicles of a type for a solver that requires one.

    Too many vehicles cost OR-Tools its search: of two instances with three depots and 100
    customers its gaps after 1 s were 41 and 50 % with one a customer, 4 and 13 % with a quarter of
    that. Where there are as many as needed it gets, of one type, three times what the loads fill
    and five, of each of several twice; where windows or limits end routes, too, five more, and at
    least one for three or four customers. PyVRP's routes for RouteFinder's sets use at most nine
    tenths of that at any depot.

    Args:
        constraints: Of the instance.
        vehicle: One of its types.
    """
    stops = constraints.num_stops - constraints.num_shipments
    if vehicle.count is not None and vehicle.count < stops:
        return vehicle.count
    if constraints.num_shipments:
        return stops
    share, customers = _SPARE[len(constraints.vehicles) > 1]
    total = np.maximum(constraints.delivery.sum(axis=0), constraints.pickup.sum(axis=0))
    filled = [t / c for t, c in zip(total, vehicle.capacity, strict=True) if t > 0]
    number = math.ceil(share * max(filled, default=0.0)) + _SPARE_VEHICLES
    if np.isfinite(constraints.windows[:, 0]).any() or _has_limits(vehicle):
        number = max(number + _SPARE_VEHICLES, math.ceil(stops / customers))
    return min(stops, number)


def passes_backhauls(constraints: Constraints) -> bool:
    """Return whether no arc bars a path from a pickup to a delivery, by a stop with neither.

    Args:
        constraints: Of the instance.
    """
    has_amounts = constraints.delivery.any(axis=1) | constraints.pickup.any(axis=1)
    return constraints.backhauls == "last" and not bool(has_amounts.all())


def opening(constraints: Constraints, vehicle: VehicleType) -> float:
    """The earliest departure of a vehicle."""
    depot = -math.inf if vehicle.start is None else constraints.depots[vehicle.start].window[0]
    return max(vehicle.window[0], depot)


def closing(constraints: Constraints, vehicle: VehicleType) -> float:
    """The latest return of a vehicle, or end of its last service."""
    depot = math.inf if vehicle.end is None else constraints.depots[vehicle.end].window[1]
    return min(vehicle.window[1], depot)


def fewest_first(instance: Instance) -> Instance:
    """The fleet with a further fixed cost for each vehicle that is more than any route saves.

    That is the sum of the dearest legs to every stop, and from it to a depot, and of all prizes,
    rounded up to one digit.

    Args:
        instance: With constraints.
    """
    constraints, depots = instance.own_constraints, instance.num_depots
    dearest = np.zeros((constraints.num_nodes, constraints.num_nodes))
    for each in constraints.vehicles:
        lengths, times = matrices_of(instance, each)
        costs = lengths * each.distance_cost + times * (each.travel_cost + each.duration_cost)
        np.maximum(dearest, costs, out=dearest)
    dearest_legs = dearest[:, depots:].max(axis=0) + dearest[depots:, :depots].max(axis=1)
    prizes = constraints.prize[np.isfinite(constraints.prize)]
    most = max(1.0, float(dearest_legs.sum() + prizes.sum()))
    digit = 10.0 ** math.floor(math.log10(most))
    first = digit * math.ceil(most / digit)
    vehicles = tuple(
        replace(each, fixed_cost=each.fixed_cost + first) for each in constraints.vehicles
    )
    return replace(instance, constraints=replace(constraints, vehicles=vehicles))


def _has_limits(vehicle: VehicleType) -> bool:
    limits = (vehicle.max_duration, vehicle.max_travel_time, vehicle.max_distance)
    return any(math.isfinite(each) for each in (*limits, vehicle.max_stops, vehicle.window[1]))


def _numbers(
    constraints: Constraints, used: Sequence[VehicleType], matrices: Sequence[Float64]
) -> Float64:
    """All finite lengths and times."""
    limits = [
        limit
        for each in used
        for limit in (each.max_duration, each.max_travel_time, each.max_distance, *each.window)
    ]
    limits += [time for each in constraints.depots for time in each.window]
    columns = (constraints.windows, constraints.service, constraints.release)
    found = np.concatenate([np.array(limits), *(each.ravel() for each in (*matrices, *columns))])
    finite: Float64 = found[np.isfinite(found)]
    return finite


def _amount_scale(constraints: Constraints, used: Sequence[VehicleType]) -> float:
    capacities = np.array([each.capacity for each in used])
    amounts = [
        constraints.delivery,
        constraints.pickup,
        constraints.shipment,
        capacities[np.isfinite(capacities)],
    ]
    scale = _power(np.concatenate([np.ravel(each) for each in amounts]))
    if scale is None:
        raise CannotExpressError("amounts with many digits")
    return scale


def _power(numbers: Float64) -> float | None:
    """The least power of ten that makes numbers whole; None: none of few digits."""
    for digits in _DECIMALS:
        scaled = numbers * 10.0**digits
        if np.all(np.abs(scaled - np.rint(scaled)) <= _ROUNDED):
            return 10.0**digits
    return None
