"""VROOM's documents: every object of a problem with its keys; seconds, metres, whole amounts.

Keys that are not VROOM's are not refused, as VROOM does not; `vroom_ignored` names them.

Source:
    VROOM 1.15, docs/API.md (https://github.com/VROOM-Project/vroom).
"""

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple, get_args

import msgspec
from msgspec import Meta

from vrpcore.errors import InstanceError, fault
from vrpcore.formats.json.stop_rows import check_window, check_windows
from vrpcore.formats.json.values import LEAST_SPEED, Matrix, NotNegative, Point, Row, Whole
from vrpcore.instance.constraints import MAX_DIMENSIONS, MAX_PRIORITY, MAX_WINDOWS
from vrpcore.instance.instance import MAX_STOPS
from vrpcore.instance.vehicle_types import ALWAYS, MAX_BREAKS, Window

MAX_COUNT = 2**53 - 1  # exact in float64
MAX_SPEED_FACTOR = 5.0
MAX_EXPLORE, MAX_THREADS = 5, 1024
TaskKind = Literal["job", "pickup", "delivery"]
StepKind = Literal["start", "job", "pickup", "delivery", "break", "end"]
TASK_KINDS: tuple[TaskKind, ...] = get_args(TaskKind)

Count = Annotated[int, Meta(ge=0, le=MAX_COUNT)]
Amounts = Annotated[list[Count], Meta(max_length=MAX_DIMENSIONS, extra={"of": "load dimensions"})]
Times = Annotated[tuple[Count, Count], Meta(extra={"of": "two times, [opens, closes]"})]
Windows = Annotated[
    list[Times], Meta(min_length=1, max_length=MAX_WINDOWS, extra={"of": "windows"})
]
Skills = Annotated[list[Count], Meta(extra={"of": "skills"})]
Priority = Annotated[int, Meta(ge=0, le=MAX_PRIORITY)]
ByType = dict[str, Count]  # of vehicles


class VroomRow(msgspec.Struct, omit_defaults=True, gc=False):
    """An object of a document. None: the key is not there, or null."""


class VroomVisit(VroomRow):
    """A task: where it is and when; of a shipment one of two."""

    id: Whole
    description: str | None = None
    location: Point | None = None
    location_index: Count | None = None
    setup: Count | None = None
    service: Count | None = None
    setup_per_type: ByType | None = None
    service_per_type: ByType | None = None
    time_windows: Windows | None = None


class VroomJob(VroomVisit):
    """A job; `amount` is the old name of `delivery`."""

    delivery: Amounts | None = None
    pickup: Amounts | None = None
    amount: Amounts | None = None
    skills: Skills | None = None
    priority: Priority | None = None


class VroomShipment(VroomRow):
    """What is picked up at one place and delivered at another."""

    pickup: VroomVisit
    delivery: VroomVisit
    amount: Amounts | None = None
    skills: Skills | None = None
    priority: Priority | None = None


class VroomCosts(VroomRow):
    """What a vehicle costs."""

    fixed: Count | None = None
    per_hour: Count | None = None
    per_task_hour: Count | None = None
    per_km: Count | None = None


class VroomBreak(VroomRow):
    """A rest of a vehicle."""

    id: Whole
    description: str | None = None
    time_windows: Windows | None = None
    service: Count | None = None
    max_load: Amounts | None = None


class VroomStep(VroomRow):
    """A step of a vehicle's known route."""

    type: StepKind
    id: Whole | None = None
    service_at: Count | None = None
    service_after: Count | None = None
    service_before: Count | None = None


class VroomVehicle(VroomRow):
    """One vehicle."""

    id: Whole
    profile: str | None = None
    description: str | None = None
    start: Point | None = None
    start_index: Count | None = None
    end: Point | None = None
    end_index: Count | None = None
    capacity: Amounts | None = None
    costs: VroomCosts | None = None
    skills: Skills | None = None
    type: str | None = None
    time_window: Times | None = None
    breaks: (
        Annotated[list[VroomBreak], Meta(max_length=MAX_BREAKS, extra={"of": "breaks"})] | None
    ) = None
    speed_factor: Annotated[float, Meta(ge=LEAST_SPEED, le=MAX_SPEED_FACTOR)] | None = None
    max_tasks: Count | None = None
    max_travel_time: Count | None = None
    max_distance: Count | None = None
    steps: Annotated[list[VroomStep], Meta(extra={"of": "steps"})] | None = None


class VroomProfile(VroomRow):
    """The matrices of a profile."""

    durations: Matrix
    distances: Matrix | None = None
    costs: Matrix | None = None


class VroomOptions(
    Row,
    rename={"geometry": "g", "explore": "x", "threads": "t", "limit_s": "l", "given": "c"},
):
    """What a document asks for besides its problem, as requests to vroom-express do.

    Attributes:
        geometry: Its answer tells the ways of its routes.
        explore: How much is searched; None: as much as for other instances.
        threads: Most threads of its search; None: no limit of its own.
        limit_s: Seconds of search; None: no limit of its own.
        given: Its steps are the routes, and only their times are asked for.
    """

    geometry: bool | None = None
    explore: Annotated[int, Meta(ge=0, le=MAX_EXPLORE)] | None = None
    threads: Annotated[int, Meta(ge=1, le=MAX_THREADS)] | None = None
    limit_s: NotNegative | None = None
    given: bool | None = None


class VroomProblem(VroomRow, kw_only=True):
    """A problem."""

    jobs: Annotated[list[VroomJob], Meta(extra={"of": "jobs"})] | None = None
    shipments: Annotated[list[VroomShipment], Meta(extra={"of": "shipments"})] | None = None
    vehicles: Annotated[
        list[VroomVehicle],
        Meta(min_length=1, max_length=MAX_STOPS, extra={"of": "vehicles"}),
    ]
    matrices: dict[str, VroomProfile] | None = None
    options: VroomOptions | None = None


class Spot(NamedTuple):
    """A location.

    Attributes:
        point: Longitude and latitude; None where not stated.
        row: Of the matrices; None where not stated.
    """

    point: tuple[float, float] | None
    row: int | None

    def shown(self) -> dict[str, object]:
        """As an answer tells it."""
        found: dict[str, object] = {} if self.point is None else {"location": [*self.point]}
        return found if self.row is None else found | {"location_index": self.row}


class Node(NamedTuple):
    """A depot or a stop: where it is, and where that was found."""

    spot: Spot
    place: str


def windows_of(rows: Sequence[tuple[int, int]] | None, place: str) -> Sequence[Window]:
    """Windows without overlap, sorted as VROOM sorts them; always, where none is given."""
    if rows is None:
        return (ALWAYS,)
    if len(rows) == 1 and rows[0][0] <= rows[0][1]:
        return rows
    windows = [
        check_window(tuple(map(float, each)), f"{place}[{index}]")
        for index, each in enumerate(rows)
    ]
    return check_windows(sorted(windows), place)


def unsupported(place: str, message: str) -> InstanceError:
    """The refusal of something that VROOM has and this has not."""
    return fault(place, message, "UNSUPPORTED")
