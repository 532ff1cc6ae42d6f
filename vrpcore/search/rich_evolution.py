"""Effort of a search with constraints: runs of annealing, then children of plans."""

import math
from functools import partial
from queue import Empty, SimpleQueue

import numpy as np

from vrpcore.search.effort import Effort
from vrpcore.search.population import Population
from vrpcore.search.rich_library import PackedInstance, PackedPlan, RichSearch
from vrpcore.threads import side_by_side

# Temperatures in mean costs of a leg: the first grows with the root of the iterations per stop.
WARMEST = (1.0, 4.0)  # lowest and highest
WARMING = 0.2
COOLEST = 0.02
# Iterations per second that a search with a time limit expects of a core.
PACE = 1e5
# Several runs take this share of the effort, each at least so many iterations per stop.
RUN_SHARE = 0.4
RUN_ITERATIONS = 100
MOST_RUNS = 4
# Of each child, per stop, and its first temperature.
CHILD_ITERATIONS = 25
CHILD_WARMEST = 0.3
# Beyond this many stops one run is better than anything behind it, and so it is where vehicles
# reload; there it begins less warm (docs/decisions.md).
MOST_STOPS = 500
RELOADING_WARMEST = 1.0
# Without a time limit, from this many stops on, this many children are in progress at once.
WIDE = 100
WIDTH = 4
# Where vehicles in use have fixed costs of at least this share of the cost, and loads do not need
# all of them, so much of the effort looks for a plan with fewer, several times: it finds one soon,
# or not at all. Its iterations take half as long again.
FIXED_SHARE = 0.05
EMPTYING_SHARE, EMPTYING_PACE, EMPTYINGS = 0.3, 0.7, 5
_ANY_NUMBER = 2**62
_CHILD_SEEDS, _EMPTYING_SEEDS = 2**32, 2**33  # behind those of the runs


def evolve(search: RichSearch, iterations: int, effort: Effort, seed: int) -> PackedPlan:
    """Improves what a search has found.

    Runs of annealing make plans, and children of the plans follow. One run is all there is where
    iterations are few or stops many, where vehicles reload, and where fewer vehicles come before
    cost; by a clock, one on each core. Where a watch does not wait that long for better plans, runs
    are shorter, and one run is followed by others. Where only iterations count, the number of cores
    changes nothing.

    Annealing seldom empties a route whose stops fit only in a few ways into the others. Where
    vehicles have fixed costs, what is found is therefore followed by a search for fewer of them,
    and stays unless that finds a cheaper plan.

    Args:
        search: After `construct` or `start`.
        iterations: In all, where the effort is counted.
        effort: The clock and the cores.
        seed: >= 0.

    Returns:
        The best plan found.
    """
    if effort.level == "none" or effort.left() <= 0.0:
        return search.found()
    total = iterations if effort.is_counted else _ANY_NUMBER
    if _is_single(search) or not could_spare(search.problem, search.found()):
        return _Evolution(search, effort, seed).run(total)
    rest = int(EMPTYING_SHARE * total)
    plan = _Evolution(search, effort.part(1.0 - EMPTYING_SHARE), seed).run(total - rest)
    return _emptied(search, plan, rest, effort, seed)


def _is_single(search: RichSearch) -> bool:
    """Return whether one run is better than anything behind it."""
    return search.fewest_vehicles or search.size > MOST_STOPS


def could_spare(problem: PackedInstance, plan: PackedPlan) -> bool:
    """Return whether a plan with one vehicle less may cost less, whichever is spared.

    Args:
        problem: The instance.
        plan: Its vehicles pay if all have fixed costs, and these are not few beside the others;
            whatever is delivered, or picked up, has to fit into all of them but the largest.
    """
    routes, arrays = plan.plan().routes, problem.arrays
    types = [route.vehicle for route in routes]
    fixed = arrays["fixed_cost"][types]
    if len(types) < 2 or fixed.min() <= 0 or fixed.sum() < FIXED_SHARE * plan.cost:
        return False
    if problem.reloads:
        return True
    stops = [stop - 1 for route in routes for stop in route.stops]
    loads = np.maximum(*(arrays[name][stops].sum(axis=0) for name in ("delivery", "pickup")))
    room = np.minimum(arrays["capacity"][types], loads)
    return bool((room.sum(axis=0) - room.max(axis=0) >= loads).all())


def _emptied(
    search: RichSearch, plan: PackedPlan, iterations: int, effort: Effort, seed: int
) -> PackedPlan:
    """The plan, or a cheaper one: with fewer vehicles, or where none can be spared as it is."""
    if effort.left() <= 0.0:
        return plan
    fewer = could_spare(search.problem, plan)
    times = EMPTYINGS if fewer else 1
    most = int(EMPTYING_PACE * iterations) // times if fewer else iterations

    def run(number: int) -> PackedPlan:
        own, best = RichSearch(search.problem, fewest_vehicles=fewer), plan
        for turn in range(times):
            own_seed = seed + _EMPTYING_SEEDS + number * times + turn
            own.begin(own_seed % 2**64, effort.left())
            own.start(best.plan().routes)
            own.anneal(most, (CHILD_WARMEST, COOLEST), effort.left() / (times - turn))
            best = min(best, own.found(), key=_value)
        return best

    cores = 1 if effort.goes_by_count else effort.cores
    found = side_by_side([partial(run, number) for number in range(cores)], cores)
    return min(found, key=_value)


def _value(plan: PackedPlan) -> tuple[int, float]:
    return plan.value


class _Evolution:
    """Threads with a search each, for one instance.

    Args:
        search: After `construct` or `start`.
        effort: The clock and the cores.
        seed: >= 0.
    """

    def __init__(self, search: RichSearch, effort: Effort, seed: int) -> None:
        self._first, self._effort, self._seed = search, effort, seed
        self._size = search.size
        self._reloads = any(route.reloads for route in search.found().plan().routes)
        self._free: SimpleQueue[RichSearch] = SimpleQueue()

    def run(self, total: int) -> PackedPlan:
        """Searches for a number of iterations in all, or until the time is over."""
        return self._count(total) if self._effort.goes_by_count else self._run_until(total)

    def _count(self, total: int) -> PackedPlan:
        runs = self._runs(total, MOST_RUNS)
        if runs < 2:
            (plan,), _ = self._anneal(1, total)
            return plan
        each = int(RUN_SHARE * total / runs)
        plans, _ = self._anneal(runs, each)
        number = (total - runs * each) // (CHILD_ITERATIONS * self._size)
        width = WIDTH if self._size >= WIDE else 1
        return self._breed(Population(plans, width, number, self._seed))

    def _run_until(self, total: int) -> PackedPlan:
        cores = self._effort.cores
        # All runs before children, or one run, are cool before whoever watches loses patience.
        run_s = self._effort.run_s
        seconds = min(max(0.0, self._effort.left()), run_s / RUN_SHARE)
        runs = self._runs(min(total, int(seconds * PACE * cores)), max(MOST_RUNS, cores))
        if runs < max(2, cores):
            return min(self._anneal_alone(total // cores), key=self._first.rank)
        runs = runs // cores * cores
        each = RUN_SHARE * seconds * cores / runs
        plans, done = self._anneal(runs, int(RUN_SHARE * total / runs), each)
        width = 1 if cores == 1 else 2 * cores
        number = (total - done) // (CHILD_ITERATIONS * self._size)
        return self._breed(Population(plans, width, number, self._seed))

    def _runs(self, total: int, most: int) -> int:
        """The number of runs before children; below 2: no children."""
        if self._reloads or _is_single(self._first):
            return 1
        return min(int(RUN_SHARE * total / (RUN_ITERATIONS * self._size)), most)

    def _anneal_alone(self, total: int) -> list[PackedPlan]:
        """The plans of runs on each core, all from what the search has, one after the other."""
        routes = self._first.found().plan().routes
        run_s = min(max(0.0, self._effort.left()), self._effort.run_s)
        temperature = self._temperature(min(total, int(run_s * PACE)))

        def run(number: int) -> PackedPlan:
            search = self._free_search() if number else self._first
            if number:
                search.begin((self._seed + number) % 2**64, self._effort.left())
                search.start(routes)
            left = total
            while left > 0 and (seconds := min(run_s, self._effort.left())) > 0.0:
                left -= search.anneal(left, temperature, seconds)
            return search.found()

        cores = self._effort.cores
        return side_by_side([partial(run, number) for number in range(cores)], cores)

    def _anneal(
        self, runs: int, iterations: int, seconds: float = math.inf
    ) -> tuple[list[PackedPlan], int]:
        """Anneals the plan that the search has, and new ones.

        Args:
            runs: Their number.
            iterations: Of each at most.
            seconds: Likewise.

        Returns:
            The plan of each run, and their iterations in all.
        """
        expected = iterations if math.isinf(seconds) else min(iterations, int(seconds * PACE))
        temperature = self._temperature(expected)

        def run(number: int) -> tuple[PackedPlan, int]:
            search = self._free_search() if number else self._first
            if number:
                search.begin((self._seed + number) % 2**64, self._effort.left())
                search.construct()
            done = search.anneal(iterations, temperature, min(seconds, self._effort.left()))
            found = search.found()
            self._free.put(search)
            return found, done

        tasks = [partial(run, number) for number in range(runs)]
        found = side_by_side(tasks, self._effort.cores)
        return [plan for plan, _ in found], sum(done for _, done in found)

    def _temperature(self, iterations: int) -> tuple[float, float]:
        """First and last temperature of a run: warmer for longer runs."""
        least, most = WARMEST
        warmest = min(max(WARMING * math.sqrt(iterations / self._size), least), most)
        return RELOADING_WARMEST if self._reloads else warmest, COOLEST

    def _free_search(self) -> RichSearch:
        """Return a search that no thread uses."""
        try:
            return self._free.get_nowait()
        except Empty:
            return self._first.another()

    def _breed(self, population: Population) -> PackedPlan:
        """Makes children side by side, while effort is left."""
        cores = self._effort.cores
        side_by_side([partial(self._make_children, population)] * cores, cores)
        return population.best()

    def _make_children(self, population: Population) -> None:
        iterations = CHILD_ITERATIONS * self._size
        try:
            search = self._free_search()
            while self._effort.left() > 0.0 and (child := population.next()) is not None:
                own_seed = (self._seed + _CHILD_SEEDS + child.number) % 2**64
                search.begin(own_seed, self._effort.left())
                search.cross(child.first, child.second)
                search.anneal(iterations, (CHILD_WARMEST, COOLEST), self._effort.left())
                population.born(child.number, search.found())
        except BaseException:
            population.stop()  # or others would wait for this thread's child
            raise
