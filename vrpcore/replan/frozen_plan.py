"""Going on with a plan: what vehicles have begun stays, and the search sees what is left.

Each vehicle that is under way is a type of its own. The trips that are over are taken out of the
instance. Of the trip that goes on, the stops that have begun, and the one that the vehicle is on
its way to, stand at the start of the route of that type, each at its time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vrpcore.cost.timeline import Timeline
from vrpcore.instance.constraints import Constraints
from vrpcore.instance.instance import LOAD_TOLERANCE, Instance
from vrpcore.instance.plan import Frozen, Plan, Reload, Route, Started, route_of
from vrpcore.replan.frozen_instance import what_is_left
from vrpcore.replan.going_on import GoingOn
from vrpcore.replan.known_vehicles import KnownVehicles
from vrpcore.replan.under_way import UnderWay, Visit, begun_by, ended, under_way_of


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenPlan:
    """A known plan in the middle of its day.

    Attributes:
        instance: What is searched; it may have no stop.
        vehicles: The fleet, with a type for each vehicle that is under way.
        freeze: The time.
    """

    instance: Instance
    vehicles: KnownVehicles
    freeze: float
    _left: tuple[int, ...]  # the stops of the instance, by their numbers in the whole
    _under_way: tuple[UnderWay, ...]

    @classmethod
    def of(cls, vehicles: KnownVehicles, freeze: float) -> "FrozenPlan":
        """Takes out what is over.

        Args:
            vehicles: With what known routes have begun.
            freeze: The time.
        """
        constraints, timeline = vehicles.instance.own_constraints, Timeline(vehicles.instance)
        known = [
            found
            for route, started, own in zip(
                vehicles.known, vehicles.started, vehicles.own, strict=True
            )
            if own is not None
            and started is not None
            and (found := under_way_of(constraints, timeline, route._replace(vehicle=own), started))
            is not None
        ]
        return cls._with(vehicles, freeze, known)

    @classmethod
    def _with(
        cls, vehicles: KnownVehicles, freeze: float, known: Sequence[UnderWay]
    ) -> "FrozenPlan":
        """Continue with vehicles that have left; one that cannot do what is fixed has ended."""
        timeline, known = Timeline(vehicles.instance), list(known)
        left, instance = what_is_left(vehicles.instance, timeline, known, freeze)
        while (stuck := _first_stuck(instance, left, known)) is not None:
            known[stuck] = ended(known[stuck])
            left, instance = what_is_left(vehicles.instance, timeline, known, freeze)
        return cls(
            instance=instance,
            vehicles=vehicles,
            freeze=freeze,
            _left=left,
            _under_way=tuple(known),
        )

    def without_stuck(self, found: Plan) -> "FrozenPlan | None":
        """Ends the vehicles that a search found no way for with what is fixed; None: it did.

        Args:
            found: A plan of `instance`.
        """
        served = {self._left[stop - 1] for route in found.routes for stop in route.stops}
        known = [own if served.issuperset(own.first) else ended(own) for own in self._under_way]
        if all(own is old for own, old in zip(known, self._under_way, strict=True)):
            return None
        return self._with(self.vehicles, self.freeze, known)

    @property
    def start(self) -> Plan:
        """The known plan, as far as it is left."""
        number = {stop: row for row, stop in enumerate(self._left, start=1)}
        over = {own.type: len(own.over) for own in self._under_way}
        routes = []
        for route in self.vehicles.start.routes:
            visits = route.visits[over.get(route.vehicle, 0) :]
            routes.append(route_of(route.vehicle, _numbered(visits, number)))
        return Plan([route for route in routes if route.stops])

    def plan(self, found: Plan) -> Plan:
        """A plan of the whole instance, with what was begun."""
        instance = self.vehicles.instance
        constraints, timeline = instance.own_constraints, Timeline(instance)
        going_on = {own.type: list[Visit]() for own in self._under_way}
        routes = list[tuple[Route, Started | None]]()
        for route in found.routes:
            visits: list[Visit] = [
                visit if isinstance(visit, Reload) else self._left[visit - 1]
                for visit in route.visits
            ]
            if route.vehicle in going_on:
                going_on[route.vehicle] = visits
            else:
                routes.append((route_of(route.vehicle, visits), None))
        for own in self._under_way:
            joined = _joined(constraints, timeline, own, going_on[own.type])
            routes += [joined] if joined[0].stops else []
        started = tuple(own for _, own in routes)
        frozen = Frozen(self.freeze, started) if routes else None
        own_routes = [route for route, _ in routes]
        return self.vehicles.plan(found._replace(routes=own_routes, frozen=frozen))


def _numbered(visits: Sequence[Visit], number: Mapping[int, int]) -> list[Visit]:
    """Stops by the numbers that they have in the instance that is left, and reloads."""
    return [
        visit if isinstance(visit, Reload) else number[visit]
        for visit in visits
        if isinstance(visit, Reload) or visit in number
    ]


def _joined(
    constraints: Constraints, timeline: Timeline, own: UnderWay, visits: Sequence[Visit]
) -> tuple[Route, Started]:
    """The whole route of a vehicle that goes on with some stops and reloads, and its beginning."""
    rest = [visit for visit in visits if visit not in own.first]
    rest = [*(stop for stop in own.due if stop not in rest), *rest]
    found = route_of(own.type, [*own.over, *own.first, *rest])
    started = begun_by(found, own.started)
    if found.stops and GoingOn(timeline, constraints, started).schedule(found) is None:
        found = route_of(own.type, [*own.over, *own.first, *own.due])
        started = begun_by(found, own.started, is_over=True)
    return found, started


def _first_stuck(instance: Instance, left: Sequence[int], known: Sequence[UnderWay]) -> int | None:
    """The number of the first vehicle that cannot even do what is fixed."""
    if not left:
        return None
    timeline = Timeline(instance)
    number = {stop: row for row, stop in enumerate(left, start=1)}
    for row, own in enumerate(known):
        if not own.first:
            continue
        ways = own.first, own.route.visits[len(own.over) :]
        routes = [route_of(own.type, _numbered(visits, number)) for visits in ways]
        load = timeline.load(routes[0])
        capacity = instance.own_constraints.vehicles[own.type].capacity
        fits = all(
            each <= most * (1 + LOAD_TOLERANCE) for each, most in zip(load, capacity, strict=True)
        )
        if not fits or all(timeline.schedule(route) is None for route in routes):
            return row
    return None
