"""The search of one instance with constraints, where a plan may be kept, or goes on."""

from collections.abc import Sequence

from vrpcore.instance.instance import Instance
from vrpcore.instance.matching import match_routes
from vrpcore.instance.plan import ANY_VEHICLE, Plan, Route
from vrpcore.replan.known_vehicles import Keep
from vrpcore.replan.replanning import Replanning
from vrpcore.search.effort import Effort
from vrpcore.search.rich_library import RichSearch
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.rich_search import best_as_it_is, search_plan
from vrpcore.search.split_search import search_split


def search_constrained(
    instance: Instance,
    starts: Sequence[Plan],
    effort: Effort,
    seed: int,
    *,
    fewest_vehicles: bool,
    keep: Keep | None,
) -> Plan:
    """Searches for the best plan of an instance with constraints; see `search_instance`."""
    if instance.own_constraints.split is not None:
        return search_split(instance, starts, effort, seed, fewest_vehicles=fewest_vehicles)
    if keep is not None:
        return _search_kept(instance, keep, effort, seed, fewest_vehicles=fewest_vehicles)
    problem = RichProblem(instance)
    return search_plan(problem, effort, seed, fewest_vehicles=fewest_vehicles, starts=starts)


def best_of(instance: Instance, plans: Sequence[Plan]) -> Plan | None:
    """The best of given plans of an instance with constraints; see `best_as_it_is`."""
    return best_as_it_is(RichProblem(instance), plans)


def _search_kept(
    instance: Instance, keep: Keep, effort: Effort, seed: int, *, fewest_vehicles: bool
) -> Plan:
    """Searches for the best plan where a known one is to be kept, or goes on."""
    if effort.watch is not None:
        effort.watch.hide_costs()
    left: Replanning | None = Replanning.of(instance, keep, with_types(instance, keep.plan.routes))
    while left is not None:
        known, found = left, Plan([])
        if known.instance.num_customers > 0:
            problem, start = RichProblem(known.instance), [known.start]
            found = search_plan(
                problem, effort, seed, fewest_vehicles=fewest_vehicles, starts=start
            )
        left = known.without_stuck(found)
    return known.plan(found)


def with_types(instance: Instance, routes: Sequence[Route]) -> list[Route]:
    """Known routes with vehicle types for those that state none, where there are some for them.

    Args:
        instance: With constraints.
        routes: They may break limits.
    """
    if all(route.vehicle != ANY_VEHICLE for route in routes):
        return list(routes)
    if len(instance.own_constraints.vehicles) == 1:
        return [route._replace(vehicle=0) for route in routes]
    search = RichSearch(RichProblem(instance))
    search.begin(0)
    search.start(routes)
    placed = search.found().plan().routes
    vehicles = [route.stops for route in placed] + [()] * (len(routes) - len(placed))
    matches = match_routes([route.stops for route in routes], vehicles)
    return [
        route
        if route.vehicle != ANY_VEHICLE
        else route._replace(vehicle=placed[match].vehicle if match < len(placed) else ANY_VEHICLE)
        for route, match in zip(routes, matches, strict=True)
    ]
