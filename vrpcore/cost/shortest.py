"""Shortest paths through an instance, for matrices in which a detour may be shorter."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vrpcore.cost.distance import distance_matrix
from vrpcore.instance.constraints import NamedMatrices
from vrpcore.instance.instance import Float64, Instance


def obeys_triangle_inequality(instance: Instance) -> bool:
    """Whether no detour can be shorter or faster: lengths of coordinates that are not rounded.

    Args:
        instance: With constraints.
    """
    given = instance.distances is not None or instance.own_constraints.has_matrices
    return not given and instance.metric in ("euclidean", "haversine")


def at_best(instance: Instance, stops: Sequence[int]) -> Instance:
    """The same where no vehicle takes breaks, no stop needs a setup, and the trip is the best.

    What no vehicle can do for these stops there, none can do in the instance, whomever else it
    visits. So a route that begins with a stop may do so at any time: with another one it may begin
    sooner. What is on board for others is delivered. Where vehicles reload, the initial load is
    gone, and they may have left before a stop's release.

    Args:
        instance: With constraints.
        stops: A customer, or a shipment's pickup and delivery.
    """
    constraints = instance.own_constraints
    vehicles = tuple(
        replace(
            each,
            breaks=(),
            latest_start=each.latest_start if each.start is not None else np.inf,
            initial_load=None if each.reloads else each.initial_load,
        )
        for each in constraints.vehicles
    )
    if constraints.on_board is not None:
        delivered = constraints.on_board >= 0
        delivered[np.array(stops) - 1] = False
        shipment = np.where(delivered[:, None], 0.0, constraints.shipment)
        constraints = replace(constraints, shipment=shipment)
        instance = replace(instance, constraints=constraints)
    reloads = any(each.reloads for each in vehicles)
    if not constraints.has_setups and not reloads and vehicles == constraints.vehicles:
        return instance
    bare = replace(constraints, vehicles=vehicles, setup=None, setup_by_type=None)
    if reloads:
        bare = replace(bare, release=np.full(bare.num_stops, -np.inf))
    return replace(instance, constraints=bare)


def with_shortest_paths(instance: Instance, stops: Sequence[int]) -> Instance:
    """An instance of some stops whose legs are the shortest paths through all nodes.

    What no vehicle can do there, none can do in the whole instance, whomever it visits on
    its path.

    Args:
        instance: With constraints.
        stops: As for `Constraints.take`.

    Returns:
        The depots and these stops, with matrices.
    """
    part, constraints = instance.take(stops), instance.own_constraints
    depots = {vehicle.start for vehicle in constraints.vehicles} - {None}
    first = constraints.num_depots - 1
    nodes = [*range(constraints.num_depots), *(first + stop for stop in stops)]
    sources = [row for row, node in enumerate(nodes) if node > first or node in depots]

    def through_all(matrix: Float64) -> Float64:
        found = matrix[np.ix_(nodes, nodes)]
        for row in sources:
            found[row] = shortest_from(matrix, nodes[row])[nodes]
        return found

    has_lengths = instance.distances is not None or instance.coords is not None
    return replace(
        part,
        coords=None,
        distances=through_all(distance_matrix(instance)) if has_lengths else None,
        constraints=replace(
            part.own_constraints,
            costs=None,
            durations=None if constraints.durations is None else through_all(constraints.durations),
            matrices={
                name: NamedMatrices(
                    None if each.distances is None else through_all(each.distances),
                    through_all(each.durations),
                )
                for name, each in constraints.matrices.items()
            },
        ),
    )


def shortest_from(lengths: Float64, source: int) -> Float64:
    """Lengths of the shortest paths from a node to all others.

    Args:
        lengths: [M, M] float64 >= 0, row = from.
        source: 0..M-1.

    Returns:
        [M] float64.

    Source:
        Dijkstra 1959, "A note on two problems in connexion with graphs", for dense graphs.
    """
    best: Float64 = lengths[source].copy()
    best[source] = 0.0
    open_best = best.copy()  # infinite where a node is done
    for _ in range(len(best)):
        node = int(open_best.argmin())
        open_best[node] = np.inf
        reached = best[node] + lengths[node]
        nearer = reached < best
        best[nearer] = open_best[nearer] = reached[nearer]
    return best
