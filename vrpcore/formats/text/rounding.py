"""The conventions under which known costs of public instances are stated.

A convention changes numbers of an instance and not its unit: `dimacs` makes a leg of 12.37
one of 12.3 and not of 123, so costs and times are reported in the file's unit whatever is chosen,
and nothing behind the readers has to know that there is a scale. The lengths of legs become a
matrix, because no metric has them; `round` and `none` need none.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from vrpcore.formats.options import Rounding
from vrpcore.instance.attributes import ROUNDED, attributes_of
from vrpcore.instance.constraints import Constraints
from vrpcore.instance.instance import Float64, Instance
from vrpcore.instance.vehicle_types import Depot, VehicleType

_Item = TypeVar("_Item", Depot, VehicleType)

_RULES: Mapping[str, Callable[[Any], Any]] = {
    "round": lambda values: np.floor(values + 0.5),
    "trunc": np.trunc,
    "dimacs": lambda values: np.trunc(values * 10.0) / 10.0,
    "exact": lambda values: np.floor(values * 1000.0 + 0.5) / 1000.0,
}


def round_instance(instance: Instance, rounding: Rounding) -> Instance:
    """An instance under a convention.

    Args:
        instance: From a text format; lengths of `euc_2d` are rounded, of `euclidean` not.
        rounding: `auto` leaves it as it is, `none` lengths of `euc_2d` unrounded; others
            change lengths, times, prizes, fixed costs and limits of routes, but no amounts
            and no costs per unit: `round` to the nearest whole number, halves up, `trunc` to
            the next towards 0, `dimacs` to the next tenth towards 0, `exact` to the nearest
            thousandth.

    Returns:
        It, in the same unit.
    """
    if rounding == "auto":
        return instance
    if rounding == "none":
        rounded = instance.distances is None and instance.metric == "euc_2d"
        return replace(instance, metric="euclidean") if rounded else instance
    rule = _RULES[rounding]
    constraints = instance.constraints
    if constraints is not None:
        constraints = _round_constraints(constraints, rule)
    if instance.distances is None and rounding == "round":
        lengths, metric = None, instance.metric
        instance = replace(instance, metric="euc_2d" if metric == "euclidean" else metric)
    elif instance.distances is None and instance.metric == "ceil_2d":
        lengths = None  # whole numbers
    else:
        lengths = rule(_lengths(instance))
    if constraints is not None and constraints.speed != 1 and constraints.durations is None:
        unrounded = _lengths(instance)
        constraints = replace(constraints, durations=rule(unrounded / constraints.speed))
    return replace(instance, distances=lengths, constraints=constraints)


def _lengths(instance: Instance) -> Float64:
    """[M, M] float64, unrounded."""
    if instance.distances is not None:
        return instance.distances
    coords: Any = instance.coords  # there, where there are no distances
    x, y = coords.T
    squares: Float64 = np.subtract.outer(x, x) ** 2
    squares += np.subtract.outer(y, y) ** 2
    return np.sqrt(squares, out=squares)


def _round_constraints(constraints: Constraints, rule: Callable[[Any], Any]) -> Constraints:
    durations = constraints.durations
    return replace(
        constraints,
        depots=tuple(_round_item(depot, rule) for depot in constraints.depots),
        vehicles=tuple(_round_item(vehicle, rule) for vehicle in constraints.vehicles),
        windows=rule(constraints.windows),
        durations=None if durations is None else rule(durations),
        **_rounded(constraints, rule),
    )


def _round_item(item: _Item, rule: Callable[[Any], Any]) -> _Item:
    opens, closes = item.window
    numbers: dict[str, Any] = {name: float(value) for name, value in _rounded(item, rule).items()}
    return replace(item, window=(float(rule(opens)), float(rule(closes))), **numbers)


def _rounded(item: Constraints | Depot | VehicleType, rule: Callable[[Any], Any]) -> dict[str, Any]:
    """Its numbers of such units, or columns of them, rounded."""
    kind: type = type(item)
    found = {
        each.name: getattr(item, each.name) for each in attributes_of(kind) if each.unit in ROUNDED
    }
    return {name: rule(value) for name, value in found.items() if value is not None}
