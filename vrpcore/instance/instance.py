"""One validated vehicle routing problem, plain or with constraints."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from vrpcore.errors import InstanceError, describe, fault, show
from vrpcore.instance.constraints import Constraints, plain_columns
from vrpcore.instance.origin import OURS, InKind, Origin
from vrpcore.instance.plan import ANY_VEHICLE, Plan
from vrpcore.instance.vehicle_types import Depot, VehicleType

Metric = Literal["euclidean", "euc_2d", "ceil_2d", "haversine"]
METRICS: tuple[Metric, ...] = get_args(Metric)
CustomerId = str | int
Float64 = NDArray[np.float64]

# Of plain instances with coordinates; and stops of all others, which have matrices.
MAX_CUSTOMERS = 100_000
MAX_STOPS = 10_000
LOAD_TOLERANCE = 1e-9
EARTH_RADIUS_M = 6_371_008.8  # mean radius: Moritz 2000, Geodetic Reference System 1980


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Instance:
    """A problem as its author wrote it: numbers unscaled, in float64.

    Built by the readers in `formats`, which validate, by `Model` and by generators; the arrays
    are read-only by convention.

    Attributes:
        name: The author's name for it, or `instance-<position>`.
        capacity: Load limit of every vehicle, > 0.
        coords: [N+1, 2] float64, depot first; None where only `distances` is given.
        demand: [N+1] float64, depot 0.
        ids: The author's customer identifiers, N of them, in input order.
        metric: How coordinates become lengths; ignored where `distances` is given.
        distances: [N+1, N+1] float64, row = from, column = to; it *is* the cost. Finite where
            the instance is plain; with constraints infinite where there is no road.
        max_vehicles: Largest number of routes allowed, or None.
        plan: Its known routes, or None; some may be empty, because the instance does not have
            their stops.
        constraints: All that goes beyond one capacity and one depot; None: plain. With it,
            arrays have a row for each depot, then for each stop, and `capacity`, `demand` and
            `max_vehicles` show only the first load dimension of the first vehicle type.
        origin: The document that it came as.
    """

    name: str
    capacity: float
    coords: Float64 | None
    demand: Float64
    ids: tuple[CustomerId, ...]
    metric: Metric = "euclidean"
    distances: Float64 | None = None
    max_vehicles: int | None = None
    plan: Plan | None = None
    constraints: Constraints | None = None
    origin: Origin = OURS

    @property
    def kind(self) -> InKind | None:
        """The format of the answer; None: JSON of our own."""
        return self.origin.kind

    @property
    def own_constraints(self) -> Constraints:
        """The constraints of an instance that has some.

        Raises:
            ValueError: It is plain.
        """
        if self.constraints is None:
            raise ValueError(f"{self.name}: a plain instance, without constraints")
        return self.constraints

    @property
    def matrices(self) -> list[Float64]:
        """All of them, [M, M]: distances, durations and costs, and those that have names."""
        found = [self.distances]
        if self.constraints is not None:
            found += [self.constraints.durations, self.constraints.costs]
            found += [matrix for named in self.constraints.matrices.values() for matrix in named]
        return [matrix for matrix in found if matrix is not None]

    @property
    def num_bytes(self) -> int:
        """Bytes of its arrays; one that stands in several places counts once."""
        parts = (self,) if self.constraints is None else (self, self.constraints)
        values = [getattr(part, each.name) for part in parts for each in fields(part)]
        arrays = (each for each in (*values, *self.matrices) if isinstance(each, np.ndarray))
        return sum({id(array): array.nbytes for array in arrays}.values())

    @property
    def may_reload(self) -> bool:
        """True where some vehicle may reload."""
        vehicles = () if self.constraints is None else self.constraints.vehicles
        return any(vehicle.reloads is not None for vehicle in vehicles)

    @property
    def listed_types(self) -> tuple[VehicleType, ...]:
        """The vehicle types that are written out; none in the short form with one capacity."""
        constraints = self.constraints
        return constraints.vehicles if constraints and constraints.listed_vehicles else ()

    @property
    def unstated_vehicle(self) -> int:
        """The vehicle of a known route that states none."""
        return ANY_VEHICLE if self.listed_types else 0

    @property
    def num_depots(self) -> int:
        """D, the number of depots."""
        return 1 if self.constraints is None else self.constraints.num_depots

    @property
    def num_customers(self) -> int:
        """N, the number of customers, and of stops where there are shipments; no depots."""
        return len(self.ids)

    @property
    def numbers(self) -> dict[CustomerId, int]:
        """The customer number 1..N of each identifier; made anew each time."""
        return {identifier: number for number, identifier in enumerate(self.ids, start=1)}

    @property
    def numbers_by_text(self) -> dict[str, int]:
        """Customer numbers by the identifiers as texts, as files from elsewhere may have them."""
        return {str(identifier): number for identifier, number in self.numbers.items()}

    @property
    def integer_cost(self) -> bool:
        """True where every length is a whole number by definition of the metric."""
        return self.distances is None and self.metric in ("euc_2d", "ceil_2d")

    @property
    def load_limit(self) -> float:
        """Largest load that counts as fitting: the capacity and a rounding allowance."""
        return self.capacity * (1 + LOAD_TOLERANCE)

    def place_numbers(self) -> list[int]:
        """M numbers, the same for nodes at the same place: going on there needs no setup.

        Nodes are at the same place if `Constraints.places` gives them the same number, or gives
        neither one and their coordinates are equal.
        """
        constraints = self.own_constraints
        known: dict[object, int] = {}
        found = []
        for node in range(constraints.num_nodes):
            place: object = None if constraints.places is None else constraints.places[node]
            if place is None:
                place = ("node", node) if self.coords is None else tuple(self.coords[node].tolist())
            found.append(known.setdefault(place, len(known)))
        return found

    def take(self, customers: Sequence[int]) -> "Instance":
        """Select customers, and drop known routes.

        Args:
            customers: Customer numbers 1..N, in the order that they are to have.
        """
        depots = self.num_depots
        nodes = [*range(depots), *(depots - 1 + customer for customer in customers)]
        return replace(
            self,
            coords=None if self.coords is None else self.coords[nodes],
            demand=self.demand[nodes],
            ids=tuple(self.ids[customer - 1] for customer in customers),
            distances=None if self.distances is None else self.distances[np.ix_(nodes, nodes)],
            plan=None,
            constraints=None if self.constraints is None else self.constraints.take(customers),
        )

    def load(self, route: tuple[int, ...]) -> float:
        """Exactly rounded total demand of a route.

        Args:
            route: Customer numbers 1..N.
        """
        return math.fsum(self.demand[list(route)].tolist())

    def node_name(self, node: int) -> str:
        """Name a depot or a stop in messages.

        Args:
            node: Its row in arrays.
        """
        if node >= self.num_depots:
            return self.in_words(self.ids[node - self.num_depots])
        return (
            "the depot" if self.num_depots == 1 else f"depot {self.own_constraints.depots[node].id}"
        )

    def in_words(self, customer: CustomerId) -> str:
        """Name a customer for people: its name, with the id behind it."""
        name = self.origin.names.get(customer)
        return str(customer) if name is None else f"{name} ({customer})"

    def refused(self, error: InstanceError) -> "InvalidInstance":
        """Return the `InvalidInstance` that replaces this one."""
        return InvalidInstance(name=self.name, code=error.code, error=str(error), kind=self.kind)


def where_roads_are_missing(instance: Instance) -> Instance:
    """A plain instance as one with constraints, if some of its distances are infinite.

    Its answer can then leave out stops to which no road leads.

    Args:
        instance: Plain instances with all roads, and those with constraints, stay as they are.
    """
    distances = instance.distances
    if distances is None or np.isfinite(distances).all():
        return instance
    return with_constraints(instance)


def with_constraints(instance: Instance) -> Instance:
    """Convert a plain instance to one with neutral constraints.

    Args:
        instance: Those with constraints stay as they are.
    """
    if instance.constraints is not None:
        return instance
    count, capacity = instance.max_vehicles, (instance.capacity,)
    columns = plain_columns(instance.num_customers) | {"delivery": instance.demand[1:, None]}
    constraints = Constraints(
        depots=(Depot(id="0"),),
        vehicles=(VehicleType(id="0", count=count, capacity=capacity),),
        listed_vehicles=False,
        **columns,
    )
    return replace(instance, constraints=constraints)


def check_plan(instance: Instance, plan: Plan, place: str) -> None:
    """Checks that a plan solves an instance: each customer once, loads fitting, few enough routes.

    Args:
        instance: A plain one.
        plan: Its routes may be empty.
        place: The routes' place; begins each message.

    Raises:
        InstanceError: It does not; its code is ROUTES or TOO_MANY_ROUTES.
    """
    unvisited = set(range(1, instance.num_customers + 1))
    for row, route in enumerate(plan.routes):
        for position, stop in enumerate(route.stops):
            if stop not in unvisited:
                message = f"customer {describe(instance.ids[stop - 1])} is visited twice"
                raise fault(f"{place}[{row}][{position}]", message, "ROUTES")
            unvisited.remove(stop)
        load = instance.load(route.stops)
        if load > instance.load_limit:
            message = f"a load of {show(load)} exceeds capacity {show(instance.capacity)}"
            raise fault(f"{place}[{row}]", message, "ROUTES")
    if unvisited:
        missing = describe(instance.ids[min(unvisited) - 1])
        raise fault(place, f"customer {missing} is in no route", "ROUTES")
    used = sum(bool(route.stops) for route in plan.routes)
    if instance.max_vehicles is not None and used > instance.max_vehicles:
        message = f"{used} routes, max_vehicles is {instance.max_vehicles}"
        raise fault(place, message, "TOO_MANY_ROUTES")


@dataclass(frozen=True, slots=True, kw_only=True)
class InvalidInstance:
    """The place of an instance that could not be understood, kept so that order is kept.

    Attributes:
        name: Its name where that could be read, else `instance-<position>`.
        code: Stable identifier, e.g. `OUT_OF_RANGE`.
        error: Where, what was found, what was expected.
        kind: As of `Instance`.
    """

    name: str
    code: str
    error: str
    kind: InKind | None = None
