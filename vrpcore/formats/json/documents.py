"""Instances as documents: every object of `vrp-instances/1` with its keys."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from vrpcore.formats.json.values import (
    Amount,
    ByVehicle,
    Capacity,
    Id,
    Loads,
    Matrix,
    NotNegative,
    Number,
    Point,
    Points,
    Positive,
    Row,
    Skills,
    Whole,
    Window,
    Windows,
    with_numbers,
)
from vrpcore.instance.attributes import attributes_of
from vrpcore.instance.constraints import (
    MAX_PRIORITY,
    UNIT_NUMBERS,
    VISIT_NUMBERS,
    Backhauls,
    GoodsKind,
)
from vrpcore.instance.instance import MAX_STOPS, Metric
from vrpcore.instance.relations import (
    MAX_GROUPS,
    MAX_RELATION_STOPS,
    MAX_RELATIONS,
    Balance,
    ChainEnd,
    RelationKind,
)
from vrpcore.instance.vehicle_types import (
    MAX_BREAKS,
    MAX_DEPOTS,
    MAX_VEHICLE_TYPES,
    Depot,
    VehicleType,
)


@with_numbers(*attributes_of(Depot))
class DepotRow(Row):
    """Where routes start or end."""

    id: Id | None = None
    x: Number | None = None
    y: Number | None = None
    window: Window | None = None
    place: Whole | None = None


class BreakRow(Row):
    """A rest of a vehicle."""

    id: Id | None = None
    window: Window | None = None
    windows: Windows | None = None
    duration: NotNegative | None = None
    max_load: Amount | None = None


@with_numbers(*attributes_of(VehicleType))
class VehicleRow(Row):
    """Vehicles that are all alike; null as `start` or `end`: no depot."""

    id: Id | None = None
    count: Whole | None = None
    capacity: Amount | None = None
    start: Id | UnsetType | None = UNSET
    end: Id | UnsetType | None = UNSET
    window: Window | None = None
    matrix: str | None = None
    breaks: (
        Annotated[list[BreakRow], Meta(max_length=MAX_BREAKS, extra={"of": "breaks"})] | None
    ) = None
    skills: Skills | None = None
    reloads: (
        Annotated[list[Id], Meta(max_length=MAX_DEPOTS, extra={"of": "ids of depots"})] | None
    ) = None
    initial_load: Amount | None = None
    lost: bool | None = None


@with_numbers(*VISIT_NUMBERS)
class VisitRow(Row):
    """A stop: where it is, and when it may be served."""

    x: Number | None = None
    y: Number | None = None
    window: Window | None = None
    windows: Windows | None = None
    place: Whole | None = None


Ids = Annotated[
    list[Id], Meta(min_length=1, max_length=MAX_VEHICLE_TYPES, extra={"of": "ids of vehicle types"})
]


@with_numbers(*UNIT_NUMBERS)
class CustomerRow(VisitRow):
    """A customer."""

    id: Id | None = None
    demand: Amount | None = None
    pickup: Amount | None = None
    skills: Skills | None = None
    vehicles: Ids | None = None
    vehicle_cost: ByVehicle | None = None


@with_numbers(*UNIT_NUMBERS)
class ShipmentRow(Row):
    """What is picked up at one place and delivered at another, or is on board."""

    id: Id
    delivery: VisitRow
    pickup: VisitRow | None = None
    amount: Amount | None = None
    on_board: Id | None = None
    skills: Skills | None = None
    vehicles: Ids | None = None
    vehicle_cost: ByVehicle | None = None


class GroupRow(Row):
    """Alternatives, of which one is served."""

    members: Annotated[
        list[Id],
        Meta(min_length=1, max_length=MAX_STOPS, extra={"of": "ids of customers and shipments"}),
    ]
    id: Id | None = None
    prize: NotNegative | None = None
    priority: Annotated[int, Meta(ge=0, le=MAX_PRIORITY)] | None = None


class RelationRow(Row):
    """What holds among those of some stops that are served."""

    kind: RelationKind
    stops: Annotated[list[Id], Meta(max_length=MAX_RELATION_STOPS, extra={"of": "ids of stops"})]
    vehicle: Id | None = None
    at: ChainEnd | None = None


@with_numbers(*attributes_of(Balance))
class BalanceRow(Row):
    """What a unit of the largest value of any vehicle costs."""


class ReloadRow(Row):
    """A call at a depot, so many stops after the begin of its route."""

    depot: Id
    after: Whole


class RouteRow(Row):
    """A known route with its vehicle type, its reloads and its departure."""

    customers: Annotated[list[Id], Meta(extra={"of": "customer ids"})]
    vehicle: Id | None = None
    reloads: Annotated[list[ReloadRow], Meta(extra={"of": "reloads"})] | None = None
    departure: Number | None = None


class MatricesRow(Row):
    """The matrices of one name."""

    distances: Matrix | None = None
    durations: Matrix | None = None
    costs: Matrix | None = None


Routes = Annotated[
    list[Annotated[list[Id], Meta(extra={"of": "customer ids"})] | RouteRow],
    Meta(extra={"of": "lists of customer ids"}),
]
_VALUES = {"of": "values, one a customer"}


class _Whole(Row):
    """What every instance may have."""

    name: str | None = None
    coords: Points | None = None
    metric: Metric | None = None
    distances: Matrix | None = None
    max_vehicles: Annotated[int, Meta(ge=1, le=2**63 - 1)] | None = None
    routes: Routes | None = None


class PlainCustomerRow(Row):
    """A customer with a place and a demand."""

    id: Id | None = None
    x: Number | None = None
    y: Number | None = None
    demand: NotNegative | None = None


class PlainDocument(_Whole):
    """An instance with one capacity and one depot: read first, since most are."""

    capacity: Capacity | None = None
    depot: Point | None = None
    customers: list[PlainCustomerRow] | None = None
    demands: list[NotNegative] | None = None


class InstanceDocument(_Whole):
    """An instance."""

    capacity: Capacity | Loads | None = None
    depot: Point | DepotRow | None = None
    customers: Annotated[list[CustomerRow], Meta(extra={"of": "customer objects"})] | None = None
    demands: Annotated[list[Amount], Meta(extra=_VALUES)] | None = None
    depots: (
        Annotated[
            list[DepotRow | Point],
            Meta(min_length=1, max_length=MAX_DEPOTS, extra={"of": "depots"}),
        ]
        | None
    ) = None
    vehicles: (
        Annotated[
            list[VehicleRow],
            Meta(
                min_length=1,
                max_length=MAX_VEHICLE_TYPES,
                extra={
                    "of": "vehicle types",
                    "number": "a number of equal ones is 'max_vehicles'",
                },
            ),
        ]
        | None
    ) = None
    shipments: Annotated[list[ShipmentRow], Meta(extra={"of": "shipment objects"})] | None = None
    windows: Annotated[list[Window | None], Meta(extra=_VALUES)] | None = None
    services: Annotated[list[NotNegative | None], Meta(extra=_VALUES)] | None = None
    pickups: Annotated[list[Amount | None], Meta(extra=_VALUES)] | None = None
    prizes: Annotated[list[NotNegative | None], Meta(extra=_VALUES)] | None = None
    speed: Positive | None = None
    durations: Matrix | None = None
    costs: Matrix | None = None
    matrices: dict[str, MatricesRow] | None = None
    backhauls: Backhauls | None = None
    pickup_only_routes: bool | None = None
    goods: GoodsKind | None = None
    return_to_depot: bool | None = None
    groups: (
        Annotated[list[GroupRow], Meta(max_length=MAX_GROUPS, extra={"of": "groups"})] | None
    ) = None
    relations: (
        Annotated[list[RelationRow], Meta(max_length=MAX_RELATIONS, extra={"of": "relations"})]
        | None
    ) = None
    balance: BalanceRow | None = None


# Keys that make an instance more than plain.
CONSTRAINTS = tuple(
    name
    for name in InstanceDocument.__struct_fields__
    if name not in PlainDocument.__struct_fields__
)
