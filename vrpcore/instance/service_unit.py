"""Units that are served or left out as a whole: customers, shipments, groups of alternatives."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from vrpcore.instance.constraints import DELIVERY, PICKUP
from vrpcore.instance.instance import CustomerId, Instance


class Unit(NamedTuple):
    """A customer, a shipment, or a group of alternatives: served or left out as a whole.

    Attributes:
        id: Its name.
        members: Name and stops of each of which one is served; of all but groups there is one.
        prize: What leaving it out costs; inf: it is required.
    """

    id: CustomerId
    members: tuple[tuple[CustomerId, tuple[int, ...]], ...]
    prize: float

    @property
    def stops(self) -> list[int]:
        """All stops of its members."""
        return [stop for _, stops in self.members for stop in stops]


def kind_of_stop(instance: Instance, stop: int) -> Literal["customer", "pickup", "delivery"]:
    """The kind of a stop, 1..N: a customer, or an end of a shipment."""
    if instance.constraints is None:
        return "customer"
    partner, on_board = instance.constraints.partner(stop), instance.constraints.on_board
    if partner is None:
        return "customer" if on_board is None or on_board[stop - 1] < 0 else "delivery"
    return "pickup" if partner > stop else "delivery"


def stop_groups(instance: Instance) -> Iterator[tuple[CustomerId, tuple[int, ...]]]:
    """Name and stops of each customer, and of each shipment: its pickup and its delivery."""
    constraints = instance.own_constraints
    for stop in range(1, constraints.num_stops + 1):
        partner, name = constraints.partner(stop), instance.ids[stop - 1]
        if partner is None:
            carried = kind_of_stop(instance, stop) == "delivery"
            yield str(name).removesuffix(DELIVERY) if carried else name, (stop,)
        elif partner > stop:
            yield str(name).removesuffix(PICKUP), (stop, partner)


def units_of(instance: Instance) -> Iterator[Unit]:
    """Customers and shipments that are in no group, then the groups."""
    constraints, known = instance.own_constraints, list(stop_groups(instance))
    grouped = {stop for group in constraints.groups for stop in group.members}
    for name, stops in known:
        if stops[0] not in grouped:
            yield Unit(name, ((name, stops),), float(constraints.prize[stops[0] - 1]))
    own = {stops[0]: (name, stops) for name, stops in known} if grouped else {}
    for group in constraints.groups:
        yield Unit(group.id, tuple(own[stop] for stop in group.members), group.prize)


def stops_by_name(instance: Instance) -> dict[str, list[int]]:
    """Map the names in a solution's list of unserved units to their stops.

    Args:
        instance: Plain, or with constraints.

    Returns:
        By the names of all stops, shipments and groups, as texts; of groups those of all members.
    """
    found = {str(name): [stop] for stop, name in enumerate(instance.ids, start=1)}
    if instance.constraints is not None:
        found |= {str(name): list(stops) for name, stops in stop_groups(instance)}
        found |= {str(unit.id): unit.stops for unit in units_of(instance)}
    return found
