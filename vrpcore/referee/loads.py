"""Trips, what is on board in each, whom a vehicle may serve, and goods of a plan that goes on.

What a vehicle has begun to load before the time of the freeze is what it carries until its next
reload.
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from vrpcore.errors import describe
from vrpcore.instance.instance import LOAD_TOLERANCE, Instance
from vrpcore.instance.plan import Route, Started
from vrpcore.instance.solution import Load, RouteReport, RouteSchedule
from vrpcore.referee.costs import COST_TOLERANCE, is_close
from vrpcore.referee.visits import Permits

_TINY = 1e-12  # of all amounts that were added up

# On board in each load dimension, at the start of a trip and after each of its stops.
Boards = list[list[float]]
Begun = tuple[Route, Started | None]


class Wrong(NamedTuple):
    """A wrong number or statement of a route.

    Attributes:
        key: Of the route; empty: all of it.
        words: What is wrong.
    """

    key: str
    words: str


class Limit(NamedTuple):
    """A broken limit of a route, which frozen parts of it may break.

    Attributes:
        key: Of the route; empty: all of it.
        words: What is wrong.
        position: Of the stop that breaks it; None: the whole route does.
    """

    key: str
    words: str
    position: int | None = None


Problem = Wrong | Limit


def trips_of(route: Route) -> list[tuple[int, ...]]:
    """The stops of each trip of a route."""
    cuts = [0, *(each.after for each in route.reloads), len(route.stops)]
    return [route.stops[first:last] for first, last in itertools.pairwise(cuts)]


def by_trip(route: Route) -> Iterator[tuple[int, tuple[int, int]]]:
    """Position of each stop, with the number of its trip and its own."""
    return enumerate((trip, stop) for trip, stops in enumerate(trips_of(route)) for stop in stops)


def boards_of(instance: Instance, route: Route, started: Started | None = None) -> list[Boards]:
    """Amounts on board in each trip.

    At first that is the load that a vehicle begins with, and all that is on board for shipments,
    whether they are served or not; besides, in each trip, all that it delivers. In a trip that was
    under way when a plan was frozen it is what it was loaded with then.
    """
    constraints = instance.own_constraints
    dimensions = range(constraints.delivery.shape[1])
    found: list[Boards] = []
    more = _first_board(instance, route.vehicle)
    for number, stops in enumerate(trips_of(route)):
        goods = [tuple(map(float, constraints.delivery[stop - 1])) for stop in stops]
        if started is not None and number == started.trip:
            goods = [each.amount for each in started.loaded]
        board = [math.fsum([more[each], *(own[each] for own in goods)]) for each in dimensions]
        boards = [list(board)]
        for stop in stops:
            for each in dimensions:
                board[each] -= float(constraints.delivery[stop - 1, each])
                board[each] += float(constraints.pickup[stop - 1, each])
                board[each] += float(constraints.shipment[stop - 1, each])
            boards.append(list(board))
        found.append(boards)
        more = [0.0 for _ in dimensions]
    return found


def _first_board(instance: Instance, vehicle: int) -> list[float]:
    """On board of a vehicle from its start on, besides what its first trip delivers."""
    constraints = instance.own_constraints
    initial = constraints.vehicles[vehicle].initial_load
    found = [0.0] * constraints.delivery.shape[1] if initial is None else list(initial)
    if constraints.on_board is not None:
        for row, owner in enumerate(constraints.on_board.tolist()):
            if owner == vehicle:
                for each in range(len(found)):
                    found[each] -= float(constraints.shipment[row, each])
    return found


def most_on_board(trips: Sequence[Boards]) -> list[tuple[float, str]]:
    """The most on board in any trip, and where in words, of each load dimension."""
    found = []
    for dimension in range(len(trips[0][0])):
        most, where, served = -math.inf, "", 0
        for row, boards in enumerate(trips):
            for place, board in enumerate(boards):
                if board[dimension] > most:
                    most = board[dimension]
                    where = f"after customers[{served + place - 1}]"
                    if place == 0:
                        where = f"after reloads[{row - 1}]" if row else "at the start"
            served += len(boards) - 1
        found.append((most, where))
    return found


def served_load(instance: Instance, stops: Sequence[int]) -> float:
    """Amount that stops are brought and that is taken from them, in the first load dimension.

    A shipment counts once.
    """
    constraints = instance.own_constraints
    amounts = []
    for stop in stops:
        amounts += [
            float(constraints.delivery[stop - 1, 0]),
            float(constraints.pickup[stop - 1, 0]),
        ]
        if (constraints.partner(stop) or stop + 1) > stop:
            amounts.append(abs(float(constraints.shipment[stop - 1, 0])))
    return math.fsum(amounts)


def unfit_loads(
    instance: Instance,
    route: Route,
    started: Started | None,
    trips: Sequence[Boards],
    report: RouteReport,
) -> Iterator[Problem]:
    """Overloads, and stated loads that are not the most on board in any trip."""
    constraints, loads = instance.own_constraints, most_on_board(trips)
    for dimension, (load, where) in enumerate(loads):
        name = f" in dimension {dimension}" if constraints.listed_amounts else ""
        capacity = constraints.vehicles[route.vehicle].capacity[dimension]
        if load > capacity * (1 + COST_TOLERANCE):
            yield Limit("", f"a load of {load}{name} {where} exceeds capacity {capacity}")
    right = [
        (load, _TINY * added_up(instance, route, started, dimension))
        for dimension, (load, _) in enumerate(loads)
    ]
    yield from _unfit_load("load", report.load, right, listed=constraints.listed_amounts)


def unfit_return_loads(
    instance: Instance, trips: Sequence[Boards], schedule: RouteSchedule
) -> Iterator[Problem]:
    """Stated `return_load` of reloads that are not what is on board on arrival."""
    for row, (item, boards) in enumerate(zip(schedule.reloads or (), trips, strict=False)):
        right = [
            (load, _TINY * max(board[dimension] for board in boards))
            for dimension, load in enumerate(boards[-1])
        ]
        listed, key = instance.own_constraints.listed_amounts, f"reloads[{row}].return_load"
        yield from _unfit_load(key, item.return_load, right, listed=listed)


def _unfit_load(
    key: str, stated: Load, right: Sequence[tuple[float, float]], *, listed: bool
) -> Iterator[Problem]:
    """Differences of a stated load from the right one, which has a slack in each dimension."""
    amounts = stated if isinstance(stated, tuple) else (stated,)
    if isinstance(stated, float) and math.isnan(stated):
        return
    if isinstance(stated, tuple) != listed:
        expected = f"a list of {len(right)}" if listed else "a number"
        yield Wrong(key, f"{describe(stated)}, expected {expected}")
    elif len(amounts) != len(right):
        yield Wrong(key, f"a list of {len(amounts)}, expected {len(right)}")
    else:
        for dimension, (amount, (own, slack)) in enumerate(zip(amounts, right, strict=True)):
            if not math.isnan(amount) and not is_close(amount, own, slack):
                name = f"{key}[{dimension}]" if listed else key
                yield Wrong(name, f"{amount}, expected {own}")


def added_up(instance: Instance, route: Route, started: Started | None, dimension: int) -> float:
    """All amounts together that come on board or leave in a load dimension."""
    constraints = instance.own_constraints
    added = abs(_first_board(instance, route.vehicle)[dimension])
    if started is not None:
        added += math.fsum(each.amount[dimension] for each in started.loaded)
    for amounts in (constraints.delivery, constraints.pickup, constraints.shipment):
        added += math.fsum(abs(float(amounts[stop - 1, dimension])) for stop in route.stops)
    return added


def forbidden_stops(instance: Instance, route: Route, permits: Permits) -> Iterator[Problem]:
    """Stops that a vehicle may not serve, or not there: skills, permits, backhauls, trips, number.

    A shipment is picked up and delivered in one trip; one that is on board from the start is
    delivered in the first.
    """
    constraints = instance.own_constraints
    vehicle, trips = constraints.vehicles[route.vehicle], trips_of(route)
    for position, stop in enumerate(route.stops):
        key = f"customers[{position}]"
        for skill in sorted(constraints.skills[stop - 1]):
            if skill not in vehicle.skills:
                words = f"needs {describe(skill)}, which the vehicle does not have"
                yield Limit(key, words, position)
        obstacle = permits.obstacle(route.vehicle, stop)
        if obstacle is not None:
            yield Limit(key, obstacle, position)
    yield from _backhauls(instance, route)
    behind = 0
    for stops in trips if vehicle.loading == "lifo" else ():
        if (covered := constraints.first_covered(stops)) is not None:
            position, first = behind + covered[0], describe(instance.ids[covered[1] - 1])
            words = f"loading is 'lifo', and {first} has to come before it"
            yield Limit(f"customers[{position}]", words, position)
        behind += len(stops)
    if len(route.stops) > vehicle.max_stops:
        yield Limit("", f"{len(route.stops)} stops, max_customers is {vehicle.max_stops:g}")
    for position, (trip, stop) in by_trip(route) if route.reloads else ():
        key, partner = f"customers[{position}]", constraints.partner(stop)
        if partner is not None and partner in route.stops and partner not in trips[trip]:
            if partner < stop:
                yield Limit(key, "it was picked up in another trip", position)
        elif trip and constraints.on_board is not None and constraints.on_board[stop - 1] >= 0:
            words = "it is on board from the start, and delivered after a reload"
            yield Limit(key, words, position)


def _backhauls(instance: Instance, route: Route) -> Iterator[Problem]:
    constraints, delivered = instance.own_constraints, False
    picked: set[int] = set()  # trips with a pickup
    for position, (trip, stop) in by_trip(route):
        delivers = any(float(amount) > 0 for amount in constraints.delivery[stop - 1])
        if delivers and trip in picked and constraints.backhauls == "last":
            yield Limit(f"customers[{position}]", "a delivery after a pickup", position)
        delivered = delivered or delivers
        if any(float(amount) > 0 for amount in constraints.pickup[stop - 1]):
            picked.add(trip)
    if picked and not delivered and not constraints.pickup_only_routes:
        yield Limit("", "only pickups, which pickup_only_routes does not allow")


def started_of(
    schedule: RouteSchedule, freeze: float | None, slack: float, dimensions: int
) -> Started | None:
    """The part that a route had begun by its stated times; None: it had not left, or none is said.

    Args:
        schedule: As stated.
        freeze: Of the answer.
        slack: How far times may be off.
        dimensions: Of loads; goods in others count as not stated.
    """
    says_so = schedule.loaded is not None or schedule.is_lost
    if freeze is None or not schedule.departure < freeze - (0.0 if says_so else slack):
        return None
    return Started(
        freeze,
        schedule.departure,
        stops=sum(begin < freeze - slack for begin in schedule.begins or ()),
        trip=sum(each.begin < freeze - slack for each in schedule.reloads or ()),
        loaded=tuple(each for each in schedule.loaded or () if len(each.amount) == dimensions),
        is_lost=schedule.is_lost,
    )


def unfit_goods(
    instance: Instance,
    route: Route,
    started: Started | None,
    schedule: RouteSchedule,
    slack: float,
) -> Iterator[Problem]:
    """Goods that are stated, but cannot be, and stops that are delivered what is not on board.

    Args:
        instance: With constraints.
        route: The route.
        started: What it had begun.
        schedule: As stated.
        slack: How far times may be off.
    """
    dimensions = instance.own_constraints.delivery.shape[1]
    if started is None:
        for key, stated in (("loaded", schedule.loaded is not None), ("lost", schedule.is_lost)):
            if stated:
                yield Wrong(key, "not expected: no freeze is stated, or it leaves after that")
    elif len(started.loaded) < len(schedule.loaded or ()):
        words = f"expected amounts in as many load dimensions as there are, {dimensions}"
        yield Wrong("loaded", words)
    else:
        yield from _unfit_trip(instance, route, started)
        latest = sum(begin < started.until + slack for begin in schedule.begins or ())
        if not started.stops <= (schedule.frozen or 0) <= latest:
            words = f"{schedule.frozen}, expected {started.stops}: the others begin later"
            yield Wrong("frozen", words)
        if started.is_lost and len(route.stops) > latest:
            yield Wrong(f"customers[{latest}]", "its vehicle was lost before it")
    if schedule.amounts is not None:
        yield from _unfit_amounts(instance, route, started, schedule.amounts)


def _unfit_trip(instance: Instance, route: Route, started: Started) -> Iterator[Problem]:
    """Stops that are delivered in the trip under way what it was not loaded with."""
    left, alike = _left(instance, route, started), instance.own_constraints.goods == "any"
    for position, (trip, stop) in by_trip(route):
        if trip == started.trip and position >= started.stops:
            asked = instance.own_constraints.delivery[stop - 1]
            has = _enough(asked, left) if alike else _has(instance, started, stop)
            left = [have - float(need) for have, need in zip(left, asked, strict=True)]
            if not has:
                words = f"it is delivered what was not loaded before {started.until:.9g}"
                yield Wrong(f"customers[{position}]", words)


def _left(instance: Instance, route: Route, started: Started) -> list[float]:
    """Amounts on board of all goods of the trip under way when the plan was frozen."""
    constraints = instance.own_constraints
    initial = constraints.vehicles[route.vehicle].initial_load
    found = [0.0] * constraints.delivery.shape[1]
    if initial is not None and started.trip == 0:
        found = list(initial)
    served = [
        stop
        for position, (trip, stop) in by_trip(route)
        if trip == started.trip and position < started.stops
    ]
    for dimension in range(len(found)):
        for each in started.loaded:
            found[dimension] += each.amount[dimension]
        for stop in served:
            found[dimension] -= float(constraints.delivery[stop - 1, dimension])
    return found


def _enough(asked: Iterable[float], amount: Sequence[float]) -> bool:
    """Return whether an amount is enough in each load dimension; of what is not asked for it is."""
    return all(
        float(need) <= max(0.0, have) + LOAD_TOLERANCE * max(1.0, abs(have), float(need))
        for need, have in zip(asked, amount, strict=True)
    )


def _has(instance: Instance, started: Started, stop: int) -> bool:
    """Return whether the trip under way was loaded with what a stop asks for."""
    asked = instance.own_constraints.delivery[stop - 1]
    if not any(float(amount) > 0 for amount in asked):
        return True
    name = instance.ids[stop - 1]
    return any(each.id == name and _enough(asked, each.amount) for each in started.loaded)


def _unfit_amounts(
    instance: Instance, route: Route, started: Started | None, amounts: Sequence[Load]
) -> Iterator[Problem]:
    """Stated amounts that are neither what stops ask for nor what was loaded before.

    With splits they say of a stop without a delivery what is taken there.
    """
    if len(amounts) != len(route.stops):
        words = f"{len(amounts)}, expected one for each of {len(route.stops)} stops"
        yield Wrong("amounts", words)
        return
    constraints = instance.own_constraints
    loaded = {each.id: each.amount for each in started.loaded} if started else {}
    for position, (trip, stop) in by_trip(route):
        if started is not None and trip < started.trip:
            continue
        stated = amounts[position]
        own = tuple(float(each) for each in constraints.delivery[stop - 1])
        if constraints.split is not None and not any(own):
            own = tuple(float(each) for each in constraints.pickup[stop - 1])
        if started is not None and trip == started.trip:
            own = loaded.get(instance.ids[stop - 1], own)
        if (stated if isinstance(stated, tuple) else (stated,)) != own:
            shown = own if constraints.listed_amounts else own[0]
            yield Wrong(f"amounts[{position}]", f"{stated}, expected {shown}")


class Carried:
    """Goods on board as an answer states them, and vehicles that may still be loaded.

    Args:
        instance: With constraints.
        freeze: Of the answer.
        routes: By their rows in it, each with what it had begun; None: it had not left.

    Attributes:
        freeze: Of the answer; None: no plan goes on.
        later: The instance where all vehicles leave after it.
    """

    def __init__(
        self, instance: Instance, freeze: float | None, routes: Mapping[int, Begun]
    ) -> None:
        self._constraints = own = instance.own_constraints
        self.freeze, self._routes, self.later = freeze, routes, instance
        if freeze is not None:
            vehicles = (
                replace(each, window=(max(each.window[0], freeze), each.window[1]))
                for each in own.vehicles
            )
            self.later = replace(instance, constraints=replace(own, vehicles=tuple(vehicles)))
        # Of a stop whose delivery is on board, the rows of the routes that have it.
        self._holders: dict[int, list[int]] = {}
        numbers = instance.numbers
        for row, (_, started) in routes.items():
            if started is None or started.is_lost or own.goods == "any":
                continue
            for each in started.loaded:
                stop = numbers.get(each.id)
                if stop is not None and _has(instance, started, stop):
                    self._holders.setdefault(stop, []).append(row)

    def problems(self) -> Iterator[str]:
        """Stops that are delivered by another vehicle or trip what is on board, in words."""
        for row, (route, started) in self._routes.items():
            for position, (trip, stop) in by_trip(route):
                holders = self._holders.get(stop, [])
                is_own = row in holders and started is not None and trip == started.trip
                is_over = started is not None and position < started.stops
                if holders and not is_own and not is_over:
                    where = f"routes[{row}].customers[{position}]"
                    yield f"{where}: it is on board in the trip of routes[{holders[0]}]"

    def holder(self, stop: int) -> str | None:
        """The vehicle type that has a stop's delivery on board; None: none has."""
        for row in self._holders.get(stop, []):
            return self._constraints.vehicles[self._routes[row][0].vehicle].id
        return None

    def has_enough(self, vehicle: int, stop: int) -> bool:
        """Return whether a vehicle of a type has enough for a stop, where goods are alike."""
        asked = self._constraints.delivery[stop - 1]
        return self._constraints.goods == "any" and any(
            _enough(asked, _left(self.later, route, started))
            for route, started in self._under_way(vehicle)
            if not started.is_lost
        )

    def can_load(self, vehicle: int) -> bool:
        """Return whether a vehicle of a type has not begun to load, or may reload."""
        own = self._constraints.vehicles[vehicle]
        started = [each for _, each in self._under_way(vehicle)]
        if own.count is None or own.count > len(started):
            return True
        may_reload = bool(own.reloads) and own.max_reloads > 0
        return may_reload and not all(each.is_lost for each in started)

    def _under_way(self, vehicle: int) -> Iterator[tuple[Route, Started]]:
        """Routes of a type that had left, with what they had begun."""
        for route, started in self._routes.values():
            if route.vehicle == vehicle and started is not None:
                yield route, started
