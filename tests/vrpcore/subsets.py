"""Random JSON documents that ask for a few things only, so that each stands alone now and then.

A document with everything never has one vehicle type and one attribute: what the program does
for instances that use little of what there is would stay untested.
"""

import random

from tests.vrpcore.added_days import working_document
from tests.vrpcore.documents import detailed_document

MOST = 6  # attributes of a document
# The keys that an attribute has, of stops, vehicles and the document.
ATTRIBUTES = {
    "backhauls": ("backhauls", "pickup_only_routes"),
    "count": ("count", "max_vehicles"),
    "late": ("max_late", "late_cost"),
    "overtime": ("max_overtime", "overtime_cost"),
    "reloads": ("reloads", "max_reloads"),
    "rides": ("max_ride",),
    "waits": ("max_wait", "max_wait_loaded"),
    "ends": ("start", "end", "return_to_depot"),
    "matrices": ("matrices", "matrix"),
    "pickup": ("pickup", "pickups"),
    "prize": ("prize", "prizes"),
    "service": ("service", "services"),
    "window": ("window", "windows"),
}
SINGLE = (
    *("balance", "groups", "initial_load", "relations", "vehicle_cost", "vehicles"),
    *("amount", "breaks", "capacity", "costs", "demand", "distance_cost", "duration_cost"),
    *("fixed_cost", "max_customers", "max_distance", "max_duration", "max_travel_time"),
    *("latest_start", "priority", "release", "service_by_vehicle", "service_cost", "setup"),
    *("setup_by_vehicle", "skills", "speed", "travel_cost"),
)
ATTRIBUTE_OF = {key: name for name, keys in ATTRIBUTES.items() for key in keys} | {
    name: name for name in SINGLE
}


NEEDED = {"late": "window", "overtime": "max_duration"}
OF_DAYS = (
    *("balance", "groups", "initial_load", "late", "overtime", "relations", "reloads"),
    *("vehicle_cost", "vehicles"),
)


def subset_document(seed, size):
    """A document of `size` stops with one to six attributes, half of them with one vehicle type.

    Args:
        seed: Equal seeds give equal documents.
        size: At least 1.
    """
    draw = random.Random(-7 - seed)
    document = detailed_document(seed, size)
    if seed % 3 == 0:
        add_latest_starts(document, seed)
    return _reduced(document, draw)


def subset_day(seed, size):
    """The same of documents with a working day, of which it has an attribute where it can."""
    draw = random.Random(f"subset day {seed}")
    return _reduced(working_document(seed, size), draw, OF_DAYS)


def _reduced(document, draw, first=()):
    """The document, changed, with one to six attributes, one of them among the first."""
    if draw.random() < 0.5:
        keep_first_vehicle(document)
    present = sorted(attributes_of(document))
    asked = set(draw.sample(present, min(len(present), draw.randint(1, MOST))))
    if own := [name for name in present if name in first]:
        asked.add(draw.choice(own))
    asked |= {NEEDED[name] for name in asked if name in NEEDED}
    keep(document, asked)
    if "depot" in document:  # without a demand, the short form of a plain instance is none
        capacity = document["capacity"]
        nothing = [0] * len(capacity) if isinstance(capacity, list) else 0
        for row in document.get("customers") or []:
            if row.get("demand") is None:
                row["demand"] = nothing
    return document


def late_document(seed, size):
    """A document of `detailed_document` with latest starts, of routes without a depot as well."""
    document, draw = detailed_document(seed, size), random.Random(seed)
    for row in document.get("vehicles") or []:
        if draw.random() < 0.4:
            row["start"] = None
    return add_latest_starts(document, seed)


def add_latest_starts(document, seed):
    """The document, changed: most vehicle types leave no later than some time."""
    draw = random.Random(f"latest start {seed}")
    for row in document.get("vehicles") or []:
        if draw.random() < 0.8:
            row["latest_start"] = draw.choice([0, 2, 5, 7.5, 12, 20])
    return document


def attributes_of(document):
    """The names of all attributes that a document has."""
    return {_attribute(row, key) for row in _rows(document) for key in row} - {None}


def keep(document, attributes):
    """The document, changed, without all other attributes."""
    for row in _rows(document):
        for key in list(row):
            if _attribute(row, key) not in (None, *attributes):
                del row[key]
    return document


def keep_first_vehicle(document):
    """The document, changed, without other vehicle types where it has types."""
    if not document.get("vehicles"):
        return document
    (first,) = document["vehicles"] = document["vehicles"][:1]
    name = str(first.get("id") or 0)
    for row in _rows(document):
        for key in ("service_by_vehicle", "setup_by_vehicle", "vehicle_cost"):
            if row.get(key):
                row[key] = {own: time for own, time in row[key].items() if own == name}
        if row is not document and row.get("vehicles"):
            row["vehicles"] = [name]
    for row in document.get("relations") or []:
        if row.get("vehicle") is not None:
            row["vehicle"] = name
    return document


def _attribute(row, key):
    """The attribute that a key belongs to; None for what a document cannot do without."""
    if key == "capacity" and "depot" in row:
        return None
    if key == "vehicles" and row[key] and isinstance(row[key][0], dict):
        return None  # the fleet
    return None if key == "pickup" and isinstance(row[key], dict) else ATTRIBUTE_OF.get(key)


def _rows(document):
    """All objects that may have attributes."""
    yield document
    for key in ("vehicles", "depots", "customers", "shipments"):
        yield from (row for row in document.get(key) or [] if isinstance(row, dict))
    for row in document.get("shipments") or []:
        yield from (row["pickup"], row["delivery"])
    if isinstance(document.get("depot"), dict):
        yield document["depot"]
    yield from list((document.get("matrices") or {}).values())
