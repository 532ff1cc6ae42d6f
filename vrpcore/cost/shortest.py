"""Shortest paths through an instance, for matrices in which a detour may be shorter."""

import numpy as np

from vrpcore.instance.instance import Float64, Instance


def obeys_triangle_inequality(instance: Instance) -> bool:
    """Return whether no detour can be shorter or faster: lengths of unrounded coordinates.

    Args:
        instance: With constraints.
    """
    given = instance.distances is not None or instance.own_constraints.has_matrices
    return not given and instance.metric in ("euclidean", "haversine")


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
