"""VROOM's documents: every object of a problem with its keys; seconds, metres, whole amounts.

Keys that are not VROOM's are not refused, as VROOM does not; `vroom_problem` names them.

Source:
    VROOM 1.15, docs/API.md (https://github.com/VROOM-Project/vroom).
"""

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple, get_args

import msgspec
from msgspec import Meta

from vrpcore.formats.json.stop_rows import check_window, check_windows
from vrpcore.formats.json.values import (
    LEAST_SPEED,
    JsonRow,
    Matrix,
    NotNegative,
    Point,
    Whole,
    about,
)
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
ByType = dict[str, Count]  # of vehicles


class VroomRow(msgspec.Struct, omit_defaults=True, gc=False):
    """An object of a document. None: the key is not there, or null."""


# fmt: off
Needed = Annotated[Skills | None, about("What the vehicle must be able to do, all of it.")]
Priority = Annotated[
    Annotated[int, Meta(ge=0, le=MAX_PRIORITY)] | None, about("Tasks with more come first.")]
Begins = Annotated[Windows | None, about("When it may begin; any one of them, in seconds.")]


class VroomVisit(VroomRow):
    """A task: where it is and when; of a shipment one of two."""

    id: Annotated[Whole, about("Number of the task.")]
    description: Annotated[str | None, about("Text that the answer repeats.")] = None
    location: Annotated[Point | None, about("Longitude and latitude.")] = None
    location_index: Annotated[Count | None, about("Row of the matrices.")] = None
    setup: Annotated[Count | None, about(
        "Seconds more, unless the stop before is at the same location.")] = None
    service: Annotated[Count | None, about("Seconds of service.")] = None
    setup_per_type: Annotated[ByType | None, about(
        "Other setups, by `type` of the vehicle.")] = None
    service_per_type: Annotated[ByType | None, about(
        "Other services, by `type` of the vehicle.")] = None
    time_windows: Begins = None


class VroomJob(VroomVisit):
    """A job; `amount` is the old name of `delivery`."""

    delivery: Annotated[Amounts | None, about(
        "On board from the start, until it is delivered here.")] = None
    pickup: Annotated[Amounts | None, about("Taken on board here, until the end.")] = None
    amount: Annotated[Amounts | None, about("The old name of `delivery`.")] = None
    skills: Needed = None
    priority: Priority = None


class VroomShipment(VroomRow):
    """Goods that are picked up at one place and delivered at another."""

    pickup: Annotated[VroomVisit, about("Where it is picked up.")]
    delivery: Annotated[VroomVisit, about("Where it is delivered.")]
    amount: Annotated[Amounts | None, about("On board between the two.")] = None
    skills: Needed = None
    priority: Priority = None


class VroomCosts(VroomRow):
    """Costs of a vehicle."""

    fixed: Annotated[Count | None, about("Of the vehicle, if it is used.")] = None
    per_hour: Annotated[Count | None, about("Of travel time. Default 3600.")] = None
    per_task_hour: Annotated[Count | None, about("Of setups and services.")] = None
    per_km: Annotated[Count | None, about("Of distance.")] = None


class VroomBreak(VroomRow):
    """A rest of a vehicle."""

    id: Annotated[Whole, about("Number of the break.")]
    description: Annotated[str | None, about("Text that the answer repeats.")] = None
    time_windows: Begins = None
    service: Annotated[Count | None, about("Seconds that it takes.")] = None
    max_load: Annotated[Amounts | None, about("Most on board meanwhile.")] = None


class VroomStep(VroomRow):
    """A step of a vehicle's known route."""

    type: Annotated[StepKind, about("What it is.")]
    id: Annotated[Whole | None, about("Of the task or the break.")] = None
    service_at: Annotated[Count | None, about("Service begins at this time.")] = None
    service_after: Annotated[Count | None, about("Service begins no earlier.")] = None
    service_before: Annotated[Count | None, about("Service begins no later.")] = None


class VroomVehicle(VroomRow):
    """One vehicle."""

    id: Annotated[Whole, about("Number of the vehicle.")]
    profile: Annotated[str | None, about("Name of its matrices. Default `car`.")] = None
    description: Annotated[str | None, about("Text that the answer repeats.")] = None
    start: Annotated[Point | None, about("Longitude and latitude where it begins.")] = None
    start_index: Annotated[Count | None, about("Row of the matrices where it begins.")] = None
    end: Annotated[Point | None, about("Longitude and latitude where it ends.")] = None
    end_index: Annotated[Count | None, about("Row of the matrices where it ends.")] = None
    capacity: Annotated[Amounts | None, about("Most on board, in each load dimension.")] = None
    costs: Annotated[VroomCosts | None, about("What it costs.")] = None
    skills: Annotated[Skills | None, about("What it can do.")] = None
    type: Annotated[str | None, about("Key of `setup_per_type` and `service_per_type`.")] = None
    time_window: Annotated[Times | None, about("Its shift, in seconds.")] = None
    breaks: Annotated[
        Annotated[list[VroomBreak], Meta(max_length=MAX_BREAKS, extra={"of": "breaks"})] | None,
        about("It takes each of them once.")] = None
    speed_factor: Annotated[
        Annotated[float, Meta(ge=LEAST_SPEED, le=MAX_SPEED_FACTOR)] | None,
        about("Divides durations. Default 1.")] = None
    max_tasks: Annotated[Count | None, about("Most tasks of its route.")] = None
    max_travel_time: Annotated[Count | None, about("Most seconds on the legs.")] = None
    max_distance: Annotated[Count | None, about("Most metres on the legs.")] = None
    steps: Annotated[Annotated[list[VroomStep], Meta(extra={"of": "steps"})] | None, about(
        "Its known route.")] = None


class VroomProfile(VroomRow):
    """The matrices of a profile."""

    durations: Annotated[Matrix, about("Seconds: a row from, a column to each location.")]
    distances: Annotated[Matrix | None, about("Metres, likewise.")] = None
    costs: Annotated[Matrix | None, about(
        "Costs of legs, in place of those of time and distance.")] = None


class VroomOptions(
    JsonRow,
    rename={"geometry": "g", "explore": "x", "threads": "t", "limit_s": "l", "given": "c"},
):
    """Options of a document, as in requests to vroom-express."""

    geometry: Annotated[bool | None, about(
        "True: routes have their `geometry`, from the service of `--matrix`.")] = None
    explore: Annotated[Annotated[int, Meta(ge=0, le=MAX_EXPLORE)] | None, about(
        "Amount of search: 0 is `none`, 1 to 4 `fast`, 5 `deep`.")] = None
    threads: Annotated[Annotated[int, Meta(ge=1, le=MAX_THREADS)] | None, about(
        "Most threads of its search.")] = None
    limit_s: Annotated[NotNegative | None, about(
        "Seconds of its search, which uses all of them; 0: none.")] = None
    given: Annotated[bool | None, about(
        "True: `steps` are the routes, and only their times are asked for.")] = None


class VroomProblem(VroomRow, kw_only=True):
    """A problem."""

    jobs: Annotated[Annotated[list[VroomJob], Meta(extra={"of": "jobs"})] | None, about(
        "Tasks with one stop.")] = None
    shipments: Annotated[
        Annotated[list[VroomShipment], Meta(extra={"of": "shipments"})] | None,
        about("Tasks with two stops.")] = None
    vehicles: Annotated[
        Annotated[list[VroomVehicle], Meta(
            min_length=1, max_length=MAX_STOPS, extra={"of": "vehicles"})],
        about("One by one.")]
    matrices: Annotated[dict[str, VroomProfile] | None, about("By profile.")] = None
    options: Annotated[VroomOptions | None, about("How the problem is solved.")] = None
    # fmt: on


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
