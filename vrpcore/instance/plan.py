"""Who drives where: routes and plans, as a search begins with them and finds them."""

from typing import NamedTuple


class Route(NamedTuple):
    """One vehicle's stops.

    Attributes:
        vehicle: Index of its type; 0 in a plain instance.
        stops: 1..N in visiting order, at least one.
    """

    vehicle: int
    stops: tuple[int, ...]
