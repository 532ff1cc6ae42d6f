"""Classical solvers of plain instances: HGS, PyVRP, VROOM and OR-Tools by their own defaults.

They are imported by name inside functions, so that this module loads without them.
"""

import importlib
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.contender import Attempt, SolveOne
from benchmarks.ortools_model import ortools_parameters, visited
from vrpcore.bench.timing import timed
from vrpcore.cost.distance import distance_matrix, instance_points
from vrpcore.instance.instance import Float64, Instance
from vrpcore.search.scaling import whole_demand

_HGS_LARGEST, _HGS_SCALED = 1e5, 1e4  # what it refuses to be above, and what is safe
_DIGITS = 4  # the longest length is given as 10 000 to 99 999
_SPARE_SHARE, _SPARE_VEHICLES = 1.3, 3


def hgs_solver(budget: float, seed: int, mu: int | None) -> SolveOne:
    """HGS-CVRP through `hygese`, a time limit in CPU seconds of its own clock.

    Lengths are float64, scaled: a few of its thresholds are absolute, and in the unit
    square it found less in the same time.

    Args:
        budget: Seconds.
        seed: Of its random numbers.
        mu: Smallest population; None: its default, 25, of which it makes four times as
            many before the search begins.

    Source:
        Vidal 2022, "Hybrid genetic search for the CVRP: Open-source implementation and
        SWAP* neighborhood".
    """

    def solve(instance: Instance) -> Attempt:
        hygese = importlib.import_module("hygese")
        problem = rival_problem(instance)
        data: dict[str, Any] = {
            "distance_matrix": problem.lengths * _within(problem.lengths),
            "demands": instance.demand * _within(instance.demand),
            "vehicle_capacity": instance.capacity * _within(instance.demand),
        }
        if problem.points is not None:
            data |= {"x_coordinates": problem.points[:, 0], "y_coordinates": problem.points[:, 1]}
        if instance.max_vehicles is not None:
            data["num_vehicles"] = instance.max_vehicles
        own = {} if mu is None else {"mu": mu}
        parameters = hygese.AlgorithmParameters(timeLimit=budget, seed=seed, **own)
        solver = hygese.Solver(parameters, verbose=False)

        def search() -> Any:
            try:
                return solver.solve_cvrp(data, rounding=False)
            except TypeError:  # it says that the pointer is null: no feasible solution
                return None

        _, solver_s, found = timed(search)
        return Attempt(None if found is None else [list(r) for r in found.routes], solver_s)

    return solve


def _within(numbers: Float64) -> float:
    """A factor that brings numbers into the range that HGS accepts: 1 where they are in it.

    Its tolerance of 1e-5 is then 1e-9 of the largest demand: what fits for it fits here.
    """
    largest = float(numbers.max(initial=0.0))
    whole = np.array_equal(numbers, np.rint(numbers))
    if 1 <= largest <= _HGS_LARGEST and whole:
        return 1.0
    return _HGS_SCALED / (largest or 1.0)


def pyvrp_solver(budget: float, seed: int) -> SolveOne:
    """PyVRP, a time limit in wall seconds that begins after its first solution.

    Source:
        Wouda, Lan, Kool 2024, "PyVRP: a high-performance VRP solver package".
    """

    def solve(instance: Instance) -> Attempt:
        library = importlib.import_module("pyvrp")
        stop = importlib.import_module("pyvrp.stop").MaxRuntime(budget)
        problem = rival_problem(instance)
        points = [(0.0, 0.0)] * len(problem.demand)
        if problem.points is not None:
            points = problem.points.tolist()
        data = library.ProblemData(
            locations=[library.Location(x, y) for x, y in points],
            clients=[
                library.Client(node, [problem.demand[node]])
                for node in range(1, len(problem.demand))
            ],
            depots=[library.Depot(0)],
            vehicle_types=[library.VehicleType(problem.fleet, [problem.limit])],
            distance_matrices=[problem.whole_lengths()],
            duration_matrices=[np.zeros(problem.lengths.shape, np.int64)],
        )
        quiet = {"collect_stats": False, "display": False}
        _, solver_s, found = timed(lambda: library.solve(data, stop, seed, **quiet))
        if not found.is_feasible():
            return Attempt(None, solver_s)
        routes = [[visit.idx + 1 for visit in list(route)[1:-1]] for route in found.best.routes()]
        return Attempt(routes, solver_s)

    return solve


def vroom_solver(level: int) -> SolveOne:
    """VROOM, which has exploration levels in place of a budget.

    Args:
        level: 0 to 5.
    """

    def solve(instance: Instance) -> Attempt:
        library = importlib.import_module("vroom")
        problem = rival_problem(instance)
        model = library.Input()
        model.set_durations_matrix("car", problem.whole_lengths().astype(np.uint32))
        model.add_job(
            [
                library.Job(node, location=node, delivery=[problem.demand[node]])
                for node in range(1, len(problem.demand))
            ]
        )
        model.add_vehicle(
            [
                library.Vehicle(vehicle, start=0, end=0, capacity=[problem.limit])
                for vehicle in range(problem.fleet)
            ]
        )
        _, solver_s, found = timed(lambda: model.solve(exploration_level=level, nb_threads=1))
        steps = found.routes
        routes: dict[int, list[int]] = {}
        columns = (steps["vehicle_id"], steps["type"], steps["location_index"])
        for vehicle, kind, node in zip(*columns, strict=True):
            if kind not in ("start", "end"):
                routes.setdefault(int(vehicle), []).append(int(node))
        return Attempt(list(routes.values()), solver_s)

    return solve


def ortools_solver(budget: float | None) -> SolveOne:
    """OR-Tools' routing library: cheapest arcs, then guided local search.

    Args:
        budget: Wall seconds, within which it may find nothing; None: its first solution and
            local search without a metaheuristic.
    """

    def solve(instance: Instance) -> Attempt:
        library = importlib.import_module("ortools.constraint_solver.pywrapcp")
        enums = importlib.import_module("ortools.constraint_solver.routing_enums_pb2")
        problem = rival_problem(instance)
        nodes = library.RoutingIndexManager(len(problem.demand), problem.fleet, 0)
        model = library.RoutingModel(nodes)
        lengths = model.RegisterTransitMatrix(problem.whole_lengths().tolist())
        model.SetArcCostEvaluatorOfAllVehicles(lengths)
        loads = model.RegisterUnaryTransitVector(problem.demand)
        limits = [problem.limit] * problem.fleet
        model.AddDimensionWithVehicleCapacity(loads, 0, limits, True, "load")
        search = ortools_parameters(budget)
        search.first_solution_strategy = enums.FirstSolutionStrategy.PATH_CHEAPEST_ARC
        _, solver_s, found = timed(lambda: model.SolveWithParameters(search))
        if found is None:
            return Attempt(None, solver_s)
        vehicles = range(problem.fleet)
        routes = [list(visited(model, nodes, found, vehicle)) for vehicle in vehicles]
        return Attempt([route for route in routes if route], solver_s)

    return solve


@dataclass(frozen=True, slots=True, kw_only=True)
class RivalProblem:
    """An instance in the form that rivals need.

    Attributes:
        lengths: [M, M] float64, scaled; whole where they are whole by themselves.
        points: [M, 2] float64 >= 0, scaled alike; None without coordinates.
        demand: Of all nodes, whole numbers.
        limit: Vehicle capacity, a whole number.
        fleet: Number of vehicles, for solvers that require one.
    """

    lengths: Float64
    points: Float64 | None
    demand: list[int]
    limit: int
    fleet: int

    def whole_lengths(self) -> NDArray[np.int64]:
        """[M, M] int64, rounded."""
        return np.rint(self.lengths).astype(np.int64)


def rival_problem(instance: Instance) -> RivalProblem:
    """Scale an instance to the whole numbers that rivals need."""
    matrix = distance_matrix(instance)
    scale = _scale(matrix)
    points = None
    if instance.coords is not None:
        plane = instance_points(instance)
        points = np.stack((plane.real, plane.imag), axis=1)
        points = (points - points.min(axis=0)) * scale
    demand, limit = whole_demand(instance)
    vehicles = math.ceil(_SPARE_SHARE * sum(demand) / max(1, limit)) + _SPARE_VEHICLES
    return RivalProblem(
        lengths=matrix * scale,
        points=points,
        demand=demand.tolist(),
        limit=limit,
        fleet=instance.max_vehicles or min(instance.num_customers, vehicles),
    )


def _scale(matrix: Float64) -> float:
    """1 for whole lengths, else the power of ten that gives the longest five digits.

    Not more: with lengths in the millions PyVRP's best solution may be infeasible.
    """
    longest = float(matrix.max(initial=0.0))
    if longest == 0 or np.array_equal(matrix, np.rint(matrix)):
        return 1.0
    return 10.0 ** (_DIGITS - math.floor(math.log10(longest)))
