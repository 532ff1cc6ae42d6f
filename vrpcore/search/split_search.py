"""The search of an instance whose customers may be split: they are cut into pieces beforehand.

Pieces are stops of an ordinary instance. Those of a customer that come into one trip are merged
into one visit. The best plan is then cut again, each time elsewhere, and searched further.

Source: Chen, Golden, Wang and Wasil 2017, "A novel approach to solve the split delivery vehicle
routing problem" (pieces of 20, 10, 5 and 1 % of a vehicle).
"""

import math
import random
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

# Pieces of customers, in shares of a vehicle, for the first plan and for those that follow.
SHARES = (0.2, 0.1, 0.05, 0.01)
FINER = (SHARES, (0.1, 0.05, 0.01), (0.25, 0.125, 0.06, 0.02), (1.0, 0.4, 0.2, 0.1, 0.05, 0.01))
FIRST_SHARE = 0.3  # of the effort, before anything is cut again
# Of customers that are cut again; and of those that are split already, or not served.
CHOSEN, AGAIN = (0.1, 0.2, 0.4), 0.7
# Where limits are more than a capacity: so many rounds; and of those that are cut, the share whose
# parts are forgotten.
ROUNDS, ANEW = 14, 0.5
# Elsewhere, neighbouring routes are cut into about so many pieces, each searched so long.
REGIONS = (60, 120, 250)
PIECE_S, PIECE_ITERATIONS = 1e-3, 100
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
        self._first()
        effort, rounds, iterations = self._effort, 0, self._effort_iterations()
        while effort.level != "none" and effort.left() > 0.0 and iterations > 0:
            if self._plain:
                iterations -= self._region(iterations)
                continue
            if rounds >= ROUNDS and effort.is_counted:
                break
            stops = range(1, self._instance.num_customers + 1)
            chosen = self._chosen(stops)
            anew = {stop for stop in chosen if self._random.random() < ANEW}
            cut = self._divided(self._best[1], chosen, self._random.choice(FINER), anew)
            part = effort.part(1.0 / max(1, ROUNDS - rounds))
            if effort.is_counted:
                part = replace(part, iterations=max(len(cut[0].stops), iterations // ROUNDS))
            self._take(self._searched(cut, part))
            rounds += 1
        return self._best[1]._replace(repaired=repaired)

    def _effort_iterations(self) -> int:
        """Iterations behind the first plan, where they are counted."""
        if self._effort.level == "none" or not self._effort.is_counted:
            return 1 << 60
        return int((1 - FIRST_SHARE) * self._effort.total(self._instance.num_customers))

    def _first(self) -> None:
        """Searches for a plan of pieces of all customers."""
        everybody = {*range(1, self._instance.num_customers + 1)}
        cut = self._divided(Plan([]), everybody, SHARES)
        effort = self._effort.part(FIRST_SHARE)
        if effort.level != "none" and effort.is_counted:
            total = FIRST_SHARE * effort.total(self._instance.num_customers)
            effort = replace(effort, iterations=max(len(cut[0].stops), int(total)))
        found = self._searched(cut, effort)
        self._take(found)
        self._plain = self._plain and self._best[0][0] == 0

    def _region(self, iterations: int) -> int:
        """Cuts neighbouring routes again; returns iterations that this took."""
        plan, legs, first = self._best[1], self._pieces.legs, self._instance.num_depots - 1
        size, shares = self._random.choice(REGIONS), self._random.choice(FINER)
        center = first + self._random.choice(self._random.choice(plan.routes).stops)
        near = [legs[center, [first + stop for stop in route.stops]].min() for route in plan.routes]
        rows, stops, pieces = list[int](), set[int](), 0
        for row in np.argsort(near, kind="stable").tolist():
            rows.append(row)
            stops |= {*plan.routes[row].stops}
            pieces += len(plan.parts[row]) + 4
            if pieces >= size:
                break
        inside = _rows_of(plan, rows)
        others = [row for row in range(len(plan.routes)) if row not in rows]
        chosen = self._chosen(stops)
        cut = self._divided(inside, chosen, shares, everybody=False)
        pieces = len(cut[0].stops)
        effort = replace(self._effort, level="fast")
        if self._effort.is_counted:
            effort = replace(effort, iterations=min(PIECE_ITERATIONS * pieces, max(iterations, 1)))
        left = self._effort.left()
        if math.isfinite(left):
            effort = self._effort.part(min(1.0, PIECE_S * pieces / max(left, 1e-9)))
        found = self._searched(cut, effort, len(others))
        outside = _rows_of(plan, others)
        self._take(Plan(outside.routes + found.routes, parts=outside.parts + found.parts))
        return PIECE_ITERATIONS * pieces

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
            found = self._search_rich(division, start, effort, seed)
        return self._pieces.merged(division, found)

    def _search_plain(
        self, division: Division, start: Plan, effort: Effort, seed: int, others: int
    ) -> Plan:
        """A plan of pieces that have nothing but amounts."""
        found = division.of(self._instance)
        constraints = found.own_constraints
        amounts = np.maximum(constraints.delivery, constraints.pickup)[:, 0]
        most = constraints.vehicles[0].count
        plain = replace(
            found,
            max_vehicles=None if most is None else max(1, most - others),
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
        self,
        plan: Plan,
        chosen: AbstractSet[int],
        shares: Sequence[float],
        anew: AbstractSet[int] = frozenset(),
        *,
        everybody: bool = True,
    ) -> tuple[Division, Plan]:
        """Pieces of a plan, and the plan of these.

        Args:
            plan: The plan.
            chosen: Stops that are cut.
            shares: How large pieces are.
            anew: Those of them that are cut as if they were in no route.
            everybody: Who is in no route has pieces, too.
        """
        stops, amounts, routes = list[int](), list[Amount](), list[Route]()
        apart = not self._random.randrange(4)

        def pieces_of(stop: int, part: Amount) -> range:
            first, own, parts = len(stops) + 1, shares, [part]
            if stop in anew:
                own = self._random.choice(((1.0,), shares, (self._random.uniform(0.1, 1.0),)))
            if stop in chosen and self._pieces.may_cut(stop):
                parts = self._pieces.cut(stop, part, own, apart=apart)
            stops.extend([stop] * len(parts))
            amounts.extend(parts)
            return range(first, len(stops) + 1)

        for route, own in zip(plan.routes, plan.parts, strict=True):
            parts = iter(own)
            visits = list[Visit]()
            for visit in route.visits:
                if isinstance(visit, Reload):
                    visits.append(visit)
                    continue
                part = next(parts)
                visits += () if visit in anew else pieces_of(visit, part)
            routes.append(Route.of(route.vehicle, visits))
        served = {*stops}
        for stop in range(1, self._instance.num_customers + 1) if everybody else ():
            if stop not in served:
                pieces_of(stop, self._pieces.whole(stop))
        return Division(stops, amounts), Plan(routes)

    def _chosen(self, stops: Iterable[int]) -> set[int]:
        """Stops that are cut: some, and most of those that are split or not served."""
        counts = Counter(stop for route in self._best[1].routes for stop in route.stops)
        share = self._random.choice(CHOSEN)
        return {
            stop
            for stop in stops
            if self._random.random() < (share if counts[stop] == 1 else AGAIN)
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


def _rows_of(plan: Plan, rows: Sequence[int]) -> Plan:
    """Some routes of a plan."""
    return Plan([plan.routes[row] for row in rows], parts=tuple(plan.parts[row] for row in rows))
