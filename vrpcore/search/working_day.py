"""Input of the compiled search: trips, prices of lateness, alternatives and relations."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vrpcore.instance.attributes import attributes_of
from vrpcore.instance.constraints import Constraints
from vrpcore.instance.relations import CHAIN_ENDS, RELATION_KINDS, Balance

Array = NDArray[Any]
# Arrays with a row for each stop, behind which the depots follow where vehicles reload, and what
# these have there; by vehicle type with one column for each.
_ROWS: Mapping[str, float] = {
    **dict.fromkeys(("delivery", "pickup", "shipment", "weight"), 0.0),
    **dict.fromkeys(("stop_prize", "stop_due", "stop_max_wait", "stop_max_ride"), math.inf),
    "stop_release": -math.inf,
    "stop_late_cost": 0.0,
    "partner": -1.0,
    "first_trip": 0.0,
}

# Arrays that are 0 where nothing of a working day is asked for.
_PRESENT = ("overtime_cost", "late_cost", "depot_service", "board", "first_trip", "balance", "lifo")
# Those that are infinite there.
_LIMITS = ("stop_due", "stop_max_wait", "stop_max_ride", "max_wait_loaded")


def has_trips(constraints: Constraints) -> bool:
    """Return whether some vehicle may reload."""
    return any(each.reloads and each.max_reloads > 0 for each in constraints.vehicles)


def has_working_day(numbers: Mapping[str, float], arrays: Mapping[str, Array]) -> bool:
    """Return whether the search needs what is compiled for working days only.

    Args:
        numbers: Of `RichInput`.
        arrays: The same.
    """
    return (
        any(numbers[name] for name in ("trips", "vehicle_costs", "num_groups", "num_relations"))
        or any(np.any(arrays[name] > 0) for name in _PRESENT)
        or any(np.isfinite(arrays[name]).any() for name in _LIMITS)
    )


def day_numbers(constraints: Constraints) -> dict[str, int]:
    """The numbers of `RichInput` that these arrays need."""
    return {
        "trips": int(has_trips(constraints)),
        "vehicle_costs": int(constraints.vehicle_cost is not None),
        "num_groups": len(constraints.groups),
        "num_relations": len(constraints.relations),
    }


def day_arrays(constraints: Constraints, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """The arrays of `RichInput` that a working day adds or changes.

    Args:
        constraints: Of the instance.
        arrays: All others.
    """
    balance = constraints.balance or Balance()
    found = {
        **_prices(constraints),
        **_groups(constraints),
        **_relations(constraints),
        "lifo": _lifo(constraints),
        "balance": np.array([getattr(balance, each.name) for each in attributes_of(Balance)]),
        "board": np.array([constraints.board(each) for each in range(len(constraints.vehicles))]),
        "vehicle_cost": np.zeros(0)
        if constraints.vehicle_cost is None
        else constraints.vehicle_cost,
        **_on_board(constraints),
    }
    found |= _of_groups(constraints, arrays)
    if has_trips(constraints):
        found |= _with_reloads(constraints, {**arrays, **found})
    return found


def _lifo(constraints: Constraints) -> Array:
    """[T] bool: whether the vehicles of a type are unloaded in the reverse order of loading."""
    asked = np.array([each.loading == "lifo" for each in constraints.vehicles])
    return asked & (constraints.num_shipments > 0)


def _on_board(constraints: Constraints) -> dict[str, Array]:
    """Stops that are served in the first trip; goods on board are carried as shipments."""
    if constraints.on_board is None:
        return {"first_trip": np.zeros(constraints.num_stops)}
    known = constraints.on_board >= 0
    carried = np.where(known[:, None], constraints.delivery, 0.0)
    return {
        "first_trip": known * (1 + carried.any(axis=1)),
        "delivery": constraints.delivery - carried,
        "shipment": constraints.shipment - carried,
    }


def _end_by_rides(constraints: Constraints, windows: Array, last: Array) -> None:
    """Narrows windows of shipments, in place, to what their longest rides leave of them.

    Source: Cordeau 2006, "A Branch-and-Cut Algorithm for the Dial-a-Ride Problem".
    """
    types = range(len(constraints.vehicles))
    times = [(constraints.services(each), constraints.setups(each)) for each in types]
    most = np.max([own if more is None else own + more for own, more in times], axis=0)
    for second in np.flatnonzero(np.isfinite(constraints.max_ride)).tolist():
        if (partner := constraints.partner(second + 1)) is None:
            continue
        opens, closes = windows[second, 0], windows[partner - 1, last[partner - 1]]
        longest = most[partner - 1] + constraints.max_ride[second]
        soonest, latest = opens[0] - longest, closes[1] + longest
        own, other = windows[partner - 1, 0], windows[second, last[second]]
        own[0] = max(own[0], min(soonest, own[1]))
        other[1] = min(other[1], max(latest, other[0]))


def _prices(constraints: Constraints) -> dict[str, Array]:
    """Times from which lateness and overtime cost, and the most lateness allowed."""
    vehicles, windows = constraints.vehicles, constraints.windows.copy()
    last = np.isfinite(windows[:, :, 0]) | np.isneginf(windows[:, :, 0])
    rows, own = np.arange(len(windows)), np.maximum(last.sum(axis=1) - 1, 0)
    closes = windows[rows, own, 1]
    windows[rows, own, 1] = closes + constraints.max_late
    _end_by_rides(constraints, windows, own)
    priced = (constraints.max_late > 0) & (constraints.late_cost > 0) & np.isfinite(closes)
    ends = np.array([each.window[1] for each in vehicles])
    return {
        "windows": windows,
        "stop_due": np.where(priced, closes, math.inf),
        "stop_late_cost": np.where(priced, constraints.late_cost, 0.0),
        "late_from": ends,
        "late_cost": np.array([_price(each.max_late, each.late_cost) for each in vehicles]),
        "overtime_from": np.array([each.max_duration for each in vehicles]),
        "overtime_cost": np.array(
            [_price(each.max_overtime, each.overtime_cost) for each in vehicles]
        ),
        "depot_service": np.array([*(each.service for each in constraints.depots), 0.0]),
    }


def _price(most: float, cost: float) -> float:
    """The price of a limit that may be exceeded by at most so much."""
    return cost if most > 0 else 0.0


def _groups(constraints: Constraints) -> dict[str, Array]:
    group = np.full(constraints.num_stops, -1)
    for number, each in enumerate(constraints.groups):
        group[np.array(each.members) - 1] = number
    members = [[stop - 1 for stop in each.members] for each in constraints.groups]
    return {"group": group, **_lists("group_from", "members", members)}


def _of_groups(constraints: Constraints, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Prizes and weights, of alternatives those of their group."""
    prize, weight = arrays["stop_prize"].copy(), arrays["weight"].copy()
    for each in constraints.groups:
        rows = np.array(each.members) - 1
        prize[rows] = each.prize
        required = math.isinf(each.prize)
        weight[rows] = each.priority * (constraints.num_stops + 1) + 1 if required else 0
        for stop in each.members:
            if (partner := constraints.partner(stop)) is not None:
                prize[partner - 1] = each.prize
    return {"stop_prize": prize, "weight": weight}


def _relations(constraints: Constraints) -> dict[str, Array]:
    relations = constraints.relations
    own: list[list[tuple[int, int]]] = [[] for _ in range(constraints.num_stops)]
    for number, each in enumerate(relations):
        for rank, stop in enumerate(each.stops):
            own[stop - 1].append((number, rank))
    stops = [[stop - 1 for stop in each.stops] for each in relations]
    ranks = np.array([rank for pairs in own for _, rank in pairs], np.int32)
    numbers = [[number for number, _ in pairs] for pairs in own]
    return {
        "relation_kind": np.array([RELATION_KINDS.index(each.kind) for each in relations]),
        "relation_at": np.array(
            [0 if each.at is None else 1 + CHAIN_ENDS.index(each.at) for each in relations]
        ),
        **_lists("relation_from", "relation_stops", stops),
        **_lists("own_from", "own_relation", numbers),
        "own_rank": ranks,
    }


def _lists(begins: str, name: str, lists: Sequence[Sequence[int]]) -> dict[str, Array]:
    """Lists one behind the other, and where each begins."""
    joined = [number for each in lists for number in each]
    starts = np.cumsum([0, *(len(each) for each in lists)])
    return {begins: starts, name: np.array(joined, np.int32)}


def _with_reloads(constraints: Constraints, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Arrays of stops, and behind them the depots as places to reload."""
    depots = constraints.depots
    found = {name: _padded(arrays[name], len(depots), value) for name, value in _ROWS.items()}
    windows = _padded(arrays["windows"], len(depots), math.inf)
    windows[-len(depots) :, 0] = [depot.window for depot in depots]
    loading = np.array([depot.service for depot in depots])
    services, setups = np.atleast_2d(arrays["services"]), arrays["setups"]
    rows = np.tile(loading, (len(services), 1))
    allowed = [
        [depot in (each.reloads or ()) and each.max_reloads > 0 for depot in range(len(depots))]
        for each in constraints.vehicles
    ]
    return {
        **found,
        "windows": windows,
        "services": np.hstack((services, rows)),
        "setups": setups if setups.size == 0 else _widened(np.atleast_2d(setups), len(depots)),
        "allowed": np.hstack((arrays["allowed"], np.array(allowed))),
    }


def _widened(rows: Array, columns: int) -> Array:
    """Rows with so many zeros more."""
    return np.hstack((rows, np.zeros((len(rows), columns))))


def _padded(array: Array, rows: int, value: float) -> Array:
    """An array with so many rows more."""
    return np.concatenate((array, np.full((rows, *array.shape[1:]), value, array.dtype)))
