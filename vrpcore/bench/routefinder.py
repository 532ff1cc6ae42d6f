"""RouteFinder's generated test sets, 48 variants in arrays, as instances."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from vrpcore.instance.constraints import Backhauls, Constraints, plain_columns
from vrpcore.instance.instance import Float64, Instance
from vrpcore.instance.vehicle_types import ALWAYS, Depot, VehicleType

Arrays = Mapping[str, np.ndarray[Any, Any]]
_BACKHAULS: tuple[Backhauls, ...] = ("mixed", "last", "mixed")  # class 0 has none


def is_routefinder(arrays: Arrays) -> bool:
    """Whether an archive has what `routefinder_instances` reads."""
    return "locs" in arrays


def routefinder_instances(arrays: Arrays, prefix: str) -> list[tuple[Instance, float | None]]:
    """Instances and PyVRP's costs of them; there is no rounding.

    Places are float32 in the unit square, and lengths and times their float64 distances. PyVRP
    found the costs within 10 to 20 s with rounded numbers: its routes may be late, or longer than
    their limit, by up to 0.003, so that a gap may be slightly negative, or 0 out of reach.

    Args:
        arrays: `locs` [B, D+N, 2], depots first; `linehaul` and, of some variants, `backhaul`
            [B, N] as shares of `capacity_units`; `num_depots`; `open`; `backhaul_class`: 0
            without, 1 after all deliveries, 2 mixed. Where there are limits, `limit` [B], the
            longest route; where there are windows, `tw` [B, N, 2], `service` [B, N] and
            `max_time`, until when depots are open. `pyvrp_cost` [B] where known.
        prefix: Names are `<prefix>-<number>`.

    Raises:
        ValueError: Their shapes do not fit.
        KeyError: One is missing.

    Source:
        Berto et al. 2024, "RouteFinder", arXiv:2406.15007.
    """
    size, stops = arrays["linehaul"].shape
    depots = int(arrays["num_depots"])
    if arrays["locs"].shape != (size, depots + stops, 2):
        raise ValueError(f"locs {arrays['locs'].shape}, expected {(size, depots + stops, 2)}")
    for name, shape in _shapes(arrays, size, stops).items():
        if arrays[name].shape != shape:
            raise ValueError(f"{name} {arrays[name].shape}, expected {shape}")
    costs = arrays.get("pyvrp_cost")
    known = [None] * size if costs is None else costs.astype(np.float64).tolist()
    return [(_instance(arrays, row, f"{prefix}-{row}"), known[row]) for row in range(size)]


def _shapes(arrays: Arrays, size: int, stops: int) -> dict[str, tuple[int, ...]]:
    """Of the arrays that not all variants have."""
    shapes: dict[str, tuple[int, ...]] = {
        "backhaul": (size, stops),
        "limit": (size,),
        "tw": (size, stops, 2),
        "service": (size, stops),
        "pyvrp_cost": (size,),
    }
    return {name: shape for name, shape in shapes.items() if name in arrays}


def _instance(arrays: Arrays, row: int, name: str) -> Instance:
    coords = arrays["locs"][row].astype(np.float64)
    stops, depots = arrays["linehaul"].shape[1], int(arrays["num_depots"])
    ids = tuple(range(1, stops + 1))
    delivery, pickup = (_amounts(arrays, key, row) for key in ("linehaul", "backhaul"))
    capacity = float(arrays["capacity_units"])
    if _is_plain(arrays):
        demand = np.concatenate((np.zeros(depots), delivery))
        return Instance(name=name, capacity=capacity, coords=coords, demand=demand, ids=ids)
    columns = {"delivery": delivery[:, None], "pickup": pickup[:, None]}
    if "tw" in arrays:
        columns["windows"] = arrays["tw"][row].astype(np.float64)[:, None]
        columns["service"] = arrays["service"][row].astype(np.float64)
    limit = float(arrays["limit"][row]) if "limit" in arrays else math.inf
    window = (0.0, float(arrays["max_time"])) if "tw" in arrays else ALWAYS
    constraints = Constraints(
        depots=tuple(Depot(id=str(depot), window=window) for depot in range(depots)),
        vehicles=tuple(
            VehicleType(
                id=str(depot),
                capacity=(capacity,),
                start=depot,
                end=None if bool(arrays["open"]) else depot,
                max_distance=limit,
            )
            for depot in range(depots)
        ),
        backhauls=_BACKHAULS[int(arrays["backhaul_class"])],
        listed_vehicles=depots > 1 or limit < math.inf,
        **(plain_columns(stops) | columns),
    )
    shown = constraints.shown()
    return Instance(name=name, coords=coords, ids=ids, constraints=constraints, **shown)


def _is_plain(arrays: Arrays) -> bool:
    asks = int(arrays["num_depots"]) > 1 or bool(arrays["open"]) or "limit" in arrays
    return not asks and "tw" not in arrays and int(arrays["backhaul_class"]) == 0


def _amounts(arrays: Arrays, key: str, row: int) -> Float64:
    """[N] whole; zeros where a variant has none."""
    if key not in arrays:
        return np.zeros(arrays["linehaul"].shape[1])
    whole: Float64 = np.rint(arrays[key][row].astype(np.float64) * float(arrays["capacity_units"]))
    return whole
