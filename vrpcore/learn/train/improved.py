"""Sampled tours that the search has improved: what a policy shall prefer to its own.

The search improves the cheapest tour of each instance. The routes that it finds can be written in
many orders and directions, of which the policy finds few likely. So they are written as the sampled
tour had them: in its order, and a route that may be turned in the direction that agrees with more
of it. An instance's tour does not depend on the others of its batch.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vrpcore.arrays.batch import FAR, SLACK, Batch
from vrpcore.cost.cost import Tours
from vrpcore.cost.variant_cost import variant_routes
from vrpcore.instance.constraints import Constraints, plain_columns
from vrpcore.instance.instance import Float64, Instance
from vrpcore.instance.plan import Route
from vrpcore.instance.vehicle_types import Depot, VehicleType
from vrpcore.learn.train.data import TrainBatch
from vrpcore.learn.train.labels import turns_freely
from vrpcore.search.effort import FAST
from vrpcore.search.known_tours import improve_tours, written_like
from vrpcore.search.rich_evolution import evolve
from vrpcore.search.rich_library import RichSearch
from vrpcore.search.rich_problem import RichProblem

Tour = NDArray[np.int64]


def improved_tours(batch: TrainBatch, tours: Tours, cost: Float64, *, iterations: int) -> Tour:
    """The cheapest tour of each instance, improved in this thread; see above.

    Args:
        batch: B instances.
        tours: [B, S, T] integers.
        cost: [B, S] float64, theirs.
        iterations: Of the search, for each customer.

    Returns:
        [B, 1, T] int64; the cheapest tour itself where the search found nothing, or more routes
        than T has room for.

    Raises:
        MissingSearchError: The search was not built.
    """
    best = tours[np.arange(len(tours)), cost.argmin(axis=1)].astype(np.int64)
    arrays = Batch(*(tensor.numpy() for tensor in batch.inputs))
    if arrays.plain:
        return improve_tours(arrays, batch.coords.numpy(), best, iterations)[:, None]
    return _improved_variants(arrays, best, cost.min(axis=1), iterations)[:, None]


def _improved_variants(arrays: Batch, tours: Tour, cost: Float64, iterations: int) -> Tour:
    """Tours of instances with the columns of constraints, [B, T] and [B], one after the other."""
    free = turns_freely(arrays)
    made = tours.copy()
    for row, tour in enumerate(tours):
        depots = int(arrays.num_depots[row])
        search = RichSearch(RichProblem(instance_of(arrays, row)))
        search.begin(0)
        search.start(variant_routes(tour, depots))
        plan = evolve(search, iterations * search.size, FAST, 0).plan()
        # The search's limits are a little tighter: it may have had to change a good tour.
        better = not plan.missing and plan.cost < cost[row]
        # A depot and the stops of each route.
        if not better or sum(1 + len(route.stops) for route in plan.routes) > len(tour):
            continue
        nodes = _written(tour, plan.routes, depots, turn=bool(free[row]))
        made[row] = np.pad(nodes, (0, len(tour) - len(nodes)))
    return made


def _written(tour: Tour, routes: Sequence[Route], num_depots: int, *, turn: bool) -> list[int]:
    """Routes as a tour has them, each behind its depot: see `written_like`."""
    nodes = [[num_depots - 1 + stop for stop in route.stops] for route in routes]
    pairs = zip(routes, nodes, strict=True)
    depot_of = {node: route.vehicle for route, own in pairs for node in own}
    written = written_like(tour, nodes, turn=turn)
    return [node for route in written for node in (depot_of[route[0]], *route)]


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
