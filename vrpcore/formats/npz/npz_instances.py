"""Instances in arrays: which layout an archive has, and each row as a JSON object would be."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from vrpcore.errors import InstanceError, fault
from vrpcore.formats.archive import Arrays, check_array, check_numbers, shown_shape
from vrpcore.instance.instance import Float64
from vrpcore.instance.shares import stated_amounts

_COSTS = ("ref_cost", "cost", "pyvrp_cost")
_OWN = "coords [B, N+1, 2], demand [B, N+1] and capacity"
_RL4CO = "locs [B, N, 2], depot [B, 2], demand [B, N] and capacity"
_EXPECTED = f"expected {_OWN}; or as RL4CO's CVRP {_RL4CO}; or the arrays of RouteFinder's sets"
_SHARE = 1e-6  # of a capacity: what float32 makes of a whole number that was divided by it
# Of RouteFinder's sets.
_BACKHAULS = ("mixed", "last", "mixed")  # class 0 has none
_KINDS = "biuf"  # of numpy's, truth values among them
_SINGLE = ("num_depots", "open", "backhaul_class", "capacity_units")


def npz_objects(arrays: Arrays, prefix: str) -> Iterator[dict[str, object]]:
    """The instances of an archive, each an object as in JSON, to be validated as such.

    Args:
        arrays: All that the archive has.
        prefix: Names are `<prefix>-<number>`.

    Returns:
        One object for each row, made as it is asked for.

    Raises:
        InstanceError: An array is missing, or is no numbers, or has another shape; the message
            names it.
    """
    if "coords_unit" in arrays:
        message = "these are labels of variants, which only training reads"
        raise fault("coords_unit", message, "FORMAT")
    if "linehaul" in arrays:
        rows = routefinder_objects(arrays)
    elif "locs" in arrays:
        rows = _rl4co_objects(arrays)
    else:
        rows = _own_objects(arrays)
    return ({"name": f"{prefix}-{row}", **found} for row, found in enumerate(rows))


def known_costs(arrays: Arrays, count: int) -> list[float | None]:
    """The known cost of each of the instances; None where the archive has none.

    Raises:
        InstanceError: There are more or fewer of them.
    """
    name = next((each for each in _COSTS if each in arrays), None)
    if name is None:
        return [None] * count
    costs = arrays[name]
    if costs.dtype.kind not in "iuf" or costs.shape != (count,):
        found = f"{costs.dtype} {shown_shape(costs)}"
        raise fault(name, f"{found}, expected one number for each of {count} instances", "FORMAT")
    return [None if np.isnan(cost) else cost for cost in costs.astype(np.float64).tolist()]


def _own_objects(arrays: Arrays) -> Iterator[dict[str, object]]:
    coords, demand, capacity = _needed(arrays, ("coords", "demand", "capacity"))
    count, nodes = _size("coords", coords, "[B, N+1, 2]")
    check_array("demand", demand, (count, nodes))
    sizes = arrays.get("num_customers", np.full(count, nodes - 1))
    check_array("num_customers", sizes, (count,), "iu")
    if count and (sizes.min() < 0 or sizes.max() >= nodes):
        raise fault("num_customers", f"not all in 0..{nodes - 1}", "FORMAT")
    tours = arrays.get("tour")
    if tours is not None:
        check_numbers("tour", tours, "iu")
        if tours.ndim != 2 or len(tours) != count:
            raise fault("tour", f"shape {shown_shape(tours)}, expected [{count}, T]", "FORMAT")
    limits = _capacities(capacity, count)

    def rows() -> Iterator[dict[str, object]]:
        for row in range(count):
            end = int(sizes[row]) + 1
            found = _plain(coords[row, :end], stated_amounts(demand[row, 1:end]), limits[row])
            yield found if tours is None else {**found, "routes": _routes(tours[row])}

    return rows()


def _rl4co_objects(arrays: Arrays) -> Iterator[dict[str, object]]:
    """RL4CO's sets have units, what its generator returns has shares of the capacity.

    Source:
        Berto et al. 2023, "RL4CO", arXiv:2306.17100.
    """
    locs, depot, demand, capacity = _needed(arrays, ("locs", "depot", "demand", "capacity"))
    others = sorted(set(arrays) - {"locs", "depot", "demand", "capacity", *_COSTS})
    if others:
        message = f"unknown in a CVRP, expected only {_RL4CO}; remove it if it means nothing"
        raise fault(others[0], message, "FORMAT")
    count, stops = _size("locs", locs, "[B, N, 2]")
    check_array("depot", depot, (count, 2))
    check_array("demand", demand, (count, stops))
    limits = _capacities(capacity, count)
    stated = np.array([stated_amounts(each) for each in demand]).reshape(demand.shape)
    units = _units(stated, limits)

    def rows() -> Iterator[dict[str, object]]:
        for row in range(count):
            coords = np.concatenate((depot[row, None], locs[row]))
            yield _plain(coords, units[row], limits[row])

    return rows()


def _units(demand: Float64, capacity: Float64) -> Float64:
    """[B, N] demands in units, also where all of them are shares of the capacity."""
    shares = demand.size and demand.min() >= 0 and demand.max() <= 1
    if not shares or np.array_equal(demand, np.rint(demand)):
        return demand
    with np.errstate(all="ignore"):  # what is not finite is found in its row
        units = demand * capacity[:, None]
        whole = np.rint(units)
        found: Float64 = np.where(np.abs(units - whole) <= _SHARE * capacity[:, None], whole, units)
    return found


def _plain(
    coords: NDArray[np.generic], demand: NDArray[np.generic], capacity: float
) -> dict[str, object]:
    return {
        "capacity": float(capacity),
        "depot": coords[0].tolist(),
        "coords": coords[1:].tolist(),
        "demands": demand.tolist(),
    }


def _routes(tour: NDArray[np.generic]) -> list[list[int]]:
    """The customers between zeros."""
    parts = np.split(tour, np.flatnonzero(tour == 0))
    routes = [[node for node in part.tolist() if node] for part in parts]
    return [route for route in routes if route]


def _needed(arrays: Arrays, names: tuple[str, ...]) -> list[NDArray[np.generic]]:
    missing = [name for name in names if name not in arrays]
    if missing:
        found = ", ".join(sorted(arrays)) or "nothing"
        message = f"lacks {', '.join(missing)}; found {found[:200]}; {_EXPECTED}"
        raise InstanceError(message, code="FORMAT")
    for name in names:
        check_numbers(name, arrays[name])
    return [arrays[name] for name in names]


def _size(name: str, coords: NDArray[np.generic], expected: str) -> tuple[int, int]:
    """B and the number of places of each, at least one."""
    if coords.ndim != 3 or coords.shape[2] != 2 or not coords.shape[1]:
        raise fault(name, f"shape {shown_shape(coords)}, expected {expected}", "FORMAT")
    return coords.shape[0], coords.shape[1]


def _capacities(capacity: NDArray[np.generic], count: int) -> Float64:
    """[B] float64 of one number, or of one for each instance."""
    if capacity.shape not in ((), (1,), (count,), (count, 1)):
        message = f"shape {shown_shape(capacity)}, expected one number or [{count}]"
        raise fault("capacity", message, "FORMAT")
    found: Float64 = np.broadcast_to(stated_amounts(capacity, limit=True).ravel(), (count,))
    return found


def routefinder_objects(arrays: Arrays) -> Iterator[dict[str, object]]:
    """The instances of a set; there is no rounding.

    Places are float32 in the unit square, and lengths and times their float64 distances. PyVRP
    found the costs that come with them within 10 to 20 s with rounded numbers: its routes may be
    late, or longer than their limit, by up to 0.003, so that a gap may be slightly negative, or 0
    out of reach.

    Args:
        arrays: `locs` [B, D+N, 2], depots first; `linehaul` and, of some variants, `backhaul`
            [B, N] as shares of `capacity_units`; `num_depots`; `open`; `backhaul_class`: 0
            without, 1 after all deliveries, 2 mixed. Where there are limits, `limit` [B], the
            longest route; where there are windows, `tw` [B, N, 2], `service` [B, N] and
            `max_time`, until when depots are open.

    Returns:
        One object for each row, made as it is asked for.

    Raises:
        InstanceError: Their shapes do not fit, or one is missing.

    Source:
        Berto et al. 2024, "RouteFinder", arXiv:2406.15007.
    """
    _check_routefinder(arrays)
    return (_routefinder_object(arrays, row) for row in range(len(arrays["locs"])))


def _check_routefinder(arrays: Arrays) -> None:
    timed = ("max_time", "service") if "tw" in arrays else ()
    for name in ("locs", "linehaul", *_SINGLE, *timed):
        if name not in arrays:
            raise InstanceError(f"lacks {name}, which RouteFinder's sets have", code="FORMAT")
    linehaul = arrays["linehaul"]
    if linehaul.ndim != 2:
        raise fault("linehaul", f"shape {shown_shape(linehaul)}, expected [B, N]", "FORMAT")
    size, stops = linehaul.shape
    shapes: dict[str, tuple[int, ...]] = {
        **dict.fromkeys((*_SINGLE, "max_time"), ()),
        "linehaul": (size, stops),
        "backhaul": (size, stops),
        "limit": (size,),
        "tw": (size, stops, 2),
        "service": (size, stops),
    }
    for name in set(shapes) & set(arrays):
        check_array(name, arrays[name], shapes[name], _KINDS)
    depots, backhauls = (arrays[name].item() for name in ("num_depots", "backhaul_class"))
    if backhauls not in range(len(_BACKHAULS)):
        raise fault("backhaul_class", f"{backhauls}, expected 0, 1 or 2", "FORMAT")
    if depots < 1 or depots % 1:
        raise fault("num_depots", f"{depots}, expected a whole number, at least 1", "FORMAT")
    check_array("locs", arrays["locs"], (size, int(depots) + stops, 2), _KINDS)


def _is_plain(arrays: Arrays) -> bool:
    asks = int(arrays["num_depots"]) > 1 or bool(arrays["open"]) or "limit" in arrays
    return not asks and "tw" not in arrays and int(arrays["backhaul_class"]) == 0


def _routefinder_object(arrays: Arrays, row: int) -> dict[str, object]:
    places, depots = arrays["locs"][row].tolist(), int(arrays["num_depots"])
    demands, capacity = _amounts(arrays, "linehaul", row), arrays["capacity_units"].item()
    if _is_plain(arrays):
        return {"capacity": capacity, "depot": places[0], "coords": places[1:], "demands": demands}
    columns: dict[str, list[object]] = {"demand": demands}
    if "backhaul" in arrays:
        columns["pickup"] = _amounts(arrays, "backhaul", row)
    if "tw" in arrays:
        columns["window"] = arrays["tw"][row].tolist()
        columns["service"] = arrays["service"][row].tolist()
    until = {"window": [0, arrays["max_time"].item()]} if "tw" in arrays else {}
    found: dict[str, object] = {
        "depots": [
            {"id": str(depot), "x": x, "y": y, **until}
            for depot, (x, y) in enumerate(places[:depots])
        ],
        "customers": [
            {"x": x, "y": y, **dict(zip(columns, values, strict=True))}
            for (x, y), *values in zip(places[depots:], *columns.values(), strict=True)
        ],
        "backhauls": _BACKHAULS[int(arrays["backhaul_class"])],
    }
    if depots == 1 and "limit" not in arrays:
        return found | {"capacity": capacity, "return_to_depot": not bool(arrays["open"])}
    vehicle: dict[str, object] = {"capacity": capacity}
    if "limit" in arrays:
        vehicle["max_distance"] = arrays["limit"][row].item()
    if bool(arrays["open"]):
        vehicle["end"] = None
    starts = [str(depot) for depot in range(depots)]
    return found | {"vehicles": [{"id": each, "start": each, **vehicle} for each in starts]}


def _amounts(arrays: Arrays, key: str, row: int) -> list[object]:
    """[N] in whole units."""
    shares = arrays[key][row].astype(np.float64)
    with np.errstate(all="ignore"):  # what is not finite is found as in JSON
        whole: list[object] = np.rint(shares * float(arrays["capacity_units"])).tolist()
    return whole
