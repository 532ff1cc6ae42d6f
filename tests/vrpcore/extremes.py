"""Documents of `documents.py` at other scales: valid numbers at the edge of what is read."""

import random

SCALES = (1e-80, 1e-30, 1e-9, 1e-6, 1e-3, 1, 1, 1e3, 1e6, 1e9, 1e12, 1e30, 1e80)
_TIMES = (
    "latest_start",
    "window",
    "windows",
    "release",
    "service",
    "setup",
    "duration",
    "max_duration",
    "max_overtime",
    "max_late",
    "max_wait",
    "max_ride",
    "max_wait_loaded",
)
_KINDS = {
    **dict.fromkeys(("x", "y", "depot", "coords", "distances", "max_distance"), "length"),
    **dict.fromkeys((*_TIMES, "max_travel_time", "durations", "services"), "time"),
    **dict.fromkeys(("service_by_vehicle", "setup_by_vehicle"), "time"),
    **dict.fromkeys(("demand", "pickup", "amount", "capacity", "max_load"), "amount"),
    **dict.fromkeys(("demands", "pickups", "initial_load"), "amount"),
    **dict.fromkeys(("fixed_cost", "prize", "prizes", "costs", "vehicle_cost"), "cost"),
    **dict.fromkeys(("distance_cost", "duration_cost", "travel_cost", "service_cost"), "rate"),
    **dict.fromkeys(("overtime_cost", "late_cost"), "rate"),
    "speed": "speed",
}
_CLOCK = ("latest_start", "window", "windows", "release")  # times of day, not lengths of time
_ALIKE = (
    *_CLOCK,
    "service",
    "setup",
    "service_by_vehicle",
    "setup_by_vehicle",
    "max_late",
)  # in one scale


def scaled(document, seed):
    """The document with its lengths, times, amounts and costs in other units.

    Seeds decide whether all of a kind have one scale, or single numbers have scales of their own;
    whether times count from long ago; and how fast vehicles are. Longitudes and latitudes stay.
    """
    draw = random.Random(seed)
    scales = {kind: draw.choice(SCALES) for kind in ("length", "time", "amount", "cost", "rate")}
    scales["speed"] = min(max(scales["length"] / scales["time"], 1e-49), 1e49)
    if draw.random() < 0.2:
        scales["speed"] = draw.choice((1e-9, 1, 1e9))
    round_earth = document.get("metric") == "haversine"
    if round_earth:
        scales["length"] = 1
    if draw.random() < 0.5:
        document.setdefault("speed", 1)  # durations of the windows' scale
    own = draw.choice((0.0, 0.0, 0.1))  # share of numbers that have scales of their own
    began = draw.choice((0, 0, 0, 1.75e9, 1.75e12, -1e9)) if scales["time"] in (1, 1e3) else 0

    def number(value, kind, shift, alike):
        other = draw.random() < own and kind != "speed" and not alike
        other = other and not (round_earth and kind == "length")
        scale = draw.choice(SCALES) if other else scales[kind]
        return value * scale + shift

    def walk(value, kind="", shift=0, alike=False):
        if isinstance(value, dict):
            return {
                key: walk(
                    item,
                    kind or kind_of(key, item),
                    began if key in _CLOCK else 0,
                    alike or key in _ALIKE,
                )
                for key, item in value.items()
            }
        if isinstance(value, list):
            return [walk(item, kind, shift, alike) for item in value]
        known = kind in scales and isinstance(value, int | float) and not isinstance(value, bool)
        return number(value, kind, shift, alike) if known else value

    def kind_of(key, item):
        shipped = key == "pickup" and isinstance(item, dict)
        return "" if shipped else _KINDS.get(key, "")

    return walk(document)


def breaks_at_once(count, windows, stops):
    """Breaks that overlap, each with windows all day; whose routes cost time."""
    day, draw = 86400, random.Random(count)
    breaks = [
        {
            "windows": [
                [opens + draw.randint(0, 400), opens + draw.randint(500, day // windows // 3)]
                for opens in range(0, day, day // windows)
            ],
            "duration": 60,
        }
        for _ in range(count)
    ]
    customers = [
        {"x": draw.randint(-900, 900), "y": draw.randint(-900, 900), "demand": 1, "service": 300,
         "windows": [[draw.randint(100, 4000), 12000], [22000, 34000], [42000, 70000]]}
        for _ in range(stops)
    ]  # fmt: skip
    vehicle = {"capacity": 20, "breaks": breaks, "duration_cost": 1, "max_duration": 80000}
    depot = {"x": 0, "y": 0, "window": [0, day]}
    return {"depots": [depot], "vehicles": [vehicle], "customers": customers}
