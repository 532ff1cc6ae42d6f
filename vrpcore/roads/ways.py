"""The ways of an answer's routes along roads, for maps."""

from collections.abc import Callable
from dataclasses import replace

from numpy.typing import ArrayLike

from vrpcore.errors import VrpError, internal_words, is_internal, log_internal
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.solution import INTERNAL, RouteReport, Solution, route_nodes
from vrpcore.roads.instances import Item, names_of, profile_of
from vrpcore.roads.road_matrices import Roads

NO_GEOMETRY = "NO_GEOMETRY"


def asks_for_ways(item: Item) -> bool:
    """Return whether the document of an instance asks for ways: VROOM's option `g`."""
    options = item.origin.options if isinstance(item, Instance) else None
    return options is not None and bool(options.geometry)


def with_ways(
    item: Item,
    solution: Solution,
    roads: Roads | None,
    check: Callable[[], None] | None = None,
) -> Solution:
    """An answer whose routes have their ways; without one of them, a warning says why.

    After a bug, the warning begins with `INTERNAL`.

    Args:
        item: The instance.
        solution: Its answer, which no error about ways costs.
        roads: Who knows them: a routing service, or great circles, which are straight; None:
            nobody.
        check: Called before each route; what it raises ends the call.
    """
    if isinstance(item, InvalidInstance) or not solution.routes:
        return solution
    if item.coords is None:
        return _warned(solution, NO_GEOMETRY, "locations have no coordinates")
    if roads is None:
        return _warned(solution, NO_GEOMETRY, "no routing service is named with --matrix")
    routes = []
    for route in solution.routes:
        if check is not None:
            check()
        try:
            routes.append(replace(route, way=_way(item, route, roads)))
        except VrpError as error:  # the answer is good without it
            return _warned(solution, NO_GEOMETRY, str(error))
        except Exception as error:
            if not is_internal(error):
                raise
            log_internal(error)
            return _warned(solution, INTERNAL, internal_words(error, item.name))
    return replace(solution, routes=tuple(routes))


def _warned(solution: Solution, code: str, words: str) -> Solution:
    return replace(solution, warnings=(*solution.warnings, f"{code}: {words}"))


def _way(instance: Instance, route: RouteReport, roads: Roads) -> tuple[tuple[float, float], ...]:
    numbers = instance.numbers
    stops = [numbers[customer] for customer in route.customers]
    nodes = route_nodes(instance, stops, route.schedule)
    profile, names = None, names_of(instance)
    if instance.constraints is not None and route.schedule is not None:
        known = {each.id: each.matrix for each in instance.constraints.vehicles}
        if route.schedule.vehicle in known:
            profile = profile_of(instance, known[route.schedule.vehicle], roads)
    coords: ArrayLike = instance.coords[nodes] if instance.coords is not None else []
    return roads.way(coords, profile, [names[node] for node in nodes])
