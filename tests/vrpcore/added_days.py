"""Random documents with all of a working day beside what they asked for before."""

import random

from tests.vrpcore.documents import detailed_document


def working_document(seed, size):
    """A document of `detailed_document` with a working day.

    Args:
        seed: Equal seeds give equal documents.
        size: Number of stops, at least 1.
    """
    return add_working_day(detailed_document(seed, size), seed)


def add_working_day(document, seed):
    """The document, changed: types, depots, stops and the instance ask for more, now and then.

    Documents with compact arrays stay as they are.

    Args:
        document: Valid, and valid after.
        seed: Equal seeds add the same.
    """
    if document.get("demands") is not None or document.get("coords") is not None:
        return document
    draw = random.Random(f"working day {seed}")
    for row in document.get("depots") or []:
        row |= _perhaps(draw, 0.3, service=draw.choice([0, 1, 2.5]))
    vehicles = document.get("vehicles") or []
    names = [str(row.get("id") or place) for place, row in enumerate(vehicles)]
    depots = [str(row.get("id") or place) for place, row in enumerate(document.get("depots", []))]
    for row in vehicles:
        row |= _of_vehicle(draw, row, depots)
    rows = [*(document.get("customers") or []), *(document.get("shipments") or [])]
    for row in rows:
        ends = [row["pickup"], row["delivery"]] if "delivery" in row else [row]
        for end in ends:
            end |= _lateness(draw, 0.3) if end.get("window") or end.get("windows") else {}
        if names:
            row |= _perhaps(draw, 0.1, vehicles=draw.sample(names, draw.randint(1, len(names))))
            row |= _perhaps(draw, 0.1, vehicle_cost={draw.choice(names): draw.choice([1, 5])})
    document |= _perhaps(draw, 0.3, groups=_groups(draw, document))
    document |= _perhaps(draw, 0.5, relations=_relations(draw, document, names))
    kinds = ("duration", "distance", "customers", "load")
    return document | _perhaps(draw, 0.3, balance={draw.choice(kinds): draw.choice([0, 0.5, 2])})


def _perhaps(draw, share, **keys):
    return keys if draw.random() < share else {}


def _lateness(draw, share):
    late = _perhaps(draw, share, max_late=draw.choice([0, 3, 10]))
    return late | _perhaps(draw, share, late_cost=draw.choice([0, 0.5, 3]))


def _of_vehicle(draw, row, depots):
    found = {}
    if draw.random() < 0.6:
        found["reloads"] = draw.sample(depots, draw.randint(0, len(depots)))
        found |= _perhaps(draw, 0.4, max_reloads=draw.randint(0, 3))
    if (capacity := row.get("capacity")) is not None:
        most = min(capacity) if isinstance(capacity, list) else capacity
        load = draw.choice([0, 0.5, 1]) * most / 2
        load = [load] * len(capacity) if isinstance(capacity, list) else load
        found |= _perhaps(draw, 0.3, initial_load=load)
    if row.get("max_duration") is not None:
        found |= _perhaps(draw, 0.4, max_overtime=draw.choice([0, 5, 20]))
        found |= _perhaps(draw, 0.4, overtime_cost=draw.choice([0, 0.5, 3]))
    return found | (_lateness(draw, 0.4) if row.get("window") else {})


def _ids(document):
    """Ids of customers and shipments as groups name them."""
    customers = enumerate(document.get("customers") or [], start=1)
    names = [str(row.get("id") or number) for number, row in customers]
    return names, [str(row["id"]) for row in document.get("shipments") or []]


def _groups(draw, document):
    """Groups of those who have neither a prize nor a priority, as many as there are."""
    rows = [*(document.get("customers") or []), *(document.get("shipments") or [])]
    names = [name for part in _ids(document) for name in part]
    free = [
        name
        for name, row in zip(names, rows, strict=True)
        if row.get("prize") is None and row.get("priority") is None
    ]
    draw.shuffle(free)
    found = []
    while free and len(found) < 3:
        size = draw.randint(1, 3)
        group = {"members": free[:size]} | _perhaps(draw, 0.4, prize=draw.choice([2, 10]))
        found.append(group | _perhaps(draw, 0.3, priority=draw.choice([1, 5])))
        free = free[size:]
    return found


def _relations(draw, document, names):
    """Relations that do not contradict each other: each stop is in one at most."""
    customers, shipments = _ids(document)
    stops = [*customers, *(f"{name}:delivery" for name in shipments)]
    draw.shuffle(stops)
    found = []
    while stops and len(found) < 4:
        size = draw.randint(1, 3)
        row = {"kind": draw.choice(["together", "apart", "order", "chain"]), "stops": stops[:size]}
        if row["kind"] != "apart" and names:
            row |= _perhaps(draw, 0.3, vehicle=draw.choice(names))
        if row["kind"] == "chain" and "vehicle" not in row:
            row |= _perhaps(draw, 0.5, at=draw.choice(["start", "end"]))
        found.append(row)
        stops = stops[size:]
    return found
