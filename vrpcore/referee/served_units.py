"""The referee's view of what is served or reported as a whole: customers, shipments, groups.

Plain loops, as in the rest of the referee.
"""

from collections.abc import Container, Iterator
from typing import NamedTuple

from vrpcore.errors import describe
from vrpcore.instance.constraints import DELIVERY, PICKUP
from vrpcore.instance.instance import CustomerId, Instance


class Unit(NamedTuple):
    """A customer, a shipment, or a group of which one is served.

    Attributes:
        id: Its name.
        members: The stops of each member; of all but groups there is one.
        prize: What leaving it out costs; inf: it is required.
        group: Its position among the groups; None: it is none.
    """

    id: CustomerId
    members: list[list[int]]
    prize: float
    group: int | None = None


def units_of(instance: Instance) -> Iterator[Unit]:
    """All of an instance: those that are in no group in order, then groups."""
    constraints = instance.own_constraints
    grouped = {stop for group in constraints.groups for stop in group.members}
    for stop in range(1, constraints.num_stops + 1):
        partner = constraints.partner(stop)
        if (partner is None or partner > stop) and stop not in grouped:
            prize = float(constraints.prize[stop - 1])
            yield Unit(unit_name(instance, stop), [_stops(instance, stop)], prize)
    for row, group in enumerate(constraints.groups):
        members = [_stops(instance, stop) for stop in group.members]
        yield Unit(group.id, members, group.prize, row)


def _stops(instance: Instance, stop: int) -> list[int]:
    """A customer's stop, or both of the shipment of a pickup."""
    partner = instance.own_constraints.partner(stop)
    return [stop] if partner is None else [stop, partner]


def unit_name(instance: Instance, stop: int) -> CustomerId:
    """The id of a customer, or of the shipment that a stop belongs to."""
    name, constraints = instance.ids[stop - 1], instance.own_constraints
    is_on_board = constraints.on_board is not None and constraints.on_board[stop - 1] >= 0
    if constraints.partner(stop) is None and not is_on_board:
        return name
    return str(name).removesuffix(PICKUP).removesuffix(DELIVERY)


def crowded_groups(
    instance: Instance, served: Container[int], frozen: Container[int]
) -> Iterator[str]:
    """Groups of which more than one member is served, in words.

    Args:
        instance: With constraints.
        served: Stops.
        frozen: Stops that may be served all the same.
    """
    for row, group in enumerate(instance.own_constraints.groups):
        if any(stop in frozen for stop in group.members):
            continue
        names = [
            describe(unit_name(instance, stop))
            for stop in group.members
            if any(each in served for each in _stops(instance, stop))
        ]
        if len(names) > 1:
            yield f"groups[{row}]: {' and '.join(names)} are served, expected one of them"
