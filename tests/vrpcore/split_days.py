"""Tiny random documents some of whose customers may be split."""

import random

from tests.vrpcore.small_days import small_day


def split_document(seed):
    """A document with one to four customers, of which some may be split.

    Of four one asks for nothing but a capacity, the others are of a working day.
    """
    draw = random.Random(f"split day {seed}")
    if seed % 4 == 3:
        return _plain(draw)
    days = (small_day(1000 * seed + number) for number in range(100))
    document = next(each for each in days if "shipments" not in each)
    for key in ("groups", "relations"):
        document.pop(key, None)
    size, depots = draw.randint(1, 3), len(document["depots"])
    document["customers"] = document["customers"][:size]
    if "distances" in document:
        nodes = depots + len(document["customers"])
        document["distances"] = [row[:nodes] for row in document["distances"][:nodes]]
    lists = isinstance(document["vehicles"][0]["capacity"], list)
    left, step = 5, draw.choice([1, 1, 1, 1, 2])
    for row in document["customers"]:
        if left < 2 * step or draw.random() < 0.3:
            continue
        key = draw.choice(["demand", "demand", "pickup"])
        if key == "pickup" and document.get("backhauls") == "last" and draw.random() < 0.5:
            key = "demand"
        most = step * draw.randint(2, min(left, 4) // step)
        first = step * draw.randint(0, most // step)
        row.pop("demand", None), row.pop("pickup", None)
        row[key] = [first, most - first] if lists else most
        row["split"] = True
        left -= most
    if step > 1:
        document["split_step"] = step
    return document


def _plain(draw):
    """A document with a capacity and demands alone."""
    places = [{"x": draw.randint(0, 9), "y": draw.randint(0, 9)} for _ in range(5)]
    left, customers = 8, []
    for place in places[1 : draw.randint(3, 5)]:
        demand = draw.randint(1, min(4, left - 1))
        left -= demand
        customers.append({**place, "demand": demand, "split": draw.random() < 0.8})
        if left < 2:
            break
    capacity = draw.randint(max([2, *(e["demand"] for e in customers if not e["split"])]), 5)
    return {"depots": places[:1], "capacity": capacity, "customers": customers}
