"""Instances with constraints as PyVRP's models, and its answers as ours."""

import math
from typing import NamedTuple

import numpy as np
import pyvrp
from pyvrp.stop import MaxRuntime

from vrpcore.cost.timeline import Route, matrices_of
from vrpcore.solve.answer import planned

DECIMALS = range(7)
LONGEST = 1e5  # of the legs, scaled, where no scale makes everything whole: as it searches best
LENIENT_LONGEST = 1e9
ROUNDED = 1e-6  # of a scaled unit: what rounding in float64 has added
UNLIMITED = 2**50


class CannotExpressError(Exception):
    """PyVRP has nothing for it."""


class Model(NamedTuple):
    """A problem in whole numbers.

    Attributes:
        data: PyVRP's.
        instance: Ours.
        types: Index of our vehicle type for each of its types.
        customers: Stops that are its clients, in order.
        pickups: Stops that are its shipments' pickups, in order; deliveries follow them.
        scale: Units of length and time in one of ours.
        cost_scale: Units of cost in one of ours.
        exact: Whether all numbers are whole when scaled.
    """

    data: pyvrp.ProblemData
    instance: object
    types: list[int]
    customers: list[int]
    pickups: list[int]
    scale: float
    cost_scale: float
    exact: bool


def model_of(instance, *, lenient=False):
    """PyVRP's model of an instance.

    Where no power of ten makes its numbers whole they are rounded: so that what is feasible for
    PyVRP is for the instance, too, or, if `lenient`, the other way round.

    Args:
        instance: With constraints.
        lenient: See above.

    Raises:
        CannotExpressError: The instance has something that PyVRP has not, or no constraints.
    """
    check_expressible(instance)
    rules = instance.rules
    types = [index for index, each in enumerate(rules.vehicles) if each.count != 0]
    whole = _Whole(instance, lenient)
    stops = range(1, rules.num_stops + 1)
    customers = [stop for stop in stops if rules.partner(stop) is None]
    pickups = [stop for stop in stops if (rules.partner(stop) or 0) > stop]
    profiles = {}
    for index in types:
        vehicle = rules.vehicles[index]
        key = (vehicle.matrix, vehicle.speed, vehicle.skills)
        profiles.setdefault(key, (len(profiles), index))
    matrices = [_matrices(instance, whole, index) for _, index in profiles.values()]
    data = pyvrp.ProblemData(
        locations=[pyvrp.Location(x, y) for x, y in _points(instance)],
        clients=[_client(rules, whole, stop) for stop in customers],
        depots=[pyvrp.Depot(place) for place in range(rules.num_depots)],
        vehicle_types=[_vehicle_type(rules, whole, index, profiles) for index in types],
        distance_matrices=[lengths for lengths, _ in matrices],
        duration_matrices=[times for _, times in matrices],
        shipments=[_shipment(rules, whole, stop) for stop in pickups],
    )
    numbers = (whole.scale, whole.cost_scale, whole.exact)
    return Model(data, instance, types, customers, pickups, *numbers)


def check_expressible(instance):
    """Raises `CannotExpressError`, saying why, where PyVRP has no such thing."""
    if instance.constraints is None:
        raise CannotExpressError("nothing beyond a capacity, which `rivals.pyvrp_solver` has")
    rules = instance.rules
    pairs = rules.num_shipments > 0
    reasons = {
        "several windows": rules.windows.shape[1] > 1,
        "releases of shipments": pairs and np.isfinite(rules.release).any(),
        "priorities": rules.priority.any(),
        "pickup_only_routes": rules.backhauls == "mixed" and not rules.pickup_only_routes,
        "negative times": _earliest(rules) < 0,
    }
    for each in rules.vehicles:
        reasons["open routes"] = each.start is None or each.end is None
        reasons["max_travel_time"] = each.max_travel_time < math.inf
        reasons["max_customers"] = each.max_stops < math.inf
        reasons["travel_cost"] = each.travel_cost > 0
        if each.start is not None and each.end is not None:
            late = rules.depots[each.end].window[0] > _opens(rules, each)
            reasons["waiting for a depot"] = late
        for reason, holds in reasons.items():
            if holds:
                raise CannotExpressError(reason)


def solve(model, seconds, seed=0):
    """PyVRP's routes as a solution of ours.

    Args:
        model: The instance.
        seconds: Of its search, which begin after its first solution.
        seed: Of its random numbers.

    Returns:
        The solution; None where its routes are infeasible, or the referee refuses them.
    """
    stop, quiet = MaxRuntime(seconds), {"collect_stats": False, "display": False}
    best = pyvrp.solve(model.data, stop, seed, **quiet).best
    if not best.is_feasible():
        return None
    routes = [
        Route(model.types[route.vehicle_type()], tuple(_stops(model, route)))
        for route in best.routes()
    ]
    try:
        return planned(model.instance, routes, ())
    except RuntimeError:  # rounding made it feasible
        return None


def its_solution(model, solution):
    """A solution of ours as PyVRP's."""
    instance, rules = model.instance, model.instance.rules
    numbers = instance.numbers
    clients = {stop: place for place, stop in enumerate(model.customers)}
    places = {stop: place for place, stop in enumerate(model.pickups)}
    ids = [each.id for each in rules.vehicles]
    kinds = pyvrp.ActivityType
    routes = []
    for route in solution.routes:
        visits = []
        for name in route.customers:
            stop = numbers[name]
            if stop in clients:
                visits.append(pyvrp.Activity(kinds.CLIENT, clients[stop]))
            elif stop in places:
                visits.append(pyvrp.Activity(kinds.PICKUP, places[stop]))
            else:
                visits.append(pyvrp.Activity(kinds.DELIVERY, places[stop - 1]))
        own = route.schedule.vehicle
        vehicle = 0 if own is None else ids.index(own)
        routes.append(pyvrp.Route(model.data, visits, model.types.index(vehicle)))
    return pyvrp.Solution(model.data, routes)


def is_feasible(model, solution, theirs):
    """Whether PyVRP finds nothing wrong; who is left out of a partial answer does not count."""
    if solution.status == "solved":
        return theirs.is_feasible()
    return not (theirs.has_excess_load() or theirs.has_excess_distance() or theirs.has_time_warp())


def cost_difference(model, solution, theirs):
    """How far PyVRP's cost is from ours, beyond what its scaling explains; relative."""
    parts = ("distance_cost", "duration_cost", "fixed_vehicle_cost", "uncollected_prizes")
    cost = sum(getattr(theirs, part)() for part in parts) / model.cost_scale
    slack = 1e-9 * max(1.0, abs(cost))
    if not model.exact:
        dearest = max(
            each.distance_cost + each.duration_cost for each in model.instance.rules.vehicles
        )
        legs = sum(2 * len(route.customers) + 2 for route in solution.routes)
        slack += (legs * dearest + len(solution.unserved)) / model.scale
    return max(0.0, abs(cost - solution.cost) - slack) / max(1.0, abs(cost))


class _Whole:
    """Numbers of an instance in whole units."""

    def __init__(self, instance, lenient):
        rules = instance.rules
        used = [each for each in rules.vehicles if each.count != 0]
        ways = [array for each in used for array in matrices_of(instance, each)]
        limits = [(each.max_duration, each.max_distance, *each.window) for each in used]
        windows = [each.window for each in rules.depots]
        columns = (rules.windows, rules.service, rules.release)
        numbers = np.concatenate([np.ravel(each) for each in (*ways, limits, windows, *columns)])
        numbers = numbers[np.isfinite(numbers)]
        costs = np.array([(e.distance_cost, e.duration_cost) for e in used])
        amounts = [rules.delivery, rules.pickup, rules.shipment]
        capacities = np.array([each.capacity for each in used])
        loads = np.concatenate([*map(np.ravel, amounts), capacities[np.isfinite(capacities)]])
        known = _power(numbers)
        self.exact = known is not None
        longest = max(1.0, *(float(each.max(initial=0.0)) for each in ways))
        most = LENIENT_LONGEST if lenient else LONGEST
        self.scale = known or 10.0 ** math.floor(math.log10(most / longest))
        self.lenient = lenient and not self.exact
        self.horizon = math.ceil(float(numbers.max(initial=0.0)) * self.scale)
        unit, self.load_scale = _power(costs.ravel()), _power(loads)
        if unit is None or self.load_scale is None:
            raise CannotExpressError("costs or amounts with many digits")
        self.unit_scale, self.cost_scale = unit, unit * self.scale
        # As its own reader does: its penalties for a unit too much on board are limited.
        self.load_scale *= max(1.0, self.scale)

    def up(self, values):
        """Whole, the next above: durations, and when something opens."""
        scaled = np.asarray(values) * self.scale
        if self.lenient:
            return np.floor(scaled + ROUNDED).astype(np.int64)
        return np.ceil(scaled - ROUNDED).astype(np.int64)

    def down(self, value):
        """Whole, the next below: limits, and when something closes."""
        if value > UNLIMITED / self.scale:
            return UNLIMITED
        scaled = value * self.scale
        return math.ceil(scaled - ROUNDED) if self.lenient else math.floor(scaled + ROUNDED)

    def load(self, amounts):
        """Whole amounts or capacities, by dimension."""
        most = UNLIMITED / self.load_scale
        return [round(min(float(each), most) * self.load_scale) for each in amounts]


def _power(numbers):
    """The least power of ten that makes numbers whole; None: none of few digits."""
    for digits in DECIMALS:
        scaled = numbers * 10.0**digits
        if np.all(np.abs(scaled - np.rint(scaled)) <= ROUNDED):
            return 10.0**digits
    return None


def _points(instance):
    if instance.coords is None:
        return [(0.0, 0.0)] * instance.rules.num_nodes
    return instance.coords.tolist()


def _earliest(rules):
    """When somebody may leave at the earliest."""
    return min(_opens(rules, each) for each in rules.vehicles)


def _opens(rules, vehicle):
    depot = -math.inf if vehicle.start is None else rules.depots[vehicle.start].window[0]
    return max(vehicle.window[0], depot)


def _matrices(instance, whole, index):
    """Lengths and durations for a vehicle type; the way is barred to whom it must not serve."""
    rules = instance.rules
    lengths, times = matrices_of(instance, rules.vehicles[index])
    lengths = np.rint(lengths * whole.scale).astype(np.int64)
    times = whole.up(times)
    first = rules.num_depots
    stops = range(1, rules.num_stops + 1)
    barred = [first - 1 + stop for stop in stops if not rules.may_serve(index, stop)]
    picks = np.flatnonzero(rules.pickup.any(axis=1)) + first
    delivers = np.flatnonzero(rules.delivery.any(axis=1)) + first
    # More than all vehicles together may drive. PyVRP's own reader takes 2^44, with which its
    # first local search did not end within minutes on some of its own instances.
    bar = 2 * int(lengths.max()) * (rules.num_stops + 1) + 2 * int(times.max()) + whole.horizon
    for table in (lengths, times):
        table[barred, :] = table[:, barred] = bar
        if rules.backhauls == "last":
            table[np.ix_(picks, delivers)] = bar
            if not rules.pickup_only_routes:
                table[:first, picks] = bar
        np.fill_diagonal(table, 0)
    return lengths, times


def _client(rules, whole, stop):
    row = stop - 1
    prize, release = float(rules.prize[row]), float(rules.release[row])
    return pyvrp.Client(
        rules.num_depots + row,
        whole.load(rules.delivery[row]),
        whole.load(rules.pickup[row]),
        **_visit(rules, whole, stop),
        release_time=0 if release <= 0 else int(whole.up(release)),
        prize=0 if math.isinf(prize) else round(prize * whole.cost_scale),
        required=math.isinf(prize),
    )


def _visit(rules, whole, stop):
    opens, closes = rules.windows[stop - 1, 0].tolist()
    return {
        "service_duration": int(whole.up(rules.service[stop - 1])),
        "tw_early": int(whole.up(max(0.0, opens))),
        "tw_late": whole.down(closes),
    }


def _shipment(rules, whole, stop):
    row, first = stop - 1, rules.num_depots
    prize = float(rules.prize[row])
    ends = {"pickup": stop, "delivery": stop + 1}
    visits = {
        f"{end}_{key}": value
        for end, number in ends.items()
        for key, value in _visit(rules, whole, number).items()
    }
    return pyvrp.Shipment(
        first + row,
        first + row + 1,
        **visits,
        amount=whole.load(rules.shipment[row]),
        prize=0 if math.isinf(prize) else round(prize * whole.cost_scale),
        required=math.isinf(prize),
    )


def _vehicle_type(rules, whole, index, profiles):
    each = rules.vehicles[index]
    most = rules.num_stops if each.count is None else min(each.count, rules.num_stops)
    return pyvrp.VehicleType(
        most,
        whole.load(each.capacity),
        each.start,
        each.end,
        fixed_cost=round(each.fixed_cost * whole.cost_scale),
        tw_early=int(whole.up(_opens(rules, each))),
        tw_late=whole.down(min(each.window[1], rules.depots[each.end].window[1])),
        shift_duration=whole.down(each.max_duration),
        max_distance=whole.down(each.max_distance),
        unit_distance_cost=round(each.distance_cost * whole.unit_scale),
        unit_duration_cost=round(each.duration_cost * whole.unit_scale),
        profile=profiles[each.matrix, each.speed, each.skills][0],
    )


def _stops(model, route):
    """Our stops of a route of PyVRP's."""
    for visit in route:
        if visit.is_client():
            yield model.customers[visit.idx]
        elif visit.is_pickup():
            yield model.pickups[visit.idx]
        elif visit.is_delivery():
            yield model.pickups[visit.idx] + 1
