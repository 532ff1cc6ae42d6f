"""Constructing instances of the field's variants: starts, symmetries, lengths, ranking."""

from collections.abc import Sequence

import numpy as np

from vrpcore.arrays.batch import Batch, make_batch, policy_nodes
from vrpcore.cost.variant_cost import num_missing, variant_routes, variant_tour_length
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Plan
from vrpcore.solve.backend import Backend, Int64
from vrpcore.solve.construct import (
    MAX_POLICY_CUSTOMERS,
    construct_tours,
    num_rollouts,
    places,
    spread_starts,
)
from vrpcore.solve.solve_options import SolveOptions

# Of the tours of an instance, how many the search weighs by their true costs.
NUM_TOURS = 4


def asks_variants(num_customers: int, options: SolveOptions) -> bool:
    """Whether a policy constructs instances with constraints of a size.

    It is asked where nothing searches, and where the options say how it is to decode.

    Args:
        num_customers: N.
        options: How to solve.
    """
    return num_customers <= MAX_POLICY_CUSTOMERS and options.asks_for_policy


def construct_variants(
    instances: Sequence[Instance], backend: Backend, options: SolveOptions
) -> list[list[Plan]]:
    """Candidates of a batch: symmetric copies, starts, one transfer, lengths, ranking.

    Args:
        instances: That policies cover, of about one size, at most `MAX_POLICY_CUSTOMERS`.
        backend: What runs a policy of the variants.
        options: How to decode.

    Returns:
        For each instance a few different plans, the best first: who serves most, with
        `fewest_vehicles` in the fewest routes, then the shortest. They may break limits by
        rounding, and leave out whom nobody can serve.
    """
    num_nodes = max(len(policy_nodes(each)) for each in instances)
    batch = make_batch(instances, num_nodes)
    tours = construct_tours(instances, backend, batch, _starts(batch, options), options)
    return _rank(batch, tours, options)


def _rank(batch: Batch, tours: Int64, options: SolveOptions) -> list[list[Plan]]:
    coords, depots = batch.coords_unit.astype(np.float64), batch.num_depots
    length = variant_tour_length(coords, tours, depots, batch.open_end)
    missing = num_missing(tours, batch.valid.sum(axis=1) - depots, depots)
    is_depot = tours < depots[:, None, None]
    vehicles = (is_depot[..., :-1] & ~is_depot[..., 1:]).sum(axis=2)
    if not options.fewest_vehicles:
        vehicles = np.zeros_like(vehicles)
    ranked = []
    for row in range(len(tours)):
        order = np.lexsort((places(length[row]), vehicles[row], missing[row]))
        _, first = np.unique(length[row, order].round(6), return_index=True)
        best = order[np.sort(first)[:NUM_TOURS]]
        ranked.append([Plan(variant_routes(tours[row, at], int(depots[row]))) for at in best])
    return ranked


def _starts(batch: Batch, options: SolveOptions) -> Int64:
    """Nodes of first customers, [B, S] int64; 0 where the policy chooses."""
    size = batch.valid.sum(axis=1) - batch.num_depots
    if options.decode != "multistart":
        return np.zeros((len(size), num_rollouts(int(size.max()), options)), np.int64)
    counts = [num_rollouts(int(number), options) for number in size]
    starts = np.zeros((len(size), max(counts)), np.int64)
    for row, (number, count) in enumerate(zip(size, counts, strict=True)):
        depots = int(batch.num_depots[row])
        offset = batch.coords_unit[row, depots : depots + number] - batch.coords_unit[row, 0]
        starts[row, :count] = depots + spread_starts(offset, count)
    return starts
