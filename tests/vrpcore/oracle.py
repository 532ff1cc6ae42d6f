"""The best answer to a small instance, found by looking at all of them.

It reads the JSON document by itself and imports nothing of the product, so that an error there
cannot confirm itself here. All times of a route follow from all departures at once: parts
(first, last, duration) of departures after which the vehicle is somewhere so much later. Of
departures that wait for the same opening, only the latest is kept: no other has a duration as
short.
"""

import math
from typing import NamedTuple

TOLERANCE = 1e-9
SAME_COST = 1e-7  # relative
ALWAYS = (-math.inf, math.inf)
EARTH_RADIUS_M = 6_371_008.8
METRICS = {
    "euclidean": lambda length: length,
    "euc_2d": lambda length: float(math.floor(length + 0.5)),
    "ceil_2d": lambda length: float(math.ceil(length)),
}


class Best(NamedTuple):
    """What the best answer serves and costs.

    Attributes:
        missing: Sum of priorities of the required who are not served, and their number.
        cost: Of the routes, and of the optional who are left out.
    """

    missing: tuple[float, int]
    cost: float


class Verdict(NamedTuple):
    """How an answer compares with the best.

    Attributes:
        gap: Of its cost, relative; None where others are missing or nobody looked.
        faults: What must not be, in words.
    """

    gap: float | None
    faults: tuple[str, ...]


def compare(document, answer, *, exact=True):
    """The verdict on an answer, a solution object of `vrp-solutions/1`.

    Args:
        document: The instance.
        answer: To it.
        exact: Looks for the best answer, up to about seven stops; else only at the reasons.
    """
    problem = _Problem(document)
    unserved = {str(item["id"]): item["reason"] for item in answer.get("unserved", ())}
    faults = list(_wrong_reasons(problem, unserved))
    if not exact:
        return Verdict(None, tuple(faults))
    best = best_answer(document)
    left_out = [unit for unit in problem.units if unit.prize is None and unit.name in unserved]
    missing = (sum(unit.priority for unit in left_out), len(left_out))
    same = SAME_COST * max(1.0, abs(best.cost))
    if answer["status"] == "infeasible" and not best.missing[1]:
        faults.append("infeasible, but all who are required can be served")
    if missing > best.missing:
        faults.append(f"left out: {missing}, the best answer {best.missing}")
        return Verdict(None, tuple(faults))
    if missing < best.missing or answer["cost"] < best.cost - same:
        faults.append(f"better than the best: {missing} {answer['cost']}, {best}")
    more = answer["cost"] - best.cost
    if more <= same:
        return Verdict(0.0, tuple(faults))
    return Verdict(more / best.cost if best.cost > same else math.inf, tuple(faults))


def _wrong_reasons(problem, unserved):
    """Reasons that say that somebody can be served alone who cannot, or the reverse."""
    if not any(_get(vehicle, "count", 1) for vehicle in problem.vehicles):
        return
    alone = [_Routes(problem, vehicle, alone=True).all()[1] for vehicle in problem.vehicles]
    names = {problem.units[unit].name for unit in set().union(*alone)}
    for name, reason in unserved.items():
        if (reason in ("FLEET", "PRIZE")) != (name in names):
            can = "can" if name in names else "cannot"
            yield f"reason {reason} of {name}, who {can} be served alone"


def best_answer(document):
    """The largest sum of priorities, then the largest number, then the least cost."""
    problem = _Problem(document)
    units = problem.units
    costs = [0.0] + [math.inf] * (2 ** len(units) - 1)
    for vehicle in problem.vehicles:
        routes, _ = _Routes(problem, vehicle).all()
        costs = _with_vehicles(costs, routes, _get(vehicle, "count", len(units)), len(units))
    found = []
    for mask, cost in enumerate(costs):
        if cost < math.inf:
            absent = [unit for bit, unit in enumerate(units) if not mask >> bit & 1]
            required = [unit.priority for unit in absent if unit.prize is None]
            prizes = sum(unit.prize for unit in absent if unit.prize is not None)
            found.append(Best((sum(required), len(required)), cost + prizes))
    return min(found)


def _with_vehicles(costs, routes, count, most):
    """Least costs to serve each set, with up to `count` routes more."""
    for _ in range(min(count, most)):
        more = costs[:]
        for mask, cost in enumerate(costs):
            if cost < math.inf:
                for other, route in routes.items():
                    if not mask & other:
                        more[mask | other] = min(more[mask | other], cost + route)
        if more == costs:
            break
        costs = more
    return costs


class _Stop(NamedTuple):
    """`change` is what a shipment's stop takes on board; `unit` the place of its unit."""

    unit: int
    place: dict
    windows: list
    service: float
    demand: list
    pickup: list
    change: list
    first: bool = True


class _Unit(NamedTuple):
    """A customer or a shipment; `prize` is None for those who are required."""

    name: str
    stops: int
    release: float
    prize: float | None
    priority: float
    skills: set


class _Problem:
    """A document, with what is missing filled in."""

    def __init__(self, document):
        self.document = document
        self.depots = [_depot(row, place) for place, row in enumerate(_depot_rows(document))]
        self.vehicles = _get(document, "vehicles", None) or [_short(document)]
        self.units, self.stops = [], []
        rows = _customer_rows(document)
        shipments = _get(document, "shipments", [])
        size = _dimensions([*rows, *shipments, *self.vehicles])
        for number, row in enumerate(rows, start=1):
            amounts = [_amounts(row, key, size) for key in ("demand", "pickup")]
            self._add(_get(row, "id", number), row, [(row, *amounts, [0] * size)])
        for row in shipments:
            none, amount = [0] * size, _amounts(row, "amount", size)
            off = [-each for each in amount]
            ends = [(row["pickup"], none, none, amount), (row["delivery"], none, none, off)]
            self._add(row["id"], row, ends)
        self.lengths, self.times = self._ways()

    def _add(self, name, row, stops):
        unit = _Unit(
            str(name),
            len(stops),
            _get(row, "release", -math.inf),
            _get(row, "prize", None),
            _get(row, "priority", 0),
            set(_get(row, "skills", [])),
        )
        for index, (place, demand, pickup, change) in enumerate(stops):
            windows = _get(place, "windows", None) or [_get(place, "window", ALWAYS)]
            service = _get(place, "service", 0)
            own = (place, windows, service, demand, pickup, change, index == 0)
            self.stops.append(_Stop(len(self.units), *own))
        self.units.append(unit)

    def _ways(self):
        """The instance's own lengths and durations."""
        document = self.document
        lengths, times = _get(document, "distances", None), _get(document, "durations", None)
        places = [*self.depots, *(stop.place for stop in self.stops)]
        if lengths is None and "x" in places[0]:
            metric = _get(document, "metric", "euclidean")
            lengths = [[_length(metric, first, last) for last in places] for first in places]
        lengths = lengths or times
        speed = _get(document, "speed", 1)
        return lengths, times or [[length / speed for length in row] for row in lengths or []]

    def ways_of(self, vehicle):
        """Lengths and durations of legs for a vehicle."""
        lengths, times = self.lengths, self.times
        if (name := _get(vehicle, "matrix", None)) is not None:
            own, speed = self.document["matrices"][name], _get(self.document, "speed", 1)
            lengths = own.get("distances") or lengths
            times = own.get("durations") or [[each / speed for each in row] for row in lengths]
        factor = _get(vehicle, "speed", 1)
        return lengths, [[each / factor for each in row] for row in times]

    def depot_of(self, vehicle, key, default):
        """Index of the depot where a vehicle starts or ends; None: nowhere."""
        if key not in vehicle:
            return default
        if vehicle[key] is None:
            return None
        return [depot["id"] for depot in self.depots].index(str(vehicle[key]))


class _Routes:
    """The cheapest route of a vehicle through each set of units, by all orders."""

    def __init__(self, problem, vehicle, *, alone=False):
        self.problem, self.vehicle, self.alone = problem, vehicle, alone
        self.lengths, self.times = problem.ways_of(vehicle)
        self.start = problem.depot_of(vehicle, "start", 0)
        self.end = problem.depot_of(vehicle, "end", self.start)
        self.opens, self.closes = _get(vehicle, "window", (0, math.inf))
        self.costs, self.singles = {}, set()
        size = len(problem.stops[0].demand)
        self.capacity = _amounts(vehicle, "capacity", size, math.inf)
        self.last = problem.document.get("backhauls") == "last"

    def all(self):
        """Costs by set (a bit a unit), and the units that it can serve alone."""
        if _get(self.vehicle, "count", 1) > 0:
            earliest = self.opens
            if self.start is not None:
                earliest = max(earliest, self.problem.depots[self.start]["opens"])
            zero = [0.0] * len(self.capacity)
            self._extend((), self.start, [(earliest, math.inf, 0.0)], (0.0, 0.0), (zero,) * 3)
        return self.costs, self.singles

    def _extend(self, route, node, parts, sums, loads):
        """All routes that begin with this one.

        Args:
            route: Indices of stops.
            node: Where the vehicle is; None: it has not begun.
            parts: See the module.
            sums: Distance and travel time.
            loads: By dimension: all deliveries; what has been taken on board since, net; the
                most of that.
        """
        if route:
            self._finish(route, node, parts, sums)
        if len(route) >= _get(self.vehicle, "max_customers", math.inf):
            return
        for number, stop in enumerate(self.problem.stops):
            if number in route or not self._may_follow(route, number, stop):
                continue
            there = len(self.problem.depots) + number
            ways = self._legs(node, there, sums)
            after = _through(parts, ways[1] - sums[1], stop.windows, stop.service)
            board = _loaded(loads, stop)
            full = any(
                total + most > limit * (1 + TOLERANCE)
                for total, _, most, limit in zip(*board, self.capacity, strict=True)
            )
            if after and not full and self._within(ways):
                self._extend((*route, number), there, after, ways, board)

    def _may_follow(self, route, number, stop):
        unit = self.problem.units[stop.unit]
        if self.alone and route and self.problem.stops[route[0]].unit != stop.unit:
            return False
        if not unit.skills <= set(_get(self.vehicle, "skills", [])):
            return False
        if self.last and any(stop.demand):
            return not any(any(self.problem.stops[each].pickup) for each in route)
        return stop.first or number - 1 in route

    def _legs(self, node, there, sums):
        if node is None:
            return sums
        return sums[0] + self.lengths[node][there], sums[1] + self.times[node][there]

    def _within(self, sums):
        limits = (("max_distance", sums[0]), ("max_travel_time", sums[1]))
        return all(_fits(value, _get(self.vehicle, key, math.inf)) for key, value in limits)

    def _finish(self, route, node, parts, sums):
        """Notes the route if it can end here."""
        problem, vehicle = self.problem, self.vehicle
        own = {problem.stops[number].unit for number in route}
        if sum(problem.units[unit].stops for unit in own) > len(route):
            return  # somebody's shipment is on board
        if self.end is not None:
            before, sums = sums, self._legs(node, self.end, sums)
            depot = problem.depots[self.end]
            window = [(depot["opens"], depot["closes"])]
            parts = _through(parts, sums[1] - before[1], window, 0.0)
        release = max(problem.units[unit].release for unit in own)
        durations = [
            duration
            for first, last, duration in parts
            if last >= release - TOLERANCE
            and _fits(max(first, release) + duration, self.closes)
            and _fits(duration, _get(vehicle, "max_duration", math.inf))
        ]
        if not durations or not self._within(sums):
            return
        if len(own) == 1:
            self.singles |= own
        stops = [problem.stops[number] for number in route]
        picks = any(any(stop.pickup) for stop in stops)
        mixed = not picks or any(any(stop.demand) for stop in stops)
        if not mixed and not _get(problem.document, "pickup_only_routes", True):
            return
        cost = _get(vehicle, "fixed_cost", 0) + min(durations) * _get(vehicle, "duration_cost", 0)
        cost += sums[0] * _get(vehicle, "distance_cost", 1)
        cost += sums[1] * _get(vehicle, "travel_cost", 0)
        key = sum(1 << unit for unit in own)
        self.costs[key] = min(cost, self.costs.get(key, math.inf))


def _through(parts, way, windows, service):
    """Parts after a leg and a service, from those before it."""
    found = []
    for first, last, duration in parts:
        there = duration + way
        for opens, closes in windows:
            if first + there < opens:
                leave = min(last, opens - there)
                found.append((leave, leave, opens - leave + service))
            early, late = max(first, opens - there), min(last, closes + TOLERANCE - there)
            if early <= late:
                found.append((early, late, there + service))
    return [part for part in found if not _is_dominated(part, found)]


def _is_dominated(part, others):
    """Whether who leaves at one time alone could leave later and be there no later."""
    leave, last, duration = part
    return last == leave and any(
        final > leave and max(first, leave) + least <= leave + duration
        for first, final, least in others
    )


def _loaded(loads, stop):
    totals, nets, peaks = [], [], []
    for axis, (total, net, peak) in enumerate(zip(*loads, strict=True)):
        now = net + stop.pickup[axis] - stop.demand[axis] + stop.change[axis]
        totals.append(total + stop.demand[axis])
        nets.append(now)
        peaks.append(max(peak, now))
    return totals, nets, peaks


def _fits(value, limit):
    return value <= limit + TOLERANCE * max(1.0, abs(value))


def _get(row, key, default):
    """A value; null means missing."""
    value = row.get(key)
    return default if value is None else value


def _depot_rows(document):
    depots = _get(document, "depots", None)
    return [_get(document, "depot", {})] if depots is None else depots


def _depot(row, place):
    if isinstance(row, list):
        row = {"x": row[0], "y": row[1]}
    opens, closes = _get(row, "window", ALWAYS)
    return row | {"id": str(_get(row, "id", place)), "opens": opens, "closes": closes}


def _short(document):
    """The short form as a vehicle type."""
    vehicle = {"capacity": document["capacity"], "count": document.get("max_vehicles")}
    return vehicle if _get(document, "return_to_depot", True) else vehicle | {"end": None}


def _customer_rows(document):
    if (rows := _get(document, "customers", None)) is not None:
        return rows
    keys = {"demands": "demand", "windows": "window", "services": "service"}
    keys |= {"pickups": "pickup", "prizes": "prize"}
    rows = [{} for _ in _get(document, "demands", [])]
    for key, name in keys.items():
        for row, value in zip(rows, document.get(key) or [], strict=False):
            row[name] = value
    for row, point in zip(rows, document.get("coords") or [], strict=False):
        row["x"], row["y"] = point
    return rows


def _dimensions(rows):
    for row in rows:
        for key in ("demand", "pickup", "amount", "capacity"):
            if isinstance(row.get(key), list):
                return len(row[key])
    return 1


def _amounts(row, key, size, missing=0):
    value = _get(row, key, [missing] * size)
    return value if isinstance(value, list) else [value]


def _length(metric, first, last):
    if metric == "haversine":
        west, south, east, north = (
            math.radians(value) for value in (first["x"], first["y"], last["x"], last["y"])
        )
        half = math.sin((north - south) / 2) ** 2
        half += math.cos(south) * math.cos(north) * math.sin((east - west) / 2) ** 2
        return 2 * EARTH_RADIUS_M * math.asin(math.sqrt(half))
    return METRICS[metric](math.hypot(first["x"] - last["x"], first["y"] - last["y"]))
