"""Going on with a plan: what vehicles have begun stays, and the search sees what is left.

Each vehicle that is under way is a type of its own. The trips that are over are taken out of the
instance. Of the trip that goes on, the stops that have begun, and the one that the vehicle is on
its way to, stand at the start of the route of that type, each at its time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from vrpcore.cost.timeline import Timeline
from vrpcore.instance.instance import LOAD_TOLERANCE, Instance
from vrpcore.instance.plan import Plan, Reload, Route, Started, Visit
from vrpcore.replan.frozen_instance import what_is_left
from vrpcore.replan.going_on import schedule_begun
from vrpcore.replan.known_vehicles import Keep, split_fleet
from vrpcore.replan.under_way import UnderWay, begun_by, ended, under_way_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Replanning:
    """A plan that is kept, or goes on, as an instance to be searched as any other.

    Attributes:
        instance: What is searched; it may have no stop.
    """

    instance: Instance
    _whole: Instance  # with a type for each vehicle that has left
    _types: list[int]  # of each of its types the one that it stands for
    _known: Plan  # by these types
    _left: tuple[int, ...]  # the stops of the instance, by their numbers in the whole
    _under_way: tuple[UnderWay, ...] = ()

    @classmethod
    def of(cls, instance: Instance, keep: Keep, typed: Sequence[Route]) -> "Replanning":
        """Splits the fleet, and takes out what is over; arguments are as for `split_fleet`."""
        whole, types, plan = split_fleet(instance, keep, typed)
        left, timeline = tuple(range(1, whole.num_customers + 1)), Timeline(whole)
        known = [
            under_way_of(timeline, route, started)
            for route, started in zip(plan.routes, plan.each_started, strict=True)
            if started is not None
        ]
        kept = cls(instance=whole, _whole=whole, _types=types, _known=plan, _left=left)
        return kept._with([own for own in known if own is not None])

    def _with(self, known: list[UnderWay]) -> "Replanning":
        """Continue with vehicles that have left; one that cannot do what is fixed has ended."""
        if (freeze := self._known.freeze) is None:
            return self
        timeline = Timeline(self._whole)
        left, instance = what_is_left(self._whole, timeline, known, freeze)
        while (stuck := _first_stuck(instance, left, known)) is not None:
            known[stuck] = ended(known[stuck])
            left, instance = what_is_left(self._whole, timeline, known, freeze)
        return replace(self, instance=instance, _left=left, _under_way=tuple(known))

    def without_stuck(self, found: Plan) -> "Replanning | None":
        """Ends the vehicles that a search found no way for with what is fixed; None: it did.

        Args:
            found: A plan of `instance`.
        """
        served = {self._left[stop - 1] for route in found.routes for stop in route.stops}
        known = [own if served.issuperset(own.first) else ended(own) for own in self._under_way]
        return None if known == [*self._under_way] else self._with(known)

    @property
    def start(self) -> Plan:
        """The known plan, as far as it is left."""
        number = {stop: row for row, stop in enumerate(self._left, start=1)}
        over = {own.type: len(own.over) for own in self._under_way}
        routes = []
        for route in self._known.routes:
            visits = route.visits[over.get(route.vehicle, 0) :]
            routes.append(Route.of(route.vehicle, _numbered(visits, number)))
        return Plan([route for route in routes if route.stops])

    def plan(self, found: Plan) -> Plan:
        """A plan of the whole instance by its own types, with what was begun.

        What it costs is not known.
        """
        timeline, whole = Timeline(self._whole), dict(enumerate(self._left, start=1))
        going_on = {own.type: list[Visit]() for own in self._under_way}
        routes = list[tuple[Route, Started | None]]()
        for route in found.routes:
            visits = _numbered(route.visits, whole)
            if route.vehicle in going_on:
                going_on[route.vehicle] = visits
            else:
                routes.append((Route.of(route.vehicle, visits), None))
        routes += [_joined(timeline, own, going_on[own.type]) for own in self._under_way]
        begun = [(self._original(route), own) for route, own in routes if route.stops]
        begun.sort(key=lambda each: each[0].vehicle)
        return Plan(
            [route for route, _ in begun],
            repaired=found.repaired,
            freeze=self._known.freeze if begun else None,
            started=tuple(own for _, own in begun),
        )

    def _original(self, route: Route) -> Route:
        """A route by the type and the van that its type stands for."""
        vans = (each.van for each in self._known.routes if each.vehicle == route.vehicle)
        return route._replace(vehicle=self._types[route.vehicle], van=next(vans, None))


def _numbered(visits: Sequence[Visit], number: Mapping[int, int]) -> list[Visit]:
    """Reloads, and those stops that have other numbers, by these."""
    return [
        visit if isinstance(visit, Reload) else number[visit]
        for visit in visits
        if isinstance(visit, Reload) or visit in number
    ]


def _joined(timeline: Timeline, own: UnderWay, visits: Sequence[Visit]) -> tuple[Route, Started]:
    """The whole route of a vehicle that goes on with some stops and reloads, and its beginning."""
    rest = [visit for visit in visits if visit not in own.first]
    rest = [*(stop for stop in own.due if stop not in rest), *rest]
    found = Route.of(own.type, [*own.over, *own.first, *rest])
    started = begun_by(found, own.started)
    if found.stops and schedule_begun(timeline, found, started) is None:
        found = Route.of(own.type, [*own.over, *own.first, *own.due])
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
        routes = [Route.of(own.type, _numbered(visits, number)) for visits in ways]
        load = timeline.load(routes[0])
        capacity = instance.own_constraints.vehicles[own.type].capacity
        room = (most * (1 + LOAD_TOLERANCE) for most in capacity)
        fits = all(each <= most for each, most in zip(load, room, strict=True))
        if not fits or all(timeline.schedule(route) is None for route in routes):
            return row
    return None
