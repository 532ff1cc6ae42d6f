"""What an instance may ask for beyond one capacity: depots, vehicle types, times, shipments.

A plain instance has no `Constraints`. The others number their nodes as files with matrices do:
depots first, then customers, then each shipment's pickup and delivery. A **stop** is a customer
or one end of a shipment; stops are numbered 1..N in that order, so `ids[stop - 1]` is its name
and `num_depots - 1 + stop` its node.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from vrpcore.instance.attributes import attributes_of, number, number_per_stop

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
        max_travel_time: Of the legs only.
        max_distance: Of the legs.
        max_stops: Most stops; a shipment has two.
        latest_start: It leaves no later; without `start`, it begins no later with its first
            service or break.
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

    # fmt: off
    id: str
    count: int | None = None
    capacity: tuple[float, ...]
    start: int | None = 0
    end: int | None = 0
    window: Window = DEFAULT_SHIFT
    max_duration: float = number(
        math.inf, "span", headings="maxtime maxshift",
        words="shiftduration maxshift maxshiftduration maxrouteduration maxroutetime "
        "routedurationlimit durationlimit maxtime maxworktime maxworkingtime maxworkduration",
    )
    max_travel_time: float = number(
        math.inf, "span", headings="maxdrivingtime maxdriving",
        words="maxdrivingtime maxdrivetime drivingtime traveldurationlimit maxtravelduration "
        "maxtravel maxdriveduration",
    )
    max_distance: float = number(
        math.inf, "length", headings="range maxrange", with_unit=("max",),
        words="routedistancelimit distancelimit maxroutedistance maxlength maxroutelength maxdist "
        "range",
    )
    max_stops: float = number(
        math.inf, "count", key="max_customers", column="max_stops",
        headings="maxcustomers maxorders maxtasks maxdeliveries maxnumberofstops stoplimit",
        words="maxtasks maxjobs maxactivities maxstops maxvisits maxorders maxclients "
        "maxdeliveries",
    )
    latest_start: float = number(
        math.inf, "time", headings="latestdeparture leaveby departby",
        words="lateststart latestdeparture startlate",
    )
    speed: float = number(
        1.0, "speed", headings="averagespeed avgspeed", with_unit=("",),
        words="speedfactor velocity traveldurationmultiple",
    )
    matrix: str | None = None
    fixed_cost: float = number(
        0.0, "money", headings="costfixed fixed costperday",
        words="fixed fixedcosts activationcost activationcosts usecost",
    )
    distance_cost: float = number(
        1.0, "per_length", headings="costdistance kmcost", with_unit=("cost", "per"),
        words="unitdistancecost costperkm costperkilometer costperkilometre costperdistance perkm "
        "costpermeter distancecosts",
    )
    duration_cost: float = number(
        0.0, "per_time", headings="costduration", with_unit=("cost",),
        words="unitdurationcost costperhour perhour hourlycost wage costpertime durationcosts "
        "costpersecond costperactivationtime",
    )
    travel_cost: float = number(
        0.0, "per_time", headings="costtravel",
        words="costpertraveledhour costperdrivingtime drivingcost costpertransporttime "
        "traveltimecost",
    )
    service_cost: float = number(
        0.0, "per_work", column="", words="pertaskhour costperservicetime costperservicehour"
    )
    breaks: tuple[Break, ...] = ()
    skills: frozenset[str] = frozenset()
    # fmt: on


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


# What fields have for each stop or node: an entry, a column, or a row and a column; see `take`.
_STOP, _TYPE, _NODE, _LEG = ({"per": axis} for axis in ("stop", "type", "node", "leg"))


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
        pickup_only_routes: Whether a route may have only pickups.
        listed_amounts: Amounts are written as lists, so loads are, too.
        listed_vehicles: Types are written out; False for the short form with one capacity.
        counts_stops: Of who is served, priorities and numbers are summed over stops, so that a
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
        0.0, "span", by_vehicle=True,
        words="servicetime servicetimes serviceduration duration durations stoptime dwelltime "
        "handlingtime unloadingtime loadingtime processingtime visitduration",
        headings="servicetime serviceduration stoptime stopduration dwell dwelltime handling "
        "handlingtime unloading unloadingtime duration",
    )
    setup: Float64 | None = number_per_stop(
        0.0, "span", by_vehicle=True, optional=True, column="",
        words="setuptime setupduration preparationtime preptime",
    )
    release: Float64 = number_per_stop(
        -math.inf, "time", of_shipment="both_ends",
        words="releasetime releasedate releasetimes earliestdeparture",
        headings="releasetime available availablefrom",
    )
    prize: Float64 = number_per_stop(
        math.inf, "money", of_shipment="pickup", headings="reward penalty profit",
        words="penalty penalties penaltycost droppenalty skippenalty misspenalty skipcost profit "
        "reward revenue",
        says="prize is what it costs to leave it out; without a prize it is required",
    )
    priority: Int64 = number_per_stop(
        0, "count", of_shipment="pickup", most=MAX_PRIORITY, headings="prio importance",
        words="importance urgency prio",
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
        """The same with only some of the stops.

        Args:
            stops: 1..N in the order that they are to have; of a shipment both or none, after
                all customers, the pickup right before its delivery.
        """
        rows = np.asarray(stops, np.int64) - 1
        first = self.num_stops - 2 * self.num_shipments
        nodes = [*range(self.num_depots), *(rows + self.num_depots).tolist()]
        block = np.ix_(nodes, nodes)
        part = {"stop": rows, "type": np.s_[:, rows], "node": np.array(nodes), "leg": block}
        return replace(
            self,
            **{
                each.name: _part(getattr(self, each.name), part[each.metadata["per"]])
                for each in fields(self)
                if "per" in each.metadata
            },
            num_shipments=int((rows >= first).sum()) // 2,
            matrices={
                name: NamedMatrices(*(_part(matrix, block) for matrix in each))
                for name, each in self.matrices.items()
            },
        )


def _part(values: Any, index: Any) -> Any:
    """Some of the entries of an array or a tuple, if there is one."""
    if isinstance(values, tuple):
        return tuple(values[entry] for entry in index.tolist())
    return None if values is None else values[index]


# Numbers of which each end of a shipment has its own, and those of a customer or a shipment.
VISIT_NUMBERS = tuple(each for each in attributes_of(Constraints) if each.of_shipment == "each_end")
UNIT_NUMBERS = tuple(each for each in attributes_of(Constraints) if each not in VISIT_NUMBERS)


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
