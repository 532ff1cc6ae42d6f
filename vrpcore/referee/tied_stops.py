"""The referee's view of relations: what holds among those of their stops that are served.

Plain loops, as in the rest of the referee.
"""

import itertools
from collections.abc import Container, Iterator, Mapping, Sequence

from vrpcore.errors import describe
from vrpcore.instance.instance import Instance
from vrpcore.instance.relations import Relation

# Of a stop, the route that serves it, and its position there.
Visits = Mapping[int, tuple[int, int]]


def broken_relations(
    instance: Instance, visits: Visits, lengths: Mapping[int, int], frozen: Container[int]
) -> Iterator[str]:
    """Relations that do not hold, in words.

    The vehicle types that they name are looked at with the routes.

    Args:
        instance: With constraints.
        visits: Of all stops that are served.
        lengths: How many stops each route has.
        frozen: Stops that may break them.
    """
    for row, relation in enumerate(instance.own_constraints.relations):
        stops = [stop for stop in relation.stops if stop in visits]
        if any(stop in frozen for stop in stops):
            continue
        for problem in _broken(instance, relation, stops, visits):
            yield f"relations[{row}]: {problem}, which {relation.kind!r} does not allow"
            break
        else:
            if stops and relation.at is not None:
                yield from _ends(instance, row, relation, stops, (visits, lengths))


def _broken(
    instance: Instance, relation: Relation, stops: Sequence[int], visits: Visits
) -> Iterator[str]:
    if relation.kind == "apart":
        first: dict[int, int] = {}
        for stop in stops:
            other = first.setdefault(visits[stop][0], stop)
            if other != stop:
                place = f"routes[{visits[stop][0]}]"
                yield f"{_named(instance, other, stop)} are both in {place}"
        return
    for one, other in itertools.pairwise(stops):
        (route, position), (next_route, next_position) = visits[one], visits[other]
        names = _named(instance, one, other)
        if route != next_route:
            yield f"{names} are in routes[{route}] and routes[{next_route}]"
        elif relation.kind != "together" and next_position < position:
            yield f"{names} come the other way round in routes[{route}]"
        elif relation.kind == "chain" and next_position > position + 1:
            yield f"stops are between {names} in routes[{route}]"


def _ends(
    instance: Instance,
    row: int,
    relation: Relation,
    stops: Sequence[int],
    routes: tuple[Visits, Mapping[int, int]],
) -> Iterator[str]:
    """Whether a chain begins or ends its route, if it is to."""
    visits, lengths = routes
    route, position = visits[stops[0] if relation.at == "start" else stops[-1]]
    if relation.at == "start" and position > 0:
        name = describe(instance.ids[stops[0] - 1])
        yield f"relations[{row}]: {name} is not the first stop of routes[{route}]"
    if relation.at == "end" and position < lengths[route] - 1:
        name = describe(instance.ids[stops[-1] - 1])
        yield f"relations[{row}]: {name} is not the last stop of routes[{route}]"


def _named(instance: Instance, *stops: int) -> str:
    return " and ".join(describe(instance.ids[stop - 1]) for stop in stops)
