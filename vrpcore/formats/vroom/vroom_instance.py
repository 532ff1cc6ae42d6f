"""Problems that came as documents of VROOM's, and what an answer in kind repeats of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from vrpcore.formats.vroom.vroom_documents import Spot, TaskKind, VroomBreak, VroomOptions
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.origin import InKind, Origin
from vrpcore.instance.vehicle_types import Window

NO_OPTIONS = VroomOptions()


class Task(NamedTuple):
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
    """What an answer in kind repeats of a document.

    Attributes:
        tasks: In the order of the instance's stops.
        vans: All vehicles.
        tells_lengths: Whether there are distances.
        tells_loads: Whether there are capacities.
        notes: What its author should know, in words.
        options: How it is to be solved.
    """

    kind: ClassVar[InKind] = "vroom"
    words: ClassVar[str] = "a problem of VROOM's"
    road_units: ClassVar[tuple[Literal["s"], Literal["m"]]] = ("s", "m")
    has_whole_roads: ClassVar[bool] = True
    unnamed_profile: ClassVar[str] = "car"
    tasks: tuple[Task, ...]
    vans: tuple[Van, ...]
    tells_lengths: bool
    tells_loads: bool
    notes: tuple[str, ...] = ()
    options: VroomOptions = NO_OPTIONS

    @property
    def clock(self) -> Literal["s"]:
        """See `Origin`."""
        return "s"

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


def is_vrooms(item: Instance | InvalidInstance) -> bool:
    """Whether an instance came as a document of VROOM's."""
    return item.kind == "vroom"


def are_vrooms(items: Sequence[Instance | InvalidInstance]) -> bool:
    """Whether instances are answered as VROOM does: some came so, and no valid one otherwise."""
    others = (item for item in items if not is_vrooms(item))
    return any(map(is_vrooms, items)) and all(isinstance(item, InvalidInstance) for item in others)


def source_of(item: Instance | InvalidInstance) -> Source | None:
    """The document of VROOM's that an instance came as; None: it came as something else."""
    origin = item.origin if isinstance(item, Instance) else None
    return origin if isinstance(origin, Source) else None
