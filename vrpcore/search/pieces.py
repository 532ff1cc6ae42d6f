"""Split customers as pieces: how they are cut, what a search sees, and the visits of its plan."""

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from vrpcore.cost.distance import distance_matrix
from vrpcore.cost.trips import trips_of
from vrpcore.instance.constraints import Constraints, Float64, plain_columns
from vrpcore.instance.division import Amount, Division, amounts_of, are_whole, in_steps, room_for
from vrpcore.instance.instance import LOAD_TOLERANCE, Instance
from vrpcore.instance.plan import Plan, Reload, Route, Visit
from vrpcore.instance.vehicle_types import Depot, VehicleType

_Visits = list[tuple[int, Amount]]  # stops, 1..N, with what each is brought


class Pieces:
    """Pieces of stops that may be split, and the visits that they make.

    Args:
        instance: Some of its stops may be split.

    Attributes:
        instance: The same.
        amounts: [N, L], what each stop asks for.
        legs: [M, M], lengths; of other matrices than the instance's own, 0.
    """

    def __init__(self, instance: Instance) -> None:
        self.instance, constraints = instance, instance.own_constraints
        self.amounts = amounts_of(constraints)
        self._split = np.asarray(constraints.split)
        self._steps = np.where(in_steps(constraints), constraints.split_step, 0.0)
        room = room_for(constraints)
        self._room = np.where(np.isinf(room), np.maximum(self.amounts, 1.0), room)
        nodes = constraints.num_nodes
        placed = instance.coords is not None or instance.distances is not None
        self.legs = distance_matrix(instance) if placed else np.zeros((nodes, nodes))

    def may_cut(self, stop: int) -> bool:
        """Return whether a stop may be split, and some vehicle has room for a part of it."""
        asked, room = self.amounts[stop - 1], self._room[stop - 1]
        return bool(self._split[stop - 1] and not ((asked > 0) & (room <= 0)).any())

    def whole(self, stop: int) -> Amount:
        """Return all that a stop asks for."""
        found: list[float] = self.amounts[stop - 1].tolist()
        return tuple(found)

    def cut(
        self, stop: int, amount: Amount, shares: Sequence[float], *, apart: bool = False
    ) -> list[Amount]:
        """Cuts a part of a stop that may be cut.

        Args:
            stop: The stop.
            amount: The part.
            shares: Of a vehicle, falling: how large pieces are; each is taken as often as it fits.
            apart: Each piece is in one load dimension.
        """
        if apart and sum(each > 0 for each in amount) > 1:
            axes = [row for row, each in enumerate(amount) if each > 0]
            parts = [tuple(own * (row == axis) for row, own in enumerate(amount)) for axis in axes]
            return [piece for part in parts for piece in self.cut(stop, part, shares)]
        left, room, steps = np.array(amount), self._room[stop - 1], self._steps[stop - 1]
        found = list[Amount]()
        for share in shares:
            size = share * room
            whole = np.floor(size / np.where(steps > 0, steps, 1.0) + LOAD_TOLERANCE) * steps
            size = np.where(steps > 0, np.maximum(whole, steps), size)
            asked = left > LOAD_TOLERANCE * size
            while (asked & (left >= size * (1 - LOAD_TOLERANCE))).any():
                piece = np.where(asked, np.minimum(size, left), 0.0)
                found.append(tuple(piece.tolist()))
                left = np.maximum(left - piece, 0.0)
                asked = left > LOAD_TOLERANCE * size
        if (left > 0).any():
            if found and not (left > LOAD_TOLERANCE * room).any():
                found[-1] = tuple(np.add(found[-1], left).tolist())
            else:
                found.append(tuple(left.tolist()))
        return found

    def with_parts(self, plan: Plan) -> Plan:
        """A known plan with the parts that it states, or such as there is room for.

        Args:
            plan: It may break any limit, and name stops any number of times.
        """
        left, types = self.amounts.copy(), self.instance.own_constraints.vehicles
        found = list[list[_Visits]]()
        for route, day in zip(plan.routes, plan.each_day, strict=True):
            goods = {(str(each.id), each.trip): np.array(each.amount) for each in day.goods}
            trips = list[_Visits]()
            for number, trip in enumerate(trips_of(route)):
                room = np.array(types[max(route.vehicle, 0)].capacity)
                fixed = [stop - 1 for stop in {*trip} if not self._split[stop - 1]]
                room = room - left[fixed].sum(axis=0)
                visits = dict[int, Amount]()
                for stop in dict.fromkeys(trip):
                    asked = left[stop - 1].copy()
                    if self._split[stop - 1]:
                        stated = goods.get((str(self.instance.ids[stop - 1]), number), room)
                        asked = self._stepped(stop, np.minimum(asked, stated).clip(0.0))
                        room = room - asked
                    if asked.any() or not self.amounts[stop - 1].any():
                        left[stop - 1] -= asked
                        visits[stop] = tuple(asked.tolist())
                trips.append([*visits.items()])
            found.append(trips)
        return _plan_of(plan.routes, found)

    def _stepped(self, stop: int, amount: Float64) -> Float64:
        """The largest part of a stop that is no more than an amount."""
        steps = self._steps[stop - 1]
        whole = np.floor(amount / np.where(steps > 0, steps, 1.0) + LOAD_TOLERANCE) * steps
        return np.where(steps > 0, whole, amount)

    def complete(self, plan: Plan) -> Plan:
        """The plan without stops of which it does not bring all."""
        parts = dict[int, list[Amount]]()
        for route, own in zip(plan.routes, plan.parts, strict=True):
            for stop, part in zip(route.stops, own, strict=True):
                parts.setdefault(stop, []).append(part)
        lacking = {
            stop for stop, own in parts.items() if not are_whole(own, self.amounts[stop - 1])
        }
        if not lacking:
            return plan
        routes = [
            [[(stop, part) for stop, part in trip if stop not in lacking] for trip in trips]
            for trips in _trips_with_parts(plan)
        ]
        return _plan_of(plan.routes, routes)

    def merged(self, division: Division, found: Plan) -> Plan:
        """The visits of a plan of pieces: those of a stop are one visit in each trip.

        Of several places in a trip the one stays that costs least.
        """
        named = [
            [
                [(division.stops[piece - 1], division.amounts[piece - 1]) for piece in trip]
                for trip in trips_of(route)
            ]
            for route in found.routes
        ]
        plan = _plan_of(found.routes, [[*map(self._joined, trips)] for trips in named])
        return plan._replace(parts=self._exact(plan))

    def _exact(self, plan: Plan) -> tuple[tuple[Amount, ...], ...]:
        """The parts of a plan, which add up exactly and are exact multiples."""
        left = self.amounts.copy()
        visits = Counter(stop for route in plan.routes for stop in route.stops)
        found = list[tuple[Amount, ...]]()
        for route, parts in zip(plan.routes, plan.parts, strict=True):
            own = list[Amount]()
            for stop, part in zip(route.stops, parts, strict=True):
                visits[stop] -= 1
                steps, rest = self._steps[stop - 1], left[stop - 1]
                whole = np.rint(np.array(part) / np.where(steps > 0, steps, 1.0)) * steps
                amount = np.where(steps > 0, whole, part)
                if not visits[stop] and are_whole([part], rest):
                    amount = rest.copy()
                left[stop - 1] = rest - amount
                own.append(tuple(amount.tolist()))
            found.append(tuple(own))
        return tuple(found)

    def _joined(self, visits: _Visits) -> _Visits:
        """A trip in which every stop is visited once."""
        amounts = dict[int, Amount]()
        for stop, part in visits:
            before = amounts.get(stop, (0.0,) * len(part))
            amounts[stop] = tuple(map(sum, zip(before, part, strict=True)))
        order = _without_repeats([stop for stop, _ in visits])
        while len(order) > len(amounts):
            del order[self._dearest(order)]
            order = _without_repeats(order)
        return [(stop, amounts[stop]) for stop in order]

    def _dearest(self, order: Sequence[int]) -> int:
        """The position of a stop that is visited elsewhere, too, which costs most."""
        depots, counts = self.instance.num_depots, Counter(order)
        path = np.array([0, *(depots - 1 + stop for stop in order), 0])
        before, own, after = path[:-2], path[1:-1], path[2:]
        saved = self.legs[before, own] + self.legs[own, after] - self.legs[before, after]
        saved[[counts[stop] == 1 for stop in order]] = -math.inf
        return int(np.argmax(saved))

    def searched(self, division: Division, *, must: bool) -> Instance:
        """The instance of some pieces, as a search with constraints sees it.

        Pieces of a stop one behind the other are served once: their service is a setup.

        Args:
            division: The pieces.
            must: Who may be left out and is in several pieces is served, in place of a share of
                the prize for each.
        """
        found, counts = division.of(self.instance), Counter(division.stops)
        cut = np.array([counts[stop] > 1 for stop in division.stops])
        if not cut.any():
            return found
        constraints, rows = found.own_constraints, np.array(division.stops) - 1
        asked = self.amounts[rows]
        shares = np.divide(division.amounts, asked, out=np.zeros_like(asked), where=asked > 0)
        shares = shares.sum(axis=1) / (asked > 0).sum(axis=1).clip(1)
        prize = constraints.prize.copy()
        lower = cut & np.isfinite(prize)  # what is required stays so
        prize[lower] *= shares[lower]
        prize[cut & must & (prize > 0)] = math.inf
        columns = _served_once(constraints, cut, rows)
        return replace(found, constraints=replace(constraints, prize=prize, **columns))


def _served_once(constraints: Constraints, cut: Float64, rows: Float64) -> dict[str, Any]:
    """Columns in which services of some stops are setups, whose places are their own."""
    by_type = (constraints.service_by_type, constraints.setup_by_type)
    services = np.array([constraints.services(row) for row in range(len(constraints.vehicles))])
    if not services[:, cut].any():
        return {}
    setups = np.zeros_like(services)
    for row in range(len(setups)):
        setups[row] += 0.0 if (own := constraints.setups(row)) is None else own
    tables = {
        "service": np.where(cut, 0.0, services),
        "setup": np.where(cut, services + setups, setups),
    }
    known = constraints.places or (None,) * constraints.num_nodes
    free = 1 + max((each for each in known if each is not None), default=0)
    depots = constraints.num_depots
    places = [
        free + int(rows[row - depots]) if row >= depots and cut[row - depots] else own
        for row, own in enumerate(known)
    ]
    columns: dict[str, Any] = {name: table[0] for name, table in tables.items()}
    if any(each is not None for each in by_type):
        columns |= {f"{name}_by_type": table for name, table in tables.items()}
    return {**columns, "places": tuple(places)}


def _without_repeats(order: Sequence[int]) -> list[int]:
    """Stops of which none comes twice in a row."""
    return [stop for stop, _ in itertools.groupby(order)]


def is_plain(instance: Instance) -> bool:
    """Return whether an instance asks for nothing but one capacity, from and to one depot."""
    constraints, lengths = instance.own_constraints, instance.distances
    if len(constraints.depots) > 1 or len(constraints.vehicles) > 1:
        return False
    if lengths is not None and not np.isfinite(lengths).all():
        return False
    (vehicle,), (depot,) = constraints.vehicles, constraints.depots
    kind = VehicleType(id=vehicle.id, count=vehicle.count, capacity=vehicle.capacity)
    if vehicle.count == 0 or len(vehicle.capacity) > 1 or not 0 < vehicle.capacity[0] < math.inf:
        return False
    columns = plain_columns(constraints.num_stops)
    neutral = Constraints(depots=(Depot(id=depot.id),), vehicles=(kind,), **columns)
    used = (each.name for each in fields(Constraints) if each.name not in _MEANS_NOTHING)
    alike = (np.array_equal(getattr(constraints, own), getattr(neutral, own)) for own in used)
    return all(alike) and not (constraints.delivery.any() and constraints.pickup.any())


# Fields that plain instances may differ in.
_MEANS_NOTHING = (
    "delivery", "pickup", "split", "split_step", "speed", "backhauls", "goods", "listed_amounts",
    "listed_vehicles", "counts_stops",
)  # fmt: skip


def _trips_with_parts(plan: Plan) -> Iterator[list[_Visits]]:
    """Of each route its trips, with the parts of their visits."""
    for route, own in zip(plan.routes, plan.parts, strict=True):
        parts = iter(own)
        yield [[(stop, next(parts)) for stop in trip] for trip in trips_of(route)]


def _plan_of(routes: Sequence[Route], trips: Sequence[Sequence[_Visits]]) -> Plan:
    """A plan of these vehicles with other visits; what is empty is left out."""
    found, parts = list[Route](), list[tuple[Amount, ...]]()
    for route, own in zip(routes, trips, strict=True):
        visits = list[Visit]()
        for number, trip in enumerate(own):
            visits += (stop for stop, _ in trip)
            if number < len(route.reloads):
                visits.append(Reload(route.reloads[number].depot, 0))
        made = Route.of(route.vehicle, visits)
        if made.stops:
            found.append(made._replace(van=route.van))
            parts.append(tuple(part for trip in own for _, part in trip))
    return Plan(found, parts=tuple(parts))
