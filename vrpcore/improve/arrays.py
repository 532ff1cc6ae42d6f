"""The search's memory: what its compiled loops read and write."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vrpcore.cost.routes import tour_to_routes
from vrpcore.improve.savings import Routes
from vrpcore.improve.scaling import whole_demand, whole_distances
from vrpcore.instance.instance import Float64, Instance

Array = NDArray[Any]

END = -1  # behind the last node of a tour
COST, NUM_ABSENT, BEST, STAMP = range(4)  # places in `Line.status`
MAX_NEAR = 100


class Problem(NamedTuple):
    """What does not change during a search.

    Attributes:
        distance: [M, M] int32, row = from.
        demand: [M] int64, depot 0.
        near: [M, K] int32, each node's nearest customers, nearest first, itself left out.
        price: [M] int64, what a customer without a vehicle costs: more than any detour.
        limit: [1] int64, largest load.
    """

    distance: Array
    demand: Array
    near: Array
    price: Array
    limit: Array


class Line(NamedTuple):
    """A solution that is being changed, and the best one on its way.

    Attributes:
        route: [R, W] int32, customers of each vehicle.
        length: [R] int64, how many.
        load: [R] int64.
        where: [M] int64, each customer's vehicle, -1 without one.
        place: [M] int64, its place in that route.
        absent: [N] int64, customers without a vehicle.
        status: [4] int64: cost, number of absent customers, cost of `best`, last iteration.
        best: [T] int32, a tour: 0 behind each route, `END` behind the last.
        random: [1] uint64, never 0.
    """

    route: Array
    length: Array
    load: Array
    where: Array
    place: Array
    absent: Array
    status: Array
    best: Array
    random: Array


class Scratch(NamedTuple):
    """Memory for one iteration.

    Attributes:
        route: [R, W] int32, routes as they were before the iteration.
        length: [R] int64 and
        load: [R] int64 of these.
        changed: [R] int64, the iteration that last saved a route.
        ruined: [R] int64, the iteration that last ruined it.
        saved: [R] int64, vehicles saved in this iteration.
        removed: [N] int64, customers to insert.
        key: [N] float64, their order.
        absent: [N] int64, as it was before the iteration.
        mark: [M] int64, customers of a child that no route serves yet.
        span: [N + 1, 3] int64, of the father's routes: first, behind the last, overlap.
    """

    route: Array
    length: Array
    load: Array
    changed: Array
    ruined: Array
    saved: Array
    removed: Array
    key: Array
    absent: Array
    mark: Array
    span: Array


class Population(NamedTuple):
    """The best different solutions found.

    Attributes:
        tour: [P, T] int32, as `Line.best`.
        cost: [P] int64.
        size: [1] int64, how many there are.
    """

    tour: Array
    cost: Array
    size: Array


def make_problem(instance: Instance, matrix: Float64) -> Problem:
    """An instance as the loops want it.

    Args:
        instance: At least one customer.
        matrix: Its lengths, [M, M] float64.
    """
    distance = whole_distances(matrix)
    demand, limit = whole_demand(instance)
    loads = np.array(demand, np.int64)
    share = 0.5 + loads / max(1.0, float(loads[1:].mean()))
    return Problem(
        distance,
        loads,
        _nearest(distance),
        np.rint(2.0 * max(1, int(distance.max())) * share).astype(np.int64),
        np.array([limit], np.int64),
    )


def make_line(problem: Problem, vehicles: int, seed: int) -> Line:
    """An empty solution.

    Args:
        problem: The problem.
        vehicles: R, most routes that it may have.
        seed: Of its random numbers, >= 0.
    """
    num_nodes = len(problem.demand)
    fits = np.cumsum(np.sort(problem.demand[1:])) <= problem.limit[0]
    return Line(
        np.zeros((vehicles, max(1, int(fits.sum()))), np.int32),
        np.zeros(vehicles, np.int64),
        np.zeros(vehicles, np.int64),
        np.full(num_nodes, -1, np.int64),
        np.zeros(num_nodes, np.int64),
        np.zeros(num_nodes - 1, np.int64),
        np.zeros(4, np.int64),
        np.full(num_nodes + vehicles, END, np.int32),
        np.random.default_rng(seed).integers(1, 2**64, 1, np.uint64, endpoint=False),
    )


def make_scratch(line: Line) -> Scratch:
    """Memory for one line."""
    vehicles, num_nodes = len(line.length), len(line.where)
    return Scratch(
        route=np.empty_like(line.route),
        length=np.zeros(vehicles, np.int64),
        load=np.zeros(vehicles, np.int64),
        changed=np.zeros(vehicles, np.int64),
        ruined=np.zeros(vehicles, np.int64),
        saved=np.zeros(vehicles, np.int64),
        removed=np.empty(num_nodes, np.int64),
        key=np.empty(num_nodes, np.float64),
        absent=np.empty(num_nodes, np.int64),
        mark=np.zeros(num_nodes, np.int64),
        span=np.zeros((num_nodes, 3), np.int64),
    )


def make_population(size: int, line: Line) -> Population:
    """Room for `size` solutions."""
    return Population(
        np.empty((size, len(line.best)), np.int32), np.zeros(size, np.int64), np.zeros(1, np.int64)
    )


def write_tour(line: Line, routes: Routes) -> None:
    """Puts routes into `line.best`; beyond the line's vehicles those with most customers."""
    kept = sorted(routes, key=len, reverse=True)[: len(line.length)]
    flat = [node for route in kept for node in (*route, 0)]
    line.best[: len(flat)] = flat
    line.best[len(flat)] = END


def read_tour(tour: Array) -> Routes:
    """The routes of a tour, customers 1..N."""
    nodes = tour.tolist()
    return tour_to_routes(tour[: nodes.index(END)])


def _nearest(distance: Array) -> Array:
    """Each node's nearest customers by the way there and back, [M, K] int32."""
    num_nodes = len(distance)
    count = min(num_nodes - 2, MAX_NEAR)
    both = distance.astype(np.float32)
    both += both.T.copy()
    np.fill_diagonal(both, np.inf)
    customers = both[:, 1:]
    if count < num_nodes // 2:
        near = np.argpartition(customers, count, axis=1)[:, :count]
        order = np.argsort(np.take_along_axis(customers, near, 1), axis=1, kind="stable")
        near = np.take_along_axis(near, order, 1)
    else:
        near = np.argsort(customers, axis=1, kind="stable")[:, :count]
    return near.astype(np.int32) + 1
