"""Arguments of a model's methods: the keys of JSON, for type checkers; `help` explains them.

Lengths are in the unit of the coordinates (metres for `haversine`) or of `distances`; times are
in any unit, the same everywhere; `speed` is length per time. What is left out is unlimited, or
as docs/interface/json.md says.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Required, TypedDict

from vrpcore.instance.constraints import Backhauls, GoodsKind
from vrpcore.instance.instance import CustomerId, Metric
from vrpcore.instance.relations import ChainEnd, RelationKind
from vrpcore.instance.vehicle_types import Loading

Amount = float | Sequence[float]  # one number a load dimension
TimeWindow = tuple[float | None, float | None]  # both ends included; None: open at this end
Matrix = Sequence[Sequence[float]] | Any  # lists of lists, or a numpy array


class BalanceArguments(TypedDict, total=False):
    """The price of a unit of the largest value of any used vehicle; at least one is given."""

    duration: float
    distance: float
    customers: float
    load: float


class ModelArguments(TypedDict, total=False):
    """Properties of the whole problem."""

    metric: Metric
    speed: float
    distances: Matrix
    durations: Matrix
    costs: Matrix
    matrices: Mapping[str, Mapping[str, Matrix]]
    backhauls: Backhauls
    pickup_only_routes: bool
    goods: GoodsKind
    split: bool
    split_step: float
    balance: BalanceArguments


class DepotArguments(TypedDict, total=False):
    """A place where routes start or end, when it is open, and how long loading takes."""

    id: CustomerId
    x: float
    y: float
    place: int
    window: TimeWindow
    service: float


class BreakArguments(TypedDict, total=False):
    """A rest of a vehicle, where it then is; its windows say when it may begin."""

    id: str
    window: TimeWindow
    windows: Sequence[TimeWindow]
    duration: float
    max_load: Amount


class VehicleArguments(TypedDict, total=False):
    """Vehicles that are all alike."""

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
    max_wait_loaded: float
    speed: float
    matrix: str
    fixed_cost: float
    distance_cost: float
    duration_cost: float
    travel_cost: float
    service_cost: float
    breaks: Sequence[BreakArguments]
    skills: Sequence[str]
    reloads: Sequence[CustomerId]
    max_reloads: int
    initial_load: Amount
    lost: bool
    loading: Loading
    max_overtime: float
    overtime_cost: float
    max_late: float
    late_cost: float


class VisitArguments(TypedDict, total=False):
    """A place to be visited, when service may begin, and how long it takes."""

    x: float
    y: float
    place: int
    window: TimeWindow
    windows: Sequence[TimeWindow]
    service: float
    setup: float
    service_by_vehicle: Mapping[str, float]
    setup_by_vehicle: Mapping[str, float]
    max_late: float
    late_cost: float
    max_wait: float


class UnitArguments(TypedDict, total=False):
    """Properties of a customer or a shipment as a whole."""

    release: float
    prize: float | None
    priority: int
    skills: Sequence[str]
    vehicles: Sequence[CustomerId]
    vehicle_cost: Mapping[str, float]


class CustomerArguments(VisitArguments, UnitArguments, total=False):
    """A customer: visited once, or left out at the price of `prize`."""

    id: CustomerId
    demand: Amount
    pickup: Amount
    split: bool


class ShipmentArguments(UnitArguments, total=False):
    """Goods that one vehicle picks up and then delivers, or has on board from the start."""

    id: Required[CustomerId]
    amount: Amount
    max_ride: float
    pickup: VisitArguments
    delivery: Required[VisitArguments]
    on_board: CustomerId
    ridden: float


class GroupArguments(TypedDict, total=False):
    """Alternatives: `members` are ids of customers or shipments, of which one is served."""

    id: CustomerId
    members: Required[Sequence[CustomerId]]
    prize: float | None
    priority: int


class RelationArguments(TypedDict, total=False):
    """A condition on those of some stops that are served."""

    kind: Required[RelationKind]
    stops: Required[Sequence[CustomerId]]
    vehicle: CustomerId
    at: ChainEnd
