"""An instance with constraints: its parts put together, and what they mean to each other."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, cast

import numpy as np

from vrpcore.errors import fault
from vrpcore.formats.json.between import read_between
from vrpcore.formats.json.dimensions import Amount, Dimensions, amounts_table
from vrpcore.formats.json.documents import InstanceDocument
from vrpcore.formats.json.fleet_json import (
    GivenVehicle,
    Place,
    check_fits,
    check_matrix_of,
    read_depots,
    read_vehicles,
)
from vrpcore.formats.json.json_matrices import Extent, read_matrices, read_named
from vrpcore.formats.json.stop_columns import NamedTypes, columns_of_stops
from vrpcore.formats.json.stop_rows import Stops, gives_and_takes, is_any, read_stops
from vrpcore.instance.constraints import DELIVERY, MAX_SKILLS, Constraints, NamedMatrices
from vrpcore.instance.division import fewest_visits
from vrpcore.instance.instance import MAX_STOPS, METRICS, Float64, Instance
from vrpcore.instance.vehicle_types import VehicleType

MAX_LONGITUDE, MAX_LATITUDE = 360, 90  # degrees


def read_constraints(
    doc: InstanceDocument, place: str, name: str, *, roads: bool = False
) -> Instance:
    """Read an instance that asks for more than one capacity and one depot, without known routes.

    Args:
        doc: The document.
        place: Begins each message.
        name: Of the instance.
        roads: Vehicle types may name matrices that are not given.

    Raises:
        InstanceError: Something in it is not what it should be; `code` says what kind.
    """
    depots, stops = read_depots(doc, place), read_stops(doc, place)
    vehicles = read_vehicles(doc, place, [each.depot.id for each in depots])
    _check_limits(doc, stops, place)
    return _Assembly(doc, place, depots, stops).instance(name, vehicles, roads=roads)


def _check_limits(doc: InstanceDocument, stops: Stops, place: str) -> None:
    if len(stops) > MAX_STOPS:
        message = f"{len(stops)} customers and stops, the limit is {MAX_STOPS}"
        raise fault(place, f"{message}; split the instance", "TOO_LARGE")
    if not stops and all(each is None for each in (doc.customers, doc.shipments, doc.demands)):
        message = "missing; expected 'customers', 'shipments', or 'coords' and 'demands'"
        raise fault(f"{place}.customers", message, "MISSING")
    if is_any(skills := stops.of_units("skills")):
        check_skills(frozenset[str]().union(*filter(None, skills)), place)


def check_skills(skills: Collection[str], place: str) -> None:
    """Check that all stops together ask for at most `MAX_SKILLS` (code TOO_LARGE)."""
    if len(skills) > MAX_SKILLS:
        message = f"{len(skills)} different skills, the limit is {MAX_SKILLS}"
        raise fault(place, message, "TOO_LARGE")


class _Assembly:
    """Puts depots, stops and vehicles together, and checks what they mean to each other."""

    def __init__(
        self, doc: InstanceDocument, place: str, depots: Sequence[Place], stops: Stops
    ) -> None:
        self._doc, self._place = doc, place
        self._depots, self._stops = depots, stops

    def instance(self, name: str, vehicles: Sequence[GivenVehicle], *, roads: bool) -> Instance:
        doc, stops = self._doc, self._stops
        dimensions = self._dimensions(vehicles)
        types = tuple(each.complete(dimensions or 1) for each in vehicles)
        extent = self._extent()
        distances, durations, costs = read_matrices(doc, self._place, extent)
        own = distances is None and durations is None and any(v.matrix is None for v in types)
        coords = self._coords(needed=own)
        speed = doc.speed or 1.0
        lengths = coords is not None or distances is not None or durations is not None
        matrices = self._named(extent, speed, own=lengths)
        if not roads:
            for each in vehicles:
                check_matrix_of(each.kind, matrices, each.place)
        constraints = Constraints(
            depots=tuple(each.depot for each in self._depots),
            vehicles=types,
            num_shipments=stops.num_pairs,
            speed=speed,
            durations=durations,
            costs=costs,
            matrices=matrices,
            backhauls=doc.backhauls or "mixed",
            pickup_only_routes=doc.pickup_only_routes is not False,
            goods=doc.goods or "own",
            listed_amounts=dimensions is not None,
            listed_vehicles=doc.vehicles is not None,
            split_step=doc.split_step or 1.0,
            **self._amounts(dimensions or 1),
            **self._details(types),
        )
        if coords is None and distances is None:
            distances = durations
        constraints = self._with_splits(constraints)
        self._check_amounts(constraints)
        self._check_backhauls(constraints)
        return Instance(
            name=name,
            coords=coords,
            ids=stops.ids,
            metric=doc.metric or METRICS[0],
            distances=distances,
            constraints=constraints,
            **constraints.shown(),
        )

    def _extent(self) -> Extent:
        """Of the matrices, in the order of the document."""
        parts = {"depot": len(self._depots), "stop": len(self._stops)}
        nodes = " and ".join(f"{n} {name}{'s' if n != 1 else ''}" for name, n in parts.items())
        order = self._stops.order
        if order is not None:
            order = [*range(parts["depot"]), *(parts["depot"] + row for row in order)]
        return Extent(sum(parts.values()), nodes, order)

    def _details(self, types: Sequence[VehicleType]) -> dict[str, Any]:
        """Columns of stops for numbers, vehicle types and places, and relations between stops."""
        named = NamedTypes.of(types, listed=self._doc.vehicles is not None)
        found = columns_of_stops(self._stops, named)
        found |= read_between(self._doc, self._place, self._stops, named)
        numbers = (
            *(each.number for each in self._depots),
            *self._stops.of_visits("place"),
        )
        return found | ({} if set(numbers) <= {None} else {"places": numbers})

    def _dimensions(self, vehicles: Sequence[GivenVehicle]) -> int | None:
        """How many numbers each amount has; None where amounts are single numbers."""
        known = Dimensions().joined(each for own in vehicles for each in own.amounts())
        kinds = {*map(type, chain(*map(self._given, ("demand", "pickup", "amount"))))}
        if known.place and known.size is None and kinds <= {float, type(None)}:
            return None
        return known.joined(self._stops.amounts()).size

    def _given(self, key: str) -> tuple[Amount, ...]:
        """The amounts of a key: of customers, or of shipments."""
        return (self._stops.of_ends if key == "amount" else self._stops.of_customers)(key)

    def _amounts(self, dimensions: int) -> dict[str, Any]:
        """[N, L] float64 of each kind of amount; what a delivery unloads is negative."""
        first, size, found = self._stops.num_customers, len(self._stops), dict[str, Float64]()
        for name, key in (("delivery", "demand"), ("pickup", "pickup"), ("shipment", "amount")):
            table, given = np.zeros((size, dimensions)), self._given(key)
            rows = slice(first, size) if key == "amount" else slice(first)
            if is_any(given):
                table[rows] = amounts_table(given, dimensions)
            found[name] = table
        if first < size:
            found["shipment"][[end == DELIVERY for end in self._stops.ends]] *= -1.0
        return found

    def _coords(self, *, needed: bool) -> Float64 | None:
        """[M, 2] float64; None where no node has coordinates and matrices stand in."""
        depots = [each.point or (None, None) for each in self._depots]
        coords = np.empty((len(depots) + len(self._stops), 2))
        for axis, key in enumerate(("x", "y")):
            coords[:, axis] = [each[axis] for each in depots] + [*self._stops.of_visits(key)]
        missing = np.isnan(coords)
        if missing.any():
            for row in np.flatnonzero(missing.any(axis=1) & ~missing.all(axis=1))[:1].tolist():
                key = "xy"[int(missing[row, 1])]
                raise fault(f"{self._node(row)}.{key}", "missing", "MISSING")
            if missing.all() and not needed:
                return None
            advice = "give x and y" if needed else "give coordinates to all or to none"
            place = self._node(int(np.flatnonzero(missing[:, 0])[0]))
            raise fault(place, f"has no coordinates; {advice}", "MISSING")
        if self._doc.metric == "haversine":
            check_degrees(coords, self._node)
        return coords

    def _node(self, row: int) -> str:
        """The place of a depot or a stop."""
        depots = len(self._depots)
        return self._depots[row].place if row < depots else self._stops.where(row - depots)

    def _named(self, extent: Extent, speed: float, *, own: bool) -> dict[str, NamedMatrices]:
        """The matrices that vehicle types name; `own`: the instance has lengths itself."""
        named = {}
        for name, given in read_named(self._doc, self._place, extent).items():
            distances, durations = given.distances, given.durations
            if durations is None and distances is not None:
                durations = distances / speed
            elif distances is None and not own:
                distances = durations
            named[name] = NamedMatrices(distances, cast(Float64, durations), given.costs)
        return named

    def _with_splits(self, constraints: Constraints) -> Constraints:
        """Say who may be split, and check that this is possible."""
        own = self._stops.of_customers("split")
        rows = [row for row, each in enumerate(own) if (self._doc.split if each is None else each)]
        if not rows:
            return constraints
        place = self._stops.at(rows[0], "split") if own[rows[0]] else f"{self._place}.split"
        given = {
            "shipments": constraints.num_shipments or constraints.on_board is not None,
            "groups": constraints.groups,
            "relations": constraints.relations,
        }
        for key in (key for key, value in given.items() if value):
            raise fault(place, f"given with '{key}'; leave one of them out", "CONFLICT")
        split = np.zeros(constraints.num_stops, np.bool_)
        split[rows] = True
        brought, taken = constraints.delivery.any(axis=1), constraints.pickup.any(axis=1)
        for row in np.flatnonzero(split & brought & taken)[:1].tolist():
            message = "has a demand and a pickup; make two customers of it, or do not split it"
            raise fault(self._stops.where(row), message, "CONFLICT")
        split &= brought | taken
        if not split.any():
            return constraints
        found = replace(constraints, split=split)
        if (visits := fewest_visits(found)) > MAX_STOPS:
            message = f"at least {visits:.9g} visits are needed, the limit is {MAX_STOPS}"
            raise fault(place, message, "TOO_LARGE")
        return found

    def _check_amounts(self, constraints: Constraints) -> None:
        """In the short form, every amount that may not be split fits into a vehicle."""
        if constraints.listed_vehicles:
            return
        whole = True if constraints.split is None else ~constraints.split[:, None]
        for name, key in (("delivery", "demand"), ("pickup", "pickup"), ("shipment", "amount")):
            place, amounts = partial(self._amount_place, key), getattr(constraints, name)
            check_fits(np.where(whole, amounts, 0.0), constraints.vehicles[0].capacity, place)

    def _amount_place(self, key: str, row: int) -> str:
        return self._stops.at(row, key)

    def _check_backhauls(self, constraints: Constraints) -> None:
        if constraints.backhauls == "mixed":
            return
        place = f"{self._place}.backhauls"
        if any(self._stops.ends):
            message = "'last' with shipments, which need 'mixed'"
            raise fault(place, message, "CONFLICT")
        for row, unit in enumerate(self._stops.units):
            if gives_and_takes(unit):
                message = f"'last', but {self._stops.where(row)} has a demand and a pickup"
                raise fault(place, message, "CONFLICT")


def check_degrees(coords: Float64, place: Callable[[int], str]) -> None:
    """Check that points are longitudes and latitudes in degrees.

    Args:
        coords: [n, 2] float64.
        place: The place of point i.

    Raises:
        InstanceError: One is out of range (code OUT_OF_RANGE).
    """
    for axis, name, limit in ((0, "longitude", MAX_LONGITUDE), (1, "latitude", MAX_LATITUDE)):
        for node in np.flatnonzero(np.abs(coords[:, axis]) > limit)[:1].tolist():
            message = f"{name} {coords[node, axis]:.9g}, expected -{limit} to {limit}"
            raise fault(place(node), message, "OUT_OF_RANGE")
