"""Instances with constraints as VROOM's models, and its routes as ours."""

import importlib
import math
from typing import Any

import numpy as np

from benchmarks.contender import Attempt, SolveOne
from benchmarks.whole import CannotExpressError, Whole, closing, opening, vehicle_number
from vrpcore.bench.timing import timed
from vrpcore.instance.constraints import Constraints
from vrpcore.instance.instance import Float64, Instance
from vrpcore.instance.plan import Route
from vrpcore.instance.vehicle_types import VehicleType

_LARGEST = 2**32 - 1  # of its distances
_LARGEST_COST = 2**31  # of a whole solution, each leg the dearest there is: it refuses more
_LATEST = 2**31  # when everything is over that has no end


def check_expressible(instance: Instance) -> None:
    """Checks that VROOM has everything that an instance with constraints asks for.

    Raises:
        CannotExpressError: It has no such thing.
    """
    constraints = instance.own_constraints
    earliest = min(opening(constraints, each) for each in constraints.vehicles)
    reasons = {
        "vehicles of a stop": constraints.allowed is not None,
        "prizes": bool(np.isfinite(constraints.prize).any()),
        "releases": bool((constraints.release > earliest).any()),
        "backhauls after all deliveries": constraints.backhauls == "last",
        "pickup_only_routes": not constraints.pickup_only_routes,
        "negative times": earliest < 0,
    }
    for each in constraints.vehicles:
        limited = each.max_duration < math.inf
        found = reasons | {
            "durations that cost": each.duration_cost > 0,
            "routes that are open at both ends": each.start is None and each.end is None,
            "limits on durations together with waiting": limited and _may_wait(constraints, each),
        }
        for reason, holds in found.items():
            if holds:
                raise CannotExpressError(reason)
    whole = Whole(instance)
    for index in whole.types:
        longest = max(int(each.max()) for each in whole.matrices(constraints.vehicles[index]))
        if 2 * longest > _LATEST:
            raise CannotExpressError("numbers of more than 32 bits")


def vroom_constraints_solver(level: int) -> SolveOne:
    """VROOM for instances with constraints.

    Args:
        level: Of exploration, 0 to 5.
    """

    def solve(instance: Instance) -> Attempt:
        check_expressible(instance)
        whole = Whole(instance)
        model, types = _VroomBuilder(whole).model()
        _, solver_s, found = timed(lambda: model.solve(exploration_level=level, nb_threads=1))
        return Attempt(_routes(found.routes, types), solver_s)

    return solve


def _may_wait(constraints: Constraints, vehicle: VehicleType) -> bool:
    """Return whether a vehicle that leaves as early as it may has to wait somewhere."""
    first = opening(constraints, vehicle)
    end = -math.inf if vehicle.end is None else constraints.depots[vehicle.end].window[0]
    return bool((constraints.windows[:, 0, 0] > first).any()) or end > first


def _routes(steps: Any, types: list[int]) -> list[Route]:
    """Read routes from VROOM's table of steps, where a job's id is its stop; it may be empty."""
    found: dict[int, list[int]] = {}
    if steps.empty:
        return []
    columns = (steps["vehicle_id"], steps["type"], steps["id"])
    for vehicle, kind, stop in zip(*columns, strict=True):
        if kind not in ("start", "end"):
            found.setdefault(int(vehicle), []).append(int(stop))
    return [Route(types[vehicle], tuple(stops)) for vehicle, stops in found.items()]


class _VroomBuilder:
    """Builds the model of one instance."""

    def __init__(self, whole: Whole) -> None:
        self._library = importlib.import_module("vroom")
        self._whole, self._constraints = whole, whole.instance.own_constraints
        names = sorted({name for each in self._constraints.vehicles for name in each.skills})
        names += sorted({name for each in self._constraints.skills for name in each} - {*names})
        self._skills = {name: number for number, name in enumerate(names)}
        self._shrink = self._shrunk()

    def model(self) -> tuple[Any, list[int]]:
        """The model, and the index of our vehicle type for each of its vehicles."""
        model = self._library.Input()
        types: list[int] = []
        for index in self._whole.types:
            self._add_matrices(model, index)
        stops = range(1, self._constraints.num_stops + 1)
        model.add_job(
            [self._job(stop) for stop in stops if self._constraints.partner(stop) is None]
        )
        first = [stop for stop in stops if (self._constraints.partner(stop) or 0) > stop]
        model.add_job([self._shipment(stop) for stop in first])
        for index in self._whole.types:
            vehicle = self._constraints.vehicles[index]
            for _ in range(vehicle_number(self._constraints, vehicle)):
                model.add_vehicle(self._vehicle(len(types), index))
                types.append(index)
        return model, types

    def _add_matrices(self, model: Any, index: int) -> None:
        """A profile for each type: costs are lengths and times as the type pays for them."""
        lengths, times = self._whole.matrices(self._constraints.vehicles[index])
        costs = np.rint(self._leg_costs(index) / self._shrink)
        profile = str(index)
        model.set_durations_matrix(profile, times.astype(np.uint32))
        model.set_distances_matrix(profile, lengths.astype(np.uint32))
        model.set_costs_matrix(profile, costs.astype(np.uint32))

    def _leg_costs(self, index: int) -> Float64:
        vehicle = self._constraints.vehicles[index]
        lengths, times = self._whole.matrices(vehicle)
        paid = lengths * vehicle.distance_cost + times * vehicle.travel_cost
        return self._whole.unit_scale * paid

    def _shrunk(self) -> float:
        """The power of ten that costs are divided by: 1 where they are small enough."""
        constraints, types = self._constraints, self._whole.types
        leg = max(float(self._leg_costs(index).max()) for index in types)
        fixed = max(self._whole.cost(constraints.vehicles[index].fixed_cost) for index in types)
        largest = 2 * (constraints.num_stops + 1) * leg + fixed
        return 10.0 ** math.ceil(math.log10(max(1.0, largest / _LARGEST_COST)))

    def _job(self, stop: int) -> Any:
        return self._library.Job(
            stop,
            **self._visit(stop),
            delivery=self._whole.load(self._constraints.delivery[stop - 1]),
            pickup=self._whole.load(self._constraints.pickup[stop - 1]),
            skills=self._numbers(self._constraints.skills[stop - 1]),
        )

    def _shipment(self, stop: int) -> Any:
        ends = [self._library.ShipmentStep(end, **self._visit(end)) for end in (stop, stop + 1)]
        return self._library.Shipment(
            *ends,
            amount=self._whole.load(self._constraints.shipment[stop - 1]),
            skills=self._numbers(self._constraints.skills[stop - 1]),
        )

    def _visit(self, stop: int) -> dict[str, Any]:
        windows: list[tuple[int, int]] = []
        for opens, closes in self._constraints.windows[stop - 1].tolist():
            if opens < math.inf and closes >= 0:
                first, last = self._window(opens, closes)
                if windows and first <= windows[-1][1]:  # met by rounding
                    first, last = windows.pop()[0], last
                windows.append((first, last))
        return {
            "location": self._constraints.num_depots - 1 + stop,
            "default_service": int(self._whole.up(self._constraints.service[stop - 1])),
            "time_windows": windows,
        }

    def _vehicle(self, number: int, index: int) -> Any:
        constraints, whole = self._constraints, self._whole
        each = constraints.vehicles[index]
        first, last = opening(constraints, each), closing(constraints, each)
        limits: dict[str, Any] = {}
        if each.max_travel_time < math.inf:
            limits["max_travel_time"] = whole.down(each.max_travel_time)
        if each.max_distance < math.inf:
            limits["max_distance"] = min(_LARGEST, whole.down(each.max_distance))
        if each.max_stops < math.inf:
            limits["max_tasks"] = int(each.max_stops)
        return self._library.Vehicle(
            number,
            start=each.start,
            end=each.end,
            profile=str(index),
            capacity=whole.load(each.capacity),
            skills=self._numbers(each.skills),
            time_window=self._window(first, min(last, first + each.max_duration)),
            costs=self._library.VehicleCosts(
                fixed=round(whole.cost(each.fixed_cost) / self._shrink)
            ),
            **limits,
        )

    def _window(self, opens: float, closes: float) -> tuple[int, int]:
        first = int(self._whole.up(max(0.0, opens)))
        return first, max(first, min(_LATEST, self._whole.down(closes)))

    def _numbers(self, skills: frozenset[str]) -> set[int]:
        return {self._skills[name] for name in skills}
