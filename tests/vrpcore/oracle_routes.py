"""All routes of a vehicle type through few stops, by all orders, reloads and breaks.

Nothing of the product is imported.
"""

import math
from typing import NamedTuple

from tests.vrpcore.oracle_rides import Step, best_begins, has_limits
from tests.vrpcore.oracle_times import (
    TOLERANCE,
    Departure,
    Limits,
    Visit,
    best_departure,
    departures,
    through,
)
from tests.vrpcore.oracle_types import Loads, VehicleType, loaded
from tests.vrpcore.plain_problem import ALWAYS, PlainProblem, allowance, amounts_of, get

RESIDUE = 1e-12  # of loads, by rounding
MOST_WALKS = 1_000_000  # about a minute


class Walk(NamedTuple):
    """A route that has begun.

    Attributes:
        stops: Indices of stops.
        reloads: Index of the depot, and the number of stops before, of each reload.
        steps: What the route does in order: "stop", "reload" or "break", and its index.
        node: Where the vehicle is; None: it has not begun.
        parts: See `oracle_times`.
        sums: Distance and travel time; time of services; cost of legs.
        loads: Of this trip.
        most: On board in any trip before.
        returned: On board on arrival at each reload.
        rests: Index of each break of this trip, and what has been taken on board until then.
        release: This trip begins to be loaded no earlier.
        leaves: Its earliest and latest departure, and how long loading takes then.
        line: Its steps as of `oracle_rides`.
    """

    stops: tuple
    reloads: tuple
    steps: tuple
    node: int | None
    parts: list
    sums: tuple
    loads: Loads
    most: list
    returned: tuple
    rests: tuple
    release: float
    leaves: tuple
    line: tuple = ()


class Route(NamedTuple):
    """A route at its best departure.

    Attributes:
        cost: Its own.
        times: Its departure.
        stops: Indices of stops.
        reloads: Index of the depot, and the number of stops before, of each.
        distance: Of its legs.
        served: Of the first dimension, all that it serves.
        load: The most on board in any trip, by dimension.
        returned: On board on arrival at each reload.
        begins: Of the service of each stop.
        late: By how much each of these is late.
        loaded: Begin of loading at each reload.
    """

    cost: float
    times: Departure
    stops: tuple
    reloads: tuple
    distance: float
    served: float
    load: tuple
    returned: tuple
    begins: tuple
    late: tuple
    loaded: tuple


def route_cost(document, type_index, stops, reloads=()):
    """The `Route` that a vehicle has if it serves these stops in this order; None: it cannot.

    Relations that bind one route are obeyed, as far as their stops are in it. What binds several
    routes (`count`, `groups`, `balance`, the others of a relation) is not looked at.

    Args:
        document: The instance.
        type_index: Of the vehicle type.
        stops: Ids, those of a shipment as "s1:pickup".
        reloads: Id of the depot, and the number of stops before, of each.
    """
    problem = PlainProblem(document)
    names = [stop.name for stop in problem.stops]
    depots = [depot["id"] for depot in problem.depots]
    plan = (
        tuple(names.index(str(name)) for name in stops),
        tuple((depots.index(str(depot)), after) for depot, after in reloads),
    )
    found = Routes(problem, type_index, plan=plan).all()
    return next(iter(found.values()), None)


class TooManyRoutesError(Exception):
    """A vehicle has more beginnings of routes than can be looked at in about a minute."""


class Routes(VehicleType):
    """The best departure of a vehicle of a type with each order of stops and reloads."""

    def __init__(self, problem, index, *, alone=False, plan=None):
        """Looks at routes of one unit only, or at one route only, if asked."""
        super().__init__(problem, index)
        self.alone, self.plan = alone, plan
        self.last = problem.document.get("backhauls") == "last"
        self.breaks = get(self.vehicle, "breaks", [])
        self.releases = sorted({-math.inf, *(unit.release for unit in problem.units)})
        self.found, self.walks = {}, 0

    def all(self):
        """The `Route` of each pair of stops and reloads; raises `TooManyRoutesError`."""
        if self.plan is None and not get(self.vehicle, "count", 1) > 0:
            return {}
        loads = Loads(self.board, self.zero, self.zero)
        for release in self.releases:
            parts = self._leaves(release)
            sums = (0.0, 0.0, 0.0, 0.0)
            begun = ((), (), (), self.start, parts, sums, loads, self.board, (), ())
            if parts:
                self._extend(Walk(*begun, release, parts[0][:3]))
        return self.found

    def _leaves(self, release):
        """The parts of a route whose first trip begins no earlier than a time."""
        earliest = max(self.opens, release)
        latest = get(self.vehicle, "latest_start", math.inf)
        if allowance(self.vehicle, "max_late", "late_cost")[0] > 0:
            latest = min(latest, self.closes)  # it may be back late, not leave late
        if self.start is None:
            return departures(earliest, latest, 0.0)
        depot = self.problem.depots[self.start]
        loading = get(depot, "service", 0)
        if loading > 0:
            latest = min(latest, depot["closes"])
        return departures(max(earliest, depot["opens"]), latest, loading)

    def _extend(self, walk):
        """All routes that begin with this one."""
        self.walks += 1
        if self.walks > MOST_WALKS:
            raise TooManyRoutesError(self.index)
        goes_on = len(walk.reloads) > 0 and walk.reloads[-1][1] == len(walk.stops)
        if walk.stops and not goes_on and self._may_end_trip(walk):
            if sum(kind == "break" for kind, _ in walk.steps) == len(self.breaks):
                self._finish(walk)
            if len(walk.reloads) < get(self.vehicle, "max_reloads", math.inf):
                for depot in self.reloads:
                    self._reload(walk, depot)
        for index in range(len(self.breaks)):
            self._rest(walk, index)
        if len(walk.stops) < get(self.vehicle, "max_customers", math.inf):
            for number in range(len(self.problem.stops)):
                self._serve(walk, number)

    def _serve(self, walk, number):
        """Goes on to a stop."""
        problem, stop = self.problem, self.problem.stops[number]
        there = len(problem.depots) + number
        if not self._may_follow(walk, number, stop) or not self.has_road(walk.node, there):
            return
        sums = self.legs(walk.node, there, walk.sums)
        service = problem.service_of(self.index, walk.node, number)
        is_first = walk.node is None and not walk.steps
        visit = Visit(stop.windows, service, stop.max_late, stop.late_cost, is_first)
        parts = through(walk.parts, sums[1] - walk.sums[1], visit)
        step = self._limited(walk, number, stop, Step(sums[1] - walk.sums[1], visit, math.inf))
        sums = (*sums[:2], sums[2] + service, sums[3])
        loads = loaded(walk.loads, stop)
        if parts and self.holds(loads) and self.within(sums):
            ways = {"node": there, "parts": parts, "sums": sums, "loads": loads}
            ways["line"] = (*walk.line, step)
            steps = (*walk.steps, ("stop", number))
            self._extend(walk._replace(stops=(*walk.stops, number), steps=steps, **ways))

    def _limited(self, walk, number, stop, step):
        """A step to a stop with its limits on waits and rides."""
        wait = min(self._longest_wait(walk), get(stop.place, "max_wait", math.inf))
        if stop.first or stop.max_ride == math.inf:
            return step._replace(wait=wait)
        pickup = [at for at, own in enumerate(walk.steps) if own == ("stop", number - 1)]
        return step._replace(wait=wait, pickup=pickup[0], ride=stop.max_ride)

    def _longest_wait(self, walk):
        """By whether something of a shipment is on board behind what is done so far."""
        aboard = set()
        for number in walk.stops:
            stop = self.problem.stops[number]
            if self.problem.units[stop.unit].stops == 2:
                (aboard.add if stop.first else aboard.discard)(stop.unit)
        return get(self.vehicle, "max_wait_loaded", math.inf) if aboard else math.inf

    def _may_follow(self, walk, number, stop):
        unit = self.problem.units[stop.unit]
        if self.plan and self.plan[0][: len(walk.stops) + 1] != (*walk.stops, number):
            return False
        if number in walk.stops or unit.release > walk.release:
            return False
        if self.alone and walk.stops and self.problem.stops[walk.stops[0]].unit != stop.unit:
            return False
        if not self.may_serve(stop.unit):
            return False
        if get(self.vehicle, "loading", "any") == "lifo" and self._is_covered(walk, stop):
            return False
        trip = self._trip(walk)
        if self.last and any(stop.demand):
            return not any(any(self.problem.stops[each].pickup) for each in trip)
        if unit.board is not None:
            return not walk.reloads
        return stop.first or number - 1 in trip

    def _is_covered(self, walk, stop):
        """Whether a shipment on board has to be delivered before this stop."""
        aboard = []
        for number in walk.stops:
            own = self.problem.stops[number]
            if self.problem.units[own.unit].stops == 2:
                (aboard.append if own.first else aboard.remove)(own.unit)
        if self.problem.units[stop.unit].stops == 2:
            return not stop.first and aboard[-1:] != [stop.unit]
        return bool(aboard) and any((*stop.demand, *stop.pickup, *stop.change))

    def _trip(self, walk):
        """Stops of the present trip."""
        return walk.stops[walk.reloads[-1][1] if walk.reloads else 0 :]

    def _rest(self, walk, index):
        """Takes a break where the vehicle is."""
        if not self._may_come_next(index, walk):
            return
        each = self.breaks[index]
        windows = get(each, "windows", None) or [get(each, "window", ALWAYS)]
        is_first = walk.node is None and not walk.steps
        visit = Visit(windows, get(each, "duration", 0), is_first=is_first)
        if parts := through(walk.parts, 0.0, visit):
            rests, steps = (*walk.rests, (index, walk.loads.nets)), (*walk.steps, ("break", index))
            line = (*walk.line, Step(0.0, visit, self._longest_wait(walk)))
            self._extend(walk._replace(parts=parts, rests=rests, steps=steps, line=line))

    def _may_come_next(self, index, walk):
        """Whether a break is not taken, and none of equal windows before it in the list waits."""
        taken = {each for kind, each in walk.steps if kind == "break"}
        windows = [get(each, "windows", [get(each, "window", ALWAYS)]) for each in self.breaks]
        return index not in taken and all(
            other in taken for other in range(index) if windows[other] == windows[index]
        )

    def _may_end_trip(self, walk):
        """Whether nobody is on board, its release is that of its stops, and breaks are allowed."""
        trip = self._trip(walk)
        units = [self.problem.stops[number].unit for number in trip]
        own = [self.problem.units[unit] for unit in set(units)]
        if sum(unit.stops for unit in own) > len(trip):
            return False
        if max(unit.release for unit in own) != walk.release:
            return False
        totals = walk.loads.totals
        for index, nets in walk.rests:
            limit = amounts_of(self.breaks[index], "max_load", len(totals), math.inf)
            for total, net, most in zip(totals, nets, limit, strict=True):
                if total + net > most * (1 + TOLERANCE) + RESIDUE:
                    return False
        return True

    def _reload(self, walk, depot):
        """Ends a trip at a depot, and begins the next."""
        reloads = (*walk.reloads, (depot, len(walk.stops)))
        if self.plan and self.plan[1][: len(reloads)] != reloads:
            return
        if not self.has_road(walk.node, depot):
            return
        sums = self.legs(walk.node, depot, walk.sums)
        place = self.problem.depots[depot]
        if not self.within(sums):
            return
        for release in self.releases:
            opens = max(place["opens"], release)
            visit = Visit([(opens, place["closes"])], get(place, "service", 0))
            if opens > place["closes"]:
                continue
            if parts := through(walk.parts, sums[1] - walk.sums[1], visit):
                totals, nets, _ = walk.loads
                board = [total + net for total, net in zip(totals, nets, strict=True)]
                self._extend(
                    walk._replace(
                        reloads=reloads,
                        steps=(*walk.steps, ("reload", len(walk.reloads))),
                        node=depot,
                        parts=parts,
                        sums=sums,
                        loads=Loads(self.zero, self.zero, self.zero),
                        most=_most(walk),
                        returned=(*walk.returned, tuple(board)),
                        rests=(),
                        release=release,
                        line=(*walk.line, Step(sums[1] - walk.sums[1], visit, math.inf)),
                    )
                )

    def _finish(self, walk):
        """Notes the route if it can end here."""
        vehicle, parts, sums = self.vehicle, walk.parts, walk.sums
        if self.plan and (walk.stops, walk.reloads) != self.plan:
            return
        if not self.alone and not self._may_be_whole(walk.stops):
            return
        if self.end is not None:
            if not self.has_road(walk.node, self.end):
                return
            sums = self.legs(walk.node, self.end, sums)
            depot = self.problem.depots[self.end]
            visit = Visit([(depot["opens"], depot["closes"])], 0.0)
            parts = through(parts, sums[1] - walk.sums[1], visit)
            step = Step(sums[1] - walk.sums[1], visit, self._longest_wait(walk))
            walk = walk._replace(line=(*walk.line, step))
        duration_cost = get(vehicle, "duration_cost", 0)
        late = allowance(vehicle, "max_late", "late_cost")
        longest = get(vehicle, "max_duration", math.inf)
        overtime = allowance(vehicle, "max_overtime", "overtime_cost")
        limits = Limits(self.closes, *late, longest, *overtime, duration_cost)
        times = best_departure(parts, limits)
        if times is not None and has_limits(walk.line):
            times = best_begins(walk.line, walk.leaves, limits)
        if times is not None and self.within(sums):
            self._note(walk, sums, times)

    def _note(self, walk, sums, times):
        key, vehicle = (walk.stops, walk.reloads), self.vehicle
        cost = get(vehicle, "fixed_cost", 0) + times.price + sums[3]
        cost += sums[1] * get(vehicle, "travel_cost", 0)
        cost += sums[2] * get(vehicle, "service_cost", 0)
        units = {self.problem.stops[number].unit for number in walk.stops}
        name = self.problem.type_ids[self.index]
        cost += sum(self.problem.units[unit].vehicle_cost.get(name, 0) for unit in units)
        known = self.found.get(key)
        if known and not _comes_before((cost, times), (known.cost, known.times)):
            return
        stops = [self.problem.stops[number] for number in walk.stops]
        begins = _begins_of(walk, times, "stop")
        self.found[key] = Route(
            cost,
            times,
            walk.stops,
            walk.reloads,
            sums[0],
            sum(_served(stop) for stop in stops),
            tuple(_most(walk)),
            walk.returned,
            begins,
            tuple(max(0.0, b - stop.closes) for b, stop in zip(begins, stops, strict=True)),
            _begins_of(walk, times, "reload"),
        )

    def _may_be_whole(self, route):
        """Whether these stops may be all of a route; who is alone need not be."""
        stops = [self.problem.stops[number] for number in route]
        if not get(self.problem.document, "pickup_only_routes", True):
            picks = any(any(stop.pickup) for stop in stops)
            if picks and not any(any(stop.demand) for stop in stops):
                return False
        return self._keeps_relations(route)

    def _keeps_relations(self, route):
        """Whether the relations allow these stops in this order in one route of this type."""
        for relation in self.problem.relations:
            places = [route.index(number) for number in relation.stops if number in route]
            if not places:
                continue
            if relation.kind == "apart" and len(places) > 1:
                return False
            if relation.vehicle not in (None, self.index):
                return False
            if relation.kind in ("order", "chain") and places != sorted(places):
                return False
            if relation.kind == "chain" and places[-1] - places[0] >= len(places):
                return False
            if relation.at == "start" and places[0] > 0:
                return False
            if relation.at == "end" and places[-1] < len(route) - 1:
                return False
        return True


def _comes_before(one, other):
    """Whether a route costs less, or as much and is shorter, or as short and leaves earlier."""
    mine, yours = [(cost, times.duration, times.departure) for cost, times in (one, other)]
    for own, known in zip(mine, yours, strict=True):
        if abs(own - known) > TOLERANCE * max(1.0, abs(own)):
            return own < known
    return False


def _begins_of(walk, times, wanted):
    pairs = zip(walk.steps, times.begins, strict=False)
    return tuple(begin for (kind, _), begin in pairs if kind == wanted)


def _served(stop):
    """What a stop adds to what a route serves, in the first dimension."""
    change = stop.change[0] if stop.first else 0
    return stop.demand[0] + stop.pickup[0] + abs(change)


def _most(walk):
    totals, _, peaks = walk.loads
    now = [total + most for total, most in zip(totals, peaks, strict=True)]
    return [max(pair) for pair in zip(walk.most, now, strict=True)]
