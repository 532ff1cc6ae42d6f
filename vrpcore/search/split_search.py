"""The search of an instance whose customers may be split: they are cut into pieces beforehand.

Pieces are stops of an ordinary instance. Those of a customer that come into one trip are merged
into one visit. The best plan is then cut again, each time elsewhere, and searched further.

Source: Chen, Golden, Wang and Wasil 2017, "A novel approach to solve the split delivery vehicle
routing problem" (pieces of 20, 10, 5 and 1 % of a vehicle).
"""

import math
import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vrpcore.instance.division import Amount, Division, visits_of
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Plan, Reload, Route
from vrpcore.search.effort import Effort
from vrpcore.search.hgs_search import improve_instance
from vrpcore.search.kept_routes import is_better
from vrpcore.search.pieces import Pieces, is_plain
from vrpcore.search.rich_library import RichSearch
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.rich_search import search_plan

# Pieces of customers, in shares of a vehicle; first whole vehicles for who needs several.
SHARES = (0.2, 0.1, 0.05, 0.01)
FINER = (SHARES, (0.1, 0.05, 0.01), (0.25, 0.125, 0.06, 0.02), (1.0, 0.4, 0.2, 0.1, 0.05, 0.01))
CHOSEN = (0.1, 0.2, 0.4)  # of customers that are cut again
AGAIN = 0.7  # of those that are split already
ANEW = 0.5  # of those that are cut: not their parts, but all of what they ask for
FIRST_SHARE = 0.3  # of the effort, before anything is cut again
ROUNDS = 14  # that share the rest
_TRIES = 5  # to serve again who is not served as planned

Rank = tuple[int, int, float]


def search_split(
    instance: Instance,
    starts: Sequence[Plan],
    effort: Effort,
    seed: int,
    *,
    fewest_vehicles: bool = False,
) -> Plan:
    """Searches for the best plan of an instance whose customers may be split.

    Args:
        instance: With constraints; some of its stops may be split.
        starts: Known plans; they may break limits.
        effort: How much search.
        seed: >= 0.
        fewest_vehicles: The number of vehicles in use comes before cost.

    Returns:
        The plan, with the part of each visit.

    Raises:
        MissingSearchError: The compiled search was not built.
    """
    search = _SplitSearch(instance, effort, seed, fewest_vehicles=fewest_vehicles)
    return search.run(starts)


class _SplitSearch:
    """The search of one instance."""

    def __init__(
        self, instance: Instance, effort: Effort, seed: int, *, fewest_vehicles: bool
    ) -> None:
        self._instance, self._effort, self._fewest = instance, effort, fewest_vehicles
        self._pieces, self._random = Pieces(instance), random.Random(seed)
        self._plain = is_plain(instance) and not fewest_vehicles
        self._best: tuple[Rank, Plan] = ((1 << 62, 0, math.inf), Plan([]))
        constraints = instance.own_constraints
        weight = constraints.priority * (constraints.num_stops + 1) + 1
        self._weight = np.where(constraints.required, weight, 0)
        self._prize = np.where(constraints.required, 0.0, constraints.prize)

    def run(self, starts: Sequence[Plan]) -> Plan:
        """The best plan found."""
        if self._effort.watch is not None:
            self._effort.watch.follow_parts()
        self._take(Plan([]))
        repaired = False
        for start in starts:
            known = self._pieces.with_parts(start)
            repaired |= not self._take(known)
        self._round(self._divided(SHARES, everybody=True), FIRST_SHARE)
        rounds, effort = 0, self._effort
        while effort.level != "none" and effort.left() > 0.0:
            if rounds >= ROUNDS and effort.is_counted:
                break
            left = max(1, ROUNDS - rounds)
            self._round(self._divided(self._random.choice(FINER)), 1.0 / left)
            rounds += 1
        return self._best[1]._replace(repaired=repaired)

    def _round(self, cut: tuple[Division, Plan], share: float) -> None:
        """Searches pieces, and keeps what is better.

        Args:
            cut: The pieces, and the plan of them.
            share: Of the time that is left.
        """
        (division, start), effort, size = cut, self._effort, self._instance.num_customers
        if effort.level != "none" and effort.is_counted:
            iterations = max(len(division.stops), effort.total(size) // (ROUNDS + 4))
            effort = replace(effort, iterations=iterations)
        seed = self._random.randrange(2**32)
        search = self._search_plain if self._plain else self._search_rich
        found = search(division, start, effort.part(share), seed)
        self._take(self._pieces.merged(division, found))

    def _search_plain(self, division: Division, start: Plan, effort: Effort, seed: int) -> Plan:
        """A plan of pieces that have nothing but amounts."""
        found = division.of(self._instance)
        constraints = found.own_constraints
        amounts = np.maximum(constraints.delivery, constraints.pickup)[:, 0]
        plain = replace(
            found,
            demand=np.concatenate(([0.0], amounts)),
            ids=tuple(range(1, len(amounts) + 1)),
            constraints=None,
        )
        served = sum(len(route.stops) for route in start.routes)
        starts = [[[*route.stops] for route in start.routes]] if served == len(amounts) else []
        return Plan.of(improve_instance(plain, starts, effort, seed))

    def _search_rich(self, division: Division, start: Plan, effort: Effort, seed: int) -> Plan:
        must = bool(self._random.randrange(2))
        problem = RichProblem(self._pieces.searched(division, must=must))
        starts = [start] if start.routes else []
        return search_plan(problem, effort, seed, fewest_vehicles=self._fewest, starts=starts)

    def _divided(
        self, shares: Sequence[float], *, everybody: bool = False
    ) -> tuple[Division, Plan]:
        """Pieces of the best plan, and the plan of these.

        Args:
            shares: How large pieces are.
            everybody: All are cut, and the plan does not count.
        """
        stops, amounts, routes = list[int](), list[Amount](), list[Route]()
        apart, chosen = not self._random.randrange(4), self._chosen(everybody=everybody)
        anew = set[int]()  # cut as if they were in no route
        if not self._plain and not everybody:
            anew = {stop for stop in chosen if self._random.random() < ANEW}

        def pieces_of(stop: int, part: Amount) -> range:
            first, own = len(stops) + 1, shares
            parts = [part]
            if stop in anew:
                own = self._random.choice(((1.0,), shares, (self._random.uniform(0.1, 1.0),)))
            if stop in chosen and self._pieces.may_cut(stop):
                parts = self._pieces.cut(stop, part, own, apart=apart)
            stops.extend([stop] * len(parts))
            amounts.extend(parts)
            return range(first, len(stops) + 1)

        best = Plan([]) if everybody else self._best[1]
        for route, parts in zip(best.routes, best.parts, strict=True):
            visits = list[int | Reload]()
            calls = {each.after: each for each in route.reloads}
            for row, (stop, part) in enumerate(zip(route.stops, parts, strict=True)):
                visits += [calls[row]] if row in calls else []
                visits += () if stop in anew else pieces_of(stop, part)
            routes.append(Route.of(route.vehicle, visits))
        served = {*stops}
        for stop in range(1, self._instance.num_customers + 1):
            if stop not in served:
                pieces_of(stop, self._pieces.whole(stop))
        return Division(stops, amounts), Plan(routes)

    def _chosen(self, *, everybody: bool) -> set[int]:
        """Stops that are cut: all, or some, and most of those that are split or not served."""
        stops = range(1, self._instance.num_customers + 1)
        if everybody:
            return {*stops}
        visits = [stop for route in self._best[1].routes for stop in route.stops]
        once = {*visits}
        again = {*stops} - once
        for stop in visits:
            if stop in once:
                once.remove(stop)
            else:
                again.add(stop)
        share = self._random.choice(CHOSEN)
        return {
            stop for stop in stops if self._random.random() < (AGAIN if stop in again else share)
        }

    def _take(self, plan: Plan) -> bool:
        """Keeps a plan if it is the best so far; returns whether it keeps all limits as it is."""
        valued = self._valued_plain(plan) if self._plain else None
        if valued is None:
            valued = self._valued(plan)
        rank, found = valued
        if is_better(rank, self._best[0]) or (
            rank <= self._best[0] and self._random.random() < 0.5
        ):
            if is_better(rank, self._best[0]) and self._effort.watch is not None and not rank[0]:
                self._effort.watch.note(rank[2])
            self._best = rank, found
        return found.parts == plan.parts

    def _valued_plain(self, plan: Plan) -> tuple[Rank, Plan] | None:
        """The rank of a plan that serves all with few enough vehicles; None: it does not."""
        count = self._instance.own_constraints.vehicles[0].count
        served = {stop for route in plan.routes for stop in route.stops}
        if len(served) < self._instance.num_customers or self._pieces.complete(plan) is not plan:
            return None
        if count is not None and len(plan.routes) > count:
            return None
        capacity = self._instance.load_limit
        for parts in plan.parts:
            if math.fsum(part[0] for part in parts) > capacity:
                return None
        nodes = np.array([node for route in plan.routes for node in (0, *route.stops)] + [0])
        return (0, 0, float(self._pieces.legs[nodes[:-1], nodes[1:]].sum())), plan

    def _valued(self, plan: Plan) -> tuple[Rank, Plan]:
        """The rank of a plan, and the plan as it keeps all limits."""
        for _ in range(_TRIES):
            plan = self._pieces.complete(plan)
            if not plan.routes:
                break
            known = sum(map(len, plan.parts))
            whole, visits = visits_of(self._instance, plan)
            part = whole.take(range(1, known + 1))
            search = RichSearch(RichProblem(part), fewest_vehicles=self._fewest)
            search.begin(0)
            search.start(visits.routes)
            packed = search.found()
            found = packed.plan()
            stops = [stop for route in plan.routes for stop in route.stops]
            amounts = [part for parts in plan.parts for part in parts]
            merged = self._pieces.merged(Division(stops, amounts), found)
            if sum(map(len, merged.parts)) == known:
                return self._rank(merged, packed.cost), merged
            plan = merged
        empty = Plan([])
        return self._rank(empty, 0.0), empty

    def _rank(self, plan: Plan, cost: float) -> Rank:
        left = np.ones(self._instance.num_customers, np.bool_)
        left[[stop - 1 for route in plan.routes for stop in route.stops]] = False
        vehicles = len(plan.routes) if self._fewest else 0
        missing = int(self._weight[left].sum())
        return missing, vehicles, cost + float(self._prize[left].sum())
