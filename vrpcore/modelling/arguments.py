"""Arguments of a model's methods: the keys of JSON, for type checkers.

Lengths are in the unit of the coordinates (metres for `haversine`) or of `distances`; times are
in any unit, the same everywhere; `speed` is length per time. What is left out is unlimited, or
as docs/interface/json.md says.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from vrpcore.instance.constraints import Backhauls
from vrpcore.instance.instance import CustomerId, Metric

Amount = float | Sequence[float]  # one number a load dimension
TimeWindow = tuple[float | None, float | None]  # both ends included; None: open at this end
Matrix = Sequence[Sequence[float]] | Any  # lists of lists, or a numpy array


class ModelArguments(TypedDict, total=False):
    """What holds for the whole problem.

    Matrices have a row and a column for each depot, then for each customer, then for each
    shipment's pickup and delivery, in the order of the calls.
    """

    metric: Metric
    speed: float
    distances: Matrix
    durations: Matrix
    costs: Matrix
    matrices: Mapping[str, Mapping[str, Matrix]]
    backhauls: Backhauls
    pickup_only_routes: bool


class DepotArguments(TypedDict, total=False):
    """Where routes start or end: a place, and when it is open."""

    id: CustomerId
    x: float
    y: float
    place: int
    window: TimeWindow


class BreakArguments(TypedDict, total=False):
    """A rest of a vehicle, where it then is; its windows say when it may begin."""

    id: str
    window: TimeWindow
    windows: Sequence[TimeWindow]
    duration: float
    max_load: Amount


class VehicleArguments(TypedDict, total=False):
    """Vehicles that are all alike.

    `start` and `end` are ids of depots; None: the route begins at its first stop, or ends with
    its last service. `count` is how many there are; left out: as many as needed.
    """

    id: CustomerId
    count: int
    capacity: Amount
    start: CustomerId | None
    end: CustomerId | None
    window: TimeWindow
    max_duration: float
    max_travel_time: float
    max_distance: float
    max_customers: int
    latest_start: float
    speed: float
    matrix: str
    fixed_cost: float
    distance_cost: float
    duration_cost: float
    travel_cost: float
    service_cost: float
    breaks: Sequence[BreakArguments]
    skills: Sequence[str]


class VisitArguments(TypedDict, total=False):
    """A place to be visited, when service may begin, and how long it takes.

    Stops at one `place`, a number, need `setup` once.
    """

    x: float
    y: float
    place: int
    window: TimeWindow
    windows: Sequence[TimeWindow]
    service: float
    setup: float
    service_by_vehicle: Mapping[str, float]
    setup_by_vehicle: Mapping[str, float]


class UnitArguments(TypedDict, total=False):
    """What a customer or a shipment asks for as a whole."""

    id: CustomerId
    release: float
    prize: float
    priority: int
    skills: Sequence[str]


class CustomerArguments(VisitArguments, UnitArguments, total=False):
    """Who is visited once, or left out at the price of `prize`."""

    demand: Amount
    pickup: Amount


class ShipmentArguments(UnitArguments, total=False):
    """What one vehicle picks up and then delivers."""

    amount: Amount
    pickup: VisitArguments
    delivery: VisitArguments
