"""Documents of `documents.py` at other scales: valid numbers at the edge of what is read."""

import random

SCALES = (1e-80, 1e-30, 1e-9, 1e-6, 1e-3, 1, 1, 1e3, 1e6, 1e9, 1e12, 1e30, 1e80)
_TIMES = ("window", "windows", "release", "service", "setup", "duration", "max_duration")
_KINDS = {
    **dict.fromkeys(("x", "y", "depot", "coords", "distances", "max_distance"), "length"),
    **dict.fromkeys((*_TIMES, "max_travel_time", "durations", "services"), "time"),
    **dict.fromkeys(("service_by_vehicle", "setup_by_vehicle"), "time"),
    **dict.fromkeys(("demand", "pickup", "amount", "capacity", "max_load"), "amount"),
    **dict.fromkeys(("demands", "pickups"), "amount"),
    **dict.fromkeys(("fixed_cost", "prize", "prizes", "costs"), "cost"),
    **dict.fromkeys(("distance_cost", "duration_cost", "travel_cost", "service_cost"), "rate"),
    "speed": "speed",
}
_CLOCK = ("window", "windows", "release")  # times of day, not lengths of time


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
    if document.get("metric") == "haversine":
        scales["length"] = 1
    if draw.random() < 0.5:
        document.setdefault("speed", 1)  # durations of the windows' scale
    own = draw.choice((0.0, 0.0, 0.1))  # share of numbers that have scales of their own
    began = draw.choice((0, 0, 0, 1.75e9, 1.75e12, -1e9)) if scales["time"] in (1, 1e3) else 0

    def number(value, kind, shift):
        if kind == "cost" and value == 0:
            return value
        scale = draw.choice(SCALES) if draw.random() < own and kind != "speed" else scales[kind]
        return value * scale + shift

    def walk(value, kind="", shift=0):
        if isinstance(value, dict):
            return {
                key: walk(item, kind or kind_of(key, item), began if key in _CLOCK else shift)
                for key, item in value.items()
            }
        if isinstance(value, list):
            return [walk(item, kind, shift) for item in value]
        known = kind in scales and isinstance(value, int | float) and not isinstance(value, bool)
        return number(value, kind, shift) if known else value

    def kind_of(key, item):
        shipped = key == "pickup" and isinstance(item, dict)
        return "" if shipped else _KINDS.get(key, "")

    return walk(document)
