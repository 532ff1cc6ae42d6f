"""Instances as documents: every object of `vrp-instances/1` with its keys."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from vrpcore.formats.json.values import (
    Amount,
    ByVehicle,
    Capacity,
    Id,
    JsonRow,
    Loads,
    Matrix,
    NotNegative,
    Number,
    Point,
    Points,
    Positive,
    Skills,
    Whole,
    Window,
    Windows,
    about,
    with_numbers,
)
from vrpcore.instance.attributes import attributes_of
from vrpcore.instance.constraints import (
    MAX_PRIORITY,
    SHIPMENT_NUMBERS,
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
    Loading,
    VehicleType,
)

# fmt: off
East = Annotated[
    Number | None, about("Coordinate; with `haversine` the longitude in degrees.")]
North = Annotated[
    Number | None, about("Coordinate; with `haversine` the latitude in degrees.")]
Place = Annotated[
    Whole | None, about("Equal numbers are one place. Default: equal coordinates are.")]
Needed = Annotated[Skills | None, about("What the vehicle must be able to do, all of it.")]
Served = Annotated[
    Annotated[list[Id], Meta(
        min_length=1, max_length=MAX_VEHICLE_TYPES, extra={"of": "ids of vehicle types"})] | None,
    about("Only these types may serve it.")]
Split = Annotated[bool | None, about(
    "True: several trips may each serve a part of it. Default: `split` of the instance.")]
Dearer = Annotated[
    ByVehicle | None, about("What it costs more if such a type serves it, by their ids.")]


@with_numbers(*attributes_of(Depot))
class DepotRow(JsonRow):
    """Where routes start or end."""

    id: Annotated[Id | None, about("Default: 0, 1, ...")] = None
    x: East = None
    y: North = None
    window: Annotated[Window | None,
        about("No vehicle leaves before it opens or returns after it closes; one back earlier "
              "waits.")] = None
    place: Place = None


class BreakRow(JsonRow):
    """A rest of a vehicle."""

    id: Annotated[Id | None, about("Default: 0, 1, ...")] = None
    window: Annotated[Window | None, about(
        "When it may begin, both ends included. Default: at any time.")] = None
    windows: Annotated[Windows | None, about("Several of these, in order and apart.")] = None
    duration: Annotated[NotNegative | None, about("How long it takes. Default 0.")] = None
    max_load: Annotated[Amount | None, about("Most on board meanwhile, as in `capacity`.")] = None


@with_numbers(*attributes_of(VehicleType))
class VehicleRow(JsonRow):
    """Vehicles that are all alike; null as `start` or `end`: no depot."""

    id: Annotated[Id | None, about("Default: 0, 1, ...")] = None
    count: Annotated[Whole | None, about("How many there are. Default: as many as needed.")] = None
    capacity: Annotated[Amount | None, about("Most on board, in each load dimension.")] = None
    start: Annotated[Id | UnsetType | None, about(
        "Depot where routes begin; null: at their first stop. Default: the first depot.")] = UNSET
    end: Annotated[Id | UnsetType | None, about(
        "Depot where routes end; null: with their last service. Default: `start`.")] = UNSET
    window: Annotated[Window | None, about(
        "The shift: routes begin and end within it. Default [0, null].")] = None
    matrix: Annotated[str | None, about(
        "Name of its matrices. Default: the instance's own.")] = None
    breaks: Annotated[
        Annotated[list[BreakRow], Meta(max_length=MAX_BREAKS, extra={"of": "breaks"})] | None,
        about("Each used vehicle takes each of them once.")] = None
    skills: Annotated[Skills | None, about("What it can do.")] = None
    reloads: Annotated[
        Annotated[list[Id], Meta(max_length=MAX_DEPOTS, extra={"of": "ids of depots"})] | None,
        about("Depots where it may end a trip and begin the next. Default: it makes one "
              "trip.")] = None
    initial_load: Annotated[Amount | None, about(
        "On board from the start to the first reload, else to the end. Default 0.")] = None
    loading: Annotated[Loading | None, about(
        "`lifo`: what was loaded last is unloaded first. Default `any`.")] = None
    lost: Annotated[bool | None, about(
        "It has broken down, and delivers nothing more; only with `freeze`.")] = None


@with_numbers(*VISIT_NUMBERS)
class VisitRow(JsonRow):
    """A stop: where it is, and when it may be served."""

    x: East = None
    y: North = None
    window: Annotated[Window | None, about(
        "When service may begin, with its setup; null: open.")] = None
    windows: Annotated[Windows | None, about("Several of these, in order and apart.")] = None
    place: Place = None


@with_numbers(*UNIT_NUMBERS)
class CustomerRow(VisitRow):
    """A customer."""

    id: Annotated[Id | None, about("Unique as a text. Default: 1, 2, ...")] = None
    demand: Annotated[Amount | None, about(
        "On board from the start of its trip until it is delivered here. Default 0.")] = None
    pickup: Annotated[Amount | None, about(
        "Taken on board here, until the end of the trip. Default 0.")] = None
    skills: Needed = None
    vehicles: Served = None
    vehicle_cost: Dearer = None
    split: Split = None


@with_numbers(*UNIT_NUMBERS, *SHIPMENT_NUMBERS)
class ShipmentRow(JsonRow):
    """Goods that are picked up at one place and delivered at another, or are on board."""

    id: Annotated[Id, about("Unique among customers, shipments and groups.")]
    delivery: Annotated[VisitRow, about("The stop where it is delivered, `ID:delivery`.")]
    pickup: Annotated[VisitRow | None, about(
        "The stop where it is picked up, `ID:pickup`; required without `on_board`.")] = None
    amount: Annotated[Amount | None, about("On board between the two. Default 0.")] = None
    on_board: Annotated[Id | None, about(
        "The type, of `count` 1, that has it from the start; then without `pickup`.")] = None
    ridden: Annotated[NotNegative | None, about(
        "How much of `max_ride` was over when the shift of `on_board` began. Default 0.")] = None
    skills: Needed = None
    vehicles: Served = None
    vehicle_cost: Dearer = None


class GroupRow(JsonRow):
    """Alternatives, of which one is served."""

    members: Annotated[
        Annotated[list[Id], Meta(
            min_length=1, max_length=MAX_STOPS, extra={"of": "ids of customers and shipments"})],
        about("One of them is served; they have neither `prize` nor `priority`.")]
    id: Annotated[Id | None, about("Default: `group-` and its position, from 0.")] = None
    prize: Annotated[NotNegative | None, about(
        "Cost of leaving it out; without one it is required.")] = None
    priority: Annotated[Annotated[int, Meta(ge=0, le=MAX_PRIORITY)] | None, about(
        "Which required ones come first, as of customers. Default 0.")] = None


class RelationRow(JsonRow):
    """A condition on those of some stops that are served."""

    kind: Annotated[RelationKind, about(
        "`together`: all in one route. `apart`: no two in one route. `order`: in one route and in "
        "this order. `chain`: the same with no stop between.")]
    stops: Annotated[
        Annotated[list[Id], Meta(max_length=MAX_RELATION_STOPS, extra={"of": "ids of stops"})],
        about("Ids of customers, `ID:pickup` and `ID:delivery`, each once.")]
    vehicle: Annotated[Id | None, about(
        "Type of the vehicle of that route; not of `apart`.")] = None
    at: Annotated[ChainEnd | None, about("Of `chain` only: it begins, or ends, its route.")] = None


@with_numbers(*attributes_of(Balance))
class BalanceRow(JsonRow):
    """The price of a unit of the largest value of any vehicle."""


class ReloadRow(JsonRow):
    """A call at a depot, so many stops after the begin of its route."""

    depot: Annotated[Id, about("Where it reloads.")]
    after: Annotated[Whole, about("So many stops of the route come before.")]


class RouteRow(JsonRow):
    """A known route with its vehicle type, its reloads and its departure."""

    customers: Annotated[Annotated[list[Id], Meta(extra={"of": "customer ids"})], about(
        "Its stops in order; of shipments, `ID:pickup` and `ID:delivery`.")]
    vehicle: Annotated[Id | None, about("Its vehicle type.")] = None
    reloads: Annotated[Annotated[list[ReloadRow], Meta(extra={"of": "reloads"})] | None, about(
        "Its calls at depots between stops.")] = None
    departure: Annotated[Number | None, about("When it leaves; only `freeze` uses it.")] = None


class MatricesRow(JsonRow):
    """The matrices of one name."""

    distances: Annotated[Matrix | None, about(
        "As of the instance. Default: the instance's.")] = None
    durations: Annotated[Matrix | None, about(
        "As of the instance. Default: from `distances` and the speed.")] = None
    costs: Annotated[Matrix | None, about("As of the instance, which are not used.")] = None


Routes = Annotated[
    list[Annotated[list[Id], Meta(extra={"of": "customer ids"})] | RouteRow],
    Meta(extra={"of": "lists of customer ids"}),
]
_VALUES = {"of": "values, one a customer"}


class _Whole(JsonRow):
    """Keys that every instance may have."""

    name: Annotated[str | None, about(
        "Default: `instance-` and its position over all files, from 0.")] = None
    coords: Annotated[Points | None, about(
        "Locations of the customers: with `demands` in place of `customers`.")] = None
    metric: Annotated[Metric | None, about(
        "How coordinates become lengths. Default `euclidean`.")] = None
    distances: Annotated[Matrix | None,
        about("Lengths of legs: a row from, a column to each depot, customer, pickup and "
              "delivery.")] = None
    max_vehicles: Annotated[Annotated[int, Meta(ge=1, le=2**63 - 1)] | None, about(
        "Most vehicles, with `capacity`. Default: as many as needed.")] = None
    routes: Annotated[Routes | None, about(
        "Known routes to start from, as lists of ids or as objects.")] = None


class PlainCustomerRow(JsonRow):
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

    capacity: Annotated[Capacity | Loads | None, about(
        "The short form: vehicles of this capacity, all alike, from and to one depot.")] = None
    depot: Annotated[Point | DepotRow | None, about("The depot, if there is one.")] = None
    customers: Annotated[
        Annotated[list[CustomerRow], Meta(extra={"of": "customer objects"})] | None,
        about("Stops for one visit each.")] = None
    demands: Annotated[Annotated[list[Amount], Meta(extra=_VALUES)] | None, about(
        "Of `coords`.")] = None
    depots: Annotated[
        Annotated[list[DepotRow | Point], Meta(
            min_length=1, max_length=MAX_DEPOTS, extra={"of": "depots"})] | None,
        about("Several depots, in place of `depot`.")] = None
    vehicles: Annotated[
        Annotated[list[VehicleRow], Meta(min_length=1, max_length=MAX_VEHICLE_TYPES, extra={
            "of": "vehicle types", "number": "a number of equal ones is 'max_vehicles'"})] | None,
        about("Vehicle types, in place of `capacity` and `max_vehicles`.")] = None
    shipments: Annotated[
        Annotated[list[ShipmentRow], Meta(extra={"of": "shipment objects"})] | None,
        about("Each a pickup and a delivery by one vehicle.")] = None
    windows: Annotated[Annotated[list[Window | None], Meta(extra=_VALUES)] | None, about(
        "Of `coords`.")] = None
    services: Annotated[Annotated[list[NotNegative | None], Meta(extra=_VALUES)] | None, about(
        "Of `coords`.")] = None
    pickups: Annotated[Annotated[list[Amount | None], Meta(extra=_VALUES)] | None, about(
        "Of `coords`.")] = None
    prizes: Annotated[Annotated[list[NotNegative | None], Meta(extra=_VALUES)] | None, about(
        "Of `coords`; null: required.")] = None
    speed: Annotated[Positive | None, about(
        "Distance per unit of time on legs without `durations`. Default 1.")] = None
    durations: Annotated[Matrix | None, about(
        "Times of legs, in the form of `distances`. Default: from lengths and speed.")] = None
    costs: Annotated[Matrix | None, about(
        "Costs of legs, likewise, in place of distance times `distance_cost`.")] = None
    matrices: Annotated[dict[str, MatricesRow] | None, about(
        "Other matrices by name, for vehicle types that name one.")] = None
    backhauls: Annotated[Backhauls | None, about(
        "`last`: in a route no delivery comes after a pickup. Default `mixed`.")] = None
    pickup_only_routes: Annotated[bool | None, about(
        "False: each route delivers something. Default true.")] = None
    goods: Annotated[GoodsKind | None,
        about("`any`: with `freeze`, what is on board can be delivered to any stop. Default "
              "`own`.")] = None
    split: Annotated[bool | None, about(
        "True: several trips may each serve a part of a customer. Default false.")] = None
    split_step: Annotated[Positive | None, about(
        "Parts of an amount that is a multiple of it are multiples, too. Default 1.")] = None
    return_to_depot: Annotated[bool | None, about(
        "False: in the short form, routes end with their last service. Default true.")] = None
    groups: Annotated[
        Annotated[list[GroupRow], Meta(max_length=MAX_GROUPS, extra={"of": "groups"})] | None,
        about("Alternatives, of which one is served.")] = None
    relations: Annotated[
        Annotated[list[RelationRow], Meta(
            max_length=MAX_RELATIONS, extra={"of": "relations"})] | None,
        about("What holds among stops.")] = None
    balance: Annotated[BalanceRow | None, about("Prices of uneven work.")] = None
    # fmt: on


# Keys that make an instance more than plain.
CONSTRAINTS = tuple(
    name
    for name in InstanceDocument.__struct_fields__
    if name not in PlainDocument.__struct_fields__
)
