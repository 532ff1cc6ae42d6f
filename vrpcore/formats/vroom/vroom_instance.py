"""Problems that came as documents of VROOM's, and what an answer in kind repeats of them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from vrpcore.formats.vroom.vroom_documents import Spot, TaskKind, VroomBreak, VroomOptions
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.matching import match_routes
from vrpcore.instance.origin import InKind, Origin
from vrpcore.instance.plan import Plan, Route
from vrpcore.instance.vehicle_types import Window

NO_OPTIONS = VroomOptions()


class VroomTask(NamedTuple):
    """A job, or one end of a shipment, as its document has it."""

    kind: TaskKind
    id: int
    description: str | None
    spot: Spot
    priority: int


class Pin(NamedTuple):
    """A task that must be served by the vehicle of its step, and when.

    Attributes:
        task: Its type and id.
        window: When setup and service may begin, both ends included.
        place: Where the step was found.
    """

    task: tuple[str, int]
    window: Window
    place: str


class Van(NamedTuple):
    """One vehicle of a document.

    Attributes:
        kind: Index of its vehicle type.
        breaks: In the order of the vehicle type's.
        steps: Types and ids of the tasks that it is given, in order, whether there are such or
            not; of breaks, only those that it does not have.
        pins: Of its steps that state times. A vehicle with some has a vehicle type of its own.
        speed_factor: As stated; `speed` of its type is what VROOM makes of it.
    """

    id: int
    description: str | None
    kind: int
    start: Spot | None
    end: Spot | None
    breaks: Sequence[VroomBreak]
    steps: tuple[tuple[str, int], ...]
    pins: tuple[Pin, ...]
    speed_factor: float


@dataclass(frozen=True, slots=True)
class Source(Origin):
    """Parts of a document that an answer in kind repeats.

    Attributes:
        tasks: In the order of the instance's stops.
        tells_lengths: Whether there are distances.
        tells_loads: Whether there are capacities.
        vans: All vehicles.
        notes: What its author should know, in words.
        options: How it is to be solved.
        plan: The routes that vehicles come with.
    """

    kind: ClassVar[InKind] = "vroom"
    words: ClassVar[str] = "a problem of VROOM's"
    road_units: ClassVar[tuple[Literal["s"], Literal["m"]]] = ("s", "m")
    has_whole_roads: ClassVar[bool] = True
    unnamed_profile: ClassVar[str] = "car"
    clock: ClassVar[Literal["s"]] = "s"
    tasks: tuple[VroomTask, ...]
    tells_lengths: bool
    tells_loads: bool
    vans: tuple[Van, ...] = ()
    notes: tuple[str, ...] = ()
    options: VroomOptions = NO_OPTIONS
    plan: Plan | None = None

    def place_names(self, instance: Instance) -> list[str]:
        """See `Origin`; depots are starts and ends of vehicles."""
        constraints, ends = instance.own_constraints, dict[int, str]()
        for van in self.vans:
            vehicle = constraints.vehicles[van.kind]
            for depot, end in ((vehicle.start, "start"), (vehicle.end, "end")):
                if depot is not None:
                    ends.setdefault(depot, f"the {end} of vehicle {van.id}")
        depots = [ends[depot] for depot in range(constraints.num_depots)]
        return depots + [f"{task.kind} {task.id}" for task in self.tasks]

    def with_vans(self, routes: Sequence[Route], known: Plan | None = None) -> list[Route]:
        """See `Origin`.

        A route that has a vehicle of its type keeps it, but no two have the same. The others get
        those that are left and not gone, so that most stops stay with theirs.

        Args:
            routes: With vehicle types; those that are too many for their type get no vehicle.
            known: The routes that the vehicles had before; where none of them has a vehicle, those
                of their `steps`.
        """
        found = list(self._stated(routes))
        own = () if self.plan is None else self.plan.routes
        plan = Plan([]) if known is None else known
        before = [route for route in plan.routes if route.van is not None] or own
        had = {route.van: route.stops for route in before}
        taken = {route.van for route in found} | plan.gone_vans
        free, without = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
        for van in self.vans:
            if van.id not in taken:
                free[van.kind].append(van.id)
        for row, route in enumerate(found):
            if route.van is None:
                without[route.vehicle].append(row)
        for kind, rows in without.items():
            vans = free[kind]
            stops = [found[row].stops for row in rows[: len(vans)]]
            places = match_routes(stops, [had.get(van, ()) for van in vans])
            for row, place in zip(rows, places, strict=False):
                found[row] = found[row]._replace(van=vans[place])
        return found

    def _stated(self, routes: Sequence[Route]) -> Iterator[Route]:
        """The routes with the vehicles that they have already, where these are there once."""
        kinds = {van.id: van.kind for van in self.vans}
        for route in routes:
            fits = route.van is not None and kinds.pop(route.van, None) == route.vehicle
            yield route if fits else route._replace(van=None)


def source_of(item: Instance | InvalidInstance) -> Source | None:
    """The document of VROOM's that an instance came as; None: it came as something else."""
    origin = item.origin if isinstance(item, Instance) else None
    return origin if isinstance(origin, Source) else None
