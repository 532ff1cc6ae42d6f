"""Who of VROOM's vehicles that are alike drives which route: whoever drove most of it before."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from vrpcore.formats.vroom.vroom_instance import Source, source_of
from vrpcore.instance.instance import Instance
from vrpcore.instance.matching import match_routes
from vrpcore.instance.plan import Route


def with_vans(
    instance: Instance, routes: Sequence[Route], known: Sequence[Route] = ()
) -> list[Route]:
    """Gives each route of a problem of VROOM's one of its vehicles; other routes stay as they are.

    A route that has a vehicle of its type keeps it, but no two have the same. The others get those
    that are left, so that most stops stay with theirs.

    Args:
        instance: The problem.
        routes: With vehicle types; those that are too many for their type get no vehicle.
        known: The routes that the vehicles had before; where none of them has a vehicle, those of
            their `steps`.
    """
    if (source := source_of(instance)) is None:
        return list(routes)
    found = list(_stated(source, routes))
    had = {route.van: route.stops for route in known if route.van is not None} or _steps(source)
    taken = {route.van for route in found}
    free, without = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
    for van in source.vans:
        if van.id not in taken:
            free[van.kind].append(van.id)
    for row, route in enumerate(found):
        if route.van is None:
            without[route.vehicle].append(row)
    for kind, rows in without.items():
        vans = free[kind]
        stops = [found[row].stops for row in rows[: len(vans)]]
        places = match_routes(stops, [had.get(van, ()) for van in vans])
        for row, place in zip(rows, places, strict=False):
            found[row] = found[row]._replace(van=vans[place])
    return found


def _stated(source: Source, routes: Sequence[Route]) -> Iterator[Route]:
    """The routes with the vehicles that they have already, where these are there once."""
    kinds = {van.id: van.kind for van in source.vans}
    for route in routes:
        fits = route.van is not None and kinds.pop(route.van, None) == route.vehicle
        yield route if fits else route._replace(van=None)


def _steps(source: Source) -> dict[int | None, tuple[int, ...]]:
    """The stops that the vehicles come with."""
    stop_of = {(task.kind, task.id): stop for stop, task in enumerate(source.tasks, 1)}
    return {
        van.id: tuple(stop_of[step] for step in van.steps if step in stop_of) for van in source.vans
    }
