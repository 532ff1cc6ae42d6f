"""Ties between stops: alternatives, relations, and a price of uneven work."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from vrpcore.instance.attributes import number

RelationKind = Literal["together", "apart", "order", "chain"]
RELATION_KINDS: tuple[RelationKind, ...] = get_args(RelationKind)
ChainEnd = Literal["start", "end"]
CHAIN_ENDS: tuple[ChainEnd, ...] = get_args(ChainEnd)

MAX_GROUPS = 10_000
MAX_RELATIONS = 10_000
MAX_RELATION_STOPS = 1000


class Group(NamedTuple):
    """Alternatives: one member is served, or none at the price of `prize`.

    Attributes:
        id: Its name, which `unserved` has in place of its members'.
        members: Stops 1..N: customers, and of shipments the pickup (or what is left of one that
            is on board).
        prize: What leaving it out costs; inf: it is required.
        priority: 0 to 100: which required ones come first where not all can be served.
    """

    id: str
    members: tuple[int, ...]
    prize: float = float("inf")
    priority: int = 0


class Relation(NamedTuple):
    """A condition on those of some stops that are served.

    Attributes:
        kind: `together`: in one route. `apart`: no two in one route. `order`: in one route, in
            this order. `chain`: in one route, in this order, no stop between.
        stops: 1..N, each once.
        vehicle: Index of the vehicle type of that route; None: any. Not of `apart`.
        at: Of a chain: it begins or ends its route; None: anywhere.
    """

    kind: RelationKind
    stops: tuple[int, ...]
    vehicle: int | None = None
    at: ChainEnd | None = None

    def is_broken(self, visits: Sequence[tuple[int, int]]) -> bool:
        """Return whether places of its stops break it; its vehicle and an end are not looked at.

        Args:
            visits: Route and position of those of its stops that are served, in its order.
        """
        num_routes = len({route for route, _ in visits})
        if self.kind == "apart":
            return num_routes < len(visits)
        if num_routes != 1 or self.kind == "together":
            return num_routes > 1
        steps = [later - before for (_, before), (_, later) in itertools.pairwise(visits)]
        if self.kind == "order":
            return any(step < 1 for step in steps)
        return any(step != 1 for step in steps) or (self.at == "start" and visits[0][1] > 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """The price of a unit of the largest value of any used vehicle."""

    duration: float = number(0.0, "per_time", "Price of a unit of the longest duration.")
    distance: float = number(0.0, "per_length", "Price of a unit of the longest distance.")
    customers: float = number(0.0, "money", "Price of each of the most stops; a shipment has two.")
    load: float = number(0.0, "money", "Price of a unit of the largest load, all trips together.")


def taken_groups(groups: Sequence[Group], numbers: Mapping[int, int]) -> tuple[Group, ...]:
    """Groups of only some of the stops; those without a member left are gone.

    Args:
        groups: Of all stops.
        numbers: The new number of each stop that is left.
    """
    kept = (each._replace(members=_taken(each.members, numbers)) for each in groups)
    return tuple(each for each in kept if each.members)


def taken_relations(
    relations: Sequence[Relation], numbers: Mapping[int, int]
) -> tuple[Relation, ...]:
    """Relations of only some of the stops; those that say nothing any more are gone.

    Args:
        relations: Of all stops.
        numbers: The new number of each stop that is left.
    """
    kept = (each._replace(stops=_taken(each.stops, numbers)) for each in relations)
    return tuple(
        each
        for each in kept
        if len(each.stops) > 1 or (each.stops and (each.vehicle is not None or each.at))
    )


def _taken(stops: Sequence[int], numbers: Mapping[int, int]) -> tuple[int, ...]:
    return tuple(numbers[stop] for stop in stops if stop in numbers)
