"""Random documents of other modules in which rides and waits have limits, too."""

import random

from tests.vrpcore.added_days import working_document
from tests.vrpcore.documents import detailed_document
from tests.vrpcore.subsets import subset_day, subset_document

BASES = (detailed_document, subset_document, working_document, subset_day)


def ride_document(seed, size):
    """A document with shipments, of which most have a longest ride; some stops a longest wait.

    Args:
        seed: Equal seeds give equal documents.
        size: Number of stops, at least 1.
    """
    for number in range(20 * seed, 20 * seed + 20):
        document = BASES[seed % len(BASES)](number, size)
        if size < 2 or document.get("shipments"):
            break
    return add_rides(document, seed)


def add_rides(document, seed):
    """The document, changed, with such limits."""
    draw = random.Random(f"rides {seed}")
    waits = draw.choice([0.0, 0.0, 0.3])
    loaded = draw.choice([0.0, 0.0, 0.4])
    for row in document.get("shipments") or []:
        if draw.random() < 0.8:
            row["max_ride"] = draw.choice([0, 5, 12, 20, round(draw.uniform(0, 40), 3)])
        for end in (row["pickup"], row["delivery"]):
            _limit_wait(draw, end, waits)
    for row in document.get("customers") or []:
        _limit_wait(draw, row, waits)
    for row in document.get("vehicles") or []:
        if draw.random() < loaded:
            row["max_wait_loaded"] = draw.choice([0, 1, 4])
    return document


def _limit_wait(draw, row, share):
    if draw.random() < share:
        row["max_wait"] = draw.choice([0, 1, 4.5])
