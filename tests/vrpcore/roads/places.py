"""Instances at three places where the stand-in has roads."""

from vrpcore.formats.read import read_instances
from vrpcore.instance.instance import InvalidInstance

PLACES = [(8.1, 49.0), (8.2, 49.1), (8.3, 49.0)]
DEPOT, *STOPS = map(list, PLACES)
PLAIN = {"capacity": 5, "depot": DEPOT, "coords": STOPS, "demands": [2, 3]}
TYPED = {
    "depots": [{"id": "north", "x": 8.1, "y": 49.0}],
    "coords": STOPS,
    "demands": [2, 3],
    "vehicles": [
        {"id": "van"},
        {"id": "cargo", "matrix": "bike", "end": None},
        {"id": "e", "matrix": "bike"},
    ],
}


def read(document):
    """A valid instance."""
    (item,) = read_instances(document, roads=True)
    assert not isinstance(item, InvalidInstance), item.error
    return item
