"""The referee's view of a plan that goes on: who has what on board, and who delivers it.

What a vehicle has begun to load before the time of the freeze is what it carries until its next
reload. Plain loops, as in the rest of the referee.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from vrpcore.errors import describe
from vrpcore.instance.instance import LOAD_TOLERANCE, Instance
from vrpcore.instance.plan import Begun, Route
from vrpcore.instance.solution import RouteSchedule
from vrpcore.referee.trip_loads import trips_of

Problem = tuple[str, str]  # the key in the route, and words


def begun_of(
    schedule: RouteSchedule, freeze: float | None, slack: float, dimensions: int
) -> Begun | None:
    """What a route had begun by its stated times; None where it had not left, or nothing says so.

    Args:
        schedule: As stated.
        freeze: Of the answer.
        slack: How far times may be off.
        dimensions: Of loads; goods in others count as not stated.
    """
    if freeze is None or not schedule.departure < freeze - slack:
        return None
    return Begun(
        freeze,
        schedule.departure,
        stops=sum(begin < freeze - slack for begin in schedule.begins or ()),
        trip=sum(each.begin < freeze - slack for each in schedule.reloads or ()),
        loaded=tuple(each for each in schedule.loaded or () if len(each.amount) == dimensions),
        is_lost=schedule.is_lost,
    )


def unfit_goods(
    instance: Instance, route: Route, schedule: RouteSchedule, freeze: float | None, slack: float
) -> Iterator[Problem]:
    """Goods that are stated, but cannot be, and who is delivered what is not on board.

    Args:
        instance: With constraints.
        route: With what it had begun.
        schedule: As stated.
        freeze: Of the answer.
        slack: How far times may be off.
    """
    begun, dimensions = route.begun, instance.own_constraints.delivery.shape[1]
    vehicle = instance.own_constraints.vehicles[route.vehicle]
    if vehicle.is_lost and freeze is not None and not schedule.is_lost:
        yield "lost", "missing, expected true: its vehicle is lost"
    if begun is None:
        for key, stated in (("loaded", schedule.loaded is not None), ("lost", schedule.is_lost)):
            if stated:
                yield key, "not expected: no freeze is stated, or it leaves after that"
    elif len(begun.loaded) < len(schedule.loaded or ()):
        yield "loaded", f"expected amounts in as many load dimensions as there are, {dimensions}"
    else:
        yield from _unfit_trip(instance, route, begun)
        latest = sum(begin < begun.until + slack for begin in schedule.begins or ())
        if not begun.stops <= (schedule.frozen or 0) <= latest:
            yield "frozen", f"{schedule.frozen}, expected {begun.stops}: the others begin later"
        if begun.is_lost and len(route.stops) > latest:
            yield f"customers[{latest}]", "its vehicle was lost before it"
    if schedule.amounts is not None:
        yield from _unfit_amounts(instance, route, schedule)


def _unfit_trip(instance: Instance, route: Route, begun: Begun) -> Iterator[Problem]:
    """Who is delivered in the trip that was under way what it was not loaded with."""
    position, alike = 0, instance.own_constraints.goods == "any"
    left = _left(instance, route, begun)
    for number, stops in enumerate(trips_of(route)):
        for stop in stops:
            if number == begun.trip and position >= begun.stops:
                asked = instance.own_constraints.delivery[stop - 1]
                has = _enough(asked, left) if alike else _has(instance, begun, stop)
                left = [have - float(need) for have, need in zip(left, asked, strict=True)]
                if not has:
                    words = f"it is delivered what was not loaded before {begun.until:.9g}"
                    yield f"customers[{position}]", words
            position += 1


def _left(instance: Instance, route: Route, begun: Begun) -> list[float]:
    """What was on board of all goods of the trip under way when the plan was frozen."""
    constraints = instance.own_constraints
    initial = constraints.vehicles[route.vehicle].initial_load
    found, trips = [0.0] * constraints.delivery.shape[1], trips_of(route)
    if initial is not None and begun.trip == 0:
        found = list(initial)
    served = trips[begun.trip] if begun.trip < len(trips) else ()
    for dimension in range(len(found)):
        for each in begun.loaded:
            found[dimension] += each.amount[dimension]
        for stop in route.stops[: begun.stops]:
            if stop in served:
                found[dimension] -= float(constraints.delivery[stop - 1, dimension])
    return found


def _enough(asked: Iterable[float], amount: Sequence[float]) -> bool:
    """Whether so much is enough in each load dimension."""
    return all(
        float(need) <= have + LOAD_TOLERANCE * max(1.0, abs(have), float(need))
        for need, have in zip(asked, amount, strict=True)
    )


def _has(instance: Instance, begun: Begun, stop: int) -> bool:
    """Whether the trip under way was loaded with what a stop asks for."""
    asked = instance.own_constraints.delivery[stop - 1]
    if not any(float(amount) > 0 for amount in asked):
        return True
    name = instance.ids[stop - 1]
    return any(each.id == name and _enough(asked, each.amount) for each in begun.loaded)


def _unfit_amounts(instance: Instance, route: Route, schedule: RouteSchedule) -> Iterator[Problem]:
    """Stated amounts that are neither what stops ask for nor what was loaded before."""
    amounts, begun = schedule.amounts or (), route.begun
    if len(amounts) != len(route.stops):
        yield "amounts", f"{len(amounts)}, expected one for each of {len(route.stops)} stops"
        return
    position = 0
    for number, stops in enumerate(trips_of(route)):
        loaded = {each.id: each.amount for each in begun.loaded} if begun else {}
        for stop in stops:
            stated = amounts[position]
            listed = stated if isinstance(stated, tuple) else (stated,)
            own = tuple(float(each) for each in instance.own_constraints.delivery[stop - 1])
            if begun is not None and number == begun.trip:
                own = loaded.get(instance.ids[stop - 1], own)
            if listed != own and (begun is None or number >= begun.trip):
                shown = own if instance.own_constraints.listed_amounts else own[0]
                yield f"amounts[{position}]", f"{stated}, expected {shown}"
            position += 1


def _later(instance: Instance, freeze: float) -> Instance:
    """The same where all vehicles leave after a time."""
    vehicles = [
        replace(each, window=(max(each.window[0], freeze), each.window[1]))
        for each in instance.own_constraints.vehicles
    ]
    constraints = replace(instance.own_constraints, vehicles=tuple(vehicles))
    return replace(instance, constraints=constraints)


class Carried:
    """What vehicles have on board, as an answer states it, and which may still be loaded.

    Args:
        instance: With constraints.
        freeze: Of the answer.
        routes: By their rows in it, with what they had begun.

    Attributes:
        later: The instance where all vehicles leave after the freeze.
    """

    def __init__(
        self, instance: Instance, freeze: float | None, routes: Mapping[int, Route]
    ) -> None:
        self._instance, self._is_frozen, self._routes = instance, freeze is not None, routes
        self.later = instance if freeze is None else _later(instance, freeze)
        # Of a stop whose delivery is on board, the rows of the routes that have it.
        self._holders: dict[int, list[int]] = {}
        numbers = {identifier: stop for stop, identifier in enumerate(instance.ids, start=1)}
        for row, route in routes.items():
            alike = instance.own_constraints.goods == "any"
            if route.begun is None or route.begun.is_lost or alike:
                continue
            for each in route.begun.loaded:
                stop = numbers.get(each.id)
                if stop is not None and _has(instance, route.begun, stop):
                    self._holders.setdefault(stop, []).append(row)

    def problems(self) -> Iterator[str]:
        """Who is delivered by another vehicle, or in another trip, what is on board, in words."""
        for row, route in self._routes.items():
            position, begun = 0, route.begun
            for number, stops in enumerate(trips_of(route)):
                for stop in stops:
                    holders = self._holders.get(stop, [])
                    is_own = row in holders and begun is not None and number == begun.trip
                    is_over = begun is not None and position < begun.stops
                    if holders and not is_own and not is_over:
                        where = f"routes[{row}].customers[{position}]"
                        yield f"{where}: it is on board in the trip of routes[{holders[0]}]"
                    position += 1

    def holds_back(
        self,
        stops: Sequence[int],
        kinds: Sequence[int],
        able: Sequence[bool],
        later: Sequence[bool],
    ) -> str | None:
        """Why goods keep somebody unserved whom some vehicle could serve, in words; None: not.

        Args:
            stops: Of a customer.
            kinds: Types that differ.
            able: Of each of them, whether one could serve only these stops.
            later: The same if it leaves after the freeze.
        """
        delivery = self._instance.own_constraints.delivery
        if not self._is_frozen or not any(float(each) > 0 for each in delivery[stops[0] - 1]):
            return None
        for row in self._holders.get(stops[0], []):
            vehicle = self._instance.own_constraints.vehicles[self._routes[row].vehicle]
            where = f"it is on board {describe(vehicle.id)}, which does not get there"
            return f"{where}; if that has broken down, name it as lost"
        alike = self._instance.own_constraints.alike()
        for can, ways in ((self._can_load, later), (self._carries, able)):
            could = {alike[kind] for kind, is_able in zip(kinds, ways, strict=True) if is_able}
            if any(
                first in could and can(vehicle, stops[0]) for vehicle, first in enumerate(alike)
            ):
                return None
        return "no vehicle that could serve it can still be loaded in time"

    def _carries(self, vehicle: int, stop: int) -> bool:
        """Whether a vehicle of a type had enough on board, where all goods are alike."""
        if self._instance.own_constraints.goods != "any":
            return False
        asked = self._instance.own_constraints.delivery[stop - 1]
        return any(
            _enough(asked, _left(self._instance, route, route.begun))
            for route in self._routes.values()
            if route.vehicle == vehicle and route.begun is not None and not route.begun.is_lost
        )

    def _can_load(self, vehicle: int, _: int) -> bool:
        """Whether a vehicle of a type has not begun to load, or may reload."""
        own = self._instance.own_constraints.vehicles[vehicle]
        begun = [
            route.begun
            for route in self._routes.values()
            if route.vehicle == vehicle and route.begun is not None
        ]
        if own.count is None or own.count > len(begun):
            return True
        may_reload = bool(own.reloads) and own.max_reloads > 0
        return may_reload and not all(each.is_lost for each in begun)
