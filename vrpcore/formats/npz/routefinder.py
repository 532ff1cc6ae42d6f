"""RouteFinder's generated test sets, 48 variants in arrays, as objects of JSON."""

from collections.abc import Iterator

import numpy as np

from vrpcore.errors import InstanceError, fault
from vrpcore.formats.archive import Arrays, check_array, shown_shape

_BACKHAULS = ("mixed", "last", "mixed")  # class 0 has none
_KINDS = "biuf"  # of numpy's, truth values among them
_SINGLE = ("num_depots", "open", "backhaul_class", "capacity_units")


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
    _check(arrays)
    return (_object(arrays, row) for row in range(len(arrays["locs"])))


def _check(arrays: Arrays) -> None:
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


def _object(arrays: Arrays, row: int) -> dict[str, object]:
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
