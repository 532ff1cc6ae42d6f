"""Reasons why units are not served, and proofs that they cannot be.

The solver asks here, too: two copies of a rule would be no second opinion. Where they differ, an
answer would be lost.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

import numpy as np

from vrpcore.cost.leg_matrices import Matrices, matrices_of
from vrpcore.cost.no_road import Legs
from vrpcore.cost.shortest import obeys_triangle_inequality, shortest_from
from vrpcore.errors import describe
from vrpcore.instance.constraints import Float64
from vrpcore.instance.instance import LOAD_TOLERANCE, CustomerId, Instance
from vrpcore.instance.plan import Route
from vrpcore.instance.service_unit import Unit, units_of
from vrpcore.instance.solution import REASONS, Reason, Unserved
from vrpcore.instance.vehicle_types import VehicleType
from vrpcore.referee.costs import GivenLegs, leg_of
from vrpcore.referee.departures import best, boards_in, free_breaks
from vrpcore.referee.journey import Journey, Late, time_tolerance
from vrpcore.referee.loads import Carried, boards_of, most_on_board
from vrpcore.referee.rides import begins, free_rests

# Reasons that hold for a vehicle with nothing else, in the order in which they are looked for.
ALONE = REASONS[: REASONS.index("LOADED")]
# How many limits a route passes that misses the one of this name.
_PERMIT, _CAPACITY, _ROAD, _WINDOW, _DURATION, _DISTANCE, _RIDE, _WAIT = range(1, len(ALONE))
_ABLE = len(ALONE)
_SOURCES = 256  # of shortest paths, those that are kept

# How many of the limits in `ALONE`, in their order, a route passes; by how much it misses the
# next, and in words.
Miss = tuple[int, float, str]


class Reasons:
    """Reasons of the units of an instance, and proofs that nobody can serve them.

    Args:
        instance: With constraints.
        legs: Of the instance.
        goods: What vehicles of the answer have on board; None: it is not looked at.
    """

    def __init__(self, instance: Instance, legs: Legs, goods: Carried | None = None) -> None:
        self._instance, self._constraints = instance, instance.own_constraints
        self._legs, self._goods = legs, goods

    def why(self, unit: Unit) -> Unserved:
        """The reason of a unit, in words as well; a group has the last among its members'."""
        found = [self._why(*member) for member in unit.members]
        last = max(found, key=lambda each: REASONS.index(each.reason))
        if last.id != unit.id:
            detail = f"{last.id}: {last.detail}"
            last = Unserved(unit.id, last.reason, detail)
            if last.reason == "FLEET" and not math.isinf(unit.prize):
                last = Unserved(unit.id, "PRIZE", f"leaving it out costs {unit.prize:g}")
        goes_on = self._goods is not None and self._goods.freeze is not None
        if goes_on and last.reason in ("FLEET", "PRIZE"):
            held = [
                self._held_back(stops, self._slacks[0])
                for _, stops in unit.members
                if self._nearest(stops, self._slacks[0])[0] == _ABLE
            ]
            if held and held[-1] is not None and all(held):
                return Unserved(unit.id, "LOADED", held[-1])
        return last

    def _why(self, name: CustomerId, stops: Sequence[int]) -> Unserved:
        """The reason of a customer or shipment, but for goods on board."""
        constraints, row = self._constraints, stops[0] - 1
        passed, _, words = self._nearest(stops, self._slacks[1])
        if passed < _ABLE:
            return Unserved(name, ALONE[passed], words)
        if not math.isinf(prize := float(constraints.prize[row])):
            return Unserved(name, "PRIZE", f"leaving it out costs {prize:g}")
        picks_alone = constraints.pickup[row].any() and not constraints.delivery[row].any()
        if self._legs.kinds and picks_alone and not constraints.pickup_only_routes:
            words = "no route may have only pickups"
        return Unserved(name, "FLEET", self._lost(stops) or words)

    def _lost(self, stops: Sequence[int]) -> str | None:
        """The lost vehicles that only could serve stops, in words; None: there are others."""
        vehicles, slack = self._constraints.vehicles, self._slacks[1]
        if not any(vehicle.is_lost for vehicle in vehicles):
            return None
        routes = (Route(kind, tuple(stops)) for kind in self._legs.kinds)
        able = [
            vehicles[route.vehicle]
            for route in routes
            if first_miss(self._instance, route, slack, self._legs)[0] == _ABLE
        ]
        if not able or not all(vehicle.is_lost for vehicle in able):
            return None
        return f"only lost vehicles could serve it: {', '.join(repr(v.id) for v in able)}"

    def fitting(self, unit: Unit) -> set[Reason]:
        """All reasons that a unit may have: more than one where rounding decides."""
        served: Reason = "FLEET" if math.isinf(unit.prize) else "PRIZE"
        slacks, ranges = (0.0, *self._slacks), []
        for _, stops in unit.members:
            ranks = [self._nearest(stops, slack)[0] for slack in slacks]
            if max(ranks) == _ABLE:
                held = {self._held_back(stops, slack) is not None for slack in slacks}
                ranks = [rank for rank in ranks if rank < _ABLE]
                ranks += [REASONS.index("LOADED" if each else served) for each in held]
            ranges.append((min(ranks), max(ranks)))
        first, last = max(low for low, _ in ranges), max(high for _, high in ranges)
        left_out = {"FLEET", "PRIZE"} - {served}
        return {each for each in REASONS[first : last + 1] if each not in left_out}

    def _nearest(self, stops: Sequence[int], slack: float) -> Miss:
        """The least miss of any vehicle type; none where there are no vehicles."""
        best: Miss | None = None
        for kind in self._legs.kinds:
            passed, by, words = first_miss(
                self._instance, Route(kind, tuple(stops)), slack, self._legs
            )
            if self._constraints.listed_vehicles and passed not in (_PERMIT, _ABLE):
                own = {_ROAD: "for", _RIDE: "in", _WAIT: "in"}.get(passed, "of")
                words = f"{words} {own} vehicle {self._constraints.vehicles[kind].id!r}"
            if best is None or (passed, -by) > (best[0], -best[1]):
                best = passed, by, words
            if (passed, by) == (_ABLE, 0.0):
                break
        return best or (_ABLE, 0.0, "there are no vehicles")

    def _held_back(self, stops: Sequence[int], slack: float) -> str | None:
        """The way in which goods keep stops unserved that could be served; None: they do not."""
        goods, delivery = self._goods, self._constraints.delivery
        if goods is None or goods.freeze is None or not (delivery[stops[0] - 1] > 0).any():
            return None
        if (holder := goods.holder(stops[0])) is not None:
            where = f"it is on board {describe(holder)}, which does not get there"
            return f"{where}; if that has broken down, name it as lost"
        for kind in self._legs.kinds:
            route = Route(kind, tuple(stops))
            same = [each for each, first in enumerate(self._alike) if first == self._alike[kind]]
            for may, instance in (
                (any(map(goods.can_load, same)), goods.later),
                (any(goods.has_enough(each, stops[0]) for each in same), self._instance),
            ):
                if may and first_miss(instance, route, slack, self._legs)[0] == _ABLE:
                    return None
        return "no vehicle that could serve it can still be loaded in time"

    @cached_property
    def _slacks(self) -> tuple[float, float]:
        return time_tolerance(self._instance)

    @cached_property
    def _alike(self) -> list[int]:
        return self._constraints.alike()

    def nobody_can_serve(self, unit: Unit) -> bool:
        """Return whether no vehicle can serve any member of a unit, by itself or with others.

        Of each type it must be proved. A vehicle that has served others may be better off: they
        lead to a road, or to a shorter way where matrices are given; what was on board is gone;
        a break fits somewhere else; a setup is done already; the route began sooner.

        Returns:
            False also where a time is missed by no more than `vrp check` accepts.
        """
        for _, stops in unit.members:
            best = _at_best(self._instance, stops)
            if any(self._may_serve(best, Route(kind, stops)) for kind in self._legs.kinds):
                return False
        return True

    def _may_serve(self, best: Instance, route: Route) -> bool:
        """Return whether nothing proves that one vehicle cannot serve the stops of a route."""
        if first_miss(best, route, self._slacks[0], self._legs)[0] <= _ROAD:
            return False
        return first_miss(best, route, self._slacks[0], self._legs, self._shortest)[0] == _ABLE

    @cached_property
    def _shortest(self) -> GivenLegs:
        """Gives legs that no detour makes shorter or faster, whether or not they have a road."""
        return (
            leg_of if obeys_triangle_inequality(self._instance) else _ShortestLegs(self._instance)
        )


def first_miss(
    instance: Instance, route: Route, slack: float, legs: Legs, given: GivenLegs | None = None
) -> Miss:
    """The first limit in `ALONE` that one vehicle misses on a route.

    Args:
        instance: With constraints.
        route: A customer, or both ends of a shipment.
        slack: How much too late may count as in time.
        legs: Of the instance.
        given: Gives the lengths and durations of legs; None: they are the instance's own.

    Returns:
        None is missed where it can serve them, or may do so on its way through others, which
        then counts as missed by 1.
    """
    constraints = instance.own_constraints
    vehicle = constraints.vehicles[route.vehicle]
    needed = frozenset[str]().union(*(constraints.skills[stop - 1] for stop in route.stops))
    if missing := sorted(needed - vehicle.skills):
        words = f"{', '.join(map(repr, missing))} missing from the skills"
        return 0, len(missing), words
    if not legs.permits[route.vehicle, [stop - 1 for stop in route.stops]].all():
        return _PERMIT, 0.0, _permit_in_words(instance, route.stops)
    over = []
    for dimension, (load, _) in enumerate(most_on_board(boards_of(instance, route))):
        most = vehicle.capacity[dimension]
        if load > most * (1 + LOAD_TOLERANCE):
            name = f"[{dimension}]" if constraints.listed_amounts else ""
            over.append((load - most, f"{load:g} is {load - most:g} above capacity{name} {most:g}"))
    if (more := len(route.stops) - vehicle.max_stops) > 0:
        over.append((more, f"{more:g} more stops than max_customers {vehicle.max_stops:g}"))
    if over:
        return _CAPACITY, *max(over)
    return _missed_on_the_way(instance, route, slack, legs, given)


def _permit_in_words(instance: Instance, stops: Sequence[int]) -> str:
    """The vehicles that stops ask for."""
    constraints, found = instance.own_constraints, []
    names = [vehicle.id for vehicle in constraints.vehicles]
    for row in (stop - 1 for stop in stops):
        if constraints.allowed is not None and not constraints.allowed[:, row].all():
            own = np.flatnonzero(constraints.allowed[:, row]).tolist()
            listed = ", ".join(repr(names[each]) for each in own)
            found.append(f"its vehicles are {listed}" if own else "no vehicle may serve it")
        if constraints.on_board is not None and constraints.on_board[row] >= 0:
            found.append(f"it is on board vehicle {names[constraints.on_board[row]]!r}")
        found += [
            f"relations[{number}] asks for vehicle {names[each.vehicle]!r}"
            for number, each in enumerate(constraints.relations)
            if each.vehicle is not None and row + 1 in each.stops
        ]
    return "; ".join(dict.fromkeys(found))


def _missed_on_the_way(
    instance: Instance, route: Route, slack: float, legs: Legs, given: GivenLegs | None
) -> Miss:
    """The first limit in `ALONE` from roads on that is missed."""
    journey, words = Journey(instance, route, given), instance.origin.time_in_words
    vehicle, stops = journey.vehicle, route.stops
    if journey.missing:  # its times are not known
        pair = legs.unreachable(route.vehicle, journey.nodes)
        if pair is None:
            return _ABLE, 1.0, "together with others it could be served"
        start, end = map(instance.node_name, pair)
        return _ROAD, 0.0, f"no road leads from {start} to {end}"
    slack += journey.rounding if slack > 0.0 else 0.0
    late = journey.times(journey.earliest, slack)
    if isinstance(late, Late):
        at = (
            f"at {instance.ids[stops[late.position] - 1]}"
            if late.position < len(stops)
            else "at the end"
        )
        return _WINDOW, late.by, f"{words(late.by)} too late {at}"
    boards = boards_in(boards_of(instance, route)) if vehicle.breaks else []
    rests = free_breaks(journey, boards, slack) if vehicle.breaks else []
    journey.take((rests and free_rests(journey, boards, slack)) or rests or ())
    over = journey.first_departure(slack) - journey.latest
    if over > slack:
        return _WINDOW, over, f"{words(over)} too late at the start"
    if rests is None:
        return (
            _WINDOW,
            math.fsum(each.duration for each in vehicle.breaks),
            "no room for the breaks",
        )
    return _missed_length(instance, journey, slack)


def _missed_length(instance: Instance, journey: Journey, slack: float) -> Miss:
    """The first limit in `ALONE` on durations and distances that is missed."""
    vehicle, words = journey.vehicle, instance.origin.time_in_words
    least = best(journey, slack)
    if least is None:  # only by rounding: it was not too late before
        return _DURATION, 0.0, "0 too late"
    longest = "max_duration with max_overtime" if vehicle.max_overtime > 0 else "max_duration"
    over = [
        (value - most, f"{words(value)} is {words(value - most)} above {name} {words(most)}")
        for value, most, name in (
            (least.sharp.duration, vehicle.max_duration + vehicle.max_overtime, longest),
            (journey.travel, vehicle.max_travel_time, "max_travel_time"),
        )
        if value > most + slack
    ]
    if over:
        return _DURATION, *max(over)
    distance, most, words = journey.distance, vehicle.max_distance, instance.origin.length_in_words
    if distance > most * (1 + LOAD_TOLERANCE) + journey.slack:
        far = f"{words(distance)} is {words(distance - most)} above max_distance {words(most)}"
        return _DISTANCE, distance - most, far
    room = vehicle.max_duration + vehicle.max_overtime
    if journey.has_rides and begins(journey, slack, room) is None:
        journey.calls = [call._replace(wait=math.inf) for call in journey.calls]
        if begins(journey, slack, room) is None:
            return _long_ride(instance, journey)
        return _WAIT, 0.0, "it waits longer than max_wait or max_wait_loaded allows"
    return _ABLE, 0.0, "by itself it could be served"


def _long_ride(instance: Instance, journey: Journey) -> Miss:
    """The miss of the first ride that takes too long without any wait, or else with waits."""
    words, left = instance.origin.time_in_words, dict[str, float]()
    now = 0.0
    for call in journey.calls:
        ride = now + call.leg - left.get(call.pickup, math.inf)
        if ride > call.ride:
            far = f"the ride takes {words(ride)}, {words(ride - call.ride)} above max_ride"
            return _RIDE, ride - call.ride, f"{far} {words(call.ride)}"
        now += call.leg + call.service
        left[call.name] = now
    most = words(min(call.ride for call in journey.calls))
    return _RIDE, 0.0, f"with its waits the ride takes longer than max_ride {most}"


def _at_best(instance: Instance, stops: Sequence[int]) -> Instance:
    """An instance in which only these stops are as easy to serve as with others.

    There are no breaks, no setups and no longest waits, a route that begins with a stop may do so
    at any time, and what is on board for others is delivered. Where vehicles reload, or goods are
    alike, the initial load is gone; the former may have left before these stops were released.
    """
    constraints = instance.own_constraints
    alike = constraints.goods == "any"
    vehicles = tuple(
        replace(
            each,
            breaks=(),
            latest_start=each.latest_start if each.start is not None else math.inf,
            max_wait_loaded=math.inf,
            initial_load=None if each.reloads or alike else each.initial_load,
        )
        for each in constraints.vehicles
    )
    free = np.full(constraints.num_stops, np.inf)  # of waits: a detour takes their time
    found = replace(constraints, vehicles=vehicles, setup=None, setup_by_type=None, max_wait=free)
    if any(each.reloads for each in vehicles):
        found = replace(found, release=np.full(found.num_stops, -np.inf))
    if constraints.on_board is not None:
        delivered = constraints.on_board >= 0
        delivered[np.array(stops) - 1] = False
        shipment = np.where(delivered[:, None], 0.0, constraints.shipment)
        found = replace(found, shipment=shipment)
    return replace(instance, constraints=found)


class _ShortestLegs:
    """Legs as long as the shortest path through all nodes, and as fast as the fastest.

    Args:
        instance: With constraints.
    """

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._direct: dict[str | None, Matrices] = {}
        self._paths = lru_cache(_SOURCES)(self._paths_from)

    def __call__(
        self, _: Instance, vehicle: VehicleType, start: int, end: int
    ) -> tuple[float, float, float]:
        if vehicle.matrix not in self._direct:
            plain = replace(vehicle, speed=1.0)
            self._direct[vehicle.matrix] = matrices_of(self._instance, plain)
        lengths, durations = self._paths(vehicle.matrix, start)
        return float(lengths[end]), float(durations[end]) / vehicle.speed, 0.0

    def _paths_from(self, matrix: str | None, start: int) -> Matrices:
        """Length and duration of the paths from a node to all others."""
        return Matrices(*(shortest_from(each, start) for each in self._direct[matrix]))


def too_few_vehicles(instance: Instance) -> str | None:
    """Proof by loads that not all required units can be served, in words; None: there is none.

    In each load dimension, a vehicle leaves for each trip with its deliveries and returns with its
    pickups. What it has on board at first leaves less room in its first trip, unless goods are
    alike: then it may be delivered.
    """
    constraints = instance.own_constraints
    vehicles = constraints.vehicles
    if constraints.goods == "any":
        vehicles = tuple(replace(each, initial_load=None) for each in vehicles)
    required = [unit for unit in units_of(instance) if math.isinf(unit.prize)]
    if required and all(vehicle.count == 0 for vehicle in vehicles):
        return "there are no vehicles"
    for dimension in range(constraints.delivery.shape[1]):
        most = math.fsum(_room(vehicle, dimension) for vehicle in vehicles)
        for amounts, what in ((constraints.delivery, "demands"), (constraints.pickup, "pickups")):
            needed = math.fsum(_least(amounts[:, dimension], unit) for unit in required)
            if needed > most * (1 + LOAD_TOLERANCE):
                name = f" in dimension {dimension}" if constraints.listed_amounts else ""
                return f"{what} of {needed:g}{name} are required, all vehicles carry {most:g}"
    return None


def _least(amounts: Float64, unit: Unit) -> float:
    """The amount that is needed whichever member is served."""
    return min(math.fsum(float(amounts[stop - 1]) for stop in stops) for _, stops in unit.members)


def _room(vehicle: VehicleType, dimension: int) -> float:
    """The amount that all vehicles of a type carry at most in all their trips."""
    capacity = vehicle.capacity[dimension]
    trips = 1.0 + vehicle.max_reloads if vehicle.reloads else 1.0
    initial = 0.0 if vehicle.initial_load is None else vehicle.initial_load[dimension]
    if vehicle.count == 0 or capacity <= 0 or (room := capacity * trips - initial) <= 0.0:
        return 0.0
    return room * (math.inf if vehicle.count is None else vehicle.count)
