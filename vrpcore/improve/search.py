"""From the policy's solutions to the best routes that a fixed amount of search finds."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from vrpcore.cost.distance import distance_matrix
from vrpcore.cost.routes import route_cost
from vrpcore.errors import ConfigError
from vrpcore.improve.decompose import neighbouring_groups, part_of
from vrpcore.improve.local_search import Chain, Deadline, LocalSearch
from vrpcore.improve.pool import best_different
from vrpcore.improve.savings import Routes, Savings, instance_rng
from vrpcore.instance.instance import Instance

LEVELS = ("none", "fast")
# Beyond this many customers groups of neighbouring routes are searched one by one.
LARGEST_WHOLE = 400
PART_SIZE = 400
# Never search more at once: the library's N x N matrices would take seconds and gigabytes.
LARGEST_MATRIX = 2000
PART_SHAKES = 300
# Where each sweep over the parts starts, in turns: the second cuts through the first's parts.
SWEEPS = (0.0, 0.5 / 7)


@dataclass(frozen=True, slots=True)
class Plan:
    """How much search an instance gets, in counts: the clock does not change answers.

    Attributes:
        candidates: The policy's best different solutions that are searched.
        savings: Randomised savings solutions besides the plain one.
        rounds: (lines, shakes): the best lines of search that go on, and how far each.
    """

    candidates: int
    savings: int
    rounds: tuple[tuple[int, int], ...]


# Largest N and its plan; between two rows the shakes grow with N. With 10 customers a
# shake is so cheap that more of them fit into less time than 20 customers take.
PLANS = (
    (10, Plan(10, 2, ((6, 20), (2, 40)))),
    (20, Plan(10, 2, ((4, 10), (2, 15)))),
    (50, Plan(10, 2, ((10, 6), (3, 20), (1, 60)))),
    (100, Plan(10, 2, ((10, 10), (3, 30), (1, 160)))),
    (200, Plan(10, 2, ((10, 20), (3, 60), (1, 500)))),
)


def plan_for(size: int) -> Plan:
    """The plan for N customers; from 200 on it stays the same, up to 10 as well."""
    largest, plan = next((row for row in PLANS if size <= row[0]), PLANS[-1])
    share = min(1.0, max(size, 10) / largest)
    rounds = tuple((lines, math.ceil(shakes * share)) for lines, shakes in plan.rounds)
    return Plan(plan.candidates, plan.savings, rounds)


def improve_instance(
    instance: Instance,
    candidates: Sequence[Routes],
    level: str = "fast",
    seed: int = 0,
    deadline: Deadline | None = None,
) -> Routes:
    """The best routes found from the policy's solutions and a few savings solutions.

    Local search on the best different solutions; then the best lines of search go on with
    shakes, fewer and fewer of them. Beyond 400 customers (2000 where there are no
    coordinates) the cheapest solution alone is searched, in groups of neighbouring routes
    of about 400 customers, in two sweeps; a group whose one route has more than 2000
    customers is left as it is. CPU time: 0.1 s at N=100, 0.5 s at 1000, 6 s at 10 000.

    The amount of search is fixed by counts, not by a clock. Calls for different instances
    may run in threads: the library's search call lets go of the interpreter lock, and
    nine tenths of the CPU time are spent in it from N=50 on (three quarters at N=20).

    Args:
        instance: The instance.
        candidates: Solutions within the load limit, every customer once, cheapest first;
            may be empty.
        level: `none` gives back the first candidate (plain savings without one); `fast`
            searches.
        seed: >= 0; equal seeds give equal routes, whatever else is in the batch.
        deadline: Returns True when time is up; the best so far is returned soon after.

    Returns:
        Routes within the load limit, every customer once, no dearer in float64 than the
        first candidate. Where every candidate has more routes than `max_vehicles`, cheaper
        or not, routes within it are returned if the search finds some.

    Raises:
        ConfigError: An unknown level.
        MissingExtraError: PyVRP is not installed.
    """
    if level not in LEVELS:
        expected = " or ".join(repr(name) for name in LEVELS)
        raise ConfigError(f"search level: found {level!r}; expected {expected}")
    if instance.num_customers == 0:
        return []
    if level == "none":
        return candidates[0] if candidates else Savings(instance).routes()
    largest = LARGEST_MATRIX if instance.coords is None else LARGEST_WHOLE
    if instance.num_customers > largest:
        return _search_parts(instance, candidates, seed, deadline)
    return search_whole(
        instance, candidates, plan_for(instance.num_customers), seed=seed, deadline=deadline
    )


def search_whole(
    instance: Instance,
    candidates: Sequence[Routes],
    plan: Plan,
    *,
    seed: int = 0,
    deadline: Deadline | None = None,
) -> Routes:
    """Search with all customers at once, by a plan; see `improve_instance`."""
    matrix = distance_matrix(instance)
    savings = Savings(instance, matrix)
    starts = best_different(candidates, plan.candidates, directed=savings.directed)
    starts.append(savings.routes())
    search = LocalSearch(instance, seed, matrix=matrix)
    fallback = min(starts, key=lambda routes: (search.surplus(routes), search.cost(routes)))
    starts += savings.randomised(plan.savings, instance_rng(instance, seed))
    chains: dict[int, Chain] = {}
    for routes in starts:
        if deadline is not None and deadline():
            break
        chain = search.start(routes)
        chains.setdefault(chain.cost, chain)
    best = _run_rounds(search, list(chains.values()), plan, deadline)
    return fallback if best is None else search.cheaper(fallback, best)


def _run_rounds(
    search: LocalSearch, chains: list[Chain], plan: Plan, deadline: Deadline | None
) -> Chain | None:
    """Successive halving: each round goes on with fewer lines; the best one is returned."""
    total = sum(shakes for _, shakes in plan.rounds)
    done = 0
    for lines, shakes in plan.rounds:
        chains = sorted(chains, key=lambda chain: chain.cost)[:lines]
        warmth = (1 - done / total, 1 - (done + shakes) / total)
        for chain in chains:
            if deadline is not None and deadline():
                break
            search.advance(chain, shakes, warmth, deadline)
        done += shakes
    return min(chains, key=lambda chain: chain.cost, default=None)


def _search_parts(
    instance: Instance, candidates: Sequence[Routes], seed: int, deadline: Deadline | None
) -> Routes:
    """Sweep over groups of neighbouring routes, each searched as an instance of its own."""
    limit = instance.max_vehicles or instance.num_customers
    starts = [*candidates[:1], Savings(instance).routes()]
    best = min(starts, key=lambda routes: (max(0, len(routes) - limit), _cost(instance, routes)))
    for turn in SWEEPS:
        swept: Routes = []
        for group in neighbouring_groups(instance, best, PART_SIZE, turn):
            late = deadline is not None and deadline()
            if late or sum(map(len, group)) > LARGEST_MATRIX:
                swept += group
                continue
            part, routes, nodes = part_of(instance, group)
            found = LocalSearch(part, seed).iterate(routes, PART_SHAKES, deadline)
            swept += [[nodes[customer] for customer in route] for route in found]
        best = swept
    return best


def _cost(instance: Instance, routes: Routes) -> float:
    return math.fsum(route_cost(instance, route) for route in routes)
