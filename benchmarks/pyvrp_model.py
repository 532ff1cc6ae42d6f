"""Instances with constraints as PyVRP's models, and its routes as ours."""

import importlib
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks.contender import Attempt, SolveOne
from benchmarks.whole import (
    CannotExpressError,
    Int64,
    Whole,
    closing,
    opening,
    passes_backhauls,
)
from vrpcore.bench.timing import timed
from vrpcore.instance.constraints import Constraints
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Route
from vrpcore.instance.vehicle_types import VehicleType

Profile = tuple[str | None, float, frozenset[str], bool, bool]


class PyvrpModel(NamedTuple):
    """A problem in whole numbers.

    Attributes:
        data: PyVRP's.
        whole: The numbers.
        customers: Stops that are its clients, in order.
        pickups: Stops that are its shipments' pickups, in order; deliveries follow them.
    """

    data: Any
    whole: Whole
    customers: list[int]
    pickups: list[int]

    @property
    def instance(self) -> Instance:
        """Ours."""
        return self.whole.instance


def check_expressible(instance: Instance) -> None:
    """Checks that PyVRP has everything that an instance with constraints asks for.

    Raises:
        CannotExpressError: It has no such thing.
    """
    constraints = instance.own_constraints
    pairs = constraints.num_shipments > 0
    reasons = {
        "several windows": constraints.windows.shape[1] > 1,
        "releases of shipments": pairs and bool(np.isfinite(constraints.release).any()),
        "pickup_only_routes": constraints.backhauls == "mixed"
        and not constraints.pickup_only_routes,
        "backhauls after all deliveries and stops with neither": passes_backhauls(constraints),
        "negative times": min(opening(constraints, each) for each in constraints.vehicles) < 0,
    }
    for each in constraints.vehicles:
        waits = each.end is not None and constraints.depots[each.end].window[0] > opening(
            constraints, each
        )
        found = reasons | {
            "max_travel_time": each.max_travel_time < math.inf,
            "max_customers": each.max_stops < math.inf,
            "travel_cost": each.travel_cost > 0,
            "waiting for a depot": waits,
        }
        for reason, holds in found.items():
            if holds:
                raise CannotExpressError(reason)
    Whole(instance)  # raises, too


def pyvrp_model(instance: Instance, *, lenient: bool = False) -> PyvrpModel:
    """PyVRP's model of an instance.

    An open end is a depot at no distance. Whom a vehicle must not serve is too far for it.

    Args:
        instance: With constraints.
        lenient: See `Whole`.

    Raises:
        CannotExpressError: The instance has something that PyVRP has not.
    """
    check_expressible(instance)
    library = importlib.import_module("pyvrp")
    constraints, whole = instance.own_constraints, Whole(instance, lenient=lenient)
    stops = range(1, constraints.num_stops + 1)
    customers = [stop for stop in stops if constraints.partner(stop) is None]
    pickups = [stop for stop in stops if (constraints.partner(stop) or 0) > stop]
    types = [constraints.vehicles[index] for index in whole.types]
    profiles: dict[Profile, tuple[int, int]] = {}
    for index, each in zip(whole.types, types, strict=True):
        profiles.setdefault(_profile(each), (len(profiles), index))
    matrices = [_matrices(whole, index) for _, index in profiles.values()]
    data = library.ProblemData(
        locations=[library.Location(x, y) for x, y in _points(instance)],
        clients=[library.Client(**_client(constraints, whole, stop)) for stop in customers],
        depots=[library.Depot(depot) for depot in range(constraints.num_depots)],
        vehicle_types=[
            library.VehicleType(**_vehicle_type(constraints, whole, each), profile=profile)
            for each in types
            for profile, _ in [profiles[_profile(each)]]
        ],
        distance_matrices=[lengths for lengths, _ in matrices],
        duration_matrices=[times for _, times in matrices],
        shipments=[library.Shipment(**_shipment(constraints, whole, stop)) for stop in pickups],
    )
    return PyvrpModel(data, whole, customers, pickups)


def pyvrp_constraints_solver(budget: float, seed: int) -> SolveOne:
    """PyVRP for instances with constraints; its time limit begins after its first solution.

    Args:
        budget: Wall seconds.
        seed: Of its random numbers.

    Source:
        Wouda, Lan, Kool 2024, "PyVRP: a high-performance VRP solver package".
    """

    def solve(instance: Instance) -> Attempt:
        library = importlib.import_module("pyvrp")
        stop = importlib.import_module("pyvrp.stop").MaxRuntime(budget)
        model = pyvrp_model(instance)
        quiet = {"collect_stats": False, "display": False}
        _, solver_s, found = timed(lambda: library.solve(model.data, stop, seed, **quiet))
        if not found.is_feasible():
            return Attempt(None, solver_s)
        return Attempt(list(_routes(model, found.best)), solver_s)

    return solve


def _routes(model: PyvrpModel, best: Any) -> Iterator[Route]:
    for route in best.routes():
        yield Route(model.whole.types[route.vehicle_type()], tuple(_stops(model, route)))


def _stops(model: PyvrpModel, route: Any) -> Iterator[int]:
    """Our stops of a route of PyVRP's."""
    for visit in route:
        if visit.is_client():
            yield model.customers[visit.idx]
        elif visit.is_pickup():
            yield model.pickups[visit.idx]
        elif visit.is_delivery():
            yield model.pickups[visit.idx] + 1


def _profile(vehicle: VehicleType) -> Profile:
    """The key of the profile of a vehicle type: all that its legs depend on."""
    is_open = (vehicle.start is None, vehicle.end is None)
    return vehicle.matrix, vehicle.speed, vehicle.skills, *is_open


def _points(instance: Instance) -> list[tuple[float, float]]:
    if instance.coords is None:
        return [(0.0, 0.0)] * instance.own_constraints.num_nodes
    return [(x, y) for x, y in instance.coords.tolist()]


def _matrices(whole: Whole, index: int) -> tuple[Int64, Int64]:
    """Lengths and durations for a vehicle type; legs to stops that it must not serve are barred."""
    constraints = whole.instance.own_constraints
    vehicle, first = constraints.vehicles[index], constraints.num_depots
    lengths, times = (np.array(each) for each in whole.matrices(vehicle))
    stops = range(1, constraints.num_stops + 1)
    barred = [first - 1 + stop for stop in stops if not constraints.may_serve(index, stop)]
    picks = np.flatnonzero(constraints.pickup.any(axis=1)) + first
    delivers = np.flatnonzero(constraints.delivery.any(axis=1)) + first
    # More than all vehicles together may drive. PyVRP's own reader takes 2^44, with which its
    # first local search did not end within minutes on some of its own instances.
    bar = (
        2 * int(lengths.max()) * (constraints.num_stops + 1) + 2 * int(times.max()) + whole.horizon
    )
    for table in (lengths, times):
        if vehicle.start is None:
            table[:first, first:] = 0
        if vehicle.end is None:
            table[first:, :first] = 0
        table[barred, :] = table[:, barred] = bar
        if constraints.backhauls == "last":
            table[np.ix_(picks, delivers)] = bar
            if not constraints.pickup_only_routes:
                table[:first, picks] = bar
        np.fill_diagonal(table, 0)
    return lengths, times


def _amounts(whole: Whole, amounts: Any) -> list[int]:
    """Scale amounts as PyVRP's reader does: its penalties for excess load are limited."""
    return whole.load(amounts, max(1.0, whole.scale))


def _client(constraints: Constraints, whole: Whole, stop: int) -> dict[str, Any]:
    row = stop - 1
    release = float(constraints.release[row])
    return {
        "location": constraints.num_depots + row,
        "delivery": _amounts(whole, constraints.delivery[row]),
        "pickup": _amounts(whole, constraints.pickup[row]),
        "release_time": 0 if release <= 0 else int(whole.up(release)),
        **_visit(constraints, whole, stop),
        **_prize(constraints, whole, stop),
    }


def _shipment(constraints: Constraints, whole: Whole, stop: int) -> dict[str, Any]:
    row, first = stop - 1, constraints.num_depots
    ends = {"pickup": stop, "delivery": stop + 1}
    visits = {
        f"{end}_{key}": value
        for end, number in ends.items()
        for key, value in _visit(constraints, whole, number).items()
    }
    return {
        "pickup_location": first + row,
        "delivery_location": first + row + 1,
        "amount": _amounts(whole, constraints.shipment[row]),
        **visits,
        **_prize(constraints, whole, stop),
    }


def _visit(constraints: Constraints, whole: Whole, stop: int) -> dict[str, int]:
    opens, closes = constraints.windows[stop - 1, 0].tolist()
    return {
        "service_duration": int(whole.up(constraints.service[stop - 1])),
        "tw_early": int(whole.up(max(0.0, opens))),
        "tw_late": whole.down(closes),
    }


def _prize(constraints: Constraints, whole: Whole, stop: int) -> dict[str, Any]:
    prize = float(constraints.prize[stop - 1])
    if math.isinf(prize):
        return {"required": True}
    return {"required": False, "prize": whole.cost(prize)}


def _vehicle_type(constraints: Constraints, whole: Whole, each: VehicleType) -> dict[str, Any]:
    most = constraints.num_stops if each.count is None else min(each.count, constraints.num_stops)
    return {
        "num_available": most,
        "capacity": _amounts(whole, each.capacity),
        "start_depot": each.start or 0,
        "end_depot": each.end or 0,
        "fixed_cost": whole.cost(each.fixed_cost),
        "tw_early": int(whole.up(opening(constraints, each))),
        "tw_late": whole.down(closing(constraints, each)),
        "shift_duration": whole.down(each.max_duration),
        "max_distance": whole.down(each.max_distance),
        "unit_distance_cost": round(each.distance_cost * whole.unit_scale),
        "unit_duration_cost": round(each.duration_cost * whole.unit_scale),
    }
