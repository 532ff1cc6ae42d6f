"""Routes of instances with constraints: built by insertion, improved by ruin and recreate."""

import time
from collections.abc import Sequence

from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Plan
from vrpcore.search.effort import FAST, LARGEST_WHOLE, Effort
from vrpcore.search.kept_routes import is_better, keep_vehicles
from vrpcore.search.rich_decompose import search_parts
from vrpcore.search.rich_evolution import evolve
from vrpcore.search.rich_library import PackedPlan, RichSearch
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.round_trips import routes_by_others

# From this many cores on, parallel parts make up for the shorter search of each.
PART_CORES = 4
# Insertion has so many seconds, even where less time is left. Then it leaves out the rest, where
# single stops may take long; elsewhere it always ends.
WHOLE_S = 10.0


def search_plan(
    problem: RichProblem,
    effort: Effort = FAST,
    seed: int = 0,
    *,
    fewest_vehicles: bool = False,
    starts: Sequence[Plan] = (),
) -> Plan:
    """The best plan found: every limit holds, and required stops come before cost.

    Without a time limit equal seeds give equal plans. Calls for different instances may run
    in threads.

    Args:
        problem: The instance.
        effort: `none`: only by insertion; `fast`: 400 iterations per stop; `deep`: 4000.
            Beyond 2000 stops half of that; there, with a time limit, four cores, all required
            stops served and nothing that ties routes (alternatives, relations, a price of uneven
            work), groups of neighbouring routes are searched apart.
        seed: >= 0.
        fewest_vehicles: The number of vehicles in use comes before cost, behind required stops.
        starts: Known plans, with routes as for `RichSearch.start`. The plan is no worse than any of
            them that keeps all limits, nor than one by insertion only; where it would cost the
            same, it is theirs. As many stops as possible stay with the vehicles of the last of
            them, where vehicles are alike.

    Returns:
        Its routes; stops that are in none of them are left out.

    Raises:
        MissingSearchError: The compiled search was not built.
    """
    problem.watched(effort)
    search = RichSearch(problem, fewest_vehicles=fewest_vehicles)
    known, repaired = None, False
    started = time.perf_counter()
    search.begin(seed % 2**64, effort.left(), WHOLE_S)
    if starts:
        kept = sum(search.start(start.routes) for start in starts)
        repaired = kept < sum(len(route.stops) for start in starts for route in start.routes)
        known = search.found()
        # Reset, so that insertion gives the same plan as without known routes.
        whole_s = max(0.0, started + WHOLE_S - time.perf_counter())
        search.begin(seed % 2**64, effort.left(), whole_s)
    search.construct()
    if known is not None:
        search.start(known.plan().routes)
    if problem.lacks_roads:
        search.start(routes_by_others(problem.instance))
    if effort.watch is not None:
        effort.watch.renew()
    exact = effort.level != "none" and effort.left() > 0.0 and search.find_exact()
    plan = search.found().plan()
    if effort.level != "none" and not exact:
        plan = _improved(search, plan, problem.instance, effort, seed)
    if known is not None:
        if not is_better(search.rank(plan), search.rank(known)):
            plan = known.plan()
        routes = keep_vehicles(problem.instance.own_constraints, plan.routes, starts[-1].routes)
        plan = plan._replace(routes=routes)
    return plan._replace(repaired=repaired)


def best_as_it_is(problem: RichProblem, plans: Sequence[Plan]) -> Plan | None:
    """The best of given plans, unchanged; None where none of them is whole.

    Args:
        problem: The instance.
        plans: Whole is what serves every stop and keeps all limits.

    Raises:
        MissingSearchError: The compiled search was not built.
    """
    search, whole = RichSearch(problem), list[PackedPlan]()
    for plan in plans:
        search.begin(0)
        if search.start(plan.routes) == search.size:
            whole.append(search.found())
    return min(whole, key=search.rank).plan() if whole else None


def _improved(
    search: RichSearch, plan: Plan, instance: Instance, effort: Effort, seed: int
) -> Plan:
    """Improve the search's plan: as a whole, or in parts."""
    constraints = instance.own_constraints
    large, timed = search.size > LARGEST_WHOLE, not effort.is_counted
    # A part could not hand stops that are missing to the others.
    apart = not (constraints.groups or constraints.relations or constraints.balance)
    if large and timed and effort.cores >= PART_CORES and not plan.missing and apart:
        fewest = search.fewest_vehicles
        return search_parts(instance, plan.routes, effort, seed, fewest_vehicles=fewest)
    return evolve(search, effort.total(search.problem.num_stops), effort, seed).plan()
