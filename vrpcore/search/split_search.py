"""The search of an instance whose customers may be split: they are cut into pieces beforehand.

Pieces are stops of an ordinary instance. Those of a customer that come into one trip are merged
into one visit. The best plan is then cut again, each time elsewhere, and searched further.

Source: Chen, Golden, Wang and Wasil 2017, "A novel approach to solve the split delivery vehicle
routing problem" (pieces of 20, 10, 5 and 1 % of a vehicle).
"""

import math
import random
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

import numpy as np

from vrpcore.instance.division import Amount, Division, visits_of
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Plan, Reload, Route, Visit
from vrpcore.search.effort import Effort
from vrpcore.search.hgs_search import improve_instance
from vrpcore.search.kept_routes import is_better
from vrpcore.search.pieces import Pieces, is_plain
from vrpcore.search.rich_library import RichSearch
from vrpcore.search.rich_problem import RichProblem
from vrpcore.search.rich_search import search_plan

# Pieces of customers, in shares of a vehicle: for the first plan where a capacity is all that there
# is, and for other plans. The first plan has this share of the effort.
FIRST, FIRST_SHARE = (1.0, 0.4, 0.1), 0.1
FINER = (
    (0.2, 0.1, 0.05, 0.01),
    (0.1, 0.05, 0.01),
    (0.25, 0.125, 0.06, 0.02),
    (1.0, 0.4, 0.2, 0.1, 0.05, 0.01),
)
# Shares of the customers that are cut again, with all that are split already, or not served.
CHOSEN = (0.1, 0.2, 0.4)
# Where a capacity is all that there is, neighbouring routes are cut into about so many pieces, each
# searched so long.
REGIONS = (60, 120, 250)
PIECE_S, PIECE_ITERATIONS = 1e-3, 100
# Elsewhere, all of the plan is searched again so often; of the customers that are cut, this share
# is in no route at first. Of those who are left out, not all are tried: their parts take room.
# While somebody is left out, half of these searches do without one or two who are served: a search
# counts parts, of which one customer has more than another. Few customers take no time.
ROUNDS, ANEW, TRIED = 14, 0.5, 0.5
GIVES_WAY, FEW, ROUNDS_OF_FEW = 0.3, 20, 40
MOST_PIECES = 3000  # beyond, customers are only cut into whole vehicles
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
        starts: Known plans; they may break limits. The plan is no worse than any that keeps them.
        effort: How much search; without a time limit its iterations are those of pieces.
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
        # Seconds and iterations in all, and the share of these that is spent.
        self._seconds, self._iterations, self._spent = effort.left(), math.inf, 0.0

    def run(self, starts: Sequence[Plan]) -> Plan:
        """The best plan found."""
        if self._effort.watch is not None:
            self._effort.watch.follow_parts()
        self._take(Plan([]))
        kept = [self._take(self._pieces.with_parts(start)) for start in starts]
        everybody = {*range(1, self._instance.num_customers + 1)}
        shares = FIRST if self._plain else FINER[0]
        cut = self._divided(Plan([]), everybody, shares, others=1.0)
        if self._effort.level != "none" and self._effort.is_counted:
            self._iterations = self._effort.total(len(cut[0].stops))
        self._take(self._searched(cut, self._part(FIRST_SHARE)))
        if self._effort.watch is not None:  # from here on, parts are cut anew each time
            self._effort.watch.follow_parts(gains=False)
        self._plain = self._plain and self._best[0][0] == 0
        while self._effort.level != "none" and self._effort.left() > 0.0 and self._spent < 1.0:
            if self._plain:
                self._cut_region()
            else:
                self._cut_some()
        return self._best[1]._replace(repaired=not all(kept))

    def _part(self, share: float) -> Effort:
        """A share of all effort, or what is left of it."""
        effort = self._effort
        if math.isfinite(self._iterations):
            self._spent += share
            effort = replace(effort, iterations=max(1, int(share * self._iterations)))
        if effort.end is not None:
            end = time.perf_counter() + share * self._seconds
            effort = replace(effort, end=min(effort.end, end))
        return effort

    def _cut_some(self) -> None:
        """Cuts some customers of the whole plan again."""
        plan, size = self._best[1], self._instance.num_customers
        chosen = self._chosen(range(1, size + 1))
        anew = {stop for stop in chosen if self._random.random() < ANEW}
        shares, gone = self._random.choice(FINER), set[int]()
        served = sorted({stop for route in plan.routes for stop in route.stops})
        if 0 < len(served) < size and self._random.random() < 0.5:
            share = min(GIVES_WAY, 2.0 / len(served))
            gone = {stop for stop in served if self._random.random() < share}
        cut = self._divided(plan, chosen, shares, anew, gone=gone, others=1.0 if gone else TRIED)
        part = self._part((1.0 - FIRST_SHARE) / (ROUNDS_OF_FEW if size <= FEW else ROUNDS))
        if cut[0].stops:
            self._take(self._searched(cut, part))

    def _cut_region(self) -> None:
        """Cuts customers of neighbouring routes again; the other routes stay."""
        plan, size = self._best[1], self._random.choice(REGIONS)
        rows, stops, pieces = list[int](), set[int](), 0
        for row in self._from_nearest(plan):
            rows.append(row)
            stops |= {*plan.routes[row].stops}
            pieces += len(plan.parts[row]) + 4
            if pieces >= size:
                break
        others = sorted({*range(len(plan.routes))} - {*rows})
        inside, outside = _rows_of(plan, rows), _rows_of(plan, others)
        shares = self._random.choice(FINER)
        cut = self._divided(inside, self._chosen(stops), shares)
        number = len(cut[0].stops)
        counted = min(PIECE_ITERATIONS * number / self._iterations, 1.0 / ROUNDS)
        effort = self._part(max(counted, PIECE_S * number / self._seconds))
        found = self._searched(cut, effort, len(others))
        self._take(Plan(outside.routes + found.routes, parts=outside.parts + found.parts))

    def _from_nearest(self, plan: Plan) -> list[int]:
        """The routes of a plan, those first that are nearest to some stop."""
        legs, first = self._pieces.legs, self._instance.num_depots - 1
        center = first + self._random.choice(self._random.choice(plan.routes).stops)
        stops = [[first + stop for stop in route.stops] for route in plan.routes]
        found: list[int] = np.argsort([legs[center, own].min() for own in stops]).tolist()
        return found

    def _searched(self, cut: tuple[Division, Plan], effort: Effort, others: int = 0) -> Plan:
        """The visits of the best plan of pieces.

        Args:
            cut: The pieces, and a plan of them.
            effort: How much search.
            others: Vehicles that are not free.
        """
        (division, start), seed = cut, self._random.randrange(2**32)
        if self._plain:
            found = self._search_plain(division, start, effort, seed, others)
        else:
            must = bool(self._random.randrange(2))
            problem = RichProblem(self._pieces.searched(division, must=must))
            starts = [start] if start.routes else []
            found = search_plan(problem, effort, seed, fewest_vehicles=self._fewest, starts=starts)
        return self._pieces.merged(division, found)

    def _search_plain(
        self, division: Division, start: Plan, effort: Effort, seed: int, others: int
    ) -> Plan:
        """A plan of pieces that have nothing but amounts."""
        found = division.of(self._instance)
        constraints = found.own_constraints
        amounts = np.maximum(constraints.delivery, constraints.pickup)[:, 0]
        count = constraints.vehicles[0].count
        plain = replace(
            found,
            demand=np.concatenate(([0.0], amounts)),
            ids=tuple(range(1, len(amounts) + 1)),
            max_vehicles=None if count is None else max(1, count - others),
            constraints=None,
        )
        starts = [[[*route.stops] for route in start.routes]] if start.routes else []
        return Plan.of(improve_instance(plain, starts, effort, seed))

    def _divided(
        self,
        plan: Plan,
        chosen: AbstractSet[int],
        shares: Sequence[float],
        anew: AbstractSet[int] = frozenset(),
        *,
        gone: AbstractSet[int] = frozenset(),
        others: float = 0.0,
    ) -> tuple[Division, Plan]:
        """Pieces of a plan, and the plan of these.

        Args:
            plan: The plan.
            chosen: Stops that are cut.
            shares: How large pieces are.
            anew: Those of them that are cut as if they were in no route.
            gone: Stops that are taken off their routes, and have no pieces.
            others: The share of those in no route who have pieces, too.
        """
        stops, amounts, routes = list[int](), list[Amount](), list[Route]()
        apart = not self._random.randrange(4)

        def pieces_of(stop: int, part: Amount) -> range:
            first, own, parts = len(stops) + 1, shares, [part]
            if stop in anew:
                own = self._random.choice(((1.0,), shares, (self._random.uniform(0.1, 1.0),)))
            if stop in chosen and self._pieces.may_cut(stop):
                parts = self._pieces.cut(stop, part, own, apart=apart)
                if len(stops) + len(parts) > MOST_PIECES:
                    parts = self._pieces.cut(stop, part, (1.0,), apart=apart)
            stops.extend([stop] * len(parts))
            amounts.extend(parts)
            return range(first, len(stops) + 1)

        for route, own in zip(plan.routes, plan.parts, strict=True):
            parts, visits = iter(own), list[Visit]()
            for visit in route.visits:
                if isinstance(visit, Reload):
                    visits.append(visit)
                    continue
                part = next(parts)
                visits += () if visit in anew | gone else pieces_of(visit, part)
            routes.append(Route.of(route.vehicle, visits))
        served = {*stops}
        known = {stop for route in plan.routes for stop in route.stops if stop not in gone}
        for stop in range(1, self._instance.num_customers + 1) if others else ():
            if stop not in served | gone and (stop in known or self._random.random() < others):
                pieces_of(stop, self._pieces.whole(stop))
        return Division(stops, amounts), Plan(routes)

    def _chosen(self, stops: Iterable[int]) -> set[int]:
        """Stops that are cut: some, and those that are split or not served."""
        counts = Counter(stop for route in self._best[1].routes for stop in route.stops)
        share = self._random.choice(CHOSEN)
        return {stop for stop in stops if counts[stop] != 1 or self._random.random() < share}

    def _take(self, plan: Plan) -> bool:
        """Keeps a plan if it is the best so far, or sometimes if it is as good.

        Returns:
            Whether it keeps all limits with the visits that it has.
        """
        valued = self._valued_plain(plan) if self._plain else None
        rank, found = valued or self._valued(plan)
        if is_better(rank, self._best[0]):
            if self._effort.watch is not None and not rank[0]:
                self._effort.watch.note(rank[2], rank[1])
            self._best = rank, found
        elif rank <= self._best[0] and self._random.random() < 0.5:
            self._best = rank, found
        own, before = ([route.stops for route in each.routes] for each in (found, plan))
        return sorted(own) == sorted(before)

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


def _rows_of(plan: Plan, rows: Sequence[int]) -> Plan:
    """Some routes of a plan."""
    return Plan([plan.routes[row] for row in rows], parts=tuple(plan.parts[row] for row in rows))
