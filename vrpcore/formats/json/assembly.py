"""An instance with constraints: its parts put together, and what they mean to each other."""

import dataclasses
import math
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np

from vrpcore.errors import describe, fault
from vrpcore.formats.json.between import read_between
from vrpcore.formats.json.constrained_json import (
    check_names,
    read_customers,
    read_depots,
    read_shipments,
)
from vrpcore.formats.json.dimensions import Dimensions
from vrpcore.formats.json.fleet_json import Capacities, read_vehicles, with_capacity
from vrpcore.formats.json.json_matrices import Extent, read_matrices, read_named
from vrpcore.formats.json.key_schema import Fields, check_degrees
from vrpcore.formats.json.keys import check_fits
from vrpcore.formats.json.stop import Place, Stop
from vrpcore.formats.json.stop_columns import NamedTypes, columns_of_stops
from vrpcore.instance.constraints import DELIVERY, MAX_SKILLS, Constraints, NamedMatrices
from vrpcore.instance.instance import (
    MAX_STOPS,
    METRICS,
    CustomerId,
    Float64,
    Instance,
    Metric,
)
from vrpcore.instance.vehicle_types import VehicleType, Window


class Base(NamedTuple):
    """What an instance with constraints has besides.

    Attributes:
        ids: Names of the N stops.
        coords: [M, 2] float64, depots first; None where matrices stand in for them.
        distances: [M, M] float64, or None.
        constraints: The rest.
    """

    ids: tuple[CustomerId, ...]
    coords: Float64 | None
    distances: Float64 | None
    constraints: Constraints


def read_constraints(found: Fields, place: str, *, roads: bool = False) -> Base:
    """Reads an instance for which `has_constraints`.

    Args:
        found: Its keys.
        place: Begins each message.
        roads: Vehicle types may name matrices that are not given.

    Raises:
        InstanceError: Something in it is not what it should be; `code` says what kind.
    """
    depots = read_depots(found, place)
    stops = [*read_customers(found, place), *read_shipments(found, place)]
    check_names(stops)
    vehicles, capacities = read_vehicles(found, place, [each.depot.id for each in depots])
    return _Assembly(found, place, depots, stops).base(vehicles, capacities, roads=roads)


def constrained_instance(name: str, base: Base, metric: Metric = METRICS[0]) -> Instance:
    """An instance with constraints.

    Args:
        name: Its name.
        base: The rest of it.
        metric: How coordinates become lengths.
    """
    return Instance(
        name=name,
        coords=base.coords,
        ids=base.ids,
        metric=metric,
        distances=base.distances,
        constraints=base.constraints,
        **base.constraints.shown(),
    )


class _Assembly:
    """Puts depots, stops and vehicles together, and checks what they mean to each other."""

    def __init__(
        self, found: Fields, place: str, depots: Sequence[Place], stops: Sequence[Stop]
    ) -> None:
        self._found, self._place = found, place
        self._depots, self._stops = depots, stops
        self._rows: list[int] | None = None
        if any(stop.on_board is not None for stop in stops):
            order = _order(stops)
            self._stops = [stops[row] for row in order]
            self._rows = [*range(len(depots)), *(len(depots) + row for row in order)]
        self._nodes: list[Place | Stop] = [*depots, *self._stops]

    def base(
        self,
        vehicles: Sequence[VehicleType],
        capacities: Sequence[Capacities],
        *,
        roads: bool,
    ) -> Base:
        """The instance's parts."""
        found, stops = self._found, self._stops
        self._check_limits()
        dimensions = self._dimensions(capacities)
        types = tuple(
            with_capacity(vehicle, capacity, dimensions or 1)
            for vehicle, capacity in zip(vehicles, capacities, strict=True)
        )
        parts = {"depot": len(self._depots), "stop": len(stops)}
        nodes = " and ".join(f"{n} {name}{'s' if n != 1 else ''}" for name, n in parts.items())
        extent = Extent(len(self._nodes), nodes, self._rows)
        distances, durations, costs = read_matrices(found, self._place, extent)
        own = distances is None and durations is None and any(v.matrix is None for v in types)
        coords = self._coords(needed=own)
        constraints = Constraints(
            depots=tuple(each.depot for each in self._depots),
            vehicles=types,
            delivery=self._amounts("delivery", dimensions),
            pickup=self._amounts("pickup", dimensions),
            shipment=self._amounts("amount", dimensions),
            windows=padded_windows([stop.windows for stop in stops]),
            skills=tuple(stop.skills for stop in stops),
            num_shipments=sum(stop.is_paired for stop in stops) // 2,
            speed=found.get("speed", 1.0),
            durations=durations,
            costs=costs,
            backhauls=found.get("backhauls", "mixed"),
            pickup_only_routes=found.get("pickup_only_routes", True),
            goods=found.get("goods", "own"),
            listed_amounts=dimensions is not None,
            listed_vehicles="vehicles" in found,
            **self._details(types),
        )
        if coords is None and distances is None:
            distances = durations
        if "matrices" in found:
            lengths = coords is not None or distances is not None
            named = self._named(extent, constraints.speed, own=lengths)
            constraints = dataclasses.replace(constraints, matrices=named)
        if not roads:
            self._check_matrices_of(types, constraints.matrices)
        self._check_amounts(constraints)
        self._check_backhauls(constraints)
        return Base(tuple(stop.id for stop in stops), coords, distances, constraints)

    def _check_limits(self) -> None:
        stops, found = self._stops, self._found
        if len(stops) > MAX_STOPS:
            message = f"{len(stops)} customers and stops, the limit is {MAX_STOPS}"
            raise fault(self._place, f"{message}; split the instance", "TOO_MANY_CUSTOMERS")
        if not stops and not any(key in found for key in ("customers", "shipments", "demands")):
            message = "missing; expected 'customers', 'shipments', or 'coords' and 'demands'"
            raise fault(f"{self._place}.customers", message, "MISSING_KEY")
        check_skills(frozenset[str]().union(*(stop.skills for stop in stops)), self._place)

    def _details(self, types: Sequence[VehicleType]) -> dict[str, Any]:
        """What stops say of numbers, vehicle types and places, and what is between stops."""
        named = NamedTypes.of(types, listed="vehicles" in self._found)
        found = columns_of_stops(self._stops, named)
        found |= read_between(self._found, self._place, self._stops, named)
        numbers = tuple(node.number for node in self._nodes)
        return found | ({} if set(numbers) <= {None} else {"places": numbers})

    def _dimensions(self, capacities: Sequence[Capacities]) -> int | None:
        """How many numbers each amount has; None where amounts are single numbers."""
        amounts = [each for own in capacities for each in own.amounts()]
        for stop in self._stops:
            amounts += stop.amounts()
        return Dimensions().joined(amounts).size

    def _amounts(self, name: str, dimensions: int | None) -> Float64:
        """[N, L] float64 of one kind of amount; what a delivery unloads is negative."""
        table = np.zeros((len(self._stops), dimensions or 1))
        for row, stop in enumerate(self._stops):
            if (amount := getattr(stop, name)) is not None:
                table[row] = amount
            if stop.end == DELIVERY and name == "amount":
                table[row] *= -1.0
        return table

    def _coords(self, *, needed: bool) -> Float64 | None:
        """[M, 2] float64; None where no node has coordinates and matrices stand in."""
        without = [node for node in self._nodes if node.point is None]
        if len(without) == len(self._nodes) and not needed:
            return None
        if without:
            advice = "give x and y" if needed else "give coordinates to all or to none"
            raise fault(without[0].place, f"has no coordinates; {advice}", "MISSING_KEY")
        coords = np.array([node.point for node in self._nodes], np.float64).reshape(-1, 2)
        if self._found.get("metric") == "haversine":
            check_degrees(coords, lambda node: self._nodes[node].place)
        return coords

    def _named(self, extent: Extent, speed: float, *, own: bool) -> dict[str, NamedMatrices]:
        """The matrices that vehicle types name.

        Args:
            extent: Of each.
            speed: Makes durations of distances that are given without them.
            own: The instance has lengths; only durations are given of a matrix.
        """
        named = {}
        for name, given in read_named(self._found, self._place, extent).items():
            distances, durations = given.distances, given.durations
            if durations is None and distances is not None:
                durations = distances / speed
            elif distances is None and not own:
                distances = durations
            named[name] = NamedMatrices(distances, cast(Float64, durations), given.costs)
        return named

    def _check_matrices_of(
        self, vehicles: Sequence[VehicleType], matrices: Mapping[str, NamedMatrices]
    ) -> None:
        for index, vehicle in enumerate(vehicles):
            check_matrix_of(vehicle, matrices, f"{self._place}.vehicles[{index}]")

    def _check_amounts(self, constraints: Constraints) -> None:
        """In the short form, every amount fits into a vehicle."""
        if constraints.listed_vehicles:
            return
        for name, key in (("delivery", "demand"), ("pickup", "pickup"), ("shipment", "amount")):
            place = partial(self._amount_place, key)
            check_fits(getattr(constraints, name), constraints.vehicles[0].capacity, place)

    def _amount_place(self, key: str, row: int) -> str:
        return self._stops[row].at(key)

    def _check_backhauls(self, constraints: Constraints) -> None:
        if constraints.backhauls == "mixed":
            return
        place = f"{self._place}.backhauls"
        if any(stop.end for stop in self._stops):
            message = "'last' with shipments, which need 'mixed'"
            raise fault(place, message, "CONFLICTING_KEYS")
        for stop in self._stops:
            if stop.gives_and_takes():
                message = f"'last', but {stop.place} has a demand and a pickup"
                raise fault(place, message, "CONFLICTING_KEYS")


def _order(stops: Sequence[Stop]) -> list[int]:
    """Rows of customers, then of shipments that are on board, then of the others' ends."""
    return sorted(range(len(stops)), key=lambda row: (stops[row].is_paired, bool(stops[row].end)))


def check_matrix_of(vehicle: VehicleType, names: Collection[str], place: str) -> None:
    """Checks that a type names a matrix of its instance, or none (code NO_MATRIX)."""
    if vehicle.matrix is not None and vehicle.matrix not in names:
        message = f"{describe(vehicle.matrix)} is none of the instance's matrices"
        raise fault(f"{place}.matrix", message, "NO_MATRIX")


def check_skills(skills: Collection[str], place: str) -> None:
    """Checks that all stops together ask for at most `MAX_SKILLS` (code TOO_MANY_SKILLS)."""
    if len(skills) > MAX_SKILLS:
        message = f"{len(skills)} different skills, the limit is {MAX_SKILLS}"
        raise fault(place, message, "TOO_MANY_SKILLS")


def padded_windows(windows: Sequence[tuple[Window, ...]]) -> Float64:
    """Windows of N stops as [N, W, 2] float64, padded with windows that never open."""
    most = max(map(len, windows), default=1)
    table = np.full((len(windows), most, 2), math.inf)
    for row, own in enumerate(windows):
        table[row, : len(own)] = own
    return table
