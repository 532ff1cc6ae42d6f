"""Instances with constraints as models of OR-Tools' routing library, and its routes as ours."""

import importlib
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks.contender import Attempt, SolveOne
from benchmarks.whole import (
    CannotExpressError,
    Int64,
    Whole,
    closing,
    opening,
    passes_backhauls,
    vehicle_number,
)
from vrpcore.bench.timing import timed
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Route
from vrpcore.instance.vehicle_types import VehicleType


def check_expressible(instance: Instance) -> None:
    """Checks that the routing library has everything that an instance with constraints asks for.

    Raises:
        CannotExpressError: It has no such thing.
    """
    constraints = instance.own_constraints
    earliest = min(opening(constraints, each) for each in constraints.vehicles)
    reasons = {
        "releases": bool((constraints.release > earliest).any()),
        "pickup_only_routes": constraints.backhauls == "mixed"
        and not constraints.pickup_only_routes,
        "backhauls after all deliveries and stops with neither": passes_backhauls(constraints),
        "negative times": earliest < 0,
    }
    for reason, holds in reasons.items():
        if holds:
            raise CannotExpressError(reason)
    Whole(instance)  # raises, too


def ortools_constraints_solver(budget: float | None) -> SolveOne:
    """OR-Tools' routing library for instances with constraints.

    Its first solution is by the strategy that it chooses itself; guided local search follows.

    Args:
        budget: Wall seconds, within which it may find nothing; None: its first solution and
            local search without a metaheuristic.
    """

    def solve(instance: Instance) -> Attempt:
        check_expressible(instance)
        library = importlib.import_module("ortools.constraint_solver.pywrapcp")
        builder, search = _OrtoolsBuilder(library, Whole(instance)), ortools_parameters(budget)
        _, solver_s, found = timed(lambda: builder.model.SolveWithParameters(search))
        return Attempt(None if found is None else list(builder.routes(found)), solver_s)

    return solve


def ortools_parameters(budget: float | None) -> Any:
    """Guided local search within wall seconds; None: local search without a metaheuristic."""
    library = importlib.import_module("ortools.constraint_solver.pywrapcp")
    enums = importlib.import_module("ortools.constraint_solver.routing_enums_pb2")
    search = library.DefaultRoutingSearchParameters()
    if budget is not None:
        guided = enums.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
        search.local_search_metaheuristic = guided
        search.time_limit.FromNanoseconds(round(budget * 1e9))
    return search


def visited(model: Any, nodes: Any, found: Any, vehicle: int) -> Iterator[int]:
    """The nodes between a vehicle's start and end in a solution of the routing library.

    Args:
        model: The routing model.
        nodes: Its index manager.
        found: The solution.
        vehicle: By number.
    """
    place = found.Value(model.NextVar(model.Start(vehicle)))
    while not model.IsEnd(place):
        yield nodes.IndexToNode(place)
        place = found.Value(model.NextVar(place))


class _OrtoolsBuilder:
    """Builds the model of one instance.

    Nodes are those of the instance, and one behind them that is at no distance from any: where
    open routes begin and end.
    """

    def __init__(self, library: Any, whole: Whole) -> None:
        self._whole, self._constraints = whole, whole.instance.own_constraints
        constraints = self._constraints
        self._types = [
            index
            for index in whole.types
            for _ in range(vehicle_number(constraints, constraints.vehicles[index]))
        ]
        self._each = [constraints.vehicles[index] for index in self._types]
        nowhere = constraints.num_nodes
        self._nodes = library.RoutingIndexManager(
            nowhere + 1,
            len(self._types),
            [nowhere if each.start is None else each.start for each in self._each],
            [nowhere if each.end is None else each.end for each in self._each],
        )
        self.model = library.RoutingModel(self._nodes)
        self._stops = range(1, constraints.num_stops + 1)
        self._matrices: dict[tuple[str | None, float], tuple[Int64, Int64]] = {}
        self._dearest_leg = 0
        self._leave_out_unused()
        self._costs()
        self._loads()
        timed_routes = self._has_times()
        if timed_routes:
            self._times()
        self._limits()
        self._ways()
        self._shipments("time" if timed_routes else "stops")
        self._optional()

    def routes(self, found: Any) -> Iterator[Route]:
        """The routes of its solution."""
        for vehicle, index in enumerate(self._types):
            nodes = visited(self.model, self._nodes, found, vehicle)
            if stops := tuple(node - self._constraints.num_depots + 1 for node in nodes):
                yield Route(index, stops)

    def _index(self, stop: int) -> int:
        return int(self._nodes.NodeToIndex(self._constraints.num_depots - 1 + stop))

    def _leave_out_unused(self) -> None:
        """Leave out depots where no vehicle begins or ends: OR-Tools would visit them."""
        ends = {end for each in self._each for end in (each.start, each.end)}
        depots = {*range(self._constraints.num_depots), None}
        for depot in depots - ends:
            index = self._nodes.NodeToIndex(self._constraints.num_nodes if depot is None else depot)
            self.model.AddDisjunction([index], 0)
            self.model.ActiveVar(index).SetValue(0)

    def _legs(self, vehicle: VehicleType) -> tuple[Int64, Int64]:
        """Lengths and durations, [M + 1, M + 1] each."""
        key = vehicle.matrix, vehicle.speed
        if key not in self._matrices:
            lengths, times = self._whole.matrices(vehicle)
            self._matrices[key] = np.pad(lengths, (0, 1)), np.pad(times, (0, 1))
        return self._matrices[key]

    def _evaluators(
        self, table: Callable[[VehicleType], Int64], key: Callable[[VehicleType], object]
    ) -> list[int]:
        """One for each vehicle; vehicles with the same key share it."""
        known: dict[object, int] = {}
        for each in self._each:
            if key(each) not in known:
                known[key(each)] = self.model.RegisterTransitMatrix(table(each).tolist())
        return [known[key(each)] for each in self._each]

    def _costs(self) -> None:
        unit = self._whole.unit_scale

        def table(each: VehicleType) -> Int64:
            lengths, times = self._legs(each)
            costs = unit * (lengths * each.distance_cost + times * each.travel_cost)
            whole: Int64 = np.rint(costs).astype(np.int64)
            self._dearest_leg = max(self._dearest_leg, int(whole.max()))
            return whole

        found = self._evaluators(
            table, lambda each: (each.matrix, each.speed, each.distance_cost, each.travel_cost)
        )
        for vehicle, each in enumerate(self._each):
            self.model.SetArcCostEvaluatorOfVehicle(found[vehicle], vehicle)
            self.model.SetFixedCostOfVehicle(self._whole.cost(each.fixed_cost), vehicle)

    def _loads(self) -> None:
        for dimension in range(self._constraints.delivery.shape[1]):
            self._load(dimension)

    def _load(self, dimension: int) -> None:
        """Add the load on board; deliveries are on board from the start.

        A single kind of amount can be counted from 0, and deliveries before pickups as two.
        """
        constraints = self._constraints
        given, taken = constraints.delivery[:, dimension], constraints.pickup[:, dimension]
        taken = taken + constraints.shipment[:, dimension]
        if constraints.backhauls == "last" or not given.any() or not taken.any():
            for name, amounts in (("given", given), ("taken", taken)):
                if amounts.any():
                    self._count(amounts, dimension, f"{name} {dimension}")
            return
        self._count(given, dimension, f"given {dimension}")
        self._count(taken - given, dimension, f"board {dimension}", from_zero=False)
        end = self.model.GetDimensionOrDie(f"given {dimension}").CumulVar
        first = self.model.GetDimensionOrDie(f"board {dimension}").CumulVar
        for vehicle in range(len(self._types)):
            start = first(self.model.Start(vehicle))
            self.model.solver().Add(start == end(self.model.End(vehicle)))

    def _count(self, amounts: Any, dimension: int, name: str, *, from_zero: bool = True) -> None:
        whole = [self._whole.load([amount])[0] for amount in amounts.tolist()]
        most = [self._whole.load([each.capacity[dimension]])[0] for each in self._each]
        self._unary(whole, most, name, from_zero=from_zero)

    def _unary(
        self, values: Sequence[int], most: Sequence[int], name: str, *, from_zero: bool = True
    ) -> None:
        nodes = [*[0] * self._constraints.num_depots, *values, 0]
        evaluator = self.model.RegisterUnaryTransitVector(nodes)
        self.model.AddDimensionWithVehicleCapacity(evaluator, 0, most, from_zero, name)

    def _has_times(self) -> bool:
        constraints = self._constraints
        late = [closing(constraints, each) < math.inf for each in self._each]
        long = [each.max_duration < math.inf or each.duration_cost > 0 for each in self._each]
        return bool(np.isfinite(constraints.windows[:, 0]).any()) or any(late) or any(long)

    def _times(self) -> None:
        constraints, whole, model = self._constraints, self._whole, self.model
        service = np.zeros(constraints.num_nodes + 1, np.int64)
        service[constraints.num_depots : -1] = whole.up(constraints.service)
        found = self._evaluators(
            lambda each: self._legs(each)[1] + service[:, None],
            lambda each: (each.matrix, each.speed),
        )
        longest = max(int(self._legs(each)[1].max()) for each in self._each)
        latest = whole.horizon + int(service.sum()) + longest * (constraints.num_stops + 1)
        model.AddDimensionWithVehicleTransits(found, latest, latest, False, "time")
        times = model.GetDimensionOrDie("time")
        for stop in self._stops:
            self._open(times.CumulVar(self._index(stop)), stop, latest)
        for vehicle, each in enumerate(self._each):
            self._shift(times, vehicle, each, latest)

    def _shift(self, times: Any, vehicle: int, each: VehicleType, latest: int) -> None:
        constraints, whole, model = self._constraints, self._whole, self.model
        first = int(whole.up(opening(constraints, each)))
        back = first
        if each.end is not None:
            back = max(first, int(whole.up(max(0.0, constraints.depots[each.end].window[0]))))
        last = max(back, min(latest, whole.down(closing(constraints, each))))
        times.CumulVar(model.Start(vehicle)).SetRange(first, last)
        times.CumulVar(model.End(vehicle)).SetRange(back, last)
        if each.max_duration < math.inf:
            times.SetSpanUpperBoundForVehicle(whole.down(each.max_duration), vehicle)
        if each.duration_cost > 0:
            cost = round(each.duration_cost * whole.unit_scale)
            times.SetSpanCostCoefficientForVehicle(cost, vehicle)

    def _open(self, begin: Any, stop: int, latest: int) -> None:
        """Lets service begin only within the stop's windows."""
        windows = []
        for opens, closes in self._constraints.windows[stop - 1].tolist():
            if opens < math.inf:
                first = int(self._whole.up(max(0.0, opens)))
                windows.append((first, max(first, min(latest, self._whole.down(closes)))))
        begin.SetRange(windows[0][0], windows[-1][1])
        for (_, closes), (opens, _) in itertools.pairwise(windows):
            if closes + 1 <= opens - 1:
                begin.RemoveInterval(closes + 1, opens - 1)

    def _limits(self) -> None:
        """Limit lengths, travel times and stops; count stops where shipments need an order."""
        whole = self._whole
        kinds = (
            ("length", 0, [each.max_distance for each in self._each]),
            ("travel", 1, [each.max_travel_time for each in self._each]),
        )
        for name, which, limits in kinds:
            if min(limits) < math.inf:
                found = self._evaluators(
                    lambda each, which=which: self._legs(each)[which],  # type: ignore[misc]
                    lambda each: (each.matrix, each.speed),
                )
                most = [whole.down(limit) for limit in limits]
                self.model.AddDimensionWithVehicleTransitAndCapacity(found, 0, most, True, name)
        stops = len(self._stops)
        counts = [min(stops, each.max_stops) for each in self._each]
        if min(counts) < stops or self._constraints.num_shipments:
            self._unary([1] * stops, [int(count) for count in counts], "stops")

    def _ways(self) -> None:
        """Bar stops that a vehicle must not serve, and deliveries behind pickups."""
        constraints, model = self._constraints, self.model
        for stop in self._stops:
            allowed = [
                vehicle
                for vehicle, index in enumerate(self._types)
                if constraints.may_serve(index, stop)
            ]
            if len(allowed) < len(self._types):
                model.VehicleVar(self._index(stop)).SetValues([-1, *allowed])  # -1: left out
        if constraints.backhauls != "last":
            return
        picks = [s for s in self._stops if constraints.pickup[s - 1].any()]
        gives = [self._index(s) for s in self._stops if constraints.delivery[s - 1].any()]
        for stop in picks:
            model.NextVar(self._index(stop)).RemoveValues(gives)
        if not constraints.pickup_only_routes:
            for vehicle in range(len(self._types)):
                model.NextVar(model.Start(vehicle)).RemoveValues(list(map(self._index, picks)))

    def _shipments(self, order: str) -> None:
        model = self.model
        for stop in self._stops:
            if (self._constraints.partner(stop) or 0) > stop:
                first, second = self._index(stop), self._index(stop + 1)
                model.AddPickupAndDelivery(first, second)
                position = model.GetDimensionOrDie(order).CumulVar
                model.solver().Add(model.VehicleVar(first) == model.VehicleVar(second))
                model.solver().Add(position(first) <= position(second))

    def _optional(self) -> None:
        """Let stops be left out at a price; a shipment pays at its pickup.

        Those who are required may be, too, at more than any answer costs: first solutions are
        found more often if they may be incomplete.
        """
        dearest = sum(map(self._whole.cost, (each.fixed_cost for each in self._each)))
        dearest += (self._constraints.num_stops + len(self._types) + 1) * self._dearest_leg
        prizes = self._constraints.prize[np.isfinite(self._constraints.prize)].tolist()
        dearest += sum(map(self._whole.cost, prizes))
        paid = max(each.duration_cost for each in self._each) * self._whole.unit_scale
        dearest += math.ceil(paid * self._whole.horizon * len(self._types))
        for stop in self._stops:
            partner = self._constraints.partner(stop)
            first = stop if partner is None else min(stop, partner)
            prize = float(self._constraints.prize[first - 1])
            cost = dearest if math.isinf(prize) else self._whole.cost(prize)
            self.model.AddDisjunction([self._index(stop)], cost if stop == first else 0)
