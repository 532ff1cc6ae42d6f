"""Sampled tours that the search has improved: what a policy shall prefer to its own.

The search improves the cheapest tour of each instance. The routes that it finds can be written in
many orders and directions, of which the policy finds few likely. So they are written as the sampled
tour had them: in its order, and a route that may be turned in the direction that agrees with more
of it. The number of cores changes nothing.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from vrpcore.arrays.batch import FAR, SLACK, Batch
from vrpcore.cost.distance import distance_matrix
from vrpcore.cost.tour_routes import routes_to_tour, tour_to_routes
from vrpcore.cost.variant_cost import variant_routes, variant_tour
from vrpcore.instance.constraints import Constraints, plain_columns
from vrpcore.instance.instance import Float64, Instance
from vrpcore.instance.plan import Route
from vrpcore.instance.vehicle_types import Depot, VehicleType
from vrpcore.search.effort import FAST
from vrpcore.search.evolution import Evolution
from vrpcore.search.hgs_library import Problem
from vrpcore.search.rich_evolution import evolve
from vrpcore.search.rich_library import RichSearch
from vrpcore.search.rich_problem import RichProblem
from vrpcore.threads import side_by_side
from vrpcore.train.data import TrainBatch
from vrpcore.train.labels import turns_freely

Tour = NDArray[np.int64]
# Maps a row of a batch and a tour of it to a better tour; None: there is none, or it has no room.
Search = Callable[[int, Tour], Tour | None]


def improved_tours(
    batch: TrainBatch, tours: Tour, cost: Float64, cores: int, *, iterations: int
) -> Tour:
    """The cheapest tour of each instance, improved; see above.

    Args:
        batch: B instances.
        tours: [B, S, T] int64.
        cost: [B, S] float64, theirs.
        cores: On which instances are improved side by side.
        iterations: Of the search, for each customer.

    Returns:
        [B, 1, T] int64; the cheapest tour itself where the search found nothing, or more routes
        than T has room for.

    Raises:
        MissingSearchError: The search was not built.
    """
    if batch.inputs.plain:
        improve = _plain_search(batch, iterations)
    else:
        improve = _variants_search(batch, cost, iterations)
    rows = np.arange(len(tours))
    best = tours[rows, cost.argmin(axis=1)]
    found = side_by_side([partial(improve, row, best[row]) for row in rows.tolist()], cores)
    made = [old if new is None else new for old, new in zip(best, found, strict=True)]
    return np.stack(made)[:, None]


def _plain_search(batch: TrainBatch, iterations: int) -> Search:
    """Returns what improves tours of plain instances."""
    coords, valid = batch.coords.numpy(), batch.inputs.valid.numpy()
    demand, capacity = batch.inputs.demand.numpy(), batch.inputs.capacity.numpy()

    def improve(row: int, tour: Tour) -> Tour | None:
        size = int(valid[row].sum())
        instance = Instance(
            name=str(row),
            capacity=float(capacity[row]),
            coords=coords[row, :size],
            demand=demand[row, :size].astype(np.float64),
            ids=tuple(range(1, size)),
        )
        found = _improved_routes(instance, tour, iterations)
        routes = _like(tour, [Route(0, tuple(stops)) for stops in found])
        if not routes or not _fit(routes, tour):
            return None
        return routes_to_tour([route.stops for route in routes], len(tour))

    return improve


def _variants_search(batch: TrainBatch, cost: Float64, iterations: int) -> Search:
    """Returns what improves tours of instances with the columns of constraints."""
    arrays = Batch(*(tensor.numpy() for tensor in batch.inputs))
    free = turns_freely(arrays)

    def improve(row: int, tour: Tour) -> Tour | None:
        depots = int(arrays.num_depots[row])
        search = RichSearch(RichProblem(instance_of(arrays, row)).packed)
        search.begin(0)
        search.start(variant_routes(tour, depots))
        plan = evolve(search, iterations, FAST, 0).plan()
        # The search's limits are a little tighter: it may have had to change a good tour.
        if plan.missing or plan.cost >= cost[row].min():
            return None
        if not _fit(plan.routes, tour):
            return None
        routes = _like(tour, plan.routes, depots, turn=bool(free[row]))
        return variant_tour(routes, depots, len(tour))

    return improve


def _improved_routes(instance: Instance, tour: Tour, iterations: int) -> list[list[int]]:
    """Routes of an instance without constraints; none where the search found nothing."""
    if instance.num_customers < 2:
        return []
    problem = Problem(instance, distance_matrix(instance))
    evolution = Evolution(instance, problem, [tour_to_routes(tour)], 0)
    evolution.run(iterations * instance.num_customers)
    routes = evolution.best() or []
    # The search allows for rounding, a policy does not.
    fit = all(instance.demand[route].sum() <= instance.capacity for route in routes)
    return [list(route) for route in routes] if fit else []


def _fit(routes: Sequence[Route], tour: Tour) -> bool:
    """Whether routes can be written as a tour of this length: a depot and the stops of each."""
    return sum(1 + len(route.stops) for route in routes) <= len(tour)


def _like(
    tour: Tour, routes: Sequence[Route], num_depots: int = 1, *, turn: bool = True
) -> list[Route]:
    """Routes in the order in which a tour visits their stops, turned where that is allowed."""
    position = np.zeros(len(tour))
    position[tour] = np.arange(len(tour))
    written = []
    for route in routes:
        stops = route.stops
        at = position[[num_depots - 1 + stop for stop in stops]]
        backwards = (np.sign(np.diff(at)).sum() or at[-1] - at[0]) < 0
        ordered = stops[::-1] if turn and backwards else stops
        written.append((at.mean(), Route(route.vehicle, ordered)))
    return [route for _, route in sorted(written)]


def instance_of(batch: Batch, row: int) -> Instance:
    """A problem of a batch as an instance: what keeps its limits keeps those of the batch.

    Lengths and times are sides of the square. Times and limits are once more `SLACK` shorter, since
    policies add them up in float32.
    """
    depots, size = int(batch.num_depots[row]), int(batch.valid[row].sum())
    opening = batch.opening[row, :size].astype(np.float64)
    closing = _bounded(batch.closing[row, :size])
    limit = float(_bounded(batch.limit[row]))
    timed = bool(batch.limit_has_service[row])
    vehicles = tuple(
        VehicleType(
            id=str(depot),
            capacity=(float(batch.capacity[row]),),
            start=depot,
            end=None if batch.open_end[row] else depot,
            window=(float(opening[depot]), float(closing[depot])),
            max_distance=math.inf if timed else limit,
            max_duration=limit if timed else math.inf,
        )
        for depot in range(depots)
    )
    columns = plain_columns(size - depots) | {
        "delivery": batch.demand[row, depots:size, None].astype(np.float64),
        "pickup": batch.pickup[row, depots:size, None].astype(np.float64),
        "windows": np.stack((opening[depots:], closing[depots:]), axis=1)[:, None],
        "service": batch.service[row, depots:size].astype(np.float64),
    }
    constraints = Constraints(
        depots=tuple(Depot(id=str(depot)) for depot in range(depots)),
        vehicles=vehicles,
        backhauls="last" if batch.backhauls_last[row] else "mixed",
        pickup_only_routes=bool(batch.pickup_only[row]),
        **columns,
    )
    return Instance(
        name=str(row),
        coords=batch.coords_unit[row, :size].astype(np.float64),
        ids=tuple(range(1, size - depots + 1)),
        constraints=constraints,
        **constraints.shown(),
    )


def _bounded(ends: NDArray[np.float32]) -> Float64:
    """Closing times or limits with `SLACK`, infinite where there is none."""
    exact = np.asarray(ends, np.float64)
    return np.where(exact < FAR / 2, exact - SLACK, math.inf)
