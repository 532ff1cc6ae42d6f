"""Routes of instances with constraints: built by insertion, improved by ruin and recreate."""

from collections.abc import Sequence

from vrpcore.improve.effort import (
    FAST,
    ITERATIONS,
    LARGEST_WHOLE,
    SWEEP_ITERATIONS,
    SWEEPS,
    Effort,
)
from vrpcore.improve.native_rules import Found, Plan, RuleSearch, Start
from vrpcore.improve.rule_evolution import evolve
from vrpcore.improve.rule_parts import search_parts
from vrpcore.improve.rule_problem import RuleProblem
from vrpcore.instance.instance import Instance


def search_plan(
    problem: RuleProblem,
    effort: Effort = FAST,
    seed: int = 0,
    *,
    fewest_vehicles: bool = False,
    starts: Sequence[Start] = (),
) -> Plan:
    """The best plan found: every limit holds, and required stops come before cost.

    Without a time limit equal seeds give equal plans. Calls for different instances may run
    in threads.

    Args:
        problem: The instance.
        effort: `none`: by insertion alone; `fast`: 400 iterations per stop; `deep`: 4000.
            Beyond 2000 stops, where all required ones are served, groups of neighbouring routes
            are searched one by one, with half of that.
        seed: >= 0.
        fewest_vehicles: The number of vehicles in use comes before cost, behind required stops.
        starts: Known routes, as for `RuleSearch.start`. The plan is no worse than any of them
            that keeps all limits, nor than one by insertion alone.

    Returns:
        Its routes; stops that are in none of them are left out.

    Raises:
        MissingSearchError: The compiled search was not built.
    """
    search = RuleSearch(problem.rules, fewest_vehicles=fewest_vehicles)
    search.begin(seed % 2**64)
    search.construct()
    kept = sum(search.start(routes) for routes in starts)
    repaired = kept < sum(len(stops) for routes in starts for _, stops in routes)
    found = search.found()
    if effort.level != "none":
        found = _improved(search, problem.instance, effort, seed)
    return found.plan(repaired=repaired)


def _improved(search: RuleSearch, instance: Instance, effort: Effort, seed: int) -> Found:
    """What a search finds that goes on from what it has: as a whole, or in parts."""
    if search.size <= LARGEST_WHOLE:
        return evolve(search, ITERATIONS[effort.level], effort, seed)
    first = search.found()
    if first.missing:  # a part could not hand its stops to the others
        return evolve(search, SWEEPS[effort.level] * SWEEP_ITERATIONS, effort, seed)
    fewest, routes = search.fewest_vehicles, first.plan().routes
    search.start(search_parts(instance, routes, effort, seed, fewest_vehicles=fewest))
    return search.found()
