"""The search of one instance, plain or with constraints: from plans to a plan."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Plan
from vrpcore.search.effort import FAST, Effort
from vrpcore.search.fewest_vehicles import search_smallest_fleet
from vrpcore.search.hgs_search import improve_instance

if TYPE_CHECKING:
    from vrpcore.replan.known_vehicles import Keep


def search_instance(
    instance: Instance,
    starts: Sequence[Plan],
    effort: Effort = FAST,
    seed: int = 0,
    *,
    fewest_vehicles: bool = False,
    keep: "Keep | None" = None,
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
    if instance.constraints is not None:
        from vrpcore.search.constrained_search import search_constrained

        return search_constrained(
            instance, starts, effort, seed, fewest_vehicles=fewest_vehicles, keep=keep
        )
    search = search_smallest_fleet if fewest_vehicles else improve_instance
    candidates = [[list(route.stops) for route in plan.routes] for plan in starts]
    return Plan.of(search(instance, candidates, effort, seed))
