"""Random documents of other modules whose vehicles unload first what was loaded last."""

import random

from tests.vrpcore.added_days import working_document
from tests.vrpcore.documents import detailed_document
from tests.vrpcore.ride_days import ride_document
from tests.vrpcore.small_days import small_day
from tests.vrpcore.subsets import subset_day, subset_document


def _small_day(seed, _):
    return small_day(seed, always=("shipments", "on_board")[: 1 + seed % 2])


BASES = (
    *(detailed_document, subset_document, working_document),
    *(_small_day, subset_day, ride_document),
)


def lifo_document(seed, size):
    """A document with shipments, where `size` allows, and vehicles of which most are `lifo`.

    Args:
        seed: Equal seeds give equal documents.
        size: Number of stops, at least 1.
    """
    for number in range(50 * seed, 50 * seed + 50):
        document = BASES[seed % len(BASES)](number, size)
        pairs = [row for row in document.get("shipments") or [] if "pickup" in row]
        if document.get("vehicles") and len(pairs) >= min(2, size // 2):
            break
    draw = random.Random(f"loading {seed}")
    for row in document.get("vehicles") or []:
        if draw.random() < 0.8:
            row["loading"] = "lifo"
    return document
