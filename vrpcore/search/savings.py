"""Routes by savings: start with one vehicle per customer, join where it saves most."""

from vrpcore.cost.distance import distance_matrix
from vrpcore.cost.tour_routes import Routes
from vrpcore.instance.instance import Instance
from vrpcore.search.hgs_library import Problem

# Beyond so many customers without a matrix, lengths are computed where they are needed.
MOST_BY_MATRIX = 500


def savings_routes(instance: Instance) -> Routes:
    """Routes by savings: one vehicle per customer, joined where that saves most.

    Up to 150 customers all pairs compete; beyond, each customer with its 100 nearest. The
    lightest routes left over then compete in all pairs, because many customers at one address
    have only each other as neighbours. With asymmetric lengths, routes are joined end to start
    and never reversed.

    Args:
        instance: Any instance whose demands fit the capacity one by one. A matrix is copied in 4
            bytes a length, twice if it has a direction.

    Returns:
        Lists of customers 1..N, every customer once, loads within the limit; `[]` without
        customers.

    Raises:
        MissingSearchError: The compiled search was not built.

    Source:
        Clarke and Wright 1964, "Scheduling of Vehicles from a Central Depot to a Number
        of Delivery Points" (parallel version).
    """
    size = instance.num_customers
    if size < 2:
        return [[1]] * size
    matrix = instance.distances
    if matrix is None and size <= MOST_BY_MATRIX:
        matrix = distance_matrix(instance)
    return Problem(instance, matrix).savings()
