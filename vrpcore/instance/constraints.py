"""Constraints beyond one capacity: depots, vehicle types, times, shipments.

A plain instance has no `Constraints`. The others number their nodes as files with matrices do:
depots first, then customers, then each shipment's pickup and delivery. Of a shipment that is on
board from the start only the delivery is a stop; such stops come right behind the customers. A
**stop** is a customer or one end of a shipment; stops are numbered 1..N in that order, so
`ids[stop - 1]` is its name and `num_depots - 1 + stop` its node.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vrpcore.instance.attributes import attributes_of, number_per_stop
from vrpcore.instance.relations import (
    Balance,
    Group,
    Relation,
    taken_groups,
    taken_relations,
)
from vrpcore.instance.vehicle_types import ALWAYS, Depot, VehicleType

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]
Backhauls = Literal["mixed", "last"]
GoodsKind = Literal["own", "any"]

MAX_DIMENSIONS = 8
MAX_SKILLS = 256
MAX_WINDOWS = 100
MAX_PRIORITY = 100
PICKUP, DELIVERY = ":pickup", ":delivery"  # endings of the names of a shipment's stops


class NamedMatrices(NamedTuple):
    """Matrices that replace the instance's own for the vehicle types that name them.

    Attributes:
        distances: [M, M] float64, row = from, infinite where there is no road; None: the
            lengths are the instance's.
        durations: [M, M] float64, likewise.
        costs: [M, M] float64, of legs; None: what their distances cost.
    """

    distances: Float64 | None
    durations: Float64
    costs: Float64 | None = None


# What fields have for each stop or node: an entry, a column, or a row and a column; see `take`.
_STOP, _TYPE, _NODE, _LEG = ({"per": axis} for axis in ("stop", "type", "node", "leg"))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Constraints:
    """Columns of stops, and what routes must respect. Arrays are read-only by convention.

    Declared numbers are [N], float64 or of a count int64; None where no stop has one that is
    optional. A shipment has its prize and its priority at its pickup. The windows of a stop are
    those of the begin of its setup and service together.

    Attributes:
        depots: At least one; their coordinates are the first of the instance's.
        vehicles: At least one type.
        delivery: [N, L] float64 >= 0: on board from the start, delivered to the stop.
        pickup: [N, L] float64 >= 0: taken from the stop, on board to the end.
        shipment: [N, L] float64: what a shipment's pickup takes on board; its delivery has the
            same, negative. 0 for customers.
        windows: [N, W, 2] float64: when service may begin, both ends included, in order;
            padded with (inf, inf).
        service_by_type: [T, N] float64 in place of `service`; None: types are alike.
        setup_by_type: [T, N] float64 in place of `setup`; None: types are alike.
        places: M numbers, the same for nodes at the same place; None for a node: its coordinates
            tell. None: no node has one.
        skills: N sets: what the vehicle must be able to do.
        allowed: [T, N] bool: False where a type may not serve a stop, whatever its skills; None:
            all may.
        vehicle_cost: [T, N] float64 >= 0: what it costs more if a type serves a stop, a shipment's
            at its pickup; None: nothing.
        on_board: [N] int64: of a stop whose delivery is on board from the start, the vehicle type
            that has it, else -1. That of a shipment has a negative `shipment` and no partner; such
            stops come after customers and before the ends of other shipments. That of a customer
            is its `delivery`. None: there are none.
        split: [N] bool: whether several trips may each serve a part of its delivery, or of its
            pickup; it has one of these. None: of nobody's.
        split_step: Parts of an amount that is a multiple of it are multiples, too, each load
            dimension by itself.
        num_shipments: K; the last 2 K stops are pickup, delivery, pickup, delivery, ...
        speed: Duration of a leg = its distance / speed, where there is no `durations`.
        durations: [M, M] float64, infinite where there is no road; or None.
        costs: [M, M] float64, of legs, in place of what their distances cost; or None.
        matrices: Of vehicle types that name one.
        backhauls: `last`: in a route no delivery comes after a pickup.
        pickup_only_routes: Whether a route may have only pickups.
        goods: `any`: what a vehicle has on board for one stop it can deliver to another.
        listed_amounts: Amounts are written as lists, so loads are, too.
        listed_vehicles: Types are written out; False for the short form with one capacity.
        groups: Alternatives; their members have neither prize nor priority.
        relations: Among stops.
        balance: What uneven work costs; None: nothing, and answers do not state it.
        counts_stops: Priorities and numbers of what is served are summed over stops, so that a
            shipment counts twice; False: over customers and shipments.
    """

    depots: tuple[Depot, ...]
    vehicles: tuple[VehicleType, ...]
    delivery: Float64 = field(metadata=_STOP)
    pickup: Float64 = field(metadata=_STOP)
    shipment: Float64 = field(metadata=_STOP)
    windows: Float64 = field(metadata=_STOP)
    # fmt: off
    service: Float64 = number_per_stop(
        0.0, "span", "How long service takes.",
        by_vehicle=True,
        words="servicetime servicetimes serviceduration duration durations stoptime dwelltime "
        "handlingtime unloadingtime loadingtime processingtime visitduration",
        headings="servicetime serviceduration stoptime stopduration dwell dwelltime handling "
        "handlingtime unloading unloadingtime duration",
        with_unit=("visit", "unload", "stop", "job", "onsite", "timeonsite"),
    )
    setup: Float64 | None = number_per_stop(
        0.0, "span", "How much longer, unless the stop before is at the same place.",
        by_vehicle=True, optional=True, column="",
        words="setuptime setupduration preparationtime preptime",
    )
    release: Float64 = number_per_stop(
        -math.inf, "time", "The vehicle begins the trip that serves it no earlier.",
        of_shipment="both_ends",
        words="releasetime releasedate releasetimes earliestdeparture",
        headings="releasetime available availablefrom",
    )
    prize: Float64 = number_per_stop(
        math.inf, "money", "Cost of leaving it out; without one it is required.",
        of_shipment="pickup", headings="reward penalty profit",
        words="penalty penalties penaltycost droppenalty skippenalty misspenalty skipcost profit "
        "reward revenue",
        says="prize is what it costs to leave it out; without a prize it is required",
    )
    priority: Int64 = number_per_stop(
        0, "count", "The largest come first where not all required stops can be served.",
        of_shipment="pickup", most=MAX_PRIORITY, headings="prio importance",
        words="importance urgency prio",
    )
    max_late: Float64 = number_per_stop(
        0.0, "span", "By how much service may begin after the last window closes.",
        priced_by="late_cost", headings="maxlateness maxdelay",
        words="maxlateness maxdelay allowedlateness softwindow",
    )
    late_cost: Float64 = number_per_stop(
        0.0, "per_time", "Cost of a unit of lateness.",
        headings="latenesscost delaycost",
        words="latenesscost latepenalty delaycost tardinesscost softtimewindowcost "
        "costperhouraftersoftendtime",
    )
    max_wait: Float64 = number_per_stop(
        math.inf, "span", "Most time from the arrival to the begin of service.",
        words="maxwaittime maxwaitingtime waittimelimit", headings="maxwaiting maxwaitingtime",
    )
    max_ride: Float64 = number_per_stop(
        math.inf, "span",
        "Most time from the end of service at the pickup to its begin at the delivery.",
        of_shipment="delivery", headings="maxridetime ridelimit",
        words="maxridetime longestride ridetime maxtimeinvehicle maxtransittime "
        "pickuptodeliverytimelimit",
    )
    # fmt: on
    skills: tuple[frozenset[str], ...] = field(metadata=_STOP)
    num_shipments: int = 0
    speed: float = 1.0
    durations: Float64 | None = field(default=None, metadata=_LEG)
    costs: Float64 | None = field(default=None, metadata=_LEG)
    service_by_type: Float64 | None = field(default=None, metadata=_TYPE)
    setup_by_type: Float64 | None = field(default=None, metadata=_TYPE)
    places: tuple[int | None, ...] | None = field(default=None, metadata=_NODE)
    allowed: NDArray[np.bool_] | None = field(default=None, metadata=_TYPE)
    vehicle_cost: Float64 | None = field(default=None, metadata=_TYPE)
    on_board: Int64 | None = field(default=None, metadata=_STOP)
    split: NDArray[np.bool_] | None = field(default=None, metadata=_STOP)
    split_step: float = 1.0
    groups: tuple[Group, ...] = ()
    relations: tuple[Relation, ...] = ()
    balance: Balance | None = None
    matrices: Mapping[str, NamedMatrices] = field(default_factory=dict)
    backhauls: Backhauls = "mixed"
    pickup_only_routes: bool = True
    goods: GoodsKind = "own"
    listed_amounts: bool = False
    listed_vehicles: bool = True
    counts_stops: bool = False

    @property
    def num_stops(self) -> int:
        """N."""
        return len(self.service)

    @property
    def num_depots(self) -> int:
        """D."""
        return len(self.depots)

    @property
    def num_nodes(self) -> int:
        """M, depots and stops."""
        return self.num_depots + self.num_stops

    @property
    def required(self) -> NDArray[np.bool_]:
        """[N] bool: False for stops that may be left out."""
        required: NDArray[np.bool_] = np.isinf(self.prize)
        return required

    @property
    def has_matrices(self) -> bool:
        """Return whether durations are given, or matrices of single types."""
        return self.durations is not None or bool(self.matrices)

    @property
    def has_rides(self) -> bool:
        """Return whether rides or waits have limits, so that begins are chosen."""
        limits = [self.max_ride, self.max_wait]
        limits.append(np.array([each.max_wait_loaded for each in self.vehicles]))
        return bool(np.isfinite(np.concatenate(limits)).any())

    @property
    def has_setups(self) -> bool:
        """Return whether some stop takes longer for a vehicle that comes from another place."""
        return self.setup is not None or self.setup_by_type is not None

    def services(self, vehicle: int) -> Float64:
        """[N] float64: how long service takes a vehicle of a type."""
        return self.service if self.service_by_type is None else self.service_by_type[vehicle]

    def setups(self, vehicle: int) -> Float64 | None:
        """[N] float64: the setups of a vehicle of a type; None: there are none."""
        return self.setup if self.setup_by_type is None else self.setup_by_type[vehicle]

    def shown(self) -> dict[str, Any]:
        """`capacity`, `demand` and `max_vehicles` of the `Instance` that has these constraints."""
        vehicle = self.vehicles[0]
        return {
            "capacity": vehicle.capacity[0],
            "demand": np.concatenate((np.zeros(self.num_depots), self.delivery[:, 0])),
            "max_vehicles": vehicle.count,
        }

    def partner(self, stop: int) -> int | None:
        """The other end of a shipment; None for a customer.

        Args:
            stop: 1..N.
        """
        first = self.num_stops - 2 * self.num_shipments + 1
        if stop < first:
            return None
        return stop + 1 if (stop - first) % 2 == 0 else stop - 1

    def carries(self, stop: int) -> int:
        """How many shipments more are on board behind a stop: 1 at a pickup, -1 at a delivery.

        Args:
            stop: 1..N.
        """
        if (partner := self.partner(stop)) is not None:
            return 1 if partner > stop else -1
        return -1 if self.is_aboard(stop) else 0

    def first_covered(self, stops: Sequence[int]) -> tuple[int, int] | None:
        """The first stop at which a shipment is in the way, if they have to nest.

        Args:
            stops: Of a route, in order.

        Returns:
            Its position, and the delivery that has to come before it; None: they nest.
        """
        pile = list[int]()  # deliveries of what is on board, the next one last
        amounts = self.delivery, self.pickup, self.shipment
        for position, stop in enumerate(stops):
            partner = self.partner(stop)
            if partner is not None and partner > stop:
                pile.append(partner)
            elif pile and pile[-1] == stop:
                pile.pop()
            elif pile and (partner is not None or any(own[stop - 1].any() for own in amounts)):
                return position, pile[-1]
        return None

    def is_aboard(self, stop: int) -> bool:
        """Return whether a stop is where a shipment is delivered that is on board at the start."""
        given = self.on_board is not None and self.on_board[stop - 1] >= 0
        return bool(given and not self.delivery[stop - 1].any())

    def board(self, vehicle: int) -> Float64:
        """[L] float64: what a vehicle of a type has on board at its start besides deliveries."""
        initial = self.vehicles[vehicle].initial_load
        found = np.zeros(self.delivery.shape[1]) if initial is None else np.array(initial)
        if self.on_board is not None:
            found = found + self._carried(self.on_board == vehicle)
        return found

    def _carried(self, rows: NDArray[np.bool_]) -> Float64:
        """[L] float64: what is on board from the start for stops, all of them together."""
        found: Float64 = (self.delivery[rows] - self.shipment[rows]).sum(axis=0)
        return found

    def latest_departure(self, vehicle: VehicleType) -> float:
        """Return the latest departure: by `latest_start`, and while the depot loads.

        Within the shift, too, where a route may end late; elsewhere its end keeps it there.
        """
        latest = vehicle.latest_start
        if vehicle.max_late > 0:
            latest = min(latest, vehicle.window[1])
        if vehicle.start is not None and self.depots[vehicle.start].service > 0:
            latest = min(latest, self.depots[vehicle.start].window[1])
        return latest

    def permits(self) -> NDArray[np.bool_]:
        """[T, N] bool: which types may serve a stop, whatever skills it asks for.

        By `allowed`, and by the vehicles that relations name.
        """
        shape = len(self.vehicles), self.num_stops
        found = np.ones(shape, np.bool_) if self.allowed is None else self.allowed.copy()
        for each in self.relations:
            if each.vehicle is not None:
                others = np.arange(len(self.vehicles)) != each.vehicle
                found[np.ix_(others, np.array(each.stops) - 1)] = False
        if self.on_board is not None:
            (rows,) = np.nonzero(self.on_board >= 0)
            mine = np.arange(len(self.vehicles))[:, None] == self.on_board[rows]
            found[:, rows] &= mine
        first = self.num_stops - 2 * self.num_shipments
        pairs = found[:, first::2] & found[:, first + 1 :: 2]
        found[:, first::2], found[:, first + 1 :: 2] = pairs, pairs
        return found

    def end_names(self, vehicle: VehicleType) -> tuple[str | None, str | None]:
        """Ids of the depots where a vehicle starts and ends; None: at its first or last stop."""
        rows = vehicle.start, vehicle.end
        start, end = (None if row is None else self.depots[row].id for row in rows)
        return start, end

    def alike(self) -> list[int]:
        """[T]: of each type, the first that differs from it only in name and number.

        Such types may serve the same stops, in the same time and for the same cost.
        """
        first, permits = dict[Hashable, int](), self.permits()
        by_type = (self.service_by_type, self.setup_by_type, self.vehicle_cost)
        given = [each for each in (permits, *by_type) if each is not None]
        return [
            first.setdefault(
                (replace(own, id="", count=None), *(each[vehicle].tobytes() for each in given)),
                vehicle,
            )
            for vehicle, own in enumerate(self.vehicles)
        ]

    def may_serve(self, vehicle: int, stop: int) -> bool:
        """Return whether a vehicle of a type has the skills for a stop, 1..N."""
        return self.skills[stop - 1] <= self.vehicles[vehicle].skills

    def take(self, stops: Sequence[int]) -> "Constraints":
        """Select stops; what is on board for others stays there.

        Args:
            stops: 1..N in the order that they are to have; of a shipment both or none, after
                all customers, the pickup right before its delivery.
        """
        rows = np.asarray(stops, np.int64) - 1
        first = self.num_stops - 2 * self.num_shipments
        nodes = [*range(self.num_depots), *(rows + self.num_depots).tolist()]
        block = np.ix_(nodes, nodes)
        numbers = {stop: row + 1 for row, stop in enumerate(stops)}
        part = {"stop": rows, "type": np.s_[:, rows], "node": np.array(nodes), "leg": block}
        return replace(
            self,
            **{
                each.name: _part(getattr(self, each.name), part[each.metadata["per"]])
                for each in fields(self)
                if "per" in each.metadata
            },
            vehicles=self._loaded_without(rows),
            num_shipments=int((rows >= first).sum()) // 2,
            groups=taken_groups(self.groups, numbers),
            relations=taken_relations(self.relations, numbers),
            matrices={
                name: NamedMatrices(*(_part(matrix, block) for matrix in each))
                for name, each in self.matrices.items()
            },
        )

    def _loaded_without(self, rows: Int64) -> tuple[VehicleType, ...]:
        """The types whose initial load has what is on board for other stops than these."""
        if self.on_board is None:
            return self.vehicles
        owners = self.on_board.copy()
        owners[rows] = -1
        found = list(self.vehicles)
        for number in np.unique(owners[owners >= 0]).tolist():
            initial = found[number].initial_load or 0.0
            load = np.asarray(initial) + self._carried(owners == number)
            found[number] = replace(found[number], initial_load=tuple(load.tolist()))
        return tuple(found)


def _part(values: Any, index: Any) -> Any:
    """Some of the entries of an array or a tuple, if there is one."""
    if isinstance(values, tuple):
        return tuple(values[entry] for entry in index.tolist())
    return None if values is None else values[index]


# Numbers of which each end of a shipment has its own, those that only a shipment has, and those of
# a customer or a shipment.
VISIT_NUMBERS = tuple(each for each in attributes_of(Constraints) if each.of_shipment == "each_end")
SHIPMENT_NUMBERS = tuple(
    each for each in attributes_of(Constraints) if each.of_shipment == "delivery"
)
UNIT_NUMBERS = tuple(
    each for each in attributes_of(Constraints) if each not in (*VISIT_NUMBERS, *SHIPMENT_NUMBERS)
)


def plain_columns(num_stops: int, dimensions: int = 1) -> dict[str, Any]:
    """Columns of `Constraints` whose values ask for nothing."""
    amounts = np.zeros((num_stops, dimensions))
    return {
        "delivery": amounts,
        "pickup": amounts,
        "shipment": amounts,
        "windows": np.full((num_stops, 1, 2), ALWAYS),
        **{
            each.name: None if each.optional else np.full(num_stops, each.default, each.dtype)
            for each in attributes_of(Constraints)
        },
        "skills": (frozenset[str](),) * num_stops,
    }
