"""Groups and relations once some of their stops are fixed."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vrpcore.instance.constraints import Constraints
from vrpcore.instance.relations import Relation

Allowed = NDArray[np.bool_]


class FixedStops(NamedTuple):
    """The stops of a vehicle that are fixed.

    Attributes:
        type: Of the vehicle, of which there is one.
        over: Stops of the trips that are over.
        first: The first stops of the trip that goes on.
    """

    type: int
    over: tuple[int, ...]
    first: tuple[int, ...]

    @property
    def stops(self) -> tuple[int, ...]:
        """All of them, in order."""
        return self.over + self.first


def alternatives_gone(constraints: Constraints, fixed: Sequence[FixedStops]) -> set[int]:
    """Find the stops that are alternatives to a fixed stop."""
    stops, gone = {stop for each in fixed for stop in each.stops}, set[int]()
    for group in constraints.groups:
        if stops.isdisjoint(group.members):
            continue
        for member in group.members:
            if member not in stops:
                gone |= {member, constraints.partner(member) or member}
    return gone


def relations_left(
    constraints: Constraints, fixed: Sequence[FixedStops], allowed: Allowed
) -> tuple[Relation, ...]:
    """Relations among stops that are not over, with those that begin routes with what is fixed.

    A relation that is broken by what is fixed asks for nothing more.

    Args:
        constraints: Of the whole instance; no relation names a vehicle type.
        fixed: Of each vehicle.
        allowed: [T, N], who may serve whom; changes where a relation asks for it.
    """
    place = {stop: (own, at) for own in fixed for at, stop in enumerate(own.stops)}
    found = [Relation("chain", own.first, None, "start") for own in fixed if own.first]
    for each in constraints.relations:
        own_fixed = [stop for stop in each.stops if stop in place]
        if not own_fixed:
            if each.at == "start":
                late = [own.type for own in fixed if own.stops]
                allowed[np.ix_(late, _rows(each.stops))] = False
            found.append(each)
        elif not _is_broken(each, own_fixed, place):
            found += _left_of(each, own_fixed, place, allowed)
    return tuple(found)


def _rows(stops: Sequence[int]) -> list[int]:
    return [stop - 1 for stop in stops]


def _is_broken(
    relation: Relation, fixed: Sequence[int], place: Mapping[int, tuple[FixedStops, int]]
) -> bool:
    """Return whether the fixed stops break a relation."""
    types = {place[stop][0].type for stop in fixed}
    if relation.kind == "apart":
        return len(types) < len(fixed)
    if len(types) > 1:
        return True
    positions = [place[stop][1] for stop in fixed]
    if relation.kind == "together":
        return False
    if relation.kind == "order":
        return positions != sorted(positions)
    if relation.at == "start" and positions[0] > 0:
        return True
    return any(after != before + 1 for before, after in itertools.pairwise(positions))


def _left_of(
    relation: Relation,
    fixed: Sequence[int],
    place: Mapping[int, tuple[FixedStops, int]],
    allowed: Allowed,
) -> Iterator[Relation]:
    """The rest of a relation some of whose stops are fixed."""
    rest = [stop for stop in relation.stops if stop not in place]
    if relation.kind == "apart":
        types = [place[stop][0].type for stop in fixed]
        allowed[np.ix_(types, _rows(rest))] = False
        yield relation._replace(
            stops=tuple(stop for stop in relation.stops if _is_left(stop, place))
        )
        return
    own = place[fixed[0]][0]
    others = [each for each in range(len(allowed)) if each != own.type]
    allowed[np.ix_(others, _rows(rest))] = False
    stops = tuple(stop for stop in relation.stops if _is_left(stop, place))
    over = [stop for stop in fixed if not _is_left(stop, place)]
    if relation.kind == "together" or not over:
        yield relation._replace(stops=stops)
        return
    last = relation.stops.index(over[-1])
    allowed[:, [stop - 1 for stop in rest if relation.stops.index(stop) < last]] = False
    if relation.kind == "order":
        yield relation._replace(stops=stops)
        return
    yield from _left_of_chain(relation._replace(stops=stops), over[-1], own, allowed)


def _left_of_chain(
    relation: Relation, last: int, own: FixedStops, allowed: Allowed
) -> Iterator[Relation]:
    """The rest of a chain: it follows its last stop that is over."""
    follows = last == own.over[-1] and (not own.first or own.first[0] in relation.stops)
    if not follows:
        allowed[:, _rows([stop for stop in relation.stops if stop not in own.first])] = False
        return
    if not relation.stops:
        if relation.at == "end":
            allowed[own.type] = False  # the route is over
        return
    yield relation._replace(at="start")
    if relation.at == "end":
        yield relation._replace(stops=relation.stops[-1:])


def _is_left(stop: int, place: Mapping[int, tuple[FixedStops, int]]) -> bool:
    """Return whether a stop is not over."""
    return stop not in place or place[stop][1] >= len(place[stop][0].over)
