"""Features of nodes, instances and vehicles that a policy reads: names and widths.

A policy of plain instances knows the first ones of each; one of the literature's variants all.
All are neutral at 0.
"""

from typing import NamedTuple


class Features(NamedTuple):
    """Names in the order in which layers read them.

    Attributes:
        depot: Of a depot.
        customer: Of a customer.
        instance: Of the whole instance, added to each node.
        vehicle: Of a vehicle at a step, each 0 to 1.
        ways: What is subtracted from the score of a node at a step, in addition to the leg to it.
    """

    depot: tuple[str, ...]
    customer: tuple[str, ...]
    instance: tuple[str, ...]
    vehicle: tuple[str, ...]
    ways: tuple[str, ...]


PLAIN = Features(
    depot=("x", "y"),
    customer=("x", "y", "delivery"),
    instance=("free", "free_share", "per_vehicle"),
    vehicle=("room", "unused"),
    ways=(),
)
VARIANTS = Features(
    depot=(*PLAIN.depot, "opening", "closing"),
    customer=(*PLAIN.customer, "pickup", "opening", "closing", "service"),
    instance=(*PLAIN.instance, "open_end", "limit", "horizon", "backhauls_last", "several_depots"),
    vehicle=(*PLAIN.vehicle, "time", "length_left", "picked"),
    ways=("waiting", "slack", "back"),
)
