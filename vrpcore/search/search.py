"""The search of one instance, plain or with constraints: from plans to a plan."""

from collections.abc import Sequence

from vrpcore.instance.instance import Instance
from vrpcore.instance.matching import match_routes
from vrpcore.instance.plan import ANY_VEHICLE, Plan, Route
from vrpcore.replan.known_vehicles import Keep
from vrpcore.replan.replanning import Replanning
from vrpcore.search.effort import FAST, Effort
from vrpcore.search.fewest_vehicles import search_smallest_fleet
from vrpcore.search.hgs_search import improve_instance
from vrpcore.search.rich_library import RichSearch
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.rich_search import search_plan


def search_instance(
    instance: Instance,
    starts: Sequence[Plan],
    effort: Effort = FAST,
    seed: int = 0,
    *,
    fewest_vehicles: bool = False,
    keep: Keep | None = None,
) -> Plan:
    """Searches for the best plan, with the engine that the instance needs.

    Args:
        instance: At least one customer.
        starts: What it begins with; may be empty. Of a plain instance solutions of it, cheapest
            first, as for `improve_instance`; with constraints any routes, as for `search_plan`.
        effort: How much search.
        seed: >= 0.
        fewest_vehicles: The number of vehicles in use comes before cost.
        keep: A plan of an instance with constraints from which moving stops costs something, or
            of which something has started. The search begins with it, and not with `starts`.

    Returns:
        The plan, with its cost where there are constraints and no plan is kept.

    Raises:
        MissingSearchError: The compiled search was not built.
    """
    if keep is not None:
        return _search_kept(instance, keep, effort, seed, fewest_vehicles=fewest_vehicles)
    if instance.constraints is not None:
        problem = RichProblem(instance)
        return search_plan(problem, effort, seed, fewest_vehicles=fewest_vehicles, starts=starts)
    search = search_smallest_fleet if fewest_vehicles else improve_instance
    candidates = [[list(route.stops) for route in plan.routes] for plan in starts]
    return Plan.of(search(instance, candidates, effort, seed))


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
