"""What an instance may ask for beyond one capacity: depots, vehicle types, times, shipments.

A plain instance has no `Constraints`. The others number their nodes as files with matrices do:
depots first, then customers, then each shipment's pickup and delivery. A **stop** is a customer
or one end of a shipment; stops are numbered 1..N in that order, so `ids[stop - 1]` is its name
and `num_depots - 1 + stop` its node.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]
Window = tuple[float, float]
Backhauls = Literal["mixed", "last"]
BACKHAULS: tuple[Backhauls, ...] = get_args(Backhauls)

MAX_VEHICLE_TYPES = 1000
MAX_DEPOTS = 1000
MAX_DIMENSIONS = 8
MAX_SKILLS = 256
MAX_WINDOWS = 100
MAX_BREAKS = 100
# Sets of breaks that a vehicle may have taken, times their windows, up to which breaks are taken
# in any order: work grows with both. The compiled search has room for 128 sets (kMostRestSets).
MOST_FREE = 1024
MAX_PRIORITY = 100
ALWAYS: Window = (-math.inf, math.inf)
DEFAULT_SHIFT: Window = (0.0, math.inf)
PICKUP, DELIVERY = ":pickup", ":delivery"  # endings of the names of a shipment's stops


@dataclass(frozen=True, slots=True, kw_only=True)
class Depot:
    """Where routes start or end.

    Attributes:
        id: Its name.
        window: Nobody leaves before it opens or is back after it closes; who is back before it
            opens waits.
    """

    id: str
    window: Window = ALWAYS


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """A rest that every vehicle of a type takes once, at a place where it is anyway.

    Attributes:
        id: Its name among those of the type.
        windows: When it may begin, both ends included, in order.
        duration: How long it takes.
        max_load: Most on board meanwhile, one number a load dimension; None: whatever is.
    """

    id: str
    windows: tuple[Window, ...] = (ALWAYS,)
    duration: float = 0.0
    max_load: tuple[float, ...] | None = None


def are_in_order(breaks: Sequence[Break]) -> bool:
    """Whether breaks of a vehicle type are taken in the order in which their last windows end.

    It is so where there are many of them, or some with many windows.
    """
    return sum(len(each.windows) for each in breaks) << len(breaks) > MOST_FREE


@dataclass(frozen=True, slots=True, kw_only=True)
class VehicleType:
    """Vehicles that are all alike. Missing limits are infinite.

    Attributes:
        id: Its name.
        count: How many there are; None: as many as needed.
        capacity: Most on board, one number a load dimension.
        start: Index of the depot where a route begins; None: at its first stop.
        end: Index of the depot where a route ends; None: with its last service.
        window: The shift: a route leaves, and is back or ends its last service, within it.
        max_duration: From leaving to being back, waiting and service included.
        max_travel_time: Of the legs alone.
        max_distance: Of the legs.
        max_stops: Most stops; a shipment has two.
        speed: Divides the durations of legs.
        matrix: Name of its matrices; None: the instance's own.
        fixed_cost: Of each vehicle that is used.
        distance_cost: Per unit of distance.
        duration_cost: Per unit of duration.
        travel_cost: Per unit of travel time.
        service_cost: Per unit of time in setup and service.
        breaks: That each of its vehicles takes.
        skills: What it can do.
    """

    id: str
    count: int | None = None
    capacity: tuple[float, ...]
    start: int | None = 0
    end: int | None = 0
    window: Window = DEFAULT_SHIFT
    max_duration: float = math.inf
    max_travel_time: float = math.inf
    max_distance: float = math.inf
    max_stops: float = math.inf
    speed: float = 1.0
    matrix: str | None = None
    fixed_cost: float = 0.0
    distance_cost: float = 1.0
    duration_cost: float = 0.0
    travel_cost: float = 0.0
    service_cost: float = 0.0
    breaks: tuple[Break, ...] = ()
    skills: frozenset[str] = frozenset()


class NamedMatrices(NamedTuple):
    """What vehicle types that name it have in place of the instance's own.

    Attributes:
        distances: [M, M] float64, row = from, infinite where there is no road; None: the
            lengths are the instance's.
        durations: [M, M] float64, likewise.
        costs: [M, M] float64, of legs; None: what their distances cost.
    """

    distances: Float64 | None
    durations: Float64
    costs: Float64 | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Constraints:
    """Columns of stops, and what routes must respect. Arrays are read-only by convention.

    Attributes:
        depots: At least one; their coordinates are the first of the instance's.
        vehicles: At least one type.
        delivery: [N, L] float64 >= 0: on board from the start, delivered to the stop.
        pickup: [N, L] float64 >= 0: taken from the stop, on board to the end.
        shipment: [N, L] float64: what a shipment's pickup takes on board; its delivery has the
            same, negative. 0 for customers.
        windows: [N, W, 2] float64: when service may begin, both ends included, in order;
            padded with (inf, inf).
        service: [N] float64 >= 0: how long it takes.
        setup: [N] float64 >= 0: how much longer where the vehicle comes from another place; the
            windows are those of its begin. None: no stop has one.
        service_by_type: [T, N] float64 in place of `service`; None: types are alike.
        setup_by_type: [T, N] float64 in place of `setup`; None: types are alike.
        places: M numbers, the same for nodes at the same place; None for a node: its coordinates
            tell. None: no node has one.
        release: [N] float64: the vehicle leaves no earlier; -inf: at any time.
        prize: [N] float64: what leaving the stop out costs, a shipment's at its pickup;
            inf: the stop is required.
        priority: [N] int64, 0 to 100: of required stops, who comes first where not all can.
        skills: N sets: what the vehicle must be able to do.
        num_shipments: K; the last 2 K stops are pickup, delivery, pickup, delivery, ...
        speed: Duration of a leg = its distance / speed, where there is no `durations`.
        durations: [M, M] float64, infinite where there is no road; or None.
        costs: [M, M] float64, of legs, in place of what their distances cost; or None.
        matrices: Of vehicle types that name one.
        backhauls: `last`: in a route no delivery comes after a pickup.
        pickup_only_routes: Whether a route may have pickups alone.
        listed_amounts: Amounts are written as lists, so loads are, too.
        listed_vehicles: Types are written out; False for the short form with one capacity.
        counts_stops: Of who is served, priorities and numbers are summed over stops, so that a
            shipment counts twice; False: over customers and shipments.
    """

    depots: tuple[Depot, ...]
    vehicles: tuple[VehicleType, ...]
    delivery: Float64
    pickup: Float64
    shipment: Float64
    windows: Float64
    service: Float64
    release: Float64
    prize: Float64
    priority: Int64
    skills: tuple[frozenset[str], ...]
    num_shipments: int = 0
    speed: float = 1.0
    durations: Float64 | None = None
    costs: Float64 | None = None
    setup: Float64 | None = None
    service_by_type: Float64 | None = None
    setup_by_type: Float64 | None = None
    places: tuple[int | None, ...] | None = None
    matrices: Mapping[str, NamedMatrices] = field(default_factory=dict)
    backhauls: Backhauls = "mixed"
    pickup_only_routes: bool = True
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
        """Whether durations are given, or matrices of single types."""
        return self.durations is not None or bool(self.matrices)

    @property
    def has_setups(self) -> bool:
        """Whether some stop takes longer for who comes from another place."""
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

    def may_serve(self, vehicle: int, stop: int) -> bool:
        """Whether a vehicle of a type has the skills for a stop, 1..N."""
        return self.skills[stop - 1] <= self.vehicles[vehicle].skills

    def take(self, stops: Sequence[int]) -> "Constraints":
        """The same with some of the stops alone.

        Args:
            stops: 1..N in the order that they are to have; of a shipment both or none, after
                all customers, the pickup right before its delivery.
        """
        rows = np.asarray(stops, np.int64) - 1
        first = self.num_stops - 2 * self.num_shipments
        nodes = [*range(self.num_depots), *(rows + self.num_depots).tolist()]
        block = np.ix_(nodes, nodes)
        columns = ("delivery", "pickup", "shipment", "windows", "service", "release", "prize")
        return replace(
            self,
            **{name: getattr(self, name)[rows] for name in (*columns, "priority")},
            skills=tuple(self.skills[row] for row in rows.tolist()),
            setup=None if self.setup is None else self.setup[rows],
            service_by_type=_columns(self.service_by_type, rows),
            setup_by_type=_columns(self.setup_by_type, rows),
            places=None if self.places is None else tuple(self.places[node] for node in nodes),
            num_shipments=int((rows >= first).sum()) // 2,
            durations=_block(self.durations, block),
            costs=_block(self.costs, block),
            matrices={
                name: NamedMatrices(
                    _block(each.distances, block), each.durations[block], _block(each.costs, block)
                )
                for name, each in self.matrices.items()
            },
        )


def _columns(table: Float64 | None, columns: Int64) -> Float64 | None:
    return None if table is None else table[:, columns]


def _block(matrix: Float64 | None, block: tuple[Any, ...]) -> Float64 | None:
    return None if matrix is None else matrix[block]


def plain_columns(num_stops: int, dimensions: int = 1) -> dict[str, Any]:
    """Columns of `Constraints` whose values ask for nothing."""
    amounts = np.zeros((num_stops, dimensions))
    return {
        "delivery": amounts,
        "pickup": amounts,
        "shipment": amounts,
        "windows": np.full((num_stops, 1, 2), ALWAYS),
        "service": np.zeros(num_stops),
        "release": np.full(num_stops, -math.inf),
        "prize": np.full(num_stops, math.inf),
        "priority": np.zeros(num_stops, np.int64),
        "skills": (frozenset[str](),) * num_stops,
    }
